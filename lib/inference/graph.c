/* From a bound network to its graph of operators. */
#include "inference/graph.h"

#include "base/checked.h"

#include <inttypes.h>

static const int64_t MAX_BYTES = INT64_MAX / 16; /* of all tensors: sums of them cannot overflow, nor a plan's */

struct making {
    struct graph *graph;
    const struct memmodel_network *network;
    uint64_t without;
    int32_t *uses; /* inputs of layers that a tensor is */
    int64_t total; /* bytes of all that can be in a plan */
};

static int
add_bytes(const struct making *making, int64_t *total, int64_t bytes)
{
    if (checked_accumulate(total, bytes) && *total <= MAX_BYTES)
        return 0;
    return context_error(making->graph->context, MEMMODEL_ERROR_OVERFLOW, NULL,
                         "all tensors together exceed %" PRId64 " bytes", MAX_BYTES);
}

/* ---- operators ---- */

static int
add_inputs(const struct making *making, struct operator* operator, const struct layer * layer, int32_t skipped)
{
    size_t count = (size_t)(operator->input_count + layer->input_count);
    struct operator_input *inputs = arena_allocate(&making->graph->arena, (count + 1) * sizeof *inputs);

    if (!inputs)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (int32_t i = 0; i < operator->input_count; i++)
        inputs[i] = operator->inputs[i];
    for (int32_t i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] >= 0 && layer->inputs[i] != skipped)
            inputs[operator->input_count++] =
                (struct operator_input){layer->inputs[i], input_is_pointwise(making->graph, layer, i)};
    operator->inputs = inputs;
    return 0;
}

/* Nobody sees what the operator had made before this step of it. */
static int
add_step(const struct making *making, struct operator* operator, const struct layer * layer)
{
    int32_t inner = making->network->layers[operator->last].first_output;

    making->graph->tensors[inner].bytes = 0;
    operator->last =(int32_t)(layer - making->network->layers);
    return add_inputs(making, operator, layer, inner);
}

/* Views of all of a tensor cost nothing; one of a part keeps the rest alive. */
static void
mark_views(const struct making *making, struct operator* operator, const struct layer * layer)
{
    struct graph_tensor *tensors = making->graph->tensors;

    for (int32_t i = 0; i < layer->output_count; i++) {
        struct graph_tensor *tensor = &tensors[layer->first_output + i];

        if (!view_of_input(making->graph->binding, layer, i, &tensor->displacement))
            continue;
        operator->kind = VIEW;
        tensor->base = layer->inputs[0];
        if (tensors[tensor->base].bytes == 0)
            tensor->bytes = 0; /* of a parameter */
        operator->optional = operator->optional || tensor->bytes != tensors[tensor->base].bytes;
    }
}

static void
mark_concatenation(const struct making *making, struct operator* operator, const struct layer * layer)
{
    const struct memmodel_concat *concat = layer->options;
    const struct tensor *result = &making->network->tensors[layer->first_output];

    if (making->without & MEMMODEL_SCHEDULE_PASS_CONCAT_ELIMINATION ||
        !axis_is_outermost(making->graph->binding, result, concat->axis))
        return;
    operator->kind = CONCAT;
    operator->optional = true;
}

static int
add_operator(struct making *making, const struct layer *layer)
{
    struct graph *graph = making->graph;
    struct operator* operator= & graph->operators[graph->operator_count];
    int status;

    operator->first = operator->last =(int32_t)(layer - making->network->layers);
    if (!(making->without & MEMMODEL_SCHEDULE_PASS_VIEW_ALIASING))
        mark_views(making, operator, layer);
    if (layer->op == OP_CONCAT && operator->kind == KERNEL)
        mark_concatenation(making, operator, layer);
    if (layer->op == OP_CUSTOM)
        operator->workspace = binding_custom(graph->binding, layer)->forward_workspace_bytes;
    graph->operator_count++;
    status = add_bytes(making, &making->total, operator->workspace);
    return status ? status : add_inputs(making, operator, layer, MEMMODEL_TENSOR_NONE);
}

static int
add_layer(struct making *making, const struct layer *layer)
{
    struct graph *graph = making->graph;
    bool given = layer_is_given(layer);
    int32_t target = given ? -1 : fusion_target(graph, layer, making->uses, making->without);

    for (int32_t i = 0; i < layer->output_count; i++) {
        struct graph_tensor *tensor = &graph->tensors[layer->first_output + i];

        tensor->maker = given ? -1 : target >= 0 ? target : graph->operator_count;
        tensor->input = layer->op == OP_INPUT;
        if (layer->op == OP_PARAMETER)
            tensor->bytes = 0;
    }
    if (given)
        return 0;
    return target >= 0 ? add_step(making, &graph->operators[target], layer) : add_operator(making, layer);
}

/* ---- tensors ---- */

/* A view is counted with what it looks at, and a layer's own activation with the layer. */
static int
count_tensor(const struct making *making, int32_t number)
{
    const struct layer *layers = making->network->layers, *layer = &layers[making->network->tensors[number].layer];
    int64_t displacement;
    bool inner = layer + 1 < layers + making->network->layer_count && layer[1].fused;

    if (layer->op == OP_PARAMETER || inner ||
        view_of_input(making->graph->binding, layer, making->network->tensors[number].output, &displacement))
        return 0;
    return add_bytes(making, &making->graph->every_tensor, making->graph->tensors[number].bytes);
}

static int
fill_tensors(struct making *making)
{
    int status = 0;

    for (int32_t i = 0; i < making->graph->tensor_count && !status; i++) {
        struct graph_tensor *tensor = &making->graph->tensors[i];

        *tensor = (struct graph_tensor){.maker = -1, .base = -1};
        if (!binding_tensor_bytes(making->graph->binding, i, &tensor->bytes))
            tensor->bytes = INT64_MAX;
        status = add_bytes(making, &making->total, tensor->bytes);
        if (!status)
            status = count_tensor(making, i);
    }
    for (size_t i = 0; i < making->network->parameter_count && !status; i++) {
        int64_t bytes = INT64_MAX;

        if (!binding_parameter_bytes(making->graph->binding, (int32_t)i, &bytes))
            bytes = INT64_MAX;
        status = add_bytes(making, &making->total, bytes);
        making->graph->parameters += status ? 0 : bytes;
    }
    return status;
}

/* What the network names as its outputs; or else what no layer uses. */
static void
mark_outputs(const struct making *making)
{
    for (size_t i = 0; i < making->network->output_count; i++)
        making->graph->tensors[making->network->outputs[i]].output = true;
    for (int32_t i = 0; i < making->graph->tensor_count && !making->network->output_count; i++)
        making->graph->tensors[i].output = !making->uses[i];
}

static void
count_uses(const struct making *making)
{
    for (size_t i = 0; i < making->network->layer_count; i++)
        for (int32_t k = 0; k < making->network->layers[i].input_count; k++)
            if (making->network->layers[i].inputs[k] >= 0)
                making->uses[making->network->layers[i].inputs[k]]++;
}

/* ---- the graph ---- */

static int
make(struct making *making)
{
    int status = fill_tensors(making);

    count_uses(making);
    mark_outputs(making);
    for (size_t i = 0; i < making->network->layer_count && !status; i++)
        status = add_layer(making, &making->network->layers[i]);
    return status;
}

int
operator_graph_new(memmodel_context *context, const struct binding *binding, uint64_t without, struct graph *graph)
{
    const struct memmodel_network *network = binding->network;
    struct making making = {.graph = graph, .network = network, .without = without};
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *graph = (struct graph){.context = context, .binding = binding, .arena = ARENA_INIT(context)};
    graph->tensors = memory_allocate_zeroed(context, network->tensor_count + 1, sizeof *graph->tensors);
    graph->operators = memory_allocate_zeroed(context, network->layer_count + 1, sizeof *graph->operators);
    making.uses = memory_allocate_zeroed(context, network->tensor_count + 1, sizeof *making.uses);
    graph->tensor_count = (int32_t)network->tensor_count;
    if (graph->tensors && graph->operators && making.uses)
        status = make(&making);
    memory_release(context, making.uses);
    if (status)
        operator_graph_release(graph);
    return status;
}

void
operator_graph_release(struct graph *graph)
{
    memory_release(graph->context, graph->tensors);
    memory_release(graph->context, graph->operators);
    arena_release(&graph->arena);
}

/*
 * The plan of buffers, made before the first run.
 *
 * onnxruntime: core/framework/allocation_planner.cc, PlannerImpl::ComputeReusePlan, FindReusableInput and
 * FindReusableTensor. For each output in turn: what a Reshape makes is its input; an operator that may work in place
 * takes an input's buffer if this is the last use of it and the shapes are the same; else the latest idle buffer of that
 * shape and element size is taken again, and lives on meanwhile; else there is a new one. Outputs of the graph get
 * buffers of their own.
 */
#include "frameworks/onnxruntime/plan.h"

#include "memmodel/layers.h"

#include <string.h>

/*
 * ---- what kernels may do ----
 *
 * Measured with onnxruntime 1.31.1 by the number of allocations of x -> Sin -> operator -> Sin -> y:
 * test/frameworks/onnx/in_place.py.
 */

enum sharing { OWN, IN_PLACE, ALIAS };

static const bool activates_in_place[] = {
    [MEMMODEL_RELU] = true,        [MEMMODEL_LEAKY_RELU] = true, [MEMMODEL_ELU] = true,   [MEMMODEL_SELU] = true,
    [MEMMODEL_SIGMOID] = true,     [MEMMODEL_TANH] = true,       [MEMMODEL_RELU6] = true, [MEMMODEL_SOFTPLUS] = true,
    [MEMMODEL_HARDSIGMOID] = true, [MEMMODEL_NEGATE] = false,
};

static const char *const in_place[] = {
    "onnx.Cast", "onnx.Celu", "onnx.Clip", "onnx.Not", "onnx.Softsign", "onnx.ThresholdedRelu", "onnx.Trilu"};

static enum sharing
sharing_of_custom(const struct memmodel_custom *custom)
{
    for (size_t i = 0; custom->operation && i < sizeof in_place / sizeof in_place[0]; i++)
        if (strcmp(in_place[i], custom->operation) == 0)
            return IN_PLACE;
    return OWN;
}

static enum sharing
sharing_of(const struct layer *layer)
{
    switch (layer->op) {
    case OP_RESHAPE:
    case OP_FLATTEN:
        return ALIAS;
    case OP_SOFTMAX:
        return IN_PLACE;
    case OP_ACTIVATION:
        return activates_in_place[((const struct memmodel_activation *)layer->options)->kind] ? IN_PLACE : OWN;
    case OP_CUSTOM:
        return sharing_of_custom(layer->options);
    default:
        return OWN;
    }
}

/* ---- shapes ---- */

static bool
same_shape(const struct binding *binding, memmodel_tensor a, memmodel_tensor b)
{
    const struct tensor *x = &binding->network->tensors[a], *y = &binding->network->tensors[b];

    if (x->rank != y->rank || dtype_bytes(x->dtype) != dtype_bytes(y->dtype))
        return false;
    for (int i = 0; i < x->rank; i++)
        if (binding_dim(binding, x->dims[i]) != binding_dim(binding, y->dims[i]))
            return false;
    return true;
}

static bool
is_output(const memmodel_network *network, memmodel_tensor tensor)
{
    for (size_t i = 0; i < network->output_count; i++)
        if (network->outputs[i] == tensor)
            return true;
    return network->output_count == 0 && network->tensors[tensor].consumers == 0;
}

/* ---- one output ---- */

static int32_t
new_buffer(struct ort_plan *plan, memmodel_tensor tensor, int32_t layer, bool given)
{
    plan->buffers[plan->buffer_count] =
        (struct ort_buffer){.tensor = tensor, .first = layer, .last = layer, .given = given};
    return (int32_t)plan->buffer_count++;
}

/* The first input's buffer, if the output can be in it; -1: it cannot. */
static int32_t
reusable_input(const struct ort_plan *plan, const struct layer *layer, memmodel_tensor output)
{
    enum sharing sharing = sharing_of(layer);
    memmodel_tensor input = sharing != OWN && layer->input_count > 0 ? layer->inputs[0] : MEMMODEL_NO_TENSOR;
    const struct ort_buffer *buffer = input < 0 ? NULL : &plan->buffers[plan->buffer_of[input]];

    if (!buffer || output != layer->first_output)
        return -1;
    if (sharing == ALIAS || (buffer->uses == 1 && !buffer->given && same_shape(plan->binding, input, output)))
        return plan->buffer_of[input];
    return -1;
}

/* The latest idle buffer of the output's shape; -1: none. */
static int32_t
reusable_idle(struct ort_plan *plan, memmodel_tensor output)
{
    for (size_t i = plan->idle_count; i-- > 0;) {
        int32_t buffer = plan->idle[i];

        if (!same_shape(plan->binding, plan->buffers[buffer].tensor, output))
            continue;
        memmove(plan->idle + i, plan->idle + i + 1, (plan->idle_count - i - 1) * sizeof *plan->idle);
        plan->idle_count--;
        return buffer;
    }
    return -1;
}

static void
place_output(struct ort_plan *plan, int32_t index, memmodel_tensor output)
{
    const memmodel_network *network = plan->binding->network;
    const struct layer *layer = &network->layers[index];
    bool kept = is_output(network, output);
    int32_t buffer = kept ? -1 : reusable_input(plan, layer, output);

    if (buffer < 0 && !kept)
        buffer = reusable_idle(plan, output);
    if (buffer < 0)
        buffer = new_buffer(plan, output, index, false);
    plan->buffer_of[output] = buffer;
    plan->buffers[buffer].uses += network->tensors[output].consumers + kept;
    plan->buffers[buffer].last = index;
}

/* After a use of the buffer, or a making of what nobody uses. */
static void
rest(struct ort_plan *plan, int32_t index, int32_t buffer)
{
    plan->buffers[buffer].last = index;
    if (plan->buffers[buffer].uses == 0 && !plan->buffers[buffer].given)
        plan->idle[plan->idle_count++] = buffer;
}

static void
place_layer(struct ort_plan *plan, int32_t index)
{
    const struct layer *layer = &plan->binding->network->layers[index];
    bool given = layer->op == OP_INPUT || layer->op == OP_PARAMETER;

    for (int32_t i = 0; i < layer->output_count; i++) {
        if (given)
            plan->buffer_of[layer->first_output + i] = new_buffer(plan, layer->first_output + i, index, true);
        else
            place_output(plan, index, layer->first_output + i);
    }
    for (int32_t i = 0; i < layer->input_count; i++) {
        int32_t buffer = layer->inputs[i] < 0 ? -1 : plan->buffer_of[layer->inputs[i]];

        if (buffer < 0)
            continue;
        plan->buffers[buffer].uses--;
        rest(plan, index, buffer);
    }
    for (int32_t i = 0; i < layer->output_count && !given; i++) {
        int32_t buffer = plan->buffer_of[layer->first_output + i];

        if (plan->buffers[buffer].uses == 0)
            rest(plan, index, buffer);
    }
}

/* ---- the plan ---- */

int
ort_plan_new(memmodel_context *context, const struct binding *binding, struct ort_plan *plan)
{
    size_t count = binding->network->tensor_count;

    *plan = (struct ort_plan){
        .binding = binding,
        .buffers = memory_allocate_zeroed(context, count + 1, sizeof *plan->buffers),
        .buffer_of = memory_allocate_zeroed(context, count + 1, sizeof *plan->buffer_of),
        .idle = memory_allocate_zeroed(context, 2 * count + 1, sizeof *plan->idle),
    };
    if (!plan->buffers || !plan->buffer_of || !plan->idle) {
        ort_plan_release(context, plan);
        return MEMMODEL_ERROR_NOMEM;
    }
    for (size_t i = 0; i < binding->network->layer_count; i++)
        place_layer(plan, (int32_t)i);
    return 0;
}

void
ort_plan_release(memmodel_context *context, struct ort_plan *plan)
{
    memory_release(context, plan->buffers);
    memory_release(context, plan->buffer_of);
    memory_release(context, plan->idle);
}

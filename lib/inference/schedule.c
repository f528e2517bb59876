/* memmodel_schedule: a network's operators and the plan of its buffers. */
#include "base/environment.h"
#include "base/checked.h"
#include "inference/inference.h"
#include "inference/order.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 320 };

struct memmodel_schedule {
    memmodel_context *context;
    atomic_int references;
    struct arena arena; /* names */
    memmodel_plan *plan;
    struct memmodel_schedule_result summary;
    struct memmodel_schedule_operator *operators;
    size_t operator_count, tensor_count;
    int64_t *buffers; /* of each tensor; -1: none */
};

/* What a schedule is made with. */
struct making {
    const struct memmodel_network *network;
    memmodel_schedule *schedule;
    const struct memmodel_schedule_options *how;
    const struct graph *graph;
    struct aliasing *aliasing;
    int32_t *order;
    bool *chosen;
};

/* ---- the plan's buffers ---- */

static const char *
tensor_name(const struct making *making, int32_t number, char name[NAME_BYTES])
{
    const struct memmodel_network *network = making->network;
    const struct tensor *tensor = &network->tensors[number];

    if (tensor->output == 0)
        return network->layers[tensor->layer].name;
    snprintf(name, NAME_BYTES, "%s:%" PRId32, network->layers[tensor->layer].name, tensor->output);
    return name;
}

static int
add_tensor(const struct making *making, int32_t number)
{
    const struct alias *share = &making->aliasing->aliases[number];
    char name[NAME_BYTES];
    const struct memmodel_plan_buffer buffer = {
        .size = sizeof buffer,
        .name = tensor_name(making, number, name),
        .bytes = making->graph->tensors[number].bytes,
        .lower = share->begin,
        .upper = share->end,
        .alignment = share->base == number ? making->how->alignment : 1,
    };

    if (!buffer.bytes)
        return 0;
    making->schedule->buffers[number] = (int64_t)memmodel_plan_buffer_count(making->schedule->plan);
    return memmodel_plan_add_buffer(making->schedule->plan, &buffer);
}

static int
share_tensor(const struct making *making, int32_t number)
{
    const int64_t *buffers = making->schedule->buffers;
    int64_t into;
    int32_t owner = aliasing_owner(making->aliasing, number, &into);

    if (owner == number || buffers[number] < 0)
        return 0;
    return memmodel_plan_add_alias(making->schedule->plan, (size_t)buffers[number], (size_t)buffers[owner], into);
}

/* What is needed from `begin` to `end` besides tensors. */
static int
add_other(const struct making *making, const char *layer, const char *what, int64_t bytes, int32_t begin, int32_t end)
{
    char name[NAME_BYTES];
    const struct memmodel_plan_buffer buffer = {
        .size = sizeof buffer,
        .name = name,
        .bytes = bytes,
        .lower = begin,
        .upper = end,
        .alignment = making->how->alignment,
    };

    snprintf(name, sizeof name, "%s.%s", layer, what);
    return bytes > 0 ? memmodel_plan_add_buffer(making->schedule->plan, &buffer) : 0;
}

static int
add_parameters(const struct making *making)
{
    const struct memmodel_network *network = making->network;
    int status = 0;

    for (size_t i = 0; i < network->parameter_count && making->how->include_parameters && !status; i++) {
        const struct parameter *parameter = &network->parameters[i];
        int64_t bytes = 0;

        binding_parameter_bytes(making->graph->binding, (int32_t)i, &bytes);
        status = add_other(making, network->layers[parameter->layer].name, parameter->role, bytes, 0,
                           making->aliasing->time_count);
    }
    return status;
}

static int
add_buffers(const struct making *making)
{
    const struct graph *graph = making->graph;
    int status = 0;

    for (int32_t i = 0; i < graph->tensor_count && !status; i++)
        status = add_tensor(making, i);
    for (int32_t i = 0; i < graph->tensor_count && !status; i++)
        status = share_tensor(making, i);
    for (int32_t i = 0; i < graph->operator_count && !status; i++)
        status = add_other(making, operator_layer(graph, making->order[i])->name, "workspace",
                           graph->operators[making->order[i]].workspace, i, i + 1);
    return status ? status : add_parameters(making);
}

static int
no_buffers(memmodel_context *context)
{
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                         "the network has no tensors that a plan could place");
}

/* The plan for making->order and making->chosen, for which the aliasing was evaluated. */
static int
make_plan(const struct making *making)
{
    memmodel_schedule *schedule = making->schedule;
    struct memmodel_plan_result result = {.size = sizeof result};
    int status;

    memmodel_plan_unref(schedule->plan);
    schedule->plan = NULL;
    status = memmodel_plan_new(schedule->context, &schedule->plan);
    if (!status)
        status = add_buffers(making);
    if (!status && !memmodel_plan_buffer_count(schedule->plan))
        status = no_buffers(schedule->context);
    if (!status)
        status = memmodel_plan_solve(schedule->plan, making->how->plan);
    if (status)
        return status;
    memmodel_plan_get_result(schedule->plan, &result);
    schedule->summary.peak = result.peak;
    schedule->summary.lower_bound = result.lower_bound;
    return 0;
}

/* ---- the operators ---- */

/* All its outputs lie in what it reads, or all that it reads in its output. */
static bool
does_nothing(const struct making *making, int32_t number)
{
    const struct operator* operator= & making->graph->operators[number];
    const struct layer *layer = operator_layer(making->graph, number);
    int64_t into, from, at = 0;
    int32_t owner = aliasing_owner(making->aliasing, layer->first_output, &into);

    if (operator->kind == KERNEL || operator->input_count == 0)
        return false;
    for (int32_t i = 0; i < operator->input_count && operator->kind == CONCAT; i++) {
        if (aliasing_owner(making->aliasing, operator->inputs[i].tensor, &from) != owner || from != into + at)
            return false;
        at += making->graph->tensors[operator->inputs[i].tensor].bytes;
    }
    for (int32_t i = 0; i < layer->output_count && operator->kind == VIEW; i++) {
        const struct graph_tensor *tensor = &making->graph->tensors[layer->first_output + i];
        int32_t base = tensor->base < 0 ? -1 : aliasing_owner(making->aliasing, tensor->base, &from);

        if (aliasing_owner(making->aliasing, layer->first_output + i, &into) != base ||
            into != from + tensor->displacement)
            return false;
    }
    return true;
}

static int
describe_operators(const struct making *making)
{
    memmodel_schedule *schedule = making->schedule;
    size_t count = (size_t)making->graph->operator_count;

    schedule->operators = memory_allocate_zeroed(schedule->context, count + 1, sizeof *schedule->operators);
    if (!schedule->operators)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        int32_t number = making->order[i];

        schedule->operators[i] = (struct memmodel_schedule_operator){
            .size = sizeof schedule->operators[i],
            .name = arena_copy_text(&schedule->arena, operator_layer(making->graph, number)->name),
            .first_layer = making->graph->operators[number].first,
            .last_layer = making->graph->operators[number].last,
            .live = making->aliasing->load[i] + (making->how->include_parameters ? making->graph->parameters : 0),
            .is_noop = does_nothing(making, number),
        };
        if (!schedule->operators[i].name)
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    schedule->operator_count = count;
    return 0;
}

static int64_t
multiply_adds(const struct binding *binding)
{
    int64_t sum = 0, of_layer;

    for (size_t i = 0; i < binding->network->layer_count; i++)
        if (!binding_multiply_adds(binding, &binding->network->layers[i], &of_layer) ||
            !checked_accumulate(&sum, of_layer))
            return -1;
    return sum;
}

/* ---- making ---- */

static int
make_program_order(struct making *making)
{
    int status;

    for (int32_t i = 0; i < making->graph->operator_count; i++)
        making->order[i] = i;
    status = aliasing_choose(making->aliasing, making->order, making->chosen);
    if (!status)
        status = make_plan(making);
    making->schedule->summary.peak_program_order = making->schedule->summary.peak;
    return status;
}

/* Another order that needs less, by the plans that were found; or else that of the builder calls again. */
static int
make_reordered(struct making *making)
{
    int64_t load = making->aliasing->peak;
    int status = order_improve(making->aliasing, making->order, making->chosen);

    if (!status && making->aliasing->peak < load) {
        status = make_plan(making);
        if (status || making->schedule->summary.peak < making->schedule->summary.peak_program_order)
            return status;
    }
    return status ? status : make_program_order(making);
}

static int
make_in_order(struct making *making)
{
    int status = make_program_order(making);

    if (!status && !(making->how->disabled_passes & MEMMODEL_SCHEDULE_PASS_REORDERING))
        status = make_reordered(making);
    if (!status)
        status = describe_operators(making);
    making->schedule->summary.tensor_bytes = making->graph->every_tensor;
    making->schedule->summary.parameter_bytes = making->graph->parameters;
    making->schedule->summary.multiply_adds = multiply_adds(making->graph->binding);
    return status;
}

static int
make_of_graph(struct making *making)
{
    memmodel_context *context = making->schedule->context;
    size_t count = (size_t)making->graph->operator_count + 1;
    struct aliasing aliasing;
    int status = aliasing_new(making->graph, making->how->disabled_passes, &aliasing);

    if (status)
        return status;
    making->aliasing = &aliasing;
    making->order = memory_allocate_zeroed(context, count, sizeof *making->order);
    making->chosen = memory_allocate_zeroed(context, count, sizeof *making->chosen);
    status = making->order && making->chosen ? make_in_order(making) : MEMMODEL_ERROR_NO_MEMORY;
    memory_release(context, making->order);
    memory_release(context, making->chosen);
    aliasing_release(&aliasing);
    return status;
}

static int
make(memmodel_schedule *schedule, const struct memmodel_schedule_options *how, const struct binding *binding)
{
    struct making making = {.network = binding->network, .schedule = schedule, .how = how};
    size_t tensors = binding->network->tensor_count;
    struct graph graph;
    int status = operator_graph_new(schedule->context, binding, how->disabled_passes, &graph);

    if (status)
        return status;
    making.graph = &graph;
    schedule->buffers = memory_allocate_zeroed(schedule->context, tensors + 1, sizeof *schedule->buffers);
    schedule->tensor_count = schedule->buffers ? tensors : 0;
    for (size_t i = 0; i < schedule->tensor_count; i++)
        schedule->buffers[i] = -1;
    status = schedule->buffers ? make_of_graph(&making) : MEMMODEL_ERROR_NO_MEMORY;
    operator_graph_release(&graph);
    return status;
}

int
schedule_of_binding(memmodel_context *context, const struct binding *binding,
                    const struct memmodel_schedule_options *how, memmodel_schedule **schedule)
{
    memmodel_schedule *new = memory_allocate_zeroed(context, 1, sizeof *new);
    int status;

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    *new = (struct memmodel_schedule){.context = memmodel_context_ref(context), .arena = ARENA_INIT(context)};
    new->summary.size = sizeof new->summary;
    atomic_init(&new->references, 1);
    status = make(new, how, binding);
    if (status)
        memmodel_schedule_unref(new);
    else
        *schedule = new;
    return status;
}

int
memmodel_network_schedule(const memmodel_network *network, const struct memmodel_schedule_options *options,
                          memmodel_context *context, memmodel_schedule **schedule)
{
    OWN_ENVIRONMENT;
    struct memmodel_schedule_options own;
    struct binding binding;
    int status;

    if (!network || !schedule)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : network->context;
    status = inference_bind(context, network, options, &own, &binding);
    if (status)
        return status;
    status = schedule_of_binding(context, &binding, &own, schedule);
    return inference_end(context, &binding, status);
}

/* ---- asking ---- */

const memmodel_plan *
memmodel_schedule_plan(const memmodel_schedule *schedule)
{
    return schedule ? schedule->plan : NULL;
}

int
memmodel_schedule_find_buffer(const memmodel_schedule *schedule, memmodel_tensor tensor, size_t *buffer)
{
    if (!schedule || !buffer)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (tensor < 0 || (size_t)tensor >= schedule->tensor_count || schedule->buffers[tensor] < 0)
        return context_error(schedule->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "tensor %" PRId32 " has no buffer", tensor);
    *buffer = (size_t)schedule->buffers[tensor];
    return 0;
}

size_t
memmodel_schedule_operator_count(const memmodel_schedule *schedule)
{
    return schedule ? schedule->operator_count : 0;
}

int
memmodel_schedule_get_operator(const memmodel_schedule *schedule, size_t index,
                               struct memmodel_schedule_operator *about)
{
    if (!schedule || !about)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (index >= schedule->operator_count)
        return context_error(schedule->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no operator %zu",
                             index);
    return result_copy(&schedule->operators[index], sizeof *schedule->operators, about);
}

int
memmodel_schedule_get_result(const memmodel_schedule *schedule, struct memmodel_schedule_result *result)
{
    if (!schedule || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&schedule->summary, sizeof schedule->summary, result);
}

DEFINE_REF(memmodel_schedule)

void
memmodel_schedule_unref(memmodel_schedule *schedule)
{
    memmodel_context *context;

    if (!schedule || atomic_fetch_sub(&schedule->references, 1) > 1)
        return;
    context = schedule->context;
    memmodel_plan_unref(schedule->plan);
    arena_release(&schedule->arena);
    memory_release(context, schedule->operators);
    memory_release(context, schedule->buffers);
    memory_release(context, schedule);
    memmodel_context_unref(context);
}

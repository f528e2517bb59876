/*
 * DeepSpeed's ZeRO 3: parameters, gradients and states of the optimizer are shared out, and one buffer of
 * reduce_bucket_size elements is there from the first to the last. DeepSpeed 0.19: deepspeed/runtime/zero/stage3.py.
 */
#include "base/checked.h"
#include "frameworks/pytorch/deepspeed.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/tensor.h"

/* ---- construction ---- */

static struct fsdp_parameter *
parameter_at(struct zero *zero, size_t unit, size_t place)
{
    return &zero->fsdp.units[unit].parameters[place];
}

/* The shards, one after the other, in `shard`; Init and partition() of partition_parameters.py */
static void
partition(struct step *step, struct zero *zero)
{
    for (size_t i = 0; i < zero->fsdp.unit_count && !step->status; i++)
        for (size_t k = 0; k < zero->fsdp.units[i].count && !step->status; k++) {
            struct fsdp_parameter *parameter = parameter_at(zero, i, k);

            parameter->padded = ceil_divide(value_elements(parameter->whole), step->parallel.world);
            if (!zero_options(step)->offload_param)
                parameter->shard =
                    data_buffer(step, "deepspeed shard", fsdp_bytes_of(parameter->whole, parameter->padded));
            value_empty_storage(step, parameter->whole);
        }
}

/* Of a forward pass, one that is done again, and a backward pass: each parameter is fetched by its module or ahead. */
static size_t
count_fetches(const struct step *step, const struct zero *zero)
{
    size_t count = zero->fsdp.units[zero->fsdp.unit_count - 1].count;

    for (size_t i = 0; i < zero->fsdp.span_count; i++)
        count += zero->fsdp.units[zero->fsdp.spans[i].unit].count;
    return 6 * count + step->network->parameter_count;
}

static bool
make_room(struct step *step, struct zero *zero)
{
    size_t parameters = step->network->parameter_count + 1, fetches = count_fetches(step, zero) + 1;

    zero->statuses = step_arena_allocate(step, parameters * sizeof *zero->statuses);
    zero->flights = step_arena_allocate(step, fetches * sizeof *zero->flights);
    zero->flight_list = step_arena_allocate(step, fetches * sizeof *zero->flight_list);
    zero->flight_room = fetches;
    zero->trace.capacity = 3 * (zero->fsdp.span_count + 1);
    zero->trace.units = step_arena_allocate(step, zero->trace.capacity * sizeof *zero->trace.units);
    for (size_t i = 0; i < parameters && !step->status; i++)
        zero->statuses[i] = (struct zero_status){.fetched_for = -1};
    for (size_t i = 0; i + 1 < parameters && !step->status; i++)
        zero->statuses[i].persistent =
            value_elements(step->variables[i].value) <= zero_options(step)->param_persistence_threshold;
    return !step->status;
}

static void
construct(struct step *step)
{
    static const struct fsdp_passes passes = {zero_pre_forward, zero_post_forward, zero_pre_backward,
                                              zero_post_backward};
    struct zero *zero = step_arena_allocate(step, sizeof *zero);

    if (!zero)
        return;
    *zero = (struct zero){.flat_count = 0};
    if (!zero_find_modules(step, &zero->fsdp) || !make_room(step, zero))
        return;
    zero->fsdp.passes = &passes;
    step->data_state = zero;
    fsdp_find_tensors(step);
    zero_cast(step);
    partition(step, zero);
}

/* defragment(): shards become one tensor; on a GPU they wait on the host meanwhile. */
static void
join_shards(struct step *step, struct zero *zero, int64_t elements)
{
    struct value *joined = NULL;

    for (int pass = 0; pass < 2; pass++) {
        if ((pass == 0) == step->device->host && !zero_options(step)->offload_param) {
            joined = data_buffer(step, "deepspeed shards", zero_bytes(step, zero, elements));
            value_becomes(step, joined, MEMMODEL_CATEGORY_PARAMETERS);
        }
        for (size_t i = 0; i < zero->fsdp.unit_count && pass == 0; i++)
            for (size_t k = 0; k < zero->fsdp.units[i].count; k++)
                value_drop_all(step, &parameter_at(zero, i, k)->shard, 1);
    }
}

/* Ranks see that they have the same: each parameter is gathered once. */
static void
compare_ranks(struct step *step, struct zero *zero)
{
    for (size_t i = 0; i < zero->fsdp.unit_count; i++)
        for (size_t k = 0; k < zero->fsdp.units[i].count; k++) {
            const struct fsdp_parameter *parameter = parameter_at(zero, i, k);
            int64_t bytes = zero_padded_bytes(step, parameter);
            struct value *gathered = data_buffer(step, "deepspeed gathered parameter", bytes);

            data_gloo_all_gather(step, bytes);
            value_drop(step, gathered);
        }
}

static void
optimizer_construct_hook(struct step *step, const struct optimizer *all)
{
    const struct zero_options *options = zero_options(step);
    struct zero *zero = step->data_state;
    int64_t elements = 0, largest = 0;
    struct value *gradients = NULL;

    step_enter(step, MEMMODEL_PHASE_SETUP, -1);
    zero_find_flats(step, zero, all, options->sub_group_size);
    if (step->status)
        return;
    for (size_t i = 0; i < zero->flat_count; i++) {
        elements = add_saturating(elements, zero->flats[i].part);
        largest = max_i64(largest, zero->flats[i].part);
    }
    join_shards(step, zero, elements);
    for (size_t i = 0; i < zero->flat_count; i++)
        zero_make_master(step, zero, &zero->flats[i]);
    if (!options->offload_optimizer) {
        step->what = "deepspeed first gradients";
        gradients = value_vector(step, MEMMODEL_DTYPE_FLOAT32, largest);
    }
    value_drop(step, gradients);
    if (options->contiguous_gradients)
        zero->buffers[0] = data_buffer(step, "deepspeed bucket", zero_bytes(step, zero, options->reduce_bucket_size));
    if (!options->offload_optimizer) {
        step->what = "deepspeed gradients";
        zero->gradients = value_vector(step, zero_gradient_type(step, zero), elements);
        value_becomes(step, zero->gradients, MEMMODEL_CATEGORY_GRADIENTS);
    }
    data_buffer(step, "deepspeed overflow", 1);
    compare_ranks(step, zero);
}

/* ---- gradients ---- */

/* reduce_scatter_coalesced(): parts of ranks are joined, but of one tensor that divides evenly. */
static void
reduce_bucket(struct step *step, struct zero *zero)
{
    int64_t world = step->parallel.world, padded = 0;
    bool is_even = zero->bucket_count == 1 && zero->bucket_elements % world == 0;
    struct value *joined = NULL;

    if (zero->bucket_count == 0)
        return;
    for (size_t i = 0; i < zero->bucket_count; i++)
        padded += multiply_saturating(world, ceil_divide(zero->places[zero->bucket[i]].elements, world));
    if (!is_even) {
        joined = data_buffer(step, "deepspeed joined gradients", zero_bytes(step, zero, padded));
        if (zero_options(step)->overlap_comm)
            data_on_stream(step, joined, SCATTER_STREAM);
    }
    step->what = "deepspeed average";
    number_in_place(step, step->variables[zero->bucket[0]].value->shape.dtype);
    if (step->parallel.gloo)
        value_drop(step, data_buffer(step, "gloo reduce-scatter", zero_bytes(step, zero, padded)));
    value_drop(step, joined);
    for (size_t i = 0; i < zero->bucket_count; i++)
        value_drop_all(step, &step->variables[zero->bucket[i]].gradient, 1);
    zero->bucket_count = 0;
    zero->bucket_elements = 0;
}

static void
gradient_hook(struct step *step, int32_t parameter)
{
    struct zero *zero = step->data_state;

    if (step->variables[parameter].gradient && zero->places[parameter].flat >= 0)
        zero_add_to_bucket(step, zero, parameter, reduce_bucket);
}

static void
forward_begin(struct step *step)
{
    zero_reset_trace(step, step->data_state);
    fsdp_forward_begin(step);
}

/* Modules that run again fetch and release as in the forward pass. */
static void
recompute(struct step *step, int32_t layer, bool ends)
{
    struct zero *zero = step->data_state;

    for (size_t i = 0; i < zero->fsdp.span_count; i++) {
        const struct fsdp_span *span = &zero->fsdp.spans[i];

        if (!ends && span->first == layer)
            zero_fetch_again(step, zero, &zero->fsdp.units[span->unit]);
        if (ends && span->end == layer + 1)
            zero_release_again(step, zero, &zero->fsdp.units[span->unit]);
    }
}

static void
backward_end(struct step *step)
{
    struct zero *zero = step->data_state;

    reduce_bucket(step, zero);
    zero_release_all(step, zero, false);
    for (size_t i = 0; i < zero->fsdp.unit_count; i++)
        zero->fsdp.units[i].state = FSDP_IDLE;
    fsdp_drop_hooks(step, &zero->fsdp);
}

const struct data_strategy pytorch_deepspeed3 = {
    .construct = construct,
    .forward_begin = forward_begin,
    .layer_begin = fsdp_layer_begin,
    .layer_end = fsdp_layer_end,
    .recompute = recompute,
    .forward_end = fsdp_forward_end,
    .node = fsdp_node,
    .gradient = gradient_hook,
    .backward_end = backward_end,
    .optimizer_construct = optimizer_construct_hook,
    .optimizer_begin = zero_optimizer_begin,
    .optimizer_end = zero_optimizer_end,
};

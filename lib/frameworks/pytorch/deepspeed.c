/*
 * DeepSpeed's ZeRO 1 and 2: gradients are reduced in a buffer of reduce_bucket_size elements, whatever the model, and each
 * rank keeps those of the parameters that it has a part of. DeepSpeed 0.19: deepspeed/runtime/zero/stage_1_and_2.py.
 */
#include "frameworks/pytorch/deepspeed.h"

#include "base/checked.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/tensor.h"

/* Ranks that have a part of the parameter: first <= rank <= last. */
static void
find_ranks(const struct zero *zero, int32_t parameter, int64_t *first, int64_t *last)
{
    const struct zero_place *place = &zero->places[parameter];
    int64_t part = zero->flats[place->flat].part;

    *first = place->offset / part;
    *last = (place->offset + place->elements - 1) / part;
}

bool
zero_has_part(const struct step *step, const struct zero *zero, int32_t parameter)
{
    int64_t first, last;

    if (zero_options(step)->stage == 3)
        return true;
    find_ranks(zero, parameter, &first, &last);
    return first <= step->parallel.place && step->parallel.place <= last;
}

/* ---- buckets ---- */

/* Gradients of half types that are added up in float32 go straight into this rank's part. */
static bool
is_compact(const struct step *step, const struct zero *zero)
{
    const struct value *any = step->variables[zero->flats[0].parameters[0]].value;

    return zero_options(step)->grad_accum_dtype == MEMMODEL_DTYPE_FLOAT32 && any->shape.dtype != MEMMODEL_DTYPE_FLOAT32;
}

/* setup_buckets() */
static void
make_buffers(struct step *step, struct zero *zero)
{
    int count = zero_options(step)->overlap_comm ? 2 : 1;

    for (int i = 0; i < count && zero_options(step)->contiguous_gradients && !zero->buffers[i]; i++)
        zero->buffers[i] =
            data_buffer(step, "deepspeed bucket", zero_bytes(step, zero, zero_options(step)->reduce_bucket_size));
}

/* Runs of the bucket that go to one rank; there may be one from each parameter to the next. */
static int64_t
count_slices(const struct step *step, const struct zero *zero)
{
    int64_t slices = 0, before = -1, first, last;

    for (size_t i = 0; i < zero->bucket_count; i++) {
        find_ranks(zero, zero->bucket[i], &first, &last);
        slices += last - first + (first != before || (is_compact(step, zero) && first == step->parallel.place));
        before = last;
    }
    return slices;
}

/* average_tensor(): what goes to several ranks is joined first; without reduce_scatter all get all of it. */
static void
average(struct step *step, struct zero *zero)
{
    bool is_joined = zero_options(step)->contiguous_gradients
                         ? zero_options(step)->reduce_scatter && count_slices(step, zero) > 1
                         : zero->bucket_count > 1;
    struct value *joined = NULL;

    step->what = "deepspeed average";
    number_in_place(step, step->variables[zero->bucket[0]].value->shape.dtype);
    if (is_joined)
        joined = data_buffer(step, "deepspeed joined gradients", zero_bytes(step, zero, zero->bucket_elements));
    value_drop(step, joined);
}

/* Elements of parameters that this rank has a part of, each as a whole. */
static int64_t
own_elements(const struct step *step, const struct zero *zero)
{
    int64_t elements = 0;

    for (size_t i = 0; i < step->network->parameter_count; i++)
        if (zero->places[i].flat >= 0 && zero_has_part(step, zero, (int32_t)i))
            elements = add_saturating(elements, zero->places[i].elements);
    return elements;
}

static void
make_partition(struct step *step, struct zero *zero)
{
    int64_t bytes = zero_bytes(step, zero, own_elements(step, zero));

    if (is_compact(step, zero)) {
        bytes = 0;
        for (size_t i = 0; i < zero->flat_count; i++)
            bytes =
                add_saturating(bytes, multiply_saturating(zero->flats[i].part, dtype_bytes(MEMMODEL_DTYPE_FLOAT32)));
    }
    zero->partition = data_buffer(step, "deepspeed gradients", bytes);
    value_becomes(step, zero->partition, MEMMODEL_CATEGORY_GRADIENTS);
}

/* copy_grads_in_partition(): with an optimizer on the host they are sent there from where they are. */
static void
keep_gradient(struct step *step, struct zero *zero, int32_t parameter)
{
    struct variable *variable = &step->variables[parameter];
    struct value *gradient = variable->gradient;

    if (zero_options(step)->offload_optimizer || !zero_options(step)->contiguous_gradients)
        return;
    if (is_compact(step, zero)) {
        value_drop(step, data_buffer(step, "deepspeed cast gradient",
                                     multiply_saturating(zero->places[parameter].elements,
                                                         dtype_bytes(MEMMODEL_DTYPE_FLOAT32))));
        return;
    }
    if (!zero->partition)
        make_partition(step, zero);
    variable->gradient = value_within(step, zero->partition, &gradient->shape, gradient->strides);
    value_drop(step, gradient);
}

/* reduce_ipg_grads() */
static void
reduce_bucket(struct step *step, struct zero *zero)
{
    if (zero->bucket_count == 0)
        return;
    if (is_compact(step, zero) && !zero->partition && !zero->sum && !zero_options(step)->offload_optimizer)
        make_partition(step, zero);
    average(step, zero);
    for (size_t i = 0; i < zero->bucket_count; i++) {
        int32_t parameter = zero->bucket[i];

        if (zero_has_part(step, zero, parameter))
            keep_gradient(step, zero, parameter);
        else if (zero_options(step)->stage == 2)
            value_drop_all(step, &step->variables[parameter].gradient, 1);
    }
    zero->bucket_count = 0;
    zero->bucket_elements = 0;
}

/* reduce_independent_p_g_buckets_and_remove_grads(): what is larger than a bucket is one by itself. */
void
zero_add_to_bucket(struct step *step, struct zero *zero, int32_t parameter,
                   void (*reduce)(struct step *step, struct zero *zero))
{
    const struct zero_options *options = zero_options(step);
    struct value **gradient = &step->variables[parameter].gradient, *before = *gradient;
    int64_t elements = zero->places[parameter].elements;

    if (zero->bucket_count > 0 && zero->bucket_elements + elements > options->reduce_bucket_size) {
        reduce(step, zero);
        if (options->overlap_comm && options->stage < 3)
            zero->buffer = 1 - zero->buffer;
    }
    if (options->contiguous_gradients && elements <= options->reduce_bucket_size && zero->buffers[zero->buffer]) {
        *gradient = value_within(step, zero->buffers[zero->buffer], &before->shape, before->strides);
        value_drop(step, before);
    }
    zero->bucket[zero->bucket_count++] = parameter;
    zero->bucket_elements += elements;
}

/* ---- hooks ---- */

static bool
is_last_batch(const struct step *step)
{
    return step->batch == step->job->gradient_accumulation - 1;
}

/* Stage 1 reduces when the last backward pass is over, but for overlap_comm. */
static void
gradient_hook(struct step *step, int32_t parameter)
{
    const struct zero_options *options = zero_options(step);
    struct zero *zero = step->data_state;

    if (!step->variables[parameter].gradient || zero->places[parameter].flat < 0)
        return;
    make_buffers(step, zero);
    if (options->stage == 1 && !(options->overlap_comm && is_last_batch(step)))
        return;
    zero_add_to_bucket(step, zero, parameter, reduce_bucket);
}

static void
reduce_all(struct step *step, struct zero *zero)
{
    for (size_t i = 0; i < zero->flat_count; i++)
        for (size_t k = 0; k < zero->flats[i].count && !step->status; k++)
            if (step->variables[zero->flats[i].parameters[k]].gradient)
                zero_add_to_bucket(step, zero, zero->flats[i].parameters[k], reduce_bucket);
}

/* Gradients of this batch are added to those before it. */
static void
end_batch(struct step *step, struct zero *zero)
{
    value_drop_all(step, zero->buffers, 2);
    zero->buffer = 0;
    for (size_t i = 0; i < step->network->parameter_count; i++)
        if (zero->places[i].flat >= 0)
            value_drop_all(step, &step->variables[i].gradient, 1);
    if (!zero_options(step)->contiguous_gradients) /* those that stay are as large together */
        make_partition(step, zero);
    if (!zero->sum) {
        zero->sum = zero->partition;
        zero->partition = NULL;
    }
    value_drop_all(step, &zero->partition, 1);
}

/* independent_gradient_partition_epilogue() */
static void
backward_end(struct step *step)
{
    const struct zero_options *options = zero_options(step);
    struct zero *zero = step->data_state;

    if (options->stage == 1 && !is_last_batch(step))
        return;
    if (options->stage == 1 && !options->overlap_comm)
        reduce_all(step, zero);
    reduce_bucket(step, zero);
    end_batch(step, zero);
}

static void
construct(struct step *step)
{
    struct zero *zero = step_arena_allocate(step, sizeof *zero);

    if (!zero)
        return;
    *zero = (struct zero){.flat_count = 0};
    step->data_state = zero;
    zero_cast(step);
}

/* All parameters of a group move into one tensor, whose length each rank has an even number of elements of. */
static void
flatten(struct step *step, struct zero *zero, struct zero_flat *flat)
{
    enum { START_ALIGNMENT = 2 }; /* nccl_start_alignment_factor */
    int64_t alignment = START_ALIGNMENT * step->parallel.world;
    int64_t whole = multiply_saturating(ceil_divide(flat->part, alignment), alignment);

    flat->whole = data_buffer(step, "deepspeed flat parameters", zero_bytes(step, zero, whole));
    value_becomes(step, flat->whole, MEMMODEL_CATEGORY_PARAMETERS);
    for (size_t i = 0; i < flat->count; i++)
        value_empty_storage(step, step->variables[flat->parameters[i]].value);
    flat->part = whole / step->parallel.world;
    zero_make_master(step, zero, flat);
}

static void
optimizer_construct_hook(struct step *step, const struct optimizer *all)
{
    struct zero *zero = step->data_state;
    int64_t largest = 0;

    step_enter(step, MEMMODEL_PHASE_SETUP, -1);
    zero_find_flats(step, zero, all, INT64_MAX);
    for (size_t i = 0; i < zero->flat_count && !step->status; i++)
        flatten(step, zero, &zero->flats[i]);
    for (size_t i = 0; i < step->network->parameter_count && !step->status; i++)
        if (zero->places[i].flat >= 0)
            largest = max_i64(largest, zero->places[i].elements);
    if (step->status)
        return;
    if (zero_options(step)->offload_optimizer) /* temp_grad_buffer_for_gpu_offload */
        data_buffer(step, "deepspeed offloaded gradient", zero_bytes(step, zero, largest));
    for (size_t i = 0; i < zero->flat_count; i++)
        if (zero->flats[i].master)
            value_drop(step, value_like(step, zero->flats[i].master));
}

static const struct data_strategy stages_1_and_2 = {
    .construct = construct,
    .gradient = gradient_hook,
    .backward_end = backward_end,
    .optimizer_construct = optimizer_construct_hook,
    .optimizer_begin = zero_optimizer_begin,
    .optimizer_end = zero_optimizer_end,
};

const struct data_strategy *
pytorch_deepspeed(const struct step *step)
{
    return zero_options(step)->stage == 3 ? &pytorch_deepspeed3 : &stages_1_and_2;
}

/*
 * DeepSpeed's flat tensors: parameters of a group lie one behind the other, each rank updates its part of them in float32.
 * DeepSpeed 0.19: deepspeed/runtime/zero/stage_1_and_2.py (__init__, step), stage3.py (_create_fp32_partitions, step).
 */
#include "base/checked.h"
#include "base/context.h"
#include "frameworks/pytorch/deepspeed.h"
#include "frameworks/pytorch/tensor.h"

enum { NORM_BYTES = 8 }; /* gradients are summed up in float64: zero/utils.py, get_norm_dtype */

int64_t
zero_bytes(const struct step *step, const struct zero *zero, int64_t elements)
{
    const struct value *any = step->variables[zero->flats[0].parameters[0]].value;

    return multiply_saturating(elements, dtype_bytes(any->shape.dtype));
}

int
zero_gradient_type(const struct step *step, const struct zero *zero)
{
    int given = zero_options(step)->grad_accum_dtype;

    return given == NO_DTYPE ? step->variables[zero->flats[0].parameters[0]].value->shape.dtype : given;
}

static int64_t
float_bytes(int64_t elements)
{
    return multiply_saturating(elements, dtype_bytes(MEMMODEL_DTYPE_FLOAT32));
}

/* ---- construction ---- */

static void
check_type(struct step *step, size_t index)
{
    const struct parameter *parameter = &step->network->parameters[index];
    int asked = step->parallel.options.param_dtype;

    if (parameter->dtype == asked)
        return;
    step->status =
        context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, step->network->layers[parameter->layer].name,
                      "deepspeed(%s=True) needs the network as it is computed, with parameters of that type; "
                      "this one is %s",
                      zero_options(step)->bf16 ? "bf16" : "fp16", memmodel_dtype_name(parameter->dtype));
}

void
zero_cast(struct step *step)
{
    bool is_half = step->parallel.options.param_dtype != NO_DTYPE;

    for (size_t i = 0; i < step->network->parameter_count && is_half && !step->status; i++) {
        struct value *value = step->variables[i].value, *cast;

        if (data_is_buffer(step, i))
            continue;
        check_type(step, i);
        if (!step->device->host)
            continue;
        cast = data_buffer(step, "deepspeed cast parameter", data_parameter_bytes(step, i));
        value_becomes(step, cast, MEMMODEL_CATEGORY_PARAMETERS);
        value_empty_storage(step, value);
        value_take_storage(value, cast);
        value_drop(step, cast);
    }
}

/* Elements of a parameter in the flat tensor: all, or, of stage 3, those of one rank, padded. */
static int64_t
elements_of(const struct step *step, int32_t parameter)
{
    int64_t elements = value_elements(step->variables[parameter].value);

    return zero_options(step)->stage == 3 ? ceil_divide(elements, step->parallel.world) : elements;
}

static struct zero_flat *
new_flat(struct step *step, struct zero *zero, const struct optimizer_group *group)
{
    struct zero_flat *flat = &zero->flats[zero->flat_count];

    *flat = (struct zero_flat){.group = group};
    flat->parameters = step_arena_allocate(step, (group->count + 1) * sizeof *flat->parameters);
    if (step->status)
        return NULL;
    zero->flat_count++;
    return flat;
}

static void
take_group(struct step *step, struct zero *zero, const struct optimizer_group *group, int64_t sub_group)
{
    struct zero_flat *flat = NULL;

    for (size_t i = 0; i < group->count; i++) {
        int32_t parameter = group->parameters[i];

        if (!step->variables[parameter].accumulate)
            continue;
        if (!flat || flat->part >= sub_group)
            flat = new_flat(step, zero, group);
        if (!flat)
            return;
        zero->places[parameter] = (struct zero_place){(int32_t)(flat - zero->flats), flat->part,
                                                      value_elements(step->variables[parameter].value)};
        flat->parameters[flat->count++] = parameter;
        flat->part = add_saturating(flat->part, elements_of(step, parameter));
    }
}

/* The optimizer that is left: a vector each, which stands where the first of its parameters does. */
static void
make_optimizer(struct step *step, struct zero *zero)
{
    struct optimizer_group *groups = step_arena_allocate(step, (zero->flat_count + 1) * sizeof *groups);

    for (size_t i = 0; groups && i < zero->flat_count; i++) {
        groups[i] = *zero->flats[i].group;
        groups[i].parameters = zero->flats[i].parameters;
        groups[i].count = zero->flats[i].master ? 1 : 0;
    }
    zero->optimizer = (struct optimizer){.groups = groups, .count = groups ? zero->flat_count : 0};
}

/* What the optimizer made for whole parameters before DeepSpeed got it stays with it (Adagrad's sums): nobody uses it. */
static void
leave_states(struct step *step, const struct optimizer *all)
{
    optimizer_construct(step, all);
    for (size_t i = 0; i < step->network->parameter_count; i++) {
        step->variables[i].has_state = false;
        for (int k = 0; k < OPTIMIZER_STATES; k++)
            step->variables[i].state[k] = NULL;
    }
}

void
zero_find_flats(struct step *step, struct zero *zero, const struct optimizer *all, int64_t sub_group)
{
    size_t count = step->network->parameter_count + 1;

    zero->flats = step_arena_allocate(step, count * sizeof *zero->flats);
    zero->places = step_arena_allocate(step, count * sizeof *zero->places);
    zero->bucket = step_arena_allocate(step, count * sizeof *zero->bucket);
    leave_states(step, all);
    for (size_t i = 0; zero->places && i < count; i++)
        zero->places[i].flat = -1;
    for (size_t i = 0; i < all->count && !step->status; i++)
        take_group(step, zero, &all->groups[i], sub_group);
    if (!step->status && zero->flat_count == 0)
        step->status = context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "data",
                                     "deepspeed needs an optimizer with parameters that are trained");
}

/* A copy in float32, and the gradients of a first step that nothing is done with. Of half types the copy is copied. */
void
zero_make_master(struct step *step, struct zero *zero, struct zero_flat *flat)
{
    bool is_half = zero_bytes(step, zero, 1) != float_bytes(1);
    struct value *before = NULL;

    if (zero_options(step)->offload_optimizer)
        return;
    step->what = "deepspeed master parameters";
    if (is_half)
        before = value_buffer(step, zero_options(step)->stage == 3 ? float_bytes(flat->part)
                                                                   : zero_bytes(step, zero, flat->part));
    flat->master = value_vector(step, MEMMODEL_DTYPE_FLOAT32, flat->part);
    value_becomes(step, flat->master, MEMMODEL_CATEGORY_OPTIMIZER_STATE);
    value_drop(step, before);
}

/* ---- optimizer.step() ---- */

/* get_grad_norm_direct(): each gradient in float64, one after the other; the norm stays. */
static void
find_norm(struct step *step, struct zero *zero)
{
    struct value *norm;

    for (size_t i = 0; i < step->network->parameter_count; i++)
        if (zero->places[i].flat >= 0 && zero_has_part(step, zero, (int32_t)i) &&
            !zero_options(step)->offload_optimizer)
            value_drop(step, data_buffer(step, "deepspeed gradient norm",
                                         multiply_saturating(NORM_BYTES, elements_of(step, (int32_t)i))));
    step->what = "deepspeed gradient norm";
    norm = value_scalar(step, zero_options(step)->stage == 3 ? MEMMODEL_DTYPE_FLOAT64 : MEMMODEL_DTYPE_FLOAT32);
    value_drop(step, zero->norm);
    zero->norm = norm;
}

/* The part's gradient in float32: flattened in the type that it was added up in, and cast. */
static struct value *
flat_gradient(struct step *step, struct zero *zero, const struct zero_flat *flat)
{
    int64_t kept = multiply_saturating(flat->part, dtype_bytes(zero_gradient_type(step, zero)));
    bool is_flat = zero_options(step)->stage == 2 && zero_gradient_type(step, zero) == MEMMODEL_DTYPE_FLOAT32 &&
                   zero_bytes(step, zero, 1) != float_bytes(1);
    struct value *joined = NULL, *gradient;

    step->what = "deepspeed gradient";
    if (is_flat)
        return value_within(step, zero->sum, &flat->master->shape, flat->master->strides);
    if (kept != float_bytes(flat->part))
        joined = value_buffer(step, kept);
    gradient = value_like(step, flat->master);
    value_drop(step, joined);
    return gradient;
}

static void
update(struct step *step, struct zero *zero, size_t index)
{
    const struct zero_flat *flat = &zero->flats[index];
    struct variable *variable = &step->variables[flat->parameters[0]];
    struct value *whole = variable->value;
    struct optimizer one = {.groups = &zero->optimizer.groups[index], .count = 1};

    if (!flat->master)
        return;
    variable->gradient = flat_gradient(step, zero, flat);
    value_becomes(step, variable->gradient, MEMMODEL_CATEGORY_GRADIENTS);
    if (index + 1 == zero->flat_count)
        value_drop_all(step, &zero->sum, 1);
    variable->value = flat->master;
    if (zero->flat_count == 1)
        optimizer_run(step, &one);
    else
        optimizer_run_group(step, &one.groups[0]);
    variable->value = whole;
    value_drop_all(step, &variable->gradient, 1);
}

/* all_gather_into_tensor() */
static void
gather_all(struct step *step, const struct zero *zero)
{
    int64_t world = step->parallel.world;

    for (size_t i = 0; i < zero->flat_count && world > 1; i++)
        data_gloo_all_gather(step, multiply_saturating(world, zero_bytes(step, zero, zero->flats[i].part)));
}

static void
swap_values(struct step *step, struct zero *zero)
{
    for (size_t i = 0; i < zero->flat_count; i++) {
        struct variable *variable = &step->variables[zero->flats[i].parameters[0]];
        struct value *value = variable->value;

        if (!zero->flats[i].master)
            continue;
        variable->value = zero->flats[i].master;
        zero->flats[i].master = value;
    }
}

/* Each flat tensor has its gradient only while it is updated, so that all is done here. */
const struct optimizer *
zero_optimizer_begin(struct step *step, const struct optimizer *all)
{
    static const struct optimizer nothing = {.count = 0};
    struct zero *zero = step->data_state;

    (void)all;
    if (step->number == 0) { /* it is constructed */
        make_optimizer(step, zero);
        swap_values(step, zero);
        return &zero->optimizer;
    }
    step_enter(step, MEMMODEL_PHASE_OPTIMIZER, -1);
    if (zero_options(step)->stage == 3)
        zero_release_all(step, zero, true);
    find_norm(step, zero);
    for (size_t i = 0; i < zero->flat_count && !step->status; i++)
        update(step, zero, i);
    value_drop_all(step, &zero->sum, 1);
    step_enter(step, MEMMODEL_PHASE_OPTIMIZER, -1);
    if (zero_options(step)->stage == 3)
        zero_gather_persistent(step, zero);
    else
        gather_all(step, zero);
    return &nothing;
}

void
zero_optimizer_end(struct step *step)
{
    if (step->number == 0)
        swap_values(step, step->data_state);
}

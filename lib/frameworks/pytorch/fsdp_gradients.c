/*
 * What gradients of a unit go through: added up where they are not shared yet, reduced to those of the shards. PyTorch:
 * torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py (foreach_reduce), _fsdp_param.py.
 */
#include "base/checked.h"
#include "frameworks/pytorch/fsdp.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/tensor.h"

/* reduce_dtype, else the type of the gradients */
static int
reduced_type(const struct step *step, const struct value *gradient)
{
    int given = step->parallel.options.reduce_dtype;

    return given == NO_DTYPE ? gradient->shape.dtype : given;
}

/* ---- gradients that are not shared yet ---- */

/* unsharded_accumulated_grad += unsharded_param.grad; of another type it is cast first, on a CPU in a tensor. */
void
fsdp_accumulate(struct step *step, struct fsdp_unit *unit)
{
    for (size_t i = 0; i < unit->count && !step->status; i++) {
        struct fsdp_parameter *parameter = &unit->parameters[i];
        struct value **gradient = &step->variables[parameter->parameter].gradient;

        if (!parameter->sum || !*gradient)
            continue;
        step->what = "fsdp cast gradient";
        if (step->device->host && (*gradient)->shape.dtype != parameter->sum->shape.dtype)
            value_drop(step, value_like_typed(step, *gradient, parameter->sum->shape.dtype));
        value_drop_all(step, gradient, 1);
    }
}

/* to_accumulated_grad_if_needed() */
void
fsdp_keep_gradients(struct step *step, struct fsdp_unit *unit)
{
    for (size_t i = 0; i < unit->count && !step->status; i++) {
        struct fsdp_parameter *parameter = &unit->parameters[i];
        struct value **gradient = &step->variables[parameter->parameter].gradient;

        if (!*gradient || (*gradient)->shape.dtype == reduced_type(step, *gradient))
            continue;
        step->what = "fsdp accumulated gradient";
        parameter->sum = value_like_typed(step, *gradient, reduced_type(step, *gradient));
        value_becomes(step, parameter->sum, MEMMODEL_CATEGORY_GRADIENTS);
        value_drop_all(step, gradient, 1);
    }
}

/* ---- foreach_reduce ---- */

/* What is to be reduced: of several batches, or of one. */
static struct value **
gradient_of(const struct step *step, struct fsdp_parameter *parameter)
{
    return parameter->sum ? &parameter->sum : &step->variables[parameter->parameter].gradient;
}

/* Finds the parameters that got a gradient: the elements of their shards. *last: the last of them, or NULL. */
static int64_t
find_gradients(const struct step *step, struct fsdp_unit *unit, struct value **last)
{
    int64_t elements = 0;

    *last = NULL;
    for (size_t i = 0; i < unit->count; i++) {
        struct fsdp_parameter *parameter = &unit->parameters[i];
        struct value *gradient = *gradient_of(step, parameter);

        parameter->reduced = gradient != NULL;
        if (!parameter->reduced)
            continue;
        elements = add_saturating(elements, parameter->padded);
        *last = gradient;
    }
    return elements;
}

/* Of all ranks' shards of what is reduced. */
static int64_t
whole_elements(const struct step *step, const struct fsdp_unit *unit)
{
    int64_t elements = 0;

    for (size_t i = 0; i < unit->count; i++) {
        const struct fsdp_parameter *parameter = &unit->parameters[i];

        if (parameter->reduced)
            elements = add_saturating(elements,
                                      fsdp_whole_bytes(step, parameter) / dtype_bytes(parameter->whole->shape.dtype));
    }
    return elements;
}

/* chunk_cat: what is sharded unevenly is padded on the way; all copies live until the last is there. */
static void
copy_in(struct step *step, const struct fsdp_unit *unit)
{
    struct value **padded = step_pool_take(step, (unit->count + 1) * sizeof *padded);

    if (!padded)
        return;
    step->what = "fsdp padded gradient";
    for (size_t i = 0; i < unit->count; i++)
        if (unit->parameters[i].reduced && unit->parameters[i].uneven)
            padded[i] = value_buffer(step, fsdp_whole_bytes(step, &unit->parameters[i]));
    for (size_t i = 0; i < unit->count; i++)
        value_drop(step, padded[i]);
    object_pool_give(&step->pool, padded, (unit->count + 1) * sizeof *padded);
}

static void
drop_gradients(struct step *step, const struct fsdp_unit *unit)
{
    for (size_t i = 0; i < unit->count; i++)
        if (unit->parameters[i].reduced)
            value_drop_all(step, gradient_of(step, &unit->parameters[i]), 1);
}

/* gloo reduces a copy, and divides it; where shards are replicated, the shards once more. */
static void
scatter(struct step *step, int64_t bytes, int dtype)
{
    struct value *copy;

    if (!step->parallel.gloo)
        return;
    copy = data_buffer(step, "gloo reduce-scatter", bytes);
    number_in_place(step, dtype);
    value_drop(step, copy);
    if (step->parallel.replicas > 1)
        number_in_place(step, dtype);
}

/* The result, of which the gradient of each shard is a view; what one has already is added to. Takes the reference. */
static void
give_gradients(struct step *step, struct fsdp_unit *unit, struct value *reduced)
{
    for (size_t i = 0; i < unit->count; i++) {
        struct fsdp_parameter *parameter = &unit->parameters[i];

        if (parameter->reduced && !parameter->gradient)
            parameter->gradient = value_within(step, reduced, &parameter->shard->shape, parameter->shard->strides);
    }
    value_drop(step, reduced);
}

/* Into another type each is copied by itself. */
static void
cast_in(struct step *step, const struct fsdp_unit *unit)
{
    step->what = "fsdp cast gradient";
    for (size_t i = 0; i < unit->count; i++)
        if (unit->parameters[i].reduced)
            value_drop(step, value_buffer(step, fsdp_whole_bytes(step, &unit->parameters[i])));
}

/* What was reduced, in the type of the shards. */
static struct value *
as_shards(struct step *step, const struct fsdp_unit *unit, struct value *reduced)
{
    int dtype = data_built_dtype(step, unit->parameters[0].whole->shape.dtype);
    struct value *cast;

    if (reduced->shape.dtype == dtype)
        return reduced;
    step->what = "fsdp gradient";
    cast = value_like_typed(step, reduced, dtype);
    data_on_stream(step, cast, SCATTER_STREAM);
    value_becomes(step, cast, MEMMODEL_CATEGORY_GRADIENTS);
    value_drop(step, reduced);
    return cast;
}

struct value *
fsdp_reduce(struct step *step, struct fsdp_unit *unit)
{
    struct value *last;
    int64_t elements = find_gradients(step, unit, &last), bytes;
    struct value *input, *kept, *reduced;
    int dtype;

    if (!last)
        return NULL;
    dtype = reduced_type(step, last);
    bytes = multiply_saturating(whole_elements(step, unit), dtype_bytes(dtype));
    input = data_buffer(step, "fsdp reduce-scatter", bytes);
    copy_in(step, unit);
    if (dtype != last->shape.dtype)
        cast_in(step, unit);
    kept = value_keep(last);
    drop_gradients(step, unit);
    step->what = "fsdp gradient";
    reduced = value_vector(step, dtype, elements);
    data_on_stream(step, reduced, SCATTER_STREAM);
    value_becomes(step, reduced, MEMMODEL_CATEGORY_GRADIENTS);
    scatter(step, bytes, dtype);
    reduced = as_shards(step, unit, reduced);
    value_drop(step, kept);
    give_gradients(step, unit, reduced);
    return input;
}

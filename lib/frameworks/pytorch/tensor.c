/* Storages and tensors. PyTorch: c10/core/TensorImpl.h, aten/src/ATen/TensorUtils.cpp (computeStride). */
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/loops.h"
#include "frameworks/pytorch/tensor.h"
#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

/* ---- storages ---- */

/* In the trace, unless it is empty. */
static void
storage_allocate(struct step *step, struct storage *storage)
{
    if (storage->bytes == 0 || step->silent || step_is_over(step))
        return;
    storage->block = trace_allocate(step->trace, storage->bytes, step->what, step_origin(step, step->layer),
                                    MEMMODEL_CATEGORY_WORKSPACE);
    if (storage->block < 0)
        step_fail(step, storage->block);
    else
        loops_allocated(step, storage);
}

static void
storage_release(struct step *step, struct storage *storage)
{
    int status = 0;

    if (storage->block < 0)
        return;
    if (step->trace->peak_only)
        trace_lower(step->trace, storage->bytes);
    else
        status = trace_release(step->trace, storage->block);
    if (status)
        step_fail(step, status);
    loops_released(step, storage);
}

static struct storage *
storage_new(struct step *step, int64_t bytes)
{
    struct storage *storage = step->status ? NULL : object_pool_take_uncleared(&step->pool, sizeof *storage);

    if (!storage) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return &step->no_storage;
    }
    *storage = (struct storage){.bytes = bytes, .block = -1};
    storage_allocate(step, storage);
    return storage;
}

static void
storage_drop(struct step *step, struct storage *storage, int references)
{
    if (storage == &step->no_storage)
        return;
    storage->references -= references;
    if (storage->references > 0)
        return;
    storage_release(step, storage);
    object_pool_give(&step->pool, storage, sizeof *storage);
}

/* ---- making and dropping ---- */

/* Takes the storage. */
static struct value *
value_of(struct step *step, struct storage *storage, const struct shape *shape, const int64_t *strides, bool view)
{
    struct value *value = step->status ? NULL : object_pool_take_uncleared(&step->pool, sizeof *value);

    if (!value) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return &step->nothing;
    }
    value->shape = *shape;
    memcpy(value->strides, strides, sizeof value->strides);
    value->storage = storage;
    value->node = NULL;
    value->lowered = NULL;
    value->output = 0;
    value->references = 1;
    value->number = value->conjugate = value->parameter = false;
    value->view = view;
    storage->references += view ? 2 : 1;
    return value;
}

/* What PyTorch's operators refuse, such as the inverse of a Fourier transform of nothing. */
static bool
has_negative_dim(struct step *step, const struct shape *shape)
{
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] >= 0)
            continue;
        if (!step->status)
            step->status = context_error(
                step->context, MEMMODEL_ERROR_SHAPE, step->layer >= 0 ? step->network->layers[step->layer].name : NULL,
                "%s needs a tensor with %" PRId64 " elements along axis %d", step->what, shape->dims[i], i);
        return true;
    }
    return false;
}

struct value *
value_empty_strided(struct step *step, const struct shape *shape, const int64_t *strides)
{
    int64_t bytes = shape_elements(shape);

    if (has_negative_dim(step, shape))
        return &step->nothing;
    if (bytes == INT64_MAX || !checked_multiply(bytes, dtype_bytes(shape->dtype), &bytes)) {
        step_fail(step, MEMMODEL_ERROR_OVERFLOW);
        return &step->nothing;
    }
    return value_of(step, storage_new(step, bytes), shape, strides, false);
}

struct value *
value_empty(struct step *step, const struct shape *shape)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    shape_strides(shape, strides);
    return value_empty_strided(step, shape, strides);
}

struct value *
value_within(struct step *step, const struct value *other, const struct shape *shape, const int64_t *strides)
{
    return value_of(step, other->storage, shape, strides, false);
}

struct value *
value_scalar(struct step *step, int dtype)
{
    struct shape shape = shape_scalar(dtype);

    return value_empty(step, &shape);
}

struct value *
value_vector(struct step *step, int dtype, int64_t elements)
{
    struct shape shape = shape_vector(dtype, elements);

    return value_empty(step, &shape);
}

static struct value *
on_host(struct step *step, const struct shape *shape)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (step->device->host)
        return value_empty(step, shape);
    shape_strides(shape, strides);
    return value_of(step, storage_new(step, 0), shape, strides, false);
}

struct value *
value_on_host(struct step *step, int dtype)
{
    struct shape shape = shape_scalar(dtype);

    return on_host(step, &shape);
}

struct value *
value_vector_on_host(struct step *step, int dtype, int64_t elements)
{
    struct shape shape = shape_vector(dtype, elements);

    return on_host(step, &shape);
}

struct value *
value_buffer(struct step *step, int64_t bytes)
{
    return value_vector(step, MEMMODEL_DTYPE_UINT8, bytes);
}

struct value *
value_like_typed(struct step *step, const struct value *value, int dtype)
{
    struct shape shape = shape_typed(&value->shape, dtype);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (value_is_dense(value))
        return value_empty_strided(step, &shape, value->strides);
    strides_after(&shape, &value, 1, strides);
    return value_empty_strided(step, &shape, strides);
}

struct value *
value_like(struct step *step, const struct value *value)
{
    return value_like_typed(step, value, value->shape.dtype);
}

struct value *
value_copy(struct step *step, const struct value *value)
{
    return value_empty(step, &value->shape);
}

void
value_scratch(struct step *step, const struct shape *shape)
{
    value_drop(step, value_empty(step, shape));
}

void
value_take_storage(struct value *value, struct value *from)
{
    if (value->storage->block >= 0 || from->storage->references > (from->view ? 2 : 1))
        return;
    value->storage->block = from->storage->block;
    value->storage->place = from->storage->place;
    from->storage->block = -1;
}

struct value *
value_keep(struct value *value)
{
    if (value)
        value->references++;
    return value;
}

void
value_drop(struct step *step, struct value *value)
{
    if (!value || value == &step->nothing || --value->references > 0)
        return;
    node_drop(step, value->node);
    storage_drop(step, value->storage, value->view ? 2 : 1);
    object_pool_give(&step->pool, value, sizeof *value);
}

void
value_drop_all(struct step *step, struct value **values, int count)
{
    for (int i = 0; i < count; i++) {
        value_drop(step, values[i]);
        values[i] = NULL;
    }
}

struct value *
value_detach(struct step *step, const struct value *value)
{
    struct value *plain = value_of(step, value->storage, &value->shape, value->strides, value->view);

    plain->number = value->number;
    plain->conjugate = value->conjugate;
    plain->parameter = value->parameter;
    return plain;
}

struct value *
value_view(struct step *step, const struct value *value, const struct shape *shape, const int64_t *strides)
{
    struct value *view = value_of(step, value->storage, shape, strides, true);

    view->conjugate = value->conjugate && shape->dtype == DTYPE_COMPLEX64;
    view->parameter = value->parameter;
    return view;
}

struct value *
value_real(struct step *step, const struct value *value)
{
    struct shape shape = shape_typed(&value->shape, MEMMODEL_DTYPE_FLOAT32);
    int64_t strides[MEMMODEL_MAX_RANK];

    for (int i = 0; i < MEMMODEL_MAX_RANK; i++)
        strides[i] = value->strides[i] < INT64_MAX / 2 ? 2 * value->strides[i] : value->strides[i];
    return value_view(step, value, &shape, strides);
}

struct value *
value_conjugated(struct step *step, const struct value *value)
{
    struct value *view = value_view(step, value, &value->shape, value->strides);

    view->conjugate = !value->conjugate;
    return view;
}

struct value *
value_resolved(struct step *step, struct value *value)
{
    return value->conjugate ? value_like(step, value) : value_keep(value);
}

void
value_empty_storage(struct step *step, struct value *value)
{
    if (value == &step->nothing)
        return;
    storage_release(step, value->storage);
    value->storage->block = -1;
}

void
value_fill_storage(struct step *step, struct value *value, int64_t bytes)
{
    if (value == &step->nothing || value->storage->block >= 0)
        return;
    value->storage->bytes = bytes;
    storage_allocate(step, value->storage);
}

void
value_forget_base(struct step *step, struct value *value)
{
    if (value == &step->nothing || !value->view)
        return;
    value->view = false;
    value->storage->references--;
}

/* The dims that are not of size 1; how many. */
static int
real_dims(const struct value *value, int64_t dims[MEMMODEL_MAX_RANK], int64_t strides[MEMMODEL_MAX_RANK])
{
    int count = 0;

    for (int i = 0; i < value->shape.rank; i++) {
        if (value->shape.dims[i] == 1)
            continue;
        dims[count] = value->shape.dims[i];
        strides[count++] = value->strides[i];
    }
    return count;
}

/*
 * From the last dims on, dims of `value` that lie one after the other in memory form a run; each run must be made up of
 * whole dims of `shape`.
 */
bool
value_viewable(const struct value *value, const struct shape *shape, int64_t strides[MEMMODEL_MAX_RANK])
{
    int64_t dims[MEMMODEL_MAX_RANK], steps[MEMMODEL_MAX_RANK];
    int old = real_dims(value, dims, steps) - 1, new = shape->rank - 1;

    if (value_elements(value) == 0) {
        shape_strides(shape, strides);
        return true;
    }
    while (old >= 0) {
        int64_t base = steps[old], run = dims[old--], filled = 1;

        while (old >= 0 && steps[old] == multiply_saturating(run, base))
            run = multiply_saturating(run, dims[old--]);
        for (; new >= 0 && (filled < run || shape->dims[new] == 1); new --) {
            strides[new] = multiply_saturating(filled, base);
            filled = multiply_saturating(filled, shape->dims[new]);
        }
        if (filled != run)
            return false;
    }
    for (; new >= 0; new --)
        strides[new] = 1;
    return true;
}

bool
value_is_unique(const struct value *value)
{
    return value->references == 1 && value->storage->references == 1;
}

/* ---- categories ---- */

/*
 * A storage starts as workspace. An output that is kept for the backward pass is a saved activation; a gradient that
 * reaches its parameter is the parameter's. What was decided at setup stays.
 */
void
value_becomes(struct step *step, const struct value *value, enum memmodel_category category)
{
    struct trace_block *block;
    int now;

    if (value->storage->block < 0 || step->trace->peak_only)
        return;
    block = &step->trace->blocks[value->storage->block];
    now = block->category;
    if (now == MEMMODEL_CATEGORY_WORKSPACE ||
        (now == MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS && category == MEMMODEL_CATEGORY_SAVED_ACTIVATIONS) ||
        (now == MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS && category == MEMMODEL_CATEGORY_GRADIENTS))
        block->category = (int32_t)category;
}

/* Shapes, and how their dims lie in memory. PyTorch: c10/core/MemoryFormat.h, aten/src/ATen/ExpandUtils.cpp. */
#include "base/checked.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

/* ---- shapes ---- */

struct shape
shape_scalar(int dtype)
{
    return (struct shape){.dtype = dtype};
}

struct shape
shape_vector(int dtype, int64_t elements)
{
    return (struct shape){.dims = {elements}, .rank = 1, .dtype = dtype};
}

struct shape
shape_typed(const struct shape *shape, int dtype)
{
    struct shape typed = *shape;

    typed.dtype = dtype;
    return typed;
}

struct shape
shape_broadcast(const struct shape *a, const struct shape *b)
{
    const struct shape *high = a->rank >= b->rank ? a : b, *low = high == a ? b : a;
    struct shape result = shape_typed(high, a->dtype);
    int offset = high->rank - low->rank;

    for (int i = 0; i < low->rank; i++)
        if (result.dims[offset + i] == 1)
            result.dims[offset + i] = low->dims[i];
    return result;
}

int64_t
shape_product(const struct shape *shape, int first, int end)
{
    int64_t product = 1;

    for (int i = first; i < end; i++)
        if (!checked_multiply(product, shape->dims[i], &product))
            return INT64_MAX;
    return product;
}

int64_t
shape_elements(const struct shape *shape)
{
    return shape_product(shape, 0, shape->rank);
}

bool
shape_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}

void
shape_strides_in_order(const struct shape *shape, const int *order, int64_t strides[MEMMODEL_MAX_RANK])
{
    int64_t stride = 1;

    for (int i = shape->rank - 1; i >= 0; i--) {
        int axis = order[i];

        strides[axis] = stride;
        if (!checked_multiply(stride, max_i64(shape->dims[axis], 1), &stride))
            stride = INT64_MAX;
    }
}

void
shape_strides(const struct shape *shape, int64_t strides[MEMMODEL_MAX_RANK])
{
    static const int order[MEMMODEL_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};

    shape_strides_in_order(shape, order, strides);
}

void
shape_strides_channels_last(const struct shape *shape, int64_t strides[MEMMODEL_MAX_RANK])
{
    int order[MEMMODEL_MAX_RANK] = {0};

    for (int i = 1; i < shape->rank - 1; i++)
        order[i] = i + 1;
    order[shape->rank - 1] = 1;
    shape_strides_in_order(shape, order, strides);
}

/* ---- layout ---- */

int64_t
value_elements(const struct value *value)
{
    return shape_elements(&value->shape);
}

/* True if the strides are these wherever a dim is not of size 1. */
static bool
has_strides(const struct value *value, const int64_t *strides)
{
    for (int i = 0; i < value->shape.rank; i++)
        if (value->shape.dims[i] != 1 && value->strides[i] != strides[i])
            return false;
    return true;
}

bool
value_is_contiguous(const struct value *value)
{
    int64_t strides[MEMMODEL_MAX_RANK];

    shape_strides(&value->shape, strides);
    return has_strides(value, strides) || value_elements(value) == 0;
}

bool
value_is_dense(const struct value *value)
{
    bool taken[MEMMODEL_MAX_RANK] = {false};
    int64_t stride = 1;
    int left = 0;

    for (int i = 0; i < value->shape.rank; i++)
        taken[i] = value->shape.dims[i] == 1;
    for (int i = 0; i < value->shape.rank; i++)
        left += !taken[i];
    while (left > 0) {
        int axis = 0;

        while (axis < value->shape.rank && (taken[axis] || value->strides[axis] != stride))
            axis++;
        if (axis == value->shape.rank)
            return false;
        taken[axis] = true;
        stride = multiply_saturating(stride, max_i64(value->shape.dims[axis], 1));
        left--;
    }
    return true;
}

bool
value_is_channels_last(const struct value *value)
{
    int64_t strides[MEMMODEL_MAX_RANK];

    if (value->shape.rank != 4 && value->shape.rank != 5)
        return false;
    shape_strides_channels_last(&value->shape, strides);
    return has_strides(value, strides);
}

bool
value_is_only_channels_last(const struct value *value)
{
    return value_is_channels_last(value) && !value_is_contiguous(value);
}

bool
value_suggests_channels_last(const struct value *x)
{
    int64_t min = 0;

    if ((x->shape.rank != 4 && x->shape.rank != 5) || x->strides[1] == 0)
        return false;
    for (int i = 0; i < x->shape.rank; i++) {
        int axis = i == 0 ? 1 : i == x->shape.rank - 1 ? 0 : x->shape.rank - i;

        if (x->shape.dims[axis] == 0 || x->strides[axis] < min || (axis == 0 && min == x->strides[1]))
            return false;
        min = x->strides[axis] * max_i64(x->shape.dims[axis], 1);
    }
    return true;
}

bool
value_is_float(const struct value *value)
{
    return value->shape.dtype <= MEMMODEL_DTYPE_BFLOAT16 || value_is_complex(value);
}

bool
value_is_complex(const struct value *value)
{
    return value->shape.dtype == DTYPE_COMPLEX64;
}

bool
value_is_half(const struct value *value)
{
    return value->shape.dtype == MEMMODEL_DTYPE_BFLOAT16 || value->shape.dtype == MEMMODEL_DTYPE_FLOAT16;
}

/* Strides of an operand along the dims of a shape that it is broadcast to. */
static int64_t
broadcast_stride(const struct shape *shape, const struct value *operand, int axis)
{
    int own = axis - (shape->rank - operand->shape.rank);

    if (own < 0 || (operand->shape.dims[own] == 1 && shape->dims[axis] != 1))
        return 0;
    return operand->strides[own];
}

/* 1: `a` belongs after `b` (is slower); -1: before; 0: no operand decides. */
static int
compare_axes(const struct shape *shape, const struct value *const *operands, int count, int a, int b)
{
    for (int i = 0; i < count; i++) {
        int64_t first = broadcast_stride(shape, operands[i], a), second = broadcast_stride(shape, operands[i], b);

        if (first == 0 || second == 0)
            continue;
        if (first != second)
            return first < second ? -1 : 1;
        if (shape->dims[a] > shape->dims[b])
            return 1;
    }
    return 0;
}

/* Insertion sort, fastest axis first; an axis that nothing can be said about stays where it is. */
void
strides_after(const struct shape *shape, const struct value *const *operands, int count,
              int64_t strides[MEMMODEL_MAX_RANK])
{
    int order[MEMMODEL_MAX_RANK], slowest_first[MEMMODEL_MAX_RANK] = {0};

    for (int i = 0; i < shape->rank; i++)
        order[i] = shape->rank - 1 - i;
    for (int i = 1; i < shape->rank; i++) {
        int at = i;

        for (int k = i - 1; k >= 0; k--) {
            int comparison = compare_axes(shape, operands, count, order[k], order[at]), moved = order[k];

            if (comparison < 0)
                break;
            if (comparison == 0)
                continue;
            order[k] = order[at];
            order[at] = moved;
            at = k;
        }
    }
    for (int i = 0; i < shape->rank; i++)
        slowest_first[i] = order[shape->rank - 1 - i];
    shape_strides_in_order(shape, slowest_first, strides);
}

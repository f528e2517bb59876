/* Functions of formulas that look at a tensor in another way. */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

/* unreduced(x, like, axes, keep): what was reduced with axes of size 1 where they went */
static struct value *
unreduced(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0), *result, *like = operand_tensor(call, 1);
    struct formula_call of_axes = *call;
    uint64_t axes;
    struct shape shape;

    of_axes.operands[0] = call->operands[1];
    axes = operand_axes(&of_axes, 2);
    if (operand_number(call, 3, 0) != 0 || x->shape.rank == like->shape.rank)
        return value_keep(x);
    shape = reduced_shape(like, axes, true);
    shape.dtype = x->shape.dtype;
    if (shape_elements(&shape) != value_elements(x))
        return value_keep(x);
    result = aten_reshape(call->step, x, &shape);
    return result;
}

/* A part of a tensor in the shape of the input that the gradient is for, such as its diagonal. */
static struct value *
part(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    struct shape shape = call->input ? *call->input : x->shape;
    int64_t strides[MEMMODEL_MAX_RANK];

    shape_strides(&shape, strides);
    for (int i = 0; i < shape.rank; i++)
        strides[i] = strides[i] < INT64_MAX / 2 ? 2 * strides[i] : strides[i];
    return value_view(call->step, x, &shape, strides);
}

/* cut(x, axis): all but one along an axis */
static struct value *
cut(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    struct shape shape = x->shape;
    int axis = operand_axis(call, 1, shape.rank);

    if (shape.rank == 0 || shape.dims[axis] == 0)
        return value_keep(x);
    shape.dims[axis]--;
    return aten_part(call->step, x, &shape, x->strides);
}

/* A view in the shape of the operator's result. */
static struct value *
seen(struct formula_call *call)
{
    struct shape shape = step_output_shape(call->step, call->layer, 0);
    int64_t strides[MEMMODEL_MAX_RANK];

    shape_strides(&shape, strides);
    return value_view(call->step, operand_tensor(call, 0), &shape, strides);
}

static struct value *
real_part(struct formula_call *call)
{
    return value_real(call->step, operand_tensor(call, 0));
}

/* The first element of a tensor that was as long as all of it. */
static struct value *
shrunk(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0), *result;
    struct shape shape = shape_scalar(x->shape.dtype);
    const int64_t strides[MEMMODEL_MAX_RANK] = {0};

    result = value_view(call->step, x, &shape, strides);
    value_forget_base(call->step, result);
    return result;
}

/* channelwise(x, like): a vector along the second axis of another; itself if that has none */
static struct value *
channelwise(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    struct shape shape = {.rank = operand_tensor(call, 1)->shape.rank, .dtype = x->shape.dtype};

    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = i == 1 ? value_elements(x) : 1;
    return shape.rank > 1 ? aten_reshape(call->step, x, &shape) : value_keep(x);
}

static struct value *
unsqueeze(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    struct shape shape = x->shape;
    int axis = operand_axis(call, 1, x->shape.rank + 1);

    if (shape.rank == MEMMODEL_MAX_RANK)
        return value_keep(x);
    memmove(&shape.dims[axis + 1], &shape.dims[axis], (size_t)(shape.rank - axis) * sizeof shape.dims[0]);
    shape.dims[axis] = 1;
    shape.rank++;
    return aten_reshape(call->step, x, &shape);
}

static struct value *
transpose(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    int rank = x->shape.rank;

    if (rank < 2)
        return value_keep(x);
    if (call->count < 3)
        return aten_transpose(call->step, x, -2, -1);
    return aten_transpose(call->step, x, operand_axis(call, 1, rank), operand_axis(call, 2, rank));
}

/* expand(x, other): to the shape of both */
static struct value *
expand(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    const struct shape *other = operand_is_tensor(call, 1) ? &operand_tensor(call, 1)->shape : call->input;
    struct shape shape = other ? shape_broadcast(&x->shape, other) : x->shape;

    return aten_expand(call->step, x, &shape);
}

/* view(x): as the operator's result; view(x, like) */
static struct value *
view(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    struct shape shape =
        operand_is_tensor(call, 1) ? operand_tensor(call, 1)->shape : step_output_shape(call->step, call->layer, 0);

    if (shape_elements(&shape) != value_elements(x))
        return value_keep(x);
    shape.dtype = x->shape.dtype;
    return aten_reshape(call->step, x, &shape);
}

static struct value *
contiguous(struct formula_call *call)
{
    return aten_contiguous(call->step, operand_tensor(call, 0));
}

static struct value *
clone(struct formula_call *call)
{
    return aten_clone(call->step, operand_tensor(call, 0));
}

static struct value *
detach(struct formula_call *call)
{
    return value_detach(call->step, operand_tensor(call, 0));
}

/* Row-major as the kernels want it: a copy where it is not, which goes with the expression. */
static struct value *
cast(struct formula_call *call)
{
    static const int types[] = {0, MEMMODEL_DTYPE_BOOL, MEMMODEL_DTYPE_INT64, MEMMODEL_DTYPE_FLOAT32};
    struct value *x = operand_tensor(call, 0);
    int dtype = operand_is_tensor(call, 1) ? operand_tensor(call, 1)->shape.dtype
                : call->detail             ? types[call->detail]
                                           : step_output_shape(call->step, call->layer, 0).dtype;

    return aten_cast(call->step, x, dtype);
}

/* conjugated(x); plain(x): the conjugate of what is one */
static struct value *
conjugated(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    return call->detail || x->conjugate ? aten_conjugate(call->step, x) : value_keep(x);
}

static struct value *
resolved(struct formula_call *call)
{
    return aten_resolve_conjugate(call->step, operand_tensor(call, 0));
}

static const struct formula_function views[] = {
    {"cast", cast, SAME_TYPE},
    {"channelwise", channelwise, 0},
    {"clone", clone, 0},
    {"conjugated", conjugated, 1},
    {"contiguous", contiguous, 0},
    {"cut", cut, 0},
    {"detach", detach, 0},
    {"expand", expand, 0},
    {"part", part, 0},
    {"plain", conjugated, 0},
    {"real_part", real_part, 0},
    {"resolved", resolved, 0},
    {"seen", seen, 0},
    {"shrunk", shrunk, 0},
    {"transpose", transpose, 0},
    {"unreduced", unreduced, 0},
    {"unsqueeze", unsqueeze, 0},
    {"view", view, 0},
};

const struct formula_functions formula_views = FORMULA_FUNCTIONS(views);

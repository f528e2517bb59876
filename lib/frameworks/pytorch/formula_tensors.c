/* Functions of formulas that make tensors, some of them for nothing but what they take. */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

/* A whole number beside whole ones stays one. */
static struct value *
like_with_number(struct formula_call *call, struct value *x)
{
    struct value *number, *result;

    if (value_is_float(x) || !call->operands[1].whole)
        return number_result(call->step, x);
    number = value_on_host(call->step, MEMMODEL_DTYPE_INT64);
    number->number = true;
    result = binary_result(call->step, x, number, 0);
    value_drop(call->step, number);
    return result;
}

/* Of the operands' common shape and type. */
static struct value *
like(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    static const int types[] = {0, MEMMODEL_DTYPE_BOOL, MEMMODEL_DTYPE_INT64, MEMMODEL_DTYPE_FLOAT32};

    if (call->detail != SAME_TYPE)
        return value_like_typed(call->step, x, types[call->detail]);
    if (operand_is_tensor(call, 1))
        return binary_result(call->step, x, operand_tensor(call, 1), 0);
    return call->count > 1 ? like_with_number(call, x) : value_like(call->step, x);
}

/* both(a, b): logical_and, or any other mask of two */
static struct value *
both(struct formula_call *call)
{
    return binary_result(call->step, operand_tensor(call, 0), operand_tensor(call, 1), MEMMODEL_DTYPE_BOOL);
}

static struct value *
row_major(struct formula_call *call)
{
    return value_copy(call->step, operand_tensor(call, 0));
}

/* output(index, more): of the shape of the operator's own result, with so many more along its last axis */
static struct value *
output(struct formula_call *call)
{
    int index = (int)operand_number(call, 0, 0), more = (int)operand_number(call, 1, 0);
    struct shape shape;

    if (index < 0 || index >= call->layer->output_count)
        return value_buffer(call->step, 0);
    shape = step_output_shape(call->step, call->layer, index);
    if (shape.rank > 0 && shape.dims[shape.rank - 1] < INT32_MAX)
        shape.dims[shape.rank - 1] += more;
    return value_empty(call->step, &shape);
}

/* Of the shape of the input that the gradient is for, or of input number so many. */
static struct value *
input(struct formula_call *call)
{
    int index = (int)operand_number(call, 0, -1);

    if (call->node && index >= 0 && index < call->node->edge_count)
        return value_empty(call->step, &call->node->edges[index].shape);
    return call->input ? value_empty(call->step, call->input) : value_buffer(call->step, 0);
}

static struct value *
scalar(struct formula_call *call)
{
    static const int types[] = {0, MEMMODEL_DTYPE_BOOL, MEMMODEL_DTYPE_INT64, MEMMODEL_DTYPE_FLOAT32};
    int dtype = types[call->detail];

    return value_scalar(call->step, dtype ? dtype : operand_tensor(call, 0)->shape.dtype);
}

/* vector(x, count): so many elements of its type */
static struct value *
vector(struct formula_call *call)
{
    static const int types[] = {0, MEMMODEL_DTYPE_BOOL, MEMMODEL_DTYPE_INT64, MEMMODEL_DTYPE_FLOAT32};
    int first = call->detail == SAME_TYPE;
    double count = operand_number(call, first, 0);
    int dtype = first ? operand_tensor(call, 0)->shape.dtype : types[call->detail];

    return value_vector(call->step, dtype, count > 0 && count < 1e15 ? (int64_t)count : 0);
}

/*
 * rows_of_threads(x, more): x, and at once given back a row of its size for each thread and so many more; where it is a
 * vector along the last axis. WeightNormKernel.cpp, weight_norm_last_dim_kernel()
 */
static struct value *
rows_of_threads(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    int64_t rows = call->step->job->intra_op_threads + (int64_t)operand_number(call, 1, 0);
    struct shape shape = {.dims = {rows, value_elements(x)}, .rank = 2, .dtype = x->shape.dtype};

    if (x->shape.rank > 1 && x->shape.dims[0] == 1)
        value_scratch(call->step, &shape);
    return value_keep(x);
}

/* sized(x, other): of its type, in the shape of another */
static struct value *
sized(struct formula_call *call)
{
    struct shape shape = shape_typed(&operand_tensor(call, 1)->shape, operand_tensor(call, 0)->shape.dtype);

    return value_empty(call->step, &shape);
}

/* target(x): what a result is written to, a tensor like x, or x itself in an in-place form */
static struct value *
target(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    return call->in_place ? value_keep(x) : value_like(call->step, x);
}

/* floating(x): like x; whole numbers are cast first. TensorIterator.h, promote_integer_inputs_to_float() */
static struct value *
floating(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0), *cast, *result;

    if (value_is_float(x))
        return value_like(call->step, x);
    cast = value_like_typed(call->step, x, MEMMODEL_DTYPE_FLOAT32);
    if (!call->step->device->copying_casts)
        return cast;
    result = value_like(call->step, cast);
    value_drop(call->step, cast);
    return result;
}

/* typed(x): like x, of the type of the operator's own result */
static struct value *
typed(struct formula_call *call)
{
    struct shape shape = step_output_shape(call->step, call->layer, 0);

    return value_like_typed(call->step, operand_tensor(call, 0), shape.dtype);
}

/* tensor(x): x itself, or a number as a tensor, which is cast where it meets one of another type */
static struct value *
tensor(struct formula_call *call)
{
    struct value *number;

    if (operand_is_tensor(call, 0))
        return value_keep(operand_tensor(call, 0));
    number = value_on_host(call->step, call->operands[0].whole ? MEMMODEL_DTYPE_INT64 : MEMMODEL_DTYPE_FLOAT64);
    number->number = true;
    return number;
}

/* Allocated and freed at once; stands for its operand. */
static struct value *
scratch(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    value_scratch(call->step, &x->shape);
    return value_keep(x);
}

/* Written by a gather or scatter kernel. */
static struct value *
scattered(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    aten_op_scatter_scratch(call->step, x);
    return value_keep(x);
}

/* widened(x, count): so many more along the last axis, by a concatenation that needs no gradient */
static struct value *
widened(struct formula_call *call)
{
    struct shape shape = operand_tensor(call, 0)->shape;

    if (shape.rank > 0 &&
        !checked_add(shape.dims[shape.rank - 1], (int64_t)operand_number(call, 1, 0), &shape.dims[shape.rank - 1]))
        step_fail(call->step, MEMMODEL_ERROR_OVERFLOW);
    return value_empty(call->step, &shape);
}

/* codes(x): what LAPACK says of each matrix; flags(x): whether it failed */
static struct value *
codes(struct formula_call *call)
{
    const struct shape *shape = &operand_tensor(call, 0)->shape;
    int64_t matrices = shape_product(shape, 0, shape->rank > 2 ? shape->rank - 2 : 0);

    return value_vector(call->step, call->detail, matrices);
}

/* The rows that each matrix's rows were exchanged with. */
static struct value *
pivots(struct formula_call *call)
{
    const struct shape *shape = &operand_tensor(call, 0)->shape;
    int last = shape->rank - 1;
    struct shape places = *shape;

    if (last < 1)
        return value_buffer(call->step, 0);
    if (shape->dims[last] < shape->dims[last - 1])
        places.dims[last - 1] = shape->dims[last];
    places.rank = last;
    places.dtype = MEMMODEL_DTYPE_INT32;
    return value_empty(call->step, &places);
}

/* A complex tensor of the result's shape. */
static struct value *
complexes(struct formula_call *call)
{
    struct shape declared = step_output_shape(call->step, call->layer, 0);
    struct shape shape = shape_typed(&declared, DTYPE_COMPLEX64);

    return value_empty(call->step, &shape);
}

static const struct formula_function tensors[] = {
    {"bools", like, BOOLEANS},
    {"both", both, 0},
    {"codes", codes, MEMMODEL_DTYPE_INT32},
    {"complexes", complexes, 0},
    {"flags", codes, MEMMODEL_DTYPE_BOOL},
    {"floating", floating, 0},
    {"floats", like, FLOATS},
    {"input", input, 0},
    {"integer", scalar, INTEGERS},
    {"integers", like, INTEGERS},
    {"like", like, SAME_TYPE},
    {"output", output, 0},
    {"pivots", pivots, 0},
    {"row_major", row_major, 0},
    {"rows_of_threads", rows_of_threads, 0},
    {"scalar", scalar, SAME_TYPE},
    {"scattered", scattered, 0},
    {"scratch", scratch, 0},
    {"sized", sized, 0},
    {"target", target, 0},
    {"tensor", tensor, 0},
    {"truth", scalar, BOOLEANS},
    {"typed", typed, 0},
    {"vector", vector, SAME_TYPE},
    {"vector_of_integers", vector, INTEGERS},
    {"widened", widened, 0},
};

const struct formula_functions formula_tensors = FORMULA_FUNCTIONS(tensors);

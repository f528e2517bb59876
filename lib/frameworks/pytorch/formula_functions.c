/*
 * Functions of formulas, each with the tensors that its ATen operator makes. Where a gradient may be wanted they record
 * nodes as the operators do.
 */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/named.h"

#include <stdlib.h>
#include <string.h>

/* ---- operands ---- */

bool
operand_is_tensor(const struct formula_call *call, int index)
{
    return index < call->count && call->operands[index].kind == OPERAND_TENSOR;
}

struct value *
operand_tensor(struct formula_call *call, int index)
{
    return operand_is_tensor(call, index) ? call->operands[index].value : &call->step->nothing;
}

enum { LARGEST = 1 << 30 };

double
operand_number(const struct formula_call *call, int index, double otherwise)
{
    const struct formula_operand *operand = &call->operands[index];

    if (index >= call->count || !formula_is_number(operand))
        return otherwise;
    return operand->number > -LARGEST && operand->number < LARGEST ? operand->number : otherwise;
}

/* Axes of the first operand that operand `index` says: an argument's list, a number, or none, which is all. */
static uint64_t
operand_axes(struct formula_call *call, int index)
{
    const struct formula_operand *operand = &call->operands[index];
    int rank = operand_tensor(call, 0)->shape.rank, axis = (int)operand_number(call, index, 0);

    if (index >= call->count || operand->kind == OPERAND_NONE)
        return ALL_AXES;
    if (operand->kind == OPERAND_ARGUMENT)
        return attribute_axes(call->layer, operand->argument, rank);
    axis = axis < 0 ? axis + rank : axis;
    return axis >= 0 && axis < rank ? UINT64_C(1) << axis : 0;
}

static int
operand_axis(struct formula_call *call, int index, int rank)
{
    int axis = (int)operand_number(call, index, 0);

    axis = axis < 0 ? axis + rank : axis;
    return axis >= 0 && axis < rank ? axis : 0;
}

/* ---- signs ---- */

static struct value *
number_value(struct step *step, bool whole)
{
    struct value *number = value_on_host(step, whole ? MEMMODEL_INT64 : MEMMODEL_FLOAT64);

    number->number = true;
    return number;
}

static struct value *
with_number(struct step *step, char sign, struct value *x, bool whole)
{
    struct value *number, *result;

    if (sign == '*' || sign == '/')
        return aten_scale(step, x);
    number = number_value(step, whole);
    if (sign != '+' && sign != '-')
        return number_compare_with(step, x, number);
    result = aten_binary(step, sign == '+' ? MEMMODEL_ADD : MEMMODEL_SUBTRACT, x, number);
    value_drop(step, number);
    return result;
}

/* number - x, number / x: filled with the number, then changed in place. ATen/TensorOperators.h */
static struct value *
number_first(struct step *step, char sign, struct value *x, bool whole)
{
    struct value *result;

    if (sign != '-' && sign != '/')
        return with_number(step, sign, x, whole);
    result = value_like(step, x);
    if (sign == '-') {
        value_drop(step, aten_binary_in_place(step, MEMMODEL_SUBTRACT, result, x));
        return result;
    }
    value_drop(step, aten_binary_in_place(step, MEMMODEL_DIVIDE, result, x));
    return result;
}

struct value *
formula_binary(struct step *step, char sign, const struct formula_operand *a, const struct formula_operand *b)
{
    static const int kinds[] = {
        ['+'] = MEMMODEL_ADD, ['-'] = MEMMODEL_SUBTRACT, ['*'] = MEMMODEL_MULTIPLY, ['/'] = MEMMODEL_DIVIDE};

    if (sign == 'n')
        return aten_pointwise(step, MEMMODEL_NEGATE, a->value);
    if (b->kind != OPERAND_TENSOR)
        return with_number(step, sign, a->value, b->whole);
    if (a->kind != OPERAND_TENSOR)
        return number_first(step, sign, b->value, a->whole);
    if (strchr("+-*/", sign))
        return aten_binary(step, kinds[(unsigned char)sign], a->value, b->value);
    return binary_result(step, a->value, b->value, sign == '&' ? 0 : MEMMODEL_BOOL);
}

/* ---- in place ---- */

static struct value *
change(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    if (operand_is_tensor(call, 1))
        return aten_binary_in_place(call->step, call->detail, x, operand_tensor(call, 1));
    number_in_place(call->step, x->shape.dtype);
    return value_keep(x);
}

/* first(a, b): a, with what else is made; masked(a, mask) changes it in place, without memory */
static struct value *
first(struct formula_call *call)
{
    return value_keep(operand_tensor(call, 0));
}

/* then(a, b): b, after a was made */
static struct value *
then(struct formula_call *call)
{
    return value_keep(operand_tensor(call, 1));
}

/* ---- new tensors ---- */

enum types { SAME_TYPE, BOOLEANS, INTEGERS, FLOATS };

/* Of the operands' common shape and type. */
static struct value *
like(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    static const int types[] = {0, MEMMODEL_BOOL, MEMMODEL_INT64, MEMMODEL_FLOAT32};

    if (call->detail != SAME_TYPE)
        return value_like_typed(call->step, x, types[call->detail]);
    if (operand_is_tensor(call, 1))
        return binary_result(call->step, x, operand_tensor(call, 1), 0);
    return call->count > 1 ? number_result(call->step, x) : value_like(call->step, x);
}

/* both(a, b): logical_and, or any other mask of two */
static struct value *
both(struct formula_call *call)
{
    return binary_result(call->step, operand_tensor(call, 0), operand_tensor(call, 1), MEMMODEL_BOOL);
}

/* masked_fill(x, mask) with a number */
static struct value *
masked_fill(struct formula_call *call)
{
    return value_like(call->step, operand_tensor(call, 0));
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
    static const int types[] = {0, MEMMODEL_BOOL, MEMMODEL_INT64, MEMMODEL_FLOAT32};
    int dtype = types[call->detail];

    return value_scalar(call->step, dtype ? dtype : operand_tensor(call, 0)->shape.dtype);
}

/* vector(x, count): so many elements of its type */
static struct value *
vector(struct formula_call *call)
{
    static const int types[] = {0, MEMMODEL_BOOL, MEMMODEL_INT64, MEMMODEL_FLOAT32};
    int first = call->detail == SAME_TYPE;
    double count = operand_number(call, first, 0);
    int dtype = first ? operand_tensor(call, 0)->shape.dtype : types[call->detail];

    return value_vector(call->step, dtype, count > 0 && count < 1e15 ? (int64_t)count : 0);
}

/* Allocated and freed at once; stands for its operand. */
static struct value *
scratch(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    value_scratch(call->step, &x->shape);
    return value_keep(x);
}

/* ---- elementwise ---- */

static struct value *
pointwise(struct formula_call *call)
{
    return aten_pointwise(call->step, call->detail, operand_tensor(call, 0));
}

/* times(x, factor): x itself where the argument is absent */
static struct value *
times(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    return operand_number(call, 1, 1) == 1 ? value_keep(x) : aten_scale(call->step, x);
}

/* x times a constant of the operator's own, made a tensor of x's type and of 8 bytes before */
static struct value *
scaled(struct formula_call *call)
{
    number_in_place(call->step, operand_tensor(call, 0)->shape.dtype);
    return value_keep(operand_tensor(call, 0));
}

static struct value *
pointwise_in_place(struct formula_call *call)
{
    return aten_pointwise_in_place(call->step, call->detail, operand_tensor(call, 0));
}

/* pow(x, exponent): of a tensor that is an operator of its own, without a node here; 2 ** x has the number as a tensor */
static struct value *
power(struct formula_call *call)
{
    struct value *result;

    if (operand_is_tensor(call, 0) && operand_is_tensor(call, 1))
        return binary_result(call->step, operand_tensor(call, 0), operand_tensor(call, 1), 0);
    if (operand_is_tensor(call, 0))
        return aten_pointwise(call->step, ATEN_POW, operand_tensor(call, 0));
    result = value_like(call->step, operand_tensor(call, 1));
    number_in_place(call->step, result->shape.dtype);
    return result;
}

/* where(condition, a, b); a number is a tensor of one element for the call. */
static struct value *
where(struct formula_call *call)
{
    struct value *condition = operand_tensor(call, 0), *chosen[2], *result;
    int dtype = operand_tensor(call, operand_is_tensor(call, 1) ? 1 : 2)->shape.dtype;

    for (int i = 0; i < 2; i++)
        chosen[i] =
            operand_is_tensor(call, 1 + i) ? value_keep(operand_tensor(call, 1 + i)) : value_scalar(call->step, dtype);
    result = aten_where(call->step, condition, chosen[0], chosen[1]);
    value_drop_all(call->step, chosen, 2);
    return result;
}

/* ---- reductions: f(x, axes, keep) ---- */

static bool
keeps(const struct formula_call *call)
{
    return operand_number(call, 2, 0) != 0;
}

static struct value *
reduce_sum(struct formula_call *call)
{
    return aten_sum(call->step, operand_tensor(call, 0), operand_axes(call, 1), keeps(call));
}

static struct value *
reduce_mean(struct formula_call *call)
{
    return aten_mean(call->step, operand_tensor(call, 0), operand_axes(call, 1), keeps(call));
}

static struct value *
reduce_extreme(struct formula_call *call)
{
    return aten_extreme(call->step, operand_tensor(call, 0), operand_axes(call, 1), keeps(call));
}

/* Of the shape that is left, without a node: any, all, argmax. */
static struct value *
reduce_plain(struct formula_call *call)
{
    static const int types[] = {0, MEMMODEL_BOOL, MEMMODEL_INT64, MEMMODEL_FLOAT32};
    const struct value *x = operand_tensor(call, 0);
    struct shape shape = reduced_shape(x, operand_axes(call, 1), keeps(call));

    shape.dtype = call->detail ? types[call->detail] : shape.dtype;
    return value_empty(call->step, &shape);
}

/* reduce(loss): by the operator's own argument */
static struct value *
reduce_loss(struct formula_call *call)
{
    static const int reductions[] = {MEMMODEL_REDUCE_NONE, MEMMODEL_REDUCE_MEAN, MEMMODEL_REDUCE_SUM};
    int64_t reduction = attribute_integer(call->layer, "reduction", 1);

    return aten_reduce(call->step, operand_tensor(call, 0),
                       reductions[reduction >= 0 && reduction <= 2 ? reduction : 1]);
}

/* ---- clamp ---- */

static struct value *
clamp(struct formula_call *call)
{
    return aten_clamp(call->step, operand_tensor(call, 0), 1, call->detail != 0);
}

static struct value *
extremum(struct formula_call *call)
{
    return aten_binary(call->step, call->detail, operand_tensor(call, 0), operand_tensor(call, 1));
}

/* ---- views ---- */

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
    places.dtype = MEMMODEL_INT32;
    return value_empty(call->step, &places);
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

/* A complex tensor of the result's shape. */
static struct value *
complexes(struct formula_call *call)
{
    struct shape declared = step_output_shape(call->step, call->layer, 0);
    struct shape shape = shape_typed(&declared, DTYPE_COMPLEX64);

    return value_empty(call->step, &shape);
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
    static const int types[] = {0, MEMMODEL_BOOL, MEMMODEL_INT64, MEMMODEL_FLOAT32};
    struct value *x = operand_tensor(call, 0);
    int dtype = operand_is_tensor(call, 1) ? operand_tensor(call, 1)->shape.dtype
                : call->detail             ? types[call->detail]
                                           : step_output_shape(call->step, call->layer, 0).dtype;

    return aten_cast(call->step, x, dtype);
}

/* ---- products ---- */

enum product { MATMUL, MM, BMM };

static struct value *
multiply_matrices(struct formula_call *call)
{
    struct value *a = operand_tensor(call, 0), *b = operand_tensor(call, 1);
    int least = call->detail == BMM ? 3 : call->detail == MM ? 2 : 1;

    if (a->shape.rank < least || b->shape.rank < least)
        return value_like(call->step, a);
    if (call->detail == BMM)
        return aten_bmm(call->step, a, b);
    return call->detail == MM ? aten_mm(call->step, a, b) : aten_matmul(call->step, a, b);
}

/* ---- the table ---- */

static const struct formula_function functions[] = {
    {"abs", pointwise, MEMMODEL_ABS},
    {"add_", change, MEMMODEL_ADD},
    {"amax", reduce_extreme, 0},
    {"any", reduce_plain, BOOLEANS},
    {"bmm", multiply_matrices, BMM},
    {"bools", like, BOOLEANS},
    {"both", both, 0},
    {"cast", cast, SAME_TYPE},
    {"clamp_min", clamp, 0},
    {"clamp_min_", clamp, 1},
    {"clone", clone, 0},
    {"codes", codes, MEMMODEL_INT32},
    {"complexes", complexes, 0},
    {"contiguous", contiguous, 0},
    {"cos", pointwise, ATEN_COS},
    {"cosh", pointwise, ATEN_COSH},
    {"cut", cut, 0},
    {"detach", detach, 0},
    {"digamma", pointwise, ATEN_DIGAMMA},
    {"div_", change, MEMMODEL_DIVIDE},
    {"exp", pointwise, MEMMODEL_EXP},
    {"expand", expand, 0},
    {"expm1", pointwise, ATEN_EXPM1},
    {"first", first, 0},
    {"flags", codes, MEMMODEL_BOOL},
    {"flat", reduce_plain, SAME_TYPE},
    {"flat_integers", reduce_plain, INTEGERS},
    {"floats", like, FLOATS},
    {"input", input, 0},
    {"integer", scalar, INTEGERS},
    {"integers", like, INTEGERS},
    {"like", like, SAME_TYPE},
    {"log", pointwise, MEMMODEL_LOG},
    {"log1p", pointwise, ATEN_LOG1P},
    {"masked", first, 0},
    {"masked_fill", masked_fill, 0},
    {"matmul", multiply_matrices, MATMUL},
    {"maximum", extremum, MEMMODEL_MAXIMUM},
    {"mean", reduce_mean, 0},
    {"minimum", extremum, MEMMODEL_MINIMUM},
    {"mm", multiply_matrices, MM},
    {"mul_", change, MEMMODEL_MULTIPLY},
    {"neg", pointwise, MEMMODEL_NEGATE},
    {"neg_", pointwise_in_place, MEMMODEL_NEGATE},
    {"output", output, 0},
    {"part", part, 0},
    {"pivots", pivots, 0},
    {"pow", power, 0},
    {"real_part", real_part, 0},
    {"reciprocal", pointwise, ATEN_RECIPROCAL},
    {"reduce", reduce_loss, 0},
    {"relu", pointwise, MEMMODEL_RELU},
    {"row_major", row_major, 0},
    {"rsqrt", pointwise, ATEN_RSQRT},
    {"scalar", scalar, SAME_TYPE},
    {"scaled", scaled, 0},
    {"scratch", scratch, 0},
    {"seen", seen, 0},
    {"shrunk", shrunk, 0},
    {"sigmoid", pointwise, MEMMODEL_SIGMOID},
    {"sign", pointwise, ATEN_ROUND},
    {"sin", pointwise, ATEN_SIN},
    {"sinh", pointwise, ATEN_SINH},
    {"sqrt", pointwise, MEMMODEL_SQRT},
    {"sqrt_", pointwise_in_place, MEMMODEL_SQRT},
    {"sub_", change, MEMMODEL_SUBTRACT},
    {"sum", reduce_sum, 0},
    {"tanh", pointwise, MEMMODEL_TANH},
    {"then", then, 0},
    {"times", times, 0},
    {"transpose", transpose, 0},
    {"truth", scalar, BOOLEANS},
    {"unreduced", unreduced, 0},
    {"unsqueeze", unsqueeze, 0},
    {"vector", vector, SAME_TYPE},
    {"vector_of_integers", vector, INTEGERS},
    {"view", view, 0},
    {"where", where, 0},
    {"widened", widened, 0},
};

static int
compare_names(const void *name, const void *function)
{
    return strcmp(name, ((const struct formula_function *)function)->name);
}

const struct formula_function *
formula_function_find(const char *name)
{
    return bsearch(name, functions, sizeof functions / sizeof functions[0], sizeof functions[0], compare_names);
}

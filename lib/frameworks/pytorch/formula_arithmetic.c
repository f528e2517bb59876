/*
 * Functions of formulas that compute, and the signs. Where a gradient may be wanted they record nodes as the operators
 * do.
 */
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

/* ---- signs ---- */

static struct value *
number_value(struct step *step, bool whole)
{
    struct value *number = value_on_host(step, whole ? MEMMODEL_DTYPE_INT64 : MEMMODEL_DTYPE_FLOAT64);

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
        return number_compare(step, x, number);
    result = aten_binary(step, sign == '+' ? MEMMODEL_BINARY_ADD : MEMMODEL_BINARY_SUBTRACT, x, number);
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
        value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_SUBTRACT, result, x));
        return result;
    }
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_DIVIDE, result, x));
    return result;
}

struct value *
formula_binary(struct step *step, char sign, const struct formula_operand *a, const struct formula_operand *b)
{
    static const int kinds[] = {['+'] = MEMMODEL_BINARY_ADD,
                                ['-'] = MEMMODEL_BINARY_SUBTRACT,
                                ['*'] = MEMMODEL_BINARY_MULTIPLY,
                                ['/'] = MEMMODEL_BINARY_DIVIDE};

    if (sign == 'n')
        return aten_unary(step, "neg", a->value);
    if (b->kind != OPERAND_TENSOR)
        return with_number(step, sign, a->value, b->whole);
    if (a->kind != OPERAND_TENSOR)
        return number_first(step, sign, b->value, a->whole);
    if (strchr("+-*/", sign))
        return aten_binary(step, kinds[(unsigned char)sign], a->value, b->value);
    return binary_result(step, a->value, b->value, sign == '&' ? 0 : MEMMODEL_DTYPE_BOOL);
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

/* ---- elementwise ---- */

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

/*
 * pow(x, exponent): of a tensor that is an operator of its own, without a node here; 2 ** x has the number as a tensor
 */
static struct value *
power(struct formula_call *call)
{
    struct value *result;

    if (operand_is_tensor(call, 0) && operand_is_tensor(call, 1))
        return binary_result(call->step, operand_tensor(call, 0), operand_tensor(call, 1), 0);
    if (operand_is_tensor(call, 0))
        return formula_called(call, formula_find("aten.pow.Tensor_Scalar"), "pow");
    result = value_like(call->step, operand_tensor(call, 1));
    number_in_place(call->step, result->shape.dtype);
    return result;
}

/* where(condition, a, b); a number is a tensor of one element for the call. */
static struct value *
where(struct formula_call *call)
{
    struct value *condition = operand_tensor(call, 0), *chosen[2], *result;
    int dtype = operand_is_tensor(call, 1)   ? operand_tensor(call, 1)->shape.dtype
                : operand_is_tensor(call, 2) ? operand_tensor(call, 2)->shape.dtype
                                             : step_output_shape(call->step, call->layer, 0).dtype;

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

/* In the type of the operator's own result: x.sum(dtype=...) */
static struct value *
reduce_typed(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    int dtype = step_output_shape(call->step, call->layer, 0).dtype;

    return call->detail == MEMMODEL_REDUCE_SUM
               ? aten_sum_typed(call->step, x, operand_axes(call, 1), keeps(call), dtype)
               : aten_mean_typed(call->step, x, operand_axes(call, 1), keeps(call), dtype);
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
    static const int types[] = {0, MEMMODEL_DTYPE_BOOL, MEMMODEL_DTYPE_INT64, MEMMODEL_DTYPE_FLOAT32};
    const struct value *x = operand_tensor(call, 0);
    struct shape shape = reduced_shape(x, operand_axes(call, 1), keeps(call));

    shape.dtype = call->detail ? types[call->detail] : shape.dtype;
    return value_empty(call->step, &shape);
}

enum loss_reduction { NONE, MEAN, SUM }; /* at::Reduction */

/* reduce(loss, reduction) */
static struct value *
reduce_loss(struct formula_call *call)
{
    struct value *loss = operand_tensor(call, 0);
    double reduction = operand_number(call, 1, MEAN);

    if (reduction == NONE)
        return value_keep(loss);
    return reduction == SUM ? aten_sum(call->step, loss, ALL_AXES, false)
                            : aten_mean(call->step, loss, ALL_AXES, false);
}

/* reduce_(loss, reduction): into the first element of the loss, which keeps its memory. Of no gradient */
static struct value *
reduce_loss_in_place(struct formula_call *call)
{
    struct value *loss = operand_tensor(call, 0), *result;
    struct shape scalar = shape_scalar(loss->shape.dtype);
    const int64_t strides[MEMMODEL_MAX_RANK] = {0};
    double reduction = operand_number(call, 1, MEAN);

    if (reduction == NONE)
        return value_keep(loss);
    result = value_view(call->step, loss, &scalar, strides);
    step_parallel_sum(call->step, loss, result);
    if (reduction == MEAN)
        number_in_place(call->step, loss->shape.dtype);
    return result;
}

/* ---- maximum and minimum ---- */

static struct value *
extremum(struct formula_call *call)
{
    return aten_binary(call->step, call->detail, operand_tensor(call, 0), operand_tensor(call, 1));
}

/* ---- softmax: row-major ---- */

static struct value *
softmax(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);

    return call->detail ? aten_log_softmax(call->step, x) : aten_softmax(call->step, x);
}

/* What an operator of the list AUTOCAST_WIDE gets inside of one that is in no list. */
static struct value *
as_wide(struct formula_call *call)
{
    struct value *x = operand_tensor(call, 0);
    bool casts = call->step->autocast.on && value_is_half(x);

    return aten_cast(call->step, x, casts ? MEMMODEL_DTYPE_FLOAT32 : x->shape.dtype);
}

/* ---- products ---- */

enum product { MATMUL, MM, BMM };

static struct value *
multiply_matrices(struct formula_call *call)
{
    struct value *a = operand_tensor(call, 0), *b = operand_tensor(call, 1);
    int min = call->detail == BMM ? 3 : call->detail == MM ? 2 : 1;

    if (a->shape.rank < min || b->shape.rank < min)
        return value_like(call->step, a);
    if (call->detail == BMM)
        return aten_bmm(call->step, a, b);
    return call->detail == MM ? aten_mm(call->step, a, b) : aten_matmul(call->step, a, b);
}

/* ---- the table ---- */

static const struct formula_function arithmetic[] = {
    {"add_", change, MEMMODEL_BINARY_ADD},
    {"amax", reduce_extreme, 0},
    {"any", reduce_plain, BOOLEANS},
    {"as_wide", as_wide, 0},
    {"bmm", multiply_matrices, BMM},
    {"div_", change, MEMMODEL_BINARY_DIVIDE},
    {"first", first, 0},
    {"flat", reduce_plain, SAME_TYPE},
    {"flat_integers", reduce_plain, INTEGERS},
    {"log_softmax", softmax, 1},
    {"masked", first, 0},
    {"matmul", multiply_matrices, MATMUL},
    {"maximum", extremum, MEMMODEL_BINARY_MAXIMUM},
    {"mean", reduce_mean, 0},
    {"mean_typed", reduce_typed, MEMMODEL_REDUCE_MEAN},
    {"minimum", extremum, MEMMODEL_BINARY_MINIMUM},
    {"mm", multiply_matrices, MM},
    {"mul_", change, MEMMODEL_BINARY_MULTIPLY},
    {"pow", power, 0},
    {"reduce", reduce_loss, 0},
    {"reduce_", reduce_loss_in_place, 0},
    {"scaled", scaled, 0},
    {"softmax", softmax, 0},
    {"sub_", change, MEMMODEL_BINARY_SUBTRACT},
    {"sum", reduce_sum, 0},
    {"sum_typed", reduce_typed, MEMMODEL_REDUCE_SUM},
    {"then", then, 0},
    {"times", times, 0},
    {"where", where, 0},
};

const struct formula_functions formula_arithmetic = FORMULA_FUNCTIONS(arithmetic);

/*
 * Numbers in arithmetic, and element-by-element operators on two tensors.
 * PyTorch: aten/src/ATen/TensorIterator.cpp, tools/autograd/derivatives.yaml (add, sub, mul, div, maximum).
 */
#include "frameworks/pytorch/operators.h"

/* ---- numbers ---- */

static struct value *
number_new(struct step *step)
{
    struct value *number = value_on_host(step, MEMMODEL_DTYPE_FLOAT64);

    number->number = true;
    return number;
}

/* Types in the order in which one is promoted to the next. */
static int
type_rank(int dtype)
{
    static const int ranks[] = {
        [MEMMODEL_DTYPE_BOOL] = 0,    [MEMMODEL_DTYPE_UINT8] = 1,   [MEMMODEL_DTYPE_INT8] = 1,
        [MEMMODEL_DTYPE_INT32] = 2,   [MEMMODEL_DTYPE_INT64] = 3,   [MEMMODEL_DTYPE_BFLOAT16] = 4,
        [MEMMODEL_DTYPE_FLOAT16] = 4, [MEMMODEL_DTYPE_FLOAT32] = 5, [MEMMODEL_DTYPE_FLOAT64] = 6,
        [DTYPE_COMPLEX64] = 7,
    };

    return ranks[dtype];
}

/* c10::result_type: a number, then a tensor without dims, takes the type of the other operand of its kind. */
static int
common_type(const struct value *a, const struct value *b)
{
    if (a->number && !b->number)
        return common_type(b, a);
    if (b->number && !a->number)
        return value_is_float(a) || !value_is_float(b) ? a->shape.dtype : MEMMODEL_DTYPE_FLOAT32;
    if (b->shape.rank == 0 && a->shape.rank > 0 && (value_is_float(a) || !value_is_float(b)))
        return a->shape.dtype;
    if (a->shape.rank == 0 && b->shape.rank > 0 && (value_is_float(b) || !value_is_float(a)))
        return b->shape.dtype;
    return type_rank(a->shape.dtype) >= type_rank(b->shape.dtype) ? a->shape.dtype : b->shape.dtype;
}

/* NULL if it is of that type. */
static struct value *
cast(struct step *step, const struct value *x, int dtype)
{
    return x->shape.dtype == dtype || !step->device->copying_casts ? NULL : value_like_typed(step, x, dtype);
}

/* NULL if it is no conjugate. */
static struct value *
resolved(struct step *step, const struct value *x)
{
    return x->conjugate ? value_like(step, x) : NULL;
}

/* Both operands are cast to `common` first; the result is of that type, or of `dtype` if that is one. */
static struct value *
result_of_common(struct step *step, const struct value *a, const struct value *b, int common, int dtype)
{
    struct value *plain[] = {resolved(step, a), resolved(step, b)};
    struct value *first = cast(step, a, common), *second = cast(step, b, common), *result;
    struct shape shape = shape_broadcast(&a->shape, &b->shape);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    shape.dtype = dtype ? dtype : common;
    strides_after(&shape, (const struct value *[]){a, b}, 2, strides);
    result = value_empty_strided(step, &shape, strides);
    value_drop(step, first);
    value_drop(step, second);
    value_drop_all(step, plain, 2);
    return result;
}

struct value *
binary_result(struct step *step, const struct value *a, const struct value *b, int dtype)
{
    return result_of_common(step, a, b, common_type(a, b), dtype);
}

/* Whole numbers and truth values are divided as floats. */
static struct value *
quotient(struct step *step, const struct value *a, const struct value *b)
{
    int common = common_type(a, b);
    bool whole = type_rank(common) <= type_rank(MEMMODEL_DTYPE_INT64);

    return result_of_common(step, a, b, whole ? MEMMODEL_DTYPE_FLOAT32 : common, 0);
}

void
number_in_place(struct step *step, int dtype)
{
    struct value *number = number_new(step);
    struct value *typed = dtype == MEMMODEL_DTYPE_FLOAT64 ? NULL : value_on_host(step, dtype);

    value_drop(step, typed);
    value_drop(step, number);
}

struct value *
number_result(struct step *step, const struct value *x)
{
    struct value *number = number_new(step), *result = binary_result(step, x, number, 0);

    value_drop(step, number);
    return result;
}

struct value *
number_compare(struct step *step, const struct value *x, struct value *number)
{
    struct value *typed = cast(step, number, x->shape.dtype), *result = value_like_typed(step, x, MEMMODEL_DTYPE_BOOL);

    value_drop(step, number);
    value_drop(step, typed);
    return result;
}

/* ---- casts ---- */

static void
cast_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = value_like_typed(step, incoming[0], node->edges[0].shape.dtype);
}

struct value *
aten_cast(struct step *step, struct value *x, int dtype)
{
    static const struct derivative to_copy = {"_to_copy", cast_backward};
    struct value *result;

    if (x->shape.dtype == dtype)
        return value_keep(x);
    result = value_like_typed(step, x, dtype);
    if (value_is_float(result))
        step_record(step, &to_copy, result, 1, &x);
    return result;
}

/* ---- addition and subtraction: both operands get the same gradient ---- */

static void
add_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)step;
    for (int i = 0; i < 2; i++)
        if (node_wants(node, i))
            gradients[i] = value_keep(incoming[0]);
}

static void
subtract_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 0))
        gradients[0] = value_keep(incoming[0]);
    if (node_wants(node, 1))
        gradients[1] = value_like(step, incoming[0]); /* grad.neg() */
}

/* ---- multiplication and division: saved are other, self ---- */

/* grad * factor.conj(), or divided by it */
static struct value *
factor_gradient(struct step *step, const struct value *gradient, const struct value *factor)
{
    struct value *conjugate = value_is_complex(factor) ? value_conjugated(step, factor) : NULL;
    struct value *result = binary_result(step, gradient, conjugate ? conjugate : factor, 0);

    value_drop(step, conjugate);
    return result;
}

static void
multiply_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 1))
        gradients[1] = factor_gradient(step, incoming[0], node->saved[1]);
    if (node_wants(node, 0))
        gradients[0] = factor_gradient(step, incoming[0], node->saved[0]);
}

/* -grad * ((self / other) / other).conj() */
static struct value *
divisor_gradient(struct step *step, const struct value *gradient, const struct value *self, const struct value *other)
{
    struct value *once = binary_result(step, self, other, 0), *twice = binary_result(step, once, other, 0);
    struct value *negative = value_like(step, gradient), *result = factor_gradient(step, negative, twice);

    value_drop(step, negative);
    value_drop(step, twice);
    value_drop(step, once);
    return result;
}

static void
divide_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 1))
        gradients[1] = divisor_gradient(step, incoming[0], node->saved[1], node->saved[0]);
    if (node_wants(node, 0))
        gradients[0] = factor_gradient(step, incoming[0], node->saved[0]);
}

/* ---- maximum and minimum ---- */

/* at::where(self == other, grad / 2, grad).masked_fill_(self < other, 0) */
static struct value *
extremum_gradient(struct step *step, const struct value *gradient, const struct value *self, const struct value *other)
{
    struct value *half = number_result(step, gradient), *equal = binary_result(step, self, other, MEMMODEL_DTYPE_BOOL);
    struct value *result = value_like(step, gradient), *mask = binary_result(step, self, other, MEMMODEL_DTYPE_BOOL);

    value_drop(step, mask);
    value_drop(step, equal);
    value_drop(step, half);
    return result;
}

static void
extremum_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 1; i >= 0; i--)
        if (node_wants(node, i))
            gradients[i] = extremum_gradient(step, incoming[0], node->saved[1], node->saved[0]);
}

/* ---- by kind ---- */

/* Which operands are kept: never, always, or each for the other's gradient only. */
enum keeping { NOTHING, BOTH, EACH_OTHER, DIVISOR };

static const struct binary {
    struct derivative derivative;
    enum keeping keeping;
} binaries[] = {
    [MEMMODEL_BINARY_ADD] = {{"add", add_backward}, NOTHING},
    [MEMMODEL_BINARY_SUBTRACT] = {{"sub", subtract_backward}, NOTHING},
    [MEMMODEL_BINARY_MULTIPLY] = {{"mul", multiply_backward}, EACH_OTHER},
    [MEMMODEL_BINARY_DIVIDE] = {{"div", divide_backward}, DIVISOR},
    [MEMMODEL_BINARY_MAXIMUM] = {{"maximum", extremum_backward}, BOTH},
    [MEMMODEL_BINARY_MINIMUM] = {{"minimum", extremum_backward}, BOTH},
};

static void
keep_operands(struct step *step, struct node *node, enum keeping keeping, struct value *self, struct value *other)
{
    bool keep_other, keep_self;

    if (!node || keeping == NOTHING)
        return;
    keep_other = keeping != EACH_OTHER || node_wants(node, 0);
    keep_self = keeping == BOTH || node_wants(node, 1);
    step_save(step, node, keep_other ? other : NULL);
    step_save(step, node, keep_self ? self : NULL);
}

struct value *
aten_binary(struct step *step, int kind, struct value *a, struct value *b)
{
    const struct binary *binary = &binaries[kind];
    struct value *result = kind == MEMMODEL_BINARY_DIVIDE ? quotient(step, a, b) : binary_result(step, a, b, 0);

    keep_operands(step, step_record(step, &binary->derivative, result, 2, (struct value *[]){a, b}), binary->keeping, a,
                  b);
    return result;
}

/* a.mul_(b) and a.div_(b) keep a clone of what `a` was, if `b` needs a gradient. */
struct value *
aten_binary_in_place(struct step *step, int kind, struct value *a, struct value *b)
{
    const struct binary *binary = &binaries[kind];
    bool clone = binary->keeping != NOTHING && step->grad_mode && b->node;
    struct value *old = clone ? value_like(step, a) : NULL, *typed = cast(step, b, a->shape.dtype);
    struct node *node = node_new(step, &binary->derivative, (struct value *[]){a, b}, 2, 1);

    value_drop(step, typed);
    keep_operands(step, node, binary->keeping, old, b);
    node_attach(step, node, a, 0);
    value_drop(step, old);
    return value_keep(a);
}

/* ---- where: saved is the mask ---- */

/* at::where(condition, 0, grad) and the other way round */
static void
where_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 1; i >= 0; i--) {
        struct value *zero;

        if (!node_wants(node, i))
            continue;
        zero = value_scalar(step, incoming[0]->shape.dtype);
        gradients[i] = gradient_like(step, incoming[0], NULL);
        value_drop(step, zero);
    }
}

struct value *
aten_where(struct step *step, struct value *condition, struct value *a, struct value *b)
{
    static const struct derivative where = {"where", where_backward};
    const struct value *operands[] = {condition, a, b};
    struct shape of_both = shape_broadcast(&a->shape, &b->shape), shape = shape_broadcast(&of_both, &condition->shape);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *result;

    strides_after(&shape, operands, 3, strides);
    result = value_empty_strided(step, &shape, strides);
    step_save(step, step_record(step, &where, result, 2, (struct value *[]){a, b}), condition);
    return result;
}

/* ---- with a number ---- */

static void
scale_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = number_result(step, incoming[0]);
}

struct value *
aten_scale(struct step *step, struct value *x)
{
    static const struct derivative scale = {"mul", scale_backward};
    struct value *result = number_result(step, x);

    step_record(step, &scale, result, 1, &x);
    return result;
}

/* ---- rule ---- */

static void
binary_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_binary *options = layer->options;
    struct value *a = step_input(step, layer, 0), *b = step_input(step, layer, 1);

    step->what = binaries[options->kind].derivative.name;
    if (!options->in_place) {
        step_output(step, layer, 0, aten_binary(step, options->kind, a, b));
        return;
    }
    step_output(step, layer, 0, aten_binary_in_place(step, options->kind, a, b));
    node_written(step, a);
}

const struct rule pytorch_binary = {OP_BINARY, binary_forward};

/*
 * Matrix products. PyTorch: aten/src/ATen/native/LinearAlgebra.cpp, Linear.cpp,
 * torch/csrc/autograd/FunctionsManual.cpp.
 *
 * In float32 the products themselves take nothing from the allocator. A gradient is laid out in memory as its operand
 * is.
 */
#include "frameworks/pytorch/operators.h"

/* ---- products without a node ---- */

/* A matrix that BLAS reads as it is: rows or columns are dense. */
static bool
is_blas_ready(const struct value *x)
{
    int64_t rows = x->shape.dims[x->shape.rank - 2], columns = x->shape.dims[x->shape.rank - 1];
    int64_t down = x->strides[x->shape.rank - 2], across = x->strides[x->shape.rank - 1];

    return (across == 1 && (rows == 1 || down >= max_i64(1, columns))) ||
           (down == 1 && (columns == 1 || across >= max_i64(1, rows)));
}

/* [n, k] x [k, m]; operands that BLAS cannot read are copied for the call. */
static struct value *
product(struct step *step, const struct value *a, const struct value *b)
{
    struct shape shape = {.dims = {a->shape.dims[0], b->shape.dims[1]}, .rank = 2, .dtype = a->shape.dtype};
    struct value *result = value_empty(step, &shape);
    struct value *first = is_blas_ready(a) ? NULL : value_copy(step, a);
    struct value *second = is_blas_ready(b) ? NULL : value_copy(step, b);

    value_drop(step, first);
    value_drop(step, second);
    return result;
}

static struct value *
transposed(struct step *step, const struct value *x)
{
    struct shape shape = x->shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {x->strides[1], x->strides[0]};

    shape.dims[0] = x->shape.dims[1];
    shape.dims[1] = x->shape.dims[0];
    return value_view(step, x, &shape, strides);
}

static bool
is_column_major(const struct value *x)
{
    return x->strides[0] == 1 && x->strides[1] == x->shape.dims[0] && !value_is_contiguous(x);
}

/* a x b, with either operand or the result transposed. */
static struct value *
product_of_transposed(struct step *step, const struct value *a, const struct value *b, bool transpose_a,
                      bool transpose_b)
{
    struct value *first = transpose_a ? transposed(step, a) : value_detach(step, a);
    struct value *second = transpose_b ? transposed(step, b) : value_detach(step, b);
    struct value *result = product(step, first, second);

    value_drop(step, second);
    value_drop(step, first);
    return result;
}

static struct value *
transposed_result(struct step *step, struct value *result)
{
    struct value *view = transposed(step, result);

    value_drop(step, result);
    return view;
}

/* mm_mat1_grad: grad x mat2', or its transpose where mat1 was column-major. */
static struct value *
first_gradient(struct step *step, const struct value *gradient, const struct value *second, bool column_major)
{
    if (column_major)
        return transposed_result(step, product_of_transposed(step, second, gradient, false, true));
    return product_of_transposed(step, gradient, second, false, true);
}

/* mm_mat2_grad: mat1' x grad */
static struct value *
second_gradient(struct step *step, const struct value *gradient, const struct value *first, bool column_major)
{
    if (column_major)
        return transposed_result(step, product_of_transposed(step, gradient, first, true, false));
    return product_of_transposed(step, first, gradient, true, false);
}

/* ---- mm, addmm, bmm ---- */

enum { FIRST_COLUMN_MAJOR = 1, SECOND_COLUMN_MAJOR = 2 };

static int64_t
column_major_flags(const struct value *a, const struct value *b)
{
    return (is_column_major(a) ? FIRST_COLUMN_MAJOR : 0) | (is_column_major(b) ? SECOND_COLUMN_MAJOR : 0);
}

/* Saved: mat2, mat1. */
static void
mm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 1))
        gradients[1] = second_gradient(step, incoming[0], node->saved[1], node->number & SECOND_COLUMN_MAJOR);
    if (node_wants(node, 0))
        gradients[0] = first_gradient(step, incoming[0], node->saved[0], node->number & FIRST_COLUMN_MAJOR);
}

static struct value *
mm(struct step *step, struct value *a, struct value *b)
{
    static const struct derivative derivative = {"mm", mm_backward};
    struct value *result = product(step, a, b);
    struct node *node = step_record(step, &derivative, result, 2, (struct value *[]){a, b});

    step_save(step, node, a->node ? b : NULL);
    step_save(step, node, b->node ? a : NULL);
    if (node)
        node->number = column_major_flags(a, b);
    return result;
}

/* Inputs: bias, mat1, mat2. Saved: mat1, mat2. */
static void
addmm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 1))
        gradients[1] = first_gradient(step, incoming[0], node->saved[1], node->number & FIRST_COLUMN_MAJOR);
    if (node_wants(node, 2))
        gradients[2] = second_gradient(step, incoming[0], node->saved[0], node->number & SECOND_COLUMN_MAJOR);
    if (node_wants(node, 0))
        gradients[0] = value_keep(incoming[0]);
}

static struct value *
addmm(struct step *step, struct value *bias, struct value *a, struct value *b)
{
    static const struct derivative derivative = {"addmm", addmm_backward};
    struct value *result = product(step, a, b);
    struct node *node = step_record(step, &derivative, result, 3, (struct value *[]){bias, a, b});

    step_save(step, node, b->node ? a : NULL);
    step_save(step, node, a->node ? b : NULL);
    if (node)
        node->number = column_major_flags(a, b);
    return result;
}

static void
bmm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 1; i >= 0; i--) {
        struct shape shape = shape_typed(&node->edges[i].shape, incoming[0]->shape.dtype);

        if (node_wants(node, i))
            gradients[i] = value_empty(step, &shape);
    }
}

static struct value *
bmm(struct step *step, struct value *a, struct value *b)
{
    static const struct derivative derivative = {"bmm", bmm_backward};
    struct shape shape = a->shape;
    struct value *result;
    struct node *node;

    shape.dims[2] = b->shape.dims[2];
    result = value_empty(step, &shape);
    node = step_record(step, &derivative, result, 2, (struct value *[]){a, b});
    step_save(step, node, a->node ? b : NULL);
    step_save(step, node, b->node ? a : NULL);
    return result;
}

/* ---- matmul ---- */

static struct shape
rows_of(const struct value *x)
{
    int rank = x->shape.rank;

    return (struct shape){
        .dims = {shape_product(&x->shape, 0, rank - 1), x->shape.dims[rank - 1]},
        .rank = 2,
        .dtype = x->shape.dtype,
    };
}

/* [..., k] x [k, m] as one product of all rows. */
static struct value *
folded_product(struct step *step, struct value *a, struct value *b)
{
    struct shape rows = rows_of(a), shape = a->shape;
    struct value *folded = aten_reshape(step, a, &rows), *result = mm(step, folded, b), *view;

    value_drop(step, folded);
    shape.dims[shape.rank - 1] = b->shape.dims[1];
    view = aten_reshape(step, result, &shape);
    value_drop(step, result);
    return view;
}

/* [n, k] x [..., k, m]: transposed, folded, laid out again. */
static struct value *
folded_from_left(struct step *step, struct value *a, struct value *b)
{
    struct value *first = aten_transpose(step, b, -1, -2), *second = aten_transpose(step, a, 0, 1);
    struct value *product_of_both = folded_product(step, first, second);
    struct value *back = aten_transpose(step, product_of_both, -1, -2), *result = aten_contiguous(step, back);

    value_drop(step, back);
    value_drop(step, product_of_both);
    value_drop(step, second);
    value_drop(step, first);
    return result;
}

/* The operand with the batch dims of the result, as one batch: a copy unless that is a view. */
static struct value *
batched(struct step *step, struct value *x, const struct shape *batch)
{
    struct shape full = *batch, flat = {.rank = 3, .dtype = x->shape.dtype};
    struct value *expanded, *result;

    for (int i = 0; i < 2; i++)
        flat.dims[1 + i] = full.dims[full.rank++] = x->shape.dims[x->shape.rank - 2 + i];
    flat.dims[0] = shape_product(batch, 0, batch->rank);
    full.dtype = x->shape.dtype;
    expanded = aten_expand(step, x, &full);
    result = aten_reshape(step, expanded, &flat);
    value_drop(step, expanded);
    return result;
}

static struct value *
batched_product(struct step *step, struct value *a, struct value *b)
{
    struct shape batch_a = a->shape, batch_b = b->shape, shape;
    struct value *first, *second, *product_of_both, *result;

    batch_a.rank -= 2;
    batch_b.rank -= 2;
    shape = shape_broadcast(&batch_a, &batch_b);
    first = batched(step, a, &shape);
    second = batched(step, b, &shape);
    product_of_both = bmm(step, first, second);
    shape.dims[shape.rank++] = a->shape.dims[a->shape.rank - 2];
    shape.dims[shape.rank++] = b->shape.dims[b->shape.rank - 1];
    result = aten_reshape(step, product_of_both, &shape);
    value_drop(step, product_of_both);
    value_drop(step, second);
    value_drop(step, first);
    return result;
}

/* should_fold: the matrix needs a gradient, or the batch dims of the other operand merge. */
static bool
should_fold(const struct step *step, const struct value *a, const struct value *b)
{
    const struct value *high = a->shape.rank >= b->shape.rank ? a : b, *low = high == a ? b : a;

    if (high->shape.rank < 3 || low->shape.rank > 2)
        return false;
    if (step->grad_mode && low->node)
        return true;
    if (a->shape.rank == 2)
        return false;
    for (int i = 0; i < high->shape.rank - 2; i++)
        if (high->strides[i] != high->strides[i + 1] * high->shape.dims[i + 1])
            return false;
    return true;
}

struct value *
aten_matmul(struct step *step, struct value *a, struct value *b)
{
    if (a->shape.rank == 2 && b->shape.rank == 2)
        return mm(step, a, b);
    if (!should_fold(step, a, b))
        return batched_product(step, a, b);
    return a->shape.rank == 2 ? folded_from_left(step, a, b) : folded_product(step, a, b);
}

static void
matmul_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_matmul *options = layer->options;
    struct value *a = value_keep(step_input(step, layer, 0)), *b = value_keep(step_input(step, layer, 1)), *given;

    if (a->shape.rank < 2 || b->shape.rank < 2) {
        estimate_forward(step, layer);
    } else {
        if (options->transpose_first) {
            a = aten_transpose(step, given = a, -1, -2);
            value_drop(step, given);
        }
        if (options->transpose_second) {
            b = aten_transpose(step, given = b, -1, -2);
            value_drop(step, given);
        }
        step_output(step, layer, 0, aten_matmul(step, a, b));
    }
    value_drop(step, b);
    value_drop(step, a);
}

const struct rule pytorch_matmul = {OP_MATMUL, matmul_forward};

/* ---- linear ---- */

/* With a bias and rows that lie dense: one addmm on a view. */
static struct value *
linear_addmm(struct step *step, struct value *x, struct value *weight, struct value *bias)
{
    struct shape rows = rows_of(x), shape = x->shape;
    struct value *folded = x->shape.rank == 2 ? value_keep(x) : aten_reshape(step, x, &rows);
    struct value *transpose = aten_transpose(step, weight, 0, 1), *result = addmm(step, bias, folded, transpose), *view;

    value_drop(step, transpose);
    value_drop(step, folded);
    if (x->shape.rank == 2)
        return result;
    shape.dims[shape.rank - 1] = weight->shape.dims[0];
    view = aten_reshape(step, result, &shape);
    value_drop(step, result);
    return view;
}

struct value *
aten_linear(struct step *step, struct value *x, struct value *weight, struct value *bias)
{
    struct value *transpose, *result;

    if (bias && (x->shape.rank <= 2 || value_is_contiguous(x)))
        return linear_addmm(step, x, weight, bias);
    transpose = aten_transpose(step, weight, 0, 1);
    result = aten_matmul(step, x, transpose);
    value_drop(step, transpose);
    if (bias)
        value_drop(step, aten_binary_in_place(step, MEMMODEL_ADD, result, bias));
    return result;
}

/* A vector is a matrix of one row. */
static void
linear_forward(struct step *step, const struct layer *layer)
{
    struct value *x = step_input(step, layer, 0), *weight = step_parameter(step, layer, "weight");
    struct value *bias = step_parameter(step, layer, "bias"), *rows, *result;
    struct shape row = rows_of(x), shape;

    if (x->shape.rank > 1) {
        step_output(step, layer, 0, aten_linear(step, x, weight, bias));
        return;
    }
    shape = step_output_shape(step, layer, 0);
    rows = aten_reshape(step, x, &row);
    result = aten_linear(step, rows, weight, bias);
    value_drop(step, rows);
    step_output(step, layer, 0, aten_reshape(step, result, &shape));
    value_drop(step, result);
}

const struct rule pytorch_linear = {OP_LINEAR, linear_forward};

/*
 * Matrix products. PyTorch: aten/src/ATen/native/LinearAlgebra.cpp, Linear.cpp,
 * torch/csrc/autograd/FunctionsManual.cpp.
 *
 * In float32 the products themselves take nothing from the allocator; of bfloat16: cpu_products.c. A gradient is laid out
 * in memory as its operand is.
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
product(struct step *step, const struct value *a, const struct value *b, enum product_kind kind)
{
    struct shape shape = {.dims = {a->shape.dims[0], b->shape.dims[1]}, .rank = 2, .dtype = a->shape.dtype};
    struct value *result = value_empty(step, &shape);
    struct value *first = is_blas_ready(a) ? NULL : value_copy(step, a);
    struct value *second = is_blas_ready(b) ? NULL : value_copy(step, b);

    step->device->product(
        step, &(struct matrix_product){kind, result, first ? first : a, second ? second : b, a->shape.dims[1]});
    value_drop(step, first);
    value_drop(step, second);
    return result;
}

/* A matrix, or each of a batch. */
static struct value *
transposed(struct step *step, const struct value *x)
{
    struct shape shape = x->shape;
    int rows = x->shape.rank == 3, columns = rows + 1;
    int64_t strides[MEMMODEL_MAX_RANK] = {x->strides[0]};

    shape.dims[rows] = x->shape.dims[columns];
    shape.dims[columns] = x->shape.dims[rows];
    strides[rows] = x->strides[columns];
    strides[columns] = x->strides[rows];
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
    struct value *result = product(step, first, second, PRODUCT);

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

/* Besides the factors of addmm, enum addmm_factors. */
enum { FIRST_COLUMN_MAJOR = 16, SECOND_COLUMN_MAJOR = 32 };

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

struct value *
aten_mm(struct step *step, struct value *a, struct value *b)
{
    static const struct derivative derivative = {"mm", mm_backward};
    struct value *result = product(step, a, b, PRODUCT);
    struct node *node = step_record(step, &derivative, result, 2, (struct value *[]){a, b});

    step_save(step, node, a->node ? b : NULL);
    step_save(step, node, b->node ? a : NULL);
    if (node)
        node->number = column_major_flags(a, b);
    return result;
}

/* `gradient`, which it takes, times a factor if there is one. */
static struct value *
scaled(struct step *step, struct value *gradient, int64_t factor)
{
    struct value *result;

    if (!factor)
        return gradient;
    result = number_result(step, gradient);
    value_drop(step, gradient);
    return result;
}

/* Inputs: bias, mat1, mat2. Saved: mat1, mat2. */
static void
addmm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    int64_t flags = node->number;

    if (node_wants(node, 1))
        gradients[1] = scaled(step, first_gradient(step, incoming[0], node->saved[1], flags & FIRST_COLUMN_MAJOR),
                              flags & ADDMM_ALPHA);
    if (node_wants(node, 2))
        gradients[2] = scaled(step, second_gradient(step, incoming[0], node->saved[0], flags & SECOND_COLUMN_MAJOR),
                              flags & ADDMM_ALPHA);
    if (node_wants(node, 0))
        gradients[0] = scaled(step, value_keep(incoming[0]), flags & ADDMM_BETA);
}

/* On a GPU cublasLt adds a vector on the way: cuda/Blas.cpp, isInputCompliesAddmmCudaLt. */
static enum product_kind
kind_of_addmm(const struct value *bias, const struct value *b, int factors)
{
    bool adds = bias->shape.rank == 1 && bias->shape.dims[0] == b->shape.dims[1] && !(factors & ADDMM_BETA);

    return adds && b->shape.dims[0] > 1 && b->shape.dims[1] > 1 ? PRODUCT_WITH_BIAS : PRODUCT;
}

struct value *
aten_addmm(struct step *step, struct value *bias, struct value *a, struct value *b, int factors)
{
    static const struct derivative derivative = {"addmm", addmm_backward};
    struct value *result = product(step, a, b, kind_of_addmm(bias, b, factors));
    struct node *node = step_record(step, &derivative, result, 3, (struct value *[]){bias, a, b});

    step_save(step, node, b->node ? a : NULL);
    step_save(step, node, a->node ? b : NULL);
    if (node)
        node->number = column_major_flags(a, b) | factors;
    return result;
}

/* ---- batches of matrices ---- */

static struct value *
batch_of_products(struct step *step, const struct value *a, const struct value *b)
{
    struct shape shape = a->shape;
    struct value *result;

    shape.dims[2] = b->shape.dims[2];
    result = value_empty(step, &shape);
    step->device->product(step, &(struct matrix_product){PRODUCT_OF_BATCH, result, a, b, a->shape.dims[2]});
    return result;
}

/* Of the first operand: gradient x second', of the second: first' x gradient. */
static struct value *
operand_gradient(struct step *step, const struct value *gradient, const struct value *other, int operand)
{
    struct value *turned = transposed(step, other);
    struct value *result =
        operand == 0 ? batch_of_products(step, gradient, turned) : batch_of_products(step, turned, gradient);

    value_drop(step, turned);
    return result;
}

/* Saved: mat2, mat1. */
static void
bmm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 1; i >= 0; i--)
        if (node_wants(node, i))
            gradients[i] = operand_gradient(step, incoming[0], node->saved[i], i);
}

struct value *
aten_bmm(struct step *step, struct value *a, struct value *b)
{
    static const struct derivative derivative = {"bmm", bmm_backward};
    struct value *result = batch_of_products(step, a, b);
    struct node *node = step_record(step, &derivative, result, 2, (struct value *[]){a, b});

    step_save(step, node, a->node ? b : NULL);
    step_save(step, node, b->node ? a : NULL);
    return result;
}

/* Inputs: bias, batch1, batch2. Saved: batch1, batch2. */
static void
baddbmm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 1; i <= 2; i++)
        if (node_wants(node, i))
            gradients[i] = scaled(step, operand_gradient(step, incoming[0], node->saved[2 - i], i - 1),
                                  node->number & ADDMM_ALPHA);
    if (node_wants(node, 0))
        gradients[0] = scaled(step, value_keep(incoming[0]), node->number & ADDMM_BETA);
}

struct value *
aten_baddbmm(struct step *step, struct value *bias, struct value *a, struct value *b, int factors)
{
    static const struct derivative derivative = {"baddbmm", baddbmm_backward};
    struct value *result = batch_of_products(step, a, b);
    struct node *node = step_record(step, &derivative, result, 3, (struct value *[]){bias, a, b});

    step_save(step, node, b->node ? a : NULL);
    step_save(step, node, a->node ? b : NULL);
    if (node)
        node->number = factors;
    return result;
}

/* ---- products with a vector ---- */

/* Saved: matrix, vector. The vector's gradient is matrix' x gradient; that of a factor of dot is a multiple. */
static void
vector_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 0; i < 2; i++) {
        struct shape shape;
        struct value *matrix;

        if (!node_wants(node, i))
            continue;
        shape = shape_typed(&node->edges[i].shape, incoming[0]->shape.dtype);
        gradients[i] = value_empty(step, &shape);
        matrix = i == 1 && incoming[0]->shape.rank == 1 ? transposed(step, node->saved[0]) : NULL;
        step->device->product(step, &(struct matrix_product){matrix ? PRODUCT_OF_VECTOR : PRODUCT_UNSUMMED,
                                                             gradients[i], matrix, matrix ? incoming[0] : NULL,
                                                             matrix ? incoming[0]->shape.dims[0] : 1});
        value_drop(step, matrix);
    }
}

static const struct derivative mv_derivative = {"mv", vector_backward}, dot_derivative = {"dot", vector_backward};

/* [n, k] x [k], or [k] x [k] */
static struct value *
vector_product(struct step *step, struct value *a, struct value *b)
{
    struct shape shape = shape_typed(&a->shape, a->shape.dtype);
    struct value *result;
    struct node *node;

    shape.rank--;
    result = value_empty(step, &shape);
    step->device->product(step, &(struct matrix_product){PRODUCT_OF_VECTOR, result, a, b, a->shape.dims[shape.rank]});
    node = step_record(step, shape.rank ? &mv_derivative : &dot_derivative, result, 2, (struct value *[]){a, b});
    step_save(step, node, b->node ? a : NULL);
    step_save(step, node, a->node ? b : NULL);
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

/* [..., k] x [k, m] or [k] as one product of all rows. */
static struct value *
folded_product(struct step *step, struct value *a, struct value *b)
{
    struct shape rows = rows_of(a), shape = a->shape;
    struct value *folded = aten_reshape(step, a, &rows), *view;
    struct value *result = b->shape.rank == 2 ? aten_mm(step, folded, b) : vector_product(step, folded, b);

    value_drop(step, folded);
    if (b->shape.rank == 2)
        shape.dims[shape.rank - 1] = b->shape.dims[1];
    else
        shape.rank--;
    view = aten_reshape(step, result, &shape);
    value_forget_base(step, view); /* at::_unsafe_view */
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
    product_of_both = aten_bmm(step, first, second);
    shape.dims[shape.rank++] = a->shape.dims[a->shape.rank - 2];
    shape.dims[shape.rank++] = b->shape.dims[b->shape.rank - 1];
    result = aten_reshape(step, product_of_both, &shape);
    value_forget_base(step, result); /* at::_unsafe_view */
    value_drop(step, product_of_both);
    value_drop(step, second);
    value_drop(step, first);
    return result;
}

/* should_fold: the matrix needs a gradient (a parameter always does), or the batch dims of the other operand merge. */
static bool
should_fold(const struct step *step, const struct value *a, const struct value *b)
{
    const struct value *high = a->shape.rank >= b->shape.rank ? a : b, *low = high == a ? b : a;

    if (high->shape.rank < 3 || low->shape.rank > 2)
        return false;
    if (low->parameter || (step->grad_mode && low->node))
        return true;
    if (a->shape.rank == 2)
        return false;
    for (int i = 0; i < high->shape.rank - 2; i++)
        if (high->strides[i] != high->strides[i + 1] * high->shape.dims[i + 1])
            return false;
    return true;
}

/* Without dim `axis`, which is of size 1. Takes the reference. */
static struct value *
without_axis(struct step *step, struct value *x, int axis)
{
    struct shape shape = x->shape;
    struct value *result;

    for (int i = axis; i < shape.rank - 1; i++)
        shape.dims[i] = shape.dims[i + 1];
    shape.rank--;
    result = aten_reshape(step, x, &shape);
    value_drop(step, x);
    return result;
}

/* A vector as a row (first operand) or column. */
static struct value *
as_matrix(struct step *step, struct value *x, bool row)
{
    struct shape shape = {.dims = {1, 1}, .rank = 2, .dtype = x->shape.dtype};

    if (x->shape.rank > 1)
        return value_keep(x);
    shape.dims[row ? 1 : 0] = x->shape.dims[0];
    return aten_reshape(step, x, &shape);
}

/* Vectors among the operands are matrices of one row or column, which goes from the result. */
static struct value *
matmul_of_matrices(struct step *step, struct value *a, struct value *b, bool fold)
{
    struct value *first = as_matrix(step, a, true), *second = as_matrix(step, b, false), *result;

    if (!fold)
        result = batched_product(step, first, second);
    else
        result = first->shape.rank == 2 ? folded_from_left(step, first, second) : folded_product(step, first, second);
    value_drop(step, second);
    value_drop(step, first);
    if (b->shape.rank == 1)
        result = without_axis(step, result, result->shape.rank - 1);
    return a->shape.rank == 1 ? without_axis(step, result, result->shape.rank - 2) : result;
}

static struct value *
row_times_matrix(struct step *step, struct value *a, struct value *b)
{
    struct value *row = as_matrix(step, a, true), *result = aten_mm(step, row, b);

    value_drop(step, row);
    return without_axis(step, result, 0);
}

static struct value *
vector_times_batch(struct step *step, struct value *a, struct value *b)
{
    struct value *turned = aten_transpose(step, b, -1, -2), *result = folded_product(step, turned, a);

    value_drop(step, turned);
    return result;
}

struct value *
aten_matmul(struct step *step, struct value *a, struct value *b)
{
    if (a->shape.rank <= 2 && b->shape.rank == 1)
        return vector_product(step, a, b);
    if (a->shape.rank == 1 && b->shape.rank == 2)
        return row_times_matrix(step, a, b);
    if (a->shape.rank == 2 && b->shape.rank == 2)
        return aten_mm(step, a, b);
    if (b->shape.rank == 1 && should_fold(step, a, b))
        return folded_product(step, a, b);
    if (a->shape.rank == 1 && should_fold(step, a, b))
        return vector_times_batch(step, a, b);
    return matmul_of_matrices(step, a, b, should_fold(step, a, b));
}

static void
matmul_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_matmul *options = layer->options;
    struct value *a = value_keep(step_input(step, layer, 0)), *b = value_keep(step_input(step, layer, 1)), *given;

    if (options->transpose_a && a->shape.rank > 1) {
        a = aten_transpose(step, given = a, -1, -2);
        value_drop(step, given);
    }
    if (options->transpose_b && b->shape.rank > 1) {
        b = aten_transpose(step, given = b, -1, -2);
        value_drop(step, given);
    }
    step_output(step, layer, 0, aten_matmul(step, a, b));
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
    struct value *transpose = aten_transpose(step, weight, 0, 1), *view;
    struct value *result = aten_addmm(step, bias, folded, transpose, 0);

    value_drop(step, transpose);
    value_drop(step, folded);
    if (x->shape.rank == 2)
        return result;
    shape.dims[shape.rank - 1] = weight->shape.dims[0];
    view = aten_reshape(step, result, &shape);
    value_drop(step, result);
    return view;
}

/* A vector with a bias is a matrix of one row. */
static struct value *
linear_of_vector(struct step *step, struct value *x, struct value *weight, struct value *bias)
{
    struct value *row = as_matrix(step, x, true), *result = linear_addmm(step, row, weight, bias);

    value_drop(step, row);
    return without_axis(step, result, 0);
}

/* DeepSpeed's ZeRO 3 puts a function of its own in place of it: runtime/zero/linear.py, LinearFunctionForZeroStage3. */
static bool
is_replaced(const struct step *step)
{
    return step->parallel.data == DATA_DEEPSPEED && step->parallel.options.zero.stage == 3;
}

struct value *
aten_linear(struct step *step, struct value *x, struct value *weight, struct value *bias)
{
    struct value *transpose, *result;

    if (bias && x->shape.rank == 1)
        return linear_of_vector(step, x, weight, bias);
    if (bias && (x->shape.rank == 2 || (value_is_contiguous(x) && !is_replaced(step))))
        return linear_addmm(step, x, weight, bias);
    transpose = aten_transpose(step, weight, 0, 1);
    result = aten_matmul(step, x, transpose);
    value_drop(step, transpose);
    if (bias)
        value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, result, bias));
    return result;
}

/* Of a sum over ranks each adds its part of the bias, whose gradient is the same: _partition_value. NULL: there is none. */
static struct value *
divided_bias(struct step *step, const struct layer *layer)
{
    struct value *bias = step_parameter(step, layer, "divided bias"), *divided;

    if (!bias)
        return NULL;
    divided = number_result(step, bias);
    node_attach(step, bias->node, divided, bias->output);
    return divided;
}

static void
linear_forward(struct step *step, const struct layer *layer)
{
    struct value *x = step_input(step, layer, 0), *weight = step_parameter(step, layer, "weight");
    struct value *bias = step_parameter(step, layer, "bias"), *divided = divided_bias(step, layer);

    step_output(step, layer, 0, aten_linear(step, x, weight, divided ? divided : bias));
    value_drop(step, divided);
}

const struct rule pytorch_linear = {OP_LINEAR, linear_forward};

/*
 * Products of groups: rows of each group times a matrix of its own, as mixtures of experts have them; offsets say where a
 * group ends along the dim that the operands share out. PyTorch: aten/src/ATen/native/GroupedMMUtils.h;
 * torch/csrc/autograd/FunctionsManual.cpp, _grouped_mm_mat1_grad, _grouped_mm_mat2_grad.
 */
#include "frameworks/pytorch/operators.h"
#include "network/network.h"

enum { ALIGNMENT = 16 /* bytes of which a row of the result is a multiple */ };

/* [m, n] for each group; no groups are left where only one operand has them. */
static struct shape
shape_of(const struct value *a, const struct value *b, const struct value *offsets)
{
    int64_t rows = a->shape.dims[a->shape.rank - 2], columns = b->shape.dims[b->shape.rank - 1];
    struct shape flat = {.dims = {rows, columns}, .rank = 2, .dtype = a->shape.dtype};

    if (a->shape.rank != b->shape.rank)
        return flat;
    return (struct shape){
        .dims = {a->shape.rank == 3 ? a->shape.dims[0] : offsets->shape.dims[0], rows, columns},
        .rank = 3,
        .dtype = a->shape.dtype,
    };
}

/* create_grouped_gemm_output_tensor: rows with room behind them. */
static struct value *
padded_result(struct step *step, const struct shape *shape)
{
    int64_t element = dtype_bytes(shape->dtype), columns = shape->dims[shape->rank - 1];
    struct shape padded = *shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0}, elements, gap;
    struct value *memory, *result;

    if (columns <= INT64_MAX / element - ALIGNMENT)
        padded.dims[shape->rank - 1] = (columns * element + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT / element;
    shape_strides(&padded, strides);
    gap = padded.dims[shape->rank - 1] - columns;
    elements = shape_elements(&padded);
    if (gap == 0 || elements == 0 || elements > INT64_MAX / element)
        return value_empty(step, gap && elements ? &padded : shape);
    memory = value_buffer(step, (elements - gap) * element); /* nothing behind the last row */
    result = value_within(step, memory, shape, strides);
    value_drop(step, memory);
    return result;
}

/* Groups one after the other, each an mm into its part of the result; without offsets one bmm. */
static struct value *
product_of_groups(struct step *step, const struct value *a, const struct value *b, const struct value *offsets)
{
    struct shape shape = shape_of(a, b, offsets);
    struct value *result = padded_result(step, &shape);
    int64_t summed = a->shape.dims[a->shape.rank - 1];

    if (a->shape.rank == 2 && shape.rank == 3)
        summed /= max_i64(1, shape.dims[0]); /* on average */
    step->device->product(step, &(struct matrix_product){PRODUCT_OF_GROUPS, result, a, b, summed});
    return result;
}

/* ---- backward ---- */

/* x.transpose(-2, -1) */
static struct value *
turned(struct step *step, const struct value *x)
{
    struct shape shape = x->shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    int down = shape.rank - 2, across = shape.rank - 1;

    for (int i = 0; i < down; i++)
        strides[i] = x->strides[i];
    shape.dims[down] = x->shape.dims[across];
    shape.dims[across] = x->shape.dims[down];
    strides[down] = x->strides[across];
    strides[across] = x->strides[down];
    return value_view(step, x, &shape, strides);
}

/* Its matrices lie column after column. */
static bool
is_turned(const struct value *x)
{
    int rank = x->shape.rank;

    return x->strides[rank - 2] == 1 && x->strides[rank - 1] == x->shape.dims[rank - 2];
}

/* left x right, or the transpose of right' x left' where the operand of this gradient is column-major. */
static struct value *
gradient_of(struct step *step, const struct value *left, const struct value *right, const struct value *offsets,
            bool column_major)
{
    struct value *first, *second, *product, *result;

    if (!column_major)
        return product_of_groups(step, left, right, offsets);
    first = turned(step, right);
    second = turned(step, left);
    product = product_of_groups(step, first, second, offsets);
    result = turned(step, product);
    value_drop(step, product);
    value_drop(step, second);
    value_drop(step, first);
    return result;
}

enum { FIRST_TURNED = 1, SECOND_TURNED = 2 };

/* Inputs: mat1, mat2. Saved: mat2, offsets, mat1. */
static void
grouped_mm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *second = node->saved[0], *offsets = node->saved[1], *first = node->saved[2], *other;

    if (node_wants(node, 1)) {
        other = turned(step, first);
        gradients[1] = gradient_of(step, other, incoming[0], offsets, node->number & SECOND_TURNED);
        value_drop(step, other);
    }
    if (node_wants(node, 0)) {
        other = turned(step, second);
        gradients[0] = gradient_of(step, incoming[0], other, offsets, node->number & FIRST_TURNED);
        value_drop(step, other);
    }
}

struct value *
aten_grouped_mm(struct step *step, struct value *a, struct value *b, struct value *offsets)
{
    static const struct derivative derivative = {"_grouped_mm", grouped_mm_backward};
    struct value *result = product_of_groups(step, a, b, offsets);
    struct node *node = step_record(step, &derivative, result, 2, (struct value *[]){a, b});

    step_save(step, node, a->node ? b : NULL);
    step_save(step, node, offsets);
    step_save(step, node, b->node ? a : NULL);
    if (node)
        node->number = (is_turned(a) ? FIRST_TURNED : 0) | (is_turned(b) ? SECOND_TURNED : 0);
    return result;
}

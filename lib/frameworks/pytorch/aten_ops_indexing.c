/*
 * Reading and writing by index, by name. PyTorch: aten/src/ATen/native/TensorAdvancedIndexing.cpp, Embedding.cpp,
 * EmbeddingBag.cpp, Im2Col.cpp.
 */
#include "frameworks/pytorch/aten_ops.h"

static struct value *
input_gradient(struct step *step, const struct node *node, const struct value *gradient, int input)
{
    struct shape shape = shape_typed(&node->edges[input].shape, gradient->shape.dtype);

    return node_wants(node, input) ? value_empty(step, &shape) : NULL;
}

void
aten_op_scatter_scratch(struct step *step, const struct value *written)
{
    struct shape floats = shape_typed(&written->shape, MEMMODEL_DTYPE_FLOAT32);

    if (step->device->float_scatters && value_is_half(written))
        value_scratch(step, &floats);
}

/* ---- x[index]: a mask is made a list of places for the call, forward and backward ---- */

static int64_t
places_of_mask(const struct value *mask, const struct value *x, const struct shape *result)
{
    int64_t each = shape_product(&x->shape, mask->shape.rank, x->shape.rank);

    return each > 0 ? shape_elements(result) / each * mask->shape.rank : 0;
}

/* The node's number is the elements of the list of places. */
static void
index_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = input_gradient(step, node, incoming[0], 0);
    if (node->number > 0)
        value_drop(step, value_vector(step, MEMMODEL_DTYPE_INT64, node->number));
    else if (step->device->index_put)
        step->device->index_put(step, gradients[0], incoming[0], (const struct value *const *)node->saved,
                                node->saved_count);
}

static const struct derivative index_derivative = {"index", index_backward};

static void
index_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *result, *places = NULL;
    struct shape shape = step_output_shape(step, layer, 0);
    struct node *node;
    int64_t masked = 0;

    (void)detail;
    for (int i = 1; i < layer->input_count; i++) {
        const struct value *index = step_input(step, layer, i);

        if (index && index->shape.dtype == MEMMODEL_DTYPE_BOOL)
            masked = places_of_mask(index, x, &shape);
    }
    if (masked > 0)
        places = value_vector(step, MEMMODEL_DTYPE_INT64, masked);
    result = value_empty(step, &shape);
    node = step_record(step, &index_derivative, result, 1, &x);
    for (int i = 1; i < layer->input_count && i < MAX_SAVED; i++)
        step_save(step, node, step_input(step, layer, i));
    if (node)
        node->number = masked;
    value_drop(step, places);
    step_output(step, layer, 0, result);
}

/* ---- index_select, embedding ---- */

static void
index_select_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *index = step_input(step, layer, 1), *result;
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    result = value_empty(step, &shape);
    contiguous_scratch(step, index);
    step_save(step, step_record(step, &index_derivative, result, 1, &x), index);
    step_output(step, layer, 0, result);
}

static void
embedding_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *weight = step_input(step, layer, 0), *indices = step_input(step, layer, 1);

    (void)detail;
    if (indices->shape.rank == MEMMODEL_MAX_RANK)
        aten_op_estimate(step, layer);
    else
        step_output(step, layer, 0, aten_embedding(step, weight, indices));
}

/* ---- x[index] = values ---- */

/* The shape of x[index], where indices are whole numbers that lie side by side; false otherwise. */
static bool
shape_of_places(struct step *step, const struct layer *layer, const struct value *x, struct shape *shape)
{
    struct shape index = shape_scalar(MEMMODEL_DTYPE_INT64);
    int last = layer->input_count - 1, first = 0, count = 0;

    for (int i = 1; i < last; i++) {
        const struct value *places = step_input(step, layer, i);

        if (!places || places->shape.dtype == MEMMODEL_DTYPE_BOOL)
            continue;
        first = count == 0 ? i - 1 : first;
        count++;
        index = shape_broadcast(&index, &places->shape);
    }
    *shape = (struct shape){.dtype = x->shape.dtype};
    if (count == 0 || x->shape.rank - count + index.rank > MEMMODEL_MAX_RANK || first + count > x->shape.rank)
        return false;
    for (int i = 0; i < first; i++)
        shape->dims[shape->rank++] = x->shape.dims[i];
    for (int i = 0; i < index.rank; i++)
        shape->dims[shape->rank++] = index.dims[i];
    for (int i = first + count; i < x->shape.rank; i++)
        shape->dims[shape->rank++] = x->shape.dims[i];
    return true;
}

/* Zeros like the values are put into a copy of the gradient, unless values are added; theirs is gradient[index]. */
static void
index_put_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct shape *places = node->options;
    struct value *zeros;

    if (node_wants(node, 0) && node->number) {
        gradients[0] = value_keep(incoming[0]);
    } else if (node_wants(node, 0)) {
        zeros = value_empty(step, &node->edges[1].shape);
        gradients[0] = value_like(step, incoming[0]);
        value_drop(step, zeros);
    }
    if (node_wants(node, 1))
        gradients[1] = value_empty(step, places);
}

static void
index_put_forward(struct step *step, const struct layer *layer, int in_place)
{
    static const struct derivative index_put = {"index_put", index_put_backward};
    int last = layer->input_count - 1;
    struct value *operands[] = {step_input(step, layer, 0), step_input(step, layer, last)}, *result;
    struct shape *places = step_arena_allocate(step, sizeof *places);
    struct node *node;

    if (!places)
        return;
    if (!shape_of_places(step, layer, operands[0], places))
        *places = operands[1] ? operands[1]->shape : operands[0]->shape;
    node = node_new(step, &index_put, operands, 2, 1);
    result = in_place ? value_keep(operands[0]) : value_like(step, operands[0]);
    for (int i = 1; i < last && i < MAX_SAVED; i++)
        step_save(step, node, step_input(step, layer, i));
    if (node) {
        node->options = places;
        node->number = attribute_integer(layer, "accumulate", 0);
    }
    node_attach(step, node, result, 0);
    if (in_place)
        node_written(step, result);
    step_output(step, layer, 0, result);
}

/*
 * ---- im2col and col2im: the result starts as large as the input, which is then laid out in rows, and keeps its memory
 * where it shrinks ----
 */

static struct value *
resized(struct step *step, const struct value *x, const struct shape *shape)
{
    struct value *first = value_copy(step, x), *rows = value_is_contiguous(x) ? NULL : value_copy(step, x), *result;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (shape_elements(shape) > value_elements(x)) {
        result = value_empty(step, shape);
    } else {
        shape_strides(shape, strides);
        result = value_view(step, first, shape, strides);
        value_forget_base(step, result);
    }
    value_drop(step, first);
    value_drop(step, rows);
    return result;
}

static void
columns_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = resized(step, incoming[0], &shape);
}

static void
columns_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative im2col = {"im2col", columns_backward};
    struct value *x = step_input(step, layer, 0), *result;
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    result = resized(step, x, &shape);
    step_record(step, &im2col, result, 1, &x);
    step_output(step, layer, 0, result);
}

/* ---- embedding_bag: which bag each index is in, how long the bags are, and of what the results were made ---- */

enum bag_mode { BAG_SUM, BAG_MEAN, BAG_MAX };

struct bags {
    int64_t bags, indices, width;
    enum bag_mode mode;
};

static struct value *
integers(struct step *step, int64_t count)
{
    return value_vector(step, MEMMODEL_DTYPE_INT64, count);
}

/* A count of zeros, ones added where bags begin, minus one, summed up: EmbeddingBag.cpp, make_offset2bag */
static struct value *
bag_of_each(struct step *step, const struct bags *bags)
{
    struct value *count = integers(step, bags->indices + 1), *result;

    value_drop(step, integers(step, bags->bags));
    value_drop(step, value_scalar(step, MEMMODEL_DTYPE_INT64));
    result = integers(step, bags->indices + 1);
    value_drop(step, count);
    return result;
}

/* EmbeddingBag.cpp, apply_bag_size_backward and embedding_bag_dense_backward: the indices sorted, with their places. */
static void
sorted_scratch(struct step *step, const struct bags *bags)
{
    struct value *sorted = integers(step, bags->indices), *places = integers(step, bags->indices);

    value_drop(step, integers(step, bags->indices));
    value_drop(step, integers(step, bags->indices));
    value_drop(step, sorted);
    value_drop(step, places);
}

/* Column by column. */
static void
maximum_scratch(struct step *step, const struct bags *bags, int dtype)
{
    struct shape shape = {.dims = {bags->bags, bags->width}, .rank = 2, .dtype = MEMMODEL_DTYPE_INT64};
    struct value *rows = integers(step, bags->bags), *chosen = value_empty(step, &shape), *values;

    value_drop(step, rows);
    rows = integers(step, bags->bags);
    shape.dtype = dtype;
    values = value_empty(step, &shape);
    value_drop(step, rows);
    for (int64_t i = 0; i < bags->width; i++)
        value_drop(step, integers(step, bags->bags));
    value_drop(step, values);
    value_drop(step, chosen);
}

static void
embedding_bag_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct bags *bags = node->options;
    struct value *bag = bags->mode == BAG_SUM ? bag_of_each(step, bags) : NULL;

    gradients[0] = input_gradient(step, node, incoming[0], 0);
    if (bags->mode == BAG_MAX)
        maximum_scratch(step, bags, incoming[0]->shape.dtype);
    else
        sorted_scratch(step, bags);
    value_drop(step, bag);
}

/* Sizes of the bags for the mean, or which index was greatest; it takes the reference to `sizes`. */
static struct value *
bag_details(struct step *step, const struct bags *bags, struct value *sizes, int dtype)
{
    struct shape chosen = {.dims = {bags->bags, bags->width}, .rank = 2, .dtype = MEMMODEL_DTYPE_INT64};
    struct value *first, *second, *third, *result = sizes;

    if (bags->mode == BAG_MEAN) {
        first = integers(step, bags->bags);
        second = integers(step, bags->bags);
        third = value_vector(step, dtype, bags->bags);
        value_drop(step, second);
        value_drop(step, first);
        value_drop(step, third);
    } else if (bags->mode == BAG_MAX) {
        result = value_empty(step, &chosen);
        value_drop(step, sizes);
    }
    return result;
}

static void
embedding_bag_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative embedding_bag = {"embedding_bag", embedding_bag_backward};
    struct value *weight = step_input(step, layer, 0), *indices = step_input(step, layer, 1), *result, *saved[4];
    struct shape shape = step_output_shape(step, layer, 0);
    struct bags *bags = step_arena_allocate(step, sizeof *bags);
    struct node *node;

    (void)detail;
    if (!bags)
        return;
    *bags = (struct bags){shape.dims[0], value_elements(indices), shape.dims[1],
                          (enum bag_mode)attribute_integer(layer, "mode", BAG_SUM)};
    result = value_empty(step, &shape);
    saved[0] = bags->mode == BAG_SUM ? NULL : bag_of_each(step, bags);
    saved[1] = integers(step, bags->bags);
    value_drop(step, integers(step, bags->bags - 1));
    value_drop(step, value_scalar(step, MEMMODEL_DTYPE_INT64));
    saved[2] = bag_details(step, bags, integers(step, bags->bags), weight->shape.dtype);
    node = step_record(step, &embedding_bag, result, 1, &weight);
    step_save(step, node, step_input(step, layer, 2));
    for (int i = 0; i < 3; i++) {
        step_save(step, node, saved[i]);
        value_drop(step, saved[i]);
    }
    if (node)
        node->options = bags;
    step_output(step, layer, 0, result);
}

static const struct aten_op_rule indexing[] = {
    {"aten.col2im.default", columns_forward, 0, "0"},
    {"aten.embedding.default", embedding_forward, 0, "20"},
    {"aten.embedding_bag.default", embedding_bag_forward, 0, "20"},
    {"aten.embedding_bag.padding_idx", embedding_bag_forward, 0, "20"},
    {"aten.im2col.default", columns_forward, 0, "0"},
    {"aten.index.Tensor", index_forward, 0, "0"},
    {"aten.index_put.default", index_put_forward, 0, "0"},
    {"aten.index_put_.default", index_put_forward, 1, "0"},
    {"aten.index_select.default", index_select_forward, 0, "00"},
};

const struct aten_ops aten_op_indexing = ATEN_OPS(indexing);

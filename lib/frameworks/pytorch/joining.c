/* Slices, splits and joins. PyTorch: aten/src/ATen/native/TensorShape.cpp, TensorIndexing.cpp. */
#include "frameworks/pytorch/operators.h"

#include <string.h>

/* ---- slices: the gradient is zeros of the input's shape with a part filled in ---- */

static const struct derivative slice = {"slice", input_shaped_gradient};

struct value *
aten_part(struct step *step, struct value *x, const struct shape *shape, const int64_t *strides)
{
    struct value *result = value_view(step, x, shape, strides);

    step_record(step, &slice, result, 1, &x);
    return result;
}

/* One element of the axis, which goes. */
struct value *
aten_select(struct step *step, struct value *x, int axis)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct shape shape = {.dtype = x->shape.dtype};

    for (int i = 0; i < x->shape.rank; i++) {
        if (i == axis)
            continue;
        shape.dims[shape.rank] = x->shape.dims[i];
        strides[shape.rank++] = x->strides[i];
    }
    return aten_part(step, x, &shape, strides);
}

static void
slice_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_slice *options = layer->options;
    struct value *x = step_input(step, layer, 0);
    struct shape shape = step_output_shape(step, layer, 0);
    int axis = options->axis < 0 ? options->axis + x->shape.rank : options->axis;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (options->squeeze) {
        step_output(step, layer, 0, aten_select(step, x, axis));
        return;
    }
    memcpy(strides, x->strides, sizeof strides);
    strides[axis] = multiply_saturating(strides[axis], options->step > 0 ? options->step : 1);
    step_output(step, layer, 0, aten_part(step, x, &shape, strides));
}

const struct rule pytorch_slice = {OP_SLICE, slice_forward};

/* A slice along each axis that is cut. */
static void
crop_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_pad *options = layer->options;
    struct value *x = value_keep(step_input(step, layer, 0));
    struct shape shape = x->shape;

    for (int i = 0; i < x->shape.rank; i++) {
        struct value *whole = x;

        if (options->before[i] == 0 && options->after[i] == 0)
            continue;
        shape.dims[i] -= options->before[i] + options->after[i];
        x = aten_part(step, whole, &shape, whole->strides);
        value_drop(step, whole);
    }
    step_output(step, layer, 0, x);
}

const struct rule pytorch_crop = {OP_CROP, crop_forward};

/* ---- split: zeros stand in for the parts without a gradient, then all are joined ---- */

static void
split_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct shape *parts = node->options;
    size_t bytes = (size_t)node->output_count * sizeof(struct value *);
    struct value **zeros = step_pool_take(step, bytes);

    if (!zeros)
        return;
    for (int i = 0; i < node->output_count; i++)
        zeros[i] = incoming[i] ? NULL : value_empty(step, &parts[i]);
    gradients[0] = value_empty(step, &node->edges[0].shape);
    for (int i = 0; i < node->output_count; i++)
        value_drop(step, zeros[i]);
    object_pool_give(&step->pool, zeros, bytes);
}

void
aten_split(struct step *step, struct value *x, const struct shape *parts, const int64_t *strides, int count,
           struct value **results)
{
    static const struct derivative split = {"split", split_backward};
    struct node *node = node_new(step, &split, &x, 1, count);

    for (int i = 0; i < count; i++) {
        results[i] = value_view(step, x, &parts[i], strides);
        node_attach(step, node, results[i], i);
    }
    if (node)
        node->options = parts;
}

void
split_layer(struct step *step, const struct layer *layer, bool unsafe)
{
    struct value *x = step_input(step, layer, 0);
    size_t count = (size_t)layer->output_count;
    struct shape *parts = step_arena_allocate(step, count * sizeof *parts);
    struct value **results = step_pool_take(step, count * sizeof *results);

    if (!parts || !results)
        return;
    for (int i = 0; i < layer->output_count; i++)
        parts[i] = step_output_shape(step, layer, i);
    aten_split(step, x, parts, x->strides, layer->output_count, results);
    for (int i = 0; i < layer->output_count; i++) {
        if (unsafe)
            value_forget_base(step, results[i]);
        step_output(step, layer, i, results[i]);
    }
    object_pool_give(&step->pool, results, count * sizeof *results);
}

static void
split_forward(struct step *step, const struct layer *layer)
{
    split_layer(step, layer, false);
}

const struct rule pytorch_split = {OP_SPLIT, split_forward};

/* ---- joining: the gradients are views of the incoming one ---- */

static void
concat_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 0; i < node->edge_count; i++) {
        struct shape shape = shape_typed(&node->edges[i].shape, incoming[0]->shape.dtype);

        if (node_wants(node, i))
            gradients[i] = value_view(step, incoming[0], &shape, incoming[0]->strides);
    }
}

/* TensorShape.cpp, compute_output_memory_format() */
static bool
all_suggest_channels_last(struct value *const *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (!value_suggests_channels_last(parts[i]))
            return false;
    return count > 0;
}

struct value *
aten_concat(struct step *step, struct value *const *parts, int count, int axis, int dtype)
{
    static const struct derivative cat = {"cat", concat_backward};
    struct shape shape = shape_typed(&parts[0]->shape, dtype);
    struct value *result;

    for (int i = 1; i < count; i++)
        if (!checked_add(shape.dims[axis], parts[i]->shape.dims[axis], &shape.dims[axis]))
            step_fail(step, MEMMODEL_ERROR_OVERFLOW);
    result = value_empty(step, &shape);
    if (result != &step->nothing && all_suggest_channels_last(parts, count))
        shape_strides_channels_last(&shape, result->strides);
    step_record(step, &cat, result, count, parts);
    return result;
}

/* The axis of the stack is the node's number. */
static void
stack_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    for (int i = 0, to = 0; i < incoming[0]->shape.rank; i++)
        if (i != node->number)
            strides[to++] = incoming[0]->strides[i];
    for (int i = 0; i < node->edge_count; i++)
        if (node_wants(node, i))
            gradients[i] = value_view(step, incoming[0], &node->edges[i].shape, strides);
}

struct value *
aten_stack_of(struct step *step, struct value *const *parts, int count, int64_t length, int axis)
{
    static const struct derivative stack = {"stack", stack_backward};
    struct shape shape = parts[0]->shape;
    struct value *result;
    struct node *node;

    memmove(shape.dims + axis + 1, shape.dims + axis, (size_t)(MEMMODEL_MAX_RANK - 1 - axis) * sizeof shape.dims[0]);
    shape.dims[axis] = length;
    shape.rank++;
    result = value_empty(step, &shape);
    node = step_record(step, &stack, result, count, parts);
    if (node)
        node->number = axis;
    return result;
}

struct value *
aten_stack(struct step *step, struct value *const *parts, int count, int axis)
{
    return aten_stack_of(step, parts, count, count, axis);
}

static void
concat_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_concat *options = layer->options;
    size_t bytes = (size_t)layer->input_count * sizeof(struct value *);
    struct value **parts = step_pool_take(step, bytes), *result;
    int rank = step->network->tensors[layer->first_output].rank, layout = options->along_channels ? options->layout : 0;
    int axis = options->axis < 0 ? options->axis + rank : options->axis;

    if (!parts)
        return;
    for (int i = 0; i < layer->input_count; i++)
        parts[i] = step_channels_first(step, step_input(step, layer, i), layout);
    result = aten_concat(step, parts, layer->input_count, options->along_channels ? 1 : axis, parts[0]->shape.dtype);
    step_output(step, layer, 0, step_from_channels_first(step, result, layout));
    value_drop_all(step, parts, layer->input_count);
    object_pool_give(&step->pool, parts, bytes);
}

const struct rule pytorch_concat = {OP_CONCAT, concat_forward};

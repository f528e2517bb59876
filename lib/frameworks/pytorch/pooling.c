/*
 * Pooling. PyTorch: aten/src/ATen/native/Pooling.cpp, MaxPooling.cpp, AveragePool*.cpp, AdaptiveAveragePooling*.cpp.
 *
 * Output sizes are the network's; the kernels follow a channels-last input.
 */
#include "frameworks/pytorch/aten_ops.h"

/* Pools of one dimension are those of images that are one row high. */
static struct value
as_image(const struct value *x)
{
    struct value image = *x;

    if (x->shape.rank != 3)
        return image;
    image.shape.rank = 4;
    image.shape.dims[3] = x->shape.dims[2];
    image.strides[3] = x->strides[2];
    image.shape.dims[2] = 1;
    return image;
}

static bool
is_only_channels_last(const struct value *x)
{
    struct value image = as_image(x);

    return value_is_only_channels_last(&image);
}

static bool
is_channels_last(const struct value *x)
{
    struct value image = as_image(x);

    return value_is_channels_last(&image);
}

/* The layer's output as PyTorch sees it: channels second, laid out as the input. */
static struct value *
pooled(struct step *step, const struct layer *layer, const struct value *x, int layout, int dtype)
{
    struct shape shape = step_output_shape(step, layer, 0);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (layout == MEMMODEL_LAYOUT_CHANNELS_LAST) {
        struct shape last = shape;

        for (int i = 2; i < shape.rank; i++)
            shape.dims[i] = last.dims[i - 1];
        shape.dims[1] = last.dims[last.rank - 1];
    }
    shape.dtype = dtype;
    if (!is_only_channels_last(x))
        return value_empty(step, &shape);
    shape_strides_channels_last(&shape, strides);
    return value_empty_strided(step, &shape, strides);
}

/* ---- gradients: like the input, with a copy where the incoming gradient is laid out otherwise ---- */

static void
max_pool_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];

    gradients[0] = value_like(step, x);
    if (!is_only_channels_last(x)) {
        contiguous_scratch(step, incoming[0]);
    } else if (!is_channels_last(incoming[0])) {
        struct shape indices = shape_typed(&incoming[0]->shape, MEMMODEL_DTYPE_INT64);
        struct value *moved = value_empty(step, &indices);

        value_scratch(step, &x->shape);
        value_drop(step, moved);
    }
}

/* `moved`: of the copy where only the input has its channels last. */
static struct value *
follow_layout(struct step *step, const struct value *x, struct value *incoming, const struct shape *moved)
{
    struct value *gradient = value_like(step, x);

    if (!is_only_channels_last(x))
        contiguous_scratch(step, incoming);
    else if (!is_channels_last(incoming))
        value_scratch(step, moved);
    return gradient;
}

void
layout_following_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = follow_layout(step, node->saved[0], incoming[0], &node->saved[0]->shape);
}

/* On a GPU a kernel of two dims with channels last takes any strides: cuda/AdaptiveAveragePooling.cu. */
static void
adaptive_average_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];

    if (!step->device->host && x->shape.rank == 4 && is_only_channels_last(x))
        gradients[0] = value_like(step, x);
    else
        layout_following_backward(step, node, incoming, gradients);
}

static void
adaptive_max_pool_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = follow_layout(step, node->saved[0], incoming[0], &incoming[0]->shape);
}

static const struct derivative max_pool = {"max_pool", max_pool_backward};
static const struct derivative average_pool = {"avg_pool", layout_following_backward};
static const struct derivative adaptive_max_pool = {"adaptive_max_pool", adaptive_max_pool_backward};
static const struct derivative adaptive_average_pool = {"adaptive_avg_pool", adaptive_average_backward};

/* ---- forward ---- */

/*
 * Maximum and where it was found; a 1-d pooling that needs no gradient does without the places. They are handed over
 * where `places` is not NULL.
 */
static struct value *
pool_max(struct step *step, const struct layer *layer, struct value *x, int layout, const struct derivative *derivative,
         struct value **places)
{
    struct value *result = pooled(step, layer, x, layout, x->shape.dtype), *indices = NULL;
    struct node *node = step_record(step, derivative, result, 1, &x);

    if (node || x->shape.rank != 3 || places)
        indices = pooled(step, layer, x, layout, MEMMODEL_DTYPE_INT64);
    step_save(step, node, x);
    step_save(step, node, indices);
    if (places)
        *places = value_keep(indices);
    value_drop(step, indices);
    return result;
}

static struct value *
pool_average(struct step *step, const struct layer *layer, struct value *x, int layout,
             const struct derivative *derivative)
{
    struct value *result = pooled(step, layer, x, layout, x->shape.dtype);

    step_save(step, step_record(step, derivative, result, 1, &x), x);
    return result;
}

static void
pool_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_pool *options = layer->options;
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout), *result;

    if (options->kind == MEMMODEL_POOL_MAX)
        result = pool_max(step, layer, x, options->layout, &max_pool, NULL);
    else
        result = pool_average(step, layer, x, options->layout, &average_pool);
    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_pool = {OP_POOL, pool_forward};

static uint64_t
spatial_axes(const struct value *x)
{
    return ((UINT64_C(1) << x->shape.rank) - 1) & ~UINT64_C(3);
}

/* Down to one element a mean; two-dimensional, its result is given channels-last strides if the input has them. */
static struct value *
mean_of_all(struct step *step, struct value *x, uint64_t axes, bool flat)
{
    struct value *mean = aten_mean(step, x, axes, true), *result;

    if (!flat || !value_is_only_channels_last(x))
        return mean;
    result = aten_part(step, mean, &mean->shape, mean->strides);
    value_drop(step, mean);
    return result;
}

static void
adaptive_pool_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_adaptive_pool *options = layer->options;
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout), *result;
    bool one = options->output_size[0] <= 1 && options->output_size[1] <= 1 && options->output_size[2] <= 1;

    if (options->kind == MEMMODEL_POOL_MAX)
        result = pool_max(step, layer, x, options->layout, &adaptive_max_pool, NULL);
    else if (one)
        result = mean_of_all(step, x, spatial_axes(x), x->shape.rank == 4);
    else
        result = pool_average(step, layer, x, options->layout, &adaptive_average_pool);
    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_adaptive_pool = {OP_ADAPTIVE_POOL, adaptive_pool_forward};

/* x.mean(spatial) or adaptive_max_pool(x, 1), flattened unless the dims are kept. */
static void
global_pool_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_global_pool *options = layer->options;
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout), *result;

    if (options->kind == MEMMODEL_POOL_MAX)
        result = aten_extreme(step, x, spatial_axes(x), options->keep_dims);
    else
        result = aten_mean(step, x, spatial_axes(x), options->keep_dims);
    value_drop(step, x);
    step_output(step, layer, 0, options->keep_dims ? step_from_channels_first(step, result, options->layout) : result);
}

const struct rule pytorch_global_pool = {OP_GLOBAL_POOL, global_pool_forward};

/* ---- by name ---- */

static void
aten_op_max_forward(struct step *step, const struct layer *layer, int adaptive)
{
    const struct derivative *derivative = adaptive ? &adaptive_max_pool : &max_pool;
    struct value *x = step_input(step, layer, 0), *places = NULL;
    bool both = layer->output_count > 1;

    step_output(step, layer, 0, pool_max(step, layer, x, 0, derivative, both ? &places : NULL));
    if (both)
        step_output(step, layer, 1, places);
}

static void
aten_op_average_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, pool_average(step, layer, step_input(step, layer, 0), 0, &average_pool));
}

static void
aten_op_adaptive_average_forward(struct step *step, const struct layer *layer, int dims)
{
    struct value *x = step_input(step, layer, 0), *result;
    struct shape shape = step_output_shape(step, layer, 0);

    if (shape.rank < dims || x->shape.rank < dims || shape_product(&shape, shape.rank - dims, shape.rank) != 1)
        result = pool_average(step, layer, x, 0, &adaptive_average_pool);
    else
        result = mean_of_all(step, x, ((UINT64_C(1) << dims) - 1) << (x->shape.rank - dims), dims == 2);
    step_output(step, layer, 0, result);
}

static const struct aten_op_rule aten_op_rules[] = {
    {"aten.adaptive_avg_pool1d.default", aten_op_adaptive_average_forward, 1, "2"},
    {"aten.adaptive_avg_pool2d.default", aten_op_adaptive_average_forward, 2, "2"},
    {"aten.adaptive_avg_pool3d.default", aten_op_adaptive_average_forward, 3, "2"},
    {"aten.adaptive_max_pool1d.default", aten_op_max_forward, 1, "2"},
    {"aten.adaptive_max_pool2d.default", aten_op_max_forward, 1, "2"},
    {"aten.adaptive_max_pool3d.default", aten_op_max_forward, 1, "2"},
    {"aten.avg_pool1d.default", aten_op_average_forward, 0, "2"},
    {"aten.avg_pool2d.default", aten_op_average_forward, 0, "2"},
    {"aten.avg_pool3d.default", aten_op_average_forward, 0, "2"},
    {"aten.max_pool1d.default", aten_op_max_forward, 0, "2"},
    {"aten.max_pool2d.default", aten_op_max_forward, 0, "2"},
    {"aten.max_pool2d_with_indices.default", aten_op_max_forward, 0, "2"},
    {"aten.max_pool3d.default", aten_op_max_forward, 0, "2"},
};

const struct aten_ops aten_op_pooling = ATEN_OPS(aten_op_rules);

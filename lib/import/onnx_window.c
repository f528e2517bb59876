/* Operators on images: convolution, pooling, normalisation, resizing. */
#include "import/onnx_import.h"

#include "base/checked.h"

#include <string.h>

enum { SPATIAL = 3 };

/* ---- windows ---- */

struct window {
    int64_t kernel[SPATIAL], stride[SPATIAL], dilation[SPATIAL], before[SPATIAL], after[SPATIAL];
    int spatial;
    bool same; /* padded so that output = ceil(input / stride) */
};

static void
read_sizes(struct import *import, const char *name, int64_t *sizes, int spatial, int64_t otherwise)
{
    size_t count = node_integers(import, name, sizes, SPATIAL);

    if (count != 0 && count != (size_t)spatial)
        import_error(import, MEMMODEL_ERROR_SHAPE, "%s has %zu numbers for %d dimensions", name, count, spatial);
    for (int i = count ? spatial : 0; i < SPATIAL; i++)
        sizes[i] = otherwise;
    for (int i = 0; i < SPATIAL; i++)
        if (sizes[i] < 0 || sizes[i] > INT32_MAX) {
            import_error(import, MEMMODEL_ERROR_SHAPE, "%s has a %lld", name, (long long)sizes[i]);
            sizes[i] = 1;
        }
}

static void
read_pads(struct import *import, struct window *window)
{
    int64_t pads[2 * SPATIAL] = {0};
    size_t count = node_integers(import, "pads", pads, 2 * SPATIAL);

    if (count != 0 && count != 2 * (size_t)window->spatial)
        import_error(import, MEMMODEL_ERROR_SHAPE, "pads has %zu numbers for %d dimensions", count, window->spatial);
    for (int i = 0; i < SPATIAL; i++)
        window->before[i] = window->after[i] = 0;
    for (int i = 0; i < window->spatial && count; i++) {
        window->before[i] = pads[i];
        window->after[i] = pads[window->spatial + i];
        if (pads[i] < 0 || pads[window->spatial + i] < 0 || pads[i] > INT32_MAX ||
            pads[window->spatial + i] > INT32_MAX)
            import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "pads has a negative or enormous number");
    }
}

/* Whether uneven padding leaves ceil(input / stride), as TensorFlow's "same" does. */
static bool
pads_to_same(const struct window *window, const struct memmodel_shape *x)
{
    for (int i = 0; i < window->spatial; i++) {
        memmodel_dim size = x->dims[2 + i];
        int64_t reach = window->dilation[i] * (window->kernel[i] - 1) + 1;

        if (size < 0 || window->stride[i] < 1 || size > INT32_MAX ||
            floor_divide(size + window->before[i] + window->after[i] - reach, window->stride[i]) + 1 !=
                ceil_divide(size, window->stride[i]))
            return false;
    }
    return true;
}

static bool
is_even(const struct window *window)
{
    return memcmp(window->before, window->after, sizeof window->before) == 0;
}

static void
read_window(struct import *import, const struct memmodel_shape *x, const struct memmodel_shape *weight,
            struct window *window)
{
    const char *automatic = node_text(import, "auto_pad", "NOTSET");

    *window = (struct window){.spatial = x->rank - 2};
    if (window->spatial < 1 || window->spatial > SPATIAL || (weight && weight->rank != x->rank)) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "its input has %d dimensions%s; needs 3 to 5", x->rank,
                     weight ? ", or its weight another number" : "");
        window->spatial = 1;
    }
    read_sizes(import, "kernel_shape", window->kernel, window->spatial, 0);
    for (int i = 0; weight && i < window->spatial && !import->status; i++)
        if (window->kernel[i] == 0)
            window->kernel[i] = weight->dims[2 + i];
    read_sizes(import, "strides", window->stride, window->spatial, 1);
    read_sizes(import, "dilations", window->dilation, window->spatial, 1);
    read_pads(import, window);
    window->same = strncmp(automatic, "SAME", 4) == 0;
    if (!window->same && !is_even(window) && !import->status)
        window->same = pads_to_same(window, x);
}

/* Uneven padding as a layer of its own before. */
static memmodel_tensor
padded(struct import *import, memmodel_tensor x, const struct window *window)
{
    struct memmodel_pad pad = {.size = sizeof pad};

    if (window->same || is_even(window) || import->status)
        return x;
    for (int i = 0; i < window->spatial; i++) {
        pad.before[2 + i] = window->before[i];
        pad.after[2 + i] = window->after[i];
    }
    return memmodel_network_pad(import->network, x, &pad);
}

/* ---- convolution ---- */

static struct memmodel_conv
conv_options(struct import *import, const struct window *window, int64_t filters)
{
    struct memmodel_conv conv = {
        .size = sizeof conv,
        .name = node_name(import),
        .filters = filters,
        .groups = node_integer(import, "group", 1),
        .auto_pad = window->same ? MEMMODEL_AUTO_PAD_SAME : MEMMODEL_AUTO_PAD_EXPLICIT,
        .layout = MEMMODEL_LAYOUT_CHANNELS_FIRST,
        .no_bias = !node_optional(import, 2),
    };

    memcpy(conv.kernel, window->kernel, sizeof conv.kernel);
    memcpy(conv.stride, window->stride, sizeof conv.stride);
    memcpy(conv.dilation, window->dilation, sizeof conv.dilation);
    if (!window->same && is_even(window))
        memcpy(conv.padding, window->before, sizeof conv.padding);
    return conv;
}

/* Weights are stored, and of constant size. */
static bool
has_weights(struct import *import, size_t i, const struct value **weight)
{
    *weight = node_value(import, i);
    for (int axis = 0; axis < (*weight)->shape.rank; axis++)
        if ((*weight)->shape.dims[axis] < 0)
            return false;
    return (*weight)->stored;
}

static void
require_channels(struct import *import, memmodel_dim given, memmodel_dim needed)
{
    if (given >= 0 && needed >= 0 && given != needed)
        import_error(import, MEMMODEL_ERROR_SHAPE, "its input has %lld channels, its weight is for %lld",
                     (long long)given, (long long)needed);
}

static void
build_conv(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0), *weight;
    struct memmodel_conv conv;
    struct window window;
    memmodel_tensor tensor;
    int64_t channels;

    (void)argument;
    if (!has_weights(import, 1, &weight)) {
        build_unknown(import);
        return;
    }
    read_window(import, &x->shape, &weight->shape, &window);
    tensor = padded(import, node_tensor(import, 0), &window);
    conv = conv_options(import, &window, weight->shape.dims[0]);
    if (conv.groups < 1 || !checked_multiply(conv.groups, weight->shape.dims[1], &channels))
        import_error(import, MEMMODEL_ERROR_SHAPE, "group is %lld", (long long)conv.groups);
    else
        require_channels(import, x->shape.dims[1], channels);
    node_use(import, "weight", 1);
    node_use(import, "bias", 2);
    if (node_ready(import))
        node_output(import, 0, memmodel_network_conv(import->network, tensor, &conv));
}

static void
build_conv_transpose(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0), *weight;
    int64_t output_padding[SPATIAL], filters;
    struct memmodel_conv conv;
    struct window window;
    memmodel_tensor tensor;

    (void)argument;
    if (!has_weights(import, 1, &weight) || node_attribute(import, "output_shape")) {
        build_unknown(import);
        return;
    }
    read_window(import, &x->shape, &weight->shape, &window);
    window.same = strncmp(node_text(import, "auto_pad", "NOTSET"), "SAME", 4) == 0;
    read_sizes(import, "output_padding", output_padding, window.spatial, 0);
    tensor = node_tensor(import, 0);
    conv = conv_options(import, &window, 0);
    for (int i = 0; i < window.spatial && !window.same; i++) {
        /* one less at the end is one more of output */
        conv.padding[i] = max_i64(window.before[i], window.after[i]);
        conv.output_padding[i] = output_padding[i] + 2 * conv.padding[i] - window.before[i] - window.after[i];
    }
    if (conv.groups < 1 || !checked_multiply(conv.groups, weight->shape.dims[1], &filters))
        import_error(import, MEMMODEL_ERROR_SHAPE, "group is %lld", (long long)conv.groups);
    else
        conv.filters = filters;
    require_channels(import, x->shape.dims[1], weight->shape.dims[0]);
    node_use(import, "weight", 1);
    node_use(import, "bias", 2);
    if (node_ready(import))
        node_output(import, 0, memmodel_network_conv_transpose(import->network, tensor, &conv));
}

/* Size after a window: floor((size + pads - reach) / stride) + 1, or ceil(size / stride). */
static memmodel_dim
windowed(struct import *import, memmodel_dim size, const struct window *window, int axis)
{
    struct expression_pool *pool = import->pool;
    int64_t reach = window->dilation[axis] * (window->kernel[axis] - 1) + 1;
    int64_t rest = window->before[axis] + window->after[axis] - reach;
    expression e = element_of_dim(import, size);

    if (window->stride[axis] < 1 || window->kernel[axis] > INT32_MAX || window->dilation[axis] > INT32_MAX) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "a stride of %lld", (long long)window->stride[axis]);
        return 1;
    }
    if (window->same)
        return dim_of_element(import, import_expression(import, expression_ceil_divide(pool, e, window->stride[axis])));
    e = import_expression(import, expression_add(pool, e, expression_integer(pool, rest)));
    e = import_expression(import, expression_floor_divide(pool, e, window->stride[axis]));
    return dim_of_element(import, import_expression(import, expression_add(pool, e, expression_integer(pool, 1))));
}

/* Of small integers: the weight is input 1 of a ConvInteger, 3 of a QLinearConv, whose result is of input 7's type. */
static void
build_integer_conv(struct import *import, int64_t weight)
{
    const struct value *x = node_value(import, 0), *w;
    struct memmodel_shape y = x->shape;
    struct window window;

    if (!has_weights(import, (size_t)weight, &w)) {
        build_unknown(import);
        return;
    }
    read_window(import, &x->shape, &w->shape, &window);
    for (int i = 0; i < window.spatial && !import->status; i++)
        y.dims[2 + i] = windowed(import, y.dims[2 + i], &window, i);
    if (import->status)
        return;
    y.dims[1] = w->shape.dims[0];
    y.dtype = weight == 1 ? MEMMODEL_DTYPE_INT32 : node_value(import, 7)->shape.dtype;
    build_custom_one(import, &y);
}

/* ---- pooling ---- */

static void
build_pool(struct import *import, int64_t kind)
{
    const struct value *x = node_value(import, 0);
    struct memmodel_pool pool = {
        .size = sizeof pool, .name = node_name(import), .layout = MEMMODEL_LAYOUT_CHANNELS_FIRST};
    struct window window;
    memmodel_tensor tensor;

    if (node_output_count(import) > 1) {
        build_unknown(import);
        return;
    }
    read_window(import, &x->shape, NULL, &window);
    tensor = padded(import, node_tensor(import, 0), &window);
    memcpy(pool.kernel, window.kernel, sizeof pool.kernel);
    memcpy(pool.stride, window.stride, sizeof pool.stride);
    memcpy(pool.dilation, window.dilation, sizeof pool.dilation);
    if (!window.same && is_even(&window))
        memcpy(pool.padding, window.before, sizeof pool.padding);
    pool.auto_pad = window.same ? MEMMODEL_AUTO_PAD_SAME : MEMMODEL_AUTO_PAD_EXPLICIT;
    pool.kind = (int32_t)kind;
    pool.ceil_mode = node_integer(import, "ceil_mode", 0) != 0;
    if (!import->status)
        node_output(import, 0, memmodel_network_pool(import->network, tensor, &pool));
}

static void
build_global_pool(struct import *import, int64_t kind)
{
    memmodel_tensor x = node_tensor(import, 0);

    node_output(
        import, 0,
        memmodel_network_global_pool(import->network, x,
                                     MEMMODEL_GLOBAL_POOL(.name = node_name(import), .kind = (int32_t)kind,
                                                          .keep_dims = 1, .layout = MEMMODEL_LAYOUT_CHANNELS_FIRST)));
}

/* ---- normalisation ---- */

static void
build_batch_norm(struct import *import, int64_t argument)
{
    static const char *const roles[] = {"weight", "bias", "running_mean", "running_var"};
    memmodel_tensor x = node_tensor(import, 0);

    (void)argument;
    for (size_t i = 0; i < 4; i++)
        node_use(import, roles[i], i + 1);
    if (node_ready(import))
        node_output(import, 0,
                    memmodel_network_batch_norm(
                        import->network, x,
                        MEMMODEL_BATCH_NORM(.name = node_name(import), .layout = MEMMODEL_LAYOUT_CHANNELS_FIRST)));
}

static void
build_instance_norm(struct import *import, int64_t argument)
{
    memmodel_tensor x = node_tensor(import, 0);

    (void)argument;
    node_use(import, "weight", 1);
    node_use(import, "bias", 2);
    if (node_ready(import))
        node_output(import, 0,
                    memmodel_network_instance_norm(import->network, x,
                                                   MEMMODEL_INSTANCE_NORM(.name = node_name(import), .affine = 1,
                                                                          .layout = MEMMODEL_LAYOUT_CHANNELS_FIRST)));
}

/* Before opset 21 scale and shift were one per group. */
static void
build_group_norm(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0), *scale = node_value(import, 1);
    bool per_channel = x->shape.rank > 1 && scale->shape.rank == 1 && scale->shape.dims[0] == x->shape.dims[1];
    struct memmodel_group_norm norm = {
        .size = sizeof norm,
        .name = node_name(import),
        .groups = node_integer(import, "num_groups", 0),
        .layout = MEMMODEL_LAYOUT_CHANNELS_FIRST,
        .no_affine = !per_channel,
    };
    memmodel_tensor tensor = node_tensor(import, 0);

    (void)argument;
    if (per_channel) {
        node_use(import, "weight", 1);
        node_use(import, "bias", 2);
    }
    if (node_ready(import))
        node_output(import, 0, memmodel_network_group_norm(import->network, tensor, &norm));
}

static memmodel_tensor
add_layer_norm(struct import *import, memmodel_tensor x, int64_t axis_count)
{
    return memmodel_network_layer_norm(
        import->network, x,
        MEMMODEL_LAYER_NORM(.name = node_name(import), .axis_count = axis_count, .no_bias = !node_optional(import, 2)));
}

static memmodel_tensor
add_rms_norm(struct import *import, memmodel_tensor x, int64_t axis_count)
{
    return memmodel_network_rms_norm(import->network, x,
                                     MEMMODEL_RMS_NORM(.name = node_name(import), .axis_count = axis_count));
}

/* Layer and, from opset 23, RMS normalisation over the dimensions from `axis` on. */
static void
build_layer_norm(struct import *import, int64_t root_mean_square)
{
    const struct value *x = node_value(import, 0);
    int axis = import_axis(import, node_integer(import, "axis", -1), x->shape.rank), axis_count = x->shape.rank - axis;
    memmodel_tensor tensor = node_tensor(import, 0);

    if (node_output_count(import) > 1) {
        build_unknown(import);
        return;
    }
    node_use(import, "weight", 1);
    node_use(import, "bias", 2);
    if (node_ready(import))
        node_output(import, 0,
                    root_mean_square ? add_rms_norm(import, tensor, axis_count)
                                     : add_layer_norm(import, tensor, axis_count));
}

/* ---- resizing ---- */

/* Sizes after a Resize or an Upsample: of `sizes`, or floor(size * scale). false: computed from data. */
static bool
resized(struct import *import, const struct value *sizes, const struct value *scales, struct memmodel_shape *shape)
{
    const struct value *given = sizes && sizes->elements && sizes->count > 0 ? sizes : scales;

    if (!given || !given->elements || given->count != (size_t)shape->rank)
        return false;
    for (int i = 0; i < shape->rank; i++) {
        expression size = given->elements[i];

        if (given == scales)
            size = import_expression(
                import,
                expression_floor_divide(
                    import->pool, expression_multiply(import->pool, element_of_dim(import, shape->dims[i]), size), 1));
        shape->dims[i] = dim_of_element(import, size);
    }
    return true;
}

/* The whole factors by which the spatial dimensions grow. */
static bool
whole_scale(struct import *import, const struct value *scales, int rank, int64_t scale[SPATIAL])
{
    int64_t integer;

    if (!scales || !scales->elements || scales->count != (size_t)rank || rank < 3 || rank > 2 + SPATIAL)
        return false;
    for (int i = 0; i < rank; i++) {
        if (!element_integer(import, scales->elements[i], &integer) || integer < 1 || (i < 2 && integer != 1))
            return false;
        if (i >= 2)
            scale[i - 2] = integer;
    }
    return true;
}

static int32_t
interpolation(struct import *import)
{
    const char *mode = node_text(import, "mode", "nearest");

    return strcmp(mode, "cubic") == 0    ? MEMMODEL_INTERPOLATION_CUBIC
           : strcmp(mode, "linear") == 0 ? MEMMODEL_INTERPOLATION_LINEAR
                                         : MEMMODEL_INTERPOLATION_NEAREST;
}

/* Scales are input 1 of Upsample and of Resize 10, later input 2; before opset 9 an attribute. */
static void
build_resize(struct import *import, int64_t argument)
{
    size_t place = node_input_count(import) <= 2 ? 1 : 2;
    struct memmodel_shape shape = node_value(import, 0)->shape;
    const struct value *scales = node_optional(import, place), *sizes = node_optional(import, 3);
    struct memmodel_upsample upsample = {
        .size = sizeof upsample, .name = node_name(import), .layout = MEMMODEL_LAYOUT_CHANNELS_FIRST};
    memmodel_tensor x = node_tensor(import, 0);

    (void)argument;
    upsample.kind = interpolation(import);
    if (!node_attribute(import, "axes") && !(sizes && sizes->count) &&
        whole_scale(import, scales, shape.rank, upsample.scale) &&
        (upsample.kind != MEMMODEL_INTERPOLATION_CUBIC || shape.rank == 4))
        node_output(import, 0, memmodel_network_upsample(import->network, x, &upsample));
    else if (!node_attribute(import, "axes") && resized(import, sizes, scales, &shape))
        build_custom_one(import, &shape);
    else
        build_unknown(import);
}

const struct onnx_rule onnx_window_rules[] = {
    {"Conv", build_conv, 0},
    {"ConvTranspose", build_conv_transpose, 0},
    {"ConvInteger", build_integer_conv, 1},
    {"QLinearConv", build_integer_conv, 3},
    {"MaxPool", build_pool, MEMMODEL_POOL_MAX},
    {"LpPool", build_pool, MEMMODEL_POOL_AVERAGE},
    {"AveragePool", build_pool, MEMMODEL_POOL_AVERAGE},
    {"GlobalAveragePool", build_global_pool, MEMMODEL_POOL_AVERAGE},
    {"GlobalMaxPool", build_global_pool, MEMMODEL_POOL_MAX},
    {"GlobalLpPool", build_global_pool, MEMMODEL_POOL_AVERAGE},
    {"BatchNormalization", build_batch_norm, 0},
    {"InstanceNormalization", build_instance_norm, 0},
    {"GroupNormalization", build_group_norm, 0},
    {"LayerNormalization", build_layer_norm, 0},
    {"RMSNormalization", build_layer_norm, 1},
    {"Resize", build_resize, 0},
    {"Upsample", build_resize, 0},
    {0},
};

/*
 * Layers along one spatial axis. Sizes and places: torch.nn.Conv3d, ConvTranspose3d, MaxPool3d (ceil_mode), Upsample
 * without align_corners; "same" padding as tf.nn.convolution.
 */
#include "inference/field_rule.h"

#include "base/checked.h"
#include "network/builder.h"

/* ---- which elements ---- */

/* Elements before the first that padding adds, where the stride divides the extent. */
static int64_t
pad_of(const struct field_rule *rule)
{
    return rule->same ? max_i64(rule->span - rule->stride, 0) / 2 : rule->pad;
}

/* Linear interpolation reads two neighbours, cubic one more on each side. */
static void
scaled_inputs(const struct field_rule *rule, int64_t *first, int64_t *last)
{
    int64_t more = rule->mode == MEMMODEL_INTERPOLATION_CUBIC ? 1 : 0, twice = 2 * rule->stride;

    if (rule->mode == MEMMODEL_INTERPOLATION_NEAREST) {
        *first = floor_divide(*first, rule->stride);
        *last = floor_divide(*last, rule->stride);
        return;
    }
    *first = floor_divide(2 * *first + 1 - rule->stride, twice) - more;
    *last = floor_divide(2 * *last + 1 - rule->stride, twice) + 1 + more;
}

void
field_rule_inputs(const struct field_rule *rule, int64_t *first, int64_t *last)
{
    int64_t pad = pad_of(rule);

    switch (rule->kind) {
    case FIELD_RULE_POINT:
        break;
    case FIELD_RULE_WINDOW:
        *first = *first * rule->stride - pad;
        *last = *last * rule->stride - pad + rule->span - 1;
        break;
    case FIELD_RULE_SPREAD:
        *first = ceil_divide(*first + pad - rule->span + 1, rule->stride);
        *last = floor_divide(*last + pad, rule->stride);
        break;
    case FIELD_RULE_SCALE:
        scaled_inputs(rule, first, last);
        break;
    }
}

/* A last window that begins behind the input is left out. */
static int64_t
window_extent(const struct field_rule *rule, int64_t extent)
{
    int64_t room = extent + 2 * rule->pad - rule->span, windows;

    if (rule->same)
        return ceil_divide(extent, rule->stride);
    if (room < 0 && !rule->ceil)
        return 0;
    windows = (rule->ceil ? ceil_divide(room, rule->stride) : room / rule->stride) + 1;
    return rule->ceil && (windows - 1) * rule->stride >= extent + rule->pad ? windows - 1 : windows;
}

int64_t
field_rule_extent(const struct field_rule *rule, int64_t extent)
{
    switch (rule->kind) {
    case FIELD_RULE_WINDOW:
        return window_extent(rule, extent);
    case FIELD_RULE_SPREAD:
        return rule->same ? extent * rule->stride
                          : (extent - 1) * rule->stride - 2 * rule->pad + rule->span + rule->extra;
    case FIELD_RULE_SCALE:
        return extent * rule->stride;
    default:
        return extent;
    }
}

/* ---- layers ---- */

static int
refuse(const struct receptive_field *field, const struct layer *layer, const char *why)
{
    return context_error(field->context, MEMMODEL_ERROR_UNSUPPORTED, layer->name, "%s (%s): no tiles can be cut", why,
                         op_name(layer->op));
}

static bool
is_spatial(const struct receptive_field *field, int32_t axis)
{
    return axis >= field->first && axis < field->first + field->axes;
}

static int
by_axis(const struct receptive_field *field, const struct layer *layer, int32_t axis)
{
    return is_spatial(field, axis) ? refuse(field, layer, "works along a spatial axis") : 0;
}

static int
rule_of_conv(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    const struct memmodel_conv *conv = layer->options;

    (void)field;
    *rule = (struct field_rule){
        .kind = layer->op == OP_CONV ? FIELD_RULE_WINDOW : FIELD_RULE_SPREAD,
        .stride = conv->stride[axis],
        .span = conv->dilation[axis] * (conv->kernel[axis] - 1) + 1,
        .pad = conv->padding[axis],
        .extra = layer->op == OP_CONV ? 0 : conv->output_padding[axis],
        .same = conv->auto_pad == MEMMODEL_AUTO_PAD_SAME,
    };
    return 0;
}

static int
rule_of_pool(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    const struct memmodel_pool *pool = layer->options;

    (void)field;
    *rule = (struct field_rule){
        .kind = FIELD_RULE_WINDOW,
        .stride = pool->stride[axis],
        .span = pool->dilation[axis] * (pool->kernel[axis] - 1) + 1,
        .pad = pool->padding[axis],
        .same = pool->auto_pad == MEMMODEL_AUTO_PAD_SAME,
        .ceil = pool->ceil_mode,
    };
    return 0;
}

static int
rule_of_upsample(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    const struct memmodel_upsample *upsample = layer->options;

    if (upsample->output_size[0])
        return refuse(field, layer, "makes a fixed size of any");
    *rule = (struct field_rule){.kind = FIELD_RULE_SCALE, .stride = upsample->scale[axis], .mode = upsample->kind};
    return 0;
}

static int
rule_of_point(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    (void)field, (void)layer, (void)axis, (void)rule;
    return 0;
}

static int
rule_of_batch_norm(const struct receptive_field *field, const struct layer *layer, int32_t axis,
                   struct field_rule *rule)
{
    const struct memmodel_batch_norm *norm = layer->options;

    (void)axis, (void)rule;
    return norm->no_running_stats ? refuse(field, layer, "needs the mean of everything") : 0;
}

/* Of a layer over the last axes: how many those are. */
static int64_t
last_axis_count(const struct layer *layer)
{
    if (layer->op == OP_LAYER_NORM)
        return ((const struct memmodel_layer_norm *)layer->options)->axis_count;
    if (layer->op == OP_RMS_NORM)
        return ((const struct memmodel_rms_norm *)layer->options)->axis_count;
    return 1;
}

static int
rule_of_last_axes(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    (void)axis, (void)rule;
    return field->first == 1 && last_axis_count(layer) == 1 ? 0 : refuse(field, layer, "works along a spatial axis");
}

static int
rule_of_softmax(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    (void)axis, (void)rule;
    return by_axis(field, layer, ((const struct memmodel_softmax *)layer->options)->axis);
}

static int
rule_of_concat(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    (void)axis, (void)rule;
    return by_axis(field, layer, ((const struct memmodel_concat *)layer->options)->axis);
}

static int
rule_of_split(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    (void)axis, (void)rule;
    return by_axis(field, layer, ((const struct memmodel_split *)layer->options)->axis);
}

static int
rule_of_slice(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    (void)axis, (void)rule;
    return by_axis(field, layer, ((const struct memmodel_slice *)layer->options)->axis);
}

static int
rule_of_margins(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    const struct memmodel_pad *pad = layer->options;

    (void)rule;
    if (pad->before[field->first + axis] || pad->after[field->first + axis])
        return refuse(field, layer, "changes a spatial axis at its ends");
    return 0;
}

static int
rule_of_reduce(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    const struct memmodel_reduce *reduce = layer->options;
    int status = reduce->axis_count ? 0 : refuse(field, layer, "works along a spatial axis");

    (void)axis, (void)rule;
    for (int32_t i = 0; i < reduce->axis_count && !status; i++)
        status = by_axis(field, layer, reduce->axes[i]);
    return status;
}

typedef int (*rule_finder)(const struct receptive_field *, const struct layer *, int32_t, struct field_rule *);

/* Without a row: what it does to a spatial axis is not known, or it looks at all of it. */
static const rule_finder finders[OP_COUNT] = {
    [OP_CONV] = rule_of_conv,          [OP_CONV_TRANSPOSE] = rule_of_conv,   [OP_POOL] = rule_of_pool,
    [OP_UPSAMPLE] = rule_of_upsample,  [OP_ACTIVATION] = rule_of_point,      [OP_DROPOUT] = rule_of_point,
    [OP_BINARY] = rule_of_point,       [OP_BATCH_NORM] = rule_of_batch_norm, [OP_LAYER_NORM] = rule_of_last_axes,
    [OP_RMS_NORM] = rule_of_last_axes, [OP_LINEAR] = rule_of_last_axes,      [OP_SOFTMAX] = rule_of_softmax,
    [OP_CONCAT] = rule_of_concat,      [OP_SPLIT] = rule_of_split,           [OP_SLICE] = rule_of_slice,
    [OP_PAD] = rule_of_margins,        [OP_CROP] = rule_of_margins,          [OP_REDUCE] = rule_of_reduce,
};

int
field_rule_of(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule)
{
    *rule = (struct field_rule){.kind = FIELD_RULE_POINT, .stride = 1, .span = 1};
    return finders[layer->op] ? finders[layer->op](field, layer, axis, rule)
                              : refuse(field, layer, "may look at everything");
}

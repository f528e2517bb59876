/* Upsampling and padding by name. PyTorch: aten/src/ATen/native/UpSample*.cpp, PadNd.cpp. */
#include "frameworks/pytorch/aten_ops.h"

static void
upsample_forward(struct step *step, const struct layer *layer, int mode)
{
    struct shape shape = step_output_shape(step, layer, 0);

    if (step_input(step, layer, 0)->shape.rank != shape.rank || shape.rank > 5)
        aten_op_estimate(step, layer);
    else
        step_output(step, layer, 0, aten_upsample(step, step_input(step, layer, 0), &shape, mode));
}

/* ---- with antialias: one axis after the other, the last first. UpSampleKernel.cpp, separable_upsample_generic_Nd ---- */

/* Of each place: where its sources begin, how many they are, their sizes and strides, and their weights. */
static void
source_tables(struct step *step, int64_t from, int64_t to, int64_t support, int dtype)
{
    struct value *tables[5];
    int64_t reach = (support * (from > to ? from : to) + 2 * to - 1) / (2 * to); /* ceil(support / 2 * scale) */
    struct shape weights = {.dims = {to, 2 * reach + 1}, .rank = 2, .dtype = dtype};

    for (int i = 0; i < 5; i++)
        tables[i] = i == 3 ? value_empty(step, &weights) : value_vector(step, MEMMODEL_DTYPE_INT64, to);
    value_drop_all(step, tables, 5);
}

static struct value *
smoothed(struct step *step, const struct value *x, const struct shape *shape, int64_t support)
{
    struct value *result = value_empty(step, shape), *between = NULL;
    struct shape half = x->shape;
    int last = shape->rank - 1;

    half.dims[last] = shape->dims[last];
    if (half.dims[last - 1] != shape->dims[last - 1] && x->shape.dims[last] != shape->dims[last])
        between = value_empty(step, &half);
    for (int axis = last; axis >= last - 1; axis--)
        if (x->shape.dims[axis] != shape->dims[axis])
            source_tables(step, x->shape.dims[axis], shape->dims[axis], support, x->shape.dtype);
    value_drop(step, between);
    return result;
}

static void
smoothed_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    gradients[0] = value_empty(step, &node->edges[0].shape);
}

static void
antialias_forward(struct step *step, const struct layer *layer, int support)
{
    static const struct derivative upsample = {"upsample_aa", smoothed_backward};
    struct value *x = step_input(step, layer, 0), *result;
    struct shape shape = step_output_shape(step, layer, 0);

    if (x->shape.rank != 4 || shape.rank != 4 || shape_elements(&shape) == 0 || shape_elements(&x->shape) == 0) {
        aten_op_estimate(step, layer);
        return;
    }
    result = smoothed(step, x, &shape, support);
    step_record(step, &upsample, result, 1, &x);
    step_output(step, layer, 0, result);
}

/* The attribute "pad" begins with the last axis. */
static struct value *
circular(struct step *step, const struct layer *layer, struct value *x)
{
    int64_t list[2 * MEMMODEL_MAX_RANK], before[MEMMODEL_MAX_RANK] = {0}, after[MEMMODEL_MAX_RANK] = {0};
    int count = attribute_list(layer, "pad", list, 2 * MEMMODEL_MAX_RANK);

    for (int i = 0; i < count / 2 && i < x->shape.rank; i++) {
        before[x->shape.rank - 1 - i] = list[2 * i];
        after[x->shape.rank - 1 - i] = list[2 * i + 1];
    }
    return aten_circular_pad(step, x, before, after);
}

static void
pad_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    if (attribute_is(layer, "mode", "circular"))
        step_output(step, layer, 0, circular(step, layer, x));
    else if (attribute_is(layer, "mode", "reflect") || attribute_is(layer, "mode", "replicate"))
        step_output(step, layer, 0, aten_mirror_pad(step, x, &shape));
    else
        step_output(step, layer, 0, aten_constant_pad(step, x, &shape));
}

static void
mirror_forward(struct step *step, const struct layer *layer, int detail)
{
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    step_output(step, layer, 0, aten_mirror_pad(step, step_input(step, layer, 0), &shape));
}

static const struct aten_op_rule resampling[] = {
    {"aten._upsample_bicubic2d_aa.vec", antialias_forward, 4, "4"},
    {"aten._upsample_bilinear2d_aa.vec", antialias_forward, 2, "4"},
    {"aten._upsample_nearest_exact1d.vec", upsample_forward, MEMMODEL_INTERPOLATION_NEAREST, "3"},
    {"aten._upsample_nearest_exact2d.vec", upsample_forward, MEMMODEL_INTERPOLATION_NEAREST, "3"},
    {"aten._upsample_nearest_exact3d.vec", upsample_forward, MEMMODEL_INTERPOLATION_NEAREST, "3"},
    {"aten.constant_pad_nd.default", pad_forward, 0, "0"},
    {"aten.pad.default", pad_forward, 0, "0"},
    {"aten.reflection_pad1d.default", mirror_forward, 0, "0"},
    {"aten.reflection_pad2d.default", mirror_forward, 0, "0"},
    {"aten.reflection_pad3d.default", mirror_forward, 0, "0"},
    {"aten.replication_pad1d.default", mirror_forward, 0, "0"},
    {"aten.replication_pad2d.default", mirror_forward, 0, "0"},
    {"aten.replication_pad3d.default", mirror_forward, 0, "0"},
    {"aten.upsample_bicubic2d.vec", upsample_forward, MEMMODEL_INTERPOLATION_CUBIC, "3"},
    {"aten.upsample_bilinear2d.vec", upsample_forward, MEMMODEL_INTERPOLATION_LINEAR, "3"},
    {"aten.upsample_linear1d.vec", upsample_forward, MEMMODEL_INTERPOLATION_LINEAR, "3"},
    {"aten.upsample_nearest1d.vec", upsample_forward, MEMMODEL_INTERPOLATION_NEAREST, "3"},
    {"aten.upsample_nearest2d.vec", upsample_forward, MEMMODEL_INTERPOLATION_NEAREST, "3"},
    {"aten.upsample_nearest3d.vec", upsample_forward, MEMMODEL_INTERPOLATION_NEAREST, "3"},
    {"aten.upsample_trilinear3d.vec", upsample_forward, MEMMODEL_INTERPOLATION_LINEAR, "3"},
};

const struct aten_ops aten_op_resampling = ATEN_OPS(resampling);

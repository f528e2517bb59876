/* Upsampling and padding by name. PyTorch: aten/src/ATen/native/UpSample*.cpp, PadNd.cpp. */
#include "frameworks/pytorch/named.h"

static void
upsample_forward(struct step *step, const struct layer *layer, int mode)
{
    struct shape shape = step_output_shape(step, layer, 0);

    if (step_input(step, layer, 0)->shape.rank != shape.rank || shape.rank > 5)
        named_estimate(step, layer);
    else
        step_output(step, layer, 0, aten_upsample(step, step_input(step, layer, 0), &shape, mode));
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

static const struct named_rule resampling[] = {
    {"aten._upsample_nearest_exact1d.vec", upsample_forward, MEMMODEL_NEAREST, "3"},
    {"aten._upsample_nearest_exact2d.vec", upsample_forward, MEMMODEL_NEAREST, "3"},
    {"aten._upsample_nearest_exact3d.vec", upsample_forward, MEMMODEL_NEAREST, "3"},
    {"aten.constant_pad_nd.default", pad_forward, 0, "0"},
    {"aten.pad.default", pad_forward, 0, "0"},
    {"aten.reflection_pad1d.default", mirror_forward, 0, "0"},
    {"aten.reflection_pad2d.default", mirror_forward, 0, "0"},
    {"aten.reflection_pad3d.default", mirror_forward, 0, "0"},
    {"aten.replication_pad1d.default", mirror_forward, 0, "0"},
    {"aten.replication_pad2d.default", mirror_forward, 0, "0"},
    {"aten.replication_pad3d.default", mirror_forward, 0, "0"},
    {"aten.upsample_bicubic2d.vec", upsample_forward, MEMMODEL_CUBIC, "3"},
    {"aten.upsample_bilinear2d.vec", upsample_forward, MEMMODEL_LINEAR, "3"},
    {"aten.upsample_linear1d.vec", upsample_forward, MEMMODEL_LINEAR, "3"},
    {"aten.upsample_nearest1d.vec", upsample_forward, MEMMODEL_NEAREST, "3"},
    {"aten.upsample_nearest2d.vec", upsample_forward, MEMMODEL_NEAREST, "3"},
    {"aten.upsample_nearest3d.vec", upsample_forward, MEMMODEL_NEAREST, "3"},
    {"aten.upsample_trilinear3d.vec", upsample_forward, MEMMODEL_LINEAR, "3"},
};

const struct named_table named_resampling = NAMED_TABLE(resampling);

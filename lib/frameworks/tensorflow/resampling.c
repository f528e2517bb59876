/*
 * Upsampling, padding and cropping. Keras repeats along one axis after the other (src/backend/tensorflow/numpy.py,
 * repeat), and each axis' gradient is a sum; bilinear resizing is one operator that keeps its input.
 */
#include "frameworks/tensorflow/build.h"

enum { SPATIAL_AXES = 3 };

static bool
is_nearest(const struct layer *layer)
{
    return ((const struct memmodel_upsample *)layer->options)->kind == MEMMODEL_INTERPOLATION_NEAREST;
}

/* Bytes after each repeated axis; their number. */
static int
repeated(struct build *build, const struct layer *layer, int64_t bytes[SPATIAL_AXES])
{
    const struct memmodel_upsample *options = layer->options;
    const struct tensor *x = &build->network->tensors[layer->inputs[0]],
                        *y = &build->network->tensors[layer->first_output];
    int first = options->layout == MEMMODEL_LAYOUT_CHANNELS_LAST ? 1 : 2, axes = x->rank - 2;
    int64_t last = build_bytes(build, layer->inputs[0]);

    for (int i = 0; i < axes && i < SPATIAL_AXES; i++) {
        if (last > 0) /* an empty tensor stays empty, whichever of its dims is 0 */
            last =
                build_times(build, last, build_dim(build, y->dims[first + i])) / build_dim(build, x->dims[first + i]);
        bytes[i] = last;
    }
    return axes;
}

static void
upsample(struct build *build, const struct layer *layer)
{
    int64_t bytes[SPATIAL_AXES];
    int32_t x = build_input(build, layer, 0), y = x;
    int axes = repeated(build, layer, bytes);

    for (int i = 0; i < axes && is_nearest(layer); i++)
        y = build_new(build, "Tile", bytes[i], READS(y));
    if (!is_nearest(layer))
        y = build_new(build, "ResizeBilinear", build_output_bytes(build, layer), READS(x));
    build_kept(build, layer)->x = x;
    build_output(build, layer, y);
}

static void
upsample_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int64_t bytes[SPATIAL_AXES], n = build_bytes(build, layer->inputs[0]);

    if (is_nearest(layer))
        for (int i = repeated(build, layer, bytes) - 1; i >= 0; i--)
            gradient = build_new(build, "Sum", i ? bytes[i - 1] : n, READS(gradient));
    else
        gradient = build_new(build, "ResizeBilinearGrad", n, READS(gradient, build_kept(build, layer)->x));
    build_gradient(build, layer, 0, gradient);
}

const struct rule tensorflow_upsample = {OP_UPSAMPLE, upsample, upsample_backward};
const struct rule tensorflow_pad = {OP_PAD, build_copy, build_copy_backward};
const struct rule tensorflow_crop = {OP_CROP, build_copy, build_copy_backward};

/*
 * Convolutions, and matrix products with weights. With oneDNN they run channels last from end to end: activations are
 * never reordered, bias and activation are in the same kernel. The first layer has no gradient of its input.
 * TensorFlow 2.21: core/kernels/mkl/mkl_conv_ops.cc, mkl_conv_grad_input_ops.cc, mkl_conv_grad_filter_ops.cc.
 */
#include "frameworks/tensorflow/build.h"

#include "base/checked.h"

/* Multiply-adds against bytes moved, as durations go. */
#define WORK_PER_BYTE 5.0

/* Columns of the image are written and read once. */
#define COLUMN_MOVES 2.0

static double
work(struct build *build, const struct layer *layer)
{
    int64_t count = 0;

    if (!binding_multiply_adds(build->binding, layer, &count))
        return 0;
    return (double)count / WORK_PER_BYTE;
}

/* ---- dilation: what a kernel reaches becomes images of a larger batch; python/ops/nn_ops.py, _WithSpaceToBatch */

static bool
is_dilated(const struct build *build, const struct layer *layer)
{
    const struct memmodel_conv *conv = layer->options;
    int axes = build->network->tensors[layer->first_output].rank - 2;

    for (int i = 0; i < axes && layer->op == OP_CONV; i++)
        if (conv->dilation[i] > 1)
            return true;
    return false;
}

/* Bytes of the input, padded to a multiple of the dilation, and of what a kernel without dilation makes of it. */
static void
batch_of_images(struct build *build, const struct layer *layer, int64_t *images, int64_t *product)
{
    const struct memmodel_conv *conv = layer->options;
    const struct tensor *x = &build->network->tensors[layer->inputs[0]],
                        *y = &build->network->tensors[layer->first_output];
    int first = conv->layout == MEMMODEL_LAYOUT_CHANNELS_LAST ? 1 : 2;

    *images = build_bytes(build, layer->inputs[0]);
    *product = build_output_bytes(build, layer);
    for (int i = 0; i < x->rank - 2 && *images > 0 && *product > 0; i++) {
        int64_t in = build_dim(build, x->dims[first + i]), out = build_dim(build, y->dims[first + i]);
        int64_t valid = round_up(out, conv->dilation[i]);

        *images = build_times(build, *images / in, valid + (conv->kernel[i] - 1) * conv->dilation[i]);
        *product = build_times(build, *product / out, valid);
    }
}

/* ---- the passes ---- */

static void
weighted_forward(struct build *build, const struct layer *layer)
{
    int64_t n = build_output_bytes(build, layer), images = 0;
    struct operation product = {.what = op_name(layer->op), .bytes = n, .duration = work(build, layer) + (double)n + 1};
    int32_t x = build_input(build, layer, 0), y;
    bool dilated = is_dilated(build, layer);

    if (dilated) {
        batch_of_images(build, layer, &images, &product.bytes);
        x = build_new(build, "SpaceToBatchND", images, READS(x));
    }
    y = build_operation(build, &product, READS(x));
    build_kept(build, layer)->x = x;
    build_output(build, layer, dilated ? build_new(build, "BatchToSpaceND", n, READS(y)) : y);
}

static int32_t
input_gradient(struct build *build, const struct layer *layer, int32_t gradient, int64_t bytes)
{
    struct operation data = {.what = "BackpropInput", .bytes = bytes};

    if (!build_wants_gradient(build, layer, 0))
        return NOTHING;
    data.duration = work(build, layer) + (double)build_output_bytes(build, layer) + 1;
    return build_operation(build, &data, READS(gradient));
}

/* A large buffer is mapped for each run of the kernel; smaller ones stay with malloc, see process.c. */
static int64_t
passing_heap(struct heap_need need)
{
    return need.booked > MAX_KEPT_BYTES ? need.touched : 0;
}

static void
weighted_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int32_t weight = build_parameter(layer, "weight"), bias = build_parameter(layer, "bias"), product = gradient, data;
    int64_t n = build_bytes(build, layer->inputs[0]), images = n, product_bytes;
    bool dilated = is_dilated(build, layer);
    struct operation filter = {.what = "BackpropFilter", .category = MEMMODEL_CATEGORY_GRADIENTS};
    struct heap_need need = convolution_heap(build, layer);

    if (dilated) {
        batch_of_images(build, layer, &images, &product_bytes);
        product = build_new(build, "SpaceToBatchND", product_bytes, READS(gradient));
    }
    data = input_gradient(build, layer, product, images);
    build_gradient(build, layer, 0,
                   dilated && data != NOTHING ? build_new(build, "BatchToSpaceND", n, READS(data)) : data);
    filter.bytes = build_parameter_bytes(build, weight);
    filter.duration =
        work(build, layer) + (double)build_output_bytes(build, layer) + COLUMN_MOVES * (double)need.columns + 1;
    filter.heap = passing_heap(need);
    build_parameter_gradient(build, weight,
                             build_operation(build, &filter, READS(product, build_kept(build, layer)->x)), data);
    if (bias != NOTHING) {
        struct operation sum = {.what = "BiasAddGrad", .category = MEMMODEL_CATEGORY_GRADIENTS};

        sum.bytes = build_parameter_bytes(build, bias);
        build_parameter_gradient(build, bias, build_operation(build, &sum, READS(gradient)), NOTHING);
    }
}

const struct rule tensorflow_convolution = {OP_CONV, weighted_forward, weighted_backward};
const struct rule tensorflow_transposed = {OP_CONV_TRANSPOSE, weighted_forward, weighted_backward};
const struct rule tensorflow_linear = {OP_LINEAR, weighted_forward, weighted_backward};

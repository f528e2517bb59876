/*
 * Convolutions, and matrix products with weights. With oneDNN they run channels last from end to end: activations are
 * never reordered, bias and activation are in the same kernel. The first layer has no gradient of its input.
 * TensorFlow 2.21: core/kernels/mkl/mkl_conv_ops.cc, mkl_conv_grad_input_ops.cc, mkl_conv_grad_filter_ops.cc.
 */
#include "frameworks/tensorflow/build.h"

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

static void
weighted_forward(struct build *build, const struct layer *layer)
{
    int64_t n = build_output_bytes(build, layer);
    struct operation product = {.what = op_name(layer->op), .bytes = n, .duration = work(build, layer) + (double)n + 1};
    int32_t x = build_input(build, layer, 0);

    build_kept(build, layer)->x = x;
    build_output(build, layer, build_operation(build, &product, READS(x)));
}

static int32_t
input_gradient(struct build *build, const struct layer *layer, int32_t gradient)
{
    struct operation data = {.what = "BackpropInput", .bytes = build_bytes(build, layer->inputs[0])};

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
    int32_t weight = build_parameter(layer, "weight"), bias = build_parameter(layer, "bias");
    int32_t data = input_gradient(build, layer, gradient);
    struct operation filter = {.what = "BackpropFilter", .category = MEMMODEL_CATEGORY_GRADIENTS};
    struct heap_need need = convolution_heap(build, layer);

    build_gradient(build, layer, 0, data);
    filter.bytes = build_parameter_bytes(build, weight);
    filter.duration =
        work(build, layer) + (double)build_output_bytes(build, layer) + COLUMN_MOVES * (double)need.columns + 1;
    filter.heap = passing_heap(need);
    build_parameter_gradient(build, weight,
                             build_operation(build, &filter, READS(gradient, build_kept(build, layer)->x)), data);
    if (bias != NOTHING) {
        struct operation sum = {.what = "BiasAddGrad", .category = MEMMODEL_CATEGORY_GRADIENTS};

        sum.bytes = build_parameter_bytes(build, bias);
        build_parameter_gradient(build, bias, build_operation(build, &sum, READS(gradient)), NOTHING);
    }
}

const struct rule tensorflow_convolution = {OP_CONV, weighted_forward, weighted_backward};
const struct rule tensorflow_transposed = {OP_CONV_TRANSPOSE, weighted_forward, weighted_backward};
const struct rule tensorflow_linear = {OP_LINEAR, weighted_forward, weighted_backward};

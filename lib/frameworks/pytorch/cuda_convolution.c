/*
 * Convolution on a GPU. PyTorch: aten/src/ATen/native/Convolution.cpp, native/cudnn/ConvShared.cpp and Conv_v8.cpp,
 * native/cuda/DepthwiseConv2d.cu.
 *
 * cuDNN takes the first plan of its heuristics, which are not published, and PyTorch allocates that plan's workspace for
 * each call. Of GPUs of the Ampere and Ada generations it is left out: on two of them trainings of CNNs in float32 (runs
 * of github.com/Stone-ResearchLife/xMem, PyTorch 2.6) fit best with none. On an H200 (cuDNN 9.19) it was looked at in 16,000
 * calls: see channels_last_copies(). For a V100 see winograd_tiles().
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/framework.h"
#include "frameworks/pytorch/convolution.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

/* Tensor.suggest_memory_format(); of one spatial dim as of two, the first of size 1: Convolution.cpp, view4d. */
static bool
suggests_channels_last(const struct value *x)
{
    struct value view = *x;

    if (x->shape.rank != 3)
        return value_suggests_channels_last(x);
    view.shape.rank = 4;
    view.shape.dims[3] = x->shape.dims[2];
    view.strides[3] = x->strides[2];
    view.shape.dims[2] = 1;
    view.strides[2] = multiply_saturating(x->shape.dims[2], x->strides[2]);
    return value_suggests_channels_last(&view);
}

/*
 * ConvUtils.h, cudnn_conv_suggest_memory_format: either operand decides. Inputs of one spatial dim are made row-major first:
 * Convolution.cpp, "avoid accidentally going through NHWC for permuted 3d input".
 */
static bool
runs_channels_last(const struct value *x, const struct value *weight)
{
    return x->shape.dtype != MEMMODEL_DTYPE_FLOAT64 && x->shape.rank > 3 &&
           (suggests_channels_last(x) || suggests_channels_last(weight));
}

static struct value *
laid_out(struct step *step, const struct shape *shape, bool channels_last)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (!channels_last)
        return value_empty(step, shape);
    shape_strides_channels_last(shape, strides);
    return value_empty_strided(step, shape, strides);
}

enum { TENSOR_CORE_CHANNELS = 8, WIDE_CHANNELS = 64 };

static bool
is_point(const struct convolution *problem)
{
    for (int i = 0; i < problem->dims; i++)
        if (problem->kernel[i] != 1)
            return false;
    return true;
}

static bool
is_dense(const struct convolution *problem)
{
    for (int i = 0; i < problem->dims; i++)
        if (problem->stride[i] != 1 || problem->padding[i] != 0)
            return false;
    return problem->groups == 1;
}

static bool
is_hopper(const struct step *step, const struct value *x)
{
    enum { HOPPER = 90 };

    return step->cuda.gpu->capability >= HOPPER && x->shape.dtype != MEMMODEL_DTYPE_FLOAT64;
}

/*
 * Whether the plan computes on channels-last copies of its row-major tensors. Observed on an H200: kernels of more than one
 * point and not depthwise; half types from 8 channels on, float32 in groups or from 64 channels on. Kernels of one point
 * mostly take none (cuDNN 9.24 on a simulated H100: but for half types from 64 channels on with a stride). Not observed is
 * why.
 */
static bool
copies_tensors(const struct step *step, const struct convolution *problem, const struct value *x)
{
    int64_t channels = min_i64(problem->in_channels, problem->out_channels);
    bool is_late = step->version >= VERSION(2, 14);

    if (!is_hopper(step, x) || (problem->groups > 1 && problem->groups == problem->in_channels))
        return false;
    if (is_point(problem))
        return is_late && !is_dense(problem) && value_is_half(x) && channels >= WIDE_CHANNELS;
    return channels >= (value_is_half(x) ? TENSOR_CORE_CHANNELS : problem->groups > 1 ? 0 : WIDE_CHANNELS);
}

/* The workspace of a call on input, weight and output, or NULL. A weight of one point lies the same in both orders. */
static struct value *
channels_last_copies(struct step *step, const struct convolution *problem, const struct value *x,
                     const struct value *weight, const struct value *output)
{
    enum { ALIGNMENT = 16 };
    int64_t elements = value_elements(x) + value_elements(output);

    if (!problem || !copies_tensors(step, problem, x))
        return NULL;
    elements += is_point(problem) ? 0 : value_elements(weight);
    return value_buffer(step, multiply_saturating(elements, dtype_bytes(x->shape.dtype)) + ALIGNMENT);
}

/*
 * The weight's gradient of a kernel of one point: that of each image in float32, a batched product, which are summed, or,
 * where these would be more than twice the copies, a product of channels-last copies. Observed with cuDNN 9.24 and 9.26 on
 * a simulated H100: it says the workspace of 242 of 362 drawn calls, and of 174 of 218 of CNNs. An H200 with 9.19 did so
 * in small networks, and took less in ResNets of 24 images.
 */
static struct value *
gradients_of_images(struct step *step, const struct convolution *problem, const struct value *x,
                    const struct value *weight, const struct value *incoming)
{
    enum { TIMES = 2, ALIGNMENT = 16 };
    int64_t points = 1, each, copies;

    if (step->version < VERSION(2, 14) || !problem || !is_hopper(step, x) || !is_point(problem) || !is_dense(problem))
        return NULL;
    for (int i = 0; i < problem->dims; i++)
        points = multiply_saturating(points, problem->input[i]);
    if (points == 1)
        return NULL;
    each = multiply_saturating(value_elements(weight), dtype_bytes(MEMMODEL_DTYPE_FLOAT32));
    each = multiply_saturating(problem->batch, each);
    copies = multiply_saturating(value_elements(x) + value_elements(incoming), dtype_bytes(x->shape.dtype));
    return value_buffer(step, each / TIMES <= copies ? each : copies + ALIGNMENT);
}

/*
 * On Volta, where float32 has no tensor cores, wide kernels of 3 x 3 points run as F(4 x 4, 3 x 3) of Winograd in three
 * passes: A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2016. For each of the 6 x 6 points of a
 * tile the workspace has the transformed tiles of both tensors and the transformed weight. Published trainings on V100
 * took this much of their widest layer, of 2048 or 4096 channels to 512, more than their tensors
 * (test/data/published_segmentation); of layers below 512 channels runs of a V100 say nothing clear.
 */
static struct value *
winograd_tiles(struct step *step, const struct convolution *problem, const struct value *x)
{
    enum { VOLTA = 70, KERNEL = 3, TILE = 4, POINTS = 36, WIDE = 512 };
    int64_t tiles, numbers;

    if (!problem || step->cuda.gpu->capability != VOLTA || x->shape.dtype != MEMMODEL_DTYPE_FLOAT32 ||
        problem->dims != 2 || problem->groups != 1 || problem->transposed ||
        min_i64(problem->in_channels, problem->out_channels) < WIDE)
        return NULL;
    tiles = problem->batch;
    for (int i = 0; i < problem->dims; i++) {
        if (problem->kernel[i] != KERNEL || problem->stride[i] != 1 || problem->dilation[i] != 1)
            return NULL;
        tiles = multiply_saturating(tiles, (problem->input[i] + TILE - 1) / TILE);
    }
    numbers = multiply_saturating(tiles, problem->in_channels + problem->out_channels);
    numbers += multiply_saturating(problem->in_channels, problem->out_channels);
    return value_buffer(step, multiply_saturating(numbers, POINTS * dtype_bytes(MEMMODEL_DTYPE_FLOAT32)));
}

/* What each of the three calls works in on row-major tensors. */
static void
take_workspace(struct step *step, const struct convolution *problem, const struct value *x, const struct value *weight,
               const struct value *output)
{
    value_drop(step, channels_last_copies(step, problem, x, weight, output));
    value_drop(step, winograd_tiles(step, problem, x));
}

static bool
is_channels_last(const struct value *x)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    shape_strides_channels_last(&x->shape, strides);
    for (int i = 0; i < x->shape.rank; i++)
        if (x->shape.dims[i] != 1 && x->strides[i] != strides[i])
            return false;
    return true;
}

/* x.contiguous(memory_format=...) for the call; NULL if that is x itself. */
static struct value *
copy_for(struct step *step, const struct value *x, bool channels_last)
{
    bool ready = channels_last ? is_channels_last(x) : value_is_contiguous(x);

    return ready ? NULL : laid_out(step, &x->shape, channels_last);
}

/* A copy of the weight where it is not laid out as the call wants it, and the plan's workspace; both freed. */
static void
run_plan(struct step *step, const struct convolution *problem, const struct value *x, const struct value *weight,
         const struct value *output, bool channels_last)
{
    struct value *copy = copy_for(step, weight, channels_last);

    if (!channels_last)
        take_workspace(step, problem, x, weight, output);
    value_drop(step, copy);
}

#define CHANNELS (UINT64_C(1) << 1)

enum { INPUT, WEIGHT, BIAS };

static struct value *
wanted(struct step *step, const struct node *node, int edge, const struct value *incoming, bool channels_last)
{
    struct shape shape = shape_typed(&node->edges[edge].shape, incoming->shape.dtype);

    return node_wants(node, edge) ? laid_out(step, &shape, channels_last) : NULL;
}

/* ConvShared.cpp, cudnn_convolution_backward_input */
static struct value *
input_gradient(struct step *step, const struct node *node, const struct value *incoming)
{
    const struct value *weight = node->saved[1];
    bool last = runs_channels_last(incoming, weight);
    struct value *result = wanted(step, node, INPUT, incoming, last), *weight_copy, *copy;

    if (!result)
        return NULL;
    weight_copy = copy_for(step, weight, last);
    copy = copy_for(step, incoming, last);
    if (!last)
        take_workspace(step, node->options, node->saved[0], weight, incoming);
    value_drop(step, copy);
    value_drop(step, weight_copy);
    return result;
}

/* ConvShared.cpp, cudnn_convolution_backward_weight */
static struct value *
weight_gradient(struct step *step, const struct node *node, const struct value *incoming, bool channels_last)
{
    const struct value *x = node->saved[0];
    struct value *copy, *result;

    if (!node_wants(node, WEIGHT))
        return NULL;
    copy = copy_for(step, incoming, channels_last);
    result = wanted(step, node, WEIGHT, incoming, channels_last);
    if (!channels_last) {
        take_workspace(step, node->options, x, node->saved[1], incoming);
        value_drop(step, gradients_of_images(step, node->options, x, node->saved[1], incoming));
    }
    value_drop(step, copy);
    return result;
}

/*
 * The gradient as the input suggests. A part of a tensor in that order has it already, and is copied for each of the two
 * calls; not so that of a transposed convolution. ConvShared.cpp, cudnn_convolution_backward, .._transpose_backward
 */
static struct value *
copy_as_suggested(struct step *step, const struct convolution *problem, const struct value *incoming,
                  bool channels_last)
{
    if (problem && problem->transposed)
        return copy_for(step, incoming, channels_last);
    return suggests_channels_last(incoming) == channels_last ? NULL : laid_out(step, &incoming->shape, channels_last);
}

static void
cudnn_backward(struct step *step, const struct node *node, const struct value *incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    bool last = runs_channels_last(x, node->saved[1]);
    struct value *input = node_wants(node, WEIGHT) ? copy_for(step, x, last) : NULL;
    bool suggested = input || x->shape.rank == 3 ? last : suggests_channels_last(x);
    struct value *copy = copy_as_suggested(step, node->options, incoming, suggested);

    gradients[INPUT] = input_gradient(step, node, copy ? copy : incoming);
    gradients[WEIGHT] = weight_gradient(step, node, copy ? copy : incoming, last);
    value_drop(step, copy);
    value_drop(step, input);
}

/* cuda/DepthwiseConv2d.cu, conv_depthwise2d_backward_cuda_out */
static void
depthwise_backward(struct step *step, const struct node *node, const struct value *incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    struct value *row_major = x->shape.rank == 3 ? copy_for(step, x, false) : NULL;
    struct value *copy = copy_for(step, incoming, false), *input, *weight;

    if (node_wants(node, WEIGHT)) {
        input = row_major ? NULL : copy_for(step, x, false);
        gradients[WEIGHT] = wanted(step, node, WEIGHT, incoming, false);
        value_drop(step, input);
    }
    if (node_wants(node, INPUT)) {
        weight = copy_for(step, node->saved[1], false);
        gradients[INPUT] = wanted(step, node, INPUT, incoming, false);
        value_drop(step, weight);
    }
    value_drop(step, copy);
    value_drop(step, row_major);
}

/* Convolution.cpp, is_depthwise and use_cudnn_depthwise; one dim is run as two */
static bool
is_depthwise(const struct convolution *problem, const struct value *x, const struct value *weight)
{
    return problem && !problem->transposed && problem->dims <= 2 && problem->groups > 1 &&
           problem->groups == problem->in_channels && !runs_channels_last(x, weight);
}

/* Inputs: input, weight, bias. Saved: input, weight. The bias's gradient is a sum that follows: convolution_backward. */
static void
backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (is_depthwise(node->options, node->saved[0], node->saved[1]))
        depthwise_backward(step, node, incoming[0], gradients);
    else
        cudnn_backward(step, node, incoming[0], gradients);
    gradients[BIAS] = wanted(step, node, BIAS, incoming[0], false);
    if (gradients[BIAS])
        sum_scratch(step, incoming[0], ALL_AXES & ~CHANNELS, gradients[BIAS]);
}

struct value *
cuda_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3])
{
    static const struct derivative convolution = {"convolution", backward};
    struct value *x = inputs[0];
    bool last = runs_channels_last(x, inputs[1]);
    struct shape shape = convolution_result_shape(problem, x);
    struct value *input = copy_for(step, x, last), *result = laid_out(step, &shape, last);
    struct node *node;

    run_plan(step, problem, x, inputs[1], result, last);
    value_drop(step, input);
    node = step_record(step, &convolution, result, 3, inputs);
    if (node)
        node->options = problem;
    step_save(step, node, x);
    step_save(step, node, inputs[1]);
    return result;
}

/*
 * Convolution on a GPU. PyTorch: aten/src/ATen/native/Convolution.cpp, native/cudnn/ConvShared.cpp and Conv_v8.cpp,
 * native/cuda/DepthwiseConv2d.cu.
 *
 * cuDNN takes the first plan of its heuristics, which are not published, and PyTorch allocates that plan's workspace for
 * each call. Before Hopper it is left out: on two GPUs trainings of CNNs in float32 (runs of
 * github.com/Stone-ResearchLife/xMem, PyTorch 2.6) fit best with none. On an H200 (cuDNN 9.19) it was looked at in 16,000
 * calls: see channels_last_copies().
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/pytorch/convolution.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

/* Convolution.cpp, cudnn_conv_suggest_memory_format: either operand decides; PyTorch's own depthwise kernel is row-major. */
static bool
runs_channels_last(const struct value *x, const struct value *weight)
{
    return x->shape.dtype != MEMMODEL_DTYPE_FLOAT64 && x->shape.rank > 3 &&
           (value_is_only_channels_last(x) || value_is_only_channels_last(weight));
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

/*
 * Whether the plan computes on channels-last copies of its row-major tensors. Observed on an H200: kernels of more than one
 * point and not depthwise; half types from 8 channels on, float32 in groups or from 64 channels on. Kernels of one point
 * mostly take none. Not observed is why.
 */
static bool
copies_tensors(const struct step *step, const struct convolution *problem, const struct value *x)
{
    enum { HOPPER = 90 };
    int64_t channels = min_i64(problem->in_channels, problem->out_channels), points = 1;

    for (int i = 0; i < problem->dims; i++)
        points = multiply_saturating(points, problem->kernel[i]);
    if (step->cuda.gpu->capability < HOPPER || points == 1 || x->shape.dtype == MEMMODEL_DTYPE_FLOAT64)
        return false;
    if (problem->groups > 1 && problem->groups == problem->in_channels)
        return false;
    return channels >= (value_is_half(x) ? TENSOR_CORE_CHANNELS : problem->groups > 1 ? 0 : WIDE_CHANNELS);
}

/* The workspace of a call on input, weight and output, or NULL. */
static struct value *
channels_last_copies(struct step *step, const struct convolution *problem, const struct value *x,
                     const struct value *weight, const struct value *output)
{
    enum { ALIGNMENT = 16 };
    int64_t elements = value_elements(x) + value_elements(weight) + value_elements(output);

    if (!problem || !copies_tensors(step, problem, x))
        return NULL;
    return value_buffer(step, multiply_saturating(elements, dtype_bytes(x->shape.dtype)) + ALIGNMENT);
}

/* x.contiguous(memory_format=...) for the call; NULL if that is x itself. */
static struct value *
copy_for(struct step *step, const struct value *x, bool channels_last)
{
    bool ready = channels_last ? value_is_channels_last(x) : value_is_contiguous(x);

    return ready ? NULL : laid_out(step, &x->shape, channels_last);
}

/* A copy of the weight where it is not laid out as the call wants it, and the plan's workspace; both freed. */
static void
run_plan(struct step *step, const struct convolution *problem, const struct value *x, const struct value *weight,
         const struct value *output, bool channels_last)
{
    struct value *copy = copy_for(step, weight, channels_last);

    if (!channels_last)
        value_drop(step, channels_last_copies(step, problem, x, weight, output));
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

/*
 * Inputs: input, weight, bias. Saved: input, weight. The bias's gradient is a sum that follows the two calls of cuDNN:
 * Convolution.cpp, convolution_backward; ConvShared.cpp, cudnn_convolution_backward.
 */
static void
backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0], *weight = node->saved[1];
    const struct convolution *problem = node->options;
    bool last = runs_channels_last(x, weight);
    struct value *input = copy_for(step, x, last), *gradient = copy_for(step, incoming[0], last);

    gradients[INPUT] = wanted(step, node, INPUT, incoming[0], last);
    if (gradients[INPUT])
        run_plan(step, problem, x, weight, incoming[0], last);
    gradients[WEIGHT] = wanted(step, node, WEIGHT, incoming[0], last);
    if (gradients[WEIGHT] && !last)
        value_drop(step, channels_last_copies(step, problem, x, weight, incoming[0]));
    value_drop(step, gradient);
    gradients[BIAS] = wanted(step, node, BIAS, incoming[0], false);
    if (gradients[BIAS])
        sum_scratch(step, incoming[0], ALL_AXES & ~CHANNELS, gradients[BIAS]);
    value_drop(step, input);
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

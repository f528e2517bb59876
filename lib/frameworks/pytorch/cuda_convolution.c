/*
 * Convolution on a GPU. PyTorch: aten/src/ATen/native/Convolution.cpp, native/cudnn/ConvShared.cpp and Conv_v8.cpp,
 * native/cuda/DepthwiseConv2d.cu.
 *
 * cuDNN takes the first plan of its heuristics, and the workspace of that is not modelled: on two GPUs trainings of CNNs
 * in float32 (runs of github.com/Stone-ResearchLife/xMem, PyTorch 2.6) fit best with none.
 */
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

/* x.contiguous(memory_format=...) for the call; NULL if that is x itself. */
static struct value *
copy_for(struct step *step, const struct value *x, bool channels_last)
{
    bool ready = channels_last ? value_is_channels_last(x) : value_is_contiguous(x);

    return ready ? NULL : laid_out(step, &x->shape, channels_last);
}

/* Inputs: input, weight, bias. Saved: input, weight. */
static void
backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0], *weight = node->saved[1];
    bool last = runs_channels_last(x, weight);
    struct value *copies[] = {copy_for(step, incoming[0], last), copy_for(step, x, last), copy_for(step, weight, last)};

    for (int i = 0; i < 3; i++) {
        struct shape shape = shape_typed(&node->edges[i].shape, incoming[0]->shape.dtype);

        if (node_wants(node, i))
            gradients[i] = laid_out(step, &shape, last && i < 2);
    }
    for (int i = 2; i >= 0; i--)
        value_drop(step, copies[i]);
}

struct value *
cuda_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3])
{
    static const struct derivative convolution = {"convolution", backward};
    struct value *x = inputs[0];
    bool last = runs_channels_last(x, inputs[1]);
    struct value *copies[] = {copy_for(step, x, last), copy_for(step, inputs[1], last)}, *result;
    struct shape shape = convolution_result_shape(problem, x);
    struct node *node;

    result = laid_out(step, &shape, last);
    value_drop(step, copies[1]);
    value_drop(step, copies[0]);
    node = step_record(step, &convolution, result, 3, inputs);
    step_save(step, node, x);
    step_save(step, node, inputs[1]);
    return result;
}

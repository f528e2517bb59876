/*
 * Batch norm on a GPU: cuDNN's, or PyTorch's own kernels. PyTorch: aten/src/ATen/native/Normalization.cpp
 * (_batch_norm_impl_index), native/cudnn/BatchNorm.cpp, native/cuda/Normalization.cu.
 *
 * Both keep the input, the weight and two vectors of the channels. cuDNN's workspace and its reserve for the backward pass
 * are none for row-major images; for channels-last ones (its persistent mode) they are not modelled.
 */
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

static int
wide_type(const struct value *x)
{
    return x->shape.dtype == MEMMODEL_DTYPE_FLOAT64 ? MEMMODEL_DTYPE_FLOAT64 : MEMMODEL_DTYPE_FLOAT32;
}

/* What makes a gradient of another memory order than the input's readable. */
static struct value *
reordered(struct step *step, const struct value *gradient, const struct value *x)
{
    bool ready = value_is_only_channels_last(x) ? value_is_channels_last(gradient) : value_is_contiguous(gradient);

    return ready ? NULL : value_like(step, x);
}

/* Saved: input, statistics, weight. */
static void
backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    struct value *copy = reordered(step, incoming[0], x);

    gradients[0] = value_like(step, x);
    for (int i = 1; i < 3; i++)
        gradients[i] = value_vector(step, wide_type(x), x->shape.dims[1]);
    for (int i = 0; i < 3; i++) {
        if (node_wants(node, i))
            continue;
        value_drop(step, gradients[i]);
        gradients[i] = NULL;
    }
    value_drop(step, copy);
}

struct value *
cuda_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics)
{
    static const struct derivative batch_norm = {"cudnn_batch_norm", backward};
    int64_t channels = statistics->training ? x->shape.dims[1] : 0;
    struct value *inputs[] = {x, statistics->weight, statistics->bias};
    struct value *result = value_like(step, x);
    struct value *mean = value_vector(step, wide_type(x), channels);
    struct value *deviation = value_vector(step, wide_type(x), channels);
    struct node *node = step_record(step, &batch_norm, result, 3, inputs);
    struct value *saved[] = {x, statistics->running_mean, statistics->running_var, statistics->weight, mean, deviation};

    for (int i = 0; i < 6; i++)
        step_save(step, node, saved[i]);
    value_drop(step, mean);
    value_drop(step, deviation);
    return result;
}

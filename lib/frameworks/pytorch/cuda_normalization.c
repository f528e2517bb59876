/*
 * Batch norm on a GPU: cuDNN's, or PyTorch's own kernels. PyTorch: aten/src/ATen/native/Normalization.cpp
 * (_batch_norm_impl_index), native/cudnn/BatchNorm.cpp, native/cuda/Normalization.cu.
 *
 * Both keep the input, the weight and two vectors of the channels. cuDNN works in memory of its own where images are
 * channels-last; it reserves none for the backward pass.
 */
#include "base/checked.h"
#include "frameworks/cuda/batch_norm.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

/* What makes a gradient of another memory order than the input's readable. */
static struct value *
reordered(struct step *step, const struct value *gradient, const struct value *x)
{
    bool ready = value_is_only_channels_last(x) ? value_is_channels_last(gradient) : value_is_contiguous(gradient);

    return ready ? NULL : value_like(step, x);
}

static void
cudnn_workspace(struct step *step, const struct value *x, bool backward)
{
    int64_t channels = x->shape.dims[1];
    struct batch_norm_call call = {
        .channels = channels,
        .count = value_elements(x) / max_i64(channels, 1),
        .element_bytes = dtype_bytes(x->shape.dtype),
        .backward = backward,
    };

    if (value_is_only_channels_last(x))
        value_drop(step, value_buffer(step, batch_norm_workspace_bytes(&call)));
}

enum { SAVED_INPUT, SAVED_RUNNING_MEAN, SAVED_RUNNING_VARIANCE, SAVED_WEIGHT };

/* Saved: input, running statistics, weight, statistics. */
static void
cudnn_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[SAVED_INPUT];
    struct value *copy = reordered(step, incoming[0], x);

    gradients[0] = value_like(step, x);
    for (int i = 1; i < 3; i++)
        gradients[i] = value_vector(step, value_sum_type(x), x->shape.dims[1]);
    cudnn_workspace(step, x, true);
    value_drop(step, copy);
}

/* ---- PyTorch's own ---- */

/* Normalization.cu, batch_norm_choose_impl: channels lie next to each other. */
static bool
by_channels(const struct value *x)
{
    return value_is_contiguous(x) ? x->strides[1] == 1 : value_is_channels_last(x);
}

/*
 * Blocks along each channel share partial results, of so many vectors each, and a counter for each block across:
 * Normalization.cuh, flexible_launch_configs, batch_norm_stats_channels_last_cuda_template.
 */
static void
staging(struct step *step, const struct value *x, int vectors)
{
    enum { ELEMENTS_PER_THREAD = 16, TILE_WIDTH = 32, BLOCK = 512, MAX_BLOCKS = 128, MIN_BLOCKS = 8 };
    int64_t channels = x->shape.dims[1], count = value_elements(x) / max_i64(channels, 1);
    int64_t width = min_i64(cuda_last_power(channels), TILE_WIDTH);
    int64_t height = min_i64(cuda_last_power(ceil_divide(count, ELEMENTS_PER_THREAD)), BLOCK / width), blocks;
    struct value *partial;

    if (width * height != BLOCK)
        width = min_i64(cuda_last_power(channels), BLOCK / height);
    blocks = min_i64(ceil_divide(count, height * ELEMENTS_PER_THREAD), MAX_BLOCKS);
    if (blocks < MIN_BLOCKS)
        return;
    partial = value_vector(step, value_sum_type(x), multiply_saturating(vectors * channels, blocks));
    value_drop(step, value_vector(step, MEMMODEL_DTYPE_INT32, ceil_divide(channels, width)));
    value_drop(step, partial);
}

/* Two sums, which go at the end, before the gradients: batch_norm_backward_reduce, then _elemt. */
static void
backward_by_channels(struct step *step, const struct node *node, struct value **gradients)
{
    const struct value *x = node->saved[SAVED_INPUT];
    struct value *sums[] = {value_vector(step, value_sum_type(x), x->shape.dims[1]),
                            value_vector(step, value_sum_type(x), x->shape.dims[1])};

    for (int i = 1; i < 3; i++)
        if (node->saved[SAVED_WEIGHT] && node_wants(node, i))
            gradients[i] = value_like(step, node->saved[SAVED_WEIGHT]);
    staging(step, x, 2);
    if (node_wants(node, 0))
        gradients[0] = value_like(step, x);
    value_drop_all(step, sums, 2);
}

static void
native_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[SAVED_INPUT];

    (void)incoming;
    if (by_channels(x) || !node_wants(node, 0)) {
        backward_by_channels(step, node, gradients);
        return;
    }
    gradients[0] = value_copy(step, x);
    for (int i = 1; i < 3; i++)
        if (node->saved[SAVED_WEIGHT] && node_wants(node, i))
            gradients[i] = value_like(step, node->saved[SAVED_WEIGHT]);
}

/* ---- which: Normalization.cpp, _batch_norm_impl_index ---- */

static bool
runs_on_cudnn(const struct value *x, const struct batch_statistics *statistics)
{
    return x->shape.dtype != MEMMODEL_DTYPE_BFLOAT16 && x->shape.rank > 2 && statistics->weight && statistics->bias &&
           statistics->weight->shape.dtype != MEMMODEL_DTYPE_BFLOAT16 &&
           (x->shape.dtype != MEMMODEL_DTYPE_FLOAT16 || statistics->weight->shape.dtype == MEMMODEL_DTYPE_FLOAT32) &&
           (statistics->running_mean || statistics->training);
}

struct value *
cuda_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics)
{
    static const struct derivative cudnn = {"cudnn_batch_norm", cudnn_backward};
    static const struct derivative native = {"native_batch_norm", native_backward};
    bool on_cudnn = runs_on_cudnn(x, statistics);
    int64_t channels = statistics->training ? x->shape.dims[1] : 0;
    struct value *inputs[] = {x, statistics->weight, statistics->bias};
    struct value *result = value_like(step, x);
    struct value *mean = value_vector(step, value_sum_type(x), channels);
    struct value *deviation = value_vector(step, value_sum_type(x), channels);
    struct node *node = step_record(step, on_cudnn ? &cudnn : &native, result, 3, inputs);
    struct value *saved[] = {x, statistics->running_mean, statistics->running_var, statistics->weight, mean, deviation};

    if (on_cudnn && statistics->training)
        cudnn_workspace(step, x, false);
    if (!on_cudnn && statistics->training && by_channels(x))
        staging(step, x, 4);
    for (int i = 0; i < 6; i++)
        step_save(step, node, saved[i]);
    value_drop(step, mean);
    value_drop(step, deviation);
    return result;
}

/*
 * What kernels take from the arena while they run. onnxruntime: core/mlas/lib/convolve.cpp (MlasConvPrepare),
 * core/providers/cpu/nn/conv_transpose.cc, core/providers/cpu/rnn, core/providers/cpu/tensor/where_op.cc.
 */
#include "frameworks/onnxruntime/plan.h"

#include "base/checked.h"
#include "memmodel/layers.h"

#include <string.h>

/* MLAS_CONV_WORKING_BUFFER_SIZE_PER_THREAD: a panel of 128 by 128 floats. */
enum { PANEL_FLOATS = 128 * 128, FLOAT_BYTES = 4 };

static int64_t
dim_of(const struct binding *binding, memmodel_tensor tensor, int axis)
{
    return binding_dim(binding, binding->network->tensors[tensor].dims[axis]);
}

static bool
spatial_elements(const struct binding *binding, memmodel_tensor tensor, int64_t *elements)
{
    const struct tensor *of = &binding->network->tensors[tensor];

    return binding_elements(binding, of->dims + 2, of->rank - 2, elements);
}

static int64_t
kernel_elements(const struct memmodel_conv *conv, int spatial)
{
    int64_t elements = 1;

    for (int i = 0; i < spatial; i++)
        if (!checked_multiply(elements, conv->kernel[i], &elements))
            return INT64_MAX;
    return elements;
}

/* One element of the kernel, one step, no padding: a matrix product on the image as it is. */
static bool
is_pointwise(const struct memmodel_conv *conv, int spatial)
{
    for (int i = 0; i < spatial; i++)
        if (conv->kernel[i] != 1 || conv->stride[i] != 1 || conv->pad[i] != 0)
            return false;
    return true;
}

/* Few pixels: the whole image is expanded. Else panels of it, one a thread. */
static bool
conv_scratch(const struct binding *binding, const struct layer *layer, int threads, int64_t *bytes)
{
    const struct memmodel_conv *conv = layer->options;
    int spatial = binding->network->tensors[layer->first_output].rank - 2;
    int64_t pixels, depth = kernel_elements(conv, spatial), filters = conv->filters / conv->groups;

    if (is_pointwise(conv, spatial))
        return true;
    if (!spatial_elements(binding, layer->first_output, &pixels) ||
        !checked_multiply(depth, dim_of(binding, layer->inputs[0], 1) / conv->groups, &depth))
        return false;
    if (filters > pixels)
        return checked_multiply(pixels, depth, bytes) && checked_multiply(*bytes, FLOAT_BYTES, bytes);
    *bytes = (int64_t)PANEL_FLOATS * FLOAT_BYTES * threads;
    return true;
}

/* Columns of one image and group. */
static bool
transposed_scratch(const struct binding *binding, const struct layer *layer, int64_t *bytes)
{
    const struct memmodel_conv *conv = layer->options;
    int spatial = binding->network->tensors[layer->first_output].rank - 2;

    return spatial_elements(binding, layer->inputs[0], bytes) &&
           checked_multiply(*bytes, kernel_elements(conv, spatial), bytes) &&
           checked_multiply(*bytes, conv->filters / conv->groups, bytes) &&
           checked_multiply(*bytes, FLOAT_BYTES, bytes);
}

/* All gates of all time steps of a direction. */
static bool
recurrent_scratch(const struct binding *binding, const struct layer *layer, int64_t *bytes)
{
    static const int gates[] = {
        [MEMMODEL_LSTM] = 4, [MEMMODEL_GRU] = 3, [MEMMODEL_RNN_TANH] = 1, [MEMMODEL_RNN_RELU] = 1};
    const struct memmodel_recurrent *recurrent = layer->options;
    const struct tensor *x = &binding->network->tensors[layer->inputs[0]];
    int64_t numbers;

    return binding_elements(binding, x->dims, 2, &numbers) &&
           checked_multiply(numbers, recurrent->hidden * gates[recurrent->kind], &numbers) &&
           checked_multiply(numbers, FLOAT_BYTES * (recurrent->bidirectional ? 2 : 1), bytes);
}

/* Size of axis `back`, from the end, of an input; 1 where it has none, as a number that the file gives. */
static int64_t
dim_from_end(const struct binding *binding, memmodel_tensor tensor, int back)
{
    int rank = tensor < 0 ? 0 : binding->network->tensors[tensor].rank;

    return back <= rank ? dim_of(binding, tensor, rank - back) : 1;
}

/* Where: what is chosen from either side, each the size of the condition and that side, before it is put together. */
static bool
where_scratch(const struct binding *binding, const struct layer *layer, int64_t *bytes)
{
    int64_t element = dtype_bytes(binding->network->tensors[layer->first_output].dtype);

    for (int side = 1; side < layer->input_count; side++) {
        int64_t part = element;

        for (int back = 1; back <= MEMMODEL_MAX_RANK; back++) {
            int64_t a = dim_from_end(binding, layer->inputs[0], back);
            int64_t b = dim_from_end(binding, layer->inputs[side], back);

            if (!checked_multiply(part, a == 1 ? b : a, &part))
                return false;
        }
        if (!checked_accumulate(bytes, part))
            return false;
    }
    return true;
}

/* Written in terms of other operators: a factor is made first, then the product. */
static bool
activation_scratch(const struct binding *binding, const struct layer *layer, int64_t *bytes)
{
    int32_t kind = ((const struct memmodel_activation *)layer->options)->kind;

    if (kind != MEMMODEL_HARDSWISH && kind != MEMMODEL_MISH && kind != MEMMODEL_SILU)
        return true;
    return binding_tensor_bytes(binding, layer->first_output, bytes);
}

bool
ort_scratch_bytes(const struct binding *binding, const struct layer *layer, int threads, int64_t *bytes)
{
    const struct memmodel_custom *custom = layer->options;

    *bytes = 0;
    switch (layer->op) {
    case OP_CONV:
        return conv_scratch(binding, layer, threads, bytes);
    case OP_CONV_TRANSPOSE:
        return transposed_scratch(binding, layer, bytes);
    case OP_RECURRENT:
        return recurrent_scratch(binding, layer, bytes);
    case OP_ACTIVATION:
        return activation_scratch(binding, layer, bytes);
    case OP_CUSTOM:
        return !custom->operation || strcmp(custom->operation, "onnx.Where") != 0 ||
               where_scratch(binding, layer, bytes);
    default:
        return true;
    }
}

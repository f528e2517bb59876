/*
 * cuDNN's older interface: descriptors, and the sizes of what layers keep or work in. The real library answers these only
 * on a device, so the sizes are rules of ours, which the ledger names.
 */
#define _GNU_SOURCE
#include "dnn.h"

#include <string.h>

#define CREATE(name, kind)                                                                                             \
    ANSWER(int, cudnnCreate##name##Descriptor, void **descriptor)                                                      \
    {                                                                                                                  \
        return dnn_create(kind, descriptor);                                                                           \
    }                                                                                                                  \
    ANSWER(int, cudnnDestroy##name##Descriptor, void *descriptor)                                                      \
    {                                                                                                                  \
        return descriptor ? dnn_destroy(descriptor, kind) : DNN_SUCCESS;                                               \
    }

CREATE(Tensor, DNN_TENSOR)
CREATE(Filter, DNN_FILTER)
CREATE(Convolution, DNN_CONVOLUTION)
CREATE(Pooling, DNN_POOLING)
CREATE(Activation, DNN_ACTIVATION)
CREATE(Dropout, DNN_DROPOUT)
CREATE(RNN, DNN_RECURRENT)
CREATE(RNNData, DNN_RECURRENT_DATA)
CREATE(CTCLoss, DNN_CTC)
CREATE(SpatialTransformer, DNN_SPATIAL_TRANSFORMER)

static void
put_all(int *out, const int *values, int count)
{
    for (int i = 0; out && i < count; i++)
        out[i] = values[i];
}

static int
least(int a, int b)
{
    return a < b ? a : b;
}

/* ---- tensors and filters ---- */

enum { CHANNELS_FIRST, CHANNELS_LAST, CHANNELS_IN_VECTORS };

#define MAX_ELEMENTS (INT64_C(1) << 48)

int64_t
dnn_tensor_elements(const struct dnn_tensor *tensor)
{
    int64_t elements = tensor->dims > 0;

    for (int i = 0; i < tensor->dims; i++)
        elements = elements > MAX_ELEMENTS / tensor->sizes[i] ? MAX_ELEMENTS : elements * tensor->sizes[i];
    return elements;
}

/* The strides of a packed tensor, its channels first or last; 0 beyond what an int holds. */
static void
pack(struct dnn_tensor *tensor, int format)
{
    int64_t stride = 1;
    int order[DNN_MAX_DIMS], count = 0;

    if (format == CHANNELS_LAST && tensor->dims > 1)
        order[count++] = 1;
    for (int i = tensor->dims - 1; i >= 0; i--)
        if (i != 1 || format != CHANNELS_LAST)
            order[count++] = i;
    for (int i = 0; i < count; i++) {
        tensor->strides[order[i]] = stride > INT32_MAX ? 0 : (int)stride;
        stride = stride > MAX_ELEMENTS ? stride : stride * tensor->sizes[order[i]];
    }
}

/* Without strides it is packed in that format. */
static int
set_tensor(void *descriptor, enum dnn_kind kind, int format, int type, int dims, const int *sizes, const int *strides)
{
    struct dnn_tensor *tensor = dnn_get(descriptor, kind);

    if (!tensor || !sizes || dims < 1 || dims > DNN_MAX_DIMS || dnn_element_bytes(type) == 0)
        return DNN_BAD_PARAM;
    for (int i = 0; i < dims; i++)
        if (sizes[i] <= 0)
            return DNN_BAD_PARAM;
    tensor->type = type;
    tensor->format = format;
    tensor->dims = dims;
    memcpy(tensor->sizes, sizes, (size_t)dims * sizeof *sizes);
    if (strides)
        memcpy(tensor->strides, strides, (size_t)dims * sizeof *strides);
    else
        pack(tensor, format);
    return DNN_SUCCESS;
}

ANSWER(int, cudnnSetTensorNdDescriptor, void *descriptor, int type, int dims, const int *sizes, const int *strides)
{
    return strides ? set_tensor(descriptor, DNN_TENSOR, CHANNELS_FIRST, type, dims, sizes, strides) : DNN_BAD_PARAM;
}

ANSWER(int, cudnnSetTensorNdDescriptorEx, void *descriptor, int format, int type, int dims, const int *sizes)
{
    return set_tensor(descriptor, DNN_TENSOR, format, type, dims, sizes, NULL);
}

ANSWER(int, cudnnSetTensor4dDescriptor, void *descriptor, int format, int type, int n, int c, int h, int w)
{
    return set_tensor(descriptor, DNN_TENSOR, format, type, 4, (const int[]){n, c, h, w}, NULL);
}

ANSWER(int, cudnnSetTensor4dDescriptorEx, void *descriptor, int type, int n, int c, int h, int w, int n_stride,
       int c_stride, int h_stride, int w_stride)
{
    return set_tensor(descriptor, DNN_TENSOR, CHANNELS_FIRST, type, 4, (const int[]){n, c, h, w},
                      (const int[]){n_stride, c_stride, h_stride, w_stride});
}

ANSWER(int, cudnnGetTensorNdDescriptor, const void *descriptor, int wanted, int *type, int *dims, int *sizes,
       int *strides)
{
    const struct dnn_tensor *tensor = dnn_get(descriptor, DNN_TENSOR);

    if (!tensor || wanted < 0)
        return DNN_BAD_PARAM;
    dnn_put(type, tensor->type);
    dnn_put(dims, tensor->dims);
    put_all(sizes, tensor->sizes, least(wanted, tensor->dims));
    put_all(strides, tensor->strides, least(wanted, tensor->dims));
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetTensor4dDescriptor, const void *descriptor, int *type, int *n, int *c, int *h, int *w,
       int *n_stride, int *c_stride, int *h_stride, int *w_stride)
{
    const struct dnn_tensor *tensor = dnn_get(descriptor, DNN_TENSOR);
    int *const sizes[] = {n, c, h, w}, *const strides[] = {n_stride, c_stride, h_stride, w_stride};

    if (!tensor || tensor->dims > 4)
        return DNN_BAD_PARAM;
    dnn_put(type, tensor->type);
    for (int i = 0; i < 4; i++) {
        dnn_put(sizes[i], tensor->sizes[i]);
        dnn_put(strides[i], tensor->strides[i]);
    }
    return DNN_SUCCESS;
}

static int
bytes_of(const void *descriptor, enum dnn_kind kind, size_t *bytes)
{
    const struct dnn_tensor *tensor = dnn_get(descriptor, kind);

    if (!tensor || !bytes)
        return DNN_BAD_PARAM;
    *bytes = (size_t)(dnn_tensor_elements(tensor) * dnn_element_bytes(tensor->type));
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetTensorSizeInBytes, const void *descriptor, size_t *bytes)
{
    return bytes_of(descriptor, DNN_TENSOR, bytes);
}

ANSWER(int, cudnnSetFilterNdDescriptor, void *descriptor, int type, int format, int dims, const int *sizes)
{
    return set_tensor(descriptor, DNN_FILTER, format, type, dims, sizes, NULL);
}

ANSWER(int, cudnnSetFilter4dDescriptor, void *descriptor, int type, int format, int k, int c, int h, int w)
{
    return set_tensor(descriptor, DNN_FILTER, format, type, 4, (const int[]){k, c, h, w}, NULL);
}

ANSWER(int, cudnnGetFilterNdDescriptor, const void *descriptor, int wanted, int *type, int *format, int *dims,
       int *sizes)
{
    const struct dnn_tensor *filter = dnn_get(descriptor, DNN_FILTER);

    if (!filter || wanted < 0)
        return DNN_BAD_PARAM;
    dnn_put(type, filter->type);
    dnn_put(format, filter->format);
    dnn_put(dims, filter->dims);
    put_all(sizes, filter->sizes, least(wanted, filter->dims));
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetFilter4dDescriptor, const void *descriptor, int *type, int *format, int *k, int *c, int *h, int *w)
{
    const struct dnn_tensor *filter = dnn_get(descriptor, DNN_FILTER);
    int *const sizes[] = {k, c, h, w};

    if (!filter || filter->dims > 4)
        return DNN_BAD_PARAM;
    dnn_put(type, filter->type);
    dnn_put(format, filter->format);
    for (int i = 0; i < 4; i++)
        dnn_put(sizes[i], filter->sizes[i]);
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetFilterSizeInBytes, const void *descriptor, size_t *bytes)
{
    return bytes_of(descriptor, DNN_FILTER, bytes);
}

/* ---- pooling ---- */

struct pooling {
    int kind, mode, nan, dims;
    int window[DNN_MAX_DIMS], padding[DNN_MAX_DIMS], stride[DNN_MAX_DIMS];
};

static int
set_pooling(void *descriptor, const struct pooling *given, const int *window, const int *padding, const int *stride)
{
    struct pooling *pooling = dnn_get(descriptor, DNN_POOLING);

    if (!pooling || !window || !padding || !stride || given->dims < 1 || given->dims > DNN_MAX_DIMS - 2)
        return DNN_BAD_PARAM;
    for (int i = 0; i < given->dims; i++)
        if (window[i] <= 0 || padding[i] < 0 || stride[i] <= 0)
            return DNN_BAD_PARAM;
    *pooling = *given;
    put_all(pooling->window, window, given->dims);
    put_all(pooling->padding, padding, given->dims);
    put_all(pooling->stride, stride, given->dims);
    return DNN_SUCCESS;
}

ANSWER(int, cudnnSetPooling2dDescriptor, void *descriptor, int mode, int nan, int height, int width, int top, int left,
       int down, int right)
{
    return set_pooling(descriptor, &(struct pooling){DNN_POOLING, mode, nan, 2, {0}, {0}, {0}},
                       (const int[]){height, width}, (const int[]){top, left}, (const int[]){down, right});
}

ANSWER(int, cudnnSetPoolingNdDescriptor, void *descriptor, int mode, int nan, int dims, const int *window,
       const int *padding, const int *stride)
{
    return set_pooling(descriptor, &(struct pooling){DNN_POOLING, mode, nan, dims, {0}, {0}, {0}}, window, padding,
                       stride);
}

ANSWER(int, cudnnGetPoolingNdDescriptor, const void *descriptor, int wanted, int *mode, int *nan, int *dims,
       int *window, int *padding, int *stride)
{
    const struct pooling *pooling = dnn_get(descriptor, DNN_POOLING);
    int count;

    if (!pooling || wanted < 0)
        return DNN_BAD_PARAM;
    count = least(wanted, pooling->dims);
    dnn_put(mode, pooling->mode);
    dnn_put(nan, pooling->nan);
    dnn_put(dims, pooling->dims);
    put_all(window, pooling->window, count);
    put_all(padding, pooling->padding, count);
    put_all(stride, pooling->stride, count);
    return DNN_SUCCESS;
}

/* Batch, channels and what the windows leave of each axis. */
ANSWER(int, cudnnGetPoolingNdForwardOutputDim, const void *descriptor, const void *input, int dims, int *sizes)
{
    const struct pooling *pooling = dnn_get(descriptor, DNN_POOLING);
    const struct dnn_tensor *x = dnn_get(input, DNN_TENSOR);

    if (!pooling || !x || !sizes || dims != pooling->dims + 2 || x->dims != dims)
        return DNN_BAD_PARAM;
    for (int i = 0; i < dims; i++) {
        int axis = i - 2;
        int64_t room =
            axis < 0 ? 0 : (int64_t)x->sizes[i] + 2 * (int64_t)pooling->padding[axis] - pooling->window[axis];

        if (room < 0)
            return DNN_BAD_PARAM;
        sizes[i] = axis < 0 ? x->sizes[i] : 1 + (int)(room / pooling->stride[axis]);
    }
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetPooling2dForwardOutputDim, const void *descriptor, const void *input, int *n, int *c, int *h,
       int *w)
{
    int sizes[4];
    int status = n && c && h && w ? cudnnGetPoolingNdForwardOutputDim(descriptor, input, 4, sizes) : DNN_BAD_PARAM;

    if (status != DNN_SUCCESS)
        return status;
    *n = sizes[0];
    *c = sizes[1];
    *h = sizes[2];
    *w = sizes[3];
    return DNN_SUCCESS;
}

/* ---- activation ---- */

struct activation {
    int kind, mode, nan;
    double coefficient, beta;
};

ANSWER(int, cudnnSetActivationDescriptor, void *descriptor, int mode, int nan, double coefficient)
{
    struct activation *activation = dnn_get(descriptor, DNN_ACTIVATION);

    if (!activation)
        return DNN_BAD_PARAM;
    activation->mode = mode;
    activation->nan = nan;
    activation->coefficient = coefficient;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetActivationDescriptor, const void *descriptor, int *mode, int *nan, double *coefficient)
{
    const struct activation *activation = dnn_get(descriptor, DNN_ACTIVATION);

    if (!activation)
        return DNN_BAD_PARAM;
    dnn_put(mode, activation->mode);
    dnn_put(nan, activation->nan);
    if (coefficient)
        *coefficient = activation->coefficient;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnSetActivationDescriptorSwishBeta, void *descriptor, double beta)
{
    struct activation *activation = dnn_get(descriptor, DNN_ACTIVATION);

    if (!activation)
        return DNN_BAD_PARAM;
    activation->beta = beta;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetActivationDescriptorSwishBeta, const void *descriptor, double *beta)
{
    const struct activation *activation = dnn_get(descriptor, DNN_ACTIVATION);

    if (!activation || !beta)
        return DNN_BAD_PARAM;
    *beta = activation->beta;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnSetSpatialTransformerNdDescriptor, void *descriptor, int sampler, int type, int dims, const int *sizes)
{
    (void)sampler;
    return dnn_get(descriptor, DNN_SPATIAL_TRANSFORMER) && dnn_element_bytes(type) > 0 && dims > 0 && sizes
               ? DNN_SUCCESS
               : DNN_BAD_PARAM;
}

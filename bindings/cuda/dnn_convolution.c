/*
 * Convolutions of cuDNN's older interface, which PyTorch takes with TORCH_CUDNN_V8_API_DISABLED=1. Its answers are one
 * algorithm, the implicit product, and a workspace by rule (dnn_rules.c).
 */
#define _GNU_SOURCE
#include "dnn.h"

#include <string.h>

struct convolution {
    int kind, dims, mode, type, math, groups, reorder;
    int padding[DNN_MAX_DIMS], stride[DNN_MAX_DIMS], dilation[DNN_MAX_DIMS];
};

ANSWER(int, cudnnSetConvolutionNdDescriptor, void *descriptor, int dims, const int *padding, const int *stride,
       const int *dilation, int mode, int type)
{
    struct convolution *convolution = dnn_get(descriptor, DNN_CONVOLUTION);

    if (!convolution || dims < 1 || dims > DNN_MAX_DIMS - 2 || !padding || !stride || !dilation)
        return DNN_BAD_PARAM;
    for (int i = 0; i < dims; i++) {
        if (padding[i] < 0 || stride[i] <= 0 || dilation[i] <= 0)
            return DNN_BAD_PARAM;
        convolution->padding[i] = padding[i];
        convolution->stride[i] = stride[i];
        convolution->dilation[i] = dilation[i];
    }
    convolution->dims = dims;
    convolution->mode = mode;
    convolution->type = type;
    convolution->groups = convolution->groups > 0 ? convolution->groups : 1;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnSetConvolution2dDescriptor, void *descriptor, int top, int left, int down, int right, int rows,
       int columns, int mode, int type)
{
    return cudnnSetConvolutionNdDescriptor(descriptor, 2, (const int[]){top, left}, (const int[]){down, right},
                                           (const int[]){rows, columns}, mode, type);
}

ANSWER(int, cudnnGetConvolutionNdDescriptor, const void *descriptor, int wanted, int *dims, int *padding, int *stride,
       int *dilation, int *mode, int *type)
{
    const struct convolution *convolution = dnn_get(descriptor, DNN_CONVOLUTION);

    if (!convolution || wanted < 0)
        return DNN_BAD_PARAM;
    dnn_put(dims, convolution->dims);
    dnn_put(mode, convolution->mode);
    dnn_put(type, convolution->type);
    for (int i = 0; i < wanted && i < convolution->dims; i++) {
        dnn_put(padding ? padding + i : NULL, convolution->padding[i]);
        dnn_put(stride ? stride + i : NULL, convolution->stride[i]);
        dnn_put(dilation ? dilation + i : NULL, convolution->dilation[i]);
    }
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetConvolution2dDescriptor, const void *descriptor, int *top, int *left, int *down, int *right,
       int *rows, int *columns, int *mode, int *type)
{
    const struct convolution *convolution = dnn_get(descriptor, DNN_CONVOLUTION);

    if (!convolution || convolution->dims != 2)
        return DNN_BAD_PARAM;
    dnn_put(top, convolution->padding[0]);
    dnn_put(left, convolution->padding[1]);
    dnn_put(down, convolution->stride[0]);
    dnn_put(right, convolution->stride[1]);
    dnn_put(rows, convolution->dilation[0]);
    dnn_put(columns, convolution->dilation[1]);
    dnn_put(mode, convolution->mode);
    dnn_put(type, convolution->type);
    return DNN_SUCCESS;
}

/* A number of it, set and read. */
#define NUMBER(name, member, least)                                                                                    \
    ANSWER(int, cudnnSetConvolution##name, void *descriptor, int number)                                               \
    {                                                                                                                  \
        struct convolution *convolution = dnn_get(descriptor, DNN_CONVOLUTION);                                        \
                                                                                                                       \
        if (!convolution || number < (least))                                                                          \
            return DNN_BAD_PARAM;                                                                                      \
        convolution->member = number;                                                                                  \
        return DNN_SUCCESS;                                                                                            \
    }                                                                                                                  \
    ANSWER(int, cudnnGetConvolution##name, const void *descriptor, int *number)                                        \
    {                                                                                                                  \
        const struct convolution *convolution = dnn_get(descriptor, DNN_CONVOLUTION);                                  \
                                                                                                                       \
        if (!convolution || !number)                                                                                   \
            return DNN_BAD_PARAM;                                                                                      \
        *number = convolution->member;                                                                                 \
        return DNN_SUCCESS;                                                                                            \
    }

NUMBER(MathType, math, 0)
NUMBER(GroupCount, groups, 1)
NUMBER(ReorderType, reorder, 0)

/* ---- shapes ---- */

struct operands {
    const struct convolution *convolution;
    const struct dnn_tensor *input, *weight, *output; /* output may be NULL */
};

/* False unless they are living descriptors that fit each other. */
static bool
find(struct operands *found, const void *convolution, const void *input, const void *weight, const void *output)
{
    found->convolution = dnn_get(convolution, DNN_CONVOLUTION);
    found->input = dnn_get(input, DNN_TENSOR);
    found->weight = dnn_get(weight, DNN_FILTER);
    found->output = dnn_get(output, DNN_TENSOR);
    return found->convolution && found->input && found->weight && found->convolution->dims > 0 &&
           found->input->dims == found->convolution->dims + 2 && found->weight->dims == found->input->dims;
}

/* What is left of an axis; 0 if the kernel does not fit. */
static int
output_size(const struct operands *operands, int axis)
{
    const struct convolution *convolution = operands->convolution;
    int64_t kernel = 1 + (int64_t)(operands->weight->sizes[axis + 2] - 1) * convolution->dilation[axis];
    int64_t room = operands->input->sizes[axis + 2] + 2 * (int64_t)convolution->padding[axis] - kernel;
    int64_t size = room < 0 ? 0 : 1 + room / convolution->stride[axis];

    return size > INT32_MAX ? 0 : (int)size;
}

ANSWER(int, cudnnGetConvolutionNdForwardOutputDim, const void *convolution, const void *input, const void *weight,
       int dims, int *sizes)
{
    struct operands operands;

    if (!find(&operands, convolution, input, weight, NULL) || dims != operands.input->dims || !sizes)
        return DNN_BAD_PARAM;
    sizes[0] = operands.input->sizes[0];
    sizes[1] = operands.weight->sizes[0];
    for (int i = 2; i < dims; i++) {
        sizes[i] = output_size(&operands, i - 2);
        if (sizes[i] == 0)
            return DNN_BAD_PARAM;
    }
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetConvolution2dForwardOutputDim, const void *convolution, const void *input, const void *weight,
       int *n, int *c, int *h, int *w)
{
    int sizes[4];
    int status =
        n && c && h && w ? cudnnGetConvolutionNdForwardOutputDim(convolution, input, weight, 4, sizes) : DNN_BAD_PARAM;

    if (status != DNN_SUCCESS)
        return status;
    *n = sizes[0];
    *c = sizes[1];
    *h = sizes[2];
    *w = sizes[3];
    return DNN_SUCCESS;
}

/* ---- algorithms ---- */

/* cudnnConvolution*AlgoPerf_t */
struct performance {
    int algorithm, status;
    float milliseconds;
    size_t workspace;
    int determinism, math;
    int reserved[3];
};

enum { IMPLICIT_PRODUCT = 1, DETERMINISTIC = 1, FORWARD_ALGORITHMS = 8, INPUT_ALGORITHMS = 6, WEIGHT_ALGORITHMS = 7 };

static size_t
workspace_of(const struct operands *operands)
{
    const struct dnn_tensor *x = operands->input, *weight = operands->weight;
    struct dnn_convolution_sizes sizes = {
        .in_channels = x->sizes[1],
        .out_channels = weight->sizes[0],
        .group_channels = weight->sizes[1],
        .kernel_points = dnn_tensor_elements(weight) / weight->sizes[0] / weight->sizes[1],
        .elements = dnn_tensor_elements(x) + dnn_tensor_elements(weight) + dnn_tensor_elements(operands->output),
        .type = x->type,
        .channels_last = x->strides[1] == 1 && x->sizes[1] > 1,
    };

    return (size_t)dnn_convolution_workspace(&sizes);
}

static int
give_workspace(const void *handle, const void *convolution, const void *input, const void *weight, const void *output,
               size_t *bytes)
{
    struct operands operands;

    if (!dnn_is_handle(handle) || !find(&operands, convolution, input, weight, output) || !operands.output || !bytes)
        return DNN_BAD_PARAM;
    note_profile("workspaces of cuDNN's older convolutions are by rule or left out");
    *bytes = workspace_of(&operands);
    return DNN_SUCCESS;
}

static int
give_algorithm(const void *handle, const void *convolution, const void *input, const void *weight, const void *output,
               int wanted, int *count, struct performance *results)
{
    size_t bytes;
    int status = give_workspace(handle, convolution, input, weight, output, &bytes);

    if (status != DNN_SUCCESS || wanted < 1 || !count || !results)
        return DNN_BAD_PARAM;
    *count = 1;
    *results = (struct performance){.algorithm = IMPLICIT_PRODUCT, .workspace = bytes, .determinism = DETERMINISTIC};
    return DNN_SUCCESS;
}

static int
give_count(const void *handle, int number, int *count)
{
    if (!dnn_is_handle(handle) || !count)
        return DNN_BAD_PARAM;
    *count = number;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetConvolutionForwardAlgorithmMaxCount, void *handle, int *count)
{
    return give_count(handle, FORWARD_ALGORITHMS, count);
}

ANSWER(int, cudnnGetConvolutionBackwardDataAlgorithmMaxCount, void *handle, int *count)
{
    return give_count(handle, INPUT_ALGORITHMS, count);
}

ANSWER(int, cudnnGetConvolutionBackwardFilterAlgorithmMaxCount, void *handle, int *count)
{
    return give_count(handle, WEIGHT_ALGORITHMS, count);
}

ANSWER(int, cudnnGetConvolutionForwardWorkspaceSize, void *handle, const void *x, const void *w,
       const void *convolution, const void *y, int algorithm, size_t *bytes)
{
    return give_workspace(handle, convolution, x, w, y, bytes);
}

ANSWER(int, cudnnGetConvolutionBackwardDataWorkspaceSize, void *handle, const void *w, const void *dy,
       const void *convolution, const void *dx, int algorithm, size_t *bytes)
{
    return give_workspace(handle, convolution, dx, w, dy, bytes);
}

ANSWER(int, cudnnGetConvolutionBackwardFilterWorkspaceSize, void *handle, const void *x, const void *dy,
       const void *convolution, const void *dw, int algorithm, size_t *bytes)
{
    return give_workspace(handle, convolution, x, dw, dy, bytes);
}

ANSWER(int, cudnnGetConvolutionForwardAlgorithm_v7, void *handle, const void *x, const void *w, const void *convolution,
       const void *y, int wanted, int *count, struct performance *results)
{
    return give_algorithm(handle, convolution, x, w, y, wanted, count, results);
}

ANSWER(int, cudnnGetConvolutionBackwardDataAlgorithm_v7, void *handle, const void *w, const void *dy,
       const void *convolution, const void *dx, int wanted, int *count, struct performance *results)
{
    return give_algorithm(handle, convolution, dx, w, dy, wanted, count, results);
}

ANSWER(int, cudnnGetConvolutionBackwardFilterAlgorithm_v7, void *handle, const void *x, const void *dy,
       const void *convolution, const void *dw, int wanted, int *count, struct performance *results)
{
    return give_algorithm(handle, convolution, x, dw, dy, wanted, count, results);
}

/* Trying algorithms out finds the one that there is; with its operands given, and what they may work in. */

ANSWER(int, cudnnFindConvolutionForwardAlgorithm, void *handle, const void *x, const void *w, const void *convolution,
       const void *y, int wanted, int *count, struct performance *results)
{
    return give_algorithm(handle, convolution, x, w, y, wanted, count, results);
}

ANSWER(int, cudnnFindConvolutionForwardAlgorithmEx, void *handle, const void *x, const void *x_data, const void *w,
       const void *w_data, const void *convolution, const void *y, void *y_data, int wanted, int *count,
       struct performance *results, void *workspace, size_t bytes)
{
    return give_algorithm(handle, convolution, x, w, y, wanted, count, results);
}

ANSWER(int, cudnnFindConvolutionBackwardDataAlgorithm, void *handle, const void *w, const void *dy,
       const void *convolution, const void *dx, int wanted, int *count, struct performance *results)
{
    return give_algorithm(handle, convolution, dx, w, dy, wanted, count, results);
}

ANSWER(int, cudnnFindConvolutionBackwardDataAlgorithmEx, void *handle, const void *w, const void *w_data,
       const void *dy, const void *dy_data, const void *convolution, const void *dx, void *dx_data, int wanted,
       int *count, struct performance *results, void *workspace, size_t bytes)
{
    return give_algorithm(handle, convolution, dx, w, dy, wanted, count, results);
}

ANSWER(int, cudnnFindConvolutionBackwardFilterAlgorithm, void *handle, const void *x, const void *dy,
       const void *convolution, const void *dw, int wanted, int *count, struct performance *results)
{
    return give_algorithm(handle, convolution, x, dw, dy, wanted, count, results);
}

ANSWER(int, cudnnFindConvolutionBackwardFilterAlgorithmEx, void *handle, const void *x, const void *x_data,
       const void *dy, const void *dy_data, const void *convolution, const void *dw, void *dw_data, int wanted,
       int *count, struct performance *results, void *workspace, size_t bytes)
{
    return give_algorithm(handle, convolution, x, dw, dy, wanted, count, results);
}

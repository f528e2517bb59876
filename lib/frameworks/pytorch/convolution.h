/*
 * What one convolution or transposed convolution of eager PyTorch on CPU allocates and frees, in order, forward and
 * backward. Float32 or float64 tensors. Measured with PyTorch 2.13.0 (oneDNN 3.12.0, MKL).
 * PyTorch: aten/src/ATen/native/Convolution.cpp chooses among the back ends and ends each list with the result.
 */
#ifndef PYTORCH_CONVOLUTION_H
#define PYTORCH_CONVOLUTION_H

#include "base/context.h"
#include "frameworks/target_cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONVOLUTION_DIMS = 3 };

/* How a tensor lies in memory, dims of size 1 apart; all zeros: row-major. */
struct dim_order {
    bool scattered;              /* it is not contiguous in row-major order */
    bool channels_last;          /* it is contiguous in the order of torch.channels_last */
    bool suggests_channels_last; /* Tensor.suggest_memory_format() says so */
    bool summed_aside;           /* of a half type that a sum over all but the channels has in float32 */
};

/* The arguments of torch.nn.Conv{1,2,3}d and ConvTranspose{1,2,3}d; of each array the first `dims` numbers count. */
struct convolution {
    int dims; /* spatial dimensions, 1 to 3 */
    bool transposed;
    bool bias;
    int64_t element; /* bytes of an element: 4 for float32, 8 for float64, 2 for half types */
    int64_t batch, in_channels, out_channels, groups;
    int64_t input[CONVOLUTION_DIMS]; /* spatial size of the input */
    int64_t kernel[CONVOLUTION_DIMS], stride[CONVOLUTION_DIMS], padding[CONVOLUTION_DIMS], dilation[CONVOLUTION_DIMS];
    int64_t output_padding[CONVOLUTION_DIMS]; /* of a transposed convolution, else 0 */
    struct dim_order input_order, weight_order;
};

/* Which gradients autograd asks convolution_backward for. */
struct convolution_wants {
    bool grad_input, grad_weight, grad_bias;
};

/* What a buffer is for. Scratch is freed before its list ends; the others are the results and are not. */
enum convolution_role {
    CONVOLUTION_SCRATCH,
    CONVOLUTION_OUTPUT,
    CONVOLUTION_GRAD_INPUT,
    CONVOLUTION_GRAD_WEIGHT,
    CONVOLUTION_GRAD_BIAS,
};

struct convolution_event {
    int64_t bytes; /* > 0: allocated; < 0: freed */
    int buffer;    /* the same number in the allocation and the release, counted from 0 in the order of allocation */
    enum convolution_role role;
};

/* Begins as all zeros; each call below appends to nothing but starts the list again. */
struct convolution_events {
    struct convolution_event *items;
    size_t count, capacity;
    int buffers;        /* how many were allocated */
    bool channels_last; /* so lie output, gradient of the input and gradient of the weight; else row-major */
};

/*
 * Events of the forward call: from entering the operator to its return. One buffer, CONVOLUTION_OUTPUT, stays.
 * A CONVOLUTION_OUTPUT may be larger than the output tensor (SlowTranspose3d keeps its larger first buffer).
 * Returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY;
 * the list may then be partly filled and is released as ever.
 */
int
convolution_forward(memmodel_context *context, const struct convolution *convolution, const struct target_cpu *machine,
                    struct convolution_events *events);

/*
 * Events of convolution_backward, until the incoming gradient and the saved input are released. What
 * stays are the gradients that were asked for. A weight's gradient that is only a by-product of its bias's is freed at
 * the end. `grad_order` is how the incoming gradient lies.
 */
int
convolution_backward(memmodel_context *context, const struct convolution *convolution, const struct target_cpu *machine,
                     struct convolution_wants wants, struct dim_order grad_order, struct convolution_events *events);

void
convolution_events_release(memmodel_context *context, struct convolution_events *events);

/* Whether the output of a transposed one is padded by a whole stride, which oneDNN does not know. */
bool
convolution_pads_widely(const struct convolution *convolution);

/* Spatial size of the output along `axis`; below 1 if the kernel does not fit. */
int64_t
convolution_output_size(const struct convolution *convolution, int axis);

#endif

/* A convolution with its sizes worked out, and the list that its back ends write. */
#ifndef PYTORCH_CONVOLUTION_LAYER_H
#define PYTORCH_CONVOLUTION_LAYER_H

#include "frameworks/onednn/primitive.h"
#include "frameworks/pytorch/convolution.h"

enum backend {
    BACKEND_ONEDNN,
    BACKEND_SLOW_2D,
    BACKEND_SLOW_3D,
    BACKEND_SLOW_DILATED, /* 2-d and 3-d */
    BACKEND_SLOW_TRANSPOSE_2D,
    BACKEND_SLOW_TRANSPOSE_3D,
    BACKEND_NNPACK, /* only where oneDNN is switched off */
};

/* Leading axes that the convolution does not have are a single point; a 1-d one is run as a 2-d one. */
struct convolution_layer {
    const struct target_cpu *machine;
    enum backend backend;
    int dims; /* 2 or 3 */
    bool transposed, bias;
    bool channels_last;               /* all tensors are taken so */
    bool copies_input, copies_weight; /* they lie otherwise */
    bool sums_aside;                  /* grad_output for the bias: a half type that is summed in float32 */
    int64_t element;
    int64_t batch, in, out, groups; /* channels of all groups */
    int64_t input[AXES], output[AXES];
    int64_t kernel[AXES], stride[AXES], padding[AXES], dilation[AXES];
    int64_t input_points, output_points, kernel_points;
};

/* @unit bytes */
int64_t
convolution_input_bytes(const struct convolution_layer *layer);

int64_t
convolution_output_bytes(const struct convolution_layer *layer);

int64_t
convolution_weight_bytes(const struct convolution_layer *layer);

int64_t
convolution_bias_bytes(const struct convolution_layer *layer);

/* Appends to a list; the first failure sticks in `status` and later events are dropped. */
struct event_log {
    memmodel_context *context;
    struct convolution_events *events;
    int status;
};

/* An allocated buffer; one of 0 bytes leaves no trace. */
struct convolution_buffer {
    int number;
    enum convolution_role role;
    int64_t bytes;
};

struct convolution_buffer
log_allocate(struct event_log *log, int64_t bytes, enum convolution_role role);

static inline struct convolution_buffer
log_scratch(struct event_log *log, int64_t bytes)
{
    return log_allocate(log, bytes, CONVOLUTION_SCRATCH);
}

void
log_free(struct event_log *log, struct convolution_buffer buffer);

/* The back ends. */
void
onednn_forward(const struct convolution_layer *layer, struct event_log *log);

void
onednn_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                struct event_log *log);

void
native_forward(const struct convolution_layer *layer, struct event_log *log);

void
native_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                struct event_log *log);

#endif

/*
 * Which back end runs a convolution. PyTorch: aten/src/ATen/native/Convolution.cpp, use_mkldnn, use_nnpack,
 * _select_conv_backend.
 */
#include "frameworks/pytorch/convolution.h"

#include "base/checked.h"
#include "frameworks/pytorch/convolution_layer.h"

#include <inttypes.h>
#include <string.h>

enum {
    ONEDNN_BATCH = 16,    /* images from which oneDNN is worth its copies */
    ONEDNN_INPUT = 20480, /* or elements of the first four dimensions of the input */
    ONEDNN_KERNEL = 3,    /* or a kernel larger than this along both last axes */
    NNPACK_BATCH = 16,
    NNPACK_KERNEL = 16,
    SIZE_SLACK = 64, /* bound on the factors that multiply a problem's work in any size or estimate */
};

static bool
any_differs(const int64_t values[AXES], int64_t value)
{
    return values[DEPTH] != value || values[HEIGHT] != value || values[WIDTH] != value;
}

/* Elements of the first four dimensions of the input: of a volume the width is not counted. */
static int64_t
leading_elements(const struct convolution_layer *layer)
{
    const int64_t *input = layer->input;
    int64_t plane = layer->dims == 3 ? input[DEPTH] * input[HEIGHT] : input[HEIGHT] * input[WIDTH];

    return layer->batch * layer->in * plane;
}

static bool
uses_onednn(const struct convolution_layer *layer)
{
    const int64_t *kernel = layer->kernel;
    bool pointwise = kernel[WIDTH] == 1 && kernel[HEIGHT] == 1;
    bool large = kernel[WIDTH] > ONEDNN_KERNEL && kernel[HEIGHT] > ONEDNN_KERNEL;

    if (layer->element == 2 && layer->machine->isa == CPU_ISA_AVX512)
        return true; /* of bfloat16 */
    if (layer->machine->isa == CPU_ISA_NONE || layer->element != 4)
        return false;
    if (!any_differs(layer->stride, 1) && !any_differs(layer->dilation, 1) && layer->batch < ONEDNN_BATCH &&
        pointwise && layer->machine->threads == 1)
        return false;
    return layer->groups > 1 || large || layer->batch > 1 || leading_elements(layer) > ONEDNN_INPUT;
}

static bool
uses_nnpack(const struct convolution_layer *layer)
{
    if (layer->element != 4 || layer->batch < NNPACK_BATCH)
        return false;
    for (int axis = HEIGHT; axis <= WIDTH; axis++)
        if (layer->kernel[axis] > NNPACK_KERNEL || layer->padding[axis] >= layer->kernel[axis])
            return false;
    return true;
}

bool
convolution_pads_widely(const struct convolution *convolution)
{
    for (int axis = 0; convolution->transposed && axis < convolution->dims; axis++)
        if (convolution->output_padding[axis] >= convolution->stride[axis])
            return true;
    return false;
}

static enum backend
choose_backend(const struct convolution *convolution, const struct convolution_layer *layer)
{
    bool dilated = any_differs(layer->dilation, 1);

    if (!convolution_pads_widely(convolution) && uses_onednn(layer))
        return BACKEND_ONEDNN;
    if (layer->transposed)
        return layer->dims == 3 ? BACKEND_SLOW_TRANSPOSE_3D : BACKEND_SLOW_TRANSPOSE_2D;
    if (dilated)
        return BACKEND_SLOW_DILATED;
    if (layer->dims == 3)
        return BACKEND_SLOW_3D;
    return uses_nnpack(layer) ? BACKEND_NNPACK : BACKEND_SLOW_2D;
}

/* Native kernels of volumes know no channels-last, nor does oneDNN where it refuses the type. */
static bool
follows_channels_last(const struct convolution_layer *layer)
{
    switch (layer->backend) {
    case BACKEND_ONEDNN:
        return true;
    case BACKEND_SLOW_2D:
    case BACKEND_SLOW_TRANSPOSE_2D:
        return true;
    case BACKEND_SLOW_DILATED:
        return layer->dims == 2;
    default:
        return false;
    }
}

/* Whether a tensor of that order is taken as it is. */
static bool
convolution_takes_order(const struct convolution_layer *layer, struct dim_order order)
{
    return layer->channels_last ? order.channels_last : !order.scattered;
}

/* Convolution.cpp, mkldnn_conv_use_channels_last and thnn_conv_use_channels_last: either tensor asks for it. */
static void
init_order(const struct convolution *c, struct convolution_layer *layer)
{
    bool asked = c->input_order.suggests_channels_last || c->weight_order.suggests_channels_last;

    layer->channels_last = asked && follows_channels_last(layer);
    layer->copies_input = !convolution_takes_order(layer, c->input_order);
    layer->copies_weight = !convolution_takes_order(layer, c->weight_order);
}

int64_t
convolution_output_size(const struct convolution *c, int axis)
{
    int64_t extent = (c->kernel[axis] - 1) * c->dilation[axis] + 1;

    if (c->transposed)
        return (c->input[axis] - 1) * c->stride[axis] - 2 * c->padding[axis] + extent + c->output_padding[axis];
    return floor_divide(c->input[axis] + 2 * c->padding[axis] - extent, c->stride[axis]) + 1;
}

static int
check_arguments(memmodel_context *context, const struct convolution *c, const struct target_cpu *machine)
{
    if (c->dims < 1 || c->dims > CONVOLUTION_DIMS || (c->element != 2 && c->element != 4 && c->element != 8) ||
        c->batch < 1 || c->in_channels < 1 || c->out_channels < 1 || c->groups < 1)
        return context_error(
            context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
            "a convolution has 1 to 3 spatial dimensions, 2, 4 or 8 bytes an element, and at least one "
            "image, channel and group");
    if (c->in_channels % c->groups != 0 || c->out_channels % c->groups != 0)
        return context_error(context, MEMMODEL_ERROR_SHAPE, NULL,
                             "%" PRId64 " input and %" PRId64 " output channels do not divide into %" PRId64 " groups",
                             c->in_channels, c->out_channels, c->groups);
    if (machine->threads < 1 || machine->l1 < 1 || machine->l2 < 1)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "a machine has at least one thread, and caches");
    return MEMMODEL_OK;
}

/* Bound on the points of an axis with all its padding; false if it does not fit. */
static bool
axis_bound(const struct convolution *c, int axis, int64_t *points)
{
    int64_t reach, steps;

    return checked_multiply(c->kernel[axis], c->dilation[axis], &reach) &&
           checked_multiply(c->input[axis], c->stride[axis], &steps) && checked_accumulate(&reach, c->padding[axis]) &&
           checked_accumulate(&reach, c->output_padding[axis]) && checked_multiply(reach, 4, &reach) &&
           checked_add(reach, steps, points);
}

static int
check_axes(memmodel_context *context, const struct convolution *c)
{
    int64_t points;

    for (int axis = 0; axis < c->dims; axis++) {
        if (c->input[axis] < 1 || c->kernel[axis] < 1 || c->stride[axis] < 1 || c->dilation[axis] < 1 ||
            c->padding[axis] < 0 || c->output_padding[axis] < 0)
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "axis %d: sizes, strides and dilations are at least 1, paddings at least 0", axis);
        if (!axis_bound(c, axis, &points))
            return context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL, "axis %d is too long", axis);
        if (convolution_output_size(c, axis) < 1)
            return context_error(context, MEMMODEL_ERROR_SHAPE, NULL,
                                 "a kernel of %" PRId64 " does not fit %" PRId64 " points padded by %" PRId64
                                 " along axis %d",
                                 c->kernel[axis], c->input[axis], c->padding[axis], axis);
    }
    return MEMMODEL_OK;
}

/* Every size below is a factor of the convolution's work, times threads, bytes and a small slack. */
static int
check_work(memmodel_context *context, const struct convolution *c, const struct target_cpu *machine)
{
    int64_t work = SIZE_SLACK * c->element, points;
    bool fits = checked_multiply(work, machine->threads, &work) && checked_multiply(work, c->batch, &work) &&
                checked_multiply(work, c->in_channels, &work) && checked_multiply(work, c->out_channels, &work);

    for (int axis = 0; fits && axis < c->dims; axis++)
        fits = axis_bound(c, axis, &points) && checked_multiply(work, points, &work) &&
               checked_multiply(work, c->kernel[axis], &work);
    if (!fits)
        return context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL, "the convolution is too large");
    return MEMMODEL_OK;
}

static void
init_axes(const struct convolution *c, struct convolution_layer *layer)
{
    layer->input_points = layer->output_points = layer->kernel_points = 1;
    for (int axis = 0; axis < AXES; axis++)
        layer->input[axis] = layer->output[axis] = layer->kernel[axis] = layer->stride[axis] = layer->dilation[axis] =
            1;
    for (int from = 0; from < c->dims; from++) {
        int axis = AXES - c->dims + from;

        layer->input[axis] = c->input[from];
        layer->output[axis] = convolution_output_size(c, from);
        layer->kernel[axis] = c->kernel[from];
        layer->stride[axis] = c->stride[from];
        layer->padding[axis] = c->padding[from];
        layer->dilation[axis] = c->dilation[from];
        layer->input_points = multiply_saturating(layer->input_points, layer->input[axis]);
        layer->output_points = multiply_saturating(layer->output_points, layer->output[axis]);
        layer->kernel_points = multiply_saturating(layer->kernel_points, layer->kernel[axis]);
    }
}

/* Refuses what PyTorch would refuse; after it no size below overflows. */
static int
convolution_layer_init(memmodel_context *context, const struct convolution *convolution,
                       const struct target_cpu *machine, struct convolution_layer *layer)
{
    int status = check_arguments(context, convolution, machine);

    if (status == MEMMODEL_OK)
        status = check_axes(context, convolution);
    if (status == MEMMODEL_OK)
        status = check_work(context, convolution, machine);
    if (status != MEMMODEL_OK)
        return status;
    *layer = (struct convolution_layer){.machine = machine,
                                        .dims = convolution->dims == 3 ? 3 : 2,
                                        .transposed = convolution->transposed,
                                        .bias = convolution->bias,
                                        .element = convolution->element,
                                        .batch = convolution->batch,
                                        .in = convolution->in_channels,
                                        .out = convolution->out_channels,
                                        .groups = convolution->groups};
    init_axes(convolution, layer);
    layer->backend = choose_backend(convolution, layer);
    init_order(convolution, layer);
    return MEMMODEL_OK;
}

int64_t
convolution_input_bytes(const struct convolution_layer *layer)
{
    return layer->batch * layer->in * layer->input_points * layer->element;
}

int64_t
convolution_output_bytes(const struct convolution_layer *layer)
{
    return layer->batch * layer->out * layer->output_points * layer->element;
}

int64_t
convolution_weight_bytes(const struct convolution_layer *layer)
{
    return layer->in * layer->out / layer->groups * layer->kernel_points * layer->element;
}

int64_t
convolution_bias_bytes(const struct convolution_layer *layer)
{
    return layer->out * layer->element;
}

static void
log_append(struct event_log *log, struct convolution_event event)
{
    struct convolution_events *events = log->events;

    if (log->status == MEMMODEL_OK)
        log->status =
            array_reserve(log->context, &events->items, &events->capacity, events->count + 1, sizeof *events->items);
    if (log->status == MEMMODEL_OK)
        events->items[events->count++] = event;
}

struct convolution_buffer
log_allocate(struct event_log *log, int64_t bytes, enum convolution_role role)
{
    struct convolution_buffer buffer = {log->events->buffers, role, bytes};

    if (bytes == 0)
        return buffer;
    log->events->buffers++;
    log_append(log, (struct convolution_event){bytes, buffer.number, role});
    return buffer;
}

void
log_free(struct event_log *log, struct convolution_buffer buffer)
{
    if (buffer.bytes != 0)
        log_append(log, (struct convolution_event){-buffer.bytes, buffer.number, buffer.role});
}

static void
start_again(struct convolution_events *events)
{
    events->count = 0;
    events->buffers = 0;
}

int
convolution_forward(memmodel_context *context, const struct convolution *convolution, const struct target_cpu *machine,
                    struct convolution_events *events)
{
    struct event_log log = {context, events, MEMMODEL_OK};
    struct convolution_layer layer;
    int status = convolution_layer_init(context, convolution, machine, &layer);

    start_again(events);
    if (status != MEMMODEL_OK)
        return status;
    events->channels_last = layer.channels_last;
    if (layer.backend == BACKEND_ONEDNN)
        onednn_forward(&layer, &log);
    else
        native_forward(&layer, &log);
    return log.status;
}

int
convolution_backward(memmodel_context *context, const struct convolution *convolution, const struct target_cpu *machine,
                     struct convolution_wants wants, struct dim_order grad_order, struct convolution_events *events)
{
    struct event_log log = {context, events, MEMMODEL_OK};
    struct convolution_layer layer;
    int status = convolution_layer_init(context, convolution, machine, &layer);
    bool contiguous_grad;

    start_again(events);
    if (status != MEMMODEL_OK || (!wants.grad_input && !wants.grad_weight && !wants.grad_bias))
        return status;
    events->channels_last = layer.channels_last;
    contiguous_grad = convolution_takes_order(&layer, grad_order);
    layer.sums_aside = grad_order.summed_aside;
    if (layer.backend == BACKEND_ONEDNN)
        onednn_backward(&layer, wants, contiguous_grad, &log);
    else
        native_backward(&layer, wants, contiguous_grad, &log);
    return log.status;
}

void
convolution_events_release(memmodel_context *context, struct convolution_events *events)
{
    memory_release(context, events->items);
    memset(events, 0, sizeof *events);
}

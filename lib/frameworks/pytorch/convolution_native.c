/*
 * PyTorch's own convolutions: image columns and matrix products. PyTorch: aten/src/ATen/native/ConvolutionMM2d.cpp,
 * ConvolutionMM3d.cpp, NaiveDilatedConvolution.cpp, NaiveConvolutionTranspose2d.cpp, NaiveConvolutionTranspose3d.cpp,
 * NNPACK.cpp. All but ConvolutionMM3d run one group after the other and concatenate the results.
 */
#include "frameworks/pytorch/convolution_layer.h"

enum {
    PARALLEL_SUM = 32768, /* elements from which a sum to one number is shared among threads */
    HALF = 2,             /* bytes of an element of a half type */
};

/* The three gradients of a back end, each of 0 bytes if it is not wanted. */
struct gradients {
    struct convolution_buffer input, weight, bias;
};

/* One back end: its forward call returns the output, its backward call the gradients. */
struct native_backend {
    struct convolution_buffer (*forward)(const struct convolution_layer *layer, struct event_log *log, bool grouped);
    struct gradients (*backward)(const struct convolution_layer *layer, struct convolution_wants wants,
                                 bool contiguous_grad, bool grouped, struct event_log *log);
};

static int64_t
when(bool wanted, int64_t bytes)
{
    return wanted ? bytes : 0;
}

/* Results of one group of several are scratch: the concatenated ones stay. */
static struct convolution_buffer
result(struct event_log *log, int64_t bytes, bool grouped, enum convolution_role role)
{
    return log_allocate(log, bytes, grouped ? CONVOLUTION_SCRATCH : role);
}

static void
allocate_and_free(struct event_log *log, int64_t bytes)
{
    log_free(log, log_scratch(log, bytes));
}

/* A kernel of one point that reads every point once: columns would be the tensor itself. */
static bool
is_identity(const struct convolution_layer *layer)
{
    if (layer->kernel_points != 1)
        return false;
    for (int axis = 0; axis < AXES; axis++)
        if (layer->stride[axis] != 1 || layer->padding[axis] != 0)
            return false;
    return true;
}

/* Kernel points of all input channels for each output point of an image. */
static int64_t
image_columns(const struct convolution_layer *layer)
{
    return layer->in * layer->kernel_points * layer->output_points * layer->element;
}

/* The same of a transposed convolution, whose columns stand for the output. */
static int64_t
transposed_columns(const struct convolution_layer *layer)
{
    return layer->out * layer->kernel_points * layer->input_points * layer->element;
}

/* What the sum of grad_output over all but the channels takes; half types are summed in float32. ReduceOps.cpp */
static void
bias_sum_scratch(const struct convolution_layer *layer, bool wanted, struct event_log *log)
{
    enum { FLOAT = 4 };
    bool shared = layer->out == 1 && layer->batch * layer->output_points >= PARALLEL_SUM && layer->machine->threads > 1;
    bool aside = wanted && layer->sums_aside;
    struct convolution_buffer sums = log_scratch(log, when(aside, layer->out * FLOAT));

    allocate_and_free(log, when(aside, layer->batch * layer->out * layer->output_points * FLOAT));
    allocate_and_free(log, when(wanted && shared, layer->machine->threads * layer->element));
    log_free(log, sums);
}

static struct convolution_buffer
bias_sum(const struct convolution_layer *layer, bool wanted, bool grouped, struct event_log *log)
{
    struct convolution_buffer bias =
        result(log, when(wanted, convolution_bias_bytes(layer)), grouped, CONVOLUTION_GRAD_BIAS);

    bias_sum_scratch(layer, wanted, log);
    return bias;
}

static struct convolution_buffer
forward_with_columns(const struct convolution_layer *layer, int64_t columns_bytes, bool grouped, struct event_log *log)
{
    struct convolution_buffer columns = log_scratch(log, columns_bytes);
    struct convolution_buffer output = result(log, convolution_output_bytes(layer), grouped, CONVOLUTION_OUTPUT);

    log_free(log, columns);
    return output;
}

static struct convolution_buffer
slow_2d_forward(const struct convolution_layer *layer, struct event_log *log, bool grouped)
{
    int64_t columns = layer->batch * image_columns(layer);

    return forward_with_columns(layer, when(!is_identity(layer), columns), grouped, log);
}

/* The copy of a gradient that is not contiguous lives as long as the columns of its part. */
static struct convolution_buffer
weight_with_columns(const struct convolution_layer *layer, bool wanted, int64_t columns, int64_t copy_bytes,
                    bool grouped, struct event_log *log)
{
    struct convolution_buffer weight =
        result(log, when(wanted, convolution_weight_bytes(layer)), grouped, CONVOLUTION_GRAD_WEIGHT);
    struct convolution_buffer copy = log_scratch(log, when(wanted, copy_bytes));

    allocate_and_free(log, when(wanted, columns));
    log_free(log, copy);
    return weight;
}

static struct convolution_buffer
input_with_columns(const struct convolution_layer *layer, bool wanted, int64_t columns, int64_t copy_bytes,
                   bool grouped, struct event_log *log)
{
    struct convolution_buffer copy = log_scratch(log, when(wanted, copy_bytes));
    struct convolution_buffer input =
        result(log, when(wanted, convolution_input_bytes(layer)), grouped, CONVOLUTION_GRAD_INPUT);

    allocate_and_free(log, when(wanted, columns));
    log_free(log, copy);
    return input;
}

/* The columns of the input's gradient are made outside the allocator. */
static struct gradients
slow_2d_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                 bool grouped, struct event_log *log)
{
    int64_t copy = when(!contiguous_grad, convolution_output_bytes(layer));
    int64_t columns = when(!is_identity(layer), layer->batch * image_columns(layer));
    struct gradients gradients;

    gradients.input = input_with_columns(layer, wants.grad_input, 0, copy, grouped, log);
    gradients.bias = bias_sum(layer, wants.grad_bias, grouped, log);
    gradients.weight = weight_with_columns(layer, wants.grad_weight, columns, copy, grouped, log);
    return gradients;
}

static int64_t
volume_columns(const struct convolution_layer *layer)
{
    return when(!is_identity(layer) || layer->groups > 1, layer->batch * image_columns(layer));
}

static struct convolution_buffer
slow_3d_forward(const struct convolution_layer *layer, struct event_log *log, bool grouped)
{
    return forward_with_columns(layer, volume_columns(layer), grouped, log);
}

/* The weight's gradient of a volume; its input is copied here if it must be, not before. */
static struct convolution_buffer
volume_weight(const struct convolution_layer *layer, bool wanted, int64_t copy_bytes, struct event_log *log)
{
    struct convolution_buffer weight =
        log_allocate(log, when(wanted, convolution_weight_bytes(layer)), CONVOLUTION_GRAD_WEIGHT);
    struct convolution_buffer copy = log_scratch(log, when(wanted, copy_bytes));
    struct convolution_buffer input =
        log_scratch(log, when(wanted && layer->copies_input, convolution_input_bytes(layer)));
    struct convolution_buffer columns = log_scratch(log, when(wanted, volume_columns(layer)));

    log_free(log, input);
    log_free(log, columns);
    log_free(log, copy);
    return weight;
}

/* Columns of the input's gradient are made even where those of the others are not. */
static struct gradients
slow_3d_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                 bool grouped, struct event_log *log)
{
    int64_t copy = when(!contiguous_grad, convolution_output_bytes(layer));
    int64_t columns = layer->batch * image_columns(layer);
    int64_t weight_bytes = when(wants.grad_input && layer->copies_weight, convolution_weight_bytes(layer));
    struct convolution_buffer weight = log_scratch(log, weight_bytes);
    struct gradients gradients;

    gradients.input = input_with_columns(layer, wants.grad_input, columns, copy, grouped, log);
    log_free(log, weight);
    gradients.bias = bias_sum(layer, wants.grad_bias, grouped, log);
    gradients.weight = volume_weight(layer, wants.grad_weight, copy, log);
    return gradients;
}

static struct convolution_buffer
dilated_forward(const struct convolution_layer *layer, struct event_log *log, bool grouped)
{
    struct convolution_buffer output = result(log, convolution_output_bytes(layer), grouped, CONVOLUTION_OUTPUT);

    allocate_and_free(log, image_columns(layer));
    return output;
}

/* The bias is summed image by image, each sum a temporary. */
static struct gradients
dilated_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                 bool grouped, struct event_log *log)
{
    int64_t bias_bytes = when(wants.grad_bias, convolution_bias_bytes(layer));
    struct convolution_buffer copy = log_scratch(log, when(!contiguous_grad, convolution_output_bytes(layer)));
    struct convolution_buffer columns;
    struct gradients gradients;

    gradients.input =
        result(log, when(wants.grad_input, convolution_input_bytes(layer)), grouped, CONVOLUTION_GRAD_INPUT);
    gradients.weight =
        result(log, when(wants.grad_weight, convolution_weight_bytes(layer)), grouped, CONVOLUTION_GRAD_WEIGHT);
    gradients.bias = result(log, bias_bytes, grouped, CONVOLUTION_GRAD_BIAS);
    columns = log_scratch(log, when(wants.grad_input || wants.grad_weight, image_columns(layer)));
    for (int64_t image = 0; image < layer->batch && log->status == MEMMODEL_OK && bias_bytes; image++)
        allocate_and_free(log, bias_bytes);
    log_free(log, columns);
    log_free(log, copy);
    return gradients;
}

static struct convolution_buffer
transpose_2d_forward(const struct convolution_layer *layer, struct event_log *log, bool grouped)
{
    struct convolution_buffer output = result(log, convolution_output_bytes(layer), grouped, CONVOLUTION_OUTPUT);

    allocate_and_free(log, layer->batch * transposed_columns(layer));
    return output;
}

static int64_t
backward_transposed_columns(const struct convolution_layer *layer)
{
    bool dense = layer->dilation[DEPTH] == 1 && layer->dilation[HEIGHT] == 1 && layer->dilation[WIDTH] == 1;

    return when(!is_identity(layer) || !dense, transposed_columns(layer));
}

static struct gradients
transpose_2d_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                      bool grouped, struct event_log *log)
{
    int64_t copy = when(!contiguous_grad, convolution_output_bytes(layer));
    int64_t columns = backward_transposed_columns(layer);
    struct gradients gradients;

    gradients.input = input_with_columns(layer, wants.grad_input, columns, copy, grouped, log);
    gradients.bias = bias_sum(layer, wants.grad_bias, grouped, log);
    gradients.weight = weight_with_columns(layer, wants.grad_weight, columns, copy, grouped, log);
    return gradients;
}

/* The output begins as large as the input and keeps that size if it needs less. */
static struct convolution_buffer
transpose_3d_forward(const struct convolution_layer *layer, struct event_log *log, bool grouped)
{
    int64_t bytes = convolution_output_bytes(layer), first_bytes = convolution_input_bytes(layer);
    bool grows = bytes > first_bytes;
    struct convolution_buffer output = result(log, first_bytes, grouped || grows, CONVOLUTION_OUTPUT), columns;

    if (grows) {
        struct convolution_buffer first = output;

        output = result(log, bytes, grouped, CONVOLUTION_OUTPUT);
        log_free(log, first);
    }
    columns = log_scratch(log, transposed_columns(layer));
    allocate_and_free(log, when(layer->bias, layer->output_points * layer->element));
    log_free(log, columns);
    return output;
}

/* Weight and bias are one stage, which spreads columns for the bias alone too. */
static struct gradients
transpose_3d_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                      bool grouped, struct event_log *log)
{
    int64_t copy_bytes = when(!contiguous_grad, convolution_output_bytes(layer));
    int64_t columns_bytes = backward_transposed_columns(layer);
    bool both = wants.grad_weight || wants.grad_bias;
    struct convolution_buffer copy, columns;
    struct gradients gradients;

    gradients.input = input_with_columns(layer, wants.grad_input, columns_bytes, copy_bytes, grouped, log);
    gradients.weight =
        result(log, when(wants.grad_weight, convolution_weight_bytes(layer)), grouped, CONVOLUTION_GRAD_WEIGHT);
    gradients.bias = result(log, when(wants.grad_bias, convolution_bias_bytes(layer)), grouped, CONVOLUTION_GRAD_BIAS);
    copy = log_scratch(log, when(both, copy_bytes));
    columns = log_scratch(log, when(both, columns_bytes));
    bias_sum_scratch(layer, wants.grad_bias, log);
    log_free(log, columns);
    log_free(log, copy);
    return gradients;
}

/* Without a bias it makes one of zeros. Its backward pass is the dilated back end's. */
static struct convolution_buffer
nnpack_forward(const struct convolution_layer *layer, struct event_log *log, bool grouped)
{
    struct convolution_buffer output = result(log, convolution_output_bytes(layer), grouped, CONVOLUTION_OUTPUT);

    allocate_and_free(log, when(!layer->bias, convolution_bias_bytes(layer)));
    return output;
}

static const struct native_backend backends[] = {
    [BACKEND_SLOW_2D] = {slow_2d_forward, slow_2d_backward},
    [BACKEND_SLOW_3D] = {slow_3d_forward, slow_3d_backward},
    [BACKEND_SLOW_DILATED] = {dilated_forward, dilated_backward},
    [BACKEND_SLOW_TRANSPOSE_2D] = {transpose_2d_forward, transpose_2d_backward},
    [BACKEND_SLOW_TRANSPOSE_3D] = {transpose_3d_forward, transpose_3d_backward},
    [BACKEND_NNPACK] = {nnpack_forward, dilated_backward},
};

static bool
loops_over_groups(const struct convolution_layer *layer)
{
    return layer->groups > 1 && layer->backend != BACKEND_SLOW_3D;
}

static struct convolution_layer
one_group(const struct convolution_layer *layer)
{
    struct convolution_layer group = *layer;

    group.in = layer->in / layer->groups;
    group.out = layer->out / layer->groups;
    group.groups = 1;
    group.sums_aside = layer->element == HALF && group.batch > 1 && group.out > 1 && group.output_points > 1;
    return group;
}

/* A channel slice of one image is contiguous; of several, or of channels that lie last, it is copied. */
static int64_t
slice_copy(const struct convolution_layer *group, int64_t bytes)
{
    return when(group->batch > 1 || group->channels_last, bytes);
}

static void
forward_groups(const struct convolution_layer *layer, struct event_log *log)
{
    struct convolution_layer group = one_group(layer);
    struct convolution_buffer *outputs = memory_allocate_zeroed(log->context, (size_t)layer->groups, sizeof *outputs);

    if (!outputs) {
        log->status = MEMMODEL_ERROR_NO_MEMORY;
        return;
    }
    for (int64_t i = 0; i < layer->groups; i++) {
        struct convolution_buffer input = log_scratch(log, slice_copy(&group, convolution_input_bytes(&group)));

        outputs[i] = backends[layer->backend].forward(&group, log, true);
        log_free(log, input);
    }
    log_allocate(log, convolution_output_bytes(layer), CONVOLUTION_OUTPUT);
    for (int64_t i = 0; i < layer->groups; i++)
        log_free(log, outputs[i]);
    memory_release(log->context, outputs);
}

void
native_forward(const struct convolution_layer *layer, struct event_log *log)
{
    struct convolution_buffer input = log_scratch(log, when(layer->copies_input, convolution_input_bytes(layer)));
    struct convolution_buffer weight = log_scratch(log, when(layer->copies_weight, convolution_weight_bytes(layer)));

    if (loops_over_groups(layer))
        forward_groups(layer, log);
    else
        backends[layer->backend].forward(layer, log, false);
    log_free(log, weight);
    log_free(log, input);
}

/* Whether a group's slice of the incoming gradient can be used itself. */
static bool
is_slice_contiguous(const struct convolution_layer *group, bool contiguous_grad)
{
    bool whole = group->batch == 1 && !group->channels_last;

    return whole && (contiguous_grad || group->out * group->output_points == 1);
}

static struct gradients
backward_group(const struct convolution_layer *group, struct convolution_wants wants, bool contiguous_grad,
               struct event_log *log)
{
    bool in_place = is_slice_contiguous(group, contiguous_grad);
    struct convolution_buffer grad = log_scratch(log, when(!in_place, convolution_output_bytes(group)));
    struct convolution_buffer input = log_scratch(log, slice_copy(group, convolution_input_bytes(group)));
    struct gradients gradients = backends[group->backend].backward(group, wants, true, true, log);

    log_free(log, input);
    log_free(log, grad);
    return gradients;
}

static void
concatenate_gradients(const struct convolution_layer *layer, struct convolution_wants wants,
                      const struct gradients *groups, struct event_log *log)
{
    log_allocate(log, when(wants.grad_input, convolution_input_bytes(layer)), CONVOLUTION_GRAD_INPUT);
    log_allocate(log, when(wants.grad_weight, convolution_weight_bytes(layer)), CONVOLUTION_GRAD_WEIGHT);
    log_allocate(log, when(wants.grad_bias, convolution_bias_bytes(layer)), CONVOLUTION_GRAD_BIAS);
    for (int64_t i = 0; i < layer->groups; i++)
        log_free(log, groups[i].bias);
    for (int64_t i = 0; i < layer->groups; i++)
        log_free(log, groups[i].weight);
    for (int64_t i = 0; i < layer->groups; i++)
        log_free(log, groups[i].input);
}

static void
backward_groups(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                struct event_log *log)
{
    struct convolution_layer group = one_group(layer);
    struct gradients *groups = memory_allocate_zeroed(log->context, (size_t)layer->groups, sizeof *groups);

    if (!groups) {
        log->status = MEMMODEL_ERROR_NO_MEMORY;
        return;
    }
    for (int64_t i = 0; i < layer->groups; i++)
        groups[i] = backward_group(&group, wants, contiguous_grad, log);
    concatenate_gradients(layer, wants, groups, log);
    memory_release(log->context, groups);
}

void
native_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                struct event_log *log)
{
    bool first = layer->backend != BACKEND_SLOW_3D; /* which copies its operands where they are needed */
    int64_t input_bytes = when(first && layer->copies_input, convolution_input_bytes(layer));
    int64_t weight_bytes = when(first && layer->copies_weight, convolution_weight_bytes(layer));
    struct convolution_buffer input = log_scratch(log, input_bytes), weight = log_scratch(log, weight_bytes);

    if (loops_over_groups(layer))
        backward_groups(layer, wants, contiguous_grad, log);
    else
        backends[layer->backend].backward(layer, wants, contiguous_grad, false, log);
    log_free(log, weight);
    log_free(log, input);
}

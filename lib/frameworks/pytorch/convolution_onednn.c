/*
 * The order in which PyTorch gives oneDNN its buffers: operands in the kernel's formats, its scratchpad, and the dense
 * result. PyTorch: aten/src/ATen/native/mkldnn/Conv.cpp and ideep's convolution primitives.
 */
#include "frameworks/onednn/scratchpad.h"
#include "frameworks/pytorch/convolution_layer.h"

/* A transposed convolution is the data pass of the one that would map its output to its input. */
static struct problem
problem_of(const struct convolution_layer *layer, bool bias)
{
    int64_t in = layer->in / layer->groups, out = layer->out / layer->groups;
    struct problem problem = {.machine = layer->machine,
                              .dims = layer->dims,
                              .bias = bias,
                              .half = layer->element == 2,
                              .channels_last = layer->channels_last,
                              .batch = layer->batch,
                              .groups = layer->groups};

    problem.in = layer->transposed ? out : in;
    problem.out = layer->transposed ? in : out;
    for (int axis = 0; axis < AXES; axis++) {
        problem.source[axis] = layer->transposed ? layer->output[axis] : layer->input[axis];
        problem.target[axis] = layer->transposed ? layer->input[axis] : layer->output[axis];
        problem.kernel[axis] = layer->kernel[axis];
        problem.stride[axis] = layer->stride[axis];
        problem.padding[axis] = layer->padding[axis];
        problem.dilation[axis] = layer->dilation[axis] - 1;
    }
    problem_complete(&problem);
    return problem;
}

/* A primitive in PyTorch's terms: input and output of the layer. */
struct operation {
    struct layout input, output;
    int64_t weights; /* bytes of the reordered ones, 0 if there are none */
    int64_t scratchpad;
    bool plain_weights; /* they are plain, but permuted */
};

/* Orders of the dims of weights, slowest first. */
enum weight_dim { GROUP, OUT, IN, POINT, WEIGHT_DIMS };

static const enum weight_dim row_major[WEIGHT_DIMS] = {GROUP, OUT, IN, POINT};
static const enum weight_dim channels_last[WEIGHT_DIMS] = {GROUP, OUT, POINT, IN};
static const enum weight_dim points_first[WEIGHT_DIMS] = {POINT, IN, GROUP, OUT};

/* Whether weights lie the same in two orders: the strides agree along all dims of more than one element. */
static bool
same_weights(const struct convolution_layer *layer, const enum weight_dim *a, const enum weight_dim *b)
{
    int64_t in = layer->in / layer->groups, out = layer->out / layer->groups;
    const int64_t dims[WEIGHT_DIMS] = {[GROUP] = layer->groups,
                                       [OUT] = layer->transposed ? in : out,
                                       [IN] = layer->transposed ? out : in,
                                       [POINT] = layer->kernel_points};
    int64_t strides[2][WEIGHT_DIMS], steps[2] = {1, 1};

    for (int i = WEIGHT_DIMS - 1; i >= 0; i--) {
        strides[0][a[i]] = steps[0];
        strides[1][b[i]] = steps[1];
        steps[0] = multiply_saturating(steps[0], dims[a[i]]);
        steps[1] = multiply_saturating(steps[1], dims[b[i]]);
    }
    for (int i = 0; i < WEIGHT_DIMS; i++)
        if (dims[i] != 1 && strides[0][i] != strides[1][i])
            return false;
    return true;
}

/* Bytes of the weights in the kernel's order, 0 if the tensor lies that way. */
static int64_t
reordered_weights(const struct convolution_layer *layer, struct primitive primitive)
{
    const enum weight_dim *own = layer->channels_last ? channels_last : row_major;
    const enum weight_dim *plain = primitive.points_first ? points_first : row_major;

    if (primitive.weights != 0 && !primitive.points_first)
        return primitive.weights * layer->element;
    return same_weights(layer, own, plain) ? 0 : convolution_weight_bytes(layer);
}

static struct operation
operation_of(const struct convolution_layer *layer, struct primitive primitive)
{
    return (struct operation){layer->transposed ? primitive.target : primitive.source,
                              layer->transposed ? primitive.source : primitive.target,
                              reordered_weights(layer, primitive), primitive.scratchpad,
                              primitive.points_first && !same_weights(layer, points_first, row_major)};
}

/* Forward and backward passes of a transposed convolution run as primitives inside another one. */
static struct operation
nested_operation(const struct convolution_layer *layer, struct primitive primitive)
{
    if (layer->transposed)
        primitive.scratchpad = scratchpad_nested(primitive.scratchpad);
    return operation_of(layer, primitive);
}

static int64_t
input_bytes(const struct convolution_layer *layer, struct layout layout)
{
    return layout_elements(layout, layer->batch, layer->in, layer->input_points) * layer->element;
}

static int64_t
output_bytes(const struct convolution_layer *layer, struct layout layout)
{
    return layout_elements(layout, layer->batch, layer->out, layer->output_points) * layer->element;
}

/* A channels-last tensor is only given to kernels that take it so. */
static bool
takes_in_place(const struct convolution_layer *layer, struct layout layout, int64_t channels, int64_t points)
{
    return layer->channels_last || layout_is_contiguous(layout, channels, points);
}

/* The operand in the kernel's format, nothing if it lies that way already. */
static struct convolution_buffer
reorder_input(const struct convolution_layer *layer, struct layout layout, struct event_log *log)
{
    bool in_place = takes_in_place(layer, layout, layer->in, layer->input_points);

    return log_scratch(log, in_place ? 0 : input_bytes(layer, layout));
}

static struct convolution_buffer
reorder_output(const struct convolution_layer *layer, struct layout layout, struct event_log *log)
{
    bool in_place = takes_in_place(layer, layout, layer->out, layer->output_points);

    return log_scratch(log, in_place ? 0 : output_bytes(layer, layout));
}

/* The dense result; from a format that is plain but for the order of its axes it is first copied in that order. */
static void
densify(struct event_log *log, int64_t bytes, struct layout layout, bool contiguous, enum convolution_role role)
{
    bool permuted = layout.format == FORMAT_CHANNELS_LAST && !contiguous;
    struct convolution_buffer first = log_allocate(log, bytes, permuted ? CONVOLUTION_SCRATCH : role);

    if (!permuted)
        return;
    log_allocate(log, bytes, role);
    log_free(log, first);
}

static void
densify_output(const struct convolution_layer *layer, struct layout layout, struct event_log *log)
{
    densify(log, convolution_output_bytes(layer), layout,
            layout_is_contiguous(layout, layer->out, layer->output_points), CONVOLUTION_OUTPUT);
}

static void
densify_grad_input(const struct convolution_layer *layer, struct layout layout, struct event_log *log)
{
    densify(log, convolution_input_bytes(layer), layout, layout_is_contiguous(layout, layer->in, layer->input_points),
            CONVOLUTION_GRAD_INPUT);
}

/* Operands in the order of the call, before anything else. */
struct copies {
    struct convolution_buffer input, weight;
};

static struct copies
copy_operands(const struct convolution_layer *layer, struct event_log *log)
{
    struct copies copies = {log_scratch(log, layer->copies_input ? convolution_input_bytes(layer) : 0), {0}};

    copies.weight = log_scratch(log, layer->copies_weight ? convolution_weight_bytes(layer) : 0);
    return copies;
}

static void
drop_copies(struct copies copies, struct event_log *log)
{
    log_free(log, copies.weight);
    log_free(log, copies.input);
}

/* Channels-last the kernel writes the result itself; else a buffer in its format. */
static struct convolution_buffer
result_buffer(const struct convolution_layer *layer, int64_t bytes, struct event_log *log)
{
    return log_scratch(log, layer->channels_last ? 0 : bytes);
}

void
onednn_forward(const struct convolution_layer *layer, struct event_log *log)
{
    struct problem problem = problem_of(layer, layer->bias);
    struct operation operation = operation_of(layer, layer->transposed ? primitive_choose_transposed(&problem)
                                                                       : primitive_choose(&problem, PASS_FORWARD));
    struct copies copies = copy_operands(layer, log);
    struct convolution_buffer scratchpad, input, weights, output;

    if (layer->channels_last)
        log_allocate(log, convolution_output_bytes(layer), CONVOLUTION_OUTPUT);
    scratchpad = log_scratch(log, operation.scratchpad);
    input = reorder_input(layer, operation.input, log);
    weights = log_scratch(log, operation.weights);
    output = result_buffer(layer, output_bytes(layer, operation.output), log);
    log_free(log, weights);
    log_free(log, input);
    log_free(log, scratchpad);
    if (!layer->channels_last)
        densify_output(layer, operation.output, log);
    log_free(log, output);
    drop_copies(copies, log);
}

static void
backward_input(const struct convolution_layer *layer, struct event_log *log)
{
    struct problem problem = problem_of(layer, false);
    struct operation operation =
        nested_operation(layer, primitive_choose(&problem, layer->transposed ? PASS_FORWARD : PASS_DATA));
    struct convolution_buffer grad, weights, result, scratchpad;

    if (layer->channels_last)
        log_allocate(log, convolution_input_bytes(layer), CONVOLUTION_GRAD_INPUT);
    grad = reorder_output(layer, operation.output, log);
    weights = log_scratch(log, operation.weights);
    result = result_buffer(layer, input_bytes(layer, operation.input), log);
    scratchpad = log_scratch(log, operation.scratchpad);
    log_free(log, scratchpad);
    log_free(log, weights);
    log_free(log, grad);
    if (!layer->channels_last)
        densify_grad_input(layer, operation.input, log);
    log_free(log, result);
}

/* The gradient as a tensor, copied `copies` times more: to row-major order, and to channels-last. */
static struct convolution_buffer
dense_weight(struct event_log *log, int64_t bytes, int copies, enum convolution_role role)
{
    struct convolution_buffer dense = log_allocate(log, bytes, copies > 0 ? CONVOLUTION_SCRATCH : role);

    for (; copies > 0; copies--) {
        struct convolution_buffer next = log_allocate(log, bytes, copies > 1 ? CONVOLUTION_SCRATCH : role);

        log_free(log, dense);
        dense = next;
    }
    return dense;
}

/* Gradient of the weight, and with it of the bias. Returns the dense gradient of the weight. */
static struct convolution_buffer
backward_weight(const struct convolution_layer *layer, struct convolution_wants wants, struct event_log *log)
{
    struct problem problem = problem_of(layer, wants.grad_bias && !layer->transposed);
    struct operation operation = nested_operation(layer, primitive_choose(&problem, PASS_WEIGHTS));
    int64_t bias_bytes = wants.grad_bias ? convolution_bias_bytes(layer) : 0;
    int64_t weight_bytes = convolution_weight_bytes(layer);
    struct convolution_buffer grad = reorder_output(layer, operation.output, log);
    struct convolution_buffer input = reorder_input(layer, operation.input, log);
    struct convolution_buffer weight = log_scratch(log, operation.weights ? operation.weights : weight_bytes);
    struct convolution_buffer scratchpad = log_scratch(log, operation.scratchpad);
    struct convolution_buffer bias = log_scratch(log, bias_bytes);
    enum convolution_role role = wants.grad_weight ? CONVOLUTION_GRAD_WEIGHT : CONVOLUTION_SCRATCH;
    struct convolution_buffer dense;

    log_free(log, scratchpad);
    log_free(log, input);
    log_free(log, grad);
    log_allocate(log, bias_bytes, CONVOLUTION_GRAD_BIAS);
    dense = dense_weight(log, weight_bytes, operation.plain_weights + layer->channels_last, role);
    log_free(log, weight);
    log_free(log, bias);
    return dense;
}

void
onednn_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                struct event_log *log)
{
    struct copies copies = copy_operands(layer, log);
    struct convolution_buffer copy = log_scratch(log, contiguous_grad ? 0 : convolution_output_bytes(layer));
    struct convolution_buffer weight = {0};

    if (wants.grad_input)
        backward_input(layer, log);
    if (wants.grad_weight || wants.grad_bias)
        weight = backward_weight(layer, wants, log);
    log_free(log, copy);
    drop_copies(copies, log);
    if (!wants.grad_weight)
        log_free(log, weight);
}

/*
 * The order in which PyTorch gives oneDNN its buffers: operands in the kernel's formats, its scratchpad, and the dense
 * result. PyTorch: aten/src/ATen/native/mkldnn/Conv.cpp and ideep's convolution primitives.
 */
#include "frameworks/pytorch/convolution_layer.h"

/* A transposed convolution is the data pass of the one that would map its output to its input. */
static struct problem
problem_of(const struct convolution_layer *layer, bool bias)
{
    int64_t in = layer->in / layer->groups, out = layer->out / layer->groups;
    struct problem problem = {
        .machine = layer->machine, .dims = layer->dims, .bias = bias, .batch = layer->batch, .groups = layer->groups};

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
};

static struct operation
operation_of(const struct convolution_layer *layer, struct primitive primitive)
{
    return (struct operation){layer->transposed ? primitive.target : primitive.source,
                              layer->transposed ? primitive.source : primitive.target,
                              primitive.weights * layer->element, primitive.scratchpad};
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
    return layout_bytes(layout, layer->batch, layer->in, layer->input_points);
}

static int64_t
output_bytes(const struct convolution_layer *layer, struct layout layout)
{
    return layout_bytes(layout, layer->batch, layer->out, layer->output_points);
}

/* The operand in the kernel's format, nothing if it lies that way already. */
static struct convolution_buffer
reorder_input(const struct convolution_layer *layer, struct layout layout, struct event_log *log)
{
    bool in_place = layout_is_contiguous(layout, layer->in, layer->input_points);

    return log_scratch(log, in_place ? 0 : input_bytes(layer, layout));
}

static struct convolution_buffer
reorder_output(const struct convolution_layer *layer, struct layout layout, struct event_log *log)
{
    bool in_place = layout_is_contiguous(layout, layer->out, layer->output_points);

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

void
onednn_forward(const struct convolution_layer *layer, struct event_log *log)
{
    struct problem problem = problem_of(layer, layer->bias);
    struct operation operation = operation_of(layer, layer->transposed ? primitive_choose_transposed(&problem)
                                                                       : primitive_choose(&problem, PASS_FORWARD));
    struct convolution_buffer scratchpad = log_scratch(log, operation.scratchpad);
    struct convolution_buffer input = reorder_input(layer, operation.input, log);
    struct convolution_buffer weights = log_scratch(log, operation.weights);
    struct convolution_buffer output = log_scratch(log, output_bytes(layer, operation.output));

    log_free(log, weights);
    log_free(log, input);
    log_free(log, scratchpad);
    densify_output(layer, operation.output, log);
    log_free(log, output);
}

static void
backward_input(const struct convolution_layer *layer, struct event_log *log)
{
    struct problem problem = problem_of(layer, false);
    struct operation operation =
        nested_operation(layer, primitive_choose(&problem, layer->transposed ? PASS_FORWARD : PASS_DATA));
    struct convolution_buffer grad = reorder_output(layer, operation.output, log);
    struct convolution_buffer weights = log_scratch(log, operation.weights);
    struct convolution_buffer result = log_scratch(log, input_bytes(layer, operation.input));
    struct convolution_buffer scratchpad = log_scratch(log, operation.scratchpad);

    log_free(log, scratchpad);
    log_free(log, weights);
    log_free(log, grad);
    densify_grad_input(layer, operation.input, log);
    log_free(log, result);
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
    struct convolution_buffer bias = log_scratch(log, bias_bytes), dense;

    log_free(log, scratchpad);
    log_free(log, input);
    log_free(log, grad);
    log_allocate(log, bias_bytes, CONVOLUTION_GRAD_BIAS);
    dense = log_allocate(log, weight_bytes, wants.grad_weight ? CONVOLUTION_GRAD_WEIGHT : CONVOLUTION_SCRATCH);
    log_free(log, weight);
    log_free(log, bias);
    return dense;
}

void
onednn_backward(const struct convolution_layer *layer, struct convolution_wants wants, bool contiguous_grad,
                struct event_log *log)
{
    struct convolution_buffer copy = log_scratch(log, contiguous_grad ? 0 : convolution_output_bytes(layer));
    struct convolution_buffer weight = {0};

    if (wants.grad_input)
        backward_input(layer, log);
    if (wants.grad_weight || wants.grad_bias)
        weight = backward_weight(layer, wants, log);
    log_free(log, copy);
    if (!wants.grad_weight)
        log_free(log, weight);
}

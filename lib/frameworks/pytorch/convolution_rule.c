/*
 * Convolution in a step: the lists of convolution.c played on the trace, and what autograd keeps.
 * PyTorch: aten/src/ATen/native/Convolution.cpp; saved are the input and the weight.
 */
#include "frameworks/pytorch/convolution.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

#include <string.h>

enum { ROLES = CONVOLUTION_GRAD_BIAS + 1 };

/* Plays the events; results[role] are the buffers that stay. */
static void
play(struct step *step, const struct convolution_events *events, struct value *results[ROLES])
{
    size_t bytes = (size_t)events->buffers * sizeof(struct value *);
    struct value **buffers = step_pool_take(step, bytes);

    if (!buffers)
        return;
    for (size_t i = 0; i < events->count; i++) {
        const struct convolution_event *event = &events->items[i];

        if (event->bytes > 0) {
            buffers[event->buffer] = value_buffer(step, event->bytes);
        } else {
            value_drop(step, buffers[event->buffer]);
            buffers[event->buffer] = NULL;
        }
        if (event->role != CONVOLUTION_SCRATCH)
            results[event->role] = buffers[event->buffer];
    }
    object_pool_give(&step->pool, buffers, bytes);
}

/* A buffer as a tensor of `shape`; takes the reference. */
static struct value *
shaped(struct step *step, struct value *buffer, const struct shape *shape, bool channels_last)
{
    struct value *result;

    if (!buffer || buffer == &step->nothing)
        return buffer ? buffer : &step->nothing;
    result = value_detach(step, buffer);
    value_drop(step, buffer);
    if (result != &step->nothing) {
        result->shape = *shape;
        if (channels_last)
            shape_strides_channels_last(shape, result->strides);
        else
            shape_strides(shape, result->strides);
    }
    return result;
}

/* An error gets the name of the layer. True: the results are channels-last. */
static bool
convolution_play(struct step *step, const struct convolution_call *call, struct value *results[ROLES])
{
    const struct convolution_events *events;
    int status;

    if (step->status) /* its input may be none that a convolution takes */
        return false;
    status = convolution_cache(&step->convolutions, step->context, &step->machine, call, &events);
    if (!status) {
        play(step, events, results);
        return events->channels_last;
    }
    step->status =
        context_error(step->context, context_status(step->context, status), step->network->layers[step->layer].name,
                      "%s", memmodel_context_error(step->context)->message);
    return false;
}

/* ---- memory order ---- */

#define CHANNELS (UINT64_C(1) << 1)

/* Convolution.cpp makes inputs of one spatial dim row-major, "to avoid accidentally going through NHWC". */
static struct dim_order
order_of(const struct value *x)
{
    return (struct dim_order){
        .scattered = !value_is_contiguous(x),
        .channels_last = value_is_channels_last(x),
        .suggests_channels_last = value_suggests_channels_last(x),
        .summed_aside = is_summed_aside(x, ALL_AXES & ~CHANNELS),
    };
}

/* Inputs: input, weight, bias. */
static void
convolution_node_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    static const enum convolution_role roles[] = {
        CONVOLUTION_GRAD_INPUT,
        CONVOLUTION_GRAD_WEIGHT,
        CONVOLUTION_GRAD_BIAS,
    };
    struct convolution_call call = {.backward = true};
    struct value *results[ROLES] = {NULL};
    bool channels_last;

    memcpy(&call.convolution, node->options, sizeof call.convolution);
    call.wants = (struct convolution_wants){node_wants(node, 0), node_wants(node, 1), node_wants(node, 2)};
    call.grad_order = order_of(incoming[0]);
    channels_last = convolution_play(step, &call, results);
    for (int i = 0; i < 3; i++)
        if (node_wants(node, i))
            gradients[i] = shaped(step, results[roles[i]], &node->edges[i].shape, channels_last && i < 2);
}

/* ---- padding "same": output = ceil(input / stride); the odd element goes to the end ---- */

/* Elements added along an axis, both ends together. */
static int64_t
same_padding(const struct convolution *problem, int axis)
{
    int64_t output = ceil_divide(problem->input[axis], problem->stride[axis]);
    int64_t extent = problem->dilation[axis] * (problem->kernel[axis] - 1) + 1;

    return max_i64((output - 1) * problem->stride[axis] + extent - problem->input[axis], 0);
}

/* output = input * stride */
static void
same_padding_transposed(struct convolution *problem, int axis)
{
    int64_t surplus = problem->dilation[axis] * (problem->kernel[axis] - 1) + 1 - problem->stride[axis];

    problem->padding[axis] = max_i64(ceil_divide(surplus, 2), 0);
    problem->output_padding[axis] = 2 * problem->padding[axis] - surplus;
}

/* An odd element is padded by an operator of its own before the convolution. Convolution.cpp, convolution_same */
static struct value *
pad_same(struct step *step, struct convolution *problem, struct value *x)
{
    struct shape shape = x->shape;

    for (int i = 0; i < problem->dims; i++) {
        int64_t total = same_padding(problem, i);

        problem->padding[i] = total / 2;
        problem->input[i] = shape.dims[2 + i] += total % 2;
    }
    return shape_equal(&shape, &x->shape) ? value_keep(x) : aten_constant_pad(step, x, &shape);
}

/* ---- rule ---- */

static struct convolution *
problem_of(struct step *step, const struct layer *layer, const struct value *x)
{
    const struct memmodel_conv *options = layer->options;
    struct convolution *problem = step_arena_allocate(step, sizeof *problem);

    if (!problem)
        return NULL;
    *problem = (struct convolution){
        .dims = x->shape.rank - 2,
        .transposed = layer->op == OP_CONV_TRANSPOSE,
        .bias = !options->no_bias,
        .element = dtype_bytes(x->shape.dtype),
        .batch = x->shape.dims[0],
        .in_channels = x->shape.dims[1],
        .out_channels = options->filters,
        .groups = options->groups,
    };
    for (int i = 0; i < problem->dims; i++) {
        problem->input[i] = x->shape.dims[2 + i];
        problem->kernel[i] = options->kernel[i];
        problem->stride[i] = options->stride[i];
        problem->dilation[i] = options->dilation[i];
        problem->padding[i] = options->auto_pad == MEMMODEL_AUTO_PAD_EXPLICIT ? options->padding[i] : 0;
        problem->output_padding[i] = problem->transposed ? options->output_padding[i] : 0;
        if (problem->transposed && options->auto_pad == MEMMODEL_AUTO_PAD_SAME)
            same_padding_transposed(problem, i);
    }
    return problem;
}

struct shape
convolution_result_shape(const struct convolution *problem, const struct value *x)
{
    struct shape shape = x->shape;

    shape.dims[1] = problem->out_channels;
    for (int i = 0; i < problem->dims; i++)
        shape.dims[2 + i] = convolution_output_size(problem, i);
    return shape;
}

static bool
runs_half_on_onednn(const struct step *step, const struct value *x)
{
    return value_is_half(x) && step->machine.isa == CPU_ISA_AVX512 && !step->device->half_convolutions;
}

struct value *
cpu_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3])
{
    static const struct derivative convolution = {"convolution", convolution_node_backward};
    struct value *results[ROLES] = {NULL}, *result;
    struct convolution_call call = {.backward = false};
    struct shape shape = convolution_result_shape(problem, inputs[0]);
    struct node *node;
    bool channels_last;

    problem->input_order = order_of(inputs[0]);
    problem->weight_order = order_of(inputs[1]);
    memcpy(&call.convolution, problem, sizeof call.convolution);
    channels_last = convolution_play(step, &call, results);
    result = shaped(step, results[CONVOLUTION_OUTPUT], &shape, channels_last);
    node = step_record(step, &convolution, result, 3, inputs);
    if (node)
        node->options = problem;
    step_save(step, node, inputs[0]);
    step_save(step, node, inputs[1]);
    if (runs_half_on_onednn(step, inputs[0]) && (step->machine.tiles || convolution_pads_widely(problem)))
        step_unmodelled(step, "convolution of bfloat16", result->storage->bytes);
    return result;
}

/* Of oneDNN's kernels for half types, which it has where there is AVX-512, those of bfloat16 are listed. */
bool
convolution_is_listed(const struct step *step, const struct value *x)
{
    return runs_half_on_onednn(step, x) ? x->shape.dtype == MEMMODEL_DTYPE_BFLOAT16 : value_is_float(x);
}

struct value *
aten_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3], bool same)
{
    struct value *padded, *result;

    if (!same || problem->transposed)
        return step->device->convolution(step, problem, inputs);
    padded = pad_same(step, problem, inputs[0]);
    result = step->device->convolution(step, problem, (struct value *[]){padded, inputs[1], inputs[2]});
    value_drop(step, padded);
    return result;
}

static void
convolution_layer_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_conv *options = layer->options;
    struct value *inputs[] = {NULL, step_parameter(step, layer, "weight"), step_parameter(step, layer, "bias")};
    struct convolution *problem;
    struct value *result;

    inputs[0] = step_channels_first(step, step_input(step, layer, 0), options->layout);
    if (!convolution_is_listed(step, inputs[0])) {
        value_drop(step, inputs[0]);
        estimate_forward(step, layer);
        return;
    }
    problem = problem_of(step, layer, inputs[0]);
    if (!problem)
        return;
    result = aten_convolution(step, problem, inputs, options->auto_pad == MEMMODEL_AUTO_PAD_SAME);
    value_drop(step, inputs[0]);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_conv = {OP_CONV, convolution_layer_forward};
const struct rule pytorch_conv_transpose = {OP_CONV_TRANSPOSE, convolution_layer_forward};

/*
 * Operators on each element of one tensor, softmax and dropout.
 * PyTorch: tools/autograd/derivatives.yaml; in place: aten/src/ATen/native/Activation.cpp.
 */
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/formula.h"

struct value *
gradient_like(struct step *step, const struct value *gradient, const struct value *saved)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    strides_after(&gradient->shape, (const struct value *[]){gradient, saved}, saved ? 2 : 1, strides);
    return value_empty_strided(step, &gradient->shape, strides);
}

void
contiguous_scratch(struct step *step, const struct value *gradient)
{
    if (!value_is_contiguous(gradient))
        value_scratch(step, &gradient->shape);
}

/* ---- elementwise: which formula an activation has, formulas_elementwise.c ---- */

static void
prelu_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_activation *options = layer->options;
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout);
    struct value *weight = step_parameter(step, layer, "weight");
    const struct formula_operand operands[] = {formula_tensor(x), formula_tensor(weight)};
    struct value *result = aten_formula(step, "prelu", operands, 2);

    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

static const struct {
    const char *name, *in_place; /* NULL: PyTorch has no such form */
} activations[ACTIVATION_KINDS] = {
    [MEMMODEL_ACTIVATION_RELU] = {"relu", "relu_"},
    [MEMMODEL_ACTIVATION_LEAKY_RELU] = {"leaky_relu", "leaky_relu_"},
    [MEMMODEL_ACTIVATION_ELU] = {"elu", "elu_"},
    [MEMMODEL_ACTIVATION_SELU] = {"selu", "selu_"},
    [MEMMODEL_ACTIVATION_GELU] = {"gelu", NULL},
    [MEMMODEL_ACTIVATION_GELU_TANH] = {"gelu_tanh", NULL},
    [MEMMODEL_ACTIVATION_SILU] = {"silu", "silu_"},
    [MEMMODEL_ACTIVATION_SIGMOID] = {"sigmoid", "sigmoid_"},
    [MEMMODEL_ACTIVATION_TANH] = {"tanh", "tanh_"},
    [MEMMODEL_ACTIVATION_HARDSWISH] = {"hardswish", "hardswish_"},
    [MEMMODEL_ACTIVATION_HARDSIGMOID] = {"hardsigmoid", "hardsigmoid_"},
    [MEMMODEL_ACTIVATION_RELU6] = {"hardtanh", "hardtanh_"},
    [MEMMODEL_ACTIVATION_SOFTPLUS] = {"softplus", NULL},
    [MEMMODEL_ACTIVATION_MISH] = {"mish", "mish_"},
    [MEMMODEL_ACTIVATION_EXP] = {"exp", "exp_"},
    [MEMMODEL_ACTIVATION_LOG] = {"log", "log_"},
    [MEMMODEL_ACTIVATION_SQRT] = {"sqrt", "sqrt_"},
    [MEMMODEL_ACTIVATION_SQUARE] = {"square", "square_"},
    [MEMMODEL_ACTIVATION_ABS] = {"abs", "abs_"},
    [MEMMODEL_ACTIVATION_NEGATE] = {"neg", "neg_"},
};

static void
activation_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_activation *options = layer->options;
    struct value *x = step_input(step, layer, 0);
    bool in_place =
        options->in_place && options->kind != MEMMODEL_ACTIVATION_PRELU && activations[options->kind].in_place;

    if (options->kind == MEMMODEL_ACTIVATION_PRELU) {
        prelu_forward(step, layer);
        return;
    }
    step->what = activations[options->kind].name;
    step_output(step, layer, 0, aten_unary(step, in_place ? activations[options->kind].in_place : step->what, x));
    if (in_place)
        node_written(step, x);
}

const struct rule pytorch_activation = {OP_ACTIVATION, activation_forward};

/* ---- softmax. aten/src/ATen/native/SoftMax.cpp ---- */

static void
log_softmax_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = value_like(step, node->saved[0]);
    contiguous_scratch(step, incoming[0]);
}

/* On a GPU the gradient times the result is made first: cuda/SoftMax.cu, softmax_backward_cuda_out. */
static void
softmax_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (step->device->host) {
        log_softmax_backward(step, node, incoming, gradients);
        return;
    }
    gradients[0] = value_like(step, node->saved[0]);
    value_scratch(step, &node->saved[0]->shape);
}

/* The result is row-major, whatever the input is. */
static struct value *
normalized(struct step *step, struct value *x, const struct derivative *derivative)
{
    struct value *result = value_copy(step, x);

    contiguous_scratch(step, x);
    step_save(step, step_record(step, derivative, result, 1, &x), result);
    return result;
}

struct value *
aten_softmax(struct step *step, struct value *x)
{
    static const struct derivative softmax = {"softmax", softmax_backward};

    return normalized(step, x, &softmax);
}

struct value *
aten_log_softmax(struct step *step, struct value *x)
{
    static const struct derivative log_softmax = {"softmax", log_softmax_backward};

    return normalized(step, x, &log_softmax);
}

static void
softmax_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_softmax *options = layer->options;
    struct value *x = step_input(step, layer, 0);

    step_output(step, layer, 0, options->logarithmic ? aten_log_softmax(step, x) : aten_softmax(step, x));
}

const struct rule pytorch_softmax = {OP_SOFTMAX, softmax_forward};

/* ---- dropout. aten/src/ATen/native/Dropout.cpp: x * noise, the noise divided by the share that is kept ---- */

struct value *
aten_noise(struct step *step, struct value *x, const struct shape *shape, bool in_place)
{
    struct value *noise = shape ? value_empty(step, shape) : value_like(step, x), *result;

    number_in_place(step, x->shape.dtype);
    checkpoint_operator(step);
    result = in_place ? aten_binary_in_place(step, MEMMODEL_BINARY_MULTIPLY, x, noise)
                      : aten_binary(step, MEMMODEL_BINARY_MULTIPLY, x, noise);
    value_drop(step, noise);
    return result;
}

struct value *
aten_dropout(struct step *step, struct value *x)
{
    return step->device->dropout(step, x);
}

struct value *
cpu_dropout(struct step *step, struct value *x)
{
    return aten_noise(step, x, NULL, false);
}

static struct value *
feature_dropout(struct step *step, struct value *x, const struct memmodel_dropout *options)
{
    struct value *seen = step_channels_first(step, x, options->layout), *result;
    struct shape noise = seen->shape;

    for (int i = 2; i < noise.rank; i++)
        noise.dims[i] = 1;
    result = aten_noise(step, seen, &noise, options->in_place);
    value_drop(step, seen);
    return step_from_channels_first(step, result, options->layout);
}

static void
dropout_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_dropout *options = layer->options;
    struct value *x = step_input(step, layer, 0);

    if (options->identity || !step->training) {
        step_output(step, layer, 0, value_keep(x));
        return;
    }
    if (options->channelwise)
        step_output(step, layer, 0, feature_dropout(step, x, options));
    else if (options->in_place)
        step_output(step, layer, 0, aten_noise(step, x, NULL, true));
    else
        step_output(step, layer, 0, aten_dropout(step, x));
    if (options->in_place)
        node_written(step, x);
}

const struct rule pytorch_dropout = {OP_DROPOUT, dropout_forward};

/*
 * Operators on each element of one tensor, softmax and dropout.
 * PyTorch: tools/autograd/derivatives.yaml; in place: aten/src/ATen/native/Activation.cpp.
 */
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/operators.h"

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

/* ---- elementwise, one row each ---- */

enum keeping { NOTHING, INPUT, RESULT };

/*
 * What an in-place form does when a gradient is wanted: keep the result, a clone of the input, or nothing; or there is
 * no such form.
 */
enum in_place { NO_FORM, KEEPS_RESULT, KEEPS_CLONE, IN_PLACE_ONLY };

struct pointwise {
    struct derivative derivative;
    enum keeping keeping;
    enum in_place in_place;
    const char *
        steps; /* of backward: t a tensor like the gradient, s an operation with a number; the last is the result. "": the
                   gradient itself */
};

static const struct pointwise pointwise[];

/* All but the last are freed in reverse order. */
static void
pointwise_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    enum { MAX = 8 };
    const char *steps = pointwise[node->number].steps;
    struct value *made[MAX];
    int count = 0;

    if (!steps[0]) {
        gradients[0] = value_keep(incoming[0]);
        return;
    }
    for (; steps[count]; count++) {
        if (steps[count] == 's')
            made[count] = number_result(step, incoming[0]);
        else
            made[count] = gradient_like(step, incoming[0], count == 0 && !steps[1] ? node->saved[0] : NULL);
    }
    gradients[0] = made[--count];
    while (count > 0)
        value_drop(step, made[--count]);
}

/*
 * Threshold kernels name what was saved before the gradient: its memory order decides. Activation.cpp,
 * threshold_backward
 */
static void
threshold_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct shape *shape = &incoming[0]->shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    strides_after(shape, (const struct value *[]){node->saved[0], incoming[0]}, 2, strides);
    gradients[0] = value_empty_strided(step, shape, strides);
}

/* The erf form copies a gradient that is not laid out like the input, on a CPU. Activation.cpp, gelu_backward_cpu */
static void
gelu_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0], *gradient = incoming[0];
    struct value *first, *second;

    gradients[0] = gradient_like(step, gradient, x);
    if (!step->device->host)
        return;
    if (value_is_dense(gradient) && (value_is_contiguous(gradient) || !value_is_contiguous(x)))
        return;
    first = value_copy(step, gradient);
    second = value_is_dense(gradient) ? value_copy(step, gradient) : NULL;
    value_drop(step, first);
    value_drop(step, second);
}

#define POINTWISE(name)                                                                                                \
    {                                                                                                                  \
        name, pointwise_backward                                                                                       \
    }

static const struct pointwise pointwise[] = {
    [MEMMODEL_ACTIVATION_RELU] = {{"relu", threshold_backward}, RESULT, KEEPS_RESULT, "t"},
    [MEMMODEL_ACTIVATION_LEAKY_RELU] = {{"leaky_relu", threshold_backward}, INPUT, KEEPS_RESULT, "t"},
    [MEMMODEL_ACTIVATION_ELU] = {POINTWISE("elu"), INPUT, KEEPS_RESULT, "t"},
    [MEMMODEL_ACTIVATION_SELU] = {POINTWISE("selu"), INPUT, KEEPS_RESULT, "t"},
    [MEMMODEL_ACTIVATION_GELU] = {{"gelu", gelu_backward}, INPUT, NO_FORM, ""},
    [MEMMODEL_ACTIVATION_GELU_TANH] = {POINTWISE("gelu"), INPUT, NO_FORM, "t"},
    [MEMMODEL_ACTIVATION_SILU] = {POINTWISE("silu"), INPUT, KEEPS_CLONE, "t"},
    [MEMMODEL_ACTIVATION_SIGMOID] = {POINTWISE("sigmoid"), RESULT, KEEPS_RESULT, "t"},
    [MEMMODEL_ACTIVATION_TANH] = {POINTWISE("tanh"), RESULT, KEEPS_RESULT, "t"},
    [MEMMODEL_ACTIVATION_HARDSWISH] = {POINTWISE("hardswish"), INPUT, KEEPS_CLONE, "t"},
    [MEMMODEL_ACTIVATION_HARDSIGMOID] = {POINTWISE("hardsigmoid"), INPUT, KEEPS_CLONE, "t"},
    [MEMMODEL_ACTIVATION_RELU6] = {POINTWISE("hardtanh"), INPUT, KEEPS_CLONE, "t"},
    [MEMMODEL_ACTIVATION_SOFTPLUS] = {POINTWISE("softplus"), INPUT, NO_FORM, "t"},
    [MEMMODEL_ACTIVATION_MISH] = {POINTWISE("mish"), INPUT, KEEPS_CLONE, "t"},
    [MEMMODEL_ACTIVATION_EXP] = {POINTWISE("exp"), RESULT, KEEPS_RESULT, "t"},
    [MEMMODEL_ACTIVATION_LOG] = {POINTWISE("log"), INPUT, KEEPS_CLONE, "t"},
    [MEMMODEL_ACTIVATION_SQRT] = {POINTWISE("sqrt"), RESULT, KEEPS_RESULT, "st"},
    [MEMMODEL_ACTIVATION_SQUARE] = {POINTWISE("pow"), INPUT, KEEPS_CLONE, "tst"},
    [MEMMODEL_ACTIVATION_ABS] = {POINTWISE("abs"), INPUT, KEEPS_CLONE, "tt"},
    [MEMMODEL_ACTIVATION_NEGATE] = {POINTWISE("neg"), NOTHING, IN_PLACE_ONLY, "t"},
    [ATEN_ACOS] = {POINTWISE("acos"), INPUT, KEEPS_CLONE, "ttsttt"},
    [ATEN_ASIN] = {POINTWISE("asin"), INPUT, KEEPS_CLONE, "ttstt"},
    [ATEN_ATAN] = {POINTWISE("atan"), INPUT, KEEPS_CLONE, "tst"},
    [ATEN_CELU] = {POINTWISE("celu"), INPUT, KEEPS_RESULT, "t"},
    [ATEN_COS] = {POINTWISE("cos"), INPUT, KEEPS_CLONE, "ttt"},
    [ATEN_COSH] = {POINTWISE("cosh"), INPUT, KEEPS_CLONE, "tt"},
    [ATEN_ERF] = {POINTWISE("erf"), INPUT, KEEPS_CLONE, "tttst"},
    [ATEN_DIGAMMA] = {POINTWISE("digamma"), INPUT, KEEPS_CLONE, "tt"},
    [ATEN_EXP2] = {POINTWISE("exp2"), RESULT, KEEPS_RESULT, "ts"},
    [ATEN_EXPM1] = {POINTWISE("expm1"), RESULT, KEEPS_RESULT, "st"},
    [ATEN_FRAC] = {POINTWISE("frac"), NOTHING, IN_PLACE_ONLY, ""},
    [ATEN_HARDTANH] = {POINTWISE("hardtanh"), INPUT, KEEPS_CLONE, "t"},
    [ATEN_LOG1P] = {POINTWISE("log1p"), INPUT, KEEPS_CLONE, "st"},
    [ATEN_LOG_OF_BASE] = {POINTWISE("log2"), INPUT, KEEPS_CLONE, "st"},
    [ATEN_POW] = {POINTWISE("pow"), INPUT, KEEPS_CLONE, "tst"},
    [ATEN_RECIPROCAL] = {POINTWISE("reciprocal"), RESULT, KEEPS_RESULT, "ttt"},
    [ATEN_ROUND] = {POINTWISE("round"), NOTHING, IN_PLACE_ONLY, "t"},
    [ATEN_RSQRT] = {POINTWISE("rsqrt"), RESULT, KEEPS_RESULT, "tst"},
    [ATEN_SIN] = {POINTWISE("sin"), INPUT, KEEPS_CLONE, "tt"},
    [ATEN_SINH] = {POINTWISE("sinh"), INPUT, KEEPS_CLONE, "tt"},
    [ATEN_TAN] = {POINTWISE("tan"), RESULT, KEEPS_RESULT, "tst"},
    [ATEN_THRESHOLD] = {{"threshold", threshold_backward}, INPUT, KEEPS_CLONE, "t"},
};

static void
keep_for_backward(struct step *step, struct node *node, int kind, enum keeping keeping, struct value *x,
                  struct value *result)
{
    if (!node)
        return;
    node->number = kind;
    if (keeping != NOTHING)
        step_save(step, node, keeping == INPUT ? x : result);
}

struct value *
aten_pointwise(struct step *step, int kind, struct value *x)
{
    const struct pointwise *row = &pointwise[kind];
    struct value *result = value_like(step, x);

    keep_for_backward(step, step_record(step, &row->derivative, result, 1, &x), kind, row->keeping, x, result);
    return result;
}

struct value *
aten_pointwise_in_place(struct step *step, int kind, struct value *x)
{
    const struct pointwise *row = &pointwise[kind];
    bool wanted = step->grad_mode && x->node;
    struct value *clone;
    struct node *node;

    if (row->in_place == NO_FORM)
        return aten_pointwise(step, kind, x);
    clone = wanted && row->in_place == KEEPS_CLONE ? value_like(step, x) : NULL;
    node = node_new(step, &row->derivative, &x, 1, 1);
    keep_for_backward(step, node, kind, row->in_place == IN_PLACE_ONLY ? NOTHING : INPUT, clone ? clone : x, NULL);
    node_attach(step, node, x, 0);
    value_drop(step, clone);
    return value_keep(x);
}

/* ---- prelu: one weight per channel, or one ---- */

static void
prelu_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *of_x = value_like(step, node->saved[0]), *of_weight = value_like(step, node->saved[0]);

    (void)incoming;
    gradients[0] = of_x;
    gradients[1] = of_weight; /* the engine sums it to the weight's shape */
}

struct value *
aten_prelu(struct step *step, struct value *x, struct value *weight)
{
    static const struct derivative prelu = {"prelu", prelu_backward};
    struct shape shape = {.rank = x->shape.rank, .dtype = weight->shape.dtype};
    struct value *seen, *result = NULL;
    struct node *node;

    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = i == 1 ? value_elements(weight) : 1;
    seen = shape.rank > 1 ? aten_reshape(step, weight, &shape) : value_keep(weight);
    result = value_like(step, x);
    node = step_record(step, &prelu, result, 2, (struct value *[]){x, seen});
    step_save(step, node, x);
    step_save(step, node, seen);
    value_drop(step, seen);
    return result;
}

static void
prelu_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_activation *options = layer->options;
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout);
    struct value *result = aten_prelu(step, x, step_parameter(step, layer, "weight"));

    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

static void
activation_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_activation *options = layer->options;
    struct value *x = step_input(step, layer, 0);

    if (options->kind == MEMMODEL_ACTIVATION_PRELU) {
        prelu_forward(step, layer);
        return;
    }
    step->what = pointwise[options->kind].derivative.name;
    if (options->in_place) {
        step_output(step, layer, 0, aten_pointwise_in_place(step, options->kind, x));
        node_written(step, x);
    } else {
        step_output(step, layer, 0, aten_pointwise(step, options->kind, x));
    }
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

/*
 * Element by element, softmax and dropout. TensorFlow writes most results into their input's memory; GELU and swish are
 * written out in Keras and keep their parts. TensorFlow 2.21: core/kernels/relu_op.h, softmax_op.cc; Keras 3.15:
 * src/backend/tensorflow/nn.py; kept sets measured.
 */
#include "frameworks/tensorflow/build.h"

/* How an activation's output and gradient come about. */
enum manner {
    IN_PLACE,     /* output over input, which the gradient reads: ReLU, tanh, ... */
    WITH_INPUT,   /* output of its own; the gradient reads input and output: LeakyReLU */
    SWISH,        /* x sigmoid(x): the gradient recomputes the sigmoid */
    EXACT_GELU,   /* x / 2 * erfc(-x / sqrt 2) */
    TANH_GELU,    /* the same by a tanh */
    HARD_SIGMOID, /* relu6(x + 3) / 6 */
    HARD_SWISH,   /* x hard_sigmoid(x) */
    LINEAR_MAP,   /* nothing is kept: negation */
};

static const uint8_t manners[ACTIVATION_KINDS] = {
    [MEMMODEL_ACTIVATION_RELU] = IN_PLACE,
    [MEMMODEL_ACTIVATION_LEAKY_RELU] = WITH_INPUT,
    [MEMMODEL_ACTIVATION_ELU] = IN_PLACE,
    [MEMMODEL_ACTIVATION_SELU] = IN_PLACE,
    [MEMMODEL_ACTIVATION_GELU] = EXACT_GELU,
    [MEMMODEL_ACTIVATION_GELU_TANH] = TANH_GELU,
    [MEMMODEL_ACTIVATION_SILU] = SWISH,
    [MEMMODEL_ACTIVATION_SIGMOID] = IN_PLACE,
    [MEMMODEL_ACTIVATION_TANH] = IN_PLACE,
    [MEMMODEL_ACTIVATION_HARDSWISH] = HARD_SWISH,
    [MEMMODEL_ACTIVATION_HARDSIGMOID] = HARD_SIGMOID,
    [MEMMODEL_ACTIVATION_RELU6] = IN_PLACE,
    [MEMMODEL_ACTIVATION_SOFTPLUS] = WITH_INPUT,
    [MEMMODEL_ACTIVATION_MISH] = SWISH,
    [MEMMODEL_ACTIVATION_PRELU] = WITH_INPUT,
    [MEMMODEL_ACTIVATION_EXP] = IN_PLACE,
    [MEMMODEL_ACTIVATION_LOG] = WITH_INPUT,
    [MEMMODEL_ACTIVATION_SQRT] = IN_PLACE,
    [MEMMODEL_ACTIVATION_SQUARE] = WITH_INPUT,
    [MEMMODEL_ACTIVATION_ABS] = WITH_INPUT,
    [MEMMODEL_ACTIVATION_NEGATE] = LINEAR_MAP,
};

static int32_t
gelu_forward(struct build *build, int32_t x, int64_t n, struct kept *kept)
{
    int32_t half = build_new(build, "mul", n, READS(x)), negative = build_new(build, "Neg", n, READS(x));
    int32_t scaled = build_forward(build, "mul_1", n, READS(negative));
    int32_t complement = build_forward(build, "Erfc", n, READS(scaled));
    int32_t square = build_new(build, "Square", n, READS(scaled)); /* of the gradient, but ready now, as what follows */

    kept->others[0] = half;
    kept->others[1] = complement;
    kept->others[2] = build_forward(build, "Exp", n, READS(build_forward(build, "Neg_1", n, READS(square))));
    return build_new(build, "mul_2", n, READS(half, complement));
}

static int32_t
gelu_backward(struct build *build, int32_t gradient, int64_t n, const struct kept *kept)
{
    int32_t of_half = build_forward(build, "mul_2/Mul", n, READS(gradient, kept->others[1]));
    int32_t of_complement = build_forward(build, "mul_2/Mul_1", n, READS(gradient, kept->others[0]));
    int32_t of_scaled = build_forward(build, "Mul", n, READS(of_complement, kept->others[2]));

    return build_forward(build, "AddN", n, READS(of_half, of_scaled));
}

/* The sigmoid waits for the gradient. TensorFlow: python/ops/nn_impl.py, swish */
static int32_t
swish_backward(struct build *build, int32_t gradient, int64_t n, const struct kept *kept)
{
    int32_t sigmoid = build_new(build, "Sigmoid", n, READS(kept->x, gradient));
    int32_t slope = build_new(build, "sub", n, READS(sigmoid));

    slope = build_forward(build, "mul", n, READS(slope, kept->x, sigmoid));
    return build_forward(build, "mul_1", n, READS(gradient, slope));
}

/* The bounded sum is kept apart from what it is divided to. */
static int32_t
hard_sigmoid_forward(struct build *build, int32_t x, int64_t n, struct kept *kept)
{
    int32_t bounded = build_forward(build, "Relu6", n, READS(build_forward(build, "add", n, READS(x))));

    kept->others[0] = bounded;
    return kept->others[1] = build_forward(build, "truediv", n, READS(bounded));
}

static int32_t
hard_sigmoid_backward(struct build *build, int32_t gradient, int64_t n, const struct kept *kept)
{
    return build_forward(build, "Relu6Grad", n,
                         READS(build_forward(build, "truediv/RealDiv", n, READS(gradient)), kept->others[0]));
}

static int32_t
hard_swish_backward(struct build *build, int32_t gradient, int64_t n, const struct kept *kept)
{
    int32_t of_x = build_forward(build, "mul/Mul", n, READS(gradient, kept->others[1]));
    int32_t of_sigmoid = build_forward(build, "mul/Mul_1", n, READS(gradient, kept->x));

    return build_forward(build, "AddN", n, READS(of_x, hard_sigmoid_backward(build, of_sigmoid, n, kept)));
}

int32_t
activation_forward(struct build *build, int kind, int32_t x, int64_t n, struct kept *kept)
{
    kept->x = x;
    switch ((enum manner)manners[kind]) {
    case EXACT_GELU:
    case TANH_GELU:
        return kept->y = gelu_forward(build, x, n, kept);
    case HARD_SIGMOID:
        return kept->y = hard_sigmoid_forward(build, x, n, kept);
    case HARD_SWISH:
        return kept->y = build_forward(build, "mul", n, READS(x, hard_sigmoid_forward(build, x, n, kept)));
    case WITH_INPUT:
    case SWISH:
        return kept->y = build_new(build, activation_name(kind), n, READS(x));
    default:
        return kept->y = build_forward(build, activation_name(kind), n, READS(x));
    }
}

static int32_t
activation_backward(struct build *build, int kind, int32_t gradient, int64_t n, const struct kept *kept)
{
    switch ((enum manner)manners[kind]) {
    case EXACT_GELU:
    case TANH_GELU:
        return gelu_backward(build, gradient, n, kept);
    case HARD_SIGMOID:
        return hard_sigmoid_backward(build, gradient, n, kept);
    case HARD_SWISH:
        return hard_swish_backward(build, gradient, n, kept);
    case SWISH:
        return swish_backward(build, gradient, n, kept);
    case WITH_INPUT:
        return build_forward(build, "gradient", n, READS(gradient, kept->x, kept->y));
    case LINEAR_MAP:
        return build_forward(build, "gradient", n, READS(gradient));
    default:
        return build_forward(build, "gradient", n, READS(gradient, kept->y));
    }
}

static int
kind_of(const struct layer *layer)
{
    return ((const struct memmodel_activation *)layer->options)->kind;
}

static void
activate(struct build *build, const struct layer *layer)
{
    int32_t x = build_input(build, layer, 0);

    if (kind_of(layer) == MEMMODEL_ACTIVATION_NONE)
        build_output(build, layer, build_view(build, "Identity", x));
    else
        build_output(
            build, layer,
            activation_forward(build, kind_of(layer), x, build_output_bytes(build, layer), build_kept(build, layer)));
}

static void
activate_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    if (kind_of(layer) != MEMMODEL_ACTIVATION_NONE)
        gradient = activation_backward(build, kind_of(layer), gradient, build_output_bytes(build, layer),
                                       build_kept(build, layer));
    build_gradient(build, layer, 0, gradient);
    build_parameter_gradient(build, build_parameter(layer, "weight"), gradient, NOTHING);
}

/* ---- softmax ---- */

static void
softmax(struct build *build, const struct layer *layer)
{
    build_output(
        build, layer,
        build_forward(build, "Softmax", build_output_bytes(build, layer), READS(build_input(build, layer, 0))));
}

static void
softmax_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    const struct tensor *x = &build->network->tensors[layer->inputs[0]];
    int64_t n = build_output_bytes(build, layer), rows = n / build_dim(build, x->dims[x->rank - 1]);
    int32_t y = build_kept(build, layer)->y, product = build_new(build, "mul", n, READS(gradient, y));
    int32_t sum = build_new(build, "Sum", rows, READS(product)),
            less = build_forward(build, "sub", n, READS(gradient, sum));

    build_gradient(build, layer, 0, build_forward(build, "mul_1", n, READS(less, y)));
}

/* ---- dropout: a random number an element, and of it a mask of bytes that is kept ---- */

enum { ELEMENT_BYTES = 4 };

static void
dropout(struct build *build, const struct layer *layer)
{
    const struct memmodel_dropout *options = layer->options;
    int64_t n = build_output_bytes(build, layer);
    int32_t x = build_input(build, layer, 0), random, mask;

    if (options->identity || build->job->mode) {
        build_output(build, layer, build_view(build, "Identity", x));
        return;
    }
    random = build_new(build, "RandomUniform", n, NULL, 0);
    mask = build_new(build, "GreaterEqual", n / ELEMENT_BYTES, READS(random));
    build_kept(build, layer)->others[0] = mask;
    build_output(build, layer, build_forward(build, "SelectV2", n, READS(x, mask)));
}

static void
dropout_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int32_t mask = build_kept(build, layer)->others[0];

    if (mask != NOTHING)
        gradient = build_forward(build, "SelectV2", build_output_bytes(build, layer), READS(gradient, mask));
    build_gradient(build, layer, 0, gradient);
}

const struct rule tensorflow_activation = {OP_ACTIVATION, activate, activate_backward};
const struct rule tensorflow_softmax = {OP_SOFTMAX, softmax, softmax_backward};
const struct rule tensorflow_dropout = {OP_DROPOUT, dropout, dropout_backward};

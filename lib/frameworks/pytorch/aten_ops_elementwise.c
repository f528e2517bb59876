/* Operators on each element of one tensor, by name. PyTorch: tools/autograd/derivatives.yaml. */
#include "frameworks/pytorch/aten_ops.h"

static void
pointwise_forward(struct step *step, const struct layer *layer, int kind)
{
    struct value *x = step_input(step, layer, 0);

    if (kind == MEMMODEL_ACTIVATION_ABS && value_is_complex(x))
        step_output(step, layer, 0, aten_magnitude(step, x));
    else
        step_output(step, layer, 0, aten_pointwise(step, kind, x));
}

static void
in_place_forward(struct step *step, const struct layer *layer, int kind)
{
    step_output(step, layer, 0, aten_pointwise_in_place(step, kind, step_input(step, layer, 0)));
    node_written(step, step_input(step, layer, 0));
}

static void
gelu_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    pointwise_forward(step, layer,
                      attribute_is(layer, "approximate", "tanh") ? MEMMODEL_ACTIVATION_GELU_TANH
                                                                 : MEMMODEL_ACTIVATION_GELU);
}

/* ---- log_sigmoid: saved are the input and a buffer ---- */

static void
log_sigmoid_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = gradient_like(step, incoming[0], node->saved[0]);
}

static void
log_sigmoid_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative log_sigmoid = {"log_sigmoid", log_sigmoid_backward};
    struct value *x = step_input(step, layer, 0), *result = value_copy(step, x), *buffer = value_copy(step, x);
    struct node *node = step_record(step, &log_sigmoid, result, 1, &x);

    (void)detail;
    step_save(step, node, x);
    step_save(step, node, buffer);
    value_drop(step, buffer);
    step_output(step, layer, 0, result);
}

/* ---- number ** x: saved are input and result ---- */

static void
number_to_the_power_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *product = number_result(step, incoming[0]);

    (void)node;
    gradients[0] = gradient_like(step, incoming[0], NULL);
    value_drop(step, product);
}

static void
number_to_the_power_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative pow_scalar = {"pow", number_to_the_power_backward};
    struct value *x = step_input(step, layer, 0), *result = value_like(step, x);
    struct node *node;

    (void)detail;
    number_in_place(step, x->shape.dtype);
    node = step_record(step, &pow_scalar, result, 1, &x);
    step_save(step, node, x);
    step_save(step, node, result);
    step_output(step, layer, 0, result);
}

/* ---- clamp: where(self >= min && self <= max, grad, 0) ---- */

static void
clamp_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *zero = value_scalar(step, incoming[0]->shape.dtype), *masks[2] = {NULL};

    for (int i = 0; i < node->number; i++)
        masks[i] = number_compare(step, node->saved[0]);
    gradients[0] = gradient_like(step, incoming[0], NULL);
    for (int i = (int)node->number - 1; i >= 0; i--)
        value_drop(step, masks[i]);
    value_drop(step, zero);
}

static const struct derivative clamp = {"clamp", clamp_backward};

struct value *
aten_clamp(struct step *step, struct value *x, int bounds, bool in_place)
{
    bool clones = in_place && step->grad_mode && x->node;
    struct value *clone = clones ? value_like(step, x) : NULL, *result = in_place ? value_keep(x) : value_like(step, x);
    struct node *node = node_new(step, &clamp, &x, 1, 1);

    step_save(step, node, in_place ? clone : x);
    if (node)
        node->number = bounds;
    node_attach(step, node, result, 0);
    value_drop(step, clone);
    return result;
}

/* How many the call says, where the operator's name does not. */
static int
bounds_of(const struct layer *layer, int bounds)
{
    return bounds ? bounds : attribute_present(layer, "min") + attribute_present(layer, "max");
}

static void
clamp_forward(struct step *step, const struct layer *layer, int bounds)
{
    struct value *x = step_input(step, layer, 0);

    step_output(step, layer, 0, aten_clamp(step, x, bounds_of(layer, bounds), false));
}

static void
clamp_in_place_forward(struct step *step, const struct layer *layer, int bounds)
{
    struct value *x = step_input(step, layer, 0);

    step_output(step, layer, 0, aten_clamp(step, x, bounds_of(layer, bounds), true));
}

/* ---- glu: halves of one axis ---- */

static void
input_like_gradient(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = value_empty(step, &shape);
}

static void
glu_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative glu = {"glu", input_like_gradient};
    struct value *x = step_input(step, layer, 0), *result;
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    result = value_empty(step, &shape);
    step_save(step, step_record(step, &glu, result, 1, &x), x);
    step_output(step, layer, 0, result);
}

/* ---- prelu ---- */

static void
prelu_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, aten_prelu(step, step_input(step, layer, 0), step_input(step, layer, 1)));
}

/* ---- softmax ---- */

static void
softmax_forward(struct step *step, const struct layer *layer, int logarithmic)
{
    struct value *x = step_input(step, layer, 0), *typed;
    struct shape shape = step_output_shape(step, layer, 0);

    typed = aten_cast(step, x, shape.dtype);
    step_output(step, layer, 0, logarithmic ? aten_log_softmax(step, typed) : aten_softmax(step, typed));
    value_drop(step, typed);
}

/* ---- dropout ---- */

static bool
is_dropping(const struct layer *layer)
{
    return attribute_integer(layer, "train", 0) && attribute_number(layer, "p", 0) > 0;
}

/* With p = 1 a product with zero. */
static struct value *
dropped(struct step *step, struct value *x, bool in_place, double p)
{
    struct value *zero, *result;

    if (p < 1)
        return in_place ? aten_noise(step, x, NULL, true) : aten_dropout(step, x);
    zero = value_scalar(step, x->shape.dtype);
    result = in_place ? aten_binary_in_place(step, MEMMODEL_BINARY_MULTIPLY, x, zero)
                      : aten_binary(step, MEMMODEL_BINARY_MULTIPLY, x, zero);
    value_drop(step, zero);
    return result;
}

static void
dropout_forward(struct step *step, const struct layer *layer, int in_place)
{
    struct value *x = step_input(step, layer, 0);

    if (is_dropping(layer))
        step_output(step, layer, 0, dropped(step, x, in_place != 0, attribute_number(layer, "p", 0)));
    else
        step_output(step, layer, 0, value_keep(x));
}

/* One number for each channel of each image. */
static struct shape
feature_noise(const struct value *x)
{
    struct shape shape = x->shape;

    for (int i = 2; i < shape.rank; i++)
        shape.dims[i] = 1;
    return shape;
}

static void
feature_dropout_forward(struct step *step, const struct layer *layer, int in_place)
{
    struct value *x = step_input(step, layer, 0);
    struct shape noise = feature_noise(x);

    if (is_dropping(layer))
        step_output(step, layer, 0, aten_noise(step, x, &noise, in_place != 0));
    else
        step_output(step, layer, 0, value_keep(x));
}

/* The noise, and b = noise * (alpha * a) ... + b; x * noise, then b is added in place. Dropout.cpp, _dropout_impl. */
static void
alpha_dropout_forward(struct step *step, const struct layer *layer, int feature)
{
    struct value *x = step_input(step, layer, 0), *noise, *shift;
    struct shape channels = feature_noise(x);

    if (!is_dropping(layer)) {
        step_output(step, layer, 0, value_keep(x));
        return;
    }
    noise = feature ? value_empty(step, &channels) : value_like(step, x);
    shift = number_result(step, noise);
    number_in_place(step, x->shape.dtype);
    number_in_place(step, x->shape.dtype);
    number_in_place(step, x->shape.dtype);
    step_output(step, layer, 0, aten_binary(step, MEMMODEL_BINARY_MULTIPLY, x, noise));
    value_drop(step, shift);
    value_drop(step, noise);
}

static const struct aten_op_rule elementwise[] = {
    {"aten._log_softmax.default", softmax_forward, 1, "0"},
    {"aten._softmax.default", softmax_forward, 0, "0"},
    {"aten.abs.default", pointwise_forward, MEMMODEL_ACTIVATION_ABS, "0"},
    {"aten.abs_.default", in_place_forward, MEMMODEL_ACTIVATION_ABS, "0"},
    {"aten.acos.default", pointwise_forward, ATEN_ACOS, "0"},
    {"aten.alpha_dropout.default", alpha_dropout_forward, 0, "0"},
    {"aten.asin.default", pointwise_forward, ATEN_ASIN, "0"},
    {"aten.atan.default", pointwise_forward, ATEN_ATAN, "0"},
    {"aten.ceil.default", pointwise_forward, ATEN_ROUND, "0"},
    {"aten.celu.default", pointwise_forward, ATEN_CELU, "0"},
    {"aten.celu_.default", in_place_forward, ATEN_CELU, "0"},
    {"aten.clamp.default", clamp_forward, 0, "0"},
    {"aten.clamp_.default", clamp_in_place_forward, 0, "0"},
    {"aten.clamp_max.default", clamp_forward, 1, "0"},
    {"aten.clamp_max_.default", clamp_in_place_forward, 1, "0"},
    {"aten.clamp_min.default", clamp_forward, 1, "0"},
    {"aten.clamp_min_.default", clamp_in_place_forward, 1, "0"},
    {"aten.cos.default", pointwise_forward, ATEN_COS, "0"},
    {"aten.cos_.default", in_place_forward, ATEN_COS, "0"},
    {"aten.cosh.default", pointwise_forward, ATEN_COSH, "0"},
    {"aten.digamma.default", pointwise_forward, ATEN_DIGAMMA, "0"},
    {"aten.dropout.default", dropout_forward, 0, "0"},
    {"aten.dropout_.default", dropout_forward, 1, "0"},
    {"aten.elu.default", pointwise_forward, MEMMODEL_ACTIVATION_ELU, "0"},
    {"aten.elu_.default", in_place_forward, MEMMODEL_ACTIVATION_ELU, "0"},
    {"aten.erf.default", pointwise_forward, ATEN_ERF, "0"},
    {"aten.erf_.default", in_place_forward, ATEN_ERF, "0"},
    {"aten.erfc.default", pointwise_forward, ATEN_ERF, "0"},
    {"aten.exp.default", pointwise_forward, MEMMODEL_ACTIVATION_EXP, "0"},
    {"aten.exp2.default", pointwise_forward, ATEN_EXP2, "0"},
    {"aten.exp_.default", in_place_forward, MEMMODEL_ACTIVATION_EXP, "0"},
    {"aten.expm1.default", pointwise_forward, ATEN_EXPM1, "0"},
    {"aten.feature_alpha_dropout.default", alpha_dropout_forward, 1, "0"},
    {"aten.feature_dropout.default", feature_dropout_forward, 0, "0"},
    {"aten.feature_dropout_.default", feature_dropout_forward, 1, "0"},
    {"aten.floor.default", pointwise_forward, ATEN_ROUND, "0"},
    {"aten.floor_.default", in_place_forward, ATEN_ROUND, "0"},
    {"aten.frac.default", pointwise_forward, ATEN_FRAC, "0"},
    {"aten.gelu.default", gelu_forward, 0, "0"},
    {"aten.glu.default", glu_forward, 0, "0"},
    {"aten.hardshrink.default", pointwise_forward, ATEN_THRESHOLD, "0"},
    {"aten.hardsigmoid.default", pointwise_forward, MEMMODEL_ACTIVATION_HARDSIGMOID, "0"},
    {"aten.hardsigmoid_.default", in_place_forward, MEMMODEL_ACTIVATION_HARDSIGMOID, "0"},
    {"aten.hardswish.default", pointwise_forward, MEMMODEL_ACTIVATION_HARDSWISH, "0"},
    {"aten.hardswish_.default", in_place_forward, MEMMODEL_ACTIVATION_HARDSWISH, "0"},
    {"aten.hardtanh.default", pointwise_forward, ATEN_HARDTANH, "0"},
    {"aten.hardtanh_.default", in_place_forward, ATEN_HARDTANH, "0"},
    {"aten.leaky_relu.default", pointwise_forward, MEMMODEL_ACTIVATION_LEAKY_RELU, "0"},
    {"aten.leaky_relu_.default", in_place_forward, MEMMODEL_ACTIVATION_LEAKY_RELU, "0"},
    {"aten.lgamma.default", pointwise_forward, ATEN_DIGAMMA, "0"},
    {"aten.log.default", pointwise_forward, MEMMODEL_ACTIVATION_LOG, "0"},
    {"aten.log10.default", pointwise_forward, ATEN_LOG_OF_BASE, "0"},
    {"aten.log1p.default", pointwise_forward, ATEN_LOG1P, "0"},
    {"aten.log2.default", pointwise_forward, ATEN_LOG_OF_BASE, "0"},
    {"aten.log_.default", in_place_forward, MEMMODEL_ACTIVATION_LOG, "0"},
    {"aten.log_sigmoid.default", log_sigmoid_forward, 0, "0"},
    {"aten.log_softmax.int", softmax_forward, 1, "0"},
    {"aten.logit.default", pointwise_forward, ATEN_THRESHOLD, "0"},
    {"aten.mish.default", pointwise_forward, MEMMODEL_ACTIVATION_MISH, "0"},
    {"aten.mish_.default", in_place_forward, MEMMODEL_ACTIVATION_MISH, "0"},
    {"aten.neg.default", pointwise_forward, MEMMODEL_ACTIVATION_NEGATE, "0"},
    {"aten.neg_.default", in_place_forward, MEMMODEL_ACTIVATION_NEGATE, "0"},
    {"aten.pow.Scalar", number_to_the_power_forward, 0, "0"},
    {"aten.pow.Tensor_Scalar", pointwise_forward, ATEN_POW, "0"},
    {"aten.pow_.Scalar", in_place_forward, ATEN_POW, "0"},
    {"aten.prelu.default", prelu_forward, 0, "00"},
    {"aten.reciprocal.default", pointwise_forward, ATEN_RECIPROCAL, "0"},
    {"aten.reciprocal_.default", in_place_forward, ATEN_RECIPROCAL, "0"},
    {"aten.relu.default", pointwise_forward, MEMMODEL_ACTIVATION_RELU, "0"},
    {"aten.relu6.default", pointwise_forward, MEMMODEL_ACTIVATION_RELU6, "0"},
    {"aten.relu6_.default", in_place_forward, MEMMODEL_ACTIVATION_RELU6, "0"},
    {"aten.relu_.default", in_place_forward, MEMMODEL_ACTIVATION_RELU, "0"},
    {"aten.round.default", pointwise_forward, ATEN_ROUND, "0"},
    {"aten.round_.default", in_place_forward, ATEN_ROUND, "0"},
    {"aten.rsqrt.default", pointwise_forward, ATEN_RSQRT, "0"},
    {"aten.rsqrt_.default", in_place_forward, ATEN_RSQRT, "0"},
    {"aten.selu.default", pointwise_forward, MEMMODEL_ACTIVATION_SELU, "0"},
    {"aten.selu_.default", in_place_forward, MEMMODEL_ACTIVATION_SELU, "0"},
    {"aten.sigmoid.default", pointwise_forward, MEMMODEL_ACTIVATION_SIGMOID, "0"},
    {"aten.sigmoid_.default", in_place_forward, MEMMODEL_ACTIVATION_SIGMOID, "0"},
    {"aten.sign.default", pointwise_forward, ATEN_ROUND, "0"},
    {"aten.silu.default", pointwise_forward, MEMMODEL_ACTIVATION_SILU, "0"},
    {"aten.silu_.default", in_place_forward, MEMMODEL_ACTIVATION_SILU, "0"},
    {"aten.sin.default", pointwise_forward, ATEN_SIN, "0"},
    {"aten.sin_.default", in_place_forward, ATEN_SIN, "0"},
    {"aten.sinh.default", pointwise_forward, ATEN_SINH, "0"},
    {"aten.softmax.int", softmax_forward, 0, "0"},
    {"aten.softplus.default", pointwise_forward, MEMMODEL_ACTIVATION_SOFTPLUS, "0"},
    {"aten.softshrink.default", pointwise_forward, ATEN_THRESHOLD, "0"},
    {"aten.sqrt.default", pointwise_forward, MEMMODEL_ACTIVATION_SQRT, "0"},
    {"aten.sqrt_.default", in_place_forward, MEMMODEL_ACTIVATION_SQRT, "0"},
    {"aten.square.default", pointwise_forward, MEMMODEL_ACTIVATION_SQUARE, "0"},
    {"aten.square_.default", in_place_forward, MEMMODEL_ACTIVATION_SQUARE, "0"},
    {"aten.tan.default", pointwise_forward, ATEN_TAN, "0"},
    {"aten.tanh.default", pointwise_forward, MEMMODEL_ACTIVATION_TANH, "0"},
    {"aten.tanh_.default", in_place_forward, MEMMODEL_ACTIVATION_TANH, "0"},
    {"aten.threshold.default", pointwise_forward, ATEN_THRESHOLD, "0"},
    {"aten.threshold_.default", in_place_forward, ATEN_THRESHOLD, "0"},
    {"aten.trunc.default", pointwise_forward, ATEN_ROUND, "0"},
};

const struct aten_ops aten_op_elementwise = ATEN_OPS(elementwise);

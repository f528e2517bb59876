/* Operators element by element: activations, arithmetic, comparisons, types. */
#include "import/onnx_import.h"

#include <string.h>

/* ---- activations ---- */

static void
build_activation(struct import *import, int64_t kind)
{
    memmodel_tensor x = node_tensor(import, 0);

    if (kind == MEMMODEL_ACTIVATION_GELU && strcmp(node_text(import, "approximate", "none"), "tanh") == 0)
        kind = MEMMODEL_ACTIVATION_GELU_TANH;
    node_output(import, 0,
                memmodel_network_activation(import->network, x,
                                            MEMMODEL_ACTIVATION(.name = node_name(import), .kind = (int32_t)kind)));
}

/* Before opset 13 all axes from the given one on are one row. */
static void
build_softmax(struct import *import, int64_t logarithmic)
{
    memmodel_tensor x = node_tensor(import, 0);
    int rank = node_value(import, 0)->shape.rank;
    int axis = import_axis(import, import->opset < 13 ? -1 : node_integer(import, "axis", -1), rank ? rank : 1);

    node_output(import, 0,
                memmodel_network_softmax(import->network, x,
                                         MEMMODEL_SOFTMAX(.name = node_name(import), .axis = axis - rank,
                                                          .logarithmic = (int32_t)logarithmic)));
}

/* While a model infers it is the identity; the rate is for those who train it. */
static void
build_dropout(struct import *import, int64_t argument)
{
    const struct value *ratio = node_optional(import, 1);
    memmodel_tensor x = node_tensor(import, 0);
    double rate = node_real(import, "ratio", 0.5);
    struct memmodel_dropout options = {.size = sizeof options, .name = node_name(import)};

    (void)argument;
    if (ratio && ratio->stored && ratio->stored->numbers && ratio->count == 1)
        rate = (double)ratio->stored->numbers[0].numerator / (double)ratio->stored->numbers[0].denominator;
    options.rate = rate;
    options.identity = rate <= 0;
    node_output(import, 0, memmodel_network_dropout(import->network, x, &options));
    if (node_output_count(import) > 1)
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "its mask is used");
}

static void
build_prelu(struct import *import, int64_t argument)
{
    const struct value *slope = node_value(import, 1);
    struct memmodel_activation options = {
        .size = sizeof options, .name = node_name(import), .kind = MEMMODEL_ACTIVATION_PRELU};
    memmodel_tensor x = node_tensor(import, 0);
    memmodel_dim elements = import_product(import, slope->shape.dims, slope->shape.rank);

    (void)argument;
    options.single_parameter = elements == 1;
    node_output(import, 0, memmodel_network_activation(import->network, x, &options));
}

/* ---- one input, one output of its shape ---- */

enum { SAME_TYPE, TO_BOOL, TO_ATTRIBUTE, TO_SECOND, TO_THIRD, TO_DTYPE };

/* Of the type that a DequantizeLinear or QuantizeLinear names by an input; float32 or uint8 without. */
static int32_t
type_of_input(struct import *import, size_t input, int32_t otherwise)
{
    const struct value *value = node_optional(import, input);

    return value ? value->shape.dtype : otherwise;
}

static int32_t
output_type(struct import *import, int64_t rule, const struct value *x)
{
    int64_t to;

    switch (rule) {
    case TO_DTYPE:
        to = node_integer(import, "dtype", 0);
        return to ? onnx_dtype(to) : x->shape.dtype;
    case TO_BOOL:
        return MEMMODEL_DTYPE_BOOL;
    case TO_SECOND:
        return type_of_input(import, 1, MEMMODEL_DTYPE_FLOAT32);
    case TO_THIRD:
        return type_of_input(import, 2, MEMMODEL_DTYPE_UINT8);
    case TO_ATTRIBUTE:
        to = node_integer(import, "to", 0);
        if (onnx_dtype(to) == 0)
            import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "casts to %s, which has no counterpart",
                         onnx_type_name(to));
        return onnx_dtype(to);
    default:
        return x->shape.dtype;
    }
}

static void
build_unary(struct import *import, int64_t type)
{
    struct memmodel_shape shape = node_value(import, 0)->shape;

    shape.dtype = output_type(import, type, node_value(import, 0));
    build_custom_one(import, &shape);
}

/* Bytes, their scale and their zero. */
static void
build_dynamic_quantize(struct import *import, int64_t argument)
{
    struct memmodel_shape shapes[3] = {
        node_value(import, 0)->shape, {.dtype = MEMMODEL_DTYPE_FLOAT32}, {.dtype = MEMMODEL_DTYPE_UINT8}};

    (void)argument;
    shapes[0].dtype = MEMMODEL_DTYPE_UINT8;
    build_custom(import, shapes, 3);
}

/* A cast to the type that it has already does nothing. */
static void
build_cast(struct import *import, int64_t type)
{
    struct value *x = node_value(import, 0);

    if (x->shape.dtype != 0 && output_type(import, type, x) == x->shape.dtype)
        node_alias(import, x);
    else
        build_unary(import, type);
}

static void
build_identity(struct import *import, int64_t argument)
{
    (void)argument;
    node_alias(import, node_value(import, 0));
}

/* Between 0 and 6 it is an activation. */
static bool
is_relu6(struct import *import)
{
    static const double bounds[] = {0, 6};
    static const char *const names[] = {"min", "max"};
    bool same = true;

    for (size_t i = 0; i < 2; i++) {
        const struct value *bound = node_optional(import, i + 1);
        int64_t integer = -1;

        if (bound)
            same = same && bound->elements && element_integer(import, bound->elements[0], &integer) &&
                   integer == (int64_t)bounds[i];
        else
            same = same && (int64_t)node_real(import, names[i], -1) == (int64_t)bounds[i];
    }
    return same;
}

static void
build_clip(struct import *import, int64_t argument)
{
    if (is_relu6(import))
        build_activation(import, MEMMODEL_ACTIVATION_RELU6);
    else
        build_unary(import, argument);
}

/* ---- several inputs that broadcast ---- */

/* Add, Max, ... of any number of inputs: one after the other. */
static void
build_binary(struct import *import, int64_t kind)
{
    memmodel_tensor x = node_tensor(import, 0);
    size_t count = node_input_count(import);

    if (count == 1) {
        node_alias(import, node_value(import, 0));
        return;
    }
    for (size_t i = 1; i < count && !import->status; i++) {
        memmodel_tensor y = node_tensor(import, i);

        if (!import->status)
            x = memmodel_network_binary(
                import->network, x, y,
                MEMMODEL_BINARY(.name = i + 1 == count ? node_name(import) : NULL, .kind = (int32_t)kind));
    }
    node_output(import, 0, x);
}

/* The shapes of all inputs together; the type is that of input `type`, or a bool. */
static void
build_broadcast(struct import *import, int64_t type)
{
    struct memmodel_shape shape = node_value(import, 0)->shape;

    for (size_t i = 1; i < node_input_count(import); i++)
        import_broadcast(import, &shape, &node_value(import, i)->shape);
    if (type == TO_BOOL)
        shape.dtype = MEMMODEL_DTYPE_BOOL;
    else
        shape.dtype = node_value(import, type == TO_SECOND ? 1 : 0)->shape.dtype;
    build_custom_one(import, &shape);
}

const struct onnx_rule onnx_elementwise_rules[] = {
    {"Relu", build_activation, MEMMODEL_ACTIVATION_RELU},
    {"LeakyRelu", build_activation, MEMMODEL_ACTIVATION_LEAKY_RELU},
    {"Elu", build_activation, MEMMODEL_ACTIVATION_ELU},
    {"Selu", build_activation, MEMMODEL_ACTIVATION_SELU},
    {"Gelu", build_activation, MEMMODEL_ACTIVATION_GELU},
    {"Sigmoid", build_activation, MEMMODEL_ACTIVATION_SIGMOID},
    {"Tanh", build_activation, MEMMODEL_ACTIVATION_TANH},
    {"HardSwish", build_activation, MEMMODEL_ACTIVATION_HARDSWISH},
    {"HardSigmoid", build_activation, MEMMODEL_ACTIVATION_HARDSIGMOID},
    {"Softplus", build_activation, MEMMODEL_ACTIVATION_SOFTPLUS},
    {"Mish", build_activation, MEMMODEL_ACTIVATION_MISH},
    {"Exp", build_activation, MEMMODEL_ACTIVATION_EXP},
    {"Log", build_activation, MEMMODEL_ACTIVATION_LOG},
    {"Sqrt", build_activation, MEMMODEL_ACTIVATION_SQRT},
    {"Abs", build_activation, MEMMODEL_ACTIVATION_ABS},
    {"Neg", build_activation, MEMMODEL_ACTIVATION_NEGATE},
    {"PRelu", build_prelu, 0},
    {"Clip", build_clip, SAME_TYPE},
    {"Softmax", build_softmax, 0},
    {"LogSoftmax", build_softmax, 1},
    {"Hardmax", build_unary, SAME_TYPE},
    {"Dropout", build_dropout, 0},
    {"Identity", build_identity, 0},
    {"Cast", build_cast, TO_ATTRIBUTE},
    {"CastLike", build_cast, TO_SECOND},
    {"DequantizeLinear", build_unary, TO_SECOND},
    {"QuantizeLinear", build_unary, TO_THIRD},
    {"Add", build_binary, MEMMODEL_BINARY_ADD},
    {"Sub", build_binary, MEMMODEL_BINARY_SUBTRACT},
    {"Mul", build_binary, MEMMODEL_BINARY_MULTIPLY},
    {"Div", build_binary, MEMMODEL_BINARY_DIVIDE},
    {"Max", build_binary, MEMMODEL_BINARY_MAXIMUM},
    {"Min", build_binary, MEMMODEL_BINARY_MINIMUM},
    {"Sum", build_binary, MEMMODEL_BINARY_ADD},
    {"Mean", build_broadcast, SAME_TYPE},
    {"Pow", build_broadcast, SAME_TYPE},
    {"Mod", build_broadcast, SAME_TYPE},
    {"BitShift", build_broadcast, SAME_TYPE},
    {"BitwiseAnd", build_broadcast, SAME_TYPE},
    {"BitwiseOr", build_broadcast, SAME_TYPE},
    {"BitwiseXor", build_broadcast, SAME_TYPE},
    {"Where", build_broadcast, TO_SECOND},
    {"Equal", build_broadcast, TO_BOOL},
    {"Greater", build_broadcast, TO_BOOL},
    {"GreaterOrEqual", build_broadcast, TO_BOOL},
    {"Less", build_broadcast, TO_BOOL},
    {"LessOrEqual", build_broadcast, TO_BOOL},
    {"And", build_broadcast, TO_BOOL},
    {"Or", build_broadcast, TO_BOOL},
    {"Xor", build_broadcast, TO_BOOL},
    {"Not", build_unary, TO_BOOL},
    {"IsNaN", build_unary, TO_BOOL},
    {"IsInf", build_unary, TO_BOOL},
    {"Acos", build_unary, SAME_TYPE},
    {"Acosh", build_unary, SAME_TYPE},
    {"Asin", build_unary, SAME_TYPE},
    {"Asinh", build_unary, SAME_TYPE},
    {"Atan", build_unary, SAME_TYPE},
    {"Atanh", build_unary, SAME_TYPE},
    {"BitwiseNot", build_unary, SAME_TYPE},
    {"Ceil", build_unary, SAME_TYPE},
    {"Celu", build_unary, SAME_TYPE},
    {"Cos", build_unary, SAME_TYPE},
    {"Cosh", build_unary, SAME_TYPE},
    {"CumSum", build_unary, SAME_TYPE},
    {"Erf", build_unary, SAME_TYPE},
    {"Floor", build_unary, SAME_TYPE},
    {"LRN", build_unary, SAME_TYPE},
    {"LpNormalization", build_unary, SAME_TYPE},
    {"MeanVarianceNormalization", build_unary, SAME_TYPE},
    {"Reciprocal", build_unary, SAME_TYPE},
    {"Round", build_unary, SAME_TYPE},
    {"Scatter", build_unary, SAME_TYPE},
    {"ScatterElements", build_unary, SAME_TYPE},
    {"ScatterND", build_unary, SAME_TYPE},
    {"Shrink", build_unary, SAME_TYPE},
    {"Sign", build_unary, SAME_TYPE},
    {"Sin", build_unary, SAME_TYPE},
    {"Sinh", build_unary, SAME_TYPE},
    {"Softsign", build_unary, SAME_TYPE},
    {"Tan", build_unary, SAME_TYPE},
    {"ThresholdedRelu", build_unary, SAME_TYPE},
    {"Trilu", build_unary, SAME_TYPE},
    {"ReverseSequence", build_unary, SAME_TYPE},
    {"EyeLike", build_unary, TO_DTYPE},
    {"RandomNormalLike", build_unary, TO_DTYPE},
    {"RandomUniformLike", build_unary, TO_DTYPE},
    {"Bernoulli", build_unary, TO_DTYPE},
    {"DynamicQuantizeLinear", build_dynamic_quantize, 0},
    {0},
};

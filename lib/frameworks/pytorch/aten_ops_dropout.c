/* Dropout by name. PyTorch: aten/src/ATen/native/Dropout.cpp. */
#include "frameworks/pytorch/aten_ops.h"

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

static const struct aten_op_rule dropouts[] = {
    {"aten.alpha_dropout.default", alpha_dropout_forward, 0, "0"},
    {"aten.dropout.default", dropout_forward, 0, "0"},
    {"aten.dropout_.default", dropout_forward, 1, "0"},
    {"aten.feature_alpha_dropout.default", alpha_dropout_forward, 1, "0"},
    {"aten.feature_dropout.default", feature_dropout_forward, 0, "0"},
    {"aten.feature_dropout_.default", feature_dropout_forward, 1, "0"},
};

const struct aten_ops aten_op_dropout = ATEN_OPS(dropouts);

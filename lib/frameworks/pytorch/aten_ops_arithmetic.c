/*
 * Operators on several tensors or on a tensor and a number, element by element, by name.
 * PyTorch: tools/autograd/derivatives.yaml; aten/src/ATen/native/BinaryOps.cpp, PointwiseOps.cpp, TensorCompare.cpp.
 */
#include "frameworks/pytorch/aten_ops.h"

/* The operand as a tensor: one more reference, or a number of the attribute's kind, whole or not. */
static struct value *
operand(struct step *step, const struct layer *layer, int input, const char *name)
{
    struct value *tensor = step_input(step, layer, input), *number;

    if (tensor)
        return value_keep(tensor);
    number = value_on_host(step, attribute_is_whole(layer, name) ? MEMMODEL_DTYPE_INT64 : MEMMODEL_DTYPE_FLOAT64);
    number->number = true;
    return number;
}

static void
binary_forward(struct step *step, const struct layer *layer, int kind)
{
    struct value *self = operand(step, layer, 0, "self"), *other = operand(step, layer, 1, "other");

    step_output(step, layer, 0, aten_binary(step, kind, self, other));
    value_drop(step, other);
    value_drop(step, self);
}

static void
binary_in_place_forward(struct step *step, const struct layer *layer, int kind)
{
    struct value *other = operand(step, layer, 1, "other");

    step_output(step, layer, 0, aten_binary_in_place(step, kind, step_input(step, layer, 0), other));
    node_written(step, step_input(step, layer, 0));
    value_drop(step, other);
}

/* x * 2 where the schema says Scalar: the number is not kept. */
static void
number_forward(struct step *step, const struct layer *layer, int kind)
{
    struct value *x = step_input(step, layer, 0);

    if (kind == MEMMODEL_BINARY_MULTIPLY || kind == MEMMODEL_BINARY_DIVIDE)
        step_output(step, layer, 0, aten_scale(step, x));
    else
        binary_forward(step, layer, kind);
}

static void
number_minus_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, aten_number_minus(step, step_input(step, layer, 0)));
}

/* ---- add and sub with a factor: self + alpha * other ---- */

static void
add_alpha_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 0))
        gradients[0] = value_keep(incoming[0]);
    if (node_wants(node, 1))
        gradients[1] = number_result(step, incoming[0]);
}

static void
subtract_alpha_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *negative;

    if (node_wants(node, 0))
        gradients[0] = value_keep(incoming[0]);
    if (!node_wants(node, 1))
        return;
    negative = value_like(step, incoming[0]);
    gradients[1] = number_result(step, negative);
    value_drop(step, negative);
}

static const struct derivative add = {"add", add_alpha_backward}, subtract = {"sub", subtract_alpha_backward};

static void
sum_forward(struct step *step, const struct layer *layer, int kind)
{
    struct value *self = step_input(step, layer, 0), *other = step_input(step, layer, 1), *result;

    if (!attribute_present(layer, "alpha") || !other) {
        binary_forward(step, layer, kind);
        return;
    }
    result = binary_result(step, self, other, 0);
    step_record(step, kind == MEMMODEL_BINARY_ADD ? &add : &subtract, result, 2, (struct value *[]){self, other});
    step_output(step, layer, 0, result);
}

static void
sum_in_place_forward(struct step *step, const struct layer *layer, int kind)
{
    struct value *operands[] = {step_input(step, layer, 0), step_input(step, layer, 1)};
    struct node *node;

    if (!attribute_present(layer, "alpha") || !operands[1]) {
        binary_in_place_forward(step, layer, kind);
        return;
    }
    node = node_new(step, kind == MEMMODEL_BINARY_ADD ? &add : &subtract, operands, 2, 1);
    node_attach(step, node, operands[0], 0);
    step_output(step, layer, 0, value_keep(operands[0]));
}

/* ---- x % number: the gradient passes ---- */

static void
pass_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)step;
    (void)node;
    gradients[0] = value_keep(incoming[0]);
}

static void
remainder_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative remainder = {"remainder", pass_backward};
    struct value *x = step_input(step, layer, 0), *number = operand(step, layer, 1, "other");
    struct value *result = binary_result(step, x, number, 0);

    (void)detail;
    value_drop(step, number);
    step_record(step, &remainder, result, 1, &x);
    step_output(step, layer, 0, result);
}

/* ---- comparisons: no gradient ---- */

static void
compare_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *self = step_input(step, layer, 0), *other = step_input(step, layer, 1);

    (void)detail;
    if (other)
        step_output(step, layer, 0, binary_result(step, self, other, MEMMODEL_DTYPE_BOOL));
    else
        step_output(step, layer, 0, number_compare_with(step, self, operand(step, layer, 1, "other")));
}

/* ---- where, masked_fill ---- */

static void
where_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *operands[2];
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    for (int i = 0; i < 2; i++) {
        operands[i] = value_keep(step_input(step, layer, 1 + i));
        if (!operands[i])
            operands[i] = value_scalar(step, shape.dtype);
    }
    step_output(step, layer, 0, aten_where(step, step_input(step, layer, 0), operands[0], operands[1]));
    value_drop_all(step, operands, 2);
}

static void
gradient_copy(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = gradient_like(step, incoming[0], NULL);
}

static void
masked_fill_forward(struct step *step, const struct layer *layer, int in_place)
{
    static const struct derivative masked_fill = {"masked_fill", gradient_copy};
    struct value *x = step_input(step, layer, 0), *mask = step_input(step, layer, 1), *result;
    struct shape shape = step_output_shape(step, layer, 0);
    struct node *node = node_new(step, &masked_fill, &x, 1, 1);

    result = in_place ? value_keep(x) : value_empty(step, &shape);
    step_save(step, node, mask);
    node_attach(step, node, result, 0);
    step_output(step, layer, 0, result);
}

/* ---- lerp with a number: self + weight * (end - self) ---- */

static void
lerp_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    for (int i = 1; i >= 0; i--)
        if (node_wants(node, i))
            gradients[i] = number_result(step, incoming[0]);
}

static void
lerp_forward(struct step *step, const struct layer *layer, int in_place)
{
    static const struct derivative lerp = {"lerp", lerp_backward};
    struct value *operands[] = {step_input(step, layer, 0), step_input(step, layer, 1)};
    struct node *node = node_new(step, &lerp, operands, 2, 1);
    struct value *result = in_place ? value_keep(operands[0]) : binary_result(step, operands[0], operands[1], 0);

    node_attach(step, node, result, 0);
    step_output(step, layer, 0, result);
}

/* ---- addcmul: self + value * tensor1 * tensor2. Saved are the factors ---- */

static void
addcmul_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 0))
        gradients[0] = value_keep(incoming[0]);
    for (int i = 1; i <= 2; i++) {
        struct value *scaled;

        if (!node_wants(node, i))
            continue;
        scaled = number_result(step, node->saved[2 - i]);
        gradients[i] = binary_result(step, incoming[0], scaled, 0);
        value_drop(step, scaled);
    }
}

static void
addcmul_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative addcmul = {"addcmul", addcmul_backward};
    struct value *operands[3], *result;
    struct shape shape = step_output_shape(step, layer, 0);
    struct node *node;

    (void)detail;
    for (int i = 0; i < 3; i++)
        operands[i] = step_input(step, layer, i);
    result = value_empty(step, &shape);
    node = step_record(step, &addcmul, result, 3, operands);
    step_save(step, node, operands[2]->node ? operands[1] : NULL);
    step_save(step, node, operands[1]->node ? operands[2] : NULL);
    step_output(step, layer, 0, result);
}

/* ---- casts and copies ---- */

static void
cast_forward(struct step *step, const struct layer *layer, int detail)
{
    struct shape shape = step_output_shape(step, layer, 0);
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    if (attribute_channels_last(layer, x) && x->shape.dtype == shape.dtype)
        step_output(step, layer, 0, aten_channels_last(step, x));
    else if (attribute_is(layer, "memory_format", "contiguous_format") && x->shape.dtype == shape.dtype)
        step_output(step, layer, 0, aten_contiguous(step, x));
    else if (attribute_is(layer, "dtype", "complex64"))
        step_output(step, layer, 0, aten_to_complex(step, x));
    else if (attribute_integer(layer, "copy", 0) && x->shape.dtype == shape.dtype)
        step_output(step, layer, 0, aten_clone(step, x));
    else
        step_output(step, layer, 0, aten_cast(step, x, shape.dtype));
}

/* x.copy_(y): what x was is forgotten. */
static void
copy_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    if (node_wants(node, 0))
        gradients[0] = value_empty(step, &node->edges[0].shape);
    if (node_wants(node, 1))
        gradients[1] = value_keep(incoming[0]);
}

static void
copy_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative copy = {"copy", copy_backward};
    struct value *operands[] = {step_input(step, layer, 0), step_input(step, layer, 1)};
    struct node *node = node_new(step, &copy, operands, 2, 1);

    (void)detail;
    node_attach(step, node, operands[0], 0);
    node_written(step, operands[0]);
    step_output(step, layer, 0, value_keep(operands[0]));
}

/* torch.div(x, y, out=z) */
static void
into_last_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, value_keep(step_input(step, layer, 2)));
}

/* x.fill_(0): its gradient is zeros */
static void
fill_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative fill = {"fill", gradient_copy};
    struct value *x = step_input(step, layer, 0);
    struct node *node = node_new(step, &fill, &x, 1, 1);

    (void)detail;
    node_attach(step, node, x, 0);
    node_written(step, x);
    step_output(step, layer, 0, value_keep(x));
}

static const struct aten_op_rule arithmetic[] = {
    {"aten._to_copy.default", cast_forward, 0, "0"},
    {"aten.add.Scalar", number_forward, MEMMODEL_BINARY_ADD, "0"},
    {"aten.add.Tensor", sum_forward, MEMMODEL_BINARY_ADD, "0"},
    {"aten.add_.Scalar", binary_in_place_forward, MEMMODEL_BINARY_ADD, "0"},
    {"aten.add_.Tensor", sum_in_place_forward, MEMMODEL_BINARY_ADD, "0"},
    {"aten.addcmul.default", addcmul_forward, 0, "000"},
    {"aten.bernoulli_.Tensor", fill_forward, 0, "0"},
    {"aten.bernoulli_.float", fill_forward, 0, "0"},
    {"aten.cauchy_.default", fill_forward, 0, "0"},
    {"aten.copy_.default", copy_forward, 0, "00"},
    {"aten.div.Scalar", number_forward, MEMMODEL_BINARY_DIVIDE, "0"},
    {"aten.div.Tensor", binary_forward, MEMMODEL_BINARY_DIVIDE, "0"},
    {"aten.div.out", into_last_forward, 0, "000"},
    {"aten.div_.Scalar", binary_in_place_forward, MEMMODEL_BINARY_DIVIDE, "0"},
    {"aten.div_.Tensor", binary_in_place_forward, MEMMODEL_BINARY_DIVIDE, "0"},
    {"aten.eq.Scalar", compare_forward, 0, "0"},
    {"aten.eq.Tensor", compare_forward, 0, "0"},
    {"aten.exponential_.default", fill_forward, 0, "0"},
    {"aten.fill_.Scalar", fill_forward, 0, "0"},
    {"aten.fill_.Tensor", fill_forward, 0, "0"},
    {"aten.float.default", cast_forward, 0, "0"},
    {"aten.fmod.Scalar", remainder_forward, 0, "0"},
    {"aten.ge.Scalar", compare_forward, 0, "0"},
    {"aten.ge.Tensor", compare_forward, 0, "0"},
    {"aten.geometric_.default", fill_forward, 0, "0"},
    {"aten.gt.Scalar", compare_forward, 0, "0"},
    {"aten.gt.Tensor", compare_forward, 0, "0"},
    {"aten.le.Scalar", compare_forward, 0, "0"},
    {"aten.le.Tensor", compare_forward, 0, "0"},
    {"aten.lerp.Scalar", lerp_forward, 0, "00"},
    {"aten.lerp_.Scalar", lerp_forward, 1, "00"},
    {"aten.log_normal_.default", fill_forward, 0, "0"},
    {"aten.lt.Scalar", compare_forward, 0, "0"},
    {"aten.lt.Tensor", compare_forward, 0, "0"},
    {"aten.masked_fill.Scalar", masked_fill_forward, 0, "0"},
    {"aten.masked_fill.Tensor", masked_fill_forward, 0, "0"},
    {"aten.masked_fill_.Scalar", masked_fill_forward, 1, "0"},
    {"aten.masked_fill_.Tensor", masked_fill_forward, 1, "0"},
    {"aten.max.other", binary_forward, MEMMODEL_BINARY_MAXIMUM, "0"},
    {"aten.maximum.default", binary_forward, MEMMODEL_BINARY_MAXIMUM, "0"},
    {"aten.min.other", binary_forward, MEMMODEL_BINARY_MINIMUM, "0"},
    {"aten.minimum.default", binary_forward, MEMMODEL_BINARY_MINIMUM, "0"},
    {"aten.mul.Scalar", number_forward, MEMMODEL_BINARY_MULTIPLY, "0"},
    {"aten.mul.Tensor", binary_forward, MEMMODEL_BINARY_MULTIPLY, "0"},
    {"aten.mul_.Scalar", binary_in_place_forward, MEMMODEL_BINARY_MULTIPLY, "0"},
    {"aten.mul_.Tensor", binary_in_place_forward, MEMMODEL_BINARY_MULTIPLY, "0"},
    {"aten.ne.Scalar", compare_forward, 0, "0"},
    {"aten.ne.Tensor", compare_forward, 0, "0"},
    {"aten.normal_.default", fill_forward, 0, "0"},
    {"aten.random_.default", fill_forward, 0, "0"},
    {"aten.random_.from", fill_forward, 0, "0"},
    {"aten.random_.to", fill_forward, 0, "0"},
    {"aten.remainder.Scalar", remainder_forward, 0, "0"},
    {"aten.rsub.Scalar", number_minus_forward, 0, "0"},
    {"aten.sub.Scalar", number_forward, MEMMODEL_BINARY_SUBTRACT, "0"},
    {"aten.sub.Tensor", sum_forward, MEMMODEL_BINARY_SUBTRACT, "0"},
    {"aten.sub_.Scalar", binary_in_place_forward, MEMMODEL_BINARY_SUBTRACT, "0"},
    {"aten.sub_.Tensor", sum_in_place_forward, MEMMODEL_BINARY_SUBTRACT, "0"},
    {"aten.to.device", cast_forward, 0, "0"},
    {"aten.to.dtype", cast_forward, 0, "0"},
    {"aten.to.dtype_layout", cast_forward, 0, "0"},
    {"aten.to.other", cast_forward, 0, "0"},
    {"aten.type_as.default", cast_forward, 0, "0"},
    {"aten.uniform_.default", fill_forward, 0, "0"},
    {"aten.where.Scalar", where_forward, 0, "0"},
    {"aten.where.ScalarOther", where_forward, 0, "0"},
    {"aten.where.ScalarSelf", where_forward, 0, "0"},
    {"aten.where.self", where_forward, 0, "0"},
    {"aten.zero_.default", fill_forward, 0, "0"},
};

const struct aten_ops aten_op_arithmetic = ATEN_OPS(arithmetic);

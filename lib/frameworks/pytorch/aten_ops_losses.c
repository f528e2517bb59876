/* Losses by name. PyTorch: aten/src/ATen/native/Loss.cpp, LossNLL.cpp. */
#include "frameworks/pytorch/aten_ops.h"

/* at::Reduction: none, mean, sum */
static int
reduction_of(const struct layer *layer)
{
    static const int reductions[] = {MEMMODEL_LOSS_REDUCTION_NONE, MEMMODEL_LOSS_REDUCTION_MEAN,
                                     MEMMODEL_LOSS_REDUCTION_SUM};
    int64_t reduction = attribute_integer(layer, "reduction", 1);

    return reductions[reduction >= 0 && reduction <= 2 ? reduction : 1];
}

/* ---- losses of a prediction and a target ---- */

typedef struct value *(*loss_function)(struct step *step, struct value *x, struct value *target, int reduction);

enum pair { PAIR, ABSOLUTE, BINARY };

static void
pair_forward(struct step *step, const struct layer *layer, int kind)
{
    static const loss_function functions[] = {aten_pair_loss, aten_mean_absolute_error, aten_binary_cross_entropy};
    struct value *x = step_input(step, layer, 0), *target = step_input(step, layer, 1);
    struct value *result = functions[kind](step, x, target, reduction_of(layer));

    if (kind == BINARY)
        step_save(step, result->node, step_input(step, layer, 2)); /* a weight of each element */
    step_output(step, layer, 0, result);
}

/* ---- huber: saved are both ---- */

static void
huber_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    for (int i = 0; i < 2; i++)
        if (node_wants(node, i))
            gradients[i] = value_copy(step, node->saved[0]);
}

static void
huber_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative huber = {"huber_loss", huber_backward};
    struct value *operands[] = {step_input(step, layer, 0), step_input(step, layer, 1)};
    struct value *result = reduced_loss(step, value_like(step, operands[0]), reduction_of(layer));
    struct node *node = step_record(step, &huber, result, 2, operands);

    (void)detail;
    step_save(step, node, operands[0]);
    step_save(step, node, operands[1]);
    step_output(step, layer, 0, result);
}

/* ---- binary cross entropy with logits and a weight of the positive class ---- */

/* t = (pos_weight * target); (t + 1 - target) * sigmoid(x) - t, times grad; the mean's factor last. Saved: pos_weight, x */
static void
weighted_logits_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *weight = node->saved[0], *x = node->saved[1];
    struct value *weighted = binary_result(step, weight, x, 0), *sigmoid;

    (void)incoming;
    gradients[0] = number_result(step, weighted);
    sigmoid = value_like(step, x);
    value_drop(step, sigmoid);
    value_drop(step, weighted);
    if (node->number == MEMMODEL_LOSS_REDUCTION_MEAN)
        number_in_place(step, gradients[0]->shape.dtype);
}

/* (pos_weight - 1) * target + 1 */
static void
positive_weights(struct step *step, const struct value *weight, const struct value *target)
{
    struct value *less = number_result(step, weight), *weights = binary_result(step, less, target, 0);

    number_in_place(step, weights->shape.dtype);
    value_drop(step, less);
    value_drop(step, weights);
}

static struct value *
weighted_logits(struct step *step, struct value *x, struct value *target, struct value *weight, int reduction)
{
    static const struct derivative derivative = {"binary_cross_entropy_with_logits", weighted_logits_backward};
    struct value *log_sigmoid = value_copy(step, x), *result;
    struct node *node;

    if (step->device->log_sigmoid_buffer)
        value_scratch(step, &x->shape);
    positive_weights(step, weight, target);
    result = reduced_loss(step, value_like(step, x), reduction);
    value_drop(step, log_sigmoid);
    node = step_record(step, &derivative, result, 1, &x);
    step_save(step, node, weight);
    step_save(step, node, x);
    step_save(step, node, target);
    if (node)
        node->number = reduction;
    return result;
}

static void
logits_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *target = step_input(step, layer, 1);
    struct value *positive = step_input(step, layer, 3), *result;

    (void)detail;
    if (positive)
        result = weighted_logits(step, x, target, positive, reduction_of(layer));
    else
        result = aten_binary_cross_entropy_with_logits(step, x, target, reduction_of(layer));
    step_save(step, result->node, step_input(step, layer, 2));
    step_output(step, layer, 0, result);
}

/* ---- kl_div ---- */

/* target.exp() * (target - x) */
static struct value *
logarithmic_divergence(struct step *step, struct value *x, struct value *target, int reduction)
{
    struct value *difference = aten_binary(step, MEMMODEL_BINARY_SUBTRACT, target, x);
    struct value *power = aten_unary(step, "exp", target);
    struct value *full = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, difference, power), *result;

    value_drop(step, power);
    value_drop(step, difference);
    result = aten_reduce(step, full, reduction);
    value_drop(step, full);
    return result;
}

static void
divergence_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *target = step_input(step, layer, 1);

    (void)detail;
    if (attribute_integer(layer, "log_target", 0))
        step_output(step, layer, 0, logarithmic_divergence(step, x, target, reduction_of(layer)));
    else
        step_output(step, layer, 0, aten_kl_divergence(step, x, target, reduction_of(layer)));
}

/* ---- cross entropy ---- */

static void
nll_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *target = step_input(step, layer, 1);

    (void)detail;
    step_output(step, layer, 0, aten_nll_loss(step, x, target, step_input(step, layer, 2), reduction_of(layer)));
}

/* Takes the reference to `log_probabilities`: -(log_probabilities * target).sum() / batch */
static struct value *
of_probabilities(struct step *step, struct value *log_probabilities, struct value *target, int reduction)
{
    struct value *product = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, log_probabilities, target), *sum, *negative,
                 *result;
    uint64_t axes = reduction == MEMMODEL_LOSS_REDUCTION_NONE ? UINT64_C(2) : ALL_AXES;

    value_drop(step, log_probabilities);
    sum = aten_sum(step, product, axes, false);
    negative = aten_unary(step, "neg", sum);
    result = reduction == MEMMODEL_LOSS_REDUCTION_MEAN ? aten_scale(step, negative) : value_keep(negative);
    value_drop(step, negative);
    value_drop(step, sum);
    value_drop(step, product);
    return result;
}

static void
masked_gradient(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = value_copy(step, incoming[0]);
}

/* -log_probabilities.sum(1), or of their product with the weights */
static struct value *
class_sums(struct step *step, struct value *log_probabilities, struct value *weight)
{
    struct shape shape = {.rank = log_probabilities->shape.rank, .dtype = log_probabilities->shape.dtype};
    struct value *seen, *product, *sum, *terms;

    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = i == 1 ? log_probabilities->shape.dims[1] : 1;
    seen = weight ? aten_reshape(step, weight, &shape) : NULL;
    product =
        weight ? aten_binary(step, MEMMODEL_BINARY_MULTIPLY, log_probabilities, seen) : value_keep(log_probabilities);
    sum = aten_sum(step, product, UINT64_C(2), false);
    terms = aten_unary(step, "neg", sum);
    value_drop(step, sum);
    value_drop(step, product);
    value_drop(step, seen);
    return terms;
}

/* These sums with zeros where the class is to be ignored; the mask is left in `mask`. */
static struct value *
smoothing_terms(struct step *step, struct value *log_probabilities, struct value *target, struct value *weight,
                struct value **mask)
{
    static const struct derivative masked_fill = {"masked_fill", masked_gradient};
    struct value *terms = class_sums(step, log_probabilities, weight),
                 *number = value_scalar(step, MEMMODEL_DTYPE_INT64);
    struct node *node;

    *mask = value_like_typed(step, target, MEMMODEL_DTYPE_BOOL);
    value_drop(step, number);
    node = node_new(step, &masked_fill, &terms, 1, 1);
    step_save(step, node, *mask);
    node_attach(step, node, terms, 0);
    return terms;
}

/* terms.sum() / (~mask).sum() */
static struct value *
mean_of_unmasked(struct step *step, struct value *terms, const struct value *mask)
{
    struct value *unmasked = value_like(step, mask), *count = value_scalar(step, MEMMODEL_DTYPE_INT64), *wide, *total,
                 *result;

    wide = value_like_typed(step, unmasked, MEMMODEL_DTYPE_INT64);
    step_parallel_sum(step, unmasked, count);
    value_drop(step, wide);
    total = aten_sum(step, terms, ALL_AXES, false);
    result = aten_binary(step, MEMMODEL_BINARY_DIVIDE, total, count);
    value_drop(step, total);
    value_drop(step, count);
    value_drop(step, unmasked);
    return result;
}

/* By the weights of the classes that count, which are all where none is ignored. */
static struct value *
mean_by_weight(struct step *step, struct value *terms, const struct value *mask, const struct value *weight)
{
    struct shape all = shape_vector(MEMMODEL_DTYPE_INT64, value_elements(mask));
    struct value *unmasked = value_like(step, mask), *count = value_scalar(step, MEMMODEL_DTYPE_INT64);
    struct value *places = value_empty(step, &all), *chosen, *gathered, *sum, *total, *result;

    value_drop(step, places);
    value_drop(step, count);
    chosen = value_empty(step, &all);
    gathered = value_vector(step, weight->shape.dtype, value_elements(mask));
    sum = value_scalar(step, weight->shape.dtype);
    total = aten_sum(step, terms, ALL_AXES, false);
    result = aten_binary(step, MEMMODEL_BINARY_DIVIDE, total, sum);
    value_drop(step, total);
    value_drop(step, sum);
    value_drop(step, gathered);
    value_drop(step, chosen);
    value_drop(step, unmasked);
    return result;
}

/* nll * (1 - smoothing) + smooth * (smoothing / classes). Takes the reference to `log_probabilities`. */
static struct value *
smoothed(struct step *step, struct value *log_probabilities, struct value *target, struct value *weight, int reduction)
{
    struct value *nll = aten_nll_loss(step, log_probabilities, target, weight, reduction), *mask;
    struct value *terms = smoothing_terms(step, log_probabilities, target, weight, &mask), *smooth, *second, *first,
                 *result;

    value_drop(step, log_probabilities);
    if (reduction != MEMMODEL_LOSS_REDUCTION_MEAN)
        smooth = aten_reduce(step, terms, reduction);
    else
        smooth = weight ? mean_by_weight(step, terms, mask, weight) : mean_of_unmasked(step, terms, mask);
    second = aten_scale(step, smooth);
    first = aten_scale(step, nll);
    result = aten_binary(step, MEMMODEL_BINARY_ADD, first, second);
    value_drop(step, first);
    value_drop(step, second);
    value_drop(step, smooth);
    value_drop(step, mask);
    value_drop(step, terms);
    value_drop(step, nll);
    return result;
}

static void
cross_entropy_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *target = step_input(step, layer, 1);
    struct value *weight = step_input(step, layer, 2), *log_probabilities, *result;
    int reduction = reduction_of(layer);
    bool smoothing = attribute_number(layer, "label_smoothing", 0) > 0, shares = value_is_float(target);

    (void)detail;
    if (smoothing && shares) {
        aten_op_estimate(step, layer);
        return;
    }
    log_probabilities = aten_log_softmax(step, x);
    if (shares) {
        result = of_probabilities(step, log_probabilities, target, reduction);
    } else if (smoothing) {
        result = smoothed(step, log_probabilities, target, weight, reduction);
    } else {
        result = aten_nll_loss(step, log_probabilities, target, weight, reduction);
        value_drop(step, log_probabilities);
    }
    step_output(step, layer, 0, result);
}

static const struct aten_op_rule losses[] = {
    {"aten.binary_cross_entropy.default", pair_forward, BINARY, "00"},
    {"aten.binary_cross_entropy_with_logits.default", logits_forward, 0, "00"},
    {"aten.cross_entropy_loss.default", cross_entropy_forward, 0, "10"},
    {"aten.huber_loss.default", huber_forward, 0, "00"},
    {"aten.kl_div.default", divergence_forward, 0, "00"},
    {"aten.l1_loss.default", pair_forward, ABSOLUTE, "00"},
    {"aten.mse_loss.default", pair_forward, PAIR, "00"},
    {"aten.nll_loss.default", nll_forward, 0, "10"},
    {"aten.nll_loss2d.default", nll_forward, 0, "10"},
    {"aten.nll_loss_nd.default", nll_forward, 0, "10"},
    {"aten.smooth_l1_loss.default", pair_forward, PAIR, "00"},
};

const struct aten_ops aten_op_losses = ATEN_OPS(losses);

/* Losses. PyTorch: aten/src/ATen/native/Loss.cpp, LossNLL.cpp, LossNLL2d.cpp. */
#include "frameworks/pytorch/operators.h"

/* The loss element by element was wanted: `full` is the result. Otherwise it is reduced to one number and dropped. */
struct value *
reduced_loss(struct step *step, struct value *full, int reduction)
{
    struct value *result;

    if (reduction == MEMMODEL_LOSS_REDUCTION_NONE)
        return full;
    result = value_scalar(step, full->shape.dtype);
    step_parallel_sum(step, full, result);
    if (reduction == MEMMODEL_LOSS_REDUCTION_MEAN)
        number_in_place(step, full->shape.dtype);
    value_drop(step, full);
    return result;
}

/* The same by an out= variant: the number is computed aside and set into `full`, which so keeps its full size. */
static struct value *
reduced_in_place(struct step *step, struct value *full, int reduction)
{
    struct shape scalar = shape_scalar(full->shape.dtype);
    struct value *aside, *result;

    if (reduction == MEMMODEL_LOSS_REDUCTION_NONE)
        return full;
    aside = reduced_loss(step, value_keep(full), reduction);
    value_drop(step, aside);
    result = value_view(step, full, &scalar, full->strides);
    value_drop(step, full);
    return result;
}

/* ---- cross entropy: log_softmax, then nll_loss ---- */

/* Saved: log-probabilities, target, total weight. */
static void
nll_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    gradients[0] = value_like(step, node->saved[0]);
}

struct value *
aten_nll_loss(struct step *step, struct value *x, struct value *target, struct value *weight, int reduction)
{
    static const struct derivative derivative = {"nll_loss", nll_backward};
    struct shape scalar = shape_scalar(x->shape.dtype), full = shape_typed(&target->shape, x->shape.dtype);
    struct shape *shape = reduction == MEMMODEL_LOSS_REDUCTION_NONE ? &full : &scalar;
    struct value *total = x->shape.rank > 2 ? value_empty(step, &scalar) : NULL, *result = value_empty(step, shape);
    struct node *node = step_record(step, &derivative, result, 1, &x);

    if (!total)
        total = value_empty(step, &scalar);
    step_save(step, node, x);
    step_save(step, node, target);
    step_save(step, node, weight);
    step_save(step, node, total);
    value_drop(step, total);
    return result;
}

static struct value *
nll_loss(struct step *step, struct value *x, struct value *target, int reduction)
{
    return aten_nll_loss(step, x, target, NULL, reduction);
}

static struct value *
cross_entropy(struct step *step, struct value *x, struct value *target, int reduction)
{
    struct value *log_probabilities = aten_log_softmax(step, x);
    struct value *result = nll_loss(step, log_probabilities, target, reduction);

    value_drop(step, log_probabilities);
    return result;
}

/* ---- binary cross entropy: saved are input, target ---- */

static void
binary_cross_entropy_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    gradients[0] = value_like(step, node->saved[0]);
    if (node->number == MEMMODEL_LOSS_REDUCTION_MEAN)
        number_in_place(step, gradients[0]->shape.dtype);
}

static void
keep_pair(struct step *step, struct node *node, struct value *x, struct value *target, int reduction)
{
    if (node)
        node->number = reduction;
    step_save(step, node, x);
    step_save(step, node, target);
}

struct value *
aten_binary_cross_entropy(struct step *step, struct value *x, struct value *target, int reduction)
{
    static const struct derivative derivative = {"binary_cross_entropy", binary_cross_entropy_backward};
    struct value *result = reduced_in_place(step, value_like(step, x), reduction);

    keep_pair(step, step_record(step, &derivative, result, 1, &x), x, target, reduction);
    return result;
}

/* log_sigmoid and its buffer, then the loss. */
struct value *
aten_binary_cross_entropy_with_logits(struct step *step, struct value *x, struct value *target, int reduction)
{
    static const struct derivative derivative = {"binary_cross_entropy_with_logits", binary_cross_entropy_backward};
    struct value *log_sigmoid = value_copy(step, x), *result;

    if (step->device->log_sigmoid_buffer)
        value_scratch(step, &x->shape);
    result = reduced_loss(step, value_like(step, x), reduction);
    value_drop(step, log_sigmoid);
    keep_pair(step, step_record(step, &derivative, result, 1, &x), x, target, reduction);
    return result;
}

/* ---- mean squared error and smooth L1 ---- */

static void
pair_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    for (int i = 0; i < 2; i++)
        if (node_wants(node, i))
            gradients[i] = value_copy(step, node->saved[0]);
}

/* Reduced into a tensor of full size beside the result, which both become the one number. */
struct value *
aten_pair_loss(struct step *step, struct value *x, struct value *target, int reduction)
{
    static const struct derivative derivative = {"mse_loss", pair_backward};
    struct value *result = binary_result(step, x, target, 0), *full = result, *differences;
    struct shape scalar = shape_scalar(result->shape.dtype), one = shape_vector(result->shape.dtype, 1);

    if (reduction != MEMMODEL_LOSS_REDUCTION_NONE) {
        differences = value_copy(step, full);
        result = value_view(step, full, &scalar, one.dims);
        step_parallel_sum(step, full, result);
        if (reduction == MEMMODEL_LOSS_REDUCTION_MEAN)
            number_in_place(step, full->shape.dtype);
        value_drop(step, differences);
        value_drop(step, full);
    }
    keep_pair(step, step_record(step, &derivative, result, 2, (struct value *[]){x, target}), x, target, reduction);
    return result;
}

/* ---- made of other operators ---- */

struct value *
aten_reduce(struct step *step, struct value *x, int reduction)
{
    if (reduction == MEMMODEL_LOSS_REDUCTION_NONE)
        return value_keep(x);
    return reduction == MEMMODEL_LOSS_REDUCTION_SUM ? aten_sum(step, x, ALL_AXES, false)
                                                    : aten_mean(step, x, ALL_AXES, false);
}

struct value *
aten_mean_absolute_error(struct step *step, struct value *x, struct value *target, int reduction)
{
    struct value *difference = aten_binary(step, MEMMODEL_BINARY_SUBTRACT, x, target);
    struct value *absolute = aten_unary(step, "abs", difference), *result;

    value_drop(step, difference);
    result = aten_reduce(step, absolute, reduction);
    value_drop(step, absolute);
    return result;
}

/* xlogy(target, target) - x * target */
struct value *
aten_kl_divergence(struct step *step, struct value *x, struct value *target, int reduction)
{
    struct value *cross = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, x, target), *own = value_like(step, target);
    struct value *full = aten_binary(step, MEMMODEL_BINARY_SUBTRACT, own, cross), *result;

    value_drop(step, own);
    value_drop(step, cross);
    result = aten_reduce(step, full, reduction);
    value_drop(step, full);
    return result;
}

/* 2 * (x * t).sum() */
static struct value *
twice_overlap(struct step *step, struct value *x, struct value *target)
{
    struct value *product = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, x, target);
    struct value *sum = aten_sum(step, product, ALL_AXES, false), *result;

    value_drop(step, product);
    result = aten_times_number(step, sum);
    value_drop(step, sum);
    return result;
}

/* x.sum() + t.sum() */
static struct value *
total_of_both(struct step *step, struct value *x, struct value *target)
{
    struct value *first = aten_sum(step, x, ALL_AXES, false), *second = aten_sum(step, target, ALL_AXES, false);
    struct value *result = aten_binary(step, MEMMODEL_BINARY_ADD, first, second);

    value_drop(step, first);
    value_drop(step, second);
    return result;
}

/* Written by hand: 1 - 2 * (x * t).sum() / (x.sum() + t.sum()) */
static struct value *
dice(struct step *step, struct value *x, struct value *target, int reduction)
{
    struct value *overlap = twice_overlap(step, x, target), *total = total_of_both(step, x, target);
    struct value *share = aten_binary(step, MEMMODEL_BINARY_DIVIDE, overlap, total), *result;

    (void)reduction;
    value_drop(step, overlap);
    value_drop(step, total);
    result = aten_number_minus(step, share);
    value_drop(step, share);
    return result;
}

/* ---- rule ---- */

typedef struct value *(*loss_function)(struct step *step, struct value *x, struct value *target, int reduction);

static const loss_function losses[] = {
    [MEMMODEL_LOSS_CROSS_ENTROPY] = cross_entropy,
    [MEMMODEL_LOSS_BINARY_CROSS_ENTROPY] = aten_binary_cross_entropy,
    [MEMMODEL_LOSS_BINARY_CROSS_ENTROPY_WITH_LOGITS] = aten_binary_cross_entropy_with_logits,
    [MEMMODEL_LOSS_MEAN_SQUARED_ERROR] = aten_pair_loss,
    [MEMMODEL_LOSS_MEAN_ABSOLUTE_ERROR] = aten_mean_absolute_error,
    [MEMMODEL_LOSS_SMOOTH_L1] = aten_pair_loss,
    [MEMMODEL_LOSS_NEGATIVE_LOG_LIKELIHOOD] = nll_loss,
    [MEMMODEL_LOSS_KL_DIVERGENCE] = aten_kl_divergence,
    [MEMMODEL_LOSS_DICE] = dice,
};

static void
loss_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_loss *options = layer->options;
    struct value *x = step_input(step, layer, 0), *target = step_input(step, layer, 1);

    step_output(step, layer, 0, losses[options->kind](step, x, target, options->reduction));
}

const struct rule pytorch_loss = {OP_LOSS, loss_forward};

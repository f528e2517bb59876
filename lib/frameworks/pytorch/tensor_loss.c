/*
 * A cross entropy of logits of which each rank has some classes. PyTorch: torch/distributed/tensor/parallel/loss.py
 * (_log_softmax, _nll_loss_forward, _nll_loss_and_log_softmax_backward).
 */
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/tensor_parallel.h"

/* A number for each row. */
static struct value *
rows_of(struct step *step, const struct value *x, int dtype)
{
    return value_vector(step, dtype, x->shape.dims[0]);
}

/* x - max - log(sum(exp(x - max))), the maximum and the sum over all ranks. */
static struct value *
log_softmax(struct step *step, const struct value *x)
{
    int type = x->shape.dtype;
    struct value *own = rows_of(step, x, type), *max = tensor_all_reduce(step, own), *shifted, *exponent, *sum, *result;
    struct value *logarithm;

    value_drop(step, own);
    shifted = value_like(step, x);
    exponent = value_like(step, x);
    own = rows_of(step, x, type);
    value_drop(step, exponent);
    sum = tensor_all_reduce(step, own);
    value_drop(step, own);
    logarithm = rows_of(step, x, type);
    result = value_like(step, x);
    value_drop(step, logarithm);
    value_drop(step, sum);
    value_drop(step, shifted);
    value_drop(step, max);
    return result;
}

/* torch.where(target != ignore_index, x, 0) of a row each. */
static struct value *
unless_ignored(struct step *step, const struct value *x, int dtype)
{
    struct value *ignored = rows_of(step, x, MEMMODEL_DTYPE_BOOL), *result = rows_of(step, x, dtype);

    value_drop(step, ignored);
    return result;
}

/* What each row's own class has, from the rank that has it, and their mean; `weight` becomes the number of rows. */
static struct value *
nll_loss(struct step *step, const struct value *x, struct value **weight)
{
    int type = x->shape.dtype;
    struct value *safe = unless_ignored(step, x, MEMMODEL_DTYPE_INT64);
    struct value *mask = tensor_own_mask(step, safe), *indices = tensor_own_rows(step, safe);
    struct value *partial = rows_of(step, x, type), *reduced, *negative, *kept, *count, *sum, *result;

    value_drop(step, mask);
    reduced = tensor_all_reduce(step, partial);
    negative = rows_of(step, x, type);
    kept = unless_ignored(step, x, type);
    value_drop(step, negative);
    count = unless_ignored(step, x, MEMMODEL_DTYPE_BOOL);
    *weight = value_scalar(step, type);
    value_drop(step, count);
    sum = value_scalar(step, type);
    result = value_scalar(step, type);
    value_drop(step, sum);
    value_drop(step, kept);
    value_drop(step, reduced);
    value_drop(step, partial);
    value_drop(step, indices);
    value_drop(step, safe);
    return result;
}

/* (grad_input + exp(x)) * grad_output, where grad_input is -1 at each row's own class, and grad_output a number for each. */
static struct value *
logits_gradient(struct step *step, const struct value *x, struct value *own, struct value *mean)
{
    struct value *gradient = unless_ignored(step, x, x->shape.dtype), *exponent, *sum, *result;

    value_drop(step, mean);
    exponent = value_like(step, x);
    sum = value_like(step, x);
    value_drop(step, exponent);
    result = value_like(step, x);
    value_drop(step, sum);
    value_drop(step, own);
    value_drop(step, gradient);
    return result;
}

static void
loss_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    int type = x->shape.dtype;
    struct value *mean = value_scalar(step, type), *safe = unless_ignored(step, x, MEMMODEL_DTYPE_INT64);
    struct value *own = value_like(step, x), *mask = tensor_own_mask(step, safe), *rows = tensor_own_rows(step, safe);
    struct value *typed = rows_of(step, x, type), *update = rows_of(step, x, type), *counted;

    (void)incoming;
    value_drop(step, typed);
    counted = rows_of(step, x, MEMMODEL_DTYPE_INT64);
    gradients[0] = logits_gradient(step, x, own, mean);
    value_drop(step, counted);
    value_drop(step, update);
    value_drop(step, rows);
    value_drop(step, mask);
    value_drop(step, safe);
}

void
tensor_loss_forward(struct step *step, const struct layer *layer)
{
    static const struct derivative derivative = {"NllLoss", loss_backward};
    struct value *x = step_input(step, layer, 0), *target = step_input(step, layer, 1), *logs, *weight, *result;
    struct node *node;

    if (x->shape.rank != 2 || target->shape.rank != 1) {
        aten_op_estimate(step, layer);
        return;
    }
    step->what = "loss of own classes";
    logs = log_softmax(step, x);
    result = nll_loss(step, logs, &weight);
    node = step_record(step, &derivative, result, 1, &x);
    step_save(step, node, logs);
    step_save(step, node, target);
    step_save(step, node, weight);
    value_drop(step, weight);
    value_drop(step, logs);
    step_output(step, layer, 0, result);
}

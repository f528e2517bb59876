/*
 * Reductions by name. PyTorch: aten/src/ATen/native/ReduceOps.cpp, Sorting.cpp; gradients:
 * torch/csrc/autograd/FunctionsManual.cpp (var_backward, std_backward, norm_backward, evenly_distribute_backward).
 */
#include "frameworks/pytorch/aten_ops.h"

static uint64_t
axes_of(const struct layer *layer, const struct value *x)
{
    return attribute_axes(layer, "dim", x->shape.rank);
}

static bool
keeps_axes(const struct layer *layer)
{
    return attribute_integer(layer, "keepdim", 0) != 0;
}

enum reduction { SUM, MEAN };

static void
reduce_forward(struct step *step, const struct layer *layer, int reduction)
{
    struct value *x = step_input(step, layer, 0);
    uint64_t axes = axes_of(layer, x);
    struct shape shape = step_output_shape(step, layer, 0);

    if (reduction == SUM)
        step_output(step, layer, 0, aten_sum_typed(step, x, axes, keeps_axes(layer), shape.dtype));
    else
        step_output(step, layer, 0, aten_mean_typed(step, x, axes, keeps_axes(layer), shape.dtype));
}

static void
extreme_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    step_output(step, layer, 0, aten_extreme(step, x, axes_of(layer, x), keeps_axes(layer)));
}

/* ---- x.max(): the gradient is shared among equal extremes ---- */

static void
max_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    struct value *nan = value_scalar(step, MEMMODEL_DTYPE_BOOL), *mask = value_like_typed(step, x, MEMMODEL_DTYPE_BOOL);
    struct value *count, *wide, *first, *share;

    (void)incoming;
    value_drop(step, nan);
    gradients[0] = value_like(step, x);
    count = value_scalar(step, MEMMODEL_DTYPE_INT64);
    wide = value_like_typed(step, x, MEMMODEL_DTYPE_INT64);
    step_parallel_sum(step, x, count);
    value_drop(step, wide);
    first = value_scalar(step, x->shape.dtype);
    share = value_scalar(step, x->shape.dtype);
    value_drop(step, first);
    value_drop(step, share);
    value_drop(step, count);
    value_drop(step, mask);
}

static void
max_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative max = {"max", max_backward};
    struct value *x = step_input(step, layer, 0), *result = value_scalar(step, x->shape.dtype);
    struct node *node = step_record(step, &max, result, 1, &x);

    (void)detail;
    step_save(step, node, x);
    step_save(step, node, result);
    step_output(step, layer, 0, result);
}

/* ---- max(dim), topk, sort: values and where they were ---- */

static void
scattered_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = node->edges[0].shape;

    (void)incoming;
    gradients[0] = value_empty(step, &shape);
    aten_op_scatter_scratch(step, gradients[0]);
}

static void
values_and_indices_forward(struct step *step, const struct layer *layer, int sorting)
{
    static const struct derivative values = {"max", scattered_backward};
    struct value *x = step_input(step, layer, 0), *chosen, *indices;
    struct shape shape = step_output_shape(step, layer, 0), places = shape_typed(&shape, MEMMODEL_DTYPE_INT64);
    struct node *node;

    chosen = value_empty(step, &shape);
    indices = value_empty(step, &places);
    if (sorting && x->shape.rank > 0)
        value_drop(step, value_vector(step, MEMMODEL_DTYPE_INT64,
                                      x->shape.dims[attribute_axis(layer, "dim", x->shape.rank, -1)]));
    node = node_new(step, &values, &x, 1, 2);
    node_attach(step, node, chosen, 0);
    step_save(step, node, indices);
    step_output(step, layer, 0, chosen);
    step_output(step, layer, 1, indices);
}

/* ---- var and std: the input is saved, and what backward must know of the axes ---- */

static struct value *
variance(struct step *step, const struct value *x, uint64_t axes, bool keep)
{
    struct shape shape = reduced_shape(x, axes, keep);
    struct value *result = value_empty(step, &shape);

    if (shape_elements(&shape) == 1)
        value_drop(step, mean_result(step, x, ALL_AXES, false));
    return result;
}

/* (2 / (n - correction)) * grad * (x - mean) */
static struct value *
variance_gradient(struct step *step, const struct value *x, const struct value *gradient, uint64_t axes)
{
    struct value *mean = mean_result(step, x, axes, true), *difference = binary_result(step, x, mean, 0);
    struct value *scaled = number_result(step, gradient), *result = value_like(step, difference);

    value_drop(step, scaled);
    value_drop(step, difference);
    value_drop(step, mean);
    return result;
}

static void
variance_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = variance_gradient(step, node->saved[0], incoming[0], (uint64_t)node->number);
}

/* grad / (2 * result), zeros where the result is */
static void
deviation_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *twice = number_result(step, node->saved[1]), *of_variance = value_like(step, incoming[0]);

    value_drop(step, number_compare(step, node->saved[1]));
    value_drop(step, twice);
    gradients[0] = variance_gradient(step, node->saved[0], of_variance, (uint64_t)node->number);
    value_drop(step, of_variance);
}

enum spreading { VARIANCE, DEVIATION };

static void
spread_forward(struct step *step, const struct layer *layer, int spreading)
{
    static const struct derivative derivatives[] = {{"var", variance_backward}, {"std", deviation_backward}};
    struct value *x = step_input(step, layer, 0), *result;
    uint64_t axes = axes_of(layer, x), all = (UINT64_C(1) << x->shape.rank) - 1;
    struct node *node;

    result = variance(step, x, axes, keeps_axes(layer));
    node = step_record(step, &derivatives[spreading], result, 1, &x);
    step_save(step, node, x);
    if (spreading == DEVIATION)
        step_save(step, node, result);
    if (node)
        node->number = (int64_t)(axes & all);
    step_output(step, layer, 0, result);
}

/* ---- cumsum: grad.flip(dim).cumsum(dim).flip(dim) ---- */

static void
cumulative_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *flipped, *sum;

    if (node->number) {
        gradients[0] = value_keep(incoming[0]);
        return;
    }
    flipped = value_like(step, incoming[0]);
    sum = value_like(step, incoming[0]);
    gradients[0] = value_like(step, incoming[0]);
    value_drop(step, sum);
    value_drop(step, flipped);
}

static void
cumulative_sum_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative cumsum = {"cumsum", cumulative_backward};
    struct value *x = step_input(step, layer, 0), *result, *cast = NULL;
    struct shape shape = step_output_shape(step, layer, 0);
    int axis = attribute_axis(layer, "dim", x->shape.rank, 0);
    struct node *node;

    (void)detail;
    result = value_like_typed(step, x, shape.dtype);
    if (x->shape.dtype != shape.dtype)
        cast = value_like_typed(step, x, shape.dtype);
    value_drop(step, cast);
    node = step_record(step, &cumsum, result, 1, &x);
    if (node)
        node->number = value_elements(x) <= 1 || x->shape.dims[axis] == 1;
    step_output(step, layer, 0, result);
}

/* ---- logsumexp: maxima, those that are infinite replaced, exp(x - max).sum().log() + max ---- */

static void
logsumexp_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    struct value *difference = value_like(step, x), *power = value_like(step, x);

    (void)incoming;
    gradients[0] = value_like(step, x);
    value_drop(step, power);
    value_drop(step, difference);
}

static void
logsumexp_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative logsumexp = {"logsumexp", logsumexp_backward};
    struct value *x = step_input(step, layer, 0), *maxima, *absolute, *powers, *result;
    uint64_t axes = axes_of(layer, x);
    struct shape kept = reduced_shape(x, axes, true), shape = reduced_shape(x, axes, keeps_axes(layer));
    struct node *node;

    (void)detail;
    maxima = value_empty(step, &kept);
    absolute = value_like(step, maxima);
    value_drop(step, number_compare(step, maxima));
    value_drop(step, absolute);
    powers = value_like(step, x);
    result = value_empty(step, &shape);
    value_drop(step, powers);
    value_drop(step, maxima);
    node = step_record(step, &logsumexp, result, 1, &x);
    step_save(step, node, x);
    step_save(step, node, result);
    step_output(step, layer, 0, result);
}

static const struct aten_op_rule reductions[] = {
    {"aten._is_all_true.default", aten_op_maker, 0, "0"},
    {"aten.amax.default", extreme_forward, 0, "0"},
    {"aten.amin.default", extreme_forward, 0, "0"},
    {"aten.cumsum.default", cumulative_sum_forward, 0, "0"},
    {"aten.logsumexp.default", logsumexp_forward, 0, "0"},
    {"aten.max.default", max_forward, 0, "0"},
    {"aten.max.dim", values_and_indices_forward, 0, "0"},
    {"aten.mean.default", reduce_forward, MEAN, "0"},
    {"aten.mean.dim", reduce_forward, MEAN, "0"},
    {"aten.min.default", max_forward, 0, "0"},
    {"aten.min.dim", values_and_indices_forward, 0, "0"},
    {"aten.sort.default", values_and_indices_forward, 1, "0"},
    {"aten.std.correction", spread_forward, DEVIATION, "0"},
    {"aten.std.default", spread_forward, DEVIATION, "0"},
    {"aten.std.dim", spread_forward, DEVIATION, "0"},
    {"aten.sum.default", reduce_forward, SUM, "0"},
    {"aten.sum.dim_IntList", reduce_forward, SUM, "0"},
    {"aten.topk.default", values_and_indices_forward, 0, "0"},
    {"aten.var.correction", spread_forward, VARIANCE, "0"},
    {"aten.var.default", spread_forward, VARIANCE, "0"},
    {"aten.var.dim", spread_forward, VARIANCE, "0"},
};

const struct aten_ops aten_op_reductions = ATEN_OPS(reductions);

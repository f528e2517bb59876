/*
 * Instance and RMS norm, which are made of other operators.
 * PyTorch: aten/src/ATen/native/Normalization.cpp (instance_norm), layer_norm.cpp (rms_norm), TensorShape.cpp (repeat).
 */
#include "frameworks/pytorch/operators.h"

/* ---- instance norm: batch norm of [1, N * C, ...] with repeated parameters ---- */

static void
repeat_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape row = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);
    bool once = shape_elements(&row) == value_elements(incoming[0]);

    gradients[0] = once ? value_view(step, incoming[0], &row, incoming[0]->strides) : value_empty(step, &row);
}

/* The index tensors with which Tensor.repeat unfolds its result along its one dim. */
static void
repeat_bookkeeping(struct step *step)
{
    struct value *sizes = value_vector(step, MEMMODEL_INT64, 1), *number = value_scalar(step, MEMMODEL_INT64);
    struct value *steps = value_vector(step, MEMMODEL_INT64, 1), *both;

    value_drop(step, number);
    both = value_vector(step, MEMMODEL_INT64, 2);
    value_drop(step, steps);
    value_drop(step, sizes);
    value_drop(step, both);
}

/* Tensor.repeat(times) of a vector. NULL stays NULL. */
static struct value *
repeat_vector(struct step *step, struct value *x, int64_t times)
{
    static const struct derivative repeat = {"repeat", repeat_backward};
    struct value *result;

    if (!x)
        return NULL;
    result = value_vector(step, x->shape.dtype, x->shape.dims[0] * times);
    repeat_bookkeeping(step);
    step_record(step, &repeat, result, 1, &x);
    return result;
}

/* running.view(N, C).mean(0), copied into the running statistics */
static void
update_running(struct step *step, const struct value *repeated, int64_t batch)
{
    struct shape rows = {.rank = 2, .dtype = MEMMODEL_FLOAT32};
    struct value *view;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (!repeated)
        return;
    rows.dims[0] = batch;
    rows.dims[1] = value_elements(repeated) / max_i64(batch, 1);
    rows.dtype = repeated->shape.dtype;
    shape_strides(&rows, strides);
    view = value_view(step, repeated, &rows, strides);
    value_drop(step, mean_result(step, view, 1, false));
    value_drop(step, view);
}

static struct value *
instance_norm(struct step *step, struct value *x, const struct batch_statistics *own)
{
    int64_t batch = x->shape.dims[0];
    struct batch_statistics repeated = {
        .weight = repeat_vector(step, own->weight, batch),
        .bias = repeat_vector(step, own->bias, batch),
        .running_mean = repeat_vector(step, own->running_mean, batch),
        .running_var = repeat_vector(step, own->running_var, batch),
        .training = own->training,
    };
    struct value *dense = aten_contiguous(step, x), *rows, *normal, *result;
    struct shape shape = x->shape;

    shape.dims[0] = 1;
    shape.dims[1] = batch * x->shape.dims[1];
    rows = aten_reshape(step, dense, &shape);
    normal = aten_batch_norm(step, rows, &repeated);
    if (own->training) {
        update_running(step, repeated.running_mean, batch);
        update_running(step, repeated.running_var, batch);
    }
    result = aten_reshape(step, normal, &x->shape);
    value_drop(step, normal);
    value_drop(step, rows);
    value_drop(step, dense);
    value_drop(step, repeated.running_var);
    value_drop(step, repeated.running_mean);
    value_drop(step, repeated.bias);
    value_drop(step, repeated.weight);
    return result;
}

static void
instance_norm_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_norm *options = layer->options;
    struct batch_statistics statistics = batch_statistics_of(step, layer);
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout);
    struct value *result = instance_norm(step, x, &statistics);

    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_instance_norm = {OP_INSTANCE_NORM, instance_norm_forward};

/* ---- RMS norm: x * rsqrt(mean(x ** 2) + eps) * weight, each an operator of its own ---- */

static void
rsqrt_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *first = value_like(step, incoming[0]), *second = number_result(step, incoming[0]);

    (void)node;
    gradients[0] = value_like(step, incoming[0]);
    value_drop(step, second);
    value_drop(step, first);
}

static struct value *
inverse_root(struct step *step, struct value *x)
{
    static const struct derivative rsqrt = {"rsqrt", rsqrt_backward};
    struct value *result;

    number_in_place(step, x->shape.dtype); /* += eps */
    result = value_like(step, x);
    step_save(step, step_record(step, &rsqrt, result, 1, &x), result);
    return result;
}

static void
rms_norm_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_norm *options = layer->options;
    struct value *x = step_input(step, layer, 0), *weight = step_parameter(step, layer, "weight");
    int rank = x->shape.rank;
    uint64_t axes = ((UINT64_C(1) << options->axes) - 1) << (rank - (int)options->axes);
    struct value *square = aten_pointwise(step, MEMMODEL_SQUARE, x), *mean = aten_mean(step, square, axes, true);
    struct value *inverse = inverse_root(step, mean), *result;

    value_drop(step, mean);
    value_drop(step, square);
    result = aten_binary(step, MEMMODEL_MULTIPLY, x, inverse);
    value_drop(step, inverse);
    if (weight) {
        struct value *normal = result;

        result = aten_binary(step, MEMMODEL_MULTIPLY, normal, weight);
        value_drop(step, normal);
    }
    step_output(step, layer, 0, result);
}

const struct rule pytorch_rms_norm = {OP_RMS_NORM, rms_norm_forward};

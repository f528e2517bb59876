/*
 * Instance and RMS norm, which are made of other operators.
 * PyTorch: aten/src/ATen/native/Normalization.cpp (instance_norm), layer_norm.cpp (rms_norm), TensorShape.cpp (repeat).
 */
#include "frameworks/pytorch/operators.h"

/* ---- instance norm: batch norm of [1, N * C, ...] with repeated parameters ---- */

static void
repeat_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    bool once = shape_elements(&shape) == value_elements(incoming[0]);

    if (once && value_viewable(incoming[0], &shape, strides)) {
        gradients[0] = value_view(step, incoming[0], &shape, strides);
        return;
    }
    gradients[0] = value_empty(step, &shape);
}

/* The index tensors with which Tensor.repeat unfolds its result along its dims, on the host. */
static void
repeat_bookkeeping(struct step *step, int64_t dims)
{
    struct value *sizes = value_vector_on_host(step, MEMMODEL_DTYPE_INT64, dims),
                 *number = value_on_host(step, MEMMODEL_DTYPE_INT64);
    struct value *steps = value_vector_on_host(step, MEMMODEL_DTYPE_INT64, dims), *both;

    value_drop(step, number);
    both = value_vector_on_host(step, MEMMODEL_DTYPE_INT64, 2 * dims);
    value_drop(step, steps);
    value_drop(step, sizes);
    value_drop(step, both);
}

struct value *
aten_repeat(struct step *step, struct value *x, const struct shape *shape)
{
    static const struct derivative repeat = {"repeat", repeat_backward};
    struct value *result = value_empty(step, shape);

    repeat_bookkeeping(step, shape->rank);
    step_record(step, &repeat, result, 1, &x);
    return result;
}

/* Tensor.repeat(times) of a vector. NULL stays NULL. */
static struct value *
repeat_vector(struct step *step, struct value *x, int64_t times)
{
    struct shape shape;

    if (!x)
        return NULL;
    shape = shape_vector(x->shape.dtype, multiply_saturating(x->shape.dims[0], times));
    return aten_repeat(step, x, &shape);
}

/* running.view(N, C).mean(0), copied into the running statistics */
static void
update_running(struct step *step, const struct value *repeated, int64_t batch)
{
    struct shape rows = {.rank = 2, .dtype = MEMMODEL_DTYPE_FLOAT32};
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

struct value *
aten_instance_norm(struct step *step, struct value *x, const struct batch_statistics *own)
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
    const struct memmodel_instance_norm *options = layer->options;
    struct batch_statistics statistics = batch_statistics_of(step, layer);
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout);
    struct value *result = aten_instance_norm(step, x, &statistics);

    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_instance_norm = {OP_INSTANCE_NORM, instance_norm_forward};

/*
 * ---- RMS norm: x * rsqrt(mean(x ** 2) + eps) * weight, each an operator of its own; of half types in float32 between
 * two casts ----
 */

static struct value *
inverse_deviation(struct step *step, struct value *x, int axes)
{
    uint64_t last = ((UINT64_C(1) << axes) - 1) << (x->shape.rank - axes);
    struct value *square = aten_unary(step, "square", x), *mean = aten_mean(step, square, last, true);
    struct value *inverse;

    number_in_place(step, mean->shape.dtype); /* += eps */
    inverse = aten_unary(step, "rsqrt", mean);
    value_drop(step, mean);
    value_drop(step, square);
    return inverse;
}

/* On a GPU one operator: cuda/layer_norm_kernel.cu, _fused_rms_norm_cuda. */
static void
fused_rms_norm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    if (node_wants(node, 0))
        gradients[0] = value_copy(step, node->saved[0]);
    if (node_wants(node, 1))
        gradients[1] = value_empty(step, &node->edges[1].shape);
}

static struct value *
fused_rms_norm(struct step *step, struct value *x, int axes, struct value *weight)
{
    static const struct derivative fused = {"fused_rms_norm", fused_rms_norm_backward};
    struct value *result = value_copy(step, x);
    int64_t rows = shape_product(&x->shape, 0, x->shape.rank - axes);
    struct value *rstd = value_vector(step, reduction_sum_type(x->shape.dtype), rows);
    struct node *node = step_record(step, &fused, result, 2, (struct value *[]){x, weight});

    step_save(step, node, x);
    step_save(step, node, weight);
    step_save(step, node, rstd);
    value_drop(step, rstd);
    return result;
}

/* The names of the function: the float32 input goes when it is multiplied, the deviation at the end. */
struct value *
aten_rms_norm(struct step *step, struct value *x, int axes, struct value *weight)
{
    struct value *wide, *inverse, *normal, *result;

    if (!step->device->host)
        return fused_rms_norm(step, x, axes, weight);
    wide = value_is_half(x) ? aten_cast(step, x, MEMMODEL_DTYPE_FLOAT32) : value_keep(x);
    inverse = inverse_deviation(step, wide, axes);
    normal = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, wide, inverse);
    if (weight) {
        struct value *plain = normal;

        normal = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, plain, weight);
        value_drop(step, plain);
    }
    value_drop(step, wide);
    result = aten_cast(step, normal, x->shape.dtype);
    value_drop(step, normal);
    value_drop(step, inverse);
    return result;
}

static void
rms_norm_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_rms_norm *options = layer->options;
    struct value *x = step_input(step, layer, 0), *weight = step_parameter(step, layer, "weight");

    step_output(step, layer, 0, aten_rms_norm(step, x, (int)options->axis_count, weight));
}

const struct rule pytorch_rms_norm = {OP_RMS_NORM, rms_norm_forward};

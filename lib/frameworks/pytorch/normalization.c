/*
 * Batch, layer and group norm.
 * PyTorch: aten/src/ATen/native/Normalization.cpp, layer_norm.cpp, group_norm.cpp, cpu/batch_norm_kernel.cpp.
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/pytorch/operators.h"

/* Statistics in the parameters' type when that differs from the input's, or in the type of sums. */
static int
statistics_type(const struct step *step, const struct value *x, const struct value *parameter)
{
    if (step->device->wide_statistics && x->shape.dtype != MEMMODEL_DTYPE_FLOAT64)
        return MEMMODEL_DTYPE_FLOAT32;
    return parameter ? parameter->shape.dtype : x->shape.dtype;
}

/* Two vectors of the channels, freed on return. */
static void
two_vectors(struct step *step, int dtype, int64_t channels, int64_t partial_rows)
{
    struct value *first = value_vector(step, dtype, channels), *second = value_vector(step, dtype, channels);
    struct shape rows = {.dims = {partial_rows, channels}, .rank = 2, .dtype = dtype};

    if (partial_rows > 0)
        value_scratch(step, &rows);
    value_drop(step, second);
    value_drop(step, first);
}

/* alpha and beta, the factor and the summand of each channel: float32 where statistics are a half type. */
static void
factors(struct step *step, int dtype, int64_t channels)
{
    bool half = dtype == MEMMODEL_DTYPE_BFLOAT16 || dtype == MEMMODEL_DTYPE_FLOAT16;

    two_vectors(step, half ? MEMMODEL_DTYPE_FLOAT32 : dtype, channels, 0);
}

/* ---- batch norm ---- */

/* [N, C], also with axes of size 1 after them, is row-major and channels-last: kernels take it as the latter. */
static bool
is_one_point(const struct value *x)
{
    return shape_product(&x->shape, 2, x->shape.rank) == 1;
}

enum { SAVED_INPUT, SAVED_MEAN, SAVED_VARIANCE, SAVED_WEIGHT };

/*
 * With channels last the sums of each thread stand beside each other; what is not wanted as a result is summed aside.
 * For half types there are three vectors whatever is wanted.
 */
static void
channels_last_sums(struct step *step, const struct node *node, int dtype, int64_t channels)
{
    enum { MAX = 3 };
    bool affine = node->saved[SAVED_WEIGHT] != NULL, training = node->number != 0;
    int count = value_is_half(node->saved[SAVED_INPUT]) ? MAX : !affine + !training;
    struct shape rows = {.dims = {2 * step->job->intra_op_threads, channels}, .rank = 2, .dtype = dtype};
    struct value *vectors[MAX];

    for (int i = 0; i < count; i++)
        vectors[i] = value_vector(step, dtype, channels);
    value_scratch(step, &rows);
    for (int i = count - 1; i >= 0; i--)
        value_drop(step, vectors[i]);
}

/* Parameters or running statistics, whichever there are, say the type of the statistics. */
static const struct value *
typed_parameter(const struct value *weight, const struct value *running_mean)
{
    return weight ? weight : running_mean;
}

/*
 * In neither memory order, where mean() has the means and nothing is taken aside.
 * batch_norm_cpu_update_stats_template()
 */
static bool
is_scattered(const struct value *x)
{
    return x->shape.rank > 2 && !value_is_contiguous(x) && !value_is_channels_last(x);
}

/* empty_like(x, x.suggest_memory_format()) */
static struct value *
like_suggested(struct step *step, const struct value *x)
{
    struct value *result = value_like(step, x);

    if (result == &step->nothing || !is_scattered(x))
        return result;
    if (value_suggests_channels_last(x))
        shape_strides_channels_last(&x->shape, result->strides);
    else
        shape_strides(&x->shape, result->strides);
    return result;
}

/* The gradient is allocated by native_batch_norm_backward and again by the kernel of the memory format. */
static void
allocate_again(struct step *step, struct value **gradient, const struct value *x)
{
    struct value *first = *gradient;

    if (!first)
        return;
    *gradient = value_like(step, x);
    value_drop(step, first);
}

static void
batch_norm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[SAVED_INPUT], *gradient = incoming[0];
    int dtype = statistics_type(step, x, typed_parameter(node->saved[SAVED_WEIGHT], node->saved[SAVED_MEAN]));
    int64_t channels = x->shape.dims[1];
    bool both_last = value_is_channels_last(x) && value_is_only_channels_last(gradient);

    if (node_wants(node, 0))
        gradients[0] = like_suggested(step, x);
    for (int i = 1; i < 3; i++)
        if (node_wants(node, i))
            gradients[i] = value_vector(step, dtype, channels);
    if (x->shape.rank == 2 || (is_one_point(x) && value_is_contiguous(gradient)) ||
        (both_last && !value_is_contiguous(x))) {
        allocate_again(step, &gradients[0], x);
        channels_last_sums(step, node, dtype, channels);
    } else if (value_is_contiguous(x) && value_is_contiguous(gradient)) {
        allocate_again(step, &gradients[0], x);
    } else {
        value_drop(step, value_vector(step, dtype, channels));
    }
}

static void
batch_statistics(struct step *step, struct node *node, const struct value *x, int dtype)
{
    int64_t channels = x->shape.dims[1], threads = step->job->intra_op_threads;
    bool last = value_is_only_channels_last(x) || is_one_point(x), scattered = is_scattered(x);
    bool partial = last && (value_is_half(x) || value_elements(x) / max_i64(channels, 1) > threads);
    struct value *mean = value_vector(step, dtype, channels), *inverse_std;

    if (scattered)
        number_in_place(step, dtype);
    inverse_std = value_vector(step, dtype, channels);
    if (!scattered) {
        two_vectors(step, dtype, channels, partial ? threads : 0);
        factors(step, dtype, channels);
    }
    step_save(step, node, mean);
    step_save(step, node, inverse_std);
    value_drop(step, mean);
    value_drop(step, inverse_std);
}

struct value *
cpu_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics)
{
    static const struct derivative native_batch_norm = {"native_batch_norm", batch_norm_backward};
    int dtype = statistics_type(step, x, typed_parameter(statistics->weight, statistics->running_mean));
    struct value *result = like_suggested(step, x);
    struct value *inputs[] = {x, statistics->weight, statistics->bias};
    struct node *node = step_record(step, &native_batch_norm, result, 3, inputs);

    step_save(step, node, x);
    step_save(step, node, statistics->running_mean);
    step_save(step, node, statistics->running_var);
    step_save(step, node, statistics->weight);
    if (node)
        node->number = statistics->training;
    if (statistics->training)
        batch_statistics(step, node, x, dtype);
    else
        factors(step, dtype, x->shape.dims[1]);
    return result;
}

struct value *
aten_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics)
{
    return step->device->batch_norm(step, x, statistics);
}

struct batch_statistics
batch_statistics_of(struct step *step, const struct layer *layer)
{
    struct batch_statistics statistics = {
        .weight = step_parameter(step, layer, "weight"),
        .bias = step_parameter(step, layer, "bias"),
        .running_mean = step_parameter(step, layer, "running_mean"),
        .running_var = step_parameter(step, layer, "running_var"),
    };

    statistics.training = step->training || !statistics.running_mean;
    return statistics;
}

static void
batch_norm_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_batch_norm *options = layer->options;
    struct batch_statistics statistics = batch_statistics_of(step, layer);
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout), *result;

    if (step->training && statistics.running_mean)
        value_drop(step, value_on_host(step, MEMMODEL_DTYPE_INT64)); /* num_batches_tracked.add_(1) */
    result = aten_batch_norm(step, x, &statistics);
    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_batch_norm = {OP_BATCH_NORM, batch_norm_forward};

/* ---- layer norm: saved are input, weight, bias, mean, rstd ---- */

/*
 * On a GPU, of more than 65,536 rows that are not wide: sums of 32 rows each, a million at most, which are then added up
 * into new gradients. cuda/layer_norm_kernel.cu, LaunchGammaBetaBackwardCUDAKernel.
 */
static void
sums_of_blocks(struct step *step, struct value **gradients, int64_t rows, int64_t width)
{
    enum { MANY_ROWS = 64 * 1024, BLOCK_ROWS = 32, MAX_ELEMENTS = 1024 * 1024, WARP = 32 };
    struct shape blocks = {.dims = {ceil_divide(rows, BLOCK_ROWS), width}, .rank = 2};
    struct value *partial[3] = {NULL};

    if (rows <= MANY_ROWS || width / WARP >= step->cuda.gpu->processors / 2)
        return;
    for (int i = 1; i < 3; i++) {
        if (!gradients[i])
            continue;
        blocks.dtype = gradients[i]->shape.dtype;
        blocks.dims[0] = min_i64(blocks.dims[0], MAX_ELEMENTS / max_i64(width, 1));
        partial[i] = value_empty(step, &blocks);
    }
    for (int i = 1; i < 3; i++) {
        struct value *sum;

        if (!gradients[i])
            continue;
        sum = value_empty(step, &gradients[i]->shape);
        sum_scratch(step, partial[i], 1, sum);
        value_drop(step, gradients[i]);
        gradients[i] = sum;
    }
    value_drop_all(step, partial, 3);
}

static void
layer_norm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    struct value *copy = value_is_contiguous(x) ? NULL : value_copy(step, x), *of_gradient = NULL;
    struct shape rows = shape_vector(x->shape.dtype, 2 * step->job->intra_op_threads);

    if (node_wants(node, 0))
        gradients[0] = value_copy(step, x);
    for (int i = 1; i < 3; i++)
        if (node_wants(node, i))
            gradients[i] = value_empty(step, &node->edges[i].shape);
    if (!value_is_contiguous(incoming[0]))
        of_gradient = value_copy(step, incoming[0]);
    rows.rank = 2;
    rows.dims[1] = shape_product(&x->shape, x->shape.rank - (int)node->number, x->shape.rank);
    if (step->device->partial_sums && (node_wants(node, 1) || node_wants(node, 2)))
        value_scratch(step, &rows);
    if (!step->device->host)
        sums_of_blocks(step, gradients, value_elements(x) / max_i64(rows.dims[1], 1), rows.dims[1]);
    value_drop(step, of_gradient);
    value_drop(step, copy);
}

struct value *
aten_layer_norm(struct step *step, struct value *x, int axes, struct value *weight, struct value *bias)
{
    static const struct derivative native_layer_norm = {"native_layer_norm", layer_norm_backward};
    struct value *copy = value_is_contiguous(x) ? NULL : value_copy(step, x), *result = value_copy(step, x);
    int64_t rows = shape_product(&x->shape, 0, x->shape.rank - axes);
    struct value *mean = value_vector(step, statistics_type(step, x, weight), rows);
    struct value *rstd = value_vector(step, statistics_type(step, x, weight), rows);
    struct node *node = step_record(step, &native_layer_norm, result, 3, (struct value *[]){x, weight, bias});
    struct value *saved[] = {x, weight, bias, mean, rstd};

    for (int i = 0; i < 5; i++)
        step_save(step, node, saved[i]);
    if (node)
        node->number = axes;
    value_drop(step, mean);
    value_drop(step, rstd);
    value_drop(step, copy);
    return result;
}

static void
layer_norm_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_layer_norm *options = layer->options;
    struct value *weight = step_parameter(step, layer, "weight"), *bias = step_parameter(step, layer, "bias");

    step_output(step, layer, 0,
                aten_layer_norm(step, step_input(step, layer, 0), (int)options->axis_count, weight, bias));
}

const struct rule pytorch_layer_norm = {OP_LAYER_NORM, layer_norm_forward};

/* ---- group norm: saved are input, weight, mean, rstd ---- */

static bool
needs_layout_copy(const struct value *gradient, const struct value *x)
{
    return value_is_only_channels_last(x) ? !value_is_channels_last(gradient) : !value_is_contiguous(gradient);
}

/* On a GPU: cuda/group_norm_kernel.cu, GroupNormBackwardKernelImplInternal, c2, c3 and c1. */
static void
factors_of_gradient(struct step *step, const struct node *node, const struct shape *sums)
{
    const struct value *weight = node->saved[1], *mean = node->saved[2];
    struct value *second = value_like(step, mean), *third = value_like(step, mean);

    if (weight)
        value_scratch(step, sums);
    value_drop(step, third);
    value_drop(step, second);
}

static void
group_norm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0];
    int64_t batch = x->shape.dims[0], channels = x->shape.dims[1];
    struct value *copy = needs_layout_copy(incoming[0], x) ? value_like(step, x) : NULL, *ds, *db;
    struct shape sums = {.dims = {batch, channels}, .rank = 2, .dtype = x->shape.dtype};

    if (node_wants(node, 0))
        gradients[0] = value_like(step, x);
    for (int i = 1; i < 3; i++)
        if (node_wants(node, i))
            gradients[i] = value_vector(step, node->edges[i].shape.dtype, channels);
    if (sums.dtype != MEMMODEL_DTYPE_FLOAT64)
        sums.dtype = MEMMODEL_DTYPE_FLOAT32;
    ds = value_empty(step, &sums);
    db = value_empty(step, &sums);
    if (gradients[0] && !step->device->host)
        factors_of_gradient(step, node, &sums);
    value_drop(step, db);
    value_drop(step, ds);
    value_drop(step, copy);
}

/*
 * What each channel is multiplied with and what is added, on a GPU: cuda/group_norm_kernel.cu, GroupNormKernelImplInternal.
 * Not where there is but one point a channel, or nothing to multiply with.
 */
static void
affine_scratch(struct step *step, const struct value *x, bool affine)
{
    int64_t pairs = x->shape.dims[0] * x->shape.dims[1];
    struct value *scale, *shift;

    if (!affine || value_elements(x) == pairs)
        return;
    scale = value_vector(step, statistics_type(step, x, NULL), pairs);
    shift = value_vector(step, statistics_type(step, x, NULL), pairs);
    value_drop(step, scale);
    value_drop(step, shift);
}

/* Channels-last is read as it is, any other order laid out first. */
struct value *
aten_group_norm(struct step *step, struct value *given, int64_t groups, struct value *weight, struct value *bias)
{
    static const struct derivative native_group_norm = {"native_group_norm", group_norm_backward};
    struct value *x = value_is_channels_last(given) ? value_keep(given) : aten_contiguous(step, given);
    struct shape rows = {.dims = {x->shape.dims[0], groups}, .rank = 2, .dtype = statistics_type(step, x, weight)};
    struct shape pairs = {.dims = {x->shape.dims[0], x->shape.dims[1], 2}, .rank = 3, .dtype = rows.dtype};
    struct value *result = value_like(step, x), *mean = value_empty(step, &rows), *rstd = value_empty(step, &rows);
    struct node *node = step_record(step, &native_group_norm, result, 3, (struct value *[]){x, weight, bias});

    if (!step->device->host)
        affine_scratch(step, x, weight || bias);
    else if (value_is_only_channels_last(x))
        value_scratch(step, &pairs);
    step_save(step, node, x);
    step_save(step, node, weight);
    step_save(step, node, mean);
    step_save(step, node, rstd);
    value_drop(step, mean);
    value_drop(step, rstd);
    value_drop(step, x);
    return result;
}

static void
group_norm_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_group_norm *options = layer->options;
    struct value *weight = step_parameter(step, layer, "weight"), *bias = step_parameter(step, layer, "bias");
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout);
    struct value *result = aten_group_norm(step, x, options->groups, weight, bias);

    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_group_norm = {OP_GROUP_NORM, group_norm_forward};

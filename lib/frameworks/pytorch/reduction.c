/* Reductions. PyTorch: aten/src/ATen/native/ReduceOps.cpp, torch/csrc/autograd/FunctionsManual.cpp. */
#include "frameworks/pytorch/operators.h"

struct shape
reduced_shape(const struct value *x, uint64_t axes, bool keep)
{
    struct shape shape = {.dtype = x->shape.dtype};

    for (int i = 0; i < x->shape.rank; i++) {
        if (!(axes >> i & 1))
            shape.dims[shape.rank++] = x->shape.dims[i];
        else if (keep)
            shape.dims[shape.rank++] = 1;
    }
    return shape;
}

/* What backward must know: the axes, and in the highest bit whether they were kept. */
enum { KEEP_BIT = 62 };

static void
remember(struct node *node, uint64_t axes, bool keep)
{
    if (node)
        node->number = (int64_t)((axes & ((UINT64_C(1) << MEMMODEL_MAX_RANK) - 1)) | (uint64_t)keep << KEEP_BIT);
}

/* The gradient of the result, seen in the shape of the input. */
static struct value *
expanded(struct step *step, const struct node *node, const struct value *gradient)
{
    const struct shape *shape = &node->edges[0].shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct shape seen = shape_typed(shape, gradient->shape.dtype);
    bool keep = node->number >> KEEP_BIT & 1;
    int from = 0;

    for (int i = 0; i < shape->rank; i++) {
        bool gone = node->number >> i & 1;

        strides[i] = gone ? 0 : gradient->strides[from];
        from += !gone || keep;
    }
    return value_view(step, gradient, &seen, strides);
}

/* ---- sums of half types ---- */

struct axis {
    int64_t size, stride;
    bool reduced;
};

/* TensorIterator.cpp, reorder_dimensions: reduced axes first, then by stride. */
static bool
comes_before(const struct axis *a, const struct axis *b)
{
    return a->reduced != b->reduced ? a->reduced : a->stride < b->stride;
}

/* Axes of more than one element as TensorIterator orders them; those that lie one after the other are one. */
static int
iterated_axes(const struct value *x, uint64_t axes, struct axis list[MEMMODEL_MAX_RANK])
{
    int count = 0, merged = 0;

    for (int i = x->shape.rank - 1; i >= 0; i--) {
        struct axis axis = {x->shape.dims[i], x->strides[i], axes >> i & 1};
        int at = count;

        if (axis.size == 1)
            continue;
        for (; at > 0 && comes_before(&axis, &list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = axis;
        count++;
    }
    for (int i = 1; i < count; i++) {
        struct axis *last = &list[merged];

        if (last->reduced == list[i].reduced && multiply_saturating(last->size, last->stride) == list[i].stride)
            last->size = multiply_saturating(last->size, list[i].size);
        else
            list[++merged] = list[i];
    }
    return count > 0 ? merged + 1 : 0;
}

/* ReduceOps.cpp, should_use_acc_buffer, for CPUs: two axes or more go, and no other lies within them. */
bool
is_summed_aside(const struct value *x, uint64_t axes)
{
    struct axis list[MEMMODEL_MAX_RANK];

    return value_is_half(x) && iterated_axes(x, axes, list) > 1 && list[0].reduced && list[1].reduced;
}

int
reduction_sum_type(int dtype)
{
    bool half = dtype == MEMMODEL_DTYPE_BFLOAT16 || dtype == MEMMODEL_DTYPE_FLOAT16;

    return half ? MEMMODEL_DTYPE_FLOAT32 : dtype;
}

void
step_parallel_sum(struct step *step, const struct value *x, const struct value *result)
{
    enum { GRAIN = 32768 }; /* at::internal::GRAIN_SIZE */
    struct shape partial = shape_vector(result->shape.dtype, step->job->intra_op_threads);

    if (step->device->reduce && value_elements(result) == 1)
        step->device->reduce(step, x, ALL_AXES, reduction_sum_type(result->shape.dtype));
    if (!step->device->partial_sums || step->job->intra_op_threads == 1)
        return;
    if (value_elements(result) == 1 && value_elements(x) >= GRAIN)
        value_scratch(step, &partial);
}

void
sum_scratch(struct step *step, const struct value *x, uint64_t axes, const struct value *result)
{
    struct value *sums, *wide;

    if (step->device->reduce) {
        step->device->reduce(step, x, axes, reduction_sum_type(result->shape.dtype));
        return;
    }
    if (result->shape.dtype != x->shape.dtype || !is_summed_aside(x, axes)) {
        step_parallel_sum(step, x, result);
        return;
    }
    sums = value_like_typed(step, result, MEMMODEL_DTYPE_FLOAT32);
    wide = value_like_typed(step, x, MEMMODEL_DTYPE_FLOAT32);
    step_parallel_sum(step, wide, sums);
    value_drop(step, wide);
    value_drop(step, sums);
}

/* ---- sum: integers are summed as int64 ---- */

static void
sum_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = expanded(step, node, incoming[0]);
}

struct value *
aten_sum_typed(struct step *step, struct value *x, uint64_t axes, bool keep, int dtype)
{
    static const struct derivative sum = {"sum", sum_backward};
    struct shape reduced = reduced_shape(x, axes, keep), shape = shape_typed(&reduced, dtype);
    struct value *result = value_empty(step, &shape), *cast = NULL;

    if (x->shape.dtype != dtype && step->device->copying_casts)
        cast = value_like_typed(step, x, dtype);
    sum_scratch(step, x, axes, result);
    value_drop(step, cast);
    remember(step_record(step, &sum, result, 1, &x), axes, keep);
    return result;
}

struct value *
aten_sum(struct step *step, struct value *x, uint64_t axes, bool keep)
{
    return aten_sum_typed(step, x, axes, keep, value_is_float(x) ? x->shape.dtype : MEMMODEL_DTYPE_INT64);
}

/* ---- mean ---- */

/* The number of elements, a whole number, as a tensor: to be cast also for float64. */
static struct value *
count_new(struct step *step)
{
    return value_on_host(step, MEMMODEL_DTYPE_INT64);
}

static void
divide_by_count(struct step *step, int dtype)
{
    struct value *count = count_new(step), *typed = value_on_host(step, dtype);

    value_drop(step, typed);
    value_drop(step, count);
}

/* On a CPU a sum that is divided, of half types in float32; else a kernel of its own: ReduceOps.cpp, mean_out. */
static struct value *
mean_typed(struct step *step, const struct value *x, uint64_t axes, bool keep, int dtype)
{
    struct shape reduced = reduced_shape(x, axes, keep), shape = shape_typed(&reduced, dtype);
    struct value *result = value_empty(step, &shape), *wide, *cast = NULL;
    bool half = value_is_half(result) && step->device->host;
    int sum_type = half ? MEMMODEL_DTYPE_FLOAT32 : dtype;
    struct shape sums = shape_typed(&shape, sum_type);

    wide = half ? value_empty(step, &sums) : value_keep(result);
    if (x->shape.dtype != sum_type && step->device->copying_casts)
        cast = value_like_typed(step, x, sum_type);
    if (step->device->reduce)
        step->device->reduce(step, x, axes, reduction_sum_type(dtype));
    else if (!half)
        step_parallel_sum(step, x, result);
    value_drop(step, cast);
    divide_by_count(step, sum_type);
    value_drop(step, wide);
    return result;
}

struct value *
mean_result(struct step *step, const struct value *x, uint64_t axes, bool keep)
{
    return mean_typed(step, x, axes, keep, x->shape.dtype);
}

/* grad.expand(sizes) / count */
static void
mean_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *seen = expanded(step, node, incoming[0]), *count = count_new(step);

    gradients[0] = binary_result(step, seen, count, 0);
    value_drop(step, count);
    value_drop(step, seen);
}

struct value *
aten_mean_typed(struct step *step, struct value *x, uint64_t axes, bool keep, int dtype)
{
    static const struct derivative mean = {"mean", mean_backward};
    struct value *result = mean_typed(step, x, axes, keep, dtype);

    remember(step_record(step, &mean, result, 1, &x), axes, keep);
    return result;
}

struct value *
aten_mean(struct step *step, struct value *x, uint64_t axes, bool keep)
{
    return aten_mean_typed(step, x, axes, keep, x->shape.dtype);
}

/* ---- amax, amin: the gradient is shared among equal extremes ---- */

/* mask = (x == result); count = mask.sum(); (grad / count) * mask */
static void
extreme_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *x = node->saved[0], *result = node->saved[1];
    struct value *mask = value_like_typed(step, x, MEMMODEL_DTYPE_BOOL);
    struct shape count_shape = shape_typed(&result->shape, MEMMODEL_DTYPE_INT64);
    struct shape share_shape = result->shape;
    struct value *count = value_empty(step, &count_shape), *wide = value_like_typed(step, x, MEMMODEL_DTYPE_INT64);
    struct value *first, *share, *mask_number;

    (void)incoming;
    step_parallel_sum(step, x, count);
    value_drop(step, wide);
    first = value_empty(step, &share_shape);
    share = value_empty(step, &share_shape);
    value_drop(step, first);
    mask_number = value_like(step, x);
    gradients[0] = value_like(step, x);
    value_drop(step, mask_number);
    value_drop(step, share);
    value_drop(step, count);
    value_drop(step, mask);
}

struct value *
aten_extreme(struct step *step, struct value *x, uint64_t axes, bool keep)
{
    static const struct derivative amax = {"amax", extreme_backward};
    struct shape shape = reduced_shape(x, axes, keep);
    struct value *result = value_empty(step, &shape);
    struct node *node;

    if (step->device->reduce)
        step->device->reduce(step, x, axes, x->shape.dtype);
    else
        step_parallel_sum(step, x, result);
    node = step_record(step, &amax, result, 1, &x);
    step_save(step, node, x);
    step_save(step, node, result);
    return result;
}

/* ---- rule ---- */

static uint64_t
axes_of(const struct memmodel_reduce *options, int rank)
{
    uint64_t axes = 0;

    if (options->axis_count == 0)
        return ALL_AXES;
    for (int i = 0; i < options->axis_count; i++)
        axes |= UINT64_C(1) << (options->axes[i] < 0 ? options->axes[i] + rank : options->axes[i]);
    return axes;
}

static void
reduce_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_reduce *options = layer->options;
    struct value *x = step_input(step, layer, 0);
    uint64_t axes = axes_of(options, x->shape.rank);

    switch (options->kind) {
    case MEMMODEL_REDUCE_SUM:
        step_output(step, layer, 0, aten_sum(step, x, axes, options->keep_dims));
        break;
    case MEMMODEL_REDUCE_MEAN:
        step_output(step, layer, 0, aten_mean(step, x, axes, options->keep_dims));
        break;
    case MEMMODEL_REDUCE_PRODUCT:
        estimate_forward(step, layer);
        break;
    default:
        step_output(step, layer, 0, aten_extreme(step, x, axes, options->keep_dims));
    }
}

const struct rule pytorch_reduce = {OP_REDUCE, reduce_forward};

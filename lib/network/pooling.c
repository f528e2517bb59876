/* Pooling. Sizes: PyTorch, aten/src/ATen/native/Pool.h, pooling_output_shape. */
#include "network/builder.h"

static const char *const pool_names[] = {"max", "average", NULL};

static const struct field pool_fields[] = {
    FIELD_ARRAY(memmodel_pool, kernel, 3),
    FIELD_ARRAY(memmodel_pool, stride, 3),
    FIELD_ARRAY(memmodel_pool, dilation, 3),
    FIELD_ARRAY(memmodel_pool, padding, 3),
    FIELD_CHOICE(memmodel_pool, auto_pad, padding_names),
    FIELD(memmodel_pool, layout, FIELD_LAYOUT),
    FIELD_CHOICE(memmodel_pool, kind, pool_names),
    FIELD(memmodel_pool, ceil_mode, FIELD_FLAG),
    FIELDS_END,
};

static const struct field adaptive_fields[] = {
    FIELD_ARRAY(memmodel_adaptive_pool, output_size, 3),
    FIELD(memmodel_adaptive_pool, layout, FIELD_LAYOUT),
    FIELD_CHOICE(memmodel_adaptive_pool, kind, pool_names),
    FIELDS_END,
};

static const struct field global_fields[] = {
    FIELD(memmodel_global_pool, layout, FIELD_LAYOUT),
    FIELD_CHOICE(memmodel_global_pool, kind, pool_names),
    FIELD(memmodel_global_pool, keep_dims, FIELD_FLAG),
    FIELD(memmodel_global_pool, reserved, FIELD_RESERVED),
    FIELDS_END,
};

/* ---- over windows ---- */

enum { MAX = 1 << 30 }; /* of a kernel, stride or dilation: sums of their products stay far within 63 bits */

static int
complete(struct draft *draft, struct memmodel_pool *pool)
{
    if (pool->kernel[0] == 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "kernel is 0");
    repeat_first(pool->kernel, 1);
    repeat_first(pool->dilation, 1);
    if (pool->stride[0] != 0)
        repeat_first(pool->stride, 1);
    for (int i = 0; i < 3; i++) {
        if (pool->stride[i] == 0)
            pool->stride[i] = pool->kernel[i];
        if (pool->kernel[i] > MAX || pool->stride[i] > MAX || pool->dilation[i] > MAX)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "kernel, stride or dilation is too large");
        if (pool->padding[i] > pool->kernel[i] / 2)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "pad %lld is more than half the kernel %lld",
                               (long long)pool->padding[i], (long long)pool->kernel[i]);
        if (pool->auto_pad != MEMMODEL_AUTO_PAD_EXPLICIT && pool->padding[i])
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "pad is given, but the padding is not explicit");
        if (pool->kind != MEMMODEL_POOL_MAX && pool->dilation[i] != 1)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "only a maximum can have a dilation");
    }
    return 0;
}

static int64_t
window_extent(const struct memmodel_pool *pool, int spatial)
{
    return pool->dilation[spatial] * (pool->kernel[spatial] - 1) + 1;
}

/* With ceil_mode the first window may end outside. */
static int64_t
min_input(const void *options, int spatial)
{
    const struct memmodel_pool *pool = options;
    int64_t over = pool->ceil_mode ? pool->stride[spatial] - 1 : 0;

    if (pool->auto_pad == MEMMODEL_AUTO_PAD_SAME ||
        window_extent(pool, spatial) - 2 * pool->padding[spatial] - over < 1)
        return 1;
    return window_extent(pool, spatial) - 2 * pool->padding[spatial] - over;
}

/*
 * What is added to the input before it is divided by the stride. ceil_mode rounds up, but a window that would begin
 * in the padding behind the input is left out: of the two bounds on the last window the smaller one holds for every
 * input.
 */
static int64_t
offset(const struct memmodel_pool *pool, int i)
{
    int64_t down = 2 * pool->padding[i] - window_extent(pool, i), up = down + pool->stride[i] - 1,
            begins = pool->padding[i] - 1;

    if (!pool->ceil_mode)
        return down;
    return up < begins ? up : begins;
}

static memmodel_dim
pool_size(struct draft *draft, int axis, memmodel_dim size, int i)
{
    const struct memmodel_pool *pool = draft->options;

    if (pool->auto_pad == MEMMODEL_AUTO_PAD_SAME)
        return dim_ceil_divide(draft, size, pool->stride[i]);
    if (size >= 0 && size < min_input(pool, i)) {
        draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d: the kernel needs at least %lld elements, the input has %lld",
                    axis, (long long)min_input(pool, i), (long long)size);
        return 0;
    }
    return dim_window(draft, axis, size, offset(pool, i), pool->stride[i], 1);
}

static int
infer_pool(struct draft *draft)
{
    struct memmodel_pool *pool = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);

    if (draft_require_rank(draft, 0, 3, 5) || complete(draft, pool))
        return draft->status;
    for (int i = 0; i < shape.rank - 2; i++) {
        int axis = spatial_axis(pool->layout, i);

        shape.dims[axis] = pool_size(draft, axis, shape.dims[axis], i);
    }
    return draft_output(draft, &shape);
}

const struct op_description op_pool = {
    .name = "pool",
    OPTIONS(memmodel_pool, pool_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_pool,
    .min_input = min_input,
};

memmodel_tensor
memmodel_network_pool(memmodel_network *network, memmodel_tensor x, const struct memmodel_pool *options)
{
    return network_add(network, OP_POOL, &x, 1, options);
}

/* ---- to a given size ---- */

static int
infer_adaptive(struct draft *draft)
{
    struct memmodel_adaptive_pool *pool = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);

    if (draft_require_rank(draft, 0, 3, 5))
        return draft->status;
    repeat_first(pool->output_size, 1);
    for (int i = 0; i < shape.rank - 2; i++)
        shape.dims[spatial_axis(pool->layout, i)] = pool->output_size[i];
    return draft_output(draft, &shape);
}

const struct op_description op_adaptive_pool = {
    .name = "adaptive_pool",
    OPTIONS(memmodel_adaptive_pool, adaptive_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_adaptive,
};

memmodel_tensor
memmodel_network_adaptive_pool(memmodel_network *network, memmodel_tensor x,
                               const struct memmodel_adaptive_pool *options)
{
    return network_add(network, OP_ADAPTIVE_POOL, &x, 1, options);
}

/* ---- over everything ---- */

static int
infer_global(struct draft *draft)
{
    const struct memmodel_global_pool *pool = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);

    if (draft_require_rank(draft, 0, 3, 5))
        return draft->status;
    for (int i = 0; i < shape.rank - 2; i++)
        shape.dims[spatial_axis(pool->layout, i)] = 1;
    if (!pool->keep_dims) {
        shape.dims[1] = shape.dims[channel_axis(pool->layout, shape.rank)];
        shape.rank = 2;
    }
    return draft_output(draft, &shape);
}

const struct op_description op_global_pool = {
    .name = "global_pool",
    OPTIONS(memmodel_global_pool, global_fields),
    INPUTS(1, 1),
    .infer = infer_global,
};

memmodel_tensor
memmodel_network_global_pool(memmodel_network *network, memmodel_tensor x, const struct memmodel_global_pool *options)
{
    return network_add(network, OP_GLOBAL_POOL, &x, 1, options);
}

/*
 * Reductions on a GPU: where much goes into little, several blocks work on one output and meet in a buffer.
 * PyTorch: aten/src/ATen/native/cuda/Reduce.cuh, setReduceConfig, gpu_reduce_kernel.
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

enum { BLOCK_X, BLOCK_Y, BLOCKS, LEVELS };

enum {
    MAX_THREADS = 512,
    WARP = 32,
    VECTOR = 4,
    MIN_VECTORIZED = 128,
    MIN_VALUES = 16,
    MAX_VALUES = 256,
    THREADS_PER_PROCESSOR = 2048
};

struct dim {
    int64_t size, stride; /* of the input, in elements */
};

/* Dims of the input as TensorIterator orders and joins them: those that go first. */
struct reduction {
    struct dim dims[MEMMODEL_MAX_RANK + 1];
    int reduced, count;
    int64_t outputs, inputs; /* inputs of each output */
};

/* struct ReduceConfig */
struct config {
    int64_t width, height, step_input, step_output, vector;
    bool split[LEVELS]; /* the inputs of an output among threads of a row, rows, blocks */
    int64_t blocks;     /* for each output */
};

/* ---- dims ---- */

static void
join(struct reduction *r, int first, struct dim dim)
{
    struct dim *last = r->count > first ? &r->dims[r->count - 1] : NULL;

    if (dim.size == 1)
        return;
    if (last && multiply_saturating(last->size, last->stride) == dim.stride)
        last->size = multiply_saturating(last->size, dim.size);
    else
        r->dims[r->count++] = dim;
}

/* Of those that go, the index of the one with the least stride that is not taken yet. */
static int
nearest(const struct value *x, uint64_t axes)
{
    int found = -1;

    for (int i = x->shape.rank - 1; i >= 0; i--)
        if (axes >> i & 1 && (found < 0 || x->strides[i] < x->strides[found]))
            found = i;
    return found;
}

static struct reduction
reduction_of(const struct value *x, uint64_t axes)
{
    struct reduction r = {.outputs = 1, .inputs = 1};
    uint64_t left = axes;

    for (int i = nearest(x, left); i >= 0; i = nearest(x, left)) {
        left &= ~(UINT64_C(1) << i);
        join(&r, 0, (struct dim){x->shape.dims[i], x->strides[i]});
        r.inputs = multiply_saturating(r.inputs, x->shape.dims[i]);
    }
    r.reduced = r.count;
    for (int i = x->shape.rank - 1; i >= 0; i--) {
        if (axes >> i & 1)
            continue;
        join(&r, r.reduced, (struct dim){x->shape.dims[i], x->strides[i]});
        r.outputs = multiply_saturating(r.outputs, x->shape.dims[i]);
    }
    return r;
}

/* ---- the launch ---- */

int64_t
cuda_last_power(int64_t number)
{
    int64_t power = 1;

    while (power <= number / 2)
        power *= 2;
    return power;
}

/* get_output_vec_size */
static int64_t
output_vector(const struct reduction *r)
{
    int64_t vector = VECTOR;

    while (r->dims[r->reduced].size % vector != 0)
        vector /= 2;
    for (int i = 0; i < r->count; i++)
        while (i != r->reduced && r->dims[i].stride % vector != 0)
            vector /= 2;
    return vector;
}

/* The fastest dim of the input is one that goes. */
static bool
along_rows(const struct reduction *r)
{
    return r->reduced == r->count || (r->reduced > 0 && r->dims[0].stride < r->dims[r->reduced].stride);
}

static void
set_block(struct config *c, const struct reduction *r)
{
    bool rows = along_rows(r);
    int64_t x = rows ? r->inputs : r->outputs, y = rows ? r->outputs : r->inputs, most;
    int64_t stride = r->count == 0 ? 1 : r->dims[rows ? 0 : r->reduced].stride;

    if (stride == 1 && rows && x > MIN_VECTORIZED && r->count == 1)
        x /= VECTOR;
    if (stride == 1 && !rows)
        c->vector = output_vector(r);
    x /= c->vector;
    most = MAX_THREADS / c->vector;
    x = x < most ? cuda_last_power(x) : most;
    y = y < most ? cuda_last_power(y) : most;
    c->width = min_i64(x, WARP);
    c->height = min_i64(y, most / c->width);
    c->width = min_i64(x, most / c->height);
}

static int64_t
values_per_thread(const struct config *c, const struct reduction *r)
{
    return ceil_divide(r->inputs, c->step_input);
}

static void
divide(struct config *c, int level, bool input, int64_t parts)
{
    int64_t *step = input ? &c->step_input : &c->step_output;

    c->split[level] = input;
    *step = multiply_saturating(*step, parts);
}

static int64_t
grid_of(const struct config *c, const struct reduction *r)
{
    return ceil_divide(r->outputs / c->vector, c->step_output);
}

static void
divide_among_blocks(struct config *c, const struct reduction *r, int64_t processors)
{
    int64_t grid = grid_of(c, r), target = processors * (THREADS_PER_PROCESSOR / (c->width * c->height));
    int64_t values = values_per_thread(c, r);

    if (!c->split[BLOCK_Y] || values < MAX_VALUES || grid > target || grid == 0)
        return;
    c->blocks =
        max_i64(min_i64(ceil_divide(target, grid), ceil_divide(values, MIN_VALUES)), ceil_divide(values, MAX_VALUES));
    if (c->blocks > 1)
        divide(c, BLOCKS, true, c->blocks);
}

static struct config
config_of(const struct reduction *r, int64_t processors)
{
    struct config c = {.step_input = 1, .step_output = 1, .vector = 1, .blocks = 1};

    set_block(&c, r);
    divide(&c, BLOCK_X, along_rows(r), c.width);
    divide(&c, BLOCK_Y, values_per_thread(&c, r) >= min_i64(c.height * MIN_VALUES, MAX_VALUES), c.height);
    divide_among_blocks(&c, r, processors);
    return c;
}

void
cuda_reduce(struct step *step, const struct value *x, uint64_t axes, int dtype)
{
    struct reduction r = reduction_of(x, axes);
    struct config c;
    int64_t bytes;
    struct value *buffer;

    if (r.inputs <= 1 || r.outputs < 1 || step->status)
        return;
    c = config_of(&r, step->cuda.gpu->processors);
    if (!c.split[BLOCKS])
        return;
    bytes = multiply_saturating(multiply_saturating(r.outputs, c.blocks), dtype_bytes(dtype));
    if (!c.split[BLOCK_X])
        bytes = multiply_saturating(bytes, c.width * c.vector);
    buffer = value_buffer(step, bytes);
    value_drop(step, value_vector(step, MEMMODEL_DTYPE_INT32, grid_of(&c, &r)));
    value_drop(step, buffer);
}

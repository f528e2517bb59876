/*
 * Estimated efficiency of a block of the forward pass on channels-last data. Follows the heuristics of oneDNN 3.12
 * (Apache-2.0): src/cpu/x64/jit_brgemm_conv_utils.cpp, est_eff and est_eff_1x1 of brg_blocking_t. See nest.h for why
 * the order of its float operations matters.
 */
#include "frameworks/onednn/brgemm.h"

#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/nest.h"

enum {
    CALL_COST = 1000,      /* cycles */
    MAX_INPUT_VECTORS = 5, /* input channels of a block, in vectors of vectors */
    FEW_INPUT_VECTORS = 256,
    SMALL_PRODUCT = 1400,                 /* bytes a channel up to which AVX2 takes all channels at once */
    CACHE_AVX2 = 2 * 1024 * 1024 / 4 * 3, /* of the second cache, whatever its size */
};

/* A candidate, and the share of a thread in it. */
struct candidate {
    const struct brgemm_shape *shape;
    const struct brgemm_block *block;
    struct register_tile tile;
    int64_t row;           /* points along which blocks lie: the width, or all of a flat one */
    int64_t in, in_blocks; /* input channels of a block */
    int64_t channel_blocks, point_blocks;
    int64_t slices, rows;                          /* of the target; 1 if it is flat */
    int64_t jobs;                                  /* blocks of the busiest thread */
    int64_t thread_channel_blocks, thread_vectors; /* of one thread */
    int64_t thread_point_blocks, thread_points, thread_rows, thread_slices, thread_batch;
};

static int64_t
first_cache(const struct problem *problem)
{
    return problem->machine->l1 * 7 / 8;
}

int64_t
brgemm_cache(const struct problem *problem, int64_t simd)
{
    return simd == SIMD_AVX2 ? CACHE_AVX2 : problem->machine->l2 * 3 / 4;
}

/* Source points that `points` target points read along the width. */
static int64_t
read_width(const struct problem *problem, int64_t points, int64_t kernel)
{
    int64_t reach = (points - 1) * min_i64(kernel, problem->stride[WIDTH]);

    return min_i64(problem->source[WIDTH], reach + (kernel - 1) * (problem->dilation[WIDTH] + 1) + 1);
}

/* The same in elements of `channels` channels, in whole vectors. */
static int64_t
read_elements(const struct brgemm_shape *shape, int64_t points, int64_t kernel, int64_t channels)
{
    const struct problem *problem = &shape->problem;
    int64_t width = read_width(problem, points, kernel);

    if (problem->stride[WIDTH] == 1 && channels >= problem->in)
        return round_up(width * channels, shape->lanes);
    return width * round_up(channels, shape->lanes);
}

/* Rows of a tile before it is known. */
static int64_t
expected_rows(const struct brgemm_shape *shape, int64_t channels)
{
    static const int64_t avx2[] = {14, 6, 4, 3}, avx512[] = {28, 14, 9, 6};
    int64_t column = channels / shape->simd - 1;

    return shape->simd == SIMD_AVX2 ? avx2[column] : avx512[column];
}

/* Most input channels, in vectors, that keep a call in the caches. */
static int64_t
max_input_vectors(const struct brgemm_shape *shape, const struct brgemm_block *block, int64_t vectors)
{
    int64_t expected = min_i64(block->points, expected_rows(shape, block->channels));
    int64_t points = shape->flat ? expected : read_width(&shape->problem, expected, block->kernel[WIDTH]);
    int64_t element = element_bytes(&shape->problem), weights = product(block->kernel) * block->channels * element;
    int64_t source = block->kernel[DEPTH] * block->kernel[HEIGHT] * points * element;
    int64_t room = brgemm_cache(&shape->problem, shape->simd) - block->rows * block->channels * element;
    int64_t max = min_i64(MAX_INPUT_VECTORS * shape->lanes, vectors);

    if (shape->simd == SIMD_AVX2 && vectors <= FEW_INPUT_VECTORS && weights + source < SMALL_PRODUCT)
        return vectors;
    if (block->kernel[WIDTH] > 1)
        max = clamp(1, max, first_cache(&shape->problem) / (points * element * shape->lanes));
    return clamp(1, max, room / ((weights + source) * shape->lanes));
}

static int64_t
input_block(const struct brgemm_shape *shape, const struct brgemm_block *block)
{
    int64_t vectors = ceil_divide(shape->problem.in, shape->lanes);
    int64_t count = min_i64(max_input_vectors(shape, block, vectors), vectors);

    while (count > 1 && filled(vectors, count) < 0.5f)
        count--;
    return min_i64(shape->problem.in, count * shape->lanes);
}

static bool
choose_tile(struct candidate *c)
{
    const struct problem *problem = &c->shape->problem;
    bool skips = !c->shape->pointwise && c->shape->variant == BRGEMM_SKIPPED_PADDING;
    int64_t widest = max_i64(problem->padding[WIDTH], problem->end_padding[WIDTH]);
    struct product_shape product = {c->block->points, min_i64(c->block->channels, problem->out), c->in,
                                    skips ? max_i64(0, widest) : 0, element_bytes(problem)};
    struct register_tile tail;

    if (!register_tile_choose(&product, c->shape->simd, problem->machine->l1, &c->tile))
        return false;
    product.m = c->row % c->block->points;
    return product.padding == 0 || product.m == 0 ||
           register_tile_choose(&product, c->shape->simd, problem->machine->l1, &tail);
}

static void
split_among_threads(struct candidate *c)
{
    const struct problem *problem = &c->shape->problem;
    int64_t points = c->slices * c->rows * c->point_blocks, blocks = problem->groups * c->channel_blocks;
    int64_t inner = c->shape->channels_outer ? 1 : blocks;

    c->jobs = ceil_divide(problem->batch * blocks * points, problem->machine->threads);
    c->thread_channel_blocks = min_i64(c->channel_blocks, ceil_divide(c->jobs, c->shape->channels_outer ? points : 1));
    c->thread_vectors =
        ceil_divide(min_i64(problem->out, c->thread_channel_blocks * c->block->channels), c->shape->lanes);
    c->thread_point_blocks = min_i64(c->point_blocks, ceil_divide(c->jobs, inner));
    c->thread_points = min_i64(c->row, c->thread_point_blocks * c->block->points);
    inner *= c->point_blocks;
    c->thread_rows = min_i64(c->rows, ceil_divide(c->jobs, inner));
    c->thread_slices = min_i64(c->slices, ceil_divide(c->jobs, inner * c->rows));
    c->thread_batch = min_i64(problem->batch, ceil_divide(c->jobs, points * blocks));
}

static bool
candidate_init(struct candidate *c, const struct brgemm_shape *shape, const struct brgemm_block *block)
{
    const int64_t *target = shape->problem.target;

    *c = (struct candidate){.shape = shape, .block = block};
    c->row = shape->flat ? product(target) : target[WIDTH];
    c->slices = shape->flat ? 1 : target[DEPTH];
    c->rows = shape->flat ? 1 : target[HEIGHT];
    c->in = input_block(shape, block);
    c->in_blocks = ceil_divide(shape->problem.in, c->in);
    c->channel_blocks = ceil_divide(shape->problem.out, block->channels);
    c->point_blocks = ceil_divide(c->row, block->points);
    if (!choose_tile(c))
        return false;
    split_among_threads(c);
    return true;
}

/* ---- the nest of loops ---- */

/* Calls for all kernel points of a block. */
static int64_t
kernel_blocks(const struct candidate *c)
{
    int64_t blocks = 1;

    for (int axis = 0; axis < AXES; axis++)
        blocks *= ceil_divide(c->shape->problem.kernel[axis], c->block->kernel[axis]);
    return blocks;
}

/* From one register tile to one block of the target. */
static void
add_block_levels(const struct candidate *c, struct nest *nest)
{
    const struct brgemm_shape *shape = c->shape;
    const struct brgemm_block *block = c->block;
    const int64_t *kernel = shape->problem.kernel;
    int64_t width = block->kernel[WIDTH], weights = block->channels * c->in;
    int64_t rows = block->kernel[DEPTH] * block->kernel[HEIGHT];
    int64_t read = read_elements(shape, c->tile.rows, width, c->in), target = block->points * block->channels;

    nest_add(nest, read_width(&shape->problem, c->tile.rows, width) * shape->lanes, 0, block->channels);
    nest_overlap(nest, shape->simd);
    nest_add(nest, read, 0, weights);
    nest_overlap(nest, width);
    nest_add(nest, read, 0, width * weights);
    nest_add_weights(nest, rows * read, c->tile.rows * block->channels, rows * width * weights,
                     ceil_divide(block->points, c->tile.rows));
    nest_add_target(nest, rows * read_elements(shape, block->points, width, c->in), target, rows * width * weights,
                    kernel_blocks(c));
    nest_add_target(nest, kernel[DEPTH] * kernel[HEIGHT] * read_elements(shape, block->points, kernel[WIDTH], c->in),
                    target, product(kernel) * weights, c->in_blocks);
}

/* From one block to all that a thread works on. */
static void
add_thread_levels(const struct candidate *c, struct nest *nest)
{
    const struct brgemm_shape *shape = c->shape;
    const struct problem *problem = &shape->problem;
    bool outer = shape->channels_outer;
    int64_t channels = c->block->channels, width = problem->kernel[WIDTH], rows = c->thread_rows;
    int64_t slices = problem->kernel[DEPTH] * problem->kernel[HEIGHT], lanes = shape->lanes;
    int64_t block_weights = product(problem->kernel) * channels * problem->in;
    int64_t vectors = outer ? c->tile.columns : c->thread_vectors, points = c->thread_points;
    int64_t weights = product(problem->kernel) * vectors * problem->in * lanes;
    int64_t read = slices * read_elements(shape, c->block->points, width, problem->in), all = c->thread_slices * rows;

    if (!outer)
        nest_add_source(nest, read, c->block->points * channels, block_weights, c->thread_channel_blocks);
    nest_add_weights(nest, read, c->block->points * lanes * vectors, weights, c->thread_point_blocks);
    read = slices * read_elements(shape, points, width, problem->in);
    nest_add_weights(nest, read, points * lanes * vectors, weights, rows);
    nest_add_weights(nest, rows * read, rows * points * lanes * vectors, weights, c->thread_slices);
    if (outer)
        nest_add_source(nest, all * read, channels * all * points, block_weights, c->thread_channel_blocks);
    weights = product(problem->kernel) * c->thread_vectors * lanes * problem->in;
    nest_add_weights(nest, all * read, all * points * c->thread_vectors * lanes, weights, c->thread_batch);
    nest_add(nest, c->thread_batch * all * points * product(problem->kernel) * problem->in,
             c->thread_batch * all * points * c->thread_vectors * lanes, weights);
}

/* A kernel of one point, from a register tile to one block of the target. */
static void
add_pointwise_block_levels(const struct candidate *c, struct nest *nest)
{
    const struct brgemm_block *block = c->block;
    int64_t lanes = c->shape->lanes, weights = block->channels * c->in;

    nest_add(nest, c->tile.rows * lanes, 0, block->channels);
    nest_overlap(nest, c->shape->simd);
    nest_add_weights(nest, c->tile.rows * round_up(c->in, lanes), c->tile.rows * block->channels, weights,
                     ceil_divide(block->points, c->tile.rows));
    nest_add_target(nest, block->points * c->in, block->points * block->channels, weights, c->in_blocks);
}

/* The same from one block to all that a thread works on. */
static void
add_pointwise_thread_levels(const struct candidate *c, struct nest *nest)
{
    const struct brgemm_shape *shape = c->shape;
    int64_t lanes = shape->lanes, block_points = c->block->points, channels = c->block->channels;
    int64_t in = shape->problem.in, read = round_up(c->in, lanes), points = c->thread_points, rows = c->thread_rows;
    int64_t vectors = shape->channels_outer ? c->tile.columns : c->thread_vectors, weights = vectors * in * lanes;
    int64_t all = c->thread_slices * rows;

    if (!shape->channels_outer)
        nest_add_source(nest, block_points * round_up(in, lanes), block_points * channels, channels * in,
                        c->thread_channel_blocks);
    nest_add_weights(nest, block_points * c->in, block_points * lanes * vectors, weights, c->thread_point_blocks);
    if (!shape->flat) {
        nest_add_weights(nest, points * read, points * lanes * vectors, weights, rows);
        nest_add_weights(nest, rows * points * read, rows * points * lanes * vectors, weights, c->thread_slices);
    }
    if (shape->channels_outer)
        nest_add_source(nest, all * round_up(points * c->in, lanes), channels * all * points, channels * in,
                        c->thread_channel_blocks);
    weights = c->thread_vectors * in * lanes;
    nest_add_weights(nest, all * points * read, c->thread_vectors * lanes * all * points, weights, c->thread_batch);
    nest_add(nest, c->thread_batch * all * points * c->in, c->thread_batch * c->thread_vectors * all * points * lanes,
             weights);
}

static float
cache_efficiency(const struct candidate *c)
{
    const struct problem *problem = &c->shape->problem;
    int64_t element = element_bytes(problem);
    struct cache_costs costs = {1,
                                2.3f,
                                17,
                                (double)first_cache(problem),
                                (double)brgemm_cache(&c->shape->problem, c->shape->simd),
                                element,
                                element + (c->block->sums ? FLOAT_BYTES : 0)};
    int64_t work = problem->batch * c->slices * c->rows * c->row * problem->in * problem->out;
    struct nest nest = {.count = 0};
    float cost;

    (c->shape->pointwise ? add_pointwise_block_levels : add_block_levels)(c, &nest);
    (c->shape->pointwise ? add_pointwise_thread_levels : add_thread_levels)(c, &nest);
    cost = nest_cost(&nest, &costs, c->shape->lanes) + (float)(CALL_COST * c->jobs * c->in_blocks * kernel_blocks(c));
    return (float)work / ((float)problem->machine->threads * cost);
}

/* ---- how well threads are used ---- */

/*
 * Elements of the first `blocks` blocks of a grid of `outer` times x, walked in blocks of xb, times y in blocks of yb.
 */
static int64_t
covered(int64_t blocks, int64_t outer, int64_t x, int64_t xb, int64_t y, int64_t yb)
{
    int64_t across = ceil_divide(x, xb), down = ceil_divide(y, yb), lines = blocks / (outer * across);
    int64_t rest = blocks % (outer * across), first = lines % down * yb, last = min_i64(y, first + yb);

    return outer * (lines / down) * x * y + x * outer * first +
           (x * (rest / across) + rest % across * xb) * (last - first);
}

static float
thread_efficiency(const struct candidate *c)
{
    const struct problem *problem = &c->shape->problem;
    int64_t points = c->block->points, channels = c->block->channels, done;

    if (c->shape->channels_outer)
        done = covered(c->jobs, c->slices * c->rows, c->row, points, problem->out, channels);
    else
        done = covered(c->jobs, problem->groups, problem->out, channels, c->row, points);
    return (float)(problem->batch * product(problem->target) * problem->groups * problem->out) /
           (float)(done * problem->machine->threads);
}

static float
batch_efficiency(const struct candidate *c)
{
    float share = (float)((double)brgemm_cache(&c->shape->problem, c->shape->simd) /
                          (double)(BRGEMM_BATCH_ELEMENT * c->block->batch));

    return share < 1.0f ? share : 1.0f;
}

/* Whether a result of bfloat16 is added to by more than one call, or by one for its padding. */
static bool
sums_aside(const struct candidate *c)
{
    const struct problem *problem = &c->shape->problem;
    bool parts = c->in < problem->in;

    for (int axis = 0; axis < AXES && !c->shape->pointwise; axis++)
        parts =
            parts || c->block->kernel[axis] < problem->kernel[axis] || c->block->padded[axis] < problem->kernel[axis];
    if (!c->shape->pointwise && c->shape->variant == BRGEMM_PADDED)
        parts = parts || problem->padding[WIDTH] + problem->end_padding[WIDTH] != 0;
    return problem->half && parts;
}

bool
brgemm_estimate(const struct brgemm_shape *shape, struct brgemm_block *block, float *efficiency)
{
    int64_t registers = shape->simd == SIMD_AVX2 ? REGISTERS_AVX2 : REGISTERS_AVX512;
    struct candidate c;
    float channels, micro, points, tiles, length;

    if (!candidate_init(&c, shape, block))
        return false;
    block->rows = c.tile.rows;
    block->sums = sums_aside(&c);
    channels = filled(shape->problem.out, block->channels);
    micro = (float)(c.tile.columns * c.tile.rows) / (float)((c.tile.columns + c.tile.rows) * registers);
    points = filled(c.row, block->points);
    tiles = filled(block->points, c.tile.rows);
    length = tile_length_efficiency(c.tile.rows, block->points);
    *efficiency = channels * micro * points * thread_efficiency(&c) * tiles * cache_efficiency(&c) * length;
    if (!shape->pointwise)
        *efficiency *= batch_efficiency(&c);
    return true;
}

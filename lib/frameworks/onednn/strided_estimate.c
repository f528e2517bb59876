/*
 * Estimated efficiency of a block of the strided data pass: how well registers, tails and threads are used, times what
 * the caches cost. Follows the heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_brgemm_conv_bwd_utils.cpp,
 * est_eff of brg_blocking_t. It computes in single precision in oneDNN's order: candidates lie so close that another
 * rounding picks another block.
 */
#include "frameworks/onednn/strided.h"

#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/nest.h"

/* A candidate, and the share of a thread in it. */
struct candidate {
    const struct strided_shape *shape;
    const struct strided_block *block;
    int64_t rows;    /* of the register tile */
    int64_t vectors; /* of input channels */
    int64_t channel_blocks, row_blocks, slice_blocks, width_blocks;
    int64_t jobs;                                                     /* blocks of the busiest thread */
    int64_t thread_channel_blocks, thread_width_blocks, thread_width; /* of one thread */
    int64_t thread_row_blocks, thread_rows, thread_slice_blocks, thread_slices, thread_batch;
    int64_t thread_vectors;
};

/* Target points that `points` source points read along the width. */
static int64_t
read_width(const struct problem *problem, int64_t points, int64_t kernel)
{
    return min_i64(problem->target[WIDTH], (points - 1) * min_i64(kernel, problem->stride[WIDTH]) + kernel);
}

/* The same in elements of `out` output channels, in whole vectors. */
static int64_t
read_elements(const struct strided_shape *shape, int64_t points, int64_t out)
{
    const struct problem *problem = shape->problem;
    int64_t width = read_width(problem, points, problem->kernel[WIDTH]);

    if (problem->stride[WIDTH] == 1)
        return round_up(width * out, shape->lanes);
    return width * round_up(out, shape->lanes);
}

static void
split_among_threads(struct candidate *c)
{
    const struct problem *problem = c->shape->problem;
    int64_t points = c->slice_blocks * c->row_blocks * c->width_blocks;
    int64_t all = problem->batch * problem->groups * c->channel_blocks * points;
    int64_t inner = c->shape->channels_outer ? 1 : problem->groups * c->channel_blocks;

    c->jobs = ceil_divide(all, problem->machine->threads);
    c->thread_channel_blocks = min_i64(c->channel_blocks, ceil_divide(c->jobs, c->shape->channels_outer ? points : 1));
    c->thread_vectors =
        ceil_divide(min_i64(problem->in, c->thread_channel_blocks * c->block->channels), c->shape->lanes);
    c->thread_width_blocks = min_i64(c->width_blocks, ceil_divide(c->jobs, inner));
    c->thread_width = min_i64(c->shape->width, c->thread_width_blocks * c->block->source[WIDTH]);
    inner *= c->width_blocks;
    c->thread_row_blocks = min_i64(c->row_blocks, ceil_divide(c->jobs, inner));
    c->thread_rows = min_i64(problem->source[HEIGHT], c->thread_row_blocks * c->block->source[HEIGHT]);
    inner *= c->row_blocks;
    c->thread_slice_blocks = min_i64(c->slice_blocks, ceil_divide(c->jobs, inner));
    c->thread_slices = min_i64(problem->source[DEPTH], c->thread_slice_blocks * c->block->source[DEPTH]);
    c->thread_batch = min_i64(problem->batch, ceil_divide(c->jobs, points * problem->groups * c->channel_blocks));
}

static struct candidate
candidate_of(const struct strided_shape *shape, const struct strided_block *block)
{
    const struct problem *problem = shape->problem;
    struct candidate c = {.shape = shape, .block = block, .vectors = block->channels / shape->simd};
    int64_t strides = ceil_divide(block->source[WIDTH], problem->stride[WIDTH]);
    int64_t m = strides >= block->source[WIDTH] ? block->source[WIDTH] : strides % block->source[WIDTH];
    int64_t n = problem->in >= block->channels ? block->channels : problem->in % block->channels;
    struct register_tile tile;

    register_tile_choose(&(struct product_shape){m, n, strided_out_block(problem), 0, element_bytes(problem)},
                         shape->simd, problem->machine->l1, &tile);
    c.rows = tile.rows;
    c.channel_blocks = ceil_divide(problem->in, block->channels);
    c.slice_blocks = ceil_divide(problem->source[DEPTH], block->source[DEPTH]);
    c.row_blocks = ceil_divide(problem->source[HEIGHT], block->source[HEIGHT]);
    c.width_blocks = ceil_divide(problem->source[WIDTH], block->source[WIDTH]);
    split_among_threads(&c);
    return c;
}

/* From one register tile to one block of the source. */
static void
add_block_levels(const struct candidate *c, struct nest *nest)
{
    const struct problem *problem = c->shape->problem;
    const struct strided_block *block = c->block;
    const int64_t *kernel = problem->kernel;
    int64_t width = block->source[WIDTH], out = strided_out_block(problem);
    int64_t weights = block->channels * out;
    int64_t read = read_elements(c->shape, c->rows, out), rows = block->kernel[DEPTH] * block->kernel[HEIGHT];
    int64_t calls =
        ceil_divide(kernel[DEPTH], block->kernel[DEPTH]) * ceil_divide(kernel[HEIGHT], block->kernel[HEIGHT]);

    nest_add(nest, read_width(problem, c->rows, kernel[WIDTH]) * c->shape->lanes, 0, block->channels);
    nest_overlap(nest, c->shape->simd);
    nest_add(nest, read, 0, weights);
    nest_overlap(nest, kernel[WIDTH]);
    nest_add(nest, read, 0, kernel[WIDTH] * weights);
    nest_add_weights(nest, rows * read, c->rows * block->channels, rows * kernel[WIDTH] * weights,
                     ceil_divide(width, c->rows));
    nest_add_target(nest, rows * read_elements(c->shape, width, out), width * block->channels,
                    rows * kernel[WIDTH] * weights, calls);
    nest_add(nest, kernel[DEPTH] * kernel[HEIGHT] * read_elements(c->shape, width, out), width * block->channels,
             product(kernel) * weights);
}

/* From one block to all that a thread works on. */
static void
add_thread_levels(const struct candidate *c, struct nest *nest)
{
    const struct problem *problem = c->shape->problem;
    const struct strided_block *block = c->block;
    int64_t simd = c->shape->lanes, width = block->source[WIDTH], points = product(problem->kernel);
    int64_t slices = problem->kernel[DEPTH] * problem->kernel[HEIGHT];
    int64_t read = slices * read_elements(c->shape, width, problem->out);
    int64_t vectors = c->shape->channels_outer ? c->vectors : c->thread_vectors;
    int64_t weights = points * vectors * problem->out * simd, channels = simd * vectors;
    int64_t all_points = c->thread_slices * c->thread_rows * c->thread_width;

    if (!c->shape->channels_outer)
        nest_add_source(nest, read, width * block->channels, points * block->channels * problem->out,
                        c->thread_channel_blocks);
    nest_add_weights(nest, read, width * channels, weights, c->thread_width_blocks);
    read = slices * read_elements(c->shape, c->thread_width, problem->out);
    nest_add_weights(nest, block->source[HEIGHT] * read, c->thread_width * channels, weights, c->thread_row_blocks);
    nest_add_weights(nest, block->source[DEPTH] * c->thread_rows * read, c->thread_rows * c->thread_width * channels,
                     weights, c->thread_slice_blocks);
    read *= c->thread_slices * c->thread_rows;
    if (c->shape->channels_outer)
        nest_add_source(nest, read, block->channels * all_points, points * block->channels * problem->out,
                        c->thread_channel_blocks);
    weights = points * c->thread_vectors * simd * problem->out;
    nest_add_weights(nest, read, all_points * c->thread_vectors * simd, weights, c->thread_batch);
    nest_add(nest, c->thread_batch * all_points * points * problem->out,
             c->thread_batch * all_points * c->thread_vectors * simd, weights);
}

/* A kernel of one point, from a register tile to one block of the source. */
static void
add_pointwise_block_levels(const struct candidate *c, struct nest *nest)
{
    const struct problem *problem = c->shape->problem;
    const struct strided_block *block = c->block;
    int64_t width = block->source[WIDTH], out = strided_out_block(problem);
    int64_t weights = block->channels * out;

    nest_add(nest, c->rows * c->shape->lanes, 0, block->channels);
    nest_overlap(nest, c->shape->simd);
    nest_add_weights(nest, c->rows * round_up(out, c->shape->lanes), c->rows * block->channels, weights,
                     ceil_divide(width, c->rows));
    nest_add(nest, width * out, width * block->channels, weights);
}

/* The same from one block to all that a thread works on. */
static void
add_pointwise_thread_levels(const struct candidate *c, struct nest *nest)
{
    const struct problem *problem = c->shape->problem;
    const struct strided_block *block = c->block;
    bool outer = c->shape->channels_outer;
    int64_t simd = c->shape->lanes, width = block->source[WIDTH], block_out = strided_out_block(problem);
    int64_t out = round_up(block_out, simd);
    int64_t channels = simd * (outer ? c->vectors : c->thread_vectors);
    int64_t weights = simd * (outer ? c->vectors * problem->out : c->thread_vectors * problem->in);
    int64_t points = c->thread_slices * c->thread_rows * c->thread_width;

    if (!outer)
        nest_add_source(nest, width * round_up(problem->in, simd), width * block->channels,
                        block->channels * problem->in, c->thread_channel_blocks);
    nest_add_weights(nest, width * block_out, width * channels, weights, c->thread_width_blocks);
    nest_add_weights(nest, block->source[HEIGHT] * c->thread_width * out,
                     block->source[HEIGHT] * c->thread_width * channels, weights, c->thread_row_blocks);
    nest_add_weights(nest, block->source[DEPTH] * c->thread_rows * c->thread_width * out,
                     block->source[DEPTH] * c->thread_rows * c->thread_width * channels, weights,
                     c->thread_slice_blocks);
    if (outer)
        nest_add_source(nest, c->thread_slices * c->thread_rows * round_up(c->thread_width * block_out, simd),
                        block->channels * points, block->channels * problem->out, c->thread_channel_blocks);
    weights = c->thread_vectors * problem->out * simd;
    nest_add_weights(nest, points * out, c->thread_vectors * simd * points, weights, c->thread_batch);
    nest_add(nest, c->thread_batch * points * block_out, c->thread_batch * c->thread_vectors * points * simd, weights);
}

static float
cache_efficiency(const struct candidate *c)
{
    const struct problem *problem = c->shape->problem;
    int64_t work = problem->batch * problem->source[DEPTH] * problem->source[HEIGHT] * c->shape->width * problem->out *
                   problem->in;
    int64_t calls = c->jobs * ceil_divide(problem->kernel[DEPTH], c->block->kernel[DEPTH]) *
                    ceil_divide(problem->kernel[HEIGHT], c->block->kernel[HEIGHT]);
    int64_t result = strided_result_bytes(problem), sums = problem->half && !problem->wide ? FLOAT_BYTES : 0;
    struct cache_costs costs = {
        1, 3, 15, (double)problem->machine->l1, (double)problem->machine->l2, element_bytes(problem), result + sums};
    struct nest nest = {.count = 0};
    float cost;

    (c->shape->pointwise ? add_pointwise_block_levels : add_block_levels)(c, &nest);
    (c->shape->pointwise ? add_pointwise_thread_levels : add_thread_levels)(c, &nest);
    cost = nest_cost(&nest, &costs, c->shape->lanes) + (float)calls;
    return (float)work / ((float)problem->machine->threads * cost);
}

/* Indices of a loop over all blocks. The two orders differ in where groups and channels stand. */
enum index { IMAGE, SLICE, ROW, COLUMN, GROUP, CHANNELS, INDICES };

static const enum index points_outer[INDICES] = {IMAGE, SLICE, ROW, COLUMN, GROUP, CHANNELS};
static const enum index channels_outer[INDICES] = {IMAGE, GROUP, CHANNELS, SLICE, ROW, COLUMN};

static void
advance(int64_t at[INDICES], const int64_t limit[INDICES], const enum index order[INDICES])
{
    for (int i = INDICES - 1; i >= 0; i--) {
        if (++at[order[i]] < limit[order[i]])
            return;
        at[order[i]] = 0;
    }
}

/* Points times channels of `count` blocks from the `first`. oneDNN steps in both orders after each block. */
static int64_t
work_of_blocks(const struct candidate *c, int64_t first, int64_t count)
{
    const struct problem *problem = c->shape->problem;
    const enum index *order = c->shape->channels_outer ? channels_outer : points_outer;
    int64_t width = c->block->source[WIDTH], channels = c->block->channels, done = 0;
    const int64_t limit[INDICES] = {problem->batch,  problem->source[DEPTH], problem->source[HEIGHT],
                                    c->width_blocks, problem->groups,        c->channel_blocks};
    int64_t at[INDICES];

    for (int i = INDICES - 1; i >= 0; i--) {
        at[order[i]] = first % limit[order[i]];
        first /= limit[order[i]];
    }
    for (int64_t i = 0; i < count; i++) {
        done += min_i64(c->shape->width - at[COLUMN] * width, width) *
                min_i64(problem->in - at[CHANNELS] * channels, channels);
        advance(at, limit, points_outer);
        advance(at, limit, order);
    }
    return done;
}

/* Mean work of the threads against the most, when each has only a few blocks. */
static float
work_balance(const struct candidate *c, int64_t blocks)
{
    int64_t threads = c->shape->problem->machine->threads, sum = 0, max = 0, first = 0;

    for (int64_t thread = 0; thread < threads; thread++) {
        int64_t count = blocks / threads + (thread < blocks % threads), done = work_of_blocks(c, first, count);

        first += count;
        sum += done;
        max = max_i64(max, done);
    }
    return max == 0 ? 1.0f : (float)sum / (float)(max * threads);
}

static float
thread_efficiency(const struct candidate *c)
{
    const struct problem *problem = c->shape->problem;
    int64_t threads = problem->machine->threads;
    int64_t blocks =
        problem->batch * problem->groups * c->channel_blocks * c->slice_blocks * c->row_blocks * c->width_blocks;

    return c->jobs < threads ? work_balance(c, blocks) : (float)blocks / (float)round_up(blocks, threads);
}

float
strided_estimate(const struct strided_shape *shape, const struct strided_block *block)
{
    struct candidate c = candidate_of(shape, block);
    int64_t registers = shape->simd == SIMD_AVX2 ? REGISTERS_AVX2 : REGISTERS_AVX512;
    float micro = (float)(c.vectors * c.rows) / (float)((c.rows + c.vectors) * registers);

    return filled(shape->problem->in, block->channels) * micro * filled(shape->width, block->source[WIDTH]) *
           thread_efficiency(&c) * filled(block->source[WIDTH], c.rows) * cache_efficiency(&c) *
           tile_length_efficiency(c.rows, block->source[WIDTH]);
}

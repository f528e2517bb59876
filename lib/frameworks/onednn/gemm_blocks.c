/*
 * Follows the heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/gemm_convolution_utils.cpp, the search over
 * "nthr_oc" with its estimate of efficiency.
 */
#include "frameworks/onednn/gemm.h"

#include "frameworks/onednn/kernel.h"

#include <math.h>

enum {
    OUT_UNIT = 8,
    WIDE_POINTS = 48, /* points of a register tile of AVX-512, whatever the machine */
    POINT_VECTORS = 3,
    CACHE_MISS = 20,
};

/* Work of a thread when `out_threads` threads share the output channels, and blocks of it. */
struct trial {
    const struct gemm_shape *shape;
    int64_t out_threads;
    int64_t out, points; /* of the busiest thread */
    struct gemm_blocks block;
    int64_t cost; /* of an access, more if nothing fits the cache */
};

struct best {
    double efficiency;
    struct gemm_blocks block;
};

/* Input channels of which source, columns, weights and target stay in the second cache. */
static int64_t
cached_channels(const struct trial *trial)
{
    const struct gemm_shape *s = trial->shape;
    int64_t points = trial->block.points, out = trial->block.out, result = out * points;
    int64_t source = s->stride * points, column = s->columns ? s->kernel * points : 0, weights = s->kernel * trial->out;
    bool whole = points >= trial->points;
    int64_t max;

    if (!s->columns)
        return whole ? s->cache / source : s->cache / (source + weights);
    max = whole ? s->cache / (source + column) : (s->cache - result) / (source + column + weights);
    if (whole && out < trial->out)
        max = min_i64(max, (s->cache - result) / (column + s->kernel * out));
    return max < s->in ? (s->cache - result) / (source + column + weights) : max;
}

/* Work of the least loaded thread against the most loaded. */
static double
thread_balance(const struct trial *trial)
{
    const struct gemm_shape *s = trial->shape;
    int64_t n = trial->out_threads, few = s->threads / n, many = ceil_divide(s->threads, n);
    int64_t out = trial->out, min_out = max_i64(1, s->out / n), points = trial->points;
    int64_t max = out * points, min = min_out * max_i64(1, s->points / many);

    if (s->out % n <= s->threads % n)
        max = max_i64(out * ceil_divide(s->points, many), min_out * points);
    if (s->threads % n <= s->out % n)
        min = min_i64(out * max_i64(1, s->points / many), min_out * (s->points / few));
    return (double)((float)min / (float)max);
}

static double
column_cost(const struct trial *trial, int64_t source)
{
    const struct gemm_shape *s = trial->shape;
    const float strided_factor = 8.0f;
    float fill = (float)round_up(trial->block.points, s->simd) / (float)trial->block.points;
    float write = (float)((double)(s->kernel * source) * (double)fill);
    double cost = floor((double)(float)((double)trial->cost * (double)(write + write)));

    if (!s->columns)
        return 0;
    return s->strided ? floor((double)(float)(cost * (double)strided_factor)) : cost;
}

/* Multiply-adds for each float moved. */
static double
memory_efficiency(const struct trial *trial)
{
    const struct gemm_shape *s = trial->shape;
    int64_t sums = s->in * s->kernel, rounds = ceil_divide(s->in, trial->block.in);
    int64_t target = trial->out * round_up(trial->points, s->simd);
    int64_t source = s->in * round_up(trial->points * s->stride, s->simd);
    int64_t weights = trial->out * round_up(sums, s->simd);
    int64_t moved = trial->cost * (target * (rounds == 1 ? 1 : 2 * rounds - 1) + s->kernel * source + weights);
    float done = (float)trial->points / (float)s->simd * (float)trial->out * (float)sums;

    return (double)(float)((double)done / ((double)moved + column_cost(trial, source)));
}

static double
fill(int64_t size, int64_t block)
{
    return (double)((float)size / (float)round_up(size, block));
}

static double
block_share(const struct trial *trial)
{
    int64_t sums = trial->block.in * trial->shape->kernel;
    float block = (float)trial->block.points * (float)trial->block.out * (float)sums;
    float all = (float)trial->out * (float)trial->points * (float)(trial->shape->in * trial->shape->kernel);

    return (double)(block / all);
}

/* Multiply-adds of a block for each float of it. */
static double
compute_efficiency(const struct trial *trial)
{
    const struct gemm_shape *s = trial->shape;
    int64_t sums = trial->block.in * s->kernel, points = round_up(trial->block.points, s->simd);
    int64_t out = trial->block.out, moved = points * sums + out * round_up(sums, s->simd) + out * points;
    float done = (float)trial->block.points / (float)s->simd * (float)out * (float)sums;

    return (double)(done / (float)moved);
}

/* Geometric mean of the estimates, the balance of the threads counting most. */
static double
trial_efficiency(const struct trial *trial)
{
    const struct gemm_shape *s = trial->shape;
    const double balance_weight = 8.0, weights = 14.5;
    double estimate = pow(thread_balance(trial), balance_weight);

    estimate *= fill(trial->out, trial->block.out);
    estimate *= fill(min_i64(s->target, trial->points), trial->block.points);
    estimate *= fill(s->in, trial->block.in);
    estimate *= fill(trial->block.points, POINT_VECTORS * s->simd);
    estimate *= memory_efficiency(trial);
    estimate *= sqrt(block_share(trial));
    estimate *= compute_efficiency(trial);
    return (double)(float)pow(estimate, (double)(float)(1.0 / weights));
}

static void
try_blocks(const struct gemm_shape *shape, int64_t out_threads, int64_t out, int64_t points, struct best *best)
{
    struct trial trial = {.shape = shape, .out_threads = out_threads};
    int64_t channels;
    double estimate;

    trial.out = ceil_divide(shape->out, out_threads);
    trial.points = ceil_divide(shape->points, shape->threads / out_threads);
    trial.block.out = min_i64(trial.out, clamp(OUT_UNIT, trial.out, out));
    trial.block.points = min_i64(min_i64(shape->target, trial.points), clamp(shape->simd, trial.points, points));
    channels = cached_channels(&trial);
    trial.cost = channels < 1 ? CACHE_MISS : 1;
    trial.block.in = max_i64(1, shape->in / ceil_divide(shape->in, max_i64(1, channels)));
    estimate = trial_efficiency(&trial);
    if (estimate > best->efficiency)
        *best = (struct best){estimate, trial.block};
}

/* The guess itself and its roundings to whole units. */
static void
try_around(const struct gemm_shape *shape, int64_t out_threads, int64_t out, int64_t points, struct best *best)
{
    const int64_t wide = WIDE_POINTS, more = round_up(out, OUT_UNIT);

    try_blocks(shape, out_threads, out, points, best);
    try_blocks(shape, out_threads, floor_divide(out, OUT_UNIT) * OUT_UNIT, floor_divide(points, wide) * wide, best);
    try_blocks(shape, out_threads, more, floor_divide(points, wide) * wide, best);
    try_blocks(shape, out_threads, more, round_up(points, shape->simd), best);
    try_blocks(shape, out_threads, more, round_up(points, wide), best);
}

/* Fewer input channels at a time, so that half of the cache is left to the target. */
static void
try_cut_channels(const struct gemm_shape *shape, int64_t out_threads, int64_t out, int64_t points, struct best *best)
{
    int64_t read = shape->stride + shape->kernel, weights = shape->kernel * out;
    int64_t max = max_i64(1, shape->cache / (2 * OUT_UNIT * read + 2 * weights));
    int64_t in, block_out, block_points;

    if (max >= shape->in)
        return;
    in = shape->in / max_i64(1, shape->in / max);
    block_points = max_i64(1, (shape->cache - 2 * weights * in) / (2 * in * read));
    block_out = shape->cache / 2 / block_points;
    if (block_out > out) {
        block_out = out;
        block_points = clamp(shape->simd, points, (shape->cache - weights * in) / (read * in + block_out));
    } else if (block_points > points) {
        block_points = points;
        block_out = clamp(OUT_UNIT, out, (shape->cache - read * in * block_points - weights * in) / block_points);
    }
    try_around(shape, out_threads, block_out, block_points, best);
}

/* All work of a thread at once, then blocks that fill the cache in three ways. */
static void
try_columns(const struct gemm_shape *shape, int64_t out_threads, struct best *best)
{
    int64_t out = ceil_divide(shape->out, out_threads), in = shape->in;
    int64_t points = ceil_divide(shape->points, shape->threads / out_threads);
    int64_t read = (shape->stride + shape->kernel) * in, weights = shape->kernel * out * in;
    int64_t fitting;

    try_blocks(shape, out_threads, out, points, best);
    if (best->block.out == out && best->block.points == points && best->block.in == in)
        return;
    fitting = clamp(OUT_UNIT, out, (shape->cache - read * shape->simd - weights) / shape->simd);
    try_around(shape, out_threads, fitting, clamp(shape->simd, points, (shape->cache - weights) / (read + fitting)),
               best);
    try_cut_channels(shape, out_threads, out, points, best);
    fitting = (shape->cache - weights) / (read + out);
    try_around(shape, out_threads, out, max_i64(shape->simd, round_down(fitting, shape->simd)), best);
}

struct gemm_blocks
gemm_choose_blocks(const struct gemm_shape *shape)
{
    struct best best = {0, {1, 1, shape->in}};

    for (int64_t n = 1; n <= shape->threads; n++) {
        if (shape->columns)
            try_columns(shape, n, &best);
        else
            try_around(shape, n, ceil_divide(shape->out, n),
                       (shape->cache - shape->kernel * shape->in) / (shape->stride * shape->in), &best);
    }
    return best.block;
}

/*
 * Kernels of a single point on bfloat16. Sums of float32 go through a store buffer of each thread, whose size depends on
 * how the threads share the work. Follows the heuristics of oneDNN 3.12 (Apache-2.0):
 * src/cpu/x64/jit_avx512_core_bf16_1x1_conv_kernel.cpp, jit_avx512_core_bf16_1x1_convolution.cpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

#include <float.h>

enum {
    FEW_THREADS = 28,
    LOAD_STEP = 16,     /* output blocks that a job of the weights pass loads */
    BROADCAST_STEP = 5, /* input blocks */
    REDUCE_MAX = 256,   /* points of a reduction block */
    LARGE_IMAGE = 14,   /* rows and columns above which pairs are ordered in registers */
    FEW_CHANNELS = 64,  /* of a volume, where they still are */
    SHORT_POINTS = 14,  /* points below which the tile divides the whole image */
};

/* ---- forward and data ---- */

/* The pass as a product: what it sums over, loads and broadcasts, all of whole blocks. */
struct pass_shape {
    const struct problem *problem;
    int64_t summed, loaded;
    int64_t points, rows; /* of an image; without the width */
    int64_t tile;
    int64_t threads;
};

static bool
is_broadcast_explicit(const struct pass_shape *s)
{
    return s->summed % 2 == 0 && 8 * s->problem->batch / s->problem->machine->threads >= 1;
}

/* Points of the register tile: one that divides the rows, else the one with the longest rest. */
static int64_t
tile_of(const struct pass_shape *s)
{
    bool explicit_broadcast = is_broadcast_explicit(s);
    bool middling = s->loaded > 128 && s->loaded < 256 && s->rows > 10 && s->rows < 28;
    int64_t max = !explicit_broadcast ? 30 : middling ? 6 : 9, min = !explicit_broadcast ? 9 : middling ? 5 : 6;
    int64_t tile = min_i64(max, s->points), rest = s->points % max;

    for (int64_t u = max; u >= min; u--)
        if ((s->rows >= SHORT_POINTS ? s->rows : s->points) % u == 0 && u > 1)
            return u;
    for (int64_t u = max; u >= min; u--) {
        if (s->points % u != 0 && s->points % u <= rest)
            continue;
        tile = u;
        rest = s->points % u;
        if (rest == 0)
            break;
    }
    return tile;
}

/* Cycles of a thread that has `blocks` of what is loaded, shared by `threads`. */
static float
thread_cost(const struct pass_shape *s, int64_t blocks, int64_t threads, float memory)
{
    int64_t pieces = s->problem->batch * ceil_divide(ceil_divide(s->points, s->tile), threads);
    float points = (float)(pieces * s->tile), channels = (float)(blocks * SIMD_AVX512);
    float compute = points * channels * (float)s->summed, moved;

    moved = (float)(pieces * s->tile + blocks * SIMD_AVX512) * (float)s->summed;

    return 0.01f * compute + memory * moved;
}

/* Groups of threads that share what is loaded, the cheapest way. */
static int64_t
cheapest_groups(const struct pass_shape *s, int64_t load_blocks)
{
    int64_t threads = s->threads, loads = s->loaded * s->summed;
    int64_t broadcasts = s->problem->batch * s->points * s->summed;
    bool descending = (float)loads / (float)broadcasts > 1;
    int64_t best_groups = descending ? threads : 1;
    float best = FLT_MAX;

    for (int64_t i = 0; i < threads; i++) {
        int64_t groups = descending ? threads - i : i + 1, most = ceil_divide(threads, groups);
        int64_t few = threads / groups;
        float memory = most == 1 ? 1.0f : 1.3f, cost, other;

        if (threads % groups < load_blocks % groups) {
            cost = thread_cost(s, ceil_divide(load_blocks, groups), few, memory);
        } else {
            cost = thread_cost(s, ceil_divide(load_blocks, groups), most, memory);
            other = thread_cost(s, load_blocks / groups, few, memory);
            cost = other > cost ? other : cost;
        }
        if (cost < best) {
            best = cost;
            best_groups = groups;
        }
    }
    return best_groups;
}

/* Channels that a thread loads at once, and how many groups of threads share them. */
struct load {
    int64_t groups, channels;
};

static struct load
share_load(const struct pass_shape *s)
{
    const struct problem *p = s->problem;
    int64_t load_blocks = ceil_divide(s->loaded, SIMD_AVX512), pieces = ceil_divide(s->points, s->tile);
    int64_t threads = s->threads, least;
    struct load load = {.channels = s->loaded};

    if (threads <= FEW_THREADS && p->batch < threads && load_blocks * pieces > threads) {
        load.groups = cheapest_groups(s, load_blocks);
        load.channels = ceil_divide(load_blocks, load.groups) * SIMD_AVX512;
    } else {
        least = ceil_divide(threads, p->batch * pieces);
        load.groups = best_divisor(threads, least, 2 * least, 1, false);
    }
    if (is_broadcast_explicit(s) && s->points <= 64 && s->loaded * s->summed >= p->machine->l2 / 2) {
        load.groups = max_i64(load.groups, 4);
    } else if (s->points <= 49 && p->batch <= threads && s->loaded > 512 && s->loaded / s->summed >= 4) {
        load.groups = max_i64(load.groups, 2);
        load.channels = SIMD_AVX512;
    }
    return load;
}

static int64_t
busy_threads(const struct pass_shape *s)
{
    int64_t pieces = ceil_divide(s->points, s->tile), blocks = ceil_divide(s->loaded, SIMD_AVX512);
    int64_t bytes = BFLOAT16_BYTES * s->problem->batch * s->points * s->summed;

    if (bytes >= 2 * PAGE || s->threads == 1 || pieces * blocks >= s->threads)
        return s->threads;
    return min_i64(s->threads, max_i64(pieces, blocks));
}

/* `forward`: else the data pass. */
static void
book_pass(int64_t *scratchpad, const struct pointwise *point, bool forward)
{
    const struct problem *p = point->problem;
    int64_t in = padded_channels(p, p->in, SIMD_AVX512), out = padded_channels(p, p->out, SIMD_AVX512);
    int64_t blocks, groups, channels;
    const int64_t *points = point->reduced ? p->target : p->source;
    struct pass_shape s = {.problem = p,
                           .summed = forward ? in : out,
                           .loaded = forward ? out : in,
                           .points = point->points,
                           .rows = points[DEPTH] * points[HEIGHT],
                           .threads = p->machine->threads};
    struct load load;

    s.tile = tile_of(&s);
    load = share_load(&s);
    s.threads = busy_threads(&s);
    groups = ceil_divide(s.threads, ceil_divide(s.threads, load.groups));
    channels = round_up(p->channels_last ? s.loaded : ceil_divide(s.loaded, groups), SIMD_AVX512);
    scratchpad_book(scratchpad, s.threads * round_up(s.points, s.tile) * channels * FLOAT_BYTES);
    blocks = forward ? point->in : ceil_divide(load.channels, SIMD_AVX512);
    if (point->reduced) /* of what the points are of: the data pass writes them */
        scratchpad_book(scratchpad, s.threads * (p->channels_last ? in : blocks * SIMD_AVX512) * point->points *
                                        (p->wide ? FLOAT_BYTES : BFLOAT16_BYTES));
}

bool
pointwise_bfloat16_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct pointwise point;
    int64_t scratchpad = 0;

    if (!pointwise_init(problem, simd, &point))
        return false;
    if (!problem->channels_last)
        pointwise_book_padded_bias(&scratchpad, problem, simd);
    book_pass(&scratchpad, &point, true);
    *primitive = pointwise_primitive(&point, simd, scratchpad);
    return true;
}

bool
pointwise_bfloat16_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct pointwise point;
    int64_t scratchpad = 0;

    if (!pointwise_init(problem, simd, &point))
        return false;
    book_pass(&scratchpad, &point, false);
    *primitive = pointwise_primitive(&point, simd, scratchpad);
    return true;
}

/* ---- weights ---- */

/* Pairs are ordered in registers: nothing is transposed. */
static bool
permutes(const struct pointwise *point)
{
    const struct problem *p = point->problem;
    const int64_t *points = point->reduced ? p->target : p->source;

    return !p->channels_last && points[HEIGHT] > LARGE_IMAGE && points[WIDTH] > LARGE_IMAGE &&
           (p->dims != 3 || point->out * SIMD_AVX512 <= FEW_CHANNELS);
}

static int64_t
reduction_block(const struct pointwise *point, bool permutes)
{
    int64_t block = permutes ? best_divisor(point->points, 7, min_i64(REDUCE_MAX, point->points), 2, true)
                             : best_divisor(point->points, 8, 16, 2, true);

    if (point->points % block != 0)
        block = best_divisor(point->row, 4, point->row, 2, permutes);
    if (block > REDUCE_MAX)
        block = 1;
    return permutes ? block : round_up(block, 2);
}

static int64_t
weights_cost(const struct pointwise *point)
{
    const struct problem *p = point->problem;
    bool unit = point->reduced || (p->stride[HEIGHT] == 1 && p->stride[WIDTH] == 1);

    return 4 *
           (unit ? max_i64(1, padded_channels(p, p->out, SIMD_AVX512) / padded_channels(p, p->in, SIMD_AVX512)) : 1);
}

static int64_t
weights_scratchpad(struct pointwise *point, int64_t simd)
{
    const struct problem *p = point->problem;
    bool permuted = permutes(point);
    int64_t loads = best_divisor(point->out, LOAD_STEP, point->out, 1, false);
    int64_t broadcasts = best_divisor(point->in, BROADCAST_STEP, point->in, 1, false);
    int64_t scratchpad = 0, sums = point->in * point->out * simd * simd + (p->bias ? point->out * simd : 0), pairs;

    pointwise_share_threads(point, reduction_block(point, permuted), weights_cost(point));
    pointwise_book_padded_bias(&scratchpad, p, simd);
    scratchpad_book(&scratchpad, sums * point->batch_threads * FLOAT_BYTES);
    if (point->batch_threads > 1)
        scratchpad_book_barriers(&scratchpad, 1);
    pairs = permuted ? 0 : point->threads * round_up(point->points, 2) * simd * BFLOAT16_BYTES;
    scratchpad_book(&scratchpad, pairs * loads);
    scratchpad_book(&scratchpad, pairs * broadcasts);
    if (point->reduced)
        scratchpad_book(&scratchpad, point->threads * (p->channels_last ? p->in : broadcasts * simd) * point->points *
                                         BFLOAT16_BYTES);
    return scratchpad;
}

bool
pointwise_bfloat16_weights(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct pointwise point;

    if (!pointwise_init(problem, simd, &point))
        return false;
    *primitive = pointwise_primitive(&point, simd, weights_scratchpad(&point, simd));
    return true;
}

/*
 * Weights pass of the direct convolution with 16 channels a block, and how its threads share the work. Follows the
 * heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_avx512_common_conv_kernel.cpp, "balance" of its bwd_weights.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    FIRST_CHANNELS = 3,       /* most input channels with a plain source */
    ROWS_A_THREAD = 9,        /* target rows below which the rows of an image are not shared */
    WIDEST_PADDING = 28,      /* points */
    WIDEST_KERNEL = 14,       /* points */
    WIDEST_TRANSPOSED = 19,   /* of a kernel as wide as the source */
    WEIGHTS_COST = 8,         /* of moving a weight, in data points */
    REDUCER_TILE = 3 * 5 * 5, /* blocks of channels squared that a thread's partial sums may take */
};

/* How the threads share the work; `rows` is set if they share rows of images instead of images. */
struct sharing {
    const struct problem *problem;
    int64_t in_block, in_blocks, out_blocks;
    bool rows;
    int64_t group_threads, batch_threads, channel_threads;
};

/* A kernel as wide as the source that leaves one column. */
static bool
is_transposed_width(const struct problem *problem)
{
    const int64_t *kernel = problem->kernel, *stride = problem->stride;

    for (int axis = HEIGHT; axis <= WIDTH; axis++)
        if (problem->padding[axis] != 0 || problem->end_padding[axis] > 0 || stride[axis] != 1 ||
            problem->dilation[axis] != 0)
            return false;
    return problem->dims == 2 && !problem->channels_last && kernel[WIDTH] >= WIDEST_KERNEL &&
           kernel[WIDTH] <= WIDEST_TRANSPOSED && problem->target[WIDTH] == 1 && kernel[WIDTH] == problem->source[WIDTH];
}

static bool
dilation_fits(const struct problem *problem)
{
    const int64_t *dilation = problem->dilation, *stride = problem->stride;

    if (dilation[DEPTH] != 0 || (dilation[HEIGHT] != 0 && stride[HEIGHT] != 1))
        return false;
    return dilation[HEIGHT] == 0 || problem->extent[HEIGHT] <= problem->source[HEIGHT];
}

static bool
padding_fits(const struct problem *problem)
{
    const int64_t *before = problem->padding, *after = problem->end_padding, *extent = problem->extent;
    int64_t half = extent[HEIGHT] / 2;

    if (before[WIDTH] >= extent[WIDTH] || after[WIDTH] >= extent[WIDTH] || before[HEIGHT] > half ||
        after[HEIGHT] > half || before[DEPTH] >= extent[DEPTH] || after[DEPTH] >= extent[DEPTH])
        return false;
    if (before[DEPTH] != 0 && problem->kernel[DEPTH] >= problem->source[DEPTH] + before[DEPTH])
        return false;
    return before[WIDTH] <= WIDEST_PADDING && after[WIDTH] <= WIDEST_PADDING;
}

static bool
shape_fits(const struct problem *problem)
{
    return dilation_fits(problem) && padding_fits(problem) &&
           (is_transposed_width(problem) || problem->kernel[WIDTH] <= WIDEST_KERNEL);
}

static bool
channels_fit(const struct problem *problem, int64_t simd)
{
    if (problem->channels_last)
        return true;
    if (problem->groups > 1)
        return problem->in % simd == 0 && problem->out % simd == 0;
    return problem->in <= FIRST_CHANNELS || problem->in >= simd;
}

/* Floats that a thread moves when `m` threads share the batch, `a` the output blocks and `b` the input blocks. */
static int64_t
traffic(const struct sharing *sharing, int64_t m, int64_t a, int64_t b)
{
    const struct problem *problem = sharing->problem;
    const int64_t *source = problem->source, *target = problem->target, *stride = problem->stride;
    int64_t source_rows = sharing->rows ? source[HEIGHT] : 1, target_rows = sharing->rows ? target[HEIGHT] : 1;
    int64_t groups = ceil_divide(problem->groups, sharing->group_threads);
    int64_t ins = ceil_divide(sharing->in_blocks, b), outs = ceil_divide(sharing->out_blocks, a);
    int64_t moved = ceil_divide(problem->batch * source_rows, m) * groups * ins * sharing->in_block *
                    (product(source) / source_rows) / stride[DEPTH] / stride[HEIGHT] / stride[WIDTH];

    moved +=
        ceil_divide(problem->batch * target_rows, m) * groups * outs * SIMD_AVX512 * (product(target) / target_rows);
    return moved + WEIGHTS_COST * groups * outs * ins * product(problem->kernel) * sharing->in_block * SIMD_AVX512;
}

/* Blocks of weights times rows or images that a thread works on. */
static int64_t
work(const struct sharing *sharing, int64_t m, int64_t a, int64_t b)
{
    const struct problem *problem = sharing->problem;
    int64_t rows = sharing->rows ? problem->target[HEIGHT] : 1;

    return ceil_divide(problem->batch * rows, m) * ceil_divide(problem->groups, sharing->group_threads) *
           ceil_divide(sharing->out_blocks, a) * ceil_divide(sharing->in_blocks, b);
}

/* The way to share that the search stands at, and the best one so far. */
struct search {
    int64_t m, a, b;
    int64_t traffic, work;
};

static void
min_traffic(const struct sharing *sharing, int64_t threads, int64_t max, struct search *best)
{
    *best = (struct search){1, 1, 1, traffic(sharing, 1, 1, 1), 0};
    for (int64_t m = 1; m <= max; m++)
        for (int64_t a = 1; a <= min_i64(threads / m, sharing->out_blocks); a++) {
            int64_t b = min_i64(threads / m / a, sharing->in_blocks), moved = traffic(sharing, m, a, b);

            if (moved <= best->traffic)
                *best = (struct search){m, a, b, moved, 0};
        }
    best->work = work(sharing, best->m, best->a, best->b);
}

/* Trades a little traffic for less work, or much less work for any traffic. */
static void
min_work(const struct sharing *sharing, int64_t threads, int64_t max, struct search *best)
{
    const double tolerated = 1.1;

    for (int64_t m = 1; m <= max; m++)
        for (int64_t a = 1; a <= min_i64(threads / m, sharing->out_blocks); a++) {
            int64_t b = min_i64(threads / m / a, sharing->in_blocks), done = work(sharing, m, a, b);
            bool light = (double)traffic(sharing, m, a, b) < tolerated * (double)best->traffic;

            if ((done <= best->work && light) || 4 * done <= 3 * best->work)
                *best = (struct search){m, a, b, best->traffic, done};
        }
}

static void
share_threads(struct sharing *sharing)
{
    const struct problem *problem = sharing->problem;
    int64_t threads = problem->machine->threads, free_threads = threads / problem->groups;
    int64_t pieces = problem->batch * problem->target[DEPTH] *
                     max_i64(1, (sharing->rows ? problem->target[HEIGHT] : 1) / ROWS_A_THREAD);
    struct search best;

    sharing->batch_threads = sharing->channel_threads = 1;
    sharing->group_threads = min_i64(threads, problem->groups);
    if (threads < problem->groups)
        return;
    min_traffic(sharing, free_threads, min_i64(free_threads, pieces), &best);
    min_work(sharing, free_threads, min_i64(free_threads, pieces), &best);
    sharing->batch_threads = best.m;
    sharing->channel_threads = best.a * best.b;
    if (best.m > threads / 2 && best.m < threads)
        sharing->batch_threads = min_i64(pieces, threads);
}

static int64_t
weights_scratchpad(const struct sharing *sharing, int64_t weights)
{
    const struct problem *problem = sharing->problem;
    int64_t outs = problem->groups * sharing->out_blocks, bias = outs * SIMD_AVX512, scratchpad = 0;
    int64_t threads = sharing->batch_threads * sharing->group_threads * sharing->channel_threads;

    if (sharing->batch_threads > 1) {
        scratchpad_book(&scratchpad, (weights + bias) * (sharing->batch_threads - 1) * FLOAT_BYTES);
        scratchpad_book_barriers(&scratchpad, 1);
    }
    if (problem->bias && problem->out % SIMD_AVX512 != 0)
        scratchpad_book(&scratchpad, bias * FLOAT_BYTES);
    if (problem->bias)
        scratchpad_book_reducer(&scratchpad, balance_reduction(threads, SIMD_AVX512, outs, problem->batch,
                                                               threads * REDUCER_TILE * SIMD_AVX512 * SIMD_AVX512));
    return scratchpad;
}

bool
direct_avx512_weights(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    int64_t few = problem->channels_last ? simd - 1 : FIRST_CHANNELS;
    bool first = problem->groups == 1 && problem->in <= few;
    struct sharing sharing = {.problem = problem, .in_block = first ? problem->in : simd};
    int64_t weights;

    if (!channels_fit(problem, simd) || !shape_fits(problem))
        return false;
    sharing.in_blocks = ceil_divide(problem->in, sharing.in_block);
    sharing.out_blocks = ceil_divide(problem->out, simd);
    sharing.rows = problem->dims == 2 && problem->dilation[HEIGHT] == 0 && problem->target[HEIGHT] > ROWS_A_THREAD &&
                   !is_transposed_width(problem) && !problem->channels_last;
    weights =
        problem->groups * sharing.out_blocks * simd * sharing.in_blocks * sharing.in_block * product(problem->kernel);
    share_threads(&sharing);
    *primitive =
        (struct primitive){data_layout(problem, first ? plain() : blocked(simd)), data_layout(problem, blocked(simd)),
                           weights, weights_scratchpad(&sharing, weights), false};
    return true;
}

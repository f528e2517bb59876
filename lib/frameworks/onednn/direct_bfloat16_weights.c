/*
 * Direct convolution of bfloat16, weights pass: source and gradient are transposed in pairs, and each thread that shares
 * the batch sums in float32. Follows the heuristics of oneDNN 3.12 (Apache-2.0):
 * src/cpu/x64/jit_avx512_core_bf16_conv_kernel.cpp, jit_avx512_core_bf16_convolution.cpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    PAIR = 2,
    MAX_PADDING = 28,
    MAX_WIDTH = 14, /* of the kernel */
    MAX_WIDTH_FIRST = 24,
    WIDE = 124, /* target points of rows that threads share */
    ROW_CACHE = 48 * 1024,
    FULL_CHANNELS = 128, /* input channels from which whole images are worked on */
};

/* The pass, its blocking, and the threads that share it. */
struct sharing {
    const struct problem *problem;
    bool first;    /* too few input channels to block them */
    bool permutes; /* the kernel orders pairs itself: nothing is transposed */
    bool turns_source, turns_target;
    bool global; /* threads share what is transposed */
    int64_t in_block, in_blocks, out_blocks;
    int64_t source_width, target_width; /* transposed */
    int64_t padding;                    /* elements behind the transposed source */
    int64_t work;                       /* images or rows that threads share */
    int64_t group_threads, batch_threads, out_threads, in_threads;
};

static int64_t
padding_after(const struct problem *problem, int axis)
{
    return max_i64(0, problem->end_padding[axis]);
}

static bool
dilation_fits(const struct problem *problem)
{
    if (is_dilated_and_strided(problem))
        return false;
    if (problem->dilation[HEIGHT] != 0 && problem->extent[HEIGHT] > problem->source[HEIGHT])
        return false;
    return problem->dilation[DEPTH] == 0 || (padding_after(problem, DEPTH) == 0 && problem->padding[DEPTH] == 0);
}

static bool
padding_fits(const struct problem *problem, bool first)
{
    const int64_t *padding = problem->padding, *extent = problem->extent;
    int64_t half = extent[HEIGHT] / 2;

    if (padding[WIDTH] >= extent[WIDTH] || padding_after(problem, WIDTH) >= extent[WIDTH] || padding[HEIGHT] > half ||
        padding_after(problem, HEIGHT) > half || padding[DEPTH] >= extent[DEPTH] ||
        padding_after(problem, DEPTH) >= extent[DEPTH])
        return false;
    if (first && problem->target[WIDTH] > MAX_PADDING &&
        (padding[WIDTH] >= MAX_PADDING || extent[WIDTH] > problem->target[WIDTH]))
        return false;
    return problem->kernel[WIDTH] <= (first ? MAX_WIDTH_FIRST : MAX_WIDTH);
}

/* Pairs are ordered in registers where volumes have kernels of one column. */
static bool
permutes_width(const struct problem *problem, bool first)
{
    return !first && !problem->channels_last && problem->dims == 3 && problem->kernel[WIDTH] == 1 &&
           problem->stride[WIDTH] == 1 && problem->dilation[WIDTH] == 0;
}

/* Images so large that a row of them fills a quarter of the second cache. */
static bool
has_large_images(const struct problem *problem)
{
    const int64_t *target = problem->target;

    if (problem->out * product(target) < problem->machine->l2 / 4)
        return false;
    if (problem->dims == 2)
        return target[WIDTH] >= WIDE && target[HEIGHT] > 1;
    return target[WIDTH] * target[HEIGHT] >= 64 * WIDE && target[DEPTH] > 1;
}

/* Whole images, where a row's worth of work stays in the first cache. */
static bool
takes_images(const struct sharing *s)
{
    const struct problem *p = s->problem;
    int64_t rows = max_i64(1, max_i64(padding_after(p, HEIGHT), p->padding[HEIGHT]));
    int64_t bytes = (s->in_block * s->source_width + SIMD_AVX512 * s->target_width) * BFLOAT16_BYTES * rows;

    if (p->dims != 2 || s->permutes || s->first || !all_equal(p->stride, 1) || p->dilation[HEIGHT] != 0 ||
        p->dilation[WIDTH] != 0)
        return false;
    for (int axis = HEIGHT; axis <= WIDTH; axis++)
        if (p->source[axis] != p->target[axis] || p->kernel[axis] == 1 || p->padding[axis] != p->kernel[axis] / 2)
            return false;
    return bytes <= ROW_CACHE && padded_channels(p, p->in, SIMD_AVX512) >= FULL_CHANNELS;
}

static void
transpose(struct sharing *s)
{
    const struct problem *p = s->problem;
    int64_t stride = p->stride[WIDTH];

    s->permutes = permutes_width(p, s->first);
    s->turns_source = !s->permutes && (!s->first || (p->channels_last && p->in > 1));
    s->turns_target = !s->permutes;
    s->global = !(s->first && has_large_images(p));
    s->padding = round_up(max_i64(p->padding[WIDTH], padding_after(p, WIDTH) + 1), PAIR);
    s->source_width = s->turns_source ? round_up(ceil_divide(p->source[WIDTH], stride) + s->padding, PAIR) * stride
                                      : p->source[WIDTH];
    s->target_width = s->turns_target ? round_up(p->target[WIDTH], PAIR) : p->target[WIDTH];
    s->work = p->batch * (p->dims == 3 ? p->target[DEPTH] : takes_images(s) ? 1 : p->target[HEIGHT]);
}

/* The source itself is read in pairs where it is not transposed. */
static bool
untransposed_fits(const struct sharing *s)
{
    const struct problem *p = s->problem;

    return s->turns_source || (p->padding[WIDTH] < MAX_PADDING && padding_after(p, WIDTH) < MAX_PADDING &&
                               p->extent[WIDTH] <= p->source[WIDTH] + 1);
}

/* How much source, target and weights weigh in what a thread moves. */
struct weights_of_traffic {
    float source, target, weights;
};

static struct weights_of_traffic
weigh(const struct sharing *s)
{
    const struct problem *p = s->problem;
    int64_t in = s->first ? p->in : padded_channels(p, p->in, SIMD_AVX512);
    int64_t out = padded_channels(p, p->out, SIMD_AVX512);
    int64_t source = p->batch * in * p->source[DEPTH] * p->source[HEIGHT] * s->source_width * BFLOAT16_BYTES;
    int64_t target = p->batch * out * p->target[DEPTH] * p->target[HEIGHT] * s->target_width * BFLOAT16_BYTES;
    int64_t weights = out * in * product(p->kernel) * FLOAT_BYTES;
    float dense = (float)(0.5 * (double)(target + source)) / (float)weights;
    float ratio = (float)s->out_blocks / (float)s->in_blocks, inverse = 1.0f / ratio;

    return (struct weights_of_traffic){(inverse > 1 ? inverse : 1) * (dense < 1 ? 4.0f : 1.0f), ratio > 1 ? ratio : 1,
                                       dense > 1 ? dense : 1};
}

/* In single precision and in oneDNN's order: candidates lie so close that another rounding picks another one. */
static float
multiplied(float start, const int64_t *factors, int count)
{
    for (int i = 0; i < count; i++)
        start *= (float)factors[i];
    return start;
}

static float
traffic(const struct sharing *s, const struct weights_of_traffic *weigh, int64_t m, int64_t a, int64_t b)
{
    const struct problem *p = s->problem;
    int64_t groups = ceil_divide(p->groups, s->group_threads), work = ceil_divide(s->work, m);
    int64_t ins = ceil_divide(s->in_blocks, b), outs = ceil_divide(s->out_blocks, a);
    const int64_t source[] = {work,           groups, ins, p->batch, s->in_block, p->source[DEPTH], p->source[HEIGHT],
                              s->source_width};
    const int64_t weights[] = {groups,           outs,        ins,        p->kernel[HEIGHT], p->kernel[WIDTH],
                               p->kernel[DEPTH], s->in_block, SIMD_AVX512};
    const int64_t target[] = {work,           groups, outs, p->batch, SIMD_AVX512, p->target[DEPTH], p->target[HEIGHT],
                              s->target_width};
    float moved = multiplied(weigh->source, source, 8) / (float)s->work;

    moved = moved / (float)p->stride[DEPTH] / (float)p->stride[HEIGHT] / (float)p->stride[WIDTH];
    moved += multiplied(weigh->target, target, 8) / (float)s->work;
    return moved + multiplied(weigh->weights, weights, 8);
}

static void
share_threads(struct sharing *s)
{
    int64_t all = s->problem->machine->threads, threads = all / s->problem->groups;
    struct weights_of_traffic weights = weigh(s);
    float best;

    s->group_threads = min_i64(all, s->problem->groups);
    s->batch_threads = s->out_threads = s->in_threads = 1;
    if (all < s->problem->groups)
        return;
    best = traffic(s, &weights, 1, 1, 1);
    for (int64_t m = 1; m <= min_i64(threads, s->work); m++)
        for (int64_t a = 1; a <= min_i64(threads / m, s->out_blocks); a++) {
            int64_t b = min_i64(threads / m / a, s->in_blocks);
            float moved = traffic(s, &weights, m, a, b);

            if (moved > best)
                continue;
            best = moved;
            s->batch_threads = m;
            s->out_threads = a;
            s->in_threads = b;
        }
    if (s->batch_threads > threads / 2 && s->batch_threads < threads)
        s->batch_threads = min_i64(s->work, threads);
}

/* What is transposed, shared by all threads or of each, and where those wait that share it. */
static void
book_transposed(int64_t *scratchpad, const struct sharing *s)
{
    const struct problem *p = s->problem;
    int64_t threads = s->batch_threads * s->group_threads * s->out_threads * s->in_threads;
    int64_t ins = s->global ? s->batch_threads * s->in_blocks * p->groups : threads;
    int64_t outs = s->global ? s->batch_threads * s->out_blocks * p->groups : threads;
    int64_t source = ins * s->source_width * s->in_block * p->source[HEIGHT] * p->source[DEPTH];
    int64_t target = outs * s->target_width * SIMD_AVX512 * p->target[HEIGHT] * p->target[DEPTH];

    if (s->permutes)
        return;
    scratchpad_book(scratchpad, ((s->turns_source ? source : 0) + s->padding) * BFLOAT16_BYTES);
    if (s->global && s->out_threads > 1)
        scratchpad_book_barriers(scratchpad, threads / s->out_threads);
    scratchpad_book(scratchpad, (s->turns_target ? target : 0) * BFLOAT16_BYTES);
    if (s->global && s->in_threads > 1)
        scratchpad_book_barriers(scratchpad, threads / s->in_threads);
}

/* Channels that are not padded fill their blocks. */
static bool
has_whole_blocks(const struct problem *problem, bool first, int64_t simd)
{
    if (problem->groups > 1 && (problem->in % simd != 0 || problem->out % simd != 0))
        return false;
    return !first || problem->out % simd == 0;
}

bool
direct_bfloat16_weights(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct sharing s = {.problem = problem, .first = problem->groups == 1 && problem->in < simd};
    int64_t weights, bias, scratchpad = 0;

    if (!problem->channels_last && !has_whole_blocks(problem, s.first, simd))
        return false;
    if (!dilation_fits(problem) || !padding_fits(problem, s.first))
        return false;
    s.in_block = s.first ? problem->in : simd;
    s.in_blocks = ceil_divide(problem->in, s.in_block);
    s.out_blocks = ceil_divide(problem->out, simd);
    transpose(&s);
    if (!untransposed_fits(&s))
        return false;
    share_threads(&s);
    weights = problem->groups * s.out_blocks * simd * s.in_blocks * s.in_block * product(problem->kernel);
    bias = problem->bias ? problem->groups * s.out_blocks * simd : 0;
    book_transposed(&scratchpad, &s);
    scratchpad_book(&scratchpad, (weights + bias) * s.batch_threads * FLOAT_BYTES);
    if (s.global)
        scratchpad_book_barriers(&scratchpad, 1);
    *primitive = (struct primitive){data_layout(problem, s.first ? plain() : blocked(simd)),
                                    data_layout(problem, blocked(simd)), weights, scratchpad, false};
    return true;
}

/*
 * Weights pass of bfloat16 with AMX, on channels-last data: source and gradient are transposed in blocks of channels,
 * which all threads share, and each thread that shares the batch sums in float32. Follows the heuristics of oneDNN 3.12
 * (Apache-2.0): src/cpu/x64/jit_brgemm_conv_utils.cpp, init_conf_bwd_w, balance_bwd_w, init_scratchpad_bwd_w. Left out is
 * how many threads, and 28 and more, share a batch that is smaller than they are.
 */
#include "frameworks/onednn/brgemm.h"
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    CHANNELS = 16, /* of a block */
    TILE = 32,     /* elements of a row of tiles */
    PAIR = 2,
    NARROW = 28,      /* columns up to which rows of a kernel of one point are one */
    TILE_CONFIG = 64, /* bytes */
    TILE_BUFFER = 2 * PAGE,
};

/* The pass, its blocking, and the threads that share it. */
struct sharing {
    struct problem problem; /* rows are one where they can be */
    int64_t in_blocks, out_blocks, in_chunks, out_chunks;
    int64_t source_width, target_width; /* transposed */
    int64_t work;                       /* images, rows or slices that threads share */
    int64_t batch_threads, out_threads, in_threads, threads;
};

static bool
shape_fits(const struct problem *p)
{
    if (is_depthwise(p) || is_dilated_and_strided(p))
        return false;
    if (p->dilation[HEIGHT] != 0 && p->extent[HEIGHT] > p->source[HEIGHT])
        return false;
    if (p->dilation[DEPTH] != 0 && (p->padding[DEPTH] != 0 || p->end_padding[DEPTH] != 0))
        return false;
    for (int axis = DEPTH; axis <= WIDTH; axis++) {
        int64_t most = axis == HEIGHT ? p->extent[axis] / 2 : p->extent[axis] - 1;

        if (p->padding[axis] > most || p->end_padding[axis] > most)
            return false;
    }
    return true;
}

static bool
is_pointwise(const struct problem *p)
{
    for (int axis = HEIGHT; axis <= WIDTH; axis++)
        if (p->kernel[axis] != 1 || p->stride[axis] != 1 || p->padding[axis] != 0 || p->end_padding[axis] != 0)
            return false;
    return true;
}

static void
join_rows(struct problem *p)
{
    if (!is_pointwise(p) || p->source[WIDTH] > NARROW)
        return;
    p->source[WIDTH] *= p->source[HEIGHT];
    p->target[WIDTH] *= p->target[HEIGHT];
    p->source[HEIGHT] = p->target[HEIGHT] = 1;
}

/* Pieces of at most a tile's rows that a width is cut into; 1 row more where it does not divide. */
static int64_t
pieces(int64_t width)
{
    for (int64_t piece = TILE; piece > 0; piece -= PAIR)
        if (width % piece == 0)
            return width / piece;
    return width;
}

/* Wider, where that gives fewer pieces. */
static int64_t
transposed_target(int64_t target)
{
    int64_t width = round_up(target, PAIR), best = width, fewest = width / PAIR;

    if (width <= TILE)
        return width;
    for (int64_t wider = width; wider <= round_up(width, TILE); wider += PAIR)
        if (pieces(wider) < fewest) {
            fewest = pieces(wider);
            best = wider;
        }
    return best;
}

/* How much source, target and weights weigh in what a thread moves. */
struct weights_of_traffic {
    float source, target, weights;
};

static struct weights_of_traffic
weigh(const struct sharing *s)
{
    const struct problem *p = &s->problem;
    int64_t source = p->batch * p->source[DEPTH] * p->source[HEIGHT] * s->source_width * p->in * BFLOAT16_BYTES;
    int64_t target = p->batch * p->target[DEPTH] * p->target[HEIGHT] * s->target_width * p->out * BFLOAT16_BYTES;
    float dense = 0.5f * (float)(target + source) / (float)(p->out * p->in * product(p->kernel) * FLOAT_BYTES);
    float ratio = (float)s->out_chunks / (float)s->in_chunks, inverse = 1.0f / ratio;

    return (struct weights_of_traffic){(inverse > 1 ? inverse : 1) * (dense < 1 ? 4.0f : 1.0f), ratio > 1 ? ratio : 1,
                                       dense > 1 ? dense : 1};
}

static int64_t
chunk(int64_t blocks)
{
    return CHANNELS * (blocks > 1 ? 2 : 1);
}

/* In single precision and in oneDNN's order. */
static float
traffic(const struct sharing *s, int64_t group_threads, int64_t m, int64_t a, int64_t b)
{
    const struct problem *p = &s->problem;
    struct weights_of_traffic weights = weigh(s);
    int64_t work = ceil_divide(s->work, m), groups = ceil_divide(p->groups, group_threads);
    int64_t source = p->batch * p->source[DEPTH] * p->source[HEIGHT] * s->source_width / s->work;
    int64_t target = p->batch * p->target[DEPTH] * p->target[HEIGHT] * s->target_width / s->work;
    int64_t in = ceil_divide(s->in_chunks, b) * chunk(s->in_blocks), out_chunk = chunk(s->out_blocks);
    int64_t out = ceil_divide(s->out_chunks, out_chunk * a) * out_chunk;
    float moved, target_moved, weights_moved;

    source = work * source / p->stride[DEPTH] / p->stride[HEIGHT] / p->stride[WIDTH];
    moved = (float)BFLOAT16_BYTES * weights.source * (float)groups * (float)in * (float)source;
    target_moved = (float)BFLOAT16_BYTES * weights.target * (float)groups * (float)out * (float)(work * target);
    weights_moved =
        (float)FLOAT_BYTES * weights.weights * (float)groups * (float)out * (float)in * (float)product(p->kernel);
    return moved + target_moved + weights_moved;
}

static void
share_threads(struct sharing *s)
{
    const struct problem *p = &s->problem;
    int64_t all = p->machine->threads, threads = all / p->groups;
    float best;

    s->batch_threads = s->out_threads = s->in_threads = 1;
    s->threads = min_i64(all, p->groups);
    if (all < p->groups)
        return;
    best = traffic(s, p->groups, 1, 1, 1);
    for (int64_t m = 1; m <= min_i64(threads, s->work); m++)
        for (int64_t a = 1; a <= min_i64(threads / m, s->out_chunks); a++) {
            int64_t b = min_i64(threads / m / a, s->in_blocks * CHANNELS / chunk(s->in_blocks));
            float moved = traffic(s, p->groups, m, a, b);

            if (moved > best)
                continue;
            best = moved;
            s->batch_threads = m;
            s->out_threads = a;
            s->in_threads = b;
        }
    if (s->batch_threads > threads / 2 && s->batch_threads < threads)
        s->batch_threads = min_i64(s->work, threads);
    s->threads = p->groups * s->batch_threads * s->out_threads * s->in_threads;
}

static void
sharing_init(struct sharing *s, const struct problem *problem)
{
    *s = (struct sharing){.problem = *problem};
    join_rows(&s->problem);
    s->in_blocks = ceil_divide(problem->in, CHANNELS);
    s->out_blocks = ceil_divide(problem->out, CHANNELS);
    s->in_chunks = ceil_divide(s->in_blocks, 2);
    s->out_chunks = ceil_divide(s->out_blocks, 2);
    s->source_width = s->problem.source[WIDTH] + problem->padding[WIDTH] + problem->end_padding[WIDTH];
    s->source_width = round_up(ceil_divide(s->source_width, problem->stride[WIDTH]), TILE) * problem->stride[WIDTH];
    s->target_width = transposed_target(s->problem.target[WIDTH]);
    s->work = problem->batch * s->problem.target[problem->dims == 3 ? DEPTH : HEIGHT];
    share_threads(s);
}

/* Target rows that keep both, as they are and transposed, in the second cache. */
static int64_t
row_block(const struct sharing *s)
{
    const struct problem *p = &s->problem;
    int64_t source = 2 * BFLOAT16_BYTES * s->source_width * CHANNELS * ceil_divide(s->in_blocks, s->in_threads);
    int64_t target = 2 * BFLOAT16_BYTES * s->target_width * CHANNELS * ceil_divide(s->out_blocks, s->out_threads);
    float room = 0.8f * (float)(p->machine->l2 * 3 / 4) - (float)(p->kernel[HEIGHT] * source);
    float rows = (room > 0 ? room : 0) / (float)(source + target);
    int64_t most = rows > 1 ? (int64_t)rows : 1, height = p->target[HEIGHT];

    return clamp(1, height, ceil_divide(height, ceil_divide(height, most)));
}

static int64_t
source_rows(const struct problem *p, int64_t rows)
{
    int64_t kernel = p->kernel[HEIGHT], stride = p->stride[HEIGHT];
    int64_t reach = (rows - 1) * min_i64(kernel, stride) + (kernel - 1) * (p->dilation[HEIGHT] + 1) + 1;

    return min_i64(p->source[HEIGHT], stride * min_i64(p->source[HEIGHT], reach));
}

static int64_t
sums(const struct sharing *s)
{
    const struct problem *p = &s->problem;
    int64_t out = p->groups * s->out_blocks * CHANNELS;

    return s->batch_threads * out * (s->in_blocks * CHANNELS * product(p->kernel) + (p->bias ? 1 : 0));
}

static int64_t
scratchpad_of(const struct sharing *s)
{
    const struct problem *p = &s->problem;
    int64_t rows = row_block(s), scratchpad = 0, shared = s->batch_threads * p->groups * CHANNELS;
    int64_t guard = round_up(max_i64(p->padding[WIDTH], p->end_padding[WIDTH] + 1), TILE);
    int64_t source = shared * s->in_blocks * s->source_width * source_rows(p, rows) * p->source[DEPTH];
    int64_t target = shared * s->out_blocks * s->target_width * rows * p->target[DEPTH];
    int64_t batch = round_up(p->target[DEPTH] * p->target[HEIGHT] * BRGEMM_BATCH_ELEMENT, PAGE);

    scratchpad_book(&scratchpad, (source + guard) * BFLOAT16_BYTES);
    if (s->out_threads > 1)
        scratchpad_book_barriers(&scratchpad, s->threads / s->out_threads);
    scratchpad_book(&scratchpad, (target + s->source_width * CHANNELS) * BFLOAT16_BYTES);
    if (s->in_threads > 1)
        scratchpad_book_barriers(&scratchpad, s->threads / s->in_threads);
    scratchpad_book(&scratchpad, sums(s) * FLOAT_BYTES);
    scratchpad_book_barriers(&scratchpad, 1);
    scratchpad_book(&scratchpad, TILE_CONFIG);
    scratchpad_book_pages(&scratchpad, s->threads * ceil_divide(batch, BRGEMM_BATCH_ELEMENT) * BRGEMM_BATCH_ELEMENT);
    scratchpad_book_pages(&scratchpad, s->threads * TILE_BUFFER);
    return scratchpad;
}

bool
tiles_weights(const struct problem *problem, struct primitive *primitive)
{
    struct sharing s;
    int64_t weights;

    if (!shape_fits(problem))
        return false;
    sharing_init(&s, problem);
    weights =
        problem->groups * round_up(problem->in, 2 * CHANNELS) * s.out_blocks * CHANNELS * product(problem->kernel);
    *primitive = (struct primitive){channels_last(), channels_last(), weights, scratchpad_of(&s), false};
    return true;
}

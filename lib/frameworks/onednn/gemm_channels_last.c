/*
 * Image columns and matrix products on channels-last tensors. Follows the heuristics of oneDNN 3.12 (Apache-2.0):
 * src/cpu/gemm_convolution_utils.cpp, init_conf where is_nspc.
 */
#include "frameworks/onednn/gemm.h"

#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    ROW_STEP = 4,    /* target rows by which a block shrinks */
    FEW_POINTS = 64, /* source points a thread below which threads take whole images */
    FEW_WEIGHTS_POINTS = 256,
    FEW_WORK = 64 * 1024, /* multiply-adds a thread */
};

static const float busy = 0.9f; /* share of the threads' time */

/* Rows and columns of the target that are spread into columns at once. */
struct target_block {
    int64_t rows, width;
};

static bool
is_dilated_image(const struct problem *p)
{
    return p->dims != 2 || p->dilation[HEIGHT] != 0 || p->dilation[WIDTH] != 0;
}

static bool
is_cut(const struct columns *c)
{
    const struct problem *p = c->problem;
    int64_t weights = p->in * p->out * p->kernel[HEIGHT] * p->kernel[WIDTH], cache = p->machine->l2 / c->element;

    return c->column != 0 && !is_dilated_image(p) && !is_depthwise(p) && weights < cache / 2;
}

/* A block whose source, columns and target stay in the second cache. */
static struct target_block
cached_block(const struct columns *c)
{
    const struct problem *p = c->problem;
    int64_t cache = p->machine->l2 / c->element, height = p->target[HEIGHT], width = p->target[WIDTH];
    int64_t row = p->in * p->source[WIDTH] + p->out * width;
    int64_t bytes = 5 * c->element * (p->in * width * c->kernel + 2 * row) + c->element * row;
    struct target_block block = {clamp(1, height, ceil_divide(cache, bytes)), width};

    if (block.rows == 1)
        block.width = clamp(1, width, ceil_divide(cache, c->element * (p->in * c->kernel + 2 * (p->in + p->out))));
    if (block.rows != height)
        block.rows = max_i64(1, round_down(block.rows, ROW_STEP));
    if (block.width != width)
        block.width = max_i64(1, round_down(block.width, c->simd));
    return block;
}

/* How busy the threads are with `images` times the pieces of `size` in blocks of `block`. */
static float
block_efficiency(const struct columns *c, int64_t images, int64_t size, int64_t block)
{
    float shared = thread_share(images * ceil_divide(size, block), c->threads);

    return (shared + (float)size / (float)round_up(size, block)) / 2;
}

/* Fewer rows until the threads are busy, then single rows of less width; returns how busy they are. */
static float
shrink(const struct columns *c, struct target_block *block)
{
    const struct problem *p = c->problem;
    int64_t images = p->groups * p->batch, height = p->target[HEIGHT], width = p->target[WIDTH];
    float efficiency = 0;

    while (block->width == width && block->rows > 0) {
        efficiency = block_efficiency(c, images * p->target[DEPTH], height, block->rows);
        if (efficiency >= busy)
            return efficiency;
        block->rows = block->rows < ROW_STEP ? 0 : round_down(block->rows - ROW_STEP, ROW_STEP);
    }
    for (block->rows = 1; block->width > 0;) {
        efficiency = block_efficiency(c, images * height, width, block->width);
        if (efficiency > busy)
            break;
        block->width = block->width < c->simd ? 0 : round_down(block->width - c->simd, c->simd);
    }
    return efficiency;
}

static float
inner_efficiency(const struct columns *c, int64_t points, int64_t channels)
{
    return thread_share(ceil_divide(points, c->simd) * ceil_divide(channels, c->simd), c->threads);
}

/* Target points of a cut forward pass; false if threads do better within a whole image. */
static bool
cut_points(const struct columns *c, int64_t *points)
{
    const struct problem *p = c->problem;
    struct target_block block = cached_block(c);
    float efficiency = shrink(c, &block);
    bool outer = efficiency >= inner_efficiency(c, c->target, p->out) / 2;

    block = (struct target_block){max_i64(1, block.rows), max_i64(1, block.width)};
    if (!outer || block.rows != 1)
        block.width = p->target[WIDTH];
    *points = (outer ? block.rows : p->target[HEIGHT]) * block.width;
    return outer;
}

/* Whether each thread takes whole images. */
static bool
takes_images(const struct columns *c)
{
    const struct problem *p = c->problem;
    float outer = thread_share(p->groups * p->batch, c->threads);

    if (p->dims == 3 || (!is_depthwise(p) && (c->source / c->threads >= FEW_POINTS || p->batch == 1)))
        return false;
    return outer / inner_efficiency(c, c->source, p->in) >= 1.0f || c->target * p->in * p->out / c->threads < FEW_WORK;
}

static int64_t
source_elements(const struct columns *c)
{
    return c->problem->source[DEPTH] * c->source * c->problem->in;
}

/* What is summed in float32 before it is bfloat16. */
static void
book_sums(const struct columns *c, int64_t sums, int64_t *scratchpad)
{
    if (c->problem->half)
        scratchpad_book(scratchpad, sums * FLOAT_BYTES);
}

static int64_t
bias_elements(const struct columns *c)
{
    return c->problem->bias ? c->problem->groups * c->problem->out : 0;
}

static void
book_forward(const struct columns *c, int64_t *scratchpad)
{
    int64_t points = c->target;
    bool outer = is_cut(c) && cut_points(c, &points);
    int64_t threads = outer || takes_images(c) ? c->threads : 1;

    scratchpad_book(scratchpad, threads * (c->column / c->target * points) * c->element);
    book_sums(c, threads * points * c->problem->out, scratchpad);
    scratchpad_book(scratchpad, threads * source_elements(c) * c->element);
    book_sums(c, bias_elements(c), scratchpad);
}

static void
book_data(const struct columns *c, int64_t *scratchpad)
{
    int64_t threads = takes_images(c) ? c->threads : 1;

    scratchpad_book(scratchpad, threads * c->column * c->problem->target[DEPTH] * FLOAT_BYTES);
    if (c->problem->groups > 1 || c->problem->half)
        scratchpad_book(scratchpad, threads * source_elements(c) * FLOAT_BYTES);
}

static void
book_weights(const struct columns *c, int64_t *scratchpad)
{
    int64_t bytes = c->threads * ((c->column + source_elements(c)) * c->element + FLOAT_BYTES * c->weights), threads;
    bool images = c->problem->batch != 1 || c->problem->groups > 2;

    if (c->problem->half)
        bytes += FLOAT_BYTES * (c->weights + bias_elements(c));
    threads = bytes < c->limit && c->target / c->threads < FEW_WEIGHTS_POINTS && images ? c->threads : 1;
    scratchpad_book(scratchpad, threads * c->column * c->element);
    scratchpad_book(scratchpad, threads * c->weights * FLOAT_BYTES); /* bytes taken for elements */
    scratchpad_book(scratchpad, threads * source_elements(c) * c->element);
    book_sums(c, c->weights, scratchpad);
    book_sums(c, bias_elements(c), scratchpad);
}

bool
gemm_channels_last(const struct problem *problem, enum pass pass, struct primitive *primitive)
{
    static void (*const passes[PASS_COUNT])(const struct columns *, int64_t *) = {book_forward, book_data,
                                                                                  book_weights};
    struct columns c = columns_of(problem);
    int64_t scratchpad = 0, weights = problem->groups * problem->in * problem->out * product(problem->kernel);

    passes[pass](&c, &scratchpad);
    if (scratchpad > c.limit)
        return false;
    *primitive = (struct primitive){channels_last(), channels_last(), weights, scratchpad, true};
    return true;
}

/*
 * Image columns and matrix products on plain tensors. Follows the heuristics of oneDNN 3.12 (Apache-2.0):
 * src/cpu/gemm_convolution_utils.cpp, init_conf.
 */
#include "frameworks/onednn/gemm.h"

#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    SMALL_FORWARD = 512, /* target points a thread below which threads take whole images */
    SMALL_WEIGHTS = 256,
    SMALL_KERNEL = 64,          /* points */
    SMALL_WORK = 64 * 1024,     /* multiply-adds a thread */
    LIMIT_FACTOR = 15,          /* scratchpad against the tensors */
    BLOCKED_CHANNEL_RATIO = 42, /* most input channels an output channel without columns */
    BLOCKED_WORK = 1024,        /* most multiply-adds of such a problem */
};

static const int64_t max_scratchpad = INT64_C(1) << 30;

static bool
needs_columns(const struct problem *problem)
{
    for (int axis = 0; axis < AXES; axis++)
        if (problem->kernel[axis] != 1 || problem->stride[axis] != 1 || problem->source[axis] != problem->target[axis])
            return true;
    return false;
}

struct columns
columns_of(const struct problem *problem)
{
    struct columns c = {.problem = problem, .threads = problem->machine->threads};
    int64_t element = element_bytes(problem);
    int64_t tensors = problem->batch * problem->groups * element *
                      (problem->in * product(problem->source) + problem->out * product(problem->target));

    c.element = element;
    c.simd = (problem->machine->isa == CPU_ISA_AVX512 ? SIMD_AVX512 : SIMD_AVX2) * FLOAT_BYTES / element;
    c.source = problem->source[HEIGHT] * problem->source[WIDTH];
    c.target = problem->target[HEIGHT] * problem->target[WIDTH];
    c.kernel = product(problem->kernel);
    c.column = needs_columns(problem) ? problem->in * c.kernel * c.target : 0;
    c.weights = problem->groups * problem->out * problem->in * c.kernel * element;
    c.limit = min_i64(max_scratchpad, LIMIT_FACTOR * c.threads * (tensors + c.weights));
    return c;
}

float
thread_share(int64_t work, int64_t threads)
{
    return (float)work / (float)round_up(work, threads);
}

/* Whether the threads do better with an image each (`outer` pieces of work) than within one. */
static bool
prefers_images(const struct columns *c, int64_t outer, int64_t points, int64_t channels, int64_t work)
{
    float inner = thread_share(ceil_divide(points, c->simd) * ceil_divide(channels, c->simd), c->threads);

    return thread_share(outer, c->threads) / inner >= 1.0f || work / c->threads < SMALL_WORK;
}

static bool
shares_images(const struct problem *problem)
{
    return problem->batch != 1 || problem->groups > 2;
}

static bool
forward_takes_images(const struct columns *c)
{
    const struct problem *p = c->problem;

    return c->target / c->threads < SMALL_FORWARD && (p->target[DEPTH] != 1 || shares_images(p)) &&
           prefers_images(c, p->groups * p->batch * p->target[DEPTH], c->target, p->out, c->target * p->in * p->out);
}

static bool
data_takes_images(const struct columns *c)
{
    const struct problem *p = c->problem;

    return (c->target / c->threads < SMALL_FORWARD || c->kernel < SMALL_KERNEL) && shares_images(p) &&
           prefers_images(c, p->groups * p->batch, c->source, p->in, c->source * p->in * p->out);
}

static bool
weights_take_images(const struct columns *c)
{
    const struct problem *p = c->problem;
    int64_t estimate = c->threads * (FLOAT_BYTES * c->weights + c->element * p->in * c->kernel * c->simd);

    if (p->half)
        estimate += FLOAT_BYTES * (c->weights + (p->bias ? p->groups * p->out : 0));
    return estimate < c->limit && c->target / c->threads < SMALL_WEIGHTS && shares_images(p);
}

/* Whether the forward pass of images is cut into blocks of output channels, points and input channels. */
static bool
is_blocked(const struct columns *c)
{
    const struct problem *p = c->problem;
    const double few_sums = 0.05;
    int64_t images = p->batch * p->groups;
    double sums = (double)(p->in * c->kernel);

    if (p->dims == 3)
        return false;
    if (c->column == 0)
        return p->in / p->out < BLOCKED_CHANNEL_RATIO && p->in * p->out * c->source < BLOCKED_WORK;
    return images * c->target >= c->threads * c->simd || c->target < images ||
           (p->stride[WIDTH] == 1 && sums <= few_sums * (double)p->out);
}

static struct gemm_blocks
forward_blocks(const struct columns *c)
{
    const struct problem *p = c->problem;
    struct gemm_shape shape = {.in = p->in,
                               .out = p->out,
                               .kernel = c->kernel,
                               .target = c->target,
                               .points = p->batch * p->groups * c->target,
                               .threads = c->threads,
                               .simd = c->simd,
                               .stride = p->stride[HEIGHT] * p->stride[WIDTH],
                               .strided = p->stride[WIDTH] != 1,
                               .columns = c->column != 0,
                               .cache = p->machine->l2 / c->element};

    return gemm_choose_blocks(&shape);
}

/* Sums of float32, of the result and the bias, before they are bfloat16. */
static void
book_sums(const struct columns *c, int64_t sums, bool bias, int64_t *scratchpad)
{
    if (!c->problem->half)
        return;
    scratchpad_book(scratchpad, sums * FLOAT_BYTES);
    if (bias)
        scratchpad_book(scratchpad, c->problem->groups * c->problem->out * FLOAT_BYTES);
}

static bool
forward_scratchpad(const struct columns *c, int64_t *scratchpad)
{
    bool cut = is_blocked(c);
    struct gemm_blocks whole = {c->problem->out, c->target, c->problem->in}, blocks = cut ? forward_blocks(c) : whole;
    int64_t threads = cut || forward_takes_images(c) ? c->threads : 1;
    int64_t column = cut && c->column != 0 ? blocks.in * c->kernel * blocks.points : c->column;

    book_sums(c, threads * round_up(blocks.out * blocks.points, SIMD_AVX512), c->problem->bias, scratchpad);
    scratchpad_book(scratchpad, threads * column * c->element);
    return *scratchpad <= c->limit;
}

/* The columns of a backward pass, fewer points of them if they do not fit: `share` of what would, in units of simd. */
static bool
backward_columns(const struct columns *c, int64_t threads, int64_t element, float share, int64_t *scratchpad)
{
    int64_t room = c->limit - *scratchpad, column = threads * c->column;

    if (room < 0)
        return false;
    if (room < column * element) {
        int64_t max = room / (element * threads * (c->column / c->target));

        column = threads * c->problem->in * c->kernel * max_i64(c->simd, (int64_t)((double)max * (double)share));
    }
    scratchpad_book(scratchpad, column * element);
    return *scratchpad <= c->limit;
}

static bool
data_scratchpad(const struct columns *c, int64_t *scratchpad)
{
    int64_t threads = data_takes_images(c) ? c->threads : 1;
    int64_t source = product(c->problem->source);

    book_sums(c, threads * round_up(c->problem->in * source, SIMD_AVX512), false, scratchpad);
    return backward_columns(c, threads, FLOAT_BYTES, 0.1f, scratchpad);
}

static bool
weights_scratchpad(const struct columns *c, int64_t *scratchpad)
{
    int64_t threads = weights_take_images(c) ? c->threads : 1;

    scratchpad_book(scratchpad, threads * c->weights * FLOAT_BYTES); /* bytes taken for elements: four times too much */
    book_sums(c, c->weights, c->problem->bias, scratchpad);
    return backward_columns(c, threads, c->element, 0.05f, scratchpad);
}

bool
gemm_convolution(const struct problem *problem, enum pass pass, struct primitive *primitive)
{
    static bool (*const passes[PASS_COUNT])(const struct columns *, int64_t *) = {forward_scratchpad, data_scratchpad,
                                                                                  weights_scratchpad};
    struct columns c = columns_of(problem);
    int64_t scratchpad = 0;

    if (!passes[pass](&c, &scratchpad))
        return false;
    *primitive = (struct primitive){plain(), plain(), 0, scratchpad, false};
    return true;
}

/*
 * Kernels of a single point, without groups and padding. A strided one of two dimensions is first reduced to the points
 * that it reads. Follows the heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_uni_1x1_conv_utils.hpp,
 * jit_avx512_common_1x1_conv_kernel.cpp, jit_avx2_1x1_conv_kernel_f32.cpp, jit_avx2_1x1_convolution.hpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    LOAD_BLOCKS_AVX2 = 32,       /* at most so many output blocks a job of the weights pass */
    BROADCAST_BLOCKS_AVX2 = 9,   /* the same of input blocks */
    DATA_LOAD_BLOCKS_AVX2 = 18,  /* input blocks that the data pass loads at once */
    BROADCAST_BLOCKS_AVX512 = 5, /* input blocks a job */
    REDUCE_LOW = 7,              /* bounds of the points of a reduction block */
    REDUCE_HIGH = 16,
    REDUCE_LOW_TAIL = 4,
    REDUCE_MAX = 256,
    WEIGHTS_COST = 12,        /* of a weight that threads share, in elements of the data */
    REDUCER_TILE = 3 * 5 * 5, /* blocks of channels squared that a thread's partial sums may take */
};

static bool
has_whole_strides(const struct problem *problem)
{
    if (problem->dims != 2 || (problem->stride[HEIGHT] == 1 && problem->stride[WIDTH] == 1))
        return false;
    for (int axis = HEIGHT; axis <= WIDTH; axis++)
        if (problem->padding[axis] != 0 || problem->target[axis] * problem->stride[axis] != problem->source[axis])
            return false;
    return true;
}

static bool
is_unit_strided(const struct problem *problem)
{
    for (int axis = 0; axis < AXES; axis++)
        if (problem->padding[axis] != 0 || problem->stride[axis] != 1 || problem->source[axis] != problem->target[axis])
            return false;
    return true;
}

bool
pointwise_init(const struct problem *problem, int64_t simd, struct pointwise *point)
{
    bool reduced = has_whole_strides(problem);

    if (problem->groups != 1 || !all_equal(problem->kernel, 1))
        return false;
    if (!reduced && !is_unit_strided(problem))
        return false;
    *point = (struct pointwise){.problem = problem,
                                .in = ceil_divide(problem->in, simd),
                                .out = ceil_divide(problem->out, simd),
                                .points = product(problem->target),
                                .row = problem->target[WIDTH],
                                .reduced = reduced};
    return true;
}

struct primitive
pointwise_primitive(const struct pointwise *point, int64_t simd, int64_t scratchpad)
{
    struct layout data = data_layout(point->problem, blocked(simd));

    return (struct primitive){data, data, point->in * point->out * simd * simd, scratchpad, false};
}

void
pointwise_book_padded_bias(int64_t *scratchpad, const struct problem *problem, int64_t simd)
{
    int64_t padded = round_up(problem->out, simd);

    if (problem->half)
        padded = padded_channels(problem, problem->out, simd);
    if (problem->bias && problem->out % simd != 0)
        scratchpad_book(scratchpad, padded * element_bytes(problem));
}

/* The points that a strided kernel reads, for `blocks` blocks of channels a thread; of channels-last data for all. */
static void
book_reduced_source(int64_t *scratchpad, const struct pointwise *point, int64_t threads, int64_t blocks, int64_t simd)
{
    int64_t channels = point->problem->channels_last ? point->problem->in : blocks * simd;

    if (point->reduced)
        scratchpad_book(scratchpad, threads * channels * point->points * FLOAT_BYTES);
}

bool
pointwise_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct pointwise point;
    int64_t scratchpad = 0;

    if (!pointwise_init(problem, simd, &point))
        return false;
    if (!problem->channels_last)
        pointwise_book_padded_bias(&scratchpad, problem, simd);
    book_reduced_source(&scratchpad, &point, problem->machine->threads, point.in, simd);
    *primitive = pointwise_primitive(&point, simd, scratchpad);
    return true;
}

bool
pointwise_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct pointwise point;
    int64_t scratchpad = 0;

    if (!pointwise_init(problem, simd, &point))
        return false;
    book_reduced_source(&scratchpad, &point, problem->machine->threads,
                        simd == SIMD_AVX512 ? point.in : DATA_LOAD_BLOCKS_AVX2, simd);
    *primitive = pointwise_primitive(&point, simd, scratchpad);
    return true;
}

int64_t
best_divisor(int64_t value, int64_t low, int64_t high, int64_t step, bool larger)
{
    int64_t top = clamp(1, value, high), best = top;
    float best_waste = 2;

    for (int64_t divisor = top; divisor >= clamp(1, top, low); divisor -= step) {
        int64_t whole = round_up(value, divisor);
        float waste = (float)(whole - value) / (float)whole;

        if (waste < best_waste || (!larger && waste <= best_waste)) {
            best_waste = waste;
            best = divisor;
        }
    }
    return best;
}

static int64_t
reduction_block(const struct pointwise *point)
{
    int64_t block = best_divisor(point->points, REDUCE_LOW, REDUCE_HIGH, 1, true);

    if (point->points % block != 0)
        block = best_divisor(point->row, REDUCE_LOW_TAIL, point->row, 1, false);
    return block > REDUCE_MAX ? 1 : block;
}

/* Elements that a thread moves when `m` threads share the images, `a` the output blocks and `b` the input blocks. */
static int64_t
traffic(const struct pointwise *point, int64_t block, int64_t weights_cost, int64_t m, int64_t a, int64_t b)
{
    const int64_t simd = SIMD_AVX512;
    int64_t pieces = ceil_divide(point->problem->batch * ceil_divide(point->points, block), m);
    int64_t outs = ceil_divide(point->out, a), ins = ceil_divide(point->in, b);

    return pieces * (ins + outs) * simd * block + weights_cost * outs * ins * simd * simd;
}

void
pointwise_share_threads(struct pointwise *point, int64_t block, int64_t weights_cost)
{
    const struct problem *problem = point->problem;
    int64_t threads = problem->machine->threads, pieces = problem->batch * ceil_divide(point->points, block);
    int64_t best = traffic(point, block, weights_cost, 1, 1, 1), channel_threads = 1;

    point->batch_threads = 1;
    for (int64_t m = 1; m <= min_i64(threads, pieces); m++)
        for (int64_t a = 1; a <= min_i64(threads / m, point->out); a++) {
            int64_t b = min_i64(threads / m / a, point->in), cost = traffic(point, block, weights_cost, m, a, b);

            if (cost > best)
                continue;
            best = cost;
            point->batch_threads = m;
            channel_threads = a * b;
        }
    if (point->batch_threads > threads / 2 && point->batch_threads < threads)
        point->batch_threads = min_i64(problem->batch, threads);
    point->threads = point->batch_threads * channel_threads;
}

static int64_t
weights_scratchpad_avx512(const struct problem *problem, struct pointwise *point)
{
    const int64_t simd = SIMD_AVX512, weights = point->in * point->out * simd * simd;
    int64_t scratchpad = 0, limit;

    pointwise_share_threads(point, reduction_block(point), WEIGHTS_COST);
    pointwise_book_padded_bias(&scratchpad, problem, simd);
    scratchpad_book(&scratchpad, weights * (point->batch_threads - 1) * FLOAT_BYTES);
    if (point->batch_threads > 1)
        scratchpad_book_barriers(&scratchpad, 1);
    limit = point->threads * REDUCER_TILE * simd * simd;
    if (problem->bias)
        scratchpad_book_reducer(&scratchpad,
                                balance_reduction(point->threads, simd, point->out, problem->batch, limit));
    book_reduced_source(&scratchpad, point, point->threads,
                        best_divisor(point->in, BROADCAST_BLOCKS_AVX512, point->in, 1, false), simd);
    return scratchpad;
}

/* Halves or thirds of `blocks` until there are no more than `max`, as long as it divides. */
static int64_t
divided_blocks(int64_t blocks, int64_t max)
{
    while (blocks > max && (blocks % 2 == 0 || blocks % 3 == 0))
        blocks /= blocks % 2 == 0 ? 2 : 3;
    return blocks;
}

/* Here every thread of a group has a buffer of its own, the first one too. */
static void
book_plane_reducer(int64_t *scratchpad, struct balance balance)
{
    if (balance.threads_per_group == 1)
        return;
    scratchpad_book(scratchpad,
                    balance.groups * balance.threads_per_group * balance.jobs_per_group * balance.job * FLOAT_BYTES);
    scratchpad_book_barriers(scratchpad, balance.groups);
}

static int64_t
weights_scratchpad_avx2(const struct problem *problem, const struct pointwise *point)
{
    const int64_t simd = SIMD_AVX2, jobs_in_buffer = 8;
    int64_t threads = problem->machine->threads, scratchpad = 0;
    int64_t load = divided_blocks(point->out, LOAD_BLOCKS_AVX2);
    int64_t broadcast = divided_blocks(point->in, BROADCAST_BLOCKS_AVX2);
    int64_t job = load * broadcast * simd * simd, limit = threads * job * jobs_in_buffer;

    pointwise_book_padded_bias(&scratchpad, problem, simd);
    book_reduced_source(&scratchpad, point, threads, broadcast, simd);
    if (problem->bias)
        scratchpad_book_reducer(&scratchpad, balance_reduction(threads, simd, point->out, problem->batch, limit));
    book_plane_reducer(&scratchpad, balance_reduction(threads, job, (point->in / broadcast) * (point->out / load),
                                                      problem->batch * point->points, limit));
    return scratchpad;
}

bool
pointwise_weights(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct pointwise point;

    if (!pointwise_init(problem, simd, &point))
        return false;
    *primitive = pointwise_primitive(&point, simd,
                                     simd == SIMD_AVX512 ? weights_scratchpad_avx512(problem, &point)
                                                         : weights_scratchpad_avx2(problem, &point));
    return true;
}

/*
 * Blocks of the strided data pass: the candidate with the best estimate of efficiency. Follows the heuristics of oneDNN
 * 3.12 (Apache-2.0): src/cpu/x64/jit_brgemm_conv_bwd_utils.cpp, calc_blocks of brg_blocking_t.
 */
#include "frameworks/onednn/strided.h"

#include "frameworks/onednn/kernel.h"

#include <math.h>

static bool
channels_allowed(const struct strided_shape *shape, int64_t channels)
{
    const struct problem *problem = shape->problem;
    int64_t padded = round_up(problem->in, shape->simd), strides = product(problem->stride);

    if (channels == 64 && shape->pointwise)
        return padded % 64 == 0 && product(problem->source) >= 64 * strides;
    if (channels == 64)
        return padded % 64 == 0 && padded * element_bytes(problem) < 192 * FLOAT_BYTES;
    if (channels == 48 && shape->pointwise)
        return (float)problem->in / (float)round_up(problem->in, 48) >= 0.95f;
    if (channels == 48)
        return padded % 48 == 0 && padded * element_bytes(problem) <= 384 * FLOAT_BYTES &&
               product(problem->target) > 81 * strides;
    return true;
}

/* Slices and rows of the source whose targets stay in half of the second cache. */
static void
fit_cache(const struct problem *problem, struct strided_block *block)
{
    int64_t rows = strided_padded_target(problem, HEIGHT), slices = strided_padded_target(problem, DEPTH);
    int64_t cache = problem->machine->l2, room, accumulators = FLOAT_BYTES * 2 * 16 * block->channels;
    int64_t row = element_bytes(problem) * 2 * problem->out * strided_padded_target(problem, WIDTH) +
                  strided_result_bytes(problem) * problem->source[WIDTH] * block->channels;

    room = cache - element_bytes(problem) * product(problem->kernel) * problem->out * block->channels - accumulators;
    room = min_i64(ceil_divide(cache, 2), max_i64(0, room));
    block->source[DEPTH] = 1;
    block->source[HEIGHT] = problem->source[HEIGHT];
    if (slices * rows * row <= room)
        return;
    block->source[DEPTH] = clamp(1, problem->source[DEPTH], room / (rows * row));
    if (block->source[DEPTH] == 1)
        block->source[HEIGHT] = clamp(1, problem->source[HEIGHT], room / row);
}

/* The next number of points that is whole strides and, where the axis is, divides it. */
static int64_t
whole_strides(const struct problem *problem, int axis, int64_t points)
{
    int64_t size = problem->source[axis], stride = problem->stride[axis];

    while (points < size && (points % stride != 0 || (size % stride == 0 && size % points != 0)))
        points++;
    return points;
}

/* Fewer of them if some threads had nothing to do. */
static void
occupy_threads(const struct problem *problem, struct strided_block *block)
{
    int64_t groups = problem->in > 32 ? problem->groups : 1;
    int64_t pieces =
        ceil_divide(problem->machine->threads, problem->batch * ceil_divide(groups * problem->in, block->channels));
    int64_t slices = ceil_divide(problem->source[DEPTH], pieces);
    int64_t rows = ceil_divide(problem->source[HEIGHT], pieces * ceil_divide(problem->source[DEPTH], slices));

    block->source[DEPTH] = whole_strides(problem, DEPTH, min_i64(block->source[DEPTH], slices));
    block->source[HEIGHT] = whole_strides(problem, HEIGHT, min_i64(block->source[HEIGHT], rows));
}

/* Widest block that leaves work for nine tenths of the threads. */
static int64_t
widest_block(const struct strided_shape *shape, int64_t channels)
{
    const struct problem *problem = shape->problem;
    const float busy = 0.9f;
    int64_t work = problem->batch * problem->groups * ceil_divide(problem->in, channels) * product(problem->source);
    double points = ceil((double)work / (double)(busy * (float)problem->machine->threads));
    int64_t widest = min_i64(problem->source[WIDTH], clamp(1, shape->width, (int64_t)points));

    return shape->width == problem->source[WIDTH] ? widest : round_up(widest, problem->stride[WIDTH]);
}

static bool
width_allowed(const struct strided_shape *shape, int64_t width)
{
    const struct problem *problem = shape->problem;

    return width % problem->stride[WIDTH] == 0 &&
           (shape->width != problem->source[WIDTH] || problem->source[WIDTH] % width == 0);
}

/* The best block so far, and its estimate. */
struct choice {
    struct strided_block block;
    float efficiency;
};

/* Returns whether some width is better than the choice so far. */
static bool
try_widths(const struct strided_shape *shape, struct strided_block *block, struct choice *best)
{
    const float hopeless = 0.00001f;
    int64_t widest = widest_block(shape, block->channels);
    bool found = false;

    for (int64_t width = shape->width; width > 0; width = next_narrower(shape->width, width)) {
        float efficiency;

        if (width > widest || !width_allowed(shape, width))
            continue;
        block->source[WIDTH] = width;
        efficiency = strided_estimate(shape, block);
        if ((efficiency > best->efficiency || best->efficiency == 0) &&
            (shape->problem->half || efficiency >= hopeless)) {
            *best = (struct choice){*block, efficiency};
            found = true;
        }
    }
    return found;
}

/* Whole kernel or a stride of it, along the depth and the height. */
static bool
try_kernels(const struct strided_shape *shape, struct strided_block *block, struct choice *best)
{
    const struct problem *problem = shape->problem;
    int64_t options[AXES][2];
    int counts[AXES];
    bool found = false;

    for (int axis = DEPTH; axis <= HEIGHT; axis++) {
        options[axis][0] = problem->kernel[axis];
        options[axis][1] = problem->stride[axis];
        counts[axis] = problem->kernel[axis] == 1 ? 1 : 2;
    }
    block->kernel[WIDTH] = problem->kernel[WIDTH];
    for (int d = 0; d < counts[DEPTH]; d++)
        for (int h = 0; h < counts[HEIGHT]; h++) {
            block->kernel[DEPTH] = options[DEPTH][d];
            block->kernel[HEIGHT] = options[HEIGHT][h];
            found |= try_widths(shape, block, best);
        }
    return found;
}

static struct strided_shape
shape_of(const struct problem *problem, int64_t simd)
{
    int64_t width = round_up(problem->source[WIDTH], problem->stride[WIDTH]);
    int64_t weights = problem->in * product(problem->kernel);
    int64_t lanes = simd * FLOAT_BYTES / element_bytes(problem);
    struct strided_shape shape = {.problem = problem, .simd = simd, .lanes = lanes, .width = width, .pointwise = true};

    for (int axis = 0; axis < AXES; axis++)
        if (problem->padding[axis] > 0 || problem->end_padding[axis] > 0 || problem->kernel[axis] != 1)
            shape.pointwise = false;
    shape.channels_outer = product(problem->target) < weights && width == problem->source[WIDTH];
    return shape;
}

bool
strided_choose_block(const struct problem *problem, int64_t simd, struct strided_block *block)
{
    struct strided_shape shape = shape_of(problem, simd);
    struct choice best = {.efficiency = 0};
    bool found = false;

    for (int64_t vectors = min_i64(ceil_divide(problem->in, simd), STRIDED_MAX_VECTORS); vectors > 0; vectors--) {
        struct strided_block next = {.channels = vectors * simd};

        if (!channels_allowed(&shape, next.channels))
            continue;
        fit_cache(problem, &next);
        occupy_threads(problem, &next);
        found |= try_kernels(&shape, &next, &best);
    }
    if (found)
        *block = best.block;
    return found;
}

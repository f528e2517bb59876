/*
 * Forward pass, and the data pass of unit stride, on channels-last data in batches of small matrix products. Follows
 * the heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_brgemm_conv.cpp, jit_brgemm_1x1_conv.cpp,
 * jit_brgemm_conv_bwd.cpp, jit_brgemm_deconv.cpp, jit_brgemm_conv_utils.cpp. Kernels that AVX-512 folds into the
 * channels of a copied source (one channel, or a target one point wide) are run as the others here.
 */
#include "frameworks/onednn/brgemm.h"

#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/nest.h"
#include "frameworks/onednn/scratchpad.h"

#include <math.h>
#include <string.h>

enum {
    LARGE_IMAGE = 150 * 150, /* points from which AVX2 takes few channels at once */
    FEW_VECTORS = 2,
    MAX_SOURCE_LINES = 1001, /* bytes of source that a pointwise block strides over */
    MAX_POINTWISE_WORK = 1000000,
    POINTWISE_POINTS = 2048,
};

/* ---- the shape ---- */

static bool
is_pointwise(const struct problem *problem)
{
    for (int axis = 0; axis < AXES; axis++)
        if (problem->kernel[axis] != 1 || problem->padding[axis] > 0 || problem->end_padding[axis] > 0)
            return false;
    return true;
}

/* Columns of the source that one stride jumps over become channels where they fill vectors. */
static int64_t
folded_columns(const struct problem *problem, int64_t lanes)
{
    int64_t in = problem->in, kernel = problem->kernel[WIDTH], stride = problem->stride[WIDTH];
    int64_t width = problem->source[WIDTH], folded = 1;

    if (problem->groups > 1 || problem->dilation[WIDTH] != 0 || kernel == 1 || stride == 1)
        return 1;
    if (problem->padding[WIDTH] > 0 || problem->end_padding[WIDTH] > 0 || (in > lanes && in % lanes != 0))
        return 1;
    if (problem->half && in % 2 != 0)
        return 1;
    for (int64_t i = 1; i <= min_i64(min_i64(kernel, stride), width); i++)
        if (width % i == 0 && (in * i <= lanes || in * i % lanes == 0) && kernel % i == 0 && stride % i == 0)
            folded = i;
    return folded;
}

/* What a product of the whole reads. @unit bytes */
static int64_t
source_bytes(const struct problem *problem)
{
    return product(problem->source) * element_bytes(problem) * problem->in;
}

static int64_t
weight_bytes(const struct problem *problem)
{
    return problem->out * product(problem->kernel) * element_bytes(problem) * problem->in;
}

/* AVX2 walks images innermost where neither fits the cache. */
static bool
is_large(const struct problem *problem, int64_t simd)
{
    int64_t cache = brgemm_cache(problem, simd);

    return simd == SIMD_AVX2 && problem->batch > problem->machine->threads && source_bytes(problem) > cache &&
           weight_bytes(problem) > cache;
}

static bool
are_channels_outer(const struct problem *problem, int64_t simd, bool pointwise)
{
    if (pointwise)
        return product(problem->source) < problem->out;
    return source_bytes(problem) < weight_bytes(problem) || is_large(problem, simd);
}

static struct brgemm_shape
shape_of(const struct problem *problem, int64_t simd, bool inverse)
{
    struct brgemm_shape shape = {.problem = *problem,
                                 .simd = simd,
                                 .lanes = simd * FLOAT_BYTES / element_bytes(problem),
                                 .pointwise = is_pointwise(problem)};
    int64_t folded = inverse ? 1 : folded_columns(problem, shape.lanes);

    shape.problem.in *= folded;
    shape.problem.source[WIDTH] /= folded;
    shape.problem.kernel[WIDTH] /= folded;
    shape.problem.stride[WIDTH] /= folded;
    problem_complete(&shape.problem);
    shape.flat = shape.pointwise && problem->stride[DEPTH] == 1 && problem->stride[HEIGHT] == 1 &&
                 problem->source[WIDTH] % problem->stride[WIDTH] == 0;
    shape.channels_outer = are_channels_outer(&shape.problem, simd, shape.pointwise);
    return shape;
}

/* ---- candidates ---- */

static bool
channels_allowed(const struct brgemm_shape *shape, int64_t channels)
{
    const struct problem *problem = &shape->problem;
    int64_t padded = round_up(problem->out, shape->simd), strides = product(problem->stride);
    int64_t bytes = padded * element_bytes(problem);

    if (channels == 64 && shape->pointwise)
        return padded % 64 == 0 && product(problem->target) >= 64 * strides;
    if (channels == 64)
        return padded % 64 == 0 && bytes < 192 * FLOAT_BYTES;
    if (channels == 48 && shape->pointwise)
        return filled(problem->out, 48) >= 0.95f;
    if (channels == 48)
        return padded % 48 == 0 && bytes <= 384 * FLOAT_BYTES && product(problem->source) > 81 * strides;
    return true;
}

static int64_t
max_vectors(const struct brgemm_shape *shape)
{
    const struct problem *problem = &shape->problem;
    bool few = shape->simd == SIMD_AVX2 && !shape->pointwise &&
               (is_large(problem, shape->simd) || problem->target[HEIGHT] * problem->target[WIDTH] >= LARGE_IMAGE);

    return min_i64(ceil_divide(problem->out, shape->simd), few ? FEW_VECTORS : MAX_COLUMNS);
}

/* Widest block that leaves work for nine tenths of the threads. */
static int64_t
widest_row_block(const struct brgemm_shape *shape, int64_t channels)
{
    const struct problem *problem = &shape->problem;
    const float busy = 0.9f;
    int64_t work = problem->batch * problem->groups * ceil_divide(problem->out, channels) * product(problem->target);
    double points = ceil((double)work / (double)(busy * (float)problem->machine->threads));

    return clamp(1, problem->target[WIDTH], (int64_t)points);
}

/* Points whose lines do not fall on each other in the cache. */
static int64_t
unaliased_points(const struct problem *problem)
{
    int64_t points = MAX_POINTWISE_WORK / problem->machine->threads, channels = problem->out * problem->groups;
    int64_t element = element_bytes(problem), bytes = product(problem->target) * element;

    if (channels * bytes % PAGE == 0) {
        for (; points * element > 400 && channels % 2 == 0 && channels * bytes >= PAGE; channels /= 2)
            points /= 2;
        points += points % 2 == 0;
    }
    return min_i64(ceil_divide(MAX_SOURCE_LINES, element), points);
}

static int64_t
widest_flat_block(const struct brgemm_shape *shape, int64_t channels)
{
    const struct problem *problem = &shape->problem;
    int64_t all = product(problem->target), threads = problem->machine->threads, max;
    int64_t line = problem->in * element_bytes(problem);

    if (line >= 1024 && line < PAGE) {
        int64_t others = problem->batch * ceil_divide(problem->out, channels);

        max = max_i64(min_i64(16, all), ceil_divide(all, ceil_divide(threads, others)));
    } else {
        max = max_i64(ceil_divide(POINTWISE_POINTS, channels),
                      ceil_divide(problem->batch * problem->groups * all, threads));
    }
    return clamp(1, all, min_i64(max, unaliased_points(problem)));
}

struct choice {
    struct brgemm_block block;
    float efficiency;
};

static void
try_points(const struct brgemm_shape *shape, struct brgemm_block *block, struct choice *best)
{
    const struct problem *problem = &shape->problem;
    int64_t all = shape->flat ? product(problem->target) : problem->target[WIDTH];
    int64_t widest = shape->flat ? widest_flat_block(shape, block->channels) : widest_row_block(shape, block->channels);

    for (int64_t points = all; points > 0; points = next_narrower(all, points)) {
        float efficiency;

        if (points > widest)
            continue;
        block->points = points;
        if (!brgemm_estimate(shape, block, &efficiency))
            continue;
        if (efficiency > best->efficiency || best->efficiency == 0)
            *best = (struct choice){*block, efficiency};
    }
}

/* Kernel points that one call sums, and how many products that makes. */
static void
set_kernel(const struct brgemm_shape *shape, struct brgemm_block *block, int64_t depth, int64_t height)
{
    const int64_t *kernel = shape->problem.kernel;
    int64_t bytes = shape->problem.in * block->channels * element_bytes(&shape->problem) * kernel[WIDTH];
    int64_t cache = brgemm_cache(&shape->problem, shape->simd);

    block->kernel[DEPTH] = depth;
    block->kernel[HEIGHT] = height;
    block->kernel[WIDTH] = shape->variant == BRGEMM_PADDED && bytes >= cache ? 1 : kernel[WIDTH];
    memcpy(block->padded, block->kernel, sizeof block->padded);
    if (shape->variant == BRGEMM_PADDED) {
        block->padded[DEPTH] = height >= kernel[HEIGHT] ? kernel[DEPTH] : 1;
        block->padded[HEIGHT] = block->kernel[WIDTH] >= kernel[HEIGHT] ? kernel[HEIGHT] : 1;
        block->padded[WIDTH] = kernel[WIDTH];
    }
    block->batch = max_i64(product(block->kernel), product(block->padded));
}

static void
try_kernels(const struct brgemm_shape *shape, struct brgemm_block *block, struct choice *best)
{
    const int64_t *kernel = shape->problem.kernel;

    for (int64_t depth = kernel[DEPTH]; depth > 0; depth = depth == 1 ? 0 : 1)
        for (int64_t height = kernel[HEIGHT]; height > 0; height = height == 1 ? 0 : 1) {
            set_kernel(shape, block, depth, height);
            try_points(shape, block, best);
        }
}

static bool
choose_block(const struct brgemm_shape *shape, struct brgemm_block *block)
{
    struct choice best = {.efficiency = 0};

    for (int64_t vectors = max_vectors(shape); vectors > 0; vectors--) {
        struct brgemm_block next = {.channels = vectors * shape->simd};
        struct choice own = {.efficiency = 0};

        if (!channels_allowed(shape, next.channels))
            continue;
        try_kernels(shape, &next, &own);
        if (own.efficiency > best.efficiency)
            best = own;
    }
    *block = best.block;
    return best.efficiency > 0;
}

/* ---- the kernel ---- */

static bool
can_skip_padding(const struct problem *problem)
{
    int64_t kernel = problem->kernel[WIDTH], stride = problem->stride[WIDTH];

    return ceil_divide(max_i64(0, problem->padding[WIDTH]), stride) < kernel &&
           ceil_divide(max_i64(0, problem->end_padding[WIDTH]), stride) < kernel;
}

static bool
choose_variant(struct brgemm_shape *shape, struct brgemm_block *block)
{
    shape->variant = BRGEMM_SKIPPED_PADDING;
    if (!shape->pointwise && can_skip_padding(&shape->problem) && choose_block(shape, block) &&
        (block->points - 1) * shape->problem.stride[WIDTH] + 1 <= shape->problem.source[WIDTH])
        return true;
    shape->variant = BRGEMM_PADDED;
    return choose_block(shape, block);
}

static bool
takes_problem(const struct problem *problem, int64_t simd)
{
    if (!problem->channels_last || is_depthwise(problem))
        return false;
    if (problem->groups == 1 || problem->in > simd || simd == SIMD_AVX2)
        return true;
    return problem->half && !has_whole_quads(problem);
}

/* `inverse`: the data pass of a convolution, or a transposed one, that was turned around. */
static bool
brgemm(const struct problem *problem, int64_t simd, bool inverse, struct primitive *primitive)
{
    struct brgemm_shape shape;
    struct brgemm_block block;
    int64_t scratchpad = 0, weights, batch;

    if (!takes_problem(problem, simd))
        return false;
    shape = shape_of(problem, simd, inverse);
    if (!choose_variant(&shape, &block))
        return false;
    batch = ceil_divide(round_up(block.batch * BRGEMM_BATCH_ELEMENT, PAGE), BRGEMM_BATCH_ELEMENT);
    scratchpad_book_pages(&scratchpad, problem->machine->threads * batch * BRGEMM_BATCH_ELEMENT);
    if (block.sums)
        scratchpad_book_pages(&scratchpad, problem->machine->threads * block.channels * block.points * FLOAT_BYTES);
    weights = problem->groups * round_up(problem->out, block.channels) * round_up(problem->in, problem->half ? 2 : 1) *
              product(problem->kernel);
    *primitive = (struct primitive){channels_last(), channels_last(), weights, scratchpad, false};
    return true;
}

bool
brgemm_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    return brgemm(problem, simd, false, primitive);
}

bool
brgemm_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct problem turned = *problem;

    if (!all_equal(problem->stride, 1))
        return false;
    turned.in = problem->out;
    turned.out = problem->in;
    for (int axis = 0; axis < AXES; axis++) {
        turned.source[axis] = problem->target[axis];
        turned.target[axis] = problem->source[axis];
        turned.padding[axis] = problem->extent[axis] - 1 - problem->padding[axis];
        if (turned.padding[axis] < 0)
            return false;
    }
    problem_complete(&turned);
    if (!brgemm(&turned, simd, true, primitive))
        return false;
    primitive->scratchpad = scratchpad_nested(primitive->scratchpad);
    return true;
}

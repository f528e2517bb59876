/*
 * Direct convolution with 8 channels a block. Follows the heuristics of oneDNN 3.12 (Apache-2.0):
 * src/cpu/x64/jit_avx2_conv_kernel_f32.cpp, jit_avx2_convolution.hpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

#include <limits.h>

enum {
    FORWARD_TILE = 3,          /* target points of a register tile */
    REGISTERS = 15,            /* vector registers left for data */
    MAX_BLOCKS = 4,            /* channel blocks of a register tile */
    FLAT_WEIGHTS_CHANNELS = 3, /* the one input channel count with a plain source in the weights pass */
    REDUCTION_LIMIT = 1 << 21, /* floats of partial sums */
    MAX_FORWARD_KERNEL = 7,    /* beyond, padding and strides exclude each other */
    MAX_WEIGHTS_KERNEL = 13,
    MAX_FLAT_STRIDED_KERNEL = 3,
};

static int64_t
weight_elements(const struct problem *problem, bool flat)
{
    int64_t in = flat ? problem->in : round_up(problem->in, SIMD_AVX2);

    return problem->groups * round_up(problem->out, SIMD_AVX2) * in * product(problem->kernel);
}

/* Channels-last data needs no whole blocks. */
static bool
has_whole_blocks(const struct problem *problem, int64_t in, int64_t out)
{
    return problem->channels_last || (in % SIMD_AVX2 == 0 && out % SIMD_AVX2 == 0);
}

/* A last tile that reads far beyond the source needs a wider tile; false if there is none. */
static bool
forward_tile_fits(const struct problem *problem)
{
    int64_t width = problem->target[WIDTH], padding = problem->padding[WIDTH];
    int64_t tile = min_i64(FORWARD_TILE, width), beyond;

    if (padding > tile)
        return false;
    beyond = max_i64(0, width_end_padding(problem, width - width % tile));
    if (beyond <= tile * problem->stride[WIDTH] || width / tile <= 1)
        return true;
    tile = min_i64(beyond / problem->stride[WIDTH] + width % tile, min_i64(width, REGISTERS / 2));
    beyond = max_i64(0, width_end_padding(problem, width - width % tile));
    return tile >= max_i64(padding, beyond);
}

static bool
forward_kernel_fits(const struct problem *problem)
{
    bool unpadded = problem->padding[HEIGHT] == 0 && problem->padding[WIDTH] == 0;
    bool unit_stride = problem->stride[HEIGHT] == 1 && problem->stride[WIDTH] == 1;

    return !kernel_misses_source(problem) && (problem->kernel[WIDTH] <= MAX_FORWARD_KERNEL || unpadded || unit_stride);
}

bool
direct_avx2_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    bool flat = problem->in < simd; /* too few input channels to block them */
    int64_t in = flat ? problem->in : padded_channels(problem, problem->in, simd);
    int64_t out = padded_channels(problem, problem->out, simd);
    struct layout target = data_layout(problem, blocked(simd)), source = flat ? data_layout(problem, plain()) : target;
    int64_t scratchpad = 0;

    if (flat != (problem->groups * problem->in < simd)) /* formats go by all channels, the kernel by a group's */
        return false;
    if (!has_whole_blocks(problem, flat ? simd : in, out))
        return false;
    if (!forward_kernel_fits(problem) || !forward_tile_fits(problem))
        return false;
    if (problem->bias && out != problem->out)
        scratchpad_book(&scratchpad, out * FLOAT_BYTES);
    *primitive = (struct primitive){source, target, weight_elements(problem, flat), scratchpad, false};
    return true;
}

/* Source points of the register tile with the most multiply-adds in flight; 0 if the overlap fits in none. */
static int64_t
data_tile(const struct problem *problem, int64_t blocks)
{
    int64_t width = problem->source[WIDTH], stride = problem->stride[WIDTH];
    int64_t overlap = max_i64(0, (problem->extent[WIDTH] - 1 - problem->padding[WIDTH]) / stride) * stride;
    int64_t best = 0, best_tile = 0;

    for (int64_t count = 1; count <= MAX_BLOCKS; count++) {
        if (blocks % count != 0)
            continue;
        for (int64_t w = stride; w * count + w / stride <= REGISTERS && w < width + stride; w += stride) {
            int64_t tile = min_i64(w, width), sums = ceil_divide(tile, stride) * count;

            if (overlap > tile && tile != width)
                continue;
            if (sums > best || (sums == best && tile > best_tile)) {
                best = sums;
                best_tile = tile;
            }
        }
    }
    return best_tile;
}

static bool
data_tail_fits(const struct problem *problem, int64_t tile)
{
    int64_t width = problem->source[WIDTH], stride = problem->stride[WIDTH], tail = width % tile;
    int64_t overlap = max_i64(0, (problem->extent[WIDTH] - 1 - problem->end_padding[WIDTH] - tail) / stride) * stride;

    if (overlap > tile)
        return false;
    return width <= tile || (tile % stride == 0 && problem->end_padding[WIDTH] + tail >= 0);
}

static bool
data_shape_fits(const struct problem *problem, int64_t simd)
{
    const int64_t *stride = problem->stride;

    if (is_dilated_and_strided(problem) || kernel_misses_source(problem))
        return false;
    if (problem->in < simd && problem->kernel[WIDTH] > MAX_FLAT_STRIDED_KERNEL && stride[WIDTH] > 1)
        return false;
    return stride[WIDTH] == stride[HEIGHT] && stride[DEPTH] == 1 && stride[WIDTH] + 1 <= REGISTERS;
}

bool
direct_avx2_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    int64_t in = padded_channels(problem, problem->in, simd), out = padded_channels(problem, problem->out, simd);
    struct layout data = data_layout(problem, blocked(simd));
    int64_t tile;

    if (!has_whole_blocks(problem, in, out) || !data_shape_fits(problem, simd))
        return false;
    tile = data_tile(problem, ceil_divide(in, simd));
    if (tile == 0 || !data_tail_fits(problem, tile))
        return false;
    *primitive = (struct primitive){data, data, weight_elements(problem, false), 0, false};
    return true;
}

static bool
weights_padding_fits(const struct problem *problem)
{
    for (int axis = HEIGHT; axis <= WIDTH; axis++)
        if (problem->padding[axis] >= problem->extent[axis] || problem->end_padding[axis] >= problem->extent[axis])
            return false;
    return problem->padding[DEPTH] == 0 && problem->end_padding[DEPTH] <= 0;
}

static bool
weights_kernel_fits(const struct problem *problem)
{
    const int64_t *kernel = problem->kernel;

    return kernel[WIDTH] <= MAX_WEIGHTS_KERNEL && kernel[HEIGHT] <= problem->source[HEIGHT] &&
           kernel[DEPTH] <= problem->source[DEPTH] && problem->padding[HEIGHT] < kernel[HEIGHT] &&
           all_equal(problem->dilation, 0);
}

/* This kernel counts the bytes of whole batches in 32 bits; the gradient's too by the source's size. */
static bool
weights_data_fits(const struct problem *problem, int64_t in, int64_t out)
{
    int64_t points = problem->batch * product(problem->source) * FLOAT_BYTES;

    return in * points <= INT_MAX && out * points <= INT_MAX;
}

static int64_t
weights_scratchpad(const struct problem *problem, int64_t in_block, int64_t in, int64_t out)
{
    int64_t threads = problem->machine->threads, out_blocks = problem->groups * ceil_divide(out, SIMD_AVX2);
    int64_t job = product(problem->kernel) * in_block * SIMD_AVX2;
    int64_t scratchpad = 0;

    if (problem->bias && problem->out % SIMD_AVX2 != 0)
        scratchpad_book(&scratchpad, out_blocks * SIMD_AVX2 * FLOAT_BYTES);
    if (problem->bias)
        scratchpad_book_reducer(&scratchpad,
                                balance_reduction(threads, SIMD_AVX2, out_blocks, problem->batch, REDUCTION_LIMIT));
    scratchpad_book_reducer(&scratchpad, balance_reduction(threads, job, out_blocks * ceil_divide(in, in_block),
                                                           problem->batch * problem->target[DEPTH], REDUCTION_LIMIT));
    return scratchpad;
}

bool
direct_avx2_weights(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    bool flat = problem->in == FLAT_WEIGHTS_CHANNELS;
    int64_t in = flat ? problem->in : padded_channels(problem, problem->in, simd);
    int64_t out = padded_channels(problem, problem->out, simd);
    struct layout data = data_layout(problem, blocked(simd));

    if (flat != (problem->groups * problem->in == FLAT_WEIGHTS_CHANNELS))
        return false;
    if (!has_whole_blocks(problem, flat ? simd : in, out))
        return false;
    if (!weights_padding_fits(problem) || !weights_kernel_fits(problem) || !weights_data_fits(problem, in, out))
        return false;
    *primitive = (struct primitive){flat ? data_layout(problem, plain()) : data, data, weight_elements(problem, flat),
                                    weights_scratchpad(problem, flat ? in : simd, in, out), false};
    return true;
}

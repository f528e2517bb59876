/*
 * Direct convolution of bfloat16, forward and data passes, for processors with avx512_bf16. The width of the register
 * tile matters only where it makes the kernel refuse. Follows the heuristics of oneDNN 3.12 (Apache-2.0):
 * src/cpu/x64/jit_avx512_core_bf16_conv_kernel.cpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    REGISTERS = 31, /* vector registers of a tile, less one for each block of weights */
    MAX_BLOCKS = 4, /* of channels a tile */
    PAIR = 2,       /* input channels that one instruction sums */
};

/* Fewest blocks of output channels, from four on, that leave no tile of one point. */
static int64_t
forward_blocks(const struct problem *problem, int64_t out_blocks)
{
    int64_t width = problem->target[WIDTH], blocks = min_i64(MAX_BLOCKS, out_blocks);

    for (; blocks > 1; blocks--) {
        int64_t tile = REGISTERS / (blocks + 1);

        if (out_blocks % blocks == 0 && problem->padding[WIDTH] <= tile && (width == 1 || width % tile != 1))
            break;
    }
    return blocks;
}

bool
direct_bfloat16_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    bool first = problem->groups == 1 && problem->in < simd;
    int64_t block = group_block(problem), width = problem->target[WIDTH], scratchpad = 0, tile, out, in;

    if (block == 0 || kernel_misses_source(problem))
        return false;
    out = round_up(problem->out, block);
    in = round_up(problem->in, first ? PAIR : block);
    tile = min_i64(REGISTERS / (forward_blocks(problem, out / block) + 1), width);
    if (problem->padding[WIDTH] > tile || width_end_padding(problem, width - width % tile) > tile)
        return false;
    if (problem->bias && padded_channels(problem, problem->out, block) != problem->out)
        scratchpad_book(&scratchpad, out * BFLOAT16_BYTES);
    *primitive =
        (struct primitive){data_layout(problem, first ? plain() : blocked(block)), data_layout(problem, blocked(block)),
                           problem->groups * out * in * product(problem->kernel), scratchpad, false};
    return true;
}

/* Points beyond the source that the kernel touches, in whole strides; `inside` is padding that it does not. */
static int64_t
overlap(const struct problem *problem, int64_t inside)
{
    return max_i64(0, (problem->extent[WIDTH] - 1 - inside) / problem->stride[WIDTH]);
}

/* Source points of the tile that sums most at once; 0 if there is none. */
static int64_t
data_tile(const struct problem *problem, int64_t in_blocks)
{
    int64_t stride = problem->stride[WIDTH], width = problem->source[WIDTH], best = 0, best_tile = stride;
    int64_t left = overlap(problem, problem->padding[WIDTH]) * stride;

    for (int64_t blocks = 1; blocks <= MAX_BLOCKS; blocks++) {
        if (in_blocks % blocks != 0)
            continue;
        for (int64_t u = stride; u * blocks + u / stride <= REGISTERS && u < width + stride; u += stride) {
            int64_t tile = min_i64(u, width), sums = ceil_divide(tile, stride) * blocks;

            if (left > tile && tile != width)
                continue;
            if (sums > best || (sums == best && best_tile < tile)) {
                best = sums;
                best_tile = tile;
            }
        }
    }
    return best == 0 ? 0 : best_tile;
}

static bool
data_tile_fits(const struct problem *problem, int64_t tile)
{
    int64_t stride = problem->stride[WIDTH], width = problem->source[WIDTH];
    int64_t end = problem->end_padding[WIDTH] + width % tile;

    if (overlap(problem, problem->padding[WIDTH]) * stride > tile || overlap(problem, max_i64(0, end)) * stride > tile)
        return false;
    return width <= tile || (tile % stride == 0 && end >= 0);
}

bool
direct_bfloat16_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    int64_t block = group_block(problem), tile, weights;

    (void)simd;
    if (block == 0 || is_dilated_and_strided(problem) || kernel_misses_source(problem) ||
        problem->stride[WIDTH] >= REGISTERS)
        return false;
    tile = data_tile(problem, ceil_divide(problem->in, block));
    if (tile == 0 || !data_tile_fits(problem, tile))
        return false;
    weights = problem->groups * round_up(problem->out, block) * round_up(problem->in, block) * product(problem->kernel);
    *primitive = (struct primitive){data_layout(problem, blocked(block)), data_layout(problem, blocked(block)), weights,
                                    0, false};
    return true;
}

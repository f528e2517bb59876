/*
 * One channel a group. Follows the heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_brdgmm_dw_conv.cpp,
 * jit_uni_dw_convolution.hpp, jit_uni_dw_conv_kernel_utils.hpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    MAX_WEIGHTS_KERNEL = 3,
    MAX_FORWARD_BLOCKS = 4, /* of channels a register tile, data channels-last */
    MAX_WEIGHTS_BLOCKS = 4,
    REGISTERS = 31, /* for data, with AVX-512 */
    REGISTERS_AVX2 = 15,
    CACHE_WAY = 1024, /* rows that are multiples of it fall on each other in the cache */
};

static int64_t
weight_elements(const struct problem *problem, int64_t simd)
{
    return round_up(problem->groups, simd) * product(problem->kernel);
}

/* Matrix products on channels-last data: only volumes when the formats are free. */
bool
brdgmm_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    if (!is_depthwise(problem) || (problem->dims != 3 && !problem->channels_last) || !all_equal(problem->dilation, 0))
        return false;
    *primitive = (struct primitive){channels_last(), channels_last(), weight_elements(problem, simd), 0, false};
    return true;
}

static struct primitive
depthwise_primitive(const struct problem *problem, int64_t simd, int64_t scratchpad)
{
    struct layout data = data_layout(problem, blocked(simd));

    return (struct primitive){data, data, weight_elements(problem, simd), scratchpad, false};
}

/* Target points of a register tile; with channels last it holds several blocks of them. */
static int64_t
forward_tile(const struct problem *problem, int64_t simd)
{
    int64_t width = problem->target[WIDTH], kernel = problem->kernel[WIDTH], stride = problem->stride[WIDTH];
    int64_t tile = min_i64(simd == SIMD_AVX512 ? 6 : 4, width), blocks, longest;

    if (!problem->channels_last)
        return tile;
    blocks = min_i64(ceil_divide(problem->groups, simd), MAX_FORWARD_BLOCKS);
    longest = (REGISTERS - kernel + stride) / (blocks + stride);
    if (simd == SIMD_AVX512 && !problem->half && stride < kernel && kernel <= 5 && problem->dilation[WIDTH] == 0 &&
        longest >= 2)
        tile = min_i64(width, longest);
    if (problem->groups * problem->source[WIDTH] * element_bytes(problem) % CACHE_WAY == 0)
        tile = min_i64(tile, width > 7 ? 7 : 4);
    return tile;
}

bool
depthwise_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    int64_t width = problem->target[WIDTH], padded = round_up(problem->groups, simd);
    int64_t tile = forward_tile(problem, simd), scratchpad = 0;

    if (!is_depthwise(problem) || problem->dims != 2 || kernel_misses_source(problem))
        return false;
    if (problem->padding[WIDTH] > tile || width_end_padding(problem, width - width % tile) > tile)
        return false;
    if (problem->channels_last)
        padded = problem->groups;
    if (problem->bias && (problem->half || padded != problem->groups))
        scratchpad_book(&scratchpad, padded * FLOAT_BYTES);
    *primitive = depthwise_primitive(problem, simd, scratchpad);
    return true;
}

/* Whether the target has the size that the kernel gives with `end` points of padding after the source. */
static bool
has_nominal_size(const struct problem *problem, int axis, int64_t end)
{
    int64_t room = problem->source[axis] + problem->padding[axis] + end - problem->kernel[axis];

    return problem->target[axis] == room / problem->stride[axis] + 1;
}

bool
depthwise_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    if (!is_depthwise(problem) || problem->dims != 2 || !all_equal(problem->dilation, 0))
        return false;
    if (!has_nominal_size(problem, HEIGHT, problem->end_padding[HEIGHT]) ||
        !has_nominal_size(problem, WIDTH, problem->end_padding[WIDTH]))
        return false;
    *primitive = depthwise_primitive(problem, simd, 0);
    return true;
}

/* Padding in front is `padding` rows; the kernel starts on whole strides and sees at least one real row. */
static bool
weights_rows_fit(const struct problem *problem, int64_t end)
{
    int64_t padding = problem->padding[HEIGHT], stride = problem->stride[HEIGHT], half = problem->kernel[HEIGHT] / 2;
    int64_t fewest = problem->kernel[HEIGHT] + (stride - padding % stride) % stride;

    return padding <= half && end <= half && problem->source[HEIGHT] >= fewest &&
           (padding <= 1 || padding % stride == 0) && (end <= 1 || end % stride == 0);
}

static bool
weights_shape_fits(const struct problem *problem)
{
    int64_t bottom = max_i64(0, problem->end_padding[HEIGHT]), right = max_i64(0, problem->end_padding[WIDTH]);
    int64_t kernel = problem->kernel[WIDTH];

    if (!all_equal(problem->dilation, 0) || kernel > MAX_WEIGHTS_KERNEL || problem->stride[WIDTH] > kernel)
        return false;
    if (!has_nominal_size(problem, HEIGHT, bottom) || !has_nominal_size(problem, WIDTH, right))
        return false;
    return problem->padding[WIDTH] <= kernel / 2 && right <= kernel / 2 && weights_rows_fit(problem, bottom);
}

/*
 * Partial sums of the threads that share the images of a block of groups; the first adds in place, but where the
 * result is of bfloat16. Its bias is summed aside, too.
 */
static int64_t
weights_scratchpad(const struct problem *problem, int64_t simd)
{
    int64_t channels = round_up(problem->groups, simd), threads = problem->machine->threads;
    int64_t group_threads = min_i64(channels / simd, threads);
    int64_t others = min_i64(max_i64(1, threads / group_threads), problem->batch) - 1;
    int64_t scratchpad = 0;

    scratchpad_book(&scratchpad, channels * product(problem->kernel) * (others + problem->half) * FLOAT_BYTES);
    if (problem->bias)
        scratchpad_book(&scratchpad, channels * others * FLOAT_BYTES);
    if (problem->bias && problem->half)
        scratchpad_book(&scratchpad, channels * FLOAT_BYTES);
    return scratchpad;
}

/* A way to share the weights pass: blocks of channels, images and rows, and how uneven it is. */
struct sharing {
    int64_t threads;
    float used, uneven;
};

/* What `blocks` blocks of `size` cover beyond or short of `all`, as a share of it, times `weight`. */
static double
unevenness(int64_t blocks, int64_t size, int64_t all, int64_t weight)
{
    int64_t off = blocks * size > all ? blocks * size - all : all - blocks * size;

    return (double)((float)off / (float)all) * (double)weight;
}

/* Tries all heights of a block of rows; the first whose threads are all in use and least uneven is kept. */
static void
share_rows(const struct problem *problem, int64_t outer, int64_t g, int64_t m, struct sharing *best)
{
    int64_t images = problem->batch, rows = problem->target[HEIGHT], threads = problem->machine->threads;
    int64_t max = min_i64(rows, threads / g / m);
    bool short_of_rows = false;

    for (int64_t block = rows; block > 0; block--) {
        int64_t blocks = ceil_divide(rows, block), shares = min_i64(max, blocks), all = g * m * shares;
        float used = (float)all / (float)threads, uneven;

        if (short_of_rows && max < blocks)
            return;
        uneven = (float)(unevenness(ceil_divide(outer, g), g, outer, images * rows) +
                         unevenness(ceil_divide(images, m), m, images, outer * rows) +
                         unevenness(block, shares, rows, outer * images));
        if (best->used == used && best->uneven <= uneven)
            continue;
        if (best->used <= used)
            *best = (struct sharing){all, used, uneven};
        short_of_rows = block * shares < rows;
    }
}

/* Channels-last: threads share blocks of channels, images and rows. */
static int64_t
weights_threads(const struct problem *problem, int64_t simd)
{
    int64_t blocks = ceil_divide(problem->groups, simd), registers = simd == SIMD_AVX512 ? REGISTERS : REGISTERS_AVX2;
    int64_t at_once = min_i64(problem->half ? 1 : MAX_WEIGHTS_BLOCKS, registers / (2 * problem->kernel[WIDTH]));
    int64_t outer = ceil_divide(blocks, min_i64(blocks, at_once)), threads = problem->machine->threads;
    struct sharing best = {.threads = 1, .used = 0, .uneven = 1};

    for (int64_t g = min_i64(outer, threads); g > 0; g--)
        for (int64_t m = min_i64(problem->batch, threads / g); m > 0; m--)
            share_rows(problem, outer, g, m, &best);
    return best.threads;
}

static int64_t
weights_scratchpad_channels_last(const struct problem *problem, int64_t simd)
{
    int64_t others = weights_threads(problem, simd) - !problem->half, scratchpad = 0;

    scratchpad_book(&scratchpad, weight_elements(problem, simd) * others * FLOAT_BYTES);
    if (problem->bias)
        scratchpad_book(&scratchpad, problem->groups * others * FLOAT_BYTES);
    if (problem->bias && problem->half)
        scratchpad_book(&scratchpad, problem->groups * FLOAT_BYTES);
    return scratchpad;
}

bool
depthwise_weights(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    if (!is_depthwise(problem) || problem->dims != 2 || !weights_shape_fits(problem))
        return false;
    *primitive = depthwise_primitive(problem, simd,
                                     problem->channels_last ? weights_scratchpad_channels_last(problem, simd)
                                                            : weights_scratchpad(problem, simd));
    return true;
}

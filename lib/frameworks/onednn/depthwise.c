/*
 * One channel a group. Follows the heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_brdgmm_dw_conv.cpp,
 * jit_uni_dw_convolution.hpp, jit_uni_dw_conv_kernel_utils.hpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum { LARGEST_WEIGHTS_KERNEL = 3 };

static int64_t
weight_elements(const struct problem *problem, int64_t simd)
{
    return round_up(problem->groups, simd) * product(problem->kernel);
}

/* Matrix products on channels-last data: only volumes when the formats are free. */
bool
brdgmm_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    if (!is_depthwise(problem) || problem->dims != 3 || !all_equal(problem->dilation, 0))
        return false;
    *primitive = (struct primitive){channels_last(), channels_last(), weight_elements(problem, simd), 0};
    return true;
}

bool
depthwise_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    int64_t width = problem->target[WIDTH], padded = round_up(problem->groups, simd);
    int64_t tile = min_i64(simd == SIMD_AVX512 ? 6 : 4, width); /* target points a register tile */
    int64_t scratchpad = 0;

    if (!is_depthwise(problem) || problem->dims != 2 || kernel_misses_source(problem))
        return false;
    if (problem->padding[WIDTH] > tile || width_end_padding(problem, width - width % tile) > tile)
        return false;
    if (problem->bias && padded != problem->groups)
        scratchpad_book(&scratchpad, padded * FLOAT_BYTES);
    *primitive = (struct primitive){blocked(simd), blocked(simd), weight_elements(problem, simd), scratchpad};
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
    *primitive = (struct primitive){blocked(simd), blocked(simd), weight_elements(problem, simd), 0};
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

    if (!all_equal(problem->dilation, 0) || kernel > LARGEST_WEIGHTS_KERNEL || problem->stride[WIDTH] > kernel)
        return false;
    if (!has_nominal_size(problem, HEIGHT, bottom) || !has_nominal_size(problem, WIDTH, right))
        return false;
    return problem->padding[WIDTH] <= kernel / 2 && right <= kernel / 2 && weights_rows_fit(problem, bottom);
}

/* Partial sums of the threads that share the images of a block of groups; the first adds in place. */
static int64_t
weights_scratchpad(const struct problem *problem, int64_t simd)
{
    int64_t channels = round_up(problem->groups, simd), threads = problem->machine->threads;
    int64_t group_threads = min_i64(channels / simd, threads);
    int64_t others = min_i64(max_i64(1, threads / group_threads), problem->batch) - 1;
    int64_t scratchpad = 0;

    scratchpad_book(&scratchpad, channels * product(problem->kernel) * others * FLOAT_BYTES);
    if (problem->bias)
        scratchpad_book(&scratchpad, channels * others * FLOAT_BYTES);
    return scratchpad;
}

bool
depthwise_weights(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    if (!is_depthwise(problem) || problem->dims != 2 || !weights_shape_fits(problem))
        return false;
    *primitive = (struct primitive){blocked(simd), blocked(simd), weight_elements(problem, simd),
                                    weights_scratchpad(problem, simd)};
    return true;
}

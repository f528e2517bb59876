/* Which kernel runs. oneDNN: src/cpu/cpu_convolution_list.cpp, src/cpu/x64/jit_brgemm_deconv.cpp. */
#include "frameworks/onednn/primitive.h"

#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

#include <limits.h>

/* A family of kernels; NULL where it has none for a pass. */
struct family {
    int64_t simd; /* floats in a vector; 16 needs AVX-512 */
    kernel_rule rules[PASS_COUNT];
};

/* In the order in which oneDNN tries them; image columns with matrix products come after all of these. */
static const struct family families[] = {
    {SIMD_AVX512, {brdgmm_forward, strided_data, NULL}},
    {SIMD_AVX512, {brgemm_forward, brgemm_data, NULL}},
    {SIMD_AVX512, {depthwise_forward, depthwise_data, depthwise_weights}},
    {SIMD_AVX512, {pointwise_forward, pointwise_data, pointwise_weights}},
    {SIMD_AVX512, {direct_avx512_forward, direct_avx512_data, direct_avx512_weights}},
    {SIMD_AVX2, {brdgmm_forward, strided_data, NULL}},
    {SIMD_AVX2, {depthwise_forward, depthwise_data, depthwise_weights}},
    {SIMD_AVX2, {brgemm_forward, brgemm_data, NULL}},
    {SIMD_AVX2, {pointwise_forward, pointwise_data, pointwise_weights}},
    {SIMD_AVX2, {direct_avx2_forward, direct_avx2_data, direct_avx2_weights}},
};

/* The same of bfloat16. */
static const struct family half_families[] = {
    {SIMD_AVX512, {brdgmm_forward, strided_data, NULL}},
    {SIMD_AVX512, {brgemm_forward, brgemm_data, NULL}},
    {SIMD_AVX512, {depthwise_forward, depthwise_data, depthwise_weights}},
    {SIMD_AVX512, {pointwise_bfloat16_forward, pointwise_bfloat16_data, pointwise_bfloat16_weights}},
    {SIMD_AVX512, {direct_bfloat16_forward, direct_bfloat16_data, direct_bfloat16_weights}},
};

enum { FAMILIES = sizeof families / sizeof *families, HALF_FAMILIES = sizeof half_families / sizeof *half_families };

void
problem_complete(struct problem *problem)
{
    for (int axis = 0; axis < AXES; axis++) {
        problem->extent[axis] = (problem->kernel[axis] - 1) * (problem->dilation[axis] + 1) + 1;
        problem->end_padding[axis] = (problem->target[axis] - 1) * problem->stride[axis] + problem->extent[axis] -
                                     (problem->source[axis] + problem->padding[axis]);
    }
}

int64_t
width_end_padding(const struct problem *problem, int64_t count)
{
    return (count - 1) * problem->stride[WIDTH] + problem->extent[WIDTH] -
           (problem->source[WIDTH] + problem->padding[WIDTH]);
}

bool
kernel_misses_source(const struct problem *problem)
{
    for (int axis = 0; axis < AXES; axis++)
        if (problem->extent[axis] <= problem->padding[axis] || problem->extent[axis] <= problem->end_padding[axis])
            return true;
    return false;
}

bool
is_dilated_and_strided(const struct problem *problem)
{
    for (int axis = 0; axis < AXES; axis++)
        if (problem->dilation[axis] != 0 && problem->stride[axis] != 1)
            return true;
    return false;
}

/* The compiled kernels count in 32 bits: has_large_size in jit_primitive_conf.hpp. */
static bool
is_large(const struct problem *problem)
{
    int64_t source = problem->groups * problem->in * product(problem->source);
    int64_t target = problem->groups * problem->out * product(problem->target);
    int64_t weights = problem->groups * problem->in * problem->out * product(problem->kernel);

    return source > INT_MAX || target > INT_MAX || weights > INT_MAX;
}

static bool
can_run(const struct problem *problem, const struct family *family)
{
    return family->simd == SIMD_AVX2 || problem->machine->isa == CPU_ISA_AVX512;
}

/* Bfloat16 with AMX: whatever the order of the tensors, its kernels run on channels-last data. */
static bool
runs_on_tiles(const struct problem *problem)
{
    return problem->half && problem->machine->tiles;
}

static struct problem
laid_out_for_tiles(const struct problem *problem)
{
    struct problem tiles = *problem;

    tiles.channels_last = true;
    return tiles;
}

/*
 * Formats are those of the kernels for AMX. Scratchpads are but for the weights pass those of the kernels for AVX-512: they
 * are not listed.
 */
static bool
choose_for_tiles(const struct problem *problem, enum pass pass, struct primitive *primitive)
{
    struct problem tiles = laid_out_for_tiles(problem);

    if (pass == PASS_FORWARD)
        return brgemm_forward(&tiles, SIMD_AVX512, primitive);
    if (pass == PASS_DATA)
        return brgemm_data(&tiles, SIMD_AVX512, primitive);
    return tiles_weights(problem, primitive);
}

struct primitive
primitive_choose(const struct problem *problem, enum pass pass)
{
    struct layout data = data_layout(problem, plain());
    struct primitive primitive = {.source = data, .target = data}; /* of the reference kernel */

    const struct family *family = problem->half ? half_families : families;

    if (runs_on_tiles(problem) && !is_large(problem) && choose_for_tiles(problem, pass, &primitive))
        return primitive;
    for (int i = problem->half ? HALF_FAMILIES : FAMILIES; i > 0 && !is_large(problem); i--, family++) {
        kernel_rule rule = family->rules[pass];

        if (rule && can_run(problem, family) && rule(problem, family->simd, &primitive))
            return primitive;
    }
    if (problem->channels_last)
        gemm_channels_last(problem, pass, &primitive);
    else
        gemm_convolution(problem, pass, &primitive);
    return primitive;
}

/* The strided kernel adds the bias itself; it wants whole strides. */
static bool
fits_strided_transposed(const struct problem *problem)
{
    for (int axis = 0; axis < AXES; axis++)
        if (problem->source[axis] % problem->stride[axis] != 0)
            return false;
    return !is_large(problem);
}

static bool
strided_transposed(const struct problem *problem, struct primitive *primitive)
{
    if (!fits_strided_transposed(problem))
        return false;
    if (problem->machine->isa == CPU_ISA_AVX512 && strided_data(problem, SIMD_AVX512, primitive))
        return true;
    return !problem->half && strided_data(problem, SIMD_AVX2, primitive);
}

/* Channels-last data of unit stride: the forward kernel turned around, which adds the bias, too. */
static bool
unit_strided_transposed(const struct problem *problem, struct primitive *primitive)
{
    if (!problem->channels_last || !all_equal(problem->stride, 1) || is_large(problem))
        return false;
    return (problem->machine->isa == CPU_ISA_AVX512 && brgemm_data(problem, SIMD_AVX512, primitive)) ||
           (!problem->half && brgemm_data(problem, SIMD_AVX2, primitive));
}

struct primitive
primitive_choose_transposed(const struct problem *problem)
{
    struct problem inner = runs_on_tiles(problem) ? laid_out_for_tiles(problem) : *problem;
    struct primitive primitive;
    int64_t elements;

    if (unit_strided_transposed(&inner, &primitive))
        return primitive;
    if (strided_transposed(problem, &primitive)) {
        primitive.scratchpad = scratchpad_nested(primitive.scratchpad);
        return primitive;
    }
    inner.wide = problem->half && problem->bias;
    primitive = primitive_choose(&inner, PASS_DATA);
    primitive.scratchpad = scratchpad_nested(primitive.scratchpad);
    if (problem->bias) { /* the sum without bias goes to a buffer of its own first */
        elements =
            layout_elements(primitive.source, problem->batch, problem->groups * problem->in, product(problem->source));
        scratchpad_book(&primitive.scratchpad, multiply_saturating(elements, FLOAT_BYTES));
    }
    return primitive;
}

int64_t
layout_elements(struct layout layout, int64_t batch, int64_t channels, int64_t points)
{
    return batch * round_up(channels, layout.block) * points;
}

bool
layout_is_contiguous(struct layout layout, int64_t channels, int64_t points)
{
    if (layout.format == FORMAT_CHANNELS_LAST)
        return channels == 1 || points == 1;
    return layout.format == FORMAT_PLAIN;
}

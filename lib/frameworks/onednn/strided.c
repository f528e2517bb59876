/*
 * Data pass with a stride, on channels-last data in batches of small matrix products. Follows the heuristics of
 * oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_brgemm_conv_bwd_strided.cpp, jit_brgemm_conv_bwd_utils.cpp.
 */
#include "frameworks/onednn/strided.h"

#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum { BATCH_ELEMENT = 40 }; /* bytes that describe one product of a batch */

int64_t
strided_padded_target(const struct problem *problem, int axis)
{
    int64_t reach = problem->extent[axis] - 1, stride = problem->stride[axis];

    return problem->target[axis] + max_i64(0, reach - problem->padding[axis]) / stride +
           max_i64(0, reach - problem->end_padding[axis]) / stride;
}

int64_t
strided_out_block(const struct problem *problem)
{
    bool uneven = problem->source[WIDTH] % problem->stride[WIDTH] != 0;

    return round_up(problem->out, problem->half && uneven ? 2 : 1);
}

int64_t
strided_result_bytes(const struct problem *problem)
{
    return problem->wide ? FLOAT_BYTES : element_bytes(problem);
}

static int64_t
padded_target(const struct problem *problem)
{
    return strided_padded_target(problem, DEPTH) * strided_padded_target(problem, HEIGHT) *
           strided_padded_target(problem, WIDTH);
}

static int64_t
source_blocks(const struct problem *problem, const struct strided_block *block)
{
    int64_t blocks = 1;

    for (int axis = 0; axis < AXES; axis++)
        blocks *= ceil_divide(problem->source[axis], block->source[axis]);
    return blocks;
}

static int64_t
strided_scratchpad(const struct problem *problem, const struct strided_block *block)
{
    int64_t threads = problem->machine->threads, scratchpad = 0, stride = problem->stride[WIDTH];
    int64_t batch = ceil_divide(round_up(product(block->kernel) * BATCH_ELEMENT, PAGE), BATCH_ELEMENT);
    int64_t row = block->source[WIDTH] * stride * problem->groups * problem->in;
    int64_t out = strided_out_block(problem), points = ceil_divide(block->source[WIDTH], stride);

    scratchpad_book_pages(&scratchpad, threads * batch * BATCH_ELEMENT);
    scratchpad_book_pages(&scratchpad, threads * round_up(padded_target(problem) * problem->groups * out, PAGE) *
                                           element_bytes(problem));
    scratchpad_book_pages(&scratchpad, threads * round_up(source_blocks(problem, block) * problem->groups, PAGE));
    if (problem->source[WIDTH] % stride != 0)
        scratchpad_book_pages(&scratchpad, threads * round_up(row, PAGE) * strided_result_bytes(problem));
    if (problem->half && !problem->wide) /* sums of float32 */
        scratchpad_book_pages(&scratchpad, threads * block->channels * points * FLOAT_BYTES);
    return scratchpad;
}

bool
strided_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    struct strided_block block;
    int64_t weights;

    if (all_equal(problem->stride, 1) || !all_equal(problem->dilation, 0))
        return false;
    if (problem->groups > 1 && problem->out <= simd && (!problem->half || has_whole_quads(problem)))
        return false;
    if (!strided_choose_block(problem, simd, &block))
        return false;
    weights = problem->groups * round_up(problem->in, block.channels) * round_up(problem->out, problem->half ? 2 : 1) *
              product(problem->kernel);
    *primitive =
        (struct primitive){channels_last(), channels_last(), weights, strided_scratchpad(problem, &block), false};
    return true;
}

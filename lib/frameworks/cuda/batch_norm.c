/*
 * The persistent kernels of cuDNN's batch norm: two sums of each channel by each block of rows, and when they add them up a
 * counter for each block. Not published: it is what 56 layers took to the byte on an H100 with cuDNN 9.19, in float32
 * and float16, of 3 to 2,048 channels.
 */
#include "frameworks/cuda/batch_norm.h"

#include "base/checked.h"

enum { FLOAT32_BYTES = 4, COUNTER = 4, SUMS = 2 * FLOAT32_BYTES };

enum { VECTOR = 4 }; /* few channels are read as one */

static int64_t
block_channels(const struct batch_norm_call *call)
{
    enum { BLOCK = 64 };

    return call->channels <= VECTOR ? VECTOR : BLOCK;
}

static int64_t
block_rows(const struct batch_norm_call *call)
{
    enum { FORWARD = 64, FORWARD_SHORT = 160, BACKWARD = 96, VECTORS = 4 };
    int64_t forward = call->element_bytes < FLOAT32_BYTES ? FORWARD_SHORT : FORWARD;
    int64_t rows = call->backward ? BACKWARD : forward;

    return call->channels <= VECTOR ? VECTORS * rows : rows;
}

int64_t
batch_norm_workspace_bytes(const struct batch_norm_call *call)
{
    enum { FORWARD_HEAD = 1072, BACKWARD_HEAD = 1056 };
    int64_t across = ceil_divide(call->channels, block_channels(call));
    int64_t blocks = multiply_saturating(across, ceil_divide(call->count, block_rows(call)));
    int64_t each = SUMS * block_channels(call) + (call->backward ? 0 : COUNTER);
    int64_t head = add_saturating(call->backward ? BACKWARD_HEAD : FORWARD_HEAD, multiply_saturating(COUNTER, across));

    return add_saturating(multiply_saturating(blocks, each), head);
}

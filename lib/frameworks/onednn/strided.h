/* Blocks of the strided data pass. */
#ifndef ONEDNN_STRIDED_H
#define ONEDNN_STRIDED_H

#include "frameworks/onednn/primitive.h"

/* A block of the pass: input channels, points of the source along each axis, kernel points that one call sums. */
struct strided_block {
    int64_t channels;
    int64_t source[AXES];
    int64_t kernel[AXES];
};

/* What is the same for all blocks. */
struct strided_shape {
    const struct problem *problem;
    int64_t simd;  /* floats in a vector */
    int64_t lanes; /* elements of the data in one */
    int64_t width; /* of the source, in whole strides */
    bool pointwise;
    bool channels_outer; /* blocks of channels are looped over outside the points */
};

enum { STRIDED_MAX_VECTORS = 4 }; /* of input channels a block */

/* Estimated share of the machine's speed that a block reaches. */
float
strided_estimate(const struct strided_shape *shape, const struct strided_block *block);

/* The block with the best estimate, false if there is none. `simd`: floats in a vector. */
bool
strided_choose_block(const struct problem *problem, int64_t simd, struct strided_block *block);

/* Output channels as they are packed: in pairs where rows of bfloat16 are copied. */
int64_t
strided_out_block(const struct problem *problem);

/* Of an element of the source, which the pass writes. */
int64_t
strided_result_bytes(const struct problem *problem);

/* Points of the target along an axis, and those beyond both edges that the kernel reaches, in whole strides. */
int64_t
strided_padded_target(const struct problem *problem, int axis);

#endif

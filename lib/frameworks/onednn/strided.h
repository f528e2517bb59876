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

/* The block with the best estimate, false if there is none. `simd`: floats in a vector. */
bool
strided_choose_block(const struct problem *problem, int64_t simd, struct strided_block *block);

/* Rows of the target that the kernel reaches beyond both edges, in whole strides, and the target itself. */
int64_t
strided_padded_target(const struct problem *problem, int axis);

#endif

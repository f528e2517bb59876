/* Blocks of the forward pass on channels-last data, made of batches of small matrix products. */
#ifndef ONEDNN_BRGEMM_H
#define ONEDNN_BRGEMM_H

#include "frameworks/onednn/primitive.h"

enum { BRGEMM_BATCH_ELEMENT = 40 }; /* bytes that describe one product of a batch */

/* How a product meets points beyond the source's edge: it skips them, or the source is taken with its padding. */
enum brgemm_variant { BRGEMM_SKIPPED_PADDING, BRGEMM_PADDED };

/* What is the same for all blocks. */
struct brgemm_shape {
    struct problem problem; /* columns that a stride jumps over are folded into the channels */
    enum brgemm_variant variant;
    int64_t simd;  /* floats in a vector */
    int64_t lanes; /* elements of the data in one */
    bool pointwise;
    bool flat;           /* a kernel of one point whose rows are one run of points */
    bool channels_outer; /* blocks of channels are looped over outside the points */
};

/* A block of the pass: output channels, points of the target along the width, kernel points that a call sums. */
struct brgemm_block {
    int64_t channels;
    int64_t points;
    int64_t kernel[AXES];
    int64_t padded[AXES]; /* the same where the source is padded */
    int64_t batch;        /* products of a call */
    int64_t rows; /* of the register tile that the last candidate had; the next one's input channels depend on it */
    bool sums;    /* several calls add to a result of bfloat16: they sum in float32 aside */
};

/* What is counted on of the second cache; with AVX2 whatever its size. @unit bytes */
int64_t
brgemm_cache(const struct problem *problem, int64_t simd);

/*
 * Estimated share of the machine's speed that a block reaches, and what the block has of rows and sums; false if there is
 * no register tile for it.
 */
bool
brgemm_estimate(const struct brgemm_shape *shape, struct brgemm_block *block, float *efficiency);

#endif

/* Image columns and matrix products: sizes, and blocks of the product that a forward convolution is turned into. */
#ifndef ONEDNN_GEMM_H
#define ONEDNN_GEMM_H

#include "frameworks/onednn/primitive.h"

/* Sizes of one depth slice. */
struct columns {
    const struct problem *problem;
    int64_t threads;
    int64_t simd;
    int64_t source, target, kernel; /* points */
    int64_t element;                /* bytes of one of the data */
    int64_t column;                 /* elements of the columns of a slice; 0 if the source can be used itself */
    int64_t weights;                /* bytes */
    int64_t limit;                  /* bytes of scratchpad */
};

struct columns
columns_of(const struct problem *problem);

/* Share of the threads' time that equal pieces of work use. */
float
thread_share(int64_t work, int64_t threads);

struct gemm_shape {
    int64_t in, out; /* channels of a group */
    int64_t kernel;  /* points */
    int64_t target;  /* points of an image */
    int64_t points;  /* of all images and groups */
    int64_t stride;  /* product of the strides */
    bool strided;    /* along the width */
    bool columns;    /* the source is first spread into columns */
    int64_t threads, simd;
    int64_t cache; /* elements in a core's second cache */
};

struct gemm_blocks {
    int64_t out, points, in;
};

struct gemm_blocks
gemm_choose_blocks(const struct gemm_shape *shape);

#endif

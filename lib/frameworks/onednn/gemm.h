/* Blocks of the matrix product that a forward convolution of images is turned into. */
#ifndef ONEDNN_GEMM_H
#define ONEDNN_GEMM_H

#include <stdbool.h>
#include <stdint.h>

struct gemm_shape {
    int64_t in, out; /* channels of a group */
    int64_t kernel;  /* points */
    int64_t target;  /* points of an image */
    int64_t points;  /* of all images and groups */
    int64_t stride;  /* product of the strides */
    bool strided;    /* along the width */
    bool columns;    /* the source is first spread into columns */
    int64_t threads, simd;
    int64_t cache; /* floats in a core's second cache */
};

struct gemm_blocks {
    int64_t out, points, in;
};

struct gemm_blocks
gemm_choose_blocks(const struct gemm_shape *shape);

#endif

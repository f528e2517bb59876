/* Sizes that oneDNN's kernels round to. */
#ifndef ONEDNN_BLOCKS_H
#define ONEDNN_BLOCKS_H

#include "base/checked.h"

enum { FLOAT_BYTES = 4, BFLOAT16_BYTES = 2, SIMD_AVX2 = 8, SIMD_AVX512 = 16, PAGE = 4096 };

static inline int64_t
round_down(int64_t a, int64_t m)
{
    return a / m * m;
}

#endif

/*
 * Products of bfloat16 matrices as oneDNN 3.12 runs them on a processor with avx512_bf16 and without AMX: what its
 * kernel takes for buffers. The rules follow the heuristics of oneDNN 3.12 (Apache-2.0).
 */
#ifndef ONEDNN_MATMUL_H
#define ONEDNN_MATMUL_H

#include <stdbool.h>
#include <stdint.h>

/* [rows, summed] x [summed, columns], as often as `batch`; both operands lie as the caller has them. */
struct matmul {
    int64_t batch, rows, columns, summed;
    bool column_major; /* the first operand lies column after column; one row lies both ways and counts as such */
    int64_t threads;
};

/* Bytes of the scratchpad; INT64_MAX if they do not fit. No size may be 0. */
int64_t
matmul_scratchpad(const struct matmul *matmul);

#endif

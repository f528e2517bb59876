/* cuBLASLt among its own files. */
#ifndef CUDA_BLAS_LT_H
#define CUDA_BLAS_LT_H

#include <stdint.h>

/* What a preference allows an algorithm to take; 0 where that was not set. @unit bytes */
int64_t
blas_lt_workspace(void *preference);

#endif

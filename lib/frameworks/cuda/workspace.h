/* What CUBLAS_WORKSPACE_CONFIG says: how many bytes cuBLAS is given to work in. */
#ifndef CUDA_WORKSPACE_H
#define CUDA_WORKSPACE_H

#include "frameworks/cuda/gpu.h"

/* Bytes that PyTorch of a version (version_number) gives cuBLAS to work in where nothing else is asked. */
int64_t
cublas_workspace_usual(const struct gpu *gpu, int version);

/*
 * Bytes that PyTorch of a version (version_number) gives cuBLAS to work in on a GPU: those of a text such as
 * ":4096:2:16:8", buffers of 4096 and of 16 KiB; "" is PyTorch's default for that GPU. MEMMODEL_ERROR_PARSE for a text
 * without a size and a count, MEMMODEL_ERROR_OVERFLOW; `bytes` is untouched then.
 */
int
cublas_workspace_bytes(memmodel_context *context, const struct gpu *gpu, int version, const char *config,
                       int64_t *bytes);

#endif

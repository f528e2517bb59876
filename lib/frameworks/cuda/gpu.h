/* GPUs as PyTorch's memory depends on them: what cuBLAS is given, what the process's CUDA context takes. */
#ifndef CUDA_GPU_H
#define CUDA_GPU_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu {
    const char *name;
    int32_t capability;    /* compute capability, 10 * major + minor */
    int32_t processors;    /* streaming multiprocessors */
    int64_t memory;        /* that CUDA can use. @unit bytes */
    int64_t context_bytes; /* CUDA context and PyTorch's first kernels, loaded lazily. @unit bytes */
    int64_t module_bytes;  /* kernels that a training loads later, from PyTorch, cuBLAS and cuDNN. @unit bytes */
    bool measured;         /* trainings on it were recorded and compared: test/data/pytorch_cuda */
};

/*
 * The profile of that name, in any case, or of a name as nvidia-smi prints it, "NVIDIA A100-SXM4-80GB". Else an error with
 * the names there are, MEMMODEL_ERROR_INVALID_ARGUMENT for "".
 */
int
gpu_find(memmodel_context *context, const char *name, const struct gpu **gpu);

/* The same, or NULL. */
const struct gpu *
gpu_of_name(const char *name);

/* The kinds of GPUs in the order of their table; NULL beyond. */
const struct gpu *
gpu_at(size_t index);

size_t
gpu_count(void);

#endif

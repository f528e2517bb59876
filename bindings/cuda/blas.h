/* cuBLAS and cuBLASLt among their own files: a handle of the one serves the other. */
#ifndef CUDA_BLAS_H
#define CUDA_BLAS_H

#include "device.h"

/* cublasStatus_t */
enum blas_status {
    BLAS_SUCCESS = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_NOT_SUPPORTED = 15,
};

/* 10000 * major + 100 * minor + patch */
int
blas_version(void);

/* libraryPropertyType: 0 the major version, 1 the minor one, 2 the patch */
int
blas_property(int property, int *value);

int
blas_new(void **handle);

int
blas_delete(void *handle);

/* Name or text of a status. */
const char *
blas_status(int status, bool name);

/* False if there is no such handle, or its scalars lie on the device. */
bool
blas_has_host_scalars(const void *handle);

#endif

/*
 * What cuBLAS returns to the host: scalars of vectors, and whether a batch was solved.
 *
 * No device computed them: a scalar is 0, an index is that of the first element, a batch was solved.
 */
#include "blas.h"

#include "value_type.h"

#include <string.h>

static int
set_scalar(void *handle, void *result, size_t bytes, int first_byte, const void *caller)
{
    if (!handle_get(handle, HANDLE_BLAS))
        return BLAS_NOT_INITIALIZED;
    if (!result)
        return BLAS_INVALID_VALUE;
    if (!blas_has_host_scalars(handle) || memory_device(result) >= 0)
        return BLAS_SUCCESS;
    memset(result, 0, bytes);
    *(unsigned char *)result = (unsigned char)first_byte; /* of an integer in little endian */
    note_made_up(bytes, caller);
    return BLAS_SUCCESS;
}

static int
set_solved(void *handle, int *info)
{
    if (!handle_get(handle, HANDLE_BLAS))
        return BLAS_NOT_INITIALIZED;
    if (!info)
        return BLAS_INVALID_VALUE;
    *info = 0;
    return BLAS_SUCCESS;
}

/* A scalar of one vector, of 32-bit and of 64-bit sizes. `bytes` and `first` are those of the result. */
#define OF_ONE_VECTOR(name, bytes, wide_bytes, first)                                                                  \
    ANSWER(int, name, void *handle, int n, const void *x, int step, void *result)                                      \
    {                                                                                                                  \
        return set_scalar(handle, result, bytes, n > 0 ? (first) : 0, CALLER);                                         \
    }                                                                                                                  \
    ANSWER(int, name##_64, void *handle, int64_t n, const void *x, int64_t step, void *result)                         \
    {                                                                                                                  \
        return set_scalar(handle, result, wide_bytes, n > 0 ? (first) : 0, CALLER);                                    \
    }

#define OF_TWO_VECTORS(name, bytes)                                                                                    \
    ANSWER(int, name, void *handle, int n, const void *x, int x_step, const void *y, int y_step, void *result)         \
    {                                                                                                                  \
        return set_scalar(handle, result, bytes, 0, CALLER);                                                           \
    }                                                                                                                  \
    ANSWER(int, name##_64, void *handle, int64_t n, const void *x, int64_t x_step, const void *y, int64_t y_step,      \
           void *result)                                                                                               \
    {                                                                                                                  \
        return set_scalar(handle, result, bytes, 0, CALLER);                                                           \
    }

OF_ONE_VECTOR(cublasSnrm2_v2, 4, 4, 0)
OF_ONE_VECTOR(cublasDnrm2_v2, 8, 8, 0)
OF_ONE_VECTOR(cublasScnrm2_v2, 4, 4, 0)
OF_ONE_VECTOR(cublasDznrm2_v2, 8, 8, 0)
OF_ONE_VECTOR(cublasSasum_v2, 4, 4, 0)
OF_ONE_VECTOR(cublasDasum_v2, 8, 8, 0)
OF_ONE_VECTOR(cublasScasum_v2, 4, 4, 0)
OF_ONE_VECTOR(cublasDzasum_v2, 8, 8, 0)
OF_ONE_VECTOR(cublasIsamax_v2, 4, 8, 1)
OF_ONE_VECTOR(cublasIdamax_v2, 4, 8, 1)
OF_ONE_VECTOR(cublasIcamax_v2, 4, 8, 1)
OF_ONE_VECTOR(cublasIzamax_v2, 4, 8, 1)
OF_ONE_VECTOR(cublasIsamin_v2, 4, 8, 1)
OF_ONE_VECTOR(cublasIdamin_v2, 4, 8, 1)
OF_ONE_VECTOR(cublasIcamin_v2, 4, 8, 1)
OF_ONE_VECTOR(cublasIzamin_v2, 4, 8, 1)
OF_TWO_VECTORS(cublasSdot_v2, 4)
OF_TWO_VECTORS(cublasDdot_v2, 8)
OF_TWO_VECTORS(cublasCdotu_v2, 8)
OF_TWO_VECTORS(cublasCdotc_v2, 8)
OF_TWO_VECTORS(cublasZdotu_v2, 16)
OF_TWO_VECTORS(cublasZdotc_v2, 16)

static int
set_typed(void *handle, void *result, int type, const void *caller)
{
    size_t bytes = value_type_bytes(type);

    return bytes > 0 ? set_scalar(handle, result, bytes, 0, caller) : BLAS_NOT_SUPPORTED;
}

#define OF_TYPED_VECTORS(suffix, integer)                                                                              \
    ANSWER(int, cublasDotEx##suffix, void *handle, integer n, const void *x, int x_type, integer x_step,               \
           const void *y, int y_type, integer y_step, void *result, int type)                                          \
    {                                                                                                                  \
        return set_typed(handle, result, type, CALLER);                                                                \
    }                                                                                                                  \
    ANSWER(int, cublasDotcEx##suffix, void *handle, integer n, const void *x, int x_type, integer x_step,              \
           const void *y, int y_type, integer y_step, void *result, int type)                                          \
    {                                                                                                                  \
        return set_typed(handle, result, type, CALLER);                                                                \
    }                                                                                                                  \
    ANSWER(int, cublasNrm2Ex##suffix, void *handle, integer n, const void *x, int x_type, integer step, void *result,  \
           int type)                                                                                                   \
    {                                                                                                                  \
        return set_typed(handle, result, type, CALLER);                                                                \
    }                                                                                                                  \
    ANSWER(int, cublasAsumEx##suffix, void *handle, integer n, const void *x, int x_type, integer step, void *result,  \
           int type)                                                                                                   \
    {                                                                                                                  \
        return set_typed(handle, result, type, CALLER);                                                                \
    }                                                                                                                  \
    ANSWER(int, cublasIamaxEx##suffix, void *handle, integer n, const void *x, int x_type, integer step,               \
           integer *result)                                                                                            \
    {                                                                                                                  \
        return set_scalar(handle, result, sizeof *result, n > 0, CALLER);                                              \
    }                                                                                                                  \
    ANSWER(int, cublasIaminEx##suffix, void *handle, integer n, const void *x, int x_type, integer step,               \
           integer *result)                                                                                            \
    {                                                                                                                  \
        return set_scalar(handle, result, sizeof *result, n > 0, CALLER);                                              \
    }

OF_TYPED_VECTORS(, int)
OF_TYPED_VECTORS(_64, int64_t)

/* Batches of small systems, whose `info` lies on the host. */
#define BATCHES(letter)                                                                                                \
    ANSWER(int, cublas##letter##getrsBatched, void *handle, int transposed, int n, int columns, const void *a,         \
           int lda, const int *pivots, void *b, int ldb, int *info, int count)                                         \
    {                                                                                                                  \
        return set_solved(handle, info);                                                                               \
    }                                                                                                                  \
    ANSWER(int, cublas##letter##geqrfBatched, void *handle, int m, int n, void *a, int lda, void *tau, int *info,      \
           int count)                                                                                                  \
    {                                                                                                                  \
        return set_solved(handle, info);                                                                               \
    }                                                                                                                  \
    ANSWER(int, cublas##letter##gelsBatched, void *handle, int transposed, int m, int n, int columns, void *a,         \
           int lda, void *c, int ldc, int *info, int *device_info, int count)                                          \
    {                                                                                                                  \
        return set_solved(handle, info);                                                                               \
    }

BATCHES(S)
BATCHES(D)
BATCHES(C)
BATCHES(Z)

/*
 * cuBLAS: handles with their settings, copies of vectors and matrices, and results that reach the host.
 *
 * Products only launch kernels: launches_libraries.h names them. Numbers are the interface's (cuBLAS Library).
 */
#include "blas.h"

#include "runtime.h"

#include <string.h>

struct blas {
    void *stream, *workspace;
    size_t workspace_bytes;
    int pointer_mode, atomics_mode, math_mode, processors;
    int emulation_strategy, emulation_specials, mantissa_control, mantissa_bits, mantissa_offset;
};

enum { POINTER_HOST = 0 };

/* Up to CUDA 13.1 the numbers are CUDA's own; 13.2 came with cuBLAS 13.4.1. */
int
blas_version(void)
{
    enum { CUDA_13_2 = 13020, BLAS_13_4_1 = 130401 };

    if (runtime_version() >= CUDA_13_2)
        return BLAS_13_4_1;
    return runtime_version() / 1000 * 10000 + runtime_version() % 1000 / 10 * 100;
}

int
blas_property(int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return BLAS_INVALID_VALUE;
    *value = property == 0 ? blas_version() / 10000 : property == 1 ? blas_version() / 100 % 100 : blas_version() % 100;
    return BLAS_SUCCESS;
}

static struct blas *
blas_of(const void *handle)
{
    return handle_get(handle, HANDLE_BLAS);
}

/* The workspace of 4 MiB (32 MiB on Hopper) that a handle begins with lies in the profile of the device's modules. */
int
blas_new(void **handle)
{
    struct blas *blas;

    if (!handle)
        return BLAS_INVALID_VALUE;
    if (device_count() == 0)
        return BLAS_NOT_INITIALIZED;
    device_load_modules(device_current());
    blas = handle_new(HANDLE_BLAS);
    *handle = blas;
    return blas ? BLAS_SUCCESS : BLAS_ALLOC_FAILED;
}

int
blas_delete(void *handle)
{
    return handle_delete(handle, HANDLE_BLAS) ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

ANSWER(int, cublasCreate_v2, void **handle)
{
    return blas_new(handle);
}

ANSWER(int, cublasDestroy_v2, void *handle)
{
    return blas_delete(handle);
}

ANSWER(int, cublasGetVersion_v2, void *handle, int *version)
{
    if (!version)
        return BLAS_INVALID_VALUE;
    *version = blas_version();
    return BLAS_SUCCESS;
}

ANSWER(int, cublasGetProperty, int property, int *value)
{
    return blas_property(property, value);
}

ANSWER(size_t, cublasGetCudartVersion, void)
{
    return (size_t)runtime_version();
}

/* ---- settings ---- */

/* A pair of functions that reads and writes one field of the handle. */
#define SETTING(type, name, suffix, field)                                                                             \
    ANSWER(int, cublasSet##name##suffix, void *handle, type value)                                                     \
    {                                                                                                                  \
        struct blas *blas = blas_of(handle);                                                                           \
                                                                                                                       \
        if (!blas)                                                                                                     \
            return BLAS_NOT_INITIALIZED;                                                                               \
        blas->field = value;                                                                                           \
        return BLAS_SUCCESS;                                                                                           \
    }                                                                                                                  \
    ANSWER(int, cublasGet##name##suffix, void *handle, type *value)                                                    \
    {                                                                                                                  \
        struct blas *blas = blas_of(handle);                                                                           \
                                                                                                                       \
        if (!blas)                                                                                                     \
            return BLAS_NOT_INITIALIZED;                                                                               \
        if (!value)                                                                                                    \
            return BLAS_INVALID_VALUE;                                                                                 \
        *value = blas->field;                                                                                          \
        return BLAS_SUCCESS;                                                                                           \
    }

SETTING(void *, Stream, _v2, stream)
SETTING(int, PointerMode, _v2, pointer_mode)
SETTING(int, AtomicsMode, , atomics_mode)
SETTING(int, MathMode, , math_mode)
SETTING(int, SmCountTarget, , processors)
SETTING(int, EmulationStrategy, , emulation_strategy)
SETTING(int, EmulationSpecialValuesSupport, , emulation_specials)
SETTING(int, FixedPointEmulationMantissaControl, , mantissa_control)
SETTING(int, FixedPointEmulationMaxMantissaBitCount, , mantissa_bits)
SETTING(int, FixedPointEmulationMantissaBitOffset, , mantissa_offset)

ANSWER(int, cublasSetWorkspace_v2, void *handle, void *workspace, size_t bytes)
{
    struct blas *blas = blas_of(handle);

    if (!blas)
        return BLAS_NOT_INITIALIZED;
    if (!workspace && bytes > 0)
        return BLAS_INVALID_VALUE;
    blas->workspace = workspace;
    blas->workspace_bytes = bytes;
    return BLAS_SUCCESS;
}

ANSWER(int, cublasGetLoggerCallback, void **callback)
{
    if (!callback)
        return BLAS_INVALID_VALUE;
    *callback = NULL;
    return BLAS_SUCCESS;
}

bool
blas_has_host_scalars(const void *handle)
{
    const struct blas *blas = blas_of(handle);

    return blas && blas->pointer_mode == POINTER_HOST;
}

/* ---- texts ---- */

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {BLAS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {BLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {BLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {BLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as an argument"},
    {BLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
};

const char *
blas_status(int status, bool name)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return name ? statuses[i].name : statuses[i].text;
    return name ? "CUBLAS_STATUS_UNKNOWN" : "unknown error code";
}

ANSWER(const char *, cublasGetStatusName, int status)
{
    return blas_status(status, true);
}

ANSWER(const char *, cublasGetStatusString, int status)
{
    return blas_status(status, false);
}

/* ---- copies ---- */

/* Copies `columns` columns of `rows` elements; leading dimensions in elements. */
static int
copy_matrix(int64_t rows, int64_t columns, int64_t element, const void *from, int64_t from_ld, void *to, int64_t to_ld,
            const void *caller)
{
    int64_t all;

    if (rows < 0 || columns < 0 || element <= 0 || from_ld < rows || to_ld < rows ||
        __builtin_mul_overflow(rows, columns, &all) || __builtin_mul_overflow(all, element, &all))
        return BLAS_INVALID_VALUE;
    if (rows == 0 || columns == 0)
        return BLAS_SUCCESS;
    if (!from || !to)
        return BLAS_INVALID_VALUE;
    if (from_ld == rows && to_ld == rows) {
        memory_copy(to, from, (size_t)all, caller);
        return BLAS_SUCCESS;
    }
    for (int64_t i = 0; i < columns; i++)
        memory_copy((char *)to + i * to_ld * element, (const char *)from + i * from_ld * element,
                    (size_t)(rows * element), caller);
    return BLAS_SUCCESS;
}

/* The four ways to copy: now or on a stream, with 32 or 64 bits for the sizes. */
#define VECTOR_COPY(name, integer)                                                                                     \
    ANSWER(int, name, integer n, integer element, const void *from, integer from_step, void *to, integer to_step)      \
    {                                                                                                                  \
        return copy_matrix(1, n, element, from, from_step, to, to_step, CALLER);                                       \
    }
#define MATRIX_COPY(name, integer)                                                                                     \
    ANSWER(int, name, integer rows, integer columns, integer element, const void *from, integer from_ld, void *to,     \
           integer to_ld)                                                                                              \
    {                                                                                                                  \
        return copy_matrix(rows, columns, element, from, from_ld, to, to_ld, CALLER);                                  \
    }

VECTOR_COPY(cublasSetVector, int)
VECTOR_COPY(cublasGetVector, int)
VECTOR_COPY(cublasSetVectorAsync, int)
VECTOR_COPY(cublasGetVectorAsync, int)
VECTOR_COPY(cublasSetVector_64, int64_t)
VECTOR_COPY(cublasGetVector_64, int64_t)
VECTOR_COPY(cublasSetVectorAsync_64, int64_t)
VECTOR_COPY(cublasGetVectorAsync_64, int64_t)
MATRIX_COPY(cublasSetMatrix, int)
MATRIX_COPY(cublasGetMatrix, int)
MATRIX_COPY(cublasSetMatrixAsync, int)
MATRIX_COPY(cublasGetMatrixAsync, int)
MATRIX_COPY(cublasSetMatrix_64, int64_t)
MATRIX_COPY(cublasGetMatrix_64, int64_t)
MATRIX_COPY(cublasSetMatrixAsync_64, int64_t)
MATRIX_COPY(cublasGetMatrixAsync_64, int64_t)

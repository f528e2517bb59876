/* cuSPARSE: handles, and descriptions of matrices and vectors that read back as they were made. */
#include "sparse.h"

#include "runtime.h"

#include <string.h>

struct sparse *
sparse_of(const void *object, int sort)
{
    struct sparse *found = handle_get(object, HANDLE_LIBRARY);

    return found && found->sort == sort ? found : NULL;
}

int
sparse_new(void **object, const struct sparse *like)
{
    struct sparse *made;

    if (!object || like->rows < 0 || like->columns < 0 || like->count < 0)
        return SPARSE_INVALID_VALUE;
    made = handle_new(HANDLE_LIBRARY);
    if (!made)
        return SPARSE_ALLOC_FAILED;
    *made = *like;
    *object = made;
    return SPARSE_SUCCESS;
}

static int
destroy(void *object, int sort)
{
    if (!sparse_of(object, sort))
        return sort == SPARSE_HANDLE ? SPARSE_NOT_INITIALIZED : SPARSE_INVALID_VALUE;
    handle_delete(object, HANDLE_LIBRARY);
    return SPARSE_SUCCESS;
}

/* ---- the handle ---- */

ANSWER(int, cusparseCreate, void **handle)
{
    if (device_count() == 0)
        return SPARSE_NOT_INITIALIZED;
    device_load_modules(device_current());
    return sparse_new(handle, &(struct sparse){.sort = SPARSE_HANDLE});
}

ANSWER(int, cusparseDestroy, void *handle)
{
    return destroy(handle, SPARSE_HANDLE);
}

/* cuSPARSE 12 comes with CUDA 12 and 13. By NVIDIA's packages: 12.3 with 12.4, 12.6 with 13.0, 12.7 with 13.2. */
static int
minor_version(void)
{
    int cuda = runtime_version();

    return cuda >= 13020 ? 7 : cuda >= 13000 ? 6 : cuda >= 12040 ? 3 : 0;
}

ANSWER(int, cusparseGetVersion, void *handle, int *version)
{
    if (!sparse_of(handle, SPARSE_HANDLE))
        return SPARSE_NOT_INITIALIZED;
    if (!version)
        return SPARSE_INVALID_VALUE;
    *version = 12 * 1000 + minor_version() * 100;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseGetProperty, int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return SPARSE_INVALID_VALUE;
    *value = property == 0 ? 12 : property == 1 ? minor_version() : 0;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseSetStream, void *handle, void *stream)
{
    struct sparse *found = sparse_of(handle, SPARSE_HANDLE);

    if (!found)
        return SPARSE_NOT_INITIALIZED;
    found->stream = stream;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseGetStream, void *handle, void **stream)
{
    const struct sparse *found = sparse_of(handle, SPARSE_HANDLE);

    if (!found)
        return SPARSE_NOT_INITIALIZED;
    if (!stream)
        return SPARSE_INVALID_VALUE;
    *stream = found->stream;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseSetPointerMode, void *handle, int mode)
{
    struct sparse *found = sparse_of(handle, SPARSE_HANDLE);

    if (!found)
        return SPARSE_NOT_INITIALIZED;
    found->pointer_mode = mode;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseGetPointerMode, void *handle, int *mode)
{
    const struct sparse *found = sparse_of(handle, SPARSE_HANDLE);

    if (!found)
        return SPARSE_NOT_INITIALIZED;
    if (!mode)
        return SPARSE_INVALID_VALUE;
    *mode = found->pointer_mode;
    return SPARSE_SUCCESS;
}

ANSWER(const char *, cusparseGetErrorName, int status)
{
    return status == SPARSE_SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_ERROR";
}

ANSWER(const char *, cusparseGetErrorString, int status)
{
    switch (status) {
    case SPARSE_SUCCESS:
        return "success";
    case SPARSE_NOT_INITIALIZED:
        return "initialization error";
    case SPARSE_ALLOC_FAILED:
        return "out of memory";
    case SPARSE_INVALID_VALUE:
        return "invalid value";
    case SPARSE_NOT_SUPPORTED:
        return "operation not supported";
    default:
        return "unknown error";
    }
}

/* ---- the older descriptor: four settings ---- */

#define OLD_SETTING(name, number)                                                                                      \
    ANSWER(int, cusparseSet##name, int *descriptor, int value)                                                         \
    {                                                                                                                  \
        if (!handle_get(descriptor, HANDLE_DESCRIPTOR))                                                                \
            return SPARSE_INVALID_VALUE;                                                                               \
        descriptor[number] = value;                                                                                    \
        return SPARSE_SUCCESS;                                                                                         \
    }                                                                                                                  \
    ANSWER(int, cusparseGet##name, const int *descriptor)                                                              \
    {                                                                                                                  \
        return handle_get(descriptor, HANDLE_DESCRIPTOR) ? descriptor[number] : 0;                                     \
    }

OLD_SETTING(MatType, 0)
OLD_SETTING(MatFillMode, 1)
OLD_SETTING(MatDiagType, 2)
OLD_SETTING(MatIndexBase, 3)

/* ---- matrices ---- */

/* Each is made in two ways, with values that may change and with constant ones. The rest are other fields. */
#define NEW_MATRIX(kind, ...)                                                                                          \
    sparse_new(matrix, &(struct sparse){.sort = SPARSE_MATRIX,                                                         \
                                        .format = kind,                                                                \
                                        .rows = rows,                                                                  \
                                        .columns = columns,                                                            \
                                        .values = values,                                                              \
                                        .base = base,                                                                  \
                                        .type = type,                                                                  \
                                        __VA_ARGS__})

#define MATRIX_OF_OFFSETS(name, kind)                                                                                  \
    ANSWER(int, cusparseCreate##name, void **matrix, int64_t rows, int64_t columns, int64_t count, void *offsets,      \
           void *numbers, void *values, int offset_type, int number_type, int base, int type)                          \
    {                                                                                                                  \
        return NEW_MATRIX(kind, .count = count, .first = offsets, .second = numbers, .first_type = offset_type,        \
                          .second_type = number_type);                                                                 \
    }

MATRIX_OF_OFFSETS(Csr, SPARSE_CSR)
MATRIX_OF_OFFSETS(ConstCsr, SPARSE_CSR)
MATRIX_OF_OFFSETS(Csc, SPARSE_CSC)
MATRIX_OF_OFFSETS(ConstCsc, SPARSE_CSC)

#define MATRIX_OF_COORDINATES(name)                                                                                    \
    ANSWER(int, cusparseCreate##name, void **matrix, int64_t rows, int64_t columns, int64_t count, void *row_numbers,  \
           void *column_numbers, void *values, int number_type, int base, int type)                                    \
    {                                                                                                                  \
        return NEW_MATRIX(SPARSE_COO, .count = count, .first = row_numbers, .second = column_numbers,                  \
                          .first_type = number_type, .second_type = number_type);                                      \
    }

MATRIX_OF_COORDINATES(Coo)
MATRIX_OF_COORDINATES(ConstCoo)

#define MATRIX_OF_BLOCKS(name)                                                                                         \
    ANSWER(int, cusparseCreate##name, void **matrix, int64_t rows, int64_t columns, int64_t count, int64_t block_rows, \
           int64_t block_columns, void *offsets, void *numbers, void *values, int offset_type, int number_type,        \
           int base, int type, int order)                                                                              \
    {                                                                                                                  \
        return NEW_MATRIX(SPARSE_BSR, .count = count, .block_rows = block_rows, .block_columns = block_columns,        \
                          .first = offsets, .second = numbers, .first_type = offset_type, .second_type = number_type,  \
                          .order = order);                                                                             \
    }

MATRIX_OF_BLOCKS(Bsr)
MATRIX_OF_BLOCKS(ConstBsr)

#define MATRIX_OF_ELLS(name)                                                                                           \
    ANSWER(int, cusparseCreate##name, void **matrix, int64_t rows, int64_t columns, int64_t block, int64_t width,      \
           void *numbers, void *values, int number_type, int base, int type)                                           \
    {                                                                                                                  \
        return NEW_MATRIX(SPARSE_ELL, .block_rows = block, .block_columns = width, .second = numbers,                  \
                          .second_type = number_type);                                                                 \
    }

MATRIX_OF_ELLS(BlockedEll)
MATRIX_OF_ELLS(ConstBlockedEll)

ANSWER(int, cusparseDestroySpMat, void *matrix)
{
    return destroy(matrix, SPARSE_MATRIX);
}

static int
set_pointers(void *matrix, void *first, void *second, void *values)
{
    struct sparse *found = sparse_of(matrix, SPARSE_MATRIX);

    if (!found)
        return SPARSE_INVALID_VALUE;
    found->first = first;
    found->second = second;
    found->values = values;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseCsrSetPointers, void *matrix, void *offsets, void *numbers, void *values)
{
    return set_pointers(matrix, offsets, numbers, values);
}

ANSWER(int, cusparseCscSetPointers, void *matrix, void *offsets, void *numbers, void *values)
{
    return set_pointers(matrix, offsets, numbers, values);
}

ANSWER(int, cusparseCooSetPointers, void *matrix, void *rows, void *columns, void *values)
{
    return set_pointers(matrix, rows, columns, values);
}

static int
set_batches(void *object, int sort, int batches, int64_t stride)
{
    struct sparse *found = sparse_of(object, sort);

    if (!found || batches < 0)
        return SPARSE_INVALID_VALUE;
    found->batches = batches;
    found->batch_stride = stride;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseCsrSetStridedBatch, void *matrix, int batches, int64_t offsets, int64_t values)
{
    return set_batches(matrix, SPARSE_MATRIX, batches, values);
}

ANSWER(int, cusparseCooSetStridedBatch, void *matrix, int batches, int64_t stride)
{
    return set_batches(matrix, SPARSE_MATRIX, batches, stride);
}

ANSWER(int, cusparseBsrSetStridedBatch, void *matrix, int batches, int64_t offsets, int64_t columns, int64_t values)
{
    return set_batches(matrix, SPARSE_MATRIX, batches, values);
}

ANSWER(int, cusparseSpMatSetAttribute, void *matrix, int attribute, const int *value, size_t bytes)
{
    struct sparse *found = sparse_of(matrix, SPARSE_MATRIX);

    if (!found || !value || attribute < 0 || attribute > 3 || bytes != sizeof *value)
        return SPARSE_INVALID_VALUE;
    found->attributes[attribute] = *value;
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseSpMatGetAttribute, void *matrix, int attribute, int *value, size_t bytes)
{
    const struct sparse *found = sparse_of(matrix, SPARSE_MATRIX);

    if (!found || !value || attribute < 0 || attribute > 3 || bytes != sizeof *value)
        return SPARSE_INVALID_VALUE;
    *value = found->attributes[attribute];
    return SPARSE_SUCCESS;
}

/* ---- vectors and dense matrices ---- */

#define SPARSE_VECTOR_OF(name)                                                                                         \
    ANSWER(int, cusparseCreate##name, void **vector, int64_t size, int64_t count, void *numbers, void *values,         \
           int number_type, int base, int type)                                                                        \
    {                                                                                                                  \
        return sparse_new(vector, &(struct sparse){.sort = SPARSE_VECTOR,                                              \
                                                   .rows = size,                                                       \
                                                   .count = count,                                                     \
                                                   .first = numbers,                                                   \
                                                   .values = values,                                                   \
                                                   .first_type = number_type,                                          \
                                                   .base = base,                                                       \
                                                   .type = type});                                                     \
    }

SPARSE_VECTOR_OF(SpVec)
SPARSE_VECTOR_OF(ConstSpVec)

#define DENSE_VECTOR_OF(name)                                                                                          \
    ANSWER(int, cusparseCreate##name, void **vector, int64_t size, void *values, int type)                             \
    {                                                                                                                  \
        return sparse_new(                                                                                             \
            vector, &(struct sparse){                                                                                  \
                        .sort = SPARSE_DENSE_VECTOR, .rows = size, .columns = 1, .values = values, .type = type});     \
    }

DENSE_VECTOR_OF(DnVec)
DENSE_VECTOR_OF(ConstDnVec)

#define DENSE_MATRIX_OF(name)                                                                                          \
    ANSWER(int, cusparseCreate##name, void **matrix, int64_t rows, int64_t columns, int64_t ld, void *values,          \
           int type, int order)                                                                                        \
    {                                                                                                                  \
        return sparse_new(matrix, &(struct sparse){.sort = SPARSE_DENSE,                                               \
                                                   .rows = rows,                                                       \
                                                   .columns = columns,                                                 \
                                                   .count = ld,                                                        \
                                                   .values = values,                                                   \
                                                   .type = type,                                                       \
                                                   .order = order});                                                   \
    }

DENSE_MATRIX_OF(DnMat)
DENSE_MATRIX_OF(ConstDnMat)

ANSWER(int, cusparseDestroySpVec, void *vector)
{
    return destroy(vector, SPARSE_VECTOR);
}

ANSWER(int, cusparseDestroyDnVec, void *vector)
{
    return destroy(vector, SPARSE_DENSE_VECTOR);
}

ANSWER(int, cusparseDestroyDnMat, void *matrix)
{
    return destroy(matrix, SPARSE_DENSE);
}

ANSWER(int, cusparseDnMatSetStridedBatch, void *matrix, int batches, int64_t stride)
{
    return set_batches(matrix, SPARSE_DENSE, batches, stride);
}

ANSWER(int, cusparseDnMatGetStridedBatch, void *matrix, int *batches, int64_t *stride)
{
    const struct sparse *found = sparse_of(matrix, SPARSE_DENSE);

    if (!found || !batches || !stride)
        return SPARSE_INVALID_VALUE;
    *batches = found->batches;
    *stride = found->batch_stride;
    return SPARSE_SUCCESS;
}

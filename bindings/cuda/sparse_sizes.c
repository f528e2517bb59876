/*
 * cuSPARSE: sizes of the buffers that its operations take.
 *
 * The library publishes no sizes but those of the tridiagonal solvers (cuSPARSE Library, gtsv: m * (3 + n) values; a
 * strided batch: batches * (4 * m + 2048) values). For the others it is a rule of this library: an index of 4 bytes for
 * each row, and for each stored value where the operation sorts, transposes or analyses the matrix.
 */
#include "sparse.h"

enum { INDEX_BYTES = 4 };

static size_t
for_rows(int64_t rows)
{
    return rows < 0 || rows >= INT64_MAX / INDEX_BYTES ? 0 : (size_t)(rows + 1) * INDEX_BYTES;
}

static size_t
for_values(int64_t rows, int64_t count)
{
    return for_rows(rows) + for_rows(count);
}

static int
set_size(const void *handle, size_t *size, size_t bytes)
{
    if (!sparse_of(handle, SPARSE_HANDLE))
        return SPARSE_NOT_INITIALIZED;
    if (!size)
        return SPARSE_INVALID_VALUE;
    note_profile("cuSPARSE: buffers have 4 bytes for each row, and for each value that is sorted or solved for");
    *size = bytes;
    return SPARSE_SUCCESS;
}

static int
set_int_size(const void *handle, int *size, size_t bytes)
{
    size_t wide;
    int status = size ? set_size(handle, &wide, bytes) : SPARSE_INVALID_VALUE;

    if (status == SPARSE_SUCCESS)
        *size = bytes > INT32_MAX ? INT32_MAX : (int)bytes;
    return status;
}

/* Bytes for the rows of a matrix, with those for its values if it is analysed. */
static int
set_size_of(const void *handle, size_t *size, const void *matrix, bool is_analysed)
{
    const struct sparse *found = sparse_of(matrix, SPARSE_MATRIX);

    if (!sparse_of(handle, SPARSE_HANDLE))
        return SPARSE_NOT_INITIALIZED;
    if (!found)
        return SPARSE_INVALID_VALUE;
    return set_size(handle, size, is_analysed ? for_values(found->rows, found->count) : for_rows(found->rows));
}

/* ---- operations on described matrices ---- */

ANSWER(int, cusparseSpVV_bufferSize, void *handle, int op, void *x, void *y, const void *result, int type, size_t *size)
{
    return set_size(handle, size, sizeof(double[2])); /* one sum of the largest type */
}

ANSWER(int, cusparseSpMV_bufferSize, void *handle, int op, const void *alpha, void *a, void *x, const void *beta,
       void *y, int type, int algorithm, size_t *size)
{
    return set_size_of(handle, size, a, false);
}

ANSWER(int, cusparseSpMM_bufferSize, void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
       const void *beta, void *c, int type, int algorithm, size_t *size)
{
    return set_size_of(handle, size, a, false);
}

ANSWER(int, cusparseSDDMM_bufferSize, void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
       const void *beta, void *c, int type, int algorithm, size_t *size)
{
    return set_size_of(handle, size, c, false);
}

ANSWER(int, cusparseSpSV_bufferSize, void *handle, int op, const void *alpha, void *a, void *x, void *y, int type,
       int algorithm, void *solver, size_t *size)
{
    return set_size_of(handle, size, a, true);
}

ANSWER(int, cusparseSpSM_bufferSize, void *handle, int op_a, int op_b, const void *alpha, void *a, void *b, void *c,
       int type, int algorithm, void *solver, size_t *size)
{
    return set_size_of(handle, size, a, true);
}

ANSWER(int, cusparseSparseToDense_bufferSize, void *handle, void *sparse, void *dense, int algorithm, size_t *size)
{
    return set_size_of(handle, size, sparse, false);
}

ANSWER(int, cusparseDenseToSparse_bufferSize, void *handle, void *dense, void *sparse, int algorithm, size_t *size)
{
    return set_size_of(handle, size, sparse, false);
}

/* ---- operations on arrays ---- */

ANSWER(int, cusparseXcoosort_bufferSizeExt, void *handle, int m, int n, int count, const int *rows, const int *columns,
       size_t *size)
{
    return set_size(handle, size, for_values(count, count));
}

ANSWER(int, cusparseXcsrsort_bufferSizeExt, void *handle, int m, int n, int count, const int *offsets,
       const int *columns, size_t *size)
{
    return set_size(handle, size, for_values(count, count));
}

ANSWER(int, cusparseXcscsort_bufferSizeExt, void *handle, int m, int n, int count, const int *offsets, const int *rows,
       size_t *size)
{
    return set_size(handle, size, for_values(count, count));
}

ANSWER(int, cusparseCsr2cscEx2_bufferSize, void *handle, int m, int n, int count, const void *values,
       const int *offsets, const int *columns, void *out_values, int *out_offsets, int *out_rows, int type, int action,
       int base, int algorithm, size_t *size)
{
    return set_size(handle, size, for_values(n, count));
}

static size_t
tridiagonal(int m, int n, int value_bytes)
{
    return m < 0 || n < 0 ? 0 : (size_t)m * (3 + (size_t)n) * (size_t)value_bytes;
}

static size_t
tridiagonal_batch(int m, int batches, int value_bytes)
{
    return m < 0 || batches < 0 ? 0 : (size_t)batches * (4 * (size_t)m + 2048) * (size_t)value_bytes;
}

/* Those that each type of values has: S float, D double, C and Z complex. */
#define FOR_TYPE(letter, value_bytes)                                                                                  \
    ANSWER(int, cusparse##letter##bsrsv2_bufferSize, void *handle, int direction, int op, int rows, int count,         \
           void *matrix, void *values, const int *offsets, const int *columns, int block, void *info, int *size)       \
    {                                                                                                                  \
        return set_int_size(handle, size, for_values(rows, count));                                                    \
    }                                                                                                                  \
    ANSWER(int, cusparse##letter##bsrsm2_bufferSize, void *handle, int direction, int op_a, int op_x, int rows, int n, \
           int count, void *matrix, void *values, const int *offsets, const int *columns, int block, void *info,       \
           int *size)                                                                                                  \
    {                                                                                                                  \
        return set_int_size(handle, size, for_values(rows, count));                                                    \
    }                                                                                                                  \
    ANSWER(int, cusparse##letter##csrilu02_bufferSize, void *handle, int rows, int count, void *matrix, void *values,  \
           const int *offsets, const int *columns, void *info, int *size)                                              \
    {                                                                                                                  \
        return set_int_size(handle, size, for_values(rows, count));                                                    \
    }                                                                                                                  \
    ANSWER(int, cusparse##letter##csric02_bufferSize, void *handle, int rows, int count, void *matrix, void *values,   \
           const int *offsets, const int *columns, void *info, int *size)                                              \
    {                                                                                                                  \
        return set_int_size(handle, size, for_values(rows, count));                                                    \
    }                                                                                                                  \
    ANSWER(int, cusparse##letter##csrgeam2_bufferSizeExt, void *handle, int m, int n, const void *alpha, void *a,      \
           int a_count, const void *a_values, const int *a_offsets, const int *a_columns, const void *beta, void *b,   \
           int b_count, const void *b_values, const int *b_offsets, const int *b_columns, void *c,                     \
           const void *c_values, const int *c_offsets, const int *c_columns, size_t *size)                             \
    {                                                                                                                  \
        return set_size(handle, size, for_rows(m));                                                                    \
    }                                                                                                                  \
    ANSWER(int, cusparse##letter##gtsv2_bufferSizeExt, void *handle, int m, int n, const void *lower, const void *d,   \
           const void *upper, const void *b, int ldb, size_t *size)                                                    \
    {                                                                                                                  \
        return set_size(handle, size, tridiagonal(m, n, value_bytes));                                                 \
    }                                                                                                                  \
    ANSWER(int, cusparse##letter##gtsv2_nopivot_bufferSizeExt, void *handle, int m, int n, const void *lower,          \
           const void *d, const void *upper, const void *b, int ldb, size_t *size)                                     \
    {                                                                                                                  \
        return set_size(handle, size, tridiagonal(m, n, value_bytes));                                                 \
    }                                                                                                                  \
    ANSWER(int, cusparse##letter##gtsv2StridedBatch_bufferSizeExt, void *handle, int m, const void *lower,             \
           const void *d, const void *upper, const void *x, int batches, int stride, size_t *size)                     \
    {                                                                                                                  \
        return set_size(handle, size, tridiagonal_batch(m, batches, value_bytes));                                     \
    }

FOR_TYPE(S, 4)
FOR_TYPE(D, 8)
FOR_TYPE(C, 8)
FOR_TYPE(Z, 16)

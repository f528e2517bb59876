/*
 * cuSPARSE: results whose size follows from values, which no device computed.
 *
 * How many values a product or a sum stores is taken as high as it can be for what is known of its operands, and is
 * noted as made up.
 */
#include "sparse.h"

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* No more than every place of the matrix. */
static int64_t
at_most_full(const struct sparse *matrix, int64_t count)
{
    int64_t places;

    return __builtin_mul_overflow(matrix->rows, matrix->columns, &places) ? count : smaller(places, count);
}

/* Products of a stored value of `a` with one of `b`, if the rows of `b` are evenly filled. */
static int64_t
products(const struct sparse *a, const struct sparse *b)
{
    int64_t per_row = b->rows > 0 ? (b->count + b->rows - 1) / b->rows : 0, all;

    return __builtin_mul_overflow(a->count, per_row, &all) ? INT64_MAX : all;
}

/* ---- the product of two sparse matrices ---- */

enum { PRODUCT_BYTES = 8 }; /* an index and a value of 4 bytes */

/* A buffer's size is asked for with no buffer; the second call brings it. */
static int
product(const void *handle, const void *a, const void *b, const void *c, int64_t *descriptor, size_t *size,
        bool is_done, const void *caller)
{
    const struct sparse *left = sparse_of(a, SPARSE_MATRIX), *right = sparse_of(b, SPARSE_MATRIX);
    struct sparse *result = sparse_of(c, SPARSE_MATRIX);

    if (!sparse_of(handle, SPARSE_HANDLE))
        return SPARSE_NOT_INITIALIZED;
    if (!left || !right || !result || !handle_get(descriptor, HANDLE_DESCRIPTOR) || !size)
        return SPARSE_INVALID_VALUE;
    *descriptor = products(left, right);
    *size = (size_t)smaller(*descriptor, INT64_MAX / PRODUCT_BYTES) * PRODUCT_BYTES;
    note_profile("cuSPARSE: the buffers of a product of sparse matrices have 8 bytes for each product of two values");
    if (is_done) {
        result->count = at_most_full(result, *descriptor);
        note_made_up(sizeof result->count, caller);
    }
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseSpGEMM_workEstimation, void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
       const void *beta, void *c, int type, int algorithm, int64_t *descriptor, size_t *size, void *buffer)
{
    return product(handle, a, b, c, descriptor, size, false, CALLER);
}

ANSWER(int, cusparseSpGEMM_compute, void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
       const void *beta, void *c, int type, int algorithm, int64_t *descriptor, size_t *size, void *buffer)
{
    return product(handle, a, b, c, descriptor, size, buffer != NULL || (size && *size == 0), CALLER);
}

ANSWER(int, cusparseSpGEMM_estimateMemory, void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
       const void *beta, void *c, int type, int algorithm, int64_t *descriptor, float part, size_t *third_size,
       void *third_buffer, size_t *second_size)
{
    int status = product(handle, a, b, c, descriptor, third_size, false, CALLER);

    if (status == SPARSE_SUCCESS && second_size)
        *second_size = *third_size;
    return status;
}

ANSWER(int, cusparseSpGEMM_getNumProducts, const int64_t *descriptor, int64_t *count)
{
    if (!handle_get(descriptor, HANDLE_DESCRIPTOR) || !count)
        return SPARSE_INVALID_VALUE;
    *count = *descriptor;
    return SPARSE_SUCCESS;
}

/* ---- other counts ---- */

/* Where the caller wants a count: on the host, or on the device, which computes nothing. */
static int
set_count(const void *handle, int *count, int64_t value, const void *caller)
{
    if (!sparse_of(handle, SPARSE_HANDLE))
        return SPARSE_NOT_INITIALIZED;
    if (!count)
        return SPARSE_INVALID_VALUE;
    if (memory_device(count) >= 0)
        return SPARSE_SUCCESS;
    *count = (int)smaller(value, INT32_MAX);
    note_made_up(sizeof *count, caller);
    return SPARSE_SUCCESS;
}

ANSWER(int, cusparseXcsrgeam2Nnz, void *handle, int m, int n, void *a, int a_count, const int *a_offsets,
       const int *a_columns, void *b, int b_count, const int *b_offsets, const int *b_columns, void *c, int *c_offsets,
       int *count, void *work)
{
    return set_count(handle, count, smaller((int64_t)m * n, (int64_t)a_count + b_count), CALLER);
}

ANSWER(int, cusparseDenseToSparse_analysis, void *handle, void *dense, void *sparse, int algorithm, void *buffer)
{
    struct sparse *result = sparse_of(sparse, SPARSE_MATRIX);

    if (!sparse_of(handle, SPARSE_HANDLE))
        return SPARSE_NOT_INITIALIZED;
    if (!result || !sparse_of(dense, SPARSE_DENSE))
        return SPARSE_INVALID_VALUE;
    result->count = at_most_full(result, INT64_MAX);
    note_made_up(sizeof result->count, CALLER);
    return SPARSE_SUCCESS;
}

/* No pivot is zero. */
#define ZERO_PIVOT(name)                                                                                               \
    ANSWER(int, cusparseX##name##_zeroPivot, void *handle, void *info, int *position)                                  \
    {                                                                                                                  \
        return set_count(handle, position, -1, CALLER);                                                                \
    }

ZERO_PIVOT(bsrsv2)
ZERO_PIVOT(bsrsm2)
ZERO_PIVOT(csrilu02)
ZERO_PIVOT(bsrilu02)
ZERO_PIVOT(csric02)
ZERO_PIVOT(bsric02)

/* cuSPARSE among its own files. Numbers are the interface's: cuSPARSE Library, section 3. */
#ifndef CUDA_SPARSE_H
#define CUDA_SPARSE_H

#include "device.h"

/* cusparseStatus_t */
enum sparse_status {
    SPARSE_SUCCESS = 0,
    SPARSE_NOT_INITIALIZED = 1,
    SPARSE_ALLOC_FAILED = 2,
    SPARSE_INVALID_VALUE = 3,
    SPARSE_NOT_SUPPORTED = 10,
};

enum sparse_sort { SPARSE_HANDLE = 1, SPARSE_MATRIX, SPARSE_VECTOR, SPARSE_DENSE, SPARSE_DENSE_VECTOR, SPARSE_PRODUCT };

/* cusparseFormat_t */
enum sparse_format { SPARSE_CSR = 1, SPARSE_CSC = 2, SPARSE_COO = 3, SPARSE_ELL = 5, SPARSE_BSR = 6 };

/* Any object of the library: what it is, and what was said of it when it was made. */
struct sparse {
    int sort, format;
    int64_t rows, columns, count; /* count: values that are stored; the leading dimension of a dense matrix */
    int64_t block_rows, block_columns;
    void *first, *second, *values; /* offsets or row numbers, column numbers, values */
    int first_type, second_type, base, type, order;
    int batches;
    int64_t batch_stride;
    int attributes[4];
    void *stream;
    int pointer_mode;
};

_Static_assert(sizeof(struct sparse) <= HANDLE_BYTES, "an object fits into its handle");

struct sparse *
sparse_of(const void *object, int sort);

/* A new object like this one. */
int
sparse_new(void **object, const struct sparse *like);

#endif

/* cuSOLVER among its own files. Numbers are the interface's: cuSOLVER Library, section 2. */
#ifndef CUDA_SOLVER_H
#define CUDA_SOLVER_H

#include "device.h"

/* cusolverStatus_t */
enum solver_status {
    SOLVER_SUCCESS = 0,
    SOLVER_NOT_INITIALIZED = 1,
    SOLVER_ALLOC_FAILED = 2,
    SOLVER_INVALID_VALUE = 3,
    SOLVER_NOT_SUPPORTED = 9,
};

/*
 * Numbers of values that a computation works in, by LAPACK's names; those of its routines' pages (LAPACK Users' Guide,
 * argument LWORK), with blocks of 64 columns where the best size depends on the block. Saturating; 0 if a size is
 * negative.
 */
int64_t
solver_blocked(int64_t n);

int64_t
solver_syevd(int64_t n, bool with_vectors);

int64_t
solver_gesvd(int64_t m, int64_t n);

/*
 * Eigenvalues of a batch of small matrices. What the library itself asks for: github.com/cupy/cupy/issues/7261, of
 * cheevjBatched 1028 + 1049 values a matrix where n is 4, 1033 where n is 2.
 */
int64_t
solver_syevj_batch(int64_t n, int64_t batches);

/* One-sided and two-sided Jacobi work on a copy of the matrix and on the vectors. */
int64_t
solver_jacobi(int64_t m, int64_t n, int64_t batches);

/* What was recorded on a GPU (solver_work.c), in bytes; 0 for sizes that no matrix has. */
int64_t
solver_cholesky(int64_t n);

int64_t
solver_lu(int64_t n);

int64_t
solver_qr(int64_t columns, int64_t value_bytes);

int64_t
solver_eigenvalues(int64_t n, int64_t value_bytes);

/* The same in values: the reflectors of a QR factorisation as a matrix, and singular values by Jacobi's method. */
int64_t
solver_reflectors(int64_t m, int64_t n);

int64_t
solver_singular_values(int64_t m, int64_t n);

/* Eigenvalues of a symmetric matrix by two methods, of a batch, and the product with reflectors; in values. */
int64_t
solver_symmetric_jacobi(int64_t n);

int64_t
solver_symmetric(int64_t n, bool with_vectors);

int64_t
solver_symmetric_batch(int64_t n, int64_t batches);

int64_t
solver_reflected(int64_t rows, int64_t reflectors, int64_t columns);

/* Whether it is a handle of this library. */
bool
solver_is(const void *handle);

int
solver_set_values(const void *handle, int *size, int64_t values);

/* `values` of that type on the device, `host_values` on the host. */
int
solver_set_bytes(const void *handle, int type, size_t *device, int64_t values, size_t *host, int64_t host_values);

/* `bytes` on the device, and as many values of that type on the host. */
int
solver_set_work(const void *handle, int type, size_t *device, int64_t bytes, size_t *host, int64_t host_values);

#endif

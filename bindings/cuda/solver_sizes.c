/* cuSOLVER: the sizes that each function is asked for, in values by the older functions, in bytes by the newer ones. */
#include "solver.h"

#include "value_type.h"

/* cusolverEigMode_t */
enum { WITH_VECTORS = 1 };

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#define SIZE(name, values, ...)                                                                                        \
    ANSWER(int, cusolverDn##name##_bufferSize, void *handle, __VA_ARGS__)                                              \
    {                                                                                                                  \
        return solver_set_values(handle, size, values);                                                                \
    }

/* ---- for each type of values; `orthogonal` and `eigen` are how LAPACK begins those names ---- */

#define FOR_TYPE(letter, orthogonal, eigen)                                                                            \
    SIZE(letter##potrf, solver_blocked(n), int uplo, int n, void *a, int lda, int *size)                               \
    SIZE(letter##potri, solver_blocked(n), int uplo, int n, void *a, int lda, int *size)                               \
    SIZE(letter##lauum, solver_blocked(n), int uplo, int n, void *a, int lda, int *size)                               \
    SIZE(letter##geqrf, solver_blocked(n), int m, int n, void *a, int lda, int *size)                                  \
    SIZE(letter##sytrf, solver_blocked(n), int n, void *a, int lda, int *size)                                         \
    SIZE(letter##sytri, solver_blocked(n), int uplo, int n, void *a, int lda, const int *pivots, int *size)            \
    SIZE(letter##gebrd, solver_blocked(larger(m, n)), int m, int n, int *size)                                         \
    SIZE(letter##gesvd, solver_gesvd(m, n), int m, int n, int *size)                                                   \
    SIZE(letter##orthogonal##gqr, solver_reflectors(m, n), int m, int n, int k, const void *a, int lda,                \
         const void *tau, int *size)                                                                                   \
    SIZE(letter##orthogonal##mqr, solver_reflected(m, k, n), int side, int op, int m, int n, int k, const void *a,     \
         int lda, const void *tau, const void *c, int ldc, int *size)                                                  \
    SIZE(letter##orthogonal##gbr, solver_blocked(larger(m, n)), int side, int m, int n, int k, const void *a, int lda, \
         const void *tau, int *size)                                                                                   \
    SIZE(letter##orthogonal##gtr, solver_blocked(n), int uplo, int n, const void *a, int lda, const void *tau,         \
         int *size)                                                                                                    \
    SIZE(letter##orthogonal##mtr, solver_blocked(larger(m, n)), int side, int uplo, int op, int m, int n,              \
         const void *a, int lda, const void *tau, const void *c, int ldc, int *size)                                   \
    SIZE(letter##eigen##trd, solver_blocked(n), int uplo, int n, const void *a, int lda, const void *d, const void *e, \
         const void *tau, int *size)                                                                                   \
    SIZE(letter##eigen##evd, solver_symmetric(n, vectors == WITH_VECTORS), int vectors, int uplo, int n,               \
         const void *a, int lda, const void *w, int *size)                                                             \
    SIZE(letter##eigen##gvd, solver_syevd(n, vectors == WITH_VECTORS), int kind, int vectors, int uplo, int n,         \
         const void *a, int lda, const void *b, int ldb, const void *w, int *size)                                     \
    SIZE(letter##eigen##evj, solver_symmetric_jacobi(n), int vectors, int uplo, int n, const void *a, int lda,         \
         const void *w, int *size, void *parameters)                                                                   \
    SIZE(letter##eigen##gvj, solver_jacobi(n, n, 1), int kind, int vectors, int uplo, int n, const void *a, int lda,   \
         const void *b, int ldb, const void *w, int *size, void *parameters)                                           \
    SIZE(letter##eigen##evjBatched, solver_syevj_batch(n, batches), int vectors, int uplo, int n, const void *a,       \
         int lda, const void *w, int *size, void *parameters, int batches)                                             \
    SIZE(letter##gesvdj, solver_singular_values(m, n), int vectors, int economic, int m, int n, const void *a,         \
         int lda, const void *s, const void *u, int ldu, const void *v, int ldv, int *size, void *parameters)          \
    SIZE(letter##gesvdjBatched, solver_singular_values(m, n), int vectors, int m, int n, const void *a, int lda,       \
         const void *s, const void *u, int ldu, const void *v, int ldv, int *size, void *parameters, int batches)      \
    SIZE(letter##gesvdaStridedBatched, solver_jacobi(m, n, batches), int vectors, int rank, int m, int n,              \
         const void *a, int lda, long long a_stride, const void *s, long long s_stride, const void *u, int ldu,        \
         long long u_stride, const void *v, int ldv, long long v_stride, int *size, int batches)

FOR_TYPE(S, or, sy)
FOR_TYPE(D, or, sy)
FOR_TYPE(C, un, he)
FOR_TYPE(Z, un, he)

SIZE(Sgetrf, solver_lu(m) / 4, int m, int n, void *a, int lda, int *size)
SIZE(Dgetrf, solver_lu(m) / 8, int m, int n, void *a, int lda, int *size)
SIZE(Cgetrf, solver_lu(m) / 8, int m, int n, void *a, int lda, int *size)
SIZE(Zgetrf, solver_lu(m) / 16, int m, int n, void *a, int lda, int *size)

/* ---- for any type, with 64-bit sizes ---- */

#define BYTES(name, type, values, host_values, ...)                                                                    \
    ANSWER(int, cusolverDnX##name##_bufferSize, void *handle, __VA_ARGS__)                                             \
    {                                                                                                                  \
        return solver_set_bytes(handle, type, device, values, host, host_values);                                      \
    }

#define WORK(name, type, bytes, host_values, ...)                                                                      \
    ANSWER(int, cusolverDnX##name##_bufferSize, void *handle, __VA_ARGS__)                                             \
    {                                                                                                                  \
        return solver_set_work(handle, type, device, bytes, host, host_values);                                        \
    }

WORK(potrf, a_type, solver_cholesky(n), 0, void *parameters, int uplo, int64_t n, int a_type, const void *a,
     int64_t lda, int compute_type, size_t *device, size_t *host)

WORK(getrf, a_type, solver_lu(m), 0, void *parameters, int64_t m, int64_t n, int a_type, const void *a, int64_t lda,
     int compute_type, size_t *device, size_t *host)

WORK(geqrf, a_type, solver_qr(n, (int64_t)value_type_bytes(a_type)), 0, void *parameters, int64_t m, int64_t n,
     int a_type, const void *a, int64_t lda, int tau_type, const void *tau, int compute_type, size_t *device,
     size_t *host)

BYTES(trtri, a_type, solver_blocked(n), 0, int uplo, int diagonal, int64_t n, int a_type, void *a, int64_t lda,
      size_t *device, size_t *host)

BYTES(sytrs, a_type, solver_blocked(n), 0, int uplo, int64_t n, int64_t columns, int a_type, const void *a, int64_t lda,
      const int64_t *pivots, int b_type, void *b, int64_t ldb, size_t *device, size_t *host)

BYTES(syevd, a_type, solver_symmetric(n, vectors == WITH_VECTORS), 0, void *parameters, int vectors, int uplo,
      int64_t n, int a_type, const void *a, int64_t lda, int w_type, const void *w, int compute_type, size_t *device,
      size_t *host)

BYTES(sygvd, a_type, solver_syevd(n, vectors == WITH_VECTORS), 0, void *parameters, int kind, int vectors, int uplo,
      int64_t n, int a_type, const void *a, int64_t lda, int b_type, const void *b, int64_t ldb, int w_type,
      const void *w, int compute_type, size_t *device, size_t *host)

BYTES(syevBatched, a_type, solver_symmetric_batch(n, batches), 0, void *parameters, int vectors, int uplo, int64_t n,
      int a_type, const void *a, int64_t lda, int w_type, const void *w, int compute_type, size_t *device, size_t *host,
      int64_t batches)

/* Computed on the host in part, on a copy of the matrix there. */
WORK(geev, a_type, solver_eigenvalues(n, (int64_t)value_type_bytes(a_type)), solver_jacobi(n, n, 1), void *parameters,
     int left, int right, int64_t n, int a_type, const void *a, int64_t lda, int w_type, const void *w, int l_type,
     const void *l, int64_t ldl, int r_type, const void *r, int64_t ldr, int compute_type, size_t *device, size_t *host)

BYTES(gesvd, a_type, solver_gesvd(m, n), 0, void *parameters, signed char u_job, signed char v_job, int64_t m,
      int64_t n, int a_type, const void *a, int64_t lda, int s_type, const void *s, int u_type, const void *u,
      int64_t ldu, int v_type, const void *v, int64_t ldv, int compute_type, size_t *device, size_t *host)

BYTES(gesvdp, a_type, solver_jacobi(m, n, 1), 0, void *parameters, int vectors, int economic, int64_t m, int64_t n,
      int a_type, const void *a, int64_t lda, int s_type, const void *s, int u_type, const void *u, int64_t ldu,
      int v_type, const void *v, int64_t ldv, int compute_type, size_t *device, size_t *host)

/* Works in the product of the matrix with `rank + oversampling` random vectors. */
BYTES(gesvdr, a_type, solver_jacobi(m, larger(rank, 0) + larger(oversampling, 0), 1), 0, void *parameters,
      signed char u_job, signed char v_job, int64_t m, int64_t n, int64_t rank, int64_t oversampling,
      int64_t iterations, int a_type, const void *a, int64_t lda, int s_type, const void *s, int u_type, const void *u,
      int64_t ldu, int v_type, const void *v, int64_t ldv, int compute_type, size_t *device, size_t *host)

BYTES(polar, a_type, solver_jacobi(m, n, 1), 0, void *parameters, int uplo, int64_t m, int64_t n, int a_type,
      const void *a, int64_t lda, int h_type, const void *h, int64_t ldh, int compute_type, size_t *device,
      size_t *host)

BYTES(larft, v_type, solver_blocked(k), 0, void *parameters, int direction, int storage, int64_t n, int64_t k,
      int v_type, const void *v, int64_t ldv, int tau_type, const void *tau, int t_type, void *t, int64_t ldt,
      int compute_type, size_t *device, size_t *host)

BYTES(stedc, d_type, solver_syevd(n, true) / 2, 0, void *parameters, int vectors, int64_t n, int d_type, const void *d,
      const void *e, int z_type, const void *z, int64_t ldz, int compute_type, size_t *device, size_t *host)

/* How far the singular values are off: on the host, and not computed. */
ANSWER(int, cusolverDnXgesvdp, void *handle, void *parameters, int vectors, int economic, int64_t m, int64_t n,
       int a_type, void *a, int64_t lda, int s_type, void *s, int u_type, void *u, int64_t ldu, int v_type, void *v,
       int64_t ldv, int compute_type, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info,
       double *error)
{
    if (!solver_is(handle))
        return SOLVER_NOT_INITIALIZED;
    if (error) {
        *error = 0;
        note_made_up(sizeof *error, CALLER);
    }
    return SOLVER_SUCCESS;
}

/* bindings/cuda: sizes of the areas that cuSOLVER's stand-in asks for. */
#include "devices.h"

enum { FLOAT = 0, DOUBLE = 1 };

int
cusolverDnCreate(void **handle);
int
cusolverDnDestroy(void *handle);
int
cusolverDnSsyevd_bufferSize(void *handle, int vectors, int uplo, int n, const void *a, int lda, const void *w,
                            int *size);
int
cusolverDnSsyevj_bufferSize(void *handle, int vectors, int uplo, int n, const void *a, int lda, const void *w,
                            int *size, void *parameters);
int
cusolverDnCheevjBatched_bufferSize(void *handle, int vectors, int uplo, int n, const void *a, int lda, const void *w,
                                   int *size, void *parameters, int batches);
int
cusolverDnSorgqr_bufferSize(void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *size);
int
cusolverDnSgesvdj_bufferSize(void *handle, int vectors, int economic, int m, int n, const void *a, int lda,
                             const void *s, const void *u, int ldu, const void *v, int ldv, int *size,
                             void *parameters);
int
cusolverDnDgetrf_bufferSize(void *handle, int m, int n, void *a, int lda, int *size);
int
cusolverDnXpotrf_bufferSize(void *handle, void *parameters, int uplo, int64_t n, int a_type, const void *a, int64_t lda,
                            int compute_type, size_t *device, size_t *host);
int
cusolverDnXgeqrf_bufferSize(void *handle, void *parameters, int64_t m, int64_t n, int a_type, const void *a,
                            int64_t lda, int tau_type, const void *tau, int compute_type, size_t *device, size_t *host);
int
cusolverDnXgetrf_bufferSize(void *handle, void *parameters, int64_t m, int64_t n, int a_type, const void *a,
                            int64_t lda, int compute_type, size_t *device, size_t *host);

/* test/data/pytorch_h100, eigh and eigvalsh: 16,848, 194,380 and 301,088 bytes of floats; 287,820 of 8 columns. */
static void
symmetric_eigenvalues_work_in_what_was_recorded(void **state)
{
    enum { MOST_OFF = 24 };
    static const int recorded[][2] = {{33, 16848 / 4}, {200, 194380 / 4}, {256, 301088 / 4}};
    void *handle;
    int size = 0;

    (void)state;
    cusolverDnCreate(&handle);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        int n = recorded[i][0];

        assert_int_equal(cusolverDnSsyevj_bufferSize(handle, 1, 0, n, NULL, n, NULL, &size, NULL), 0);
        assert_int_equal(size, recorded[i][1]);
    }
    assert_int_equal(cusolverDnSsyevd_bufferSize(handle, 0, 0, 8, NULL, 8, NULL, &size), 0);
    assert_in_range(size, 287820 / 4 - MOST_OFF, 287820 / 4 + MOST_OFF);
    cusolverDnDestroy(handle);
}

/* github.com/cupy/cupy/issues/7261: 64 matrices of 4 x 4 need a workspace of 68164. */
static void
a_batch_of_eigenvalues_works_in_what_users_have_seen(void **state)
{
    void *handle;
    int size = 0;

    (void)state;
    cusolverDnCreate(&handle);
    assert_int_equal(cusolverDnCheevjBatched_bufferSize(handle, 1, 0, 4, NULL, 4, NULL, &size, NULL, 64), 0);
    assert_int_equal(size, 68164);
    cusolverDnDestroy(handle);
}

/* An H100 with CUDA 13.0 (test/data/pytorch_h100/calls.jsonl.gz: solvers). */
static void
factorisations_work_in_what_was_recorded(void **state)
{
    static const struct {
        int type;
        int64_t n;
        size_t lu, cholesky, qr;
    } recorded[] = {
        {FLOAT, 7, 768, 160, 3145856},   {FLOAT, 100, 2304, 192, 3145856}, {FLOAT, 400, 7680, 0, 3735680},
        {FLOAT, 512, 8448, 0, 4194432},  {FLOAT, 513, 8704, 1312, 0},      {FLOAT, 600, 9216, 1600, 0},
        {FLOAT, 1024, 12544, 4224, 0},   {FLOAT, 2048, 0, 0, 10485888},    {DOUBLE, 7, 768, 160, 6291584},
        {DOUBLE, 600, 9216, 0, 9109632}, {DOUBLE, 1000, 0, 4224, 0},       {DOUBLE, 2048, 86272, 0, 20971648},
    };
    void *handle;

    (void)state;
    cusolverDnCreate(&handle);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        int type = recorded[i].type;
        int64_t n = recorded[i].n;
        size_t lu = 0, cholesky = 0, qr = 0, host = SIZE_MAX;
        int lu_values = 0;

        cusolverDnXgetrf_bufferSize(handle, NULL, n, n, type, NULL, n, type, &lu, &host);
        cusolverDnXpotrf_bufferSize(handle, NULL, 0, n, type, NULL, n, type, &cholesky, &host);
        cusolverDnXgeqrf_bufferSize(handle, NULL, n, n, type, NULL, n, type, NULL, type, &qr, &host);
        cusolverDnDgetrf_bufferSize(handle, (int)n, (int)n, NULL, (int)n, &lu_values);
        assert_int_equal(host, 0);
        assert_int_equal(lu_values * 8, lu);
        assert_true(recorded[i].lu == 0 || lu == recorded[i].lu);
        assert_true(recorded[i].cholesky == 0 || cholesky == recorded[i].cholesky);
        assert_true(recorded[i].qr == 0 || qr == recorded[i].qr);
    }
    cusolverDnDestroy(handle);
}

/* The same recording, in values of 4 bytes: 140416, 186624 and 3212288 bytes; 3968, 29568, 596096, 3184384, 3146368. */
static void
reflectors_and_singular_values_work_in_what_was_recorded(void **state)
{
    static const int reflectors[][3] = {{513, 4, 35104}, {100, 100, 46656}, {2048, 2048, 803072}};
    static const int singular[][3] = {
        {8, 8, 992}, {33, 33, 7392}, {256, 256, 149024}, {16, 600, 796096}, {1000, 100, 786592},
    };
    void *handle;
    int size = 0;

    (void)state;
    cusolverDnCreate(&handle);
    for (size_t i = 0; i < sizeof reflectors / sizeof *reflectors; i++) {
        cusolverDnSorgqr_bufferSize(handle, reflectors[i][0], reflectors[i][1], reflectors[i][1], NULL,
                                    reflectors[i][0], NULL, &size);
        assert_int_equal(size, reflectors[i][2]);
    }
    for (size_t i = 0; i < sizeof singular / sizeof *singular; i++) {
        cusolverDnSgesvdj_bufferSize(handle, 1, 1, singular[i][0], singular[i][1], NULL, singular[i][0], NULL, NULL, 1,
                                     NULL, 1, &size, NULL);
        assert_int_equal(size, singular[i][2]);
    }
    cusolverDnDestroy(handle);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_eigenvalues_work_in_what_was_recorded),
        cmocka_unit_test(a_batch_of_eigenvalues_works_in_what_users_have_seen),
        cmocka_unit_test(factorisations_work_in_what_was_recorded),
        cmocka_unit_test(reflectors_and_singular_values_work_in_what_was_recorded),
    };

    return cmocka_run_group_tests(tests, make_devices, NULL);
}

/*
 * cuSOLVER: handles, and how much its computations work in.
 *
 * The library publishes no sizes. Here are those of LAPACK, a rule where none was recorded on a GPU (solver_work.c) or
 * printed by users of the library; its own may be larger or smaller.
 */
#include "solver.h"

#include "runtime.h"
#include "value_type.h"

struct solver {
    int is_solver;
    void *stream;
    int deterministic, math;
};

static struct solver *
solver_of(const void *handle)
{
    struct solver *found = handle_get(handle, HANDLE_OTHER);

    return found && found->is_solver ? found : NULL;
}

bool
solver_is(const void *handle)
{
    return solver_of(handle) != NULL;
}

static int
create(void **handle)
{
    struct solver *made;

    if (!handle)
        return SOLVER_INVALID_VALUE;
    if (device_count() == 0)
        return SOLVER_NOT_INITIALIZED;
    device_load_modules(device_current());
    made = handle_new(HANDLE_OTHER);
    if (!made)
        return SOLVER_ALLOC_FAILED;
    made->is_solver = 1;
    *handle = made;
    return SOLVER_SUCCESS;
}

static int
destroy(void *handle)
{
    return solver_is(handle) && handle_delete(handle, HANDLE_OTHER) ? SOLVER_SUCCESS : SOLVER_NOT_INITIALIZED;
}

ANSWER(int, cusolverDnCreate, void **handle)
{
    return create(handle);
}

ANSWER(int, cusolverDnDestroy, void *handle)
{
    return destroy(handle);
}

ANSWER(int, cusolverSpCreate, void **handle)
{
    return create(handle);
}

ANSWER(int, cusolverSpDestroy, void *handle)
{
    return destroy(handle);
}

#define SETTING(type, name, field)                                                                                     \
    ANSWER(int, cusolverDnSet##name, void *handle, type value)                                                         \
    {                                                                                                                  \
        struct solver *solver = solver_of(handle);                                                                     \
                                                                                                                       \
        if (!solver)                                                                                                   \
            return SOLVER_NOT_INITIALIZED;                                                                             \
        solver->field = value;                                                                                         \
        return SOLVER_SUCCESS;                                                                                         \
    }                                                                                                                  \
    ANSWER(int, cusolverDnGet##name, void *handle, type *value)                                                        \
    {                                                                                                                  \
        struct solver *solver = solver_of(handle);                                                                     \
                                                                                                                       \
        if (!solver)                                                                                                   \
            return SOLVER_NOT_INITIALIZED;                                                                             \
        if (!value)                                                                                                    \
            return SOLVER_INVALID_VALUE;                                                                               \
        *value = solver->field;                                                                                        \
        return SOLVER_SUCCESS;                                                                                         \
    }

SETTING(void *, Stream, stream)
SETTING(int, DeterministicMode, deterministic)
SETTING(int, MathMode, math)

/* cuSOLVER 11 came with CUDA 12, cuSOLVER 12 with CUDA 13. */
static int
major_version(void)
{
    return runtime_version() / 1000 - 1;
}

ANSWER(int, cusolverGetVersion, int *version)
{
    if (!version)
        return SOLVER_INVALID_VALUE;
    *version = major_version() * 1000;
    return SOLVER_SUCCESS;
}

ANSWER(int, cusolverGetProperty, int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return SOLVER_INVALID_VALUE;
    *value = property == 0 ? major_version() : 0;
    return SOLVER_SUCCESS;
}

/* ---- sizes ---- */

static int64_t
times(int64_t a, int64_t b)
{
    int64_t product;

    if (a < 0 || b < 0)
        return 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t
plus(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t
solver_blocked(int64_t n)
{
    enum { BLOCK = 64 };

    return times(n, BLOCK);
}

/* ssyevd: 1 + 6n + 2n^2 with vectors, 2n + 1 without. */
int64_t
solver_syevd(int64_t n, bool with_vectors)
{
    return with_vectors ? plus(plus(1, times(6, n)), times(2, times(n, n))) : plus(1, times(2, n));
}

/* sgesvd: 3 min(m, n), and the bidiagonal form in blocks of rows and columns. */
int64_t
solver_gesvd(int64_t m, int64_t n)
{
    return plus(times(3, m < n ? m : n), plus(solver_blocked(m), solver_blocked(n)));
}

int64_t
solver_syevj_batch(int64_t n, int64_t batches)
{
    enum { FIXED = 1024 };

    return n < 0 ? 0 : plus(plus(FIXED, n), times(batches, plus(FIXED, times(plus(n, 1), plus(n, 1)))));
}

int64_t
solver_jacobi(int64_t m, int64_t n, int64_t batches)
{
    return times(batches, plus(times(m, n), times(n, n)));
}

static void
say_the_rule(void)
{
    note_profile("cuSOLVER: work areas are as recorded on an H100, or where none was what LAPACK's routines work in");
}

int
solver_set_values(const void *handle, int *size, int64_t values)
{
    if (!solver_is(handle))
        return SOLVER_NOT_INITIALIZED;
    if (!size)
        return SOLVER_INVALID_VALUE;
    say_the_rule();
    *size = values > INT32_MAX ? INT32_MAX : (int)values;
    return SOLVER_SUCCESS;
}

int
solver_set_work(const void *handle, int type, size_t *device, int64_t bytes, size_t *host, int64_t host_values)
{
    int64_t value_bytes = (int64_t)value_type_bytes(type);

    if (!solver_is(handle))
        return SOLVER_NOT_INITIALIZED;
    if (!device || !host || value_bytes == 0)
        return SOLVER_INVALID_VALUE;
    say_the_rule();
    *device = (size_t)bytes;
    *host = (size_t)times(host_values, value_bytes);
    return SOLVER_SUCCESS;
}

int
solver_set_bytes(const void *handle, int type, size_t *device, int64_t values, size_t *host, int64_t host_values)
{
    return solver_set_work(handle, type, device, times(values, (int64_t)value_type_bytes(type)), host, host_values);
}

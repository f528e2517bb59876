/*
 * cuFFT: plans, which know the work area that their transforms would take. Transforms themselves only launch kernels.
 *
 * Work area, a rule of this library: as many bytes as the complex values of all transforms of the plan, as CuPy's page
 * on its cache of plans shows it (4 of 64 x 64 double complex values: 262,144 bytes); eight times as many where a
 * length has a prime factor above 127, since cuFFT Library, section 3.3, says that large primes may need up to eight
 * times what a similar power of two needs. The library's own sizes are not published.
 *
 * From cuFFT 12 on (CUDA 13) lines that fit in the shared memory of a block need none, but for lines of real values alone
 * of lengths that are no power of two: what 1,360 plans took on an H100, test/data/pytorch_h100.
 */
#include "device.h"

#include "fft.h"
#include "runtime.h"

#include <pthread.h>
#include <string.h>

enum { PLANS = 16384, RANK = 3, LARGE_PRIME = 127, BLUESTEIN = 8 };
enum { MAX_PRIME = 4096, MAX_REAL = 1024 }; /* lengths that need no work area whatever their factors, if real */

struct plan {
    bool used, manual; /* manual: the caller brings the work area */
    size_t work;       /* @unit bytes */
    void *area;        /* our own */
};

static struct plan plans[PLANS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct plan *
plan_of(int number)
{
    return number > 0 && number < PLANS && plans[number].used ? &plans[number] : NULL;
}

ANSWER(int, cufftCreate, int *plan)
{
    int found = 0;

    if (!plan)
        return FFT_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    for (int i = 1; i < PLANS && found == 0; i++)
        if (!plans[i].used)
            found = i;
    if (found > 0)
        plans[found] = (struct plan){.used = true};
    pthread_mutex_unlock(&lock);
    *plan = found;
    return found > 0 ? FFT_SUCCESS : FFT_ALLOC_FAILED;
}

ANSWER(int, cufftDestroy, int plan)
{
    struct plan *found;
    void *area = NULL;

    pthread_mutex_lock(&lock);
    found = plan_of(plan);
    if (found) {
        area = found->area;
        found->used = false;
    }
    pthread_mutex_unlock(&lock);
    if (area)
        memory_release(area);
    return found ? FFT_SUCCESS : FFT_INVALID_PLAN;
}

ANSWER(int, cufftSetAutoAllocation, int plan, int automatic)
{
    struct plan *found = plan_of(plan);

    if (!found)
        return FFT_INVALID_PLAN;
    found->manual = !automatic;
    return FFT_SUCCESS;
}

ANSWER(int, cufftSetWorkArea, int plan, void *area)
{
    struct plan *found = plan_of(plan);

    if (!found)
        return FFT_INVALID_PLAN;
    if (found->area)
        memory_release(found->area);
    found->area = NULL;
    return FFT_SUCCESS;
}

ANSWER(int, cufftSetStream, int plan, void *stream)
{
    return plan_of(plan) ? FFT_SUCCESS : FFT_INVALID_PLAN;
}

ANSWER(int, cufftGetSize, int plan, size_t *work)
{
    const struct plan *found = plan_of(plan);

    if (!found)
        return FFT_INVALID_PLAN;
    if (!work)
        return FFT_INVALID_VALUE;
    *work = found->work;
    return FFT_SUCCESS;
}

ANSWER(int, cufftGetVersion, int *version)
{
    if (!version)
        return FFT_INVALID_VALUE;
    *version = (runtime_version() / 1000 - 1) * 1000; /* cuFFT 11 came with CUDA 12, cuFFT 12 with CUDA 13 */
    return FFT_SUCCESS;
}

ANSWER(int, cufftGetProperty, int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return FFT_INVALID_VALUE;
    *value = property == 0 ? runtime_version() / 1000 - 1 : 0;
    return FFT_SUCCESS;
}

/* ---- work areas ---- */

static bool
has_large_prime(int64_t n)
{
    for (int64_t p = 2; p <= LARGE_PRIME; p++)
        while (n % p == 0)
            n /= p;
    return n > 1;
}

/* Complex values of one transform: half of them where its input or output is real. */
static int64_t
complex_values(const struct fft_shape *shape, int axis)
{
    int64_t n = shape->n[axis];

    return shape->is_real && axis == shape->rank - 1 ? n / 2 + 1 : n;
}

static bool
is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Whether all is done in the shared memory of blocks. */
static bool
is_shared(const struct fft_shape *shape)
{
    if (runtime_version() < RUNTIME_13)
        return false;
    for (int i = 0; i < shape->rank; i++)
        if (shape->n[i] > device_gpu()->block_shared / shape->bytes ||
            (shape->n[i] > MAX_PRIME && has_large_prime(shape->n[i])))
            return false;
    return true;
}

/* What real lines alone take that are done so: of each half the values, or all where a prime is large. */
static int64_t
shared_work(const struct fft_shape *shape)
{
    int64_t n = shape->n[0], each = n * shape->bytes;

    if (shape->rank > 1 || !shape->is_real || is_power_of_two(n))
        return 0;
    if (has_large_prime(n))
        return each * shape->batch;
    return n > MAX_REAL && n % 2 == 0 ? each / 2 * shape->batch : 0;
}

int
fft_work(const struct fft_shape *shape, size_t *work)
{
    int64_t bytes = shape->bytes;
    bool is_large = false;

    if (shape->rank < 1 || shape->rank > RANK || shape->batch < 1 || shape->bytes == 0)
        return FFT_INVALID_SIZE;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->n[i] < 1 || __builtin_mul_overflow(bytes, complex_values(shape, i), &bytes))
            return FFT_INVALID_SIZE;
        is_large |= has_large_prime(shape->n[i]);
    }
    if (__builtin_mul_overflow(bytes, shape->batch, &bytes) ||
        __builtin_mul_overflow(bytes, is_large ? BLUESTEIN : 1, &bytes))
        return FFT_INVALID_SIZE;
    *work = is_shared(shape) ? (size_t)shared_work(shape) : (size_t)bytes;
    note_profile(
        "cuFFT: work areas of plans are by rule: as on an H100 with CUDA 13, before that the bytes of all values");
    return FFT_SUCCESS;
}

int
fft_make(int plan, const struct fft_shape *shape, size_t *work, const void *caller)
{
    struct plan *found = plan_of(plan);
    int status;

    if (!found)
        return FFT_INVALID_PLAN;
    status = fft_work(shape, &found->work);
    if (status != FFT_SUCCESS)
        return status;
    if (work)
        *work = found->work;
    if (found->area)
        memory_release(found->area);
    found->area = NULL;
    if (found->manual)
        return FFT_SUCCESS;
    found->area = memory_allocate(device_current(), found->work, caller);
    return found->area ? FFT_SUCCESS : FFT_ALLOC_FAILED;
}

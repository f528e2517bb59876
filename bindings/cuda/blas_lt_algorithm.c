/* cuBLASLt: its handle, and the one algorithm that every product has. */
#include "blas.h"

#include "blas_lt.h"
#include "runtime.h"

#include <string.h>

enum { ALGORITHM_WORDS = 8, SETTINGS = 2 * ALGORITHM_WORDS };

/* cublasLtMatmulAlgo_t: the settings of an algorithm, each by the number of its attribute. */
struct algorithm {
    int32_t settings[SETTINGS];
};

/* cublasLtMatmulHeuristicResult_t */
struct result {
    struct algorithm algorithm;
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
};

ANSWER(int, cublasLtCreate, void **handle)
{
    return blas_new(handle);
}

ANSWER(int, cublasLtDestroy, void *handle)
{
    return blas_delete(handle);
}

ANSWER(size_t, cublasLtGetVersion, void)
{
    return (size_t)blas_version();
}

ANSWER(size_t, cublasLtGetCudartVersion, void)
{
    return (size_t)runtime_version();
}

ANSWER(int, cublasLtGetProperty, int property, int *value)
{
    return blas_property(property, value);
}

ANSWER(const char *, cublasLtGetStatusName, int status)
{
    return blas_status(status, true);
}

ANSWER(const char *, cublasLtGetStatusString, int status)
{
    return blas_status(status, false);
}

ANSWER(int, cublasLtHeuristicsCacheGetCapacity, size_t *capacity)
{
    if (!capacity)
        return BLAS_INVALID_VALUE;
    *capacity = 0;
    return BLAS_SUCCESS;
}

/* ---- the algorithm ---- */

static int
answer_with(struct result *result)
{
    if (!result)
        return BLAS_INVALID_VALUE;
    memset(result, 0, sizeof *result);
    result->waves = 1;
    return BLAS_SUCCESS;
}

/* Once in a process: products are many. */
static void
say_the_rule(void)
{
    static bool said;

    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        note_profile("cuBLASLt: every product takes an algorithm without workspace, where the library may use what "
                     "its caller allows");
}

ANSWER(int, cublasLtMatmulAlgoGetHeuristic, void *handle, void *product, void *a, void *b, void *c, void *d,
       void *preference, int wanted, struct result *results, int *count)
{
    if (!handle_get(handle, HANDLE_BLAS))
        return BLAS_NOT_INITIALIZED;
    if (!product || !a || !b || !c || !d || !preference || wanted <= 0 || !results || !count)
        return BLAS_INVALID_VALUE;
    if (blas_lt_workspace(preference) > 0)
        say_the_rule();
    *count = 1;
    return answer_with(results);
}

ANSWER(int, cublasLtMatmulAlgoGetIds, void *handle, int compute, int scale, int a, int b, int c, int d, int wanted,
       int *ids, int *count)
{
    if (!handle_get(handle, HANDLE_BLAS))
        return BLAS_NOT_INITIALIZED;
    if (wanted <= 0 || !ids || !count)
        return BLAS_INVALID_VALUE;
    ids[0] = 0;
    *count = 1;
    return BLAS_SUCCESS;
}

ANSWER(int, cublasLtMatmulAlgoInit, void *handle, int compute, int scale, int a, int b, int c, int d, int id,
       struct algorithm *algorithm)
{
    if (!handle_get(handle, HANDLE_BLAS))
        return BLAS_NOT_INITIALIZED;
    if (!algorithm)
        return BLAS_INVALID_VALUE;
    memset(algorithm, 0, sizeof *algorithm);
    algorithm->settings[0] = id;
    return BLAS_SUCCESS;
}

ANSWER(int, cublasLtMatmulAlgoCheck, void *handle, void *product, void *a, void *b, void *c, void *d,
       const struct algorithm *algorithm, struct result *result)
{
    int status = handle_get(handle, HANDLE_BLAS) ? answer_with(result) : BLAS_NOT_INITIALIZED;

    if (status == BLAS_SUCCESS && !algorithm)
        return BLAS_INVALID_VALUE;
    if (status == BLAS_SUCCESS)
        result->algorithm = *algorithm;
    return status;
}

static bool
is_setting(int attribute)
{
    return attribute >= 0 && attribute < SETTINGS;
}

/* Settings have 4 bytes, the last of them 2. */
ANSWER(int, cublasLtMatmulAlgoConfigSetAttribute, struct algorithm *algorithm, int attribute, const void *value,
       size_t bytes)
{
    if (!algorithm || !value || !is_setting(attribute) || bytes == 0 || bytes > sizeof *algorithm->settings)
        return BLAS_INVALID_VALUE;
    memcpy(&algorithm->settings[attribute], value, bytes);
    return BLAS_SUCCESS;
}

ANSWER(int, cublasLtMatmulAlgoConfigGetAttribute, const struct algorithm *algorithm, int attribute, void *value,
       size_t bytes, size_t *written)
{
    if (!algorithm || !is_setting(attribute) || (!value && bytes > 0) || bytes > sizeof *algorithm->settings ||
        (bytes == 0 && !written))
        return BLAS_INVALID_VALUE;
    if (written)
        *written = bytes > 0 ? bytes : sizeof *algorithm->settings;
    if (bytes > 0)
        memcpy(value, &algorithm->settings[attribute], bytes);
    return BLAS_SUCCESS;
}

/* The algorithm has no capabilities beyond the plain product: every number is 0, every list is empty. */
ANSWER(int, cublasLtMatmulAlgoCapGetAttribute, const struct algorithm *algorithm, int attribute, void *value,
       size_t bytes, size_t *written)
{
    enum { TILES = 6, STAGES = 13, NUMBER_BYTES = 4 };
    bool is_list = attribute == TILES || attribute == STAGES;

    if (!algorithm || attribute < 0 || (!value && bytes > 0) || (bytes == 0 && !written))
        return BLAS_INVALID_VALUE;
    if (written)
        *written = is_list ? 0 : NUMBER_BYTES;
    if (bytes > 0 && !is_list)
        memset(value, 0, bytes < NUMBER_BYTES ? bytes : NUMBER_BYTES);
    return BLAS_SUCCESS;
}

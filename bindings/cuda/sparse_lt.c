/*
 * cuSPARSELt: products with a matrix of which two values in four are zero.
 *
 * Its descriptors lie in the caller's memory, 512 bytes or more each. Compressed, such a matrix has half of its values
 * and 2 bits for the place of each (cuSPARSELt, Structured sparsity; PyTorch allocates 9/16 of the elements of 16 bits
 * and 10/16 of those of 8 bits likewise: torch/sparse/_semi_structured_ops). How much the compression and the product
 * work in is not published: as much as those places for the one, nothing for the other.
 */
#include "device.h"

#include "runtime.h"
#include "value_type.h"

#include <string.h>

/* cusparseStatus_t */
enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 3, NOT_SUPPORTED = 10 };

enum { MAGIC = 0x73704c74, SHOWN_ALGORITHMS = 1 };

enum sort { LIBRARY = 1, MATRIX, PRODUCT, SELECTION, PLAN };

/* What a descriptor begins with. */
struct described {
    uint32_t magic;
    int sort;
    int64_t rows, columns; /* of a matrix */
    int type;
    int is_sparse;
    int batches;
    int settings[5];                     /* of an algorithm */
    int64_t compressed, places;          /* of a plan. @unit bytes */
    const struct described *matrices[2]; /* of a product */
};

static const struct described *
described(const void *descriptor, enum sort sort)
{
    const struct described *found = descriptor;

    return found && found->magic == MAGIC && found->sort == (int)sort ? found : NULL;
}

static int
describe(void *descriptor, const struct described *like, enum sort sort)
{
    struct described *made = descriptor;

    if (!made)
        return INVALID_VALUE;
    *made = *like;
    made->magic = MAGIC;
    made->sort = (int)sort;
    return SUCCESS;
}

static int
forget(void *descriptor, enum sort sort)
{
    if (!described(descriptor, sort))
        return INVALID_VALUE;
    ((struct described *)descriptor)->magic = 0;
    return SUCCESS;
}

ANSWER(int, cusparseLtInit, void *handle)
{
    if (device_count() == 0)
        return NOT_INITIALIZED;
    device_load_modules(device_current());
    return describe(handle, &(struct described){0}, LIBRARY);
}

ANSWER(int, cusparseLtDestroy, void *handle)
{
    return forget(handle, LIBRARY) == SUCCESS ? SUCCESS : NOT_INITIALIZED;
}

/* 0.8: the one that PyTorch 2.9 and later bring. */
ANSWER(int, cusparseLtGetVersion, const void *handle, int *version)
{
    if (!described(handle, LIBRARY) || !version)
        return INVALID_VALUE;
    *version = 800;
    return SUCCESS;
}

ANSWER(int, cusparseLtGetProperty, int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return INVALID_VALUE;
    *value = property == 1 ? 8 : 0;
    return SUCCESS;
}

ANSWER(const char *, cusparseLtGetErrorName, int status)
{
    return status == SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_ERROR";
}

ANSWER(const char *, cusparseLtGetErrorString, int status)
{
    return status == SUCCESS ? "success" : "error";
}

/* ---- matrices ---- */

static int
describe_matrix(const void *handle, void *matrix, int64_t rows, int64_t columns, int type, bool is_sparse)
{
    if (!described(handle, LIBRARY))
        return NOT_INITIALIZED;
    if (rows <= 0 || columns <= 0 || value_type_bits(type) == 0)
        return INVALID_VALUE;
    return describe(
        matrix,
        &(struct described){.rows = rows, .columns = columns, .type = type, .is_sparse = is_sparse, .batches = 1},
        MATRIX);
}

ANSWER(int, cusparseLtDenseDescriptorInit, const void *handle, void *matrix, int64_t rows, int64_t columns, int64_t ld,
       uint32_t alignment, int type, int order)
{
    return describe_matrix(handle, matrix, rows, columns, type, false);
}

ANSWER(int, cusparseLtStructuredDescriptorInit, const void *handle, void *matrix, int64_t rows, int64_t columns,
       int64_t ld, uint32_t alignment, int type, int order, int sparsity)
{
    return describe_matrix(handle, matrix, rows, columns, type, true);
}

ANSWER(int, cusparseLtMatDescriptorDestroy, void *matrix)
{
    return forget(matrix, MATRIX);
}

ANSWER(int, cusparseLtMatDescSetAttribute, const void *handle, struct described *matrix, int attribute,
       const void *value, size_t bytes)
{
    enum { BATCHES = 0 };

    if (!described(handle, LIBRARY) || !described(matrix, MATRIX) || !value)
        return INVALID_VALUE;
    if (attribute == BATCHES && bytes == sizeof matrix->batches)
        memcpy(&matrix->batches, value, bytes);
    return SUCCESS;
}

static int64_t
values_of(const struct described *matrix)
{
    int64_t count;

    if (__builtin_mul_overflow(matrix->rows, matrix->columns, &count) ||
        __builtin_mul_overflow(count, matrix->batches > 0 ? matrix->batches : 1, &count))
        return 0;
    return count;
}

static void
measure(const struct described *matrix, int64_t *compressed, int64_t *places)
{
    enum { ALIGNMENT = 16, PLACE_BITS = 2, BYTE = 8 };
    int64_t kept = values_of(matrix) / 2;

    *places = (kept * PLACE_BITS + BYTE - 1) / BYTE;
    *compressed = (kept / BYTE * value_type_bits(matrix->type) + *places + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    note_profile("cuSPARSELt: compressing works in as many bytes as the places of the values take, a product in none");
}

ANSWER(int, cusparseLtSpMMACompressedSize2, const void *handle, const void *matrix, size_t *compressed, size_t *work)
{
    const struct described *found = described(matrix, MATRIX);
    int64_t bytes, places;

    if (!described(handle, LIBRARY))
        return NOT_INITIALIZED;
    if (!found || !compressed || !work)
        return INVALID_VALUE;
    measure(found, &bytes, &places);
    *compressed = (size_t)bytes;
    *work = (size_t)places;
    return SUCCESS;
}

/* ---- products ---- */

ANSWER(int, cusparseLtMatmulDescriptorInit, const void *handle, void *product, int op_a, int op_b, const void *a,
       const void *b, const void *c, const void *d, int compute_type)
{
    const struct described *left = described(a, MATRIX), *right = described(b, MATRIX);

    if (!described(handle, LIBRARY))
        return NOT_INITIALIZED;
    if (!left || !right || !described(c, MATRIX) || !described(d, MATRIX))
        return INVALID_VALUE;
    return describe(product, &(struct described){.matrices = {left, right}}, PRODUCT);
}

ANSWER(int, cusparseLtMatmulDescSetAttribute, const void *handle, void *product, int attribute, const void *value,
       size_t bytes)
{
    return described(handle, LIBRARY) && described(product, PRODUCT) && value ? SUCCESS : INVALID_VALUE;
}

ANSWER(int, cusparseLtMatmulAlgSelectionInit, const void *handle, void *selection, const void *product, int algorithm)
{
    enum { MAX_ID = 1, SEARCHES = 2, SPLITS = 3, SPLIT_MODE = 4 };
    struct described made = {.settings = {[MAX_ID] = SHOWN_ALGORITHMS, [SEARCHES] = 5, [SPLITS] = 1}};

    if (!described(handle, LIBRARY) || !described(product, PRODUCT))
        return INVALID_VALUE;
    return describe(selection, &made, SELECTION);
}

ANSWER(int, cusparseLtMatmulAlgSelectionDestroy, void *selection)
{
    return forget(selection, SELECTION);
}

ANSWER(int, cusparseLtMatmulAlgSetAttribute, const void *handle, struct described *selection, int attribute,
       const void *value, size_t bytes)
{
    if (!described(handle, LIBRARY) || !described(selection, SELECTION) || !value || attribute < 0 || attribute > 4 ||
        bytes != sizeof *selection->settings)
        return INVALID_VALUE;
    memcpy(&selection->settings[attribute], value, bytes);
    return SUCCESS;
}

ANSWER(int, cusparseLtMatmulAlgGetAttribute, const void *handle, const struct described *selection, int attribute,
       void *value, size_t bytes)
{
    if (!described(handle, LIBRARY) || !described(selection, SELECTION) || !value || attribute < 0 || attribute > 4 ||
        bytes != sizeof *selection->settings)
        return INVALID_VALUE;
    memcpy(value, &selection->settings[attribute], bytes);
    return SUCCESS;
}

ANSWER(int, cusparseLtMatmulPlanInit, const void *handle, void *plan, const void *product, const void *selection)
{
    const struct described *found = described(product, PRODUCT);
    const struct described *sparse = NULL;
    struct described made = {0};

    if (!described(handle, LIBRARY))
        return NOT_INITIALIZED;
    for (int i = 0; found && i < 2; i++)
        if (described(found->matrices[i], MATRIX) && found->matrices[i]->is_sparse)
            sparse = found->matrices[i];
    if (!sparse || !described(selection, SELECTION))
        return INVALID_VALUE;
    measure(sparse, &made.compressed, &made.places);
    return describe(plan, &made, PLAN);
}

ANSWER(int, cusparseLtMatmulPlanDestroy, void *plan)
{
    return forget(plan, PLAN);
}

ANSWER(int, cusparseLtMatmulGetWorkspace, const void *handle, const void *plan, size_t *bytes)
{
    if (!described(handle, LIBRARY))
        return NOT_INITIALIZED;
    if (!described(plan, PLAN) || !bytes)
        return INVALID_VALUE;
    *bytes = 0;
    return SUCCESS;
}

ANSWER(int, cusparseLtSpMMACompressedSize, const void *handle, const void *plan, size_t *compressed, size_t *work)
{
    const struct described *found = described(plan, PLAN);

    if (!described(handle, LIBRARY))
        return NOT_INITIALIZED;
    if (!found || !compressed || !work)
        return INVALID_VALUE;
    *compressed = (size_t)found->compressed;
    *work = (size_t)found->places;
    return SUCCESS;
}

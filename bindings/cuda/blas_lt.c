/*
 * cuBLASLt: descriptors whose attributes read back as they were set, and one algorithm for every product.
 *
 * The algorithm wants no workspace, where the real library may choose one that uses what the preference allows; the
 * caller allocates that either way. Numbers are the interface's: cuBLAS Library, section 3.
 */
#include "blas.h"

#include "blas_lt.h"

#include <stdlib.h>
#include <string.h>

enum description_sort { LAYOUT = 1, PRODUCT, PREFERENCE, TRANSFORM, EMULATION };

enum {
    ATTRIBUTES = 48, /* more than any descriptor has */
    VALUE_BYTES = 8,
    MAGIC = 0x4c745344,
    OPAQUE_BYTES = 64, /* that the smallest descriptor has in the caller's memory */
    OPAQUE_MOST = 1024,
};

/* In a handle, or in memory of the caller's, who gets no attributes back then. */
struct description {
    uint32_t magic;
    int sort;
    unsigned char (*values)[VALUE_BYTES]; /* NULL in the caller's memory */
    int64_t workspace;                    /* that a preference allows. @unit bytes */
};

static struct description *
description_of(void *descriptor, int sort)
{
    struct description *found = descriptor;

    return found && found->magic == MAGIC && found->sort == sort ? found : NULL;
}

static int
describe(void **descriptor, int sort)
{
    struct description *made;

    if (!descriptor)
        return BLAS_INVALID_VALUE;
    made = handle_new(HANDLE_DESCRIPTOR);
    if (made)
        made->values = calloc(ATTRIBUTES, sizeof *made->values);
    if (!made || !made->values) {
        handle_delete(made, HANDLE_DESCRIPTOR);
        return BLAS_ALLOC_FAILED;
    }
    made->magic = MAGIC;
    made->sort = sort;
    *descriptor = made;
    return BLAS_SUCCESS;
}

static int
describe_in_place(void *memory, size_t bytes, int sort)
{
    struct description *made = memory;

    if (!memory || bytes < OPAQUE_BYTES || bytes > OPAQUE_MOST)
        return BLAS_INVALID_VALUE;
    memset(memory, 0, bytes);
    made->magic = MAGIC;
    made->sort = sort;
    return BLAS_SUCCESS;
}

static int
forget(void *descriptor, int sort)
{
    struct description *found = handle_get(descriptor, HANDLE_DESCRIPTOR);

    if (!found || !description_of(found, sort))
        return BLAS_INVALID_VALUE;
    free(found->values);
    found->magic = 0;
    handle_delete(found, HANDLE_DESCRIPTOR);
    return BLAS_SUCCESS;
}

/* ---- attributes ---- */

/* Attributes of 8 bytes, a bit each; the others have 4 or fewer. */
static const uint64_t wide[] = {
    [LAYOUT] = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7,
    [PRODUCT] = UINT64_C(0x3f) << 8 | UINT64_C(1) << 14 | UINT64_C(0x1f) << 17 | UINT64_C(3) << 23 |
                UINT64_C(1) << 36 | UINT64_C(7) << 38,
    [PREFERENCE] = 1 << 1,
    [TRANSFORM] = 0,
    [EMULATION] = 0,
};

enum { PREFERENCE_WORKSPACE = 1, LAYOUT_TYPE = 0, LAYOUT_ROWS = 2, LAYOUT_BATCH = 5, PRODUCT_COMPUTE = 0 };

static size_t
attribute_bytes(int sort, int attribute)
{
    return wide[sort] >> attribute & 1 ? 8 : 4;
}

static int
set_attribute(void *descriptor, int sort, int attribute, const void *value, size_t bytes)
{
    struct description *found = description_of(descriptor, sort);

    if (!found || !value || attribute < 0 || attribute >= ATTRIBUTES || bytes == 0)
        return BLAS_INVALID_VALUE;
    if (bytes > VALUE_BYTES)
        bytes = VALUE_BYTES;
    if (sort == PREFERENCE && attribute == PREFERENCE_WORKSPACE)
        memcpy(&found->workspace, value, bytes);
    if (found->values)
        memcpy(found->values[attribute], value, bytes);
    return BLAS_SUCCESS;
}

static int
get_attribute(void *descriptor, int sort, int attribute, void *value, size_t bytes, size_t *written)
{
    struct description *found = description_of(descriptor, sort);
    size_t own;

    if (!found || attribute < 0 || attribute >= ATTRIBUTES || (!value && bytes > 0) || (bytes == 0 && !written))
        return BLAS_INVALID_VALUE;
    own = attribute_bytes(sort, attribute);
    if (written)
        *written = own;
    if (bytes > own)
        bytes = own;
    if (bytes > 0 && found->values)
        memcpy(value, found->values[attribute], bytes);
    else if (bytes > 0)
        memset(value, 0, bytes);
    return BLAS_SUCCESS;
}

/* The functions that all sorts have. */
#define DESCRIPTOR(name, sort)                                                                                         \
    ANSWER(int, cublasLt##name##Destroy, void *descriptor)                                                             \
    {                                                                                                                  \
        return forget(descriptor, sort);                                                                               \
    }                                                                                                                  \
    ANSWER(int, cublasLt##name##SetAttribute, void *descriptor, int attribute, const void *value, size_t bytes)        \
    {                                                                                                                  \
        return set_attribute(descriptor, sort, attribute, value, bytes);                                               \
    }                                                                                                                  \
    ANSWER(int, cublasLt##name##GetAttribute, void *descriptor, int attribute, void *value, size_t bytes,              \
           size_t *written)                                                                                            \
    {                                                                                                                  \
        return get_attribute(descriptor, sort, attribute, value, bytes, written);                                      \
    }                                                                                                                  \
    ANSWER(int, cublasLt##name##Init_internal, void *memory, size_t bytes)                                             \
    {                                                                                                                  \
        return describe_in_place(memory, bytes, sort);                                                                 \
    }

DESCRIPTOR(MatrixLayout, LAYOUT)
DESCRIPTOR(MatmulDesc, PRODUCT)
DESCRIPTOR(MatmulPreference, PREFERENCE)
DESCRIPTOR(MatrixTransformDesc, TRANSFORM)
DESCRIPTOR(EmulationDesc, EMULATION)

ANSWER(int, cublasLtGroupedMatrixLayoutInit_internal, void *memory, size_t bytes)
{
    return describe_in_place(memory, bytes, LAYOUT);
}

ANSWER(int, cublasLtMatrixLayoutCreate, void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    int64_t sizes[] = {(int64_t)rows, (int64_t)columns, ld};
    int batches = 1, status = describe(layout, LAYOUT);

    if (status != BLAS_SUCCESS)
        return status;
    set_attribute(*layout, LAYOUT, LAYOUT_TYPE, &type, sizeof type);
    set_attribute(*layout, LAYOUT, LAYOUT_BATCH, &batches, sizeof batches);
    for (int i = 0; i < 3; i++)
        set_attribute(*layout, LAYOUT, LAYOUT_ROWS + i, &sizes[i], sizeof sizes[i]);
    return BLAS_SUCCESS;
}

ANSWER(int, cublasLtGroupedMatrixLayoutCreate, void **layout, int type, int groups, const void *rows,
       const void *columns, const void *ld)
{
    int status = describe(layout, LAYOUT);

    if (status == BLAS_SUCCESS)
        set_attribute(*layout, LAYOUT, LAYOUT_TYPE, &type, sizeof type);
    return status;
}

ANSWER(int, cublasLtMatmulDescCreate, void **product, int compute, int scale)
{
    int status = describe(product, PRODUCT);

    if (status != BLAS_SUCCESS)
        return status;
    set_attribute(*product, PRODUCT, PRODUCT_COMPUTE, &compute, sizeof compute);
    return set_attribute(*product, PRODUCT, PRODUCT_COMPUTE + 1, &scale, sizeof scale);
}

ANSWER(int, cublasLtMatmulPreferenceCreate, void **preference)
{
    return describe(preference, PREFERENCE);
}

ANSWER(int, cublasLtMatrixTransformDescCreate, void **transform, int scale)
{
    int status = describe(transform, TRANSFORM);

    return status == BLAS_SUCCESS ? set_attribute(*transform, TRANSFORM, 0, &scale, sizeof scale) : status;
}

ANSWER(int, cublasLtEmulationDescCreate, void **emulation)
{
    return describe(emulation, EMULATION);
}

int64_t
blas_lt_workspace(void *preference)
{
    const struct description *found = description_of(preference, PREFERENCE);

    return found ? found->workspace : 0;
}

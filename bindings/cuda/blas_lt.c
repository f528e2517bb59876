/*
 * cuBLASLt: descriptors whose attributes read back as they were set, and one algorithm for every product.
 *
 * The algorithm wants no workspace, where the real library may choose one that uses what the preference allows; the
 * caller allocates that either way. Numbers are the interface's: cuBLAS Library, section 3.
 */
#include "blas.h"

#include "blas_lt.h"

#include <string.h>

enum description_sort { LAYOUT = 1, PRODUCT, PREFERENCE, TRANSFORM, EMULATION };

enum { MAGIC = 0x4c745344, MIN_OPAQUE = 64, MAX_OPAQUE = 1024 };

/* In a handle, or in memory of the caller's. */
struct description {
    uint32_t magic;
    uint16_t sort, room; /* room: bytes of values */
    unsigned char values[];
};

static struct description *
description_of(void *descriptor, int sort)
{
    struct description *found = descriptor;

    return found && found->magic == MAGIC && found->sort == sort ? found : NULL;
}

static int
begin(void *memory, size_t bytes, int sort)
{
    struct description *made = memory;

    memset(memory, 0, bytes);
    made->magic = MAGIC;
    made->sort = (uint16_t)sort;
    made->room = (uint16_t)(bytes - sizeof *made);
    return BLAS_SUCCESS;
}

static int
describe(void **descriptor, int sort)
{
    void *made = descriptor ? handle_new(HANDLE_DESCRIPTOR) : NULL;

    if (!made)
        return descriptor ? BLAS_ALLOC_FAILED : BLAS_INVALID_VALUE;
    *descriptor = made;
    return begin(made, HANDLE_BYTES, sort);
}

static int
describe_in_place(void *memory, size_t bytes, int sort)
{
    return !memory || bytes < MIN_OPAQUE || bytes > MAX_OPAQUE ? BLAS_INVALID_VALUE : begin(memory, bytes, sort);
}

static int
forget(void *descriptor, int sort)
{
    struct description *found = handle_get(descriptor, HANDLE_DESCRIPTOR);

    if (!found || !description_of(found, sort))
        return BLAS_INVALID_VALUE;
    found->magic = 0;
    handle_delete(found, HANDLE_DESCRIPTOR);
    return BLAS_SUCCESS;
}

/* ---- attributes ---- */

#define BITS(from, to) ((UINT64_C(2) << (to)) - (UINT64_C(1) << (from)))
#define BIT(number) BITS(number, number)

/* Numbers of the attributes that a sort has, a bit each, and of those with 8 bytes; the others have 4 or fewer. */
static const struct {
    uint64_t all, wide;
} attributes[] = {
    [LAYOUT] = {BITS(0, 13), BITS(2, 4) | BITS(6, 7) | BITS(9, 11)},
    [PRODUCT] = {BITS(0, 8) | BITS(10, 15) | BITS(17, 26) | BITS(31, 40),
                 BIT(8) | BITS(10, 14) | BITS(17, 21) | BITS(23, 24) | BIT(36) | BITS(38, 40)},
    [PREFERENCE] = {BITS(0, 15), BIT(1)},
    [TRANSFORM] = {BITS(0, 7), 0},
    [EMULATION] = {BITS(0, 7), BIT(4)},
};

enum { PREFERENCE_WORKSPACE = 1, LAYOUT_TYPE = 0, LAYOUT_ROWS = 2, LAYOUT_BATCH = 5, PRODUCT_COMPUTE = 0 };

static size_t
attribute_bytes(int sort, int attribute)
{
    return attributes[sort].wide >> attribute & 1 ? 8 : 4;
}

/* Where an attribute lies among the values; NULL if there is none of that number, or no room for it. */
static unsigned char *
place_of(struct description *description, int sort, int attribute)
{
    size_t offset = 0;

    if (attribute < 0 || attribute > 63 || !(attributes[sort].all >> attribute & 1))
        return NULL;
    for (int i = 0; i < attribute; i++)
        if (attributes[sort].all >> i & 1)
            offset += attribute_bytes(sort, i);
    return offset + attribute_bytes(sort, attribute) <= description->room ? description->values + offset : NULL;
}

static int
set_attribute(void *descriptor, int sort, int attribute, const void *value, size_t bytes)
{
    struct description *found = description_of(descriptor, sort);
    unsigned char *place = found ? place_of(found, sort, attribute) : NULL;

    if (!place || !value || bytes == 0)
        return BLAS_INVALID_VALUE;
    memcpy(place, value, bytes < attribute_bytes(sort, attribute) ? bytes : attribute_bytes(sort, attribute));
    return BLAS_SUCCESS;
}

static int
get_attribute(void *descriptor, int sort, int attribute, void *value, size_t bytes, size_t *written)
{
    struct description *found = description_of(descriptor, sort);
    unsigned char *place = found ? place_of(found, sort, attribute) : NULL;
    size_t own;

    if (!place || (!value && bytes > 0) || (bytes == 0 && !written))
        return BLAS_INVALID_VALUE;
    own = attribute_bytes(sort, attribute);
    if (written)
        *written = own;
    if (bytes > 0)
        memcpy(value, place, bytes < own ? bytes : own);
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
    int64_t bytes = 0;

    get_attribute(preference, PREFERENCE, PREFERENCE_WORKSPACE, &bytes, sizeof bytes, NULL);
    return bytes;
}

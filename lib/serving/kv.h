/* Types of a cache's elements. */
#ifndef SERVING_KV_H
#define SERVING_KV_H

#include "serving/quantization.h"

/* `bytes` for each `block` elements of a head. */
struct kv_type {
    const char *name;
    int64_t block, bytes;
};

/*
 * That of a name; "auto" and NULL are `element`, or fp8 if the checkpoint's cache is. 0, MEMMODEL_ERROR_INVALID_ARGUMENT with
 * the names there are.
 */
int
kv_find(memmodel_context *context, const char *name, enum element element, bool is_fp8, struct kv_type *type);

/* Of so many elements in a row. */
int64_t
kv_bytes(const struct kv_type *type, int64_t elements);

#endif

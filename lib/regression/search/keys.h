/* Sets of keys: which formulas were seen. */
#ifndef SEARCH_KEYS_H
#define SEARCH_KEYS_H

#include "base/context.h"

struct keys {
    memmodel_context *context;
    uint64_t *slots;
    size_t capacity, count;
};

/* false: it was there, or is 0. Room must have been made. */
bool
keys_add(struct keys *keys, uint64_t key);

/* Room for so many in all. 0 or MEMMODEL_ERROR_NO_MEMORY */
int
keys_reserve(struct keys *keys, size_t count);

void
keys_release(struct keys *keys);

#endif

/* Hash tables from contents to indices, for things that are stored once. */
#ifndef EXPRESSION_TABLE_H
#define EXPRESSION_TABLE_H

#include "base/context.h"

#include <stdint.h>

struct table_slot {
    uint32_t hash;
    int32_t next_id; /* id + 1, 0 if free */
};

struct table {
    struct table_slot *slots;
    size_t capacity, count;
};

/* Whether what `owner` stores under `id` is what `key` describes. */
typedef bool (*table_same)(const void *owner, int32_t id, const void *key);

uint32_t
hash_words(uint64_t seed, const uint64_t *words, size_t count);

uint32_t
hash_text(const char *text);

/* Room for one more: table_put() after it cannot fail. */
int
table_reserve(memmodel_context *context, struct table *table);

/* The id, or -1 */
int32_t
table_find(const struct table *table, uint32_t hash, table_same same, const void *owner, const void *key);

void
table_put(struct table *table, uint32_t hash, size_t id);

void
table_release(memmodel_context *context, struct table *table);

#endif

/* Hash tables from contents to indices, for things that are stored once. */
#include "expression/table.h"

/* FNV-1a over whole words, stirred once more at the end. */
uint32_t
hash_words(uint64_t seed, const uint64_t *words, size_t count)
{
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

uint32_t
hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

static void
put_again(struct table *table, struct table_slot moved)
{
    size_t at = moved.hash & (table->capacity - 1);

    while (table->slots[at].next_id)
        at = (at + 1) & (table->capacity - 1);
    table->slots[at] = moved;
}

int
table_reserve(memmodel_context *context, struct table *table)
{
    struct table larger = {.count = table->count, .capacity = table->capacity ? table->capacity * 2 : 64};

    if (table->count * 2 < table->capacity)
        return 0;
    larger.slots = memory_allocate_zeroed(context, larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].next_id)
            put_again(&larger, table->slots[i]);
    memory_release(context, table->slots);
    *table = larger;
    return 0;
}

int32_t
table_find(const struct table *table, uint32_t hash, table_same same, const void *owner, const void *key)
{
    for (size_t at = hash; table->capacity; at++) {
        const struct table_slot *slot = &table->slots[at & (table->capacity - 1)];

        if (!slot->next_id)
            break;
        if (slot->hash == hash && same(owner, slot->next_id - 1, key))
            return slot->next_id - 1;
    }
    return -1;
}

void
table_put(struct table *table, uint32_t hash, size_t id)
{
    put_again(table, (struct table_slot){.hash = hash, .next_id = (int32_t)id + 1});
    table->count++;
}

void
table_release(memmodel_context *context, struct table *table)
{
    memory_release(context, table->slots);
}

/* A hash table with open addresses. */
#include "regression/search/keys.h"

#include "base/splitmix.h"

static size_t
find_slot(const struct keys *keys, uint64_t key)
{
    size_t slot = (size_t)splitmix(key) & (keys->capacity - 1);

    while (keys->slots[slot] != 0 && keys->slots[slot] != key)
        slot = (slot + 1) & (keys->capacity - 1);
    return slot;
}

bool
keys_add(struct keys *keys, uint64_t key)
{
    size_t slot;

    if (key == 0)
        return false;
    slot = find_slot(keys, key);
    if (keys->slots[slot] == key)
        return false;
    keys->slots[slot] = key;
    keys->count++;
    return true;
}

int
keys_reserve(struct keys *keys, size_t count)
{
    struct keys wider = {.context = keys->context, .capacity = keys->capacity ? keys->capacity : 64};

    if (keys->capacity > 0 && count <= keys->capacity / 2)
        return 0;
    while (count > wider.capacity / 2)
        wider.capacity *= 2;
    wider.slots = memory_allocate_zeroed(keys->context, wider.capacity, sizeof *wider.slots);
    if (!wider.slots)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < keys->capacity; i++)
        keys_add(&wider, keys->slots[i]);
    memory_release(keys->context, keys->slots);
    *keys = wider;
    return 0;
}

void
keys_release(struct keys *keys)
{
    memory_release(keys->context, keys->slots);
    keys->slots = NULL;
    keys->capacity = keys->count = 0;
}

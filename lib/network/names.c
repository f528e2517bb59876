/* Names of layers: full with their scopes, unique, found by a hash. */
#include "base/text.h"
#include "network/builder.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAME_BYTES = 255, MAX_FULL_NAME_BYTES = 1000, NUMBER_BYTES = 16 };

/* ---- what a name may be ---- */

int
names_check(struct builder *builder, const char *what, const char *name)
{
    size_t length = 0;

    if (!name || !*name)
        return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%s needs a name", what);
    while (name[length]) {
        int bytes = text_character_bytes(name + length);

        if (bytes == 0)
            return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "the name of %s has a control character or is not UTF-8, at byte %zu", what, length);
        length += (size_t)bytes;
        if (length > MAX_NAME_BYTES)
            return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "the name of %s is longer than %d bytes", what, MAX_NAME_BYTES);
    }
    return 0;
}

/* ---- the index ---- */

/* Slot of the layer of that name, or the free one where it would stand. */
static struct name_slot *
find_slot(const struct builder *builder, const char *name, uint32_t wanted)
{
    const struct name_index *names = &builder->names;
    size_t at = wanted & (names->capacity - 1);

    for (;; at = (at + 1) & (names->capacity - 1)) {
        struct name_slot *slot = &names->slots[at];

        if (slot->layer == 0 ||
            (slot->hash == wanted && strcmp(builder->network.layers[slot->layer - 1].name, name) == 0))
            return slot;
    }
}

int32_t
names_find(const struct builder *builder, const char *name)
{
    return builder->names.capacity ? find_slot(builder, name, text_hash(name))->layer - 1 : -1;
}

void
names_enter(struct builder *builder, int32_t layer)
{
    const char *name = builder->network.layers[layer].name;
    uint32_t value = text_hash(name);

    *find_slot(builder, name, value) = (struct name_slot){.hash = value, .layer = layer + 1};
    builder->names.count++;
}

/* Names are all different, so each goes to the first free slot. */
static void
move_slots(const struct name_index *from, struct name_index *to)
{
    for (size_t i = 0; i < from->capacity; i++) {
        size_t at = from->slots[i].hash & (to->capacity - 1);

        if (from->slots[i].layer == 0)
            continue;
        while (to->slots[at].layer)
            at = (at + 1) & (to->capacity - 1);
        to->slots[at] = from->slots[i];
    }
}

/* At most half full. */
int
names_reserve(struct builder *builder)
{
    struct name_index *names = &builder->names, larger = {.count = names->count};

    if ((names->count + 1) * 2 <= names->capacity)
        return 0;
    larger.capacity = names->capacity ? names->capacity * 2 : 64;
    larger.slots = memory_allocate_zeroed(builder->network.context, larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return MEMMODEL_ERROR_NO_MEMORY;
    move_slots(names, &larger);
    memory_release(builder->network.context, names->slots);
    *names = larger;
    return 0;
}

/* ---- making names ---- */

/* "prefix.name", or "name" without a prefix; `number` > 0 is added to it. */
static const char *
join(struct builder *builder, const char *prefix, const char *name, int32_t number)
{
    size_t prefix_length = prefix ? strlen(prefix) + 1 : 0, length = strlen(name);
    char digits[NUMBER_BYTES] = "", *full;

    if (number > 0)
        snprintf(digits, sizeof digits, "_%d", number);
    if (prefix_length + length + strlen(digits) > MAX_FULL_NAME_BYTES) {
        builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, name, "with its scopes the name has more than %d bytes",
                      MAX_FULL_NAME_BYTES);
        return NULL;
    }
    full = arena_allocate(&builder->network.arena, prefix_length + length + sizeof digits);
    if (!full) {
        builder_fail(builder, MEMMODEL_ERROR_NO_MEMORY);
        return NULL;
    }
    if (prefix) {
        memcpy(full, prefix, prefix_length - 1);
        full[prefix_length - 1] = '.';
    }
    memcpy(full + prefix_length, name, length);
    strcpy(full + prefix_length + length, digits);
    return full;
}

static const char *
scope_name(const struct builder *builder)
{
    return builder->scope < 0 ? NULL : builder->network.scopes[builder->scope].name;
}

const char *
names_given(struct builder *builder, const char *given)
{
    return join(builder, scope_name(builder), given, 0);
}

const char *
names_generated(struct builder *builder, enum op op)
{
    const char *name;

    do {
        name = join(builder, scope_name(builder), op_name(op), ++builder->generated[op]);
    } while (name && names_find(builder, name) >= 0);
    return name;
}

const char *
names_derived(struct builder *builder, const char *layer, const char *suffix)
{
    const char *name = join(builder, layer, suffix, 0);

    for (int32_t number = 2; name && names_find(builder, name) >= 0; number++)
        name = join(builder, layer, suffix, number);
    return name;
}

/* Small objects that live as long as their owner. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

/* Blocks double in size from the least to the largest, which keeps them few. */
enum { MIN_BYTES = 8192, MAX_BYTES = 262144, ALIGNMENT = alignof(max_align_t) };

struct arena_block {
    struct arena_block *older;
    size_t used, bytes;
    max_align_t data[];
};

static struct arena_block *
add_block(struct arena *arena, size_t bytes)
{
    size_t usual = arena->newest ? arena->newest->bytes * 2 : MIN_BYTES;
    struct arena_block *block;

    if (usual > MAX_BYTES)
        usual = MAX_BYTES;
    if (bytes < usual)
        bytes = usual;
    if (bytes > SIZE_MAX - sizeof *block) {
        context_error(arena->context, MEMMODEL_ERROR_NO_MEMORY, NULL, "out of memory: %zu bytes", bytes);
        return NULL;
    }
    block = memory_allocate(arena->context, sizeof *block + bytes);
    if (!block)
        return NULL;
    block->older = arena->newest;
    block->used = 0;
    block->bytes = bytes;
    arena->newest = block;
    return block;
}

void *
arena_allocate(struct arena *arena, size_t bytes)
{
    struct arena_block *block = arena->newest;
    void *memory;

    if (bytes > SIZE_MAX - ALIGNMENT) {
        context_error(arena->context, MEMMODEL_ERROR_NO_MEMORY, NULL, "out of memory: %zu bytes", bytes);
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!block || block->bytes - block->used < bytes)
        block = add_block(arena, bytes);
    if (!block)
        return NULL;
    memory = (unsigned char *)block->data + block->used;
    block->used += bytes;
    return memory;
}

void *
arena_copy(struct arena *arena, const void *bytes, size_t length)
{
    void *copy = arena_allocate(arena, length);

    if (copy && length)
        memcpy(copy, bytes, length);
    return copy;
}

char *
arena_copy_text(struct arena *arena, const char *text)
{
    return arena_copy(arena, text, strlen(text) + 1);
}

void
arena_release(struct arena *arena)
{
    while (arena->newest) {
        struct arena_block *older = arena->newest->older;

        memory_release(arena->context, arena->newest);
        arena->newest = older;
    }
}

/* Chunks cut, joined and found. */
#include "allocators/chunk.h"

static int
compare(const struct ordered_node *a, const struct ordered_node *b)
{
    const struct chunk *x = ORDERED_OBJECT(a, const struct chunk, node);
    const struct chunk *y = ORDERED_OBJECT(b, const struct chunk, node);

    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

void
chunks_init(struct chunks *chunks, struct arena *arena)
{
    *chunks = (struct chunks){.arena = arena, .free = {.compare = compare}};
}

struct chunk *
chunk_new(struct chunks *chunks, int64_t address, int64_t size)
{
    struct chunk *chunk = chunks->spare;

    if (chunk)
        chunks->spare = chunk->linked;
    else
        chunk = arena_allocate(chunks->arena, sizeof *chunk);
    if (!chunk)
        return NULL;
    chunk->previous = chunk->next = chunk->linked = chunk->linking = chunk->larger = chunk->smaller = NULL;
    chunk->address = address;
    chunk->size = size;
    chunk->requested = chunk->lead = 0;
    chunk->owner = -1;
    chunk->free = chunk->unsorted = chunk->first_of_size = chunk->apart = false;
    return chunk; /* its node is nobody's until it is in the set */
}

void
chunk_delete(struct chunks *chunks, struct chunk *chunk)
{
    chunk->linked = chunks->spare;
    chunks->spare = chunk;
}

struct chunk *
chunk_cut(struct chunks *chunks, struct chunk *chunk, int64_t size)
{
    struct chunk *rest = chunk_new(chunks, chunk->address + size, chunk->size - size);

    if (!rest)
        return NULL;
    rest->previous = chunk;
    rest->next = chunk->next;
    if (rest->next)
        rest->next->previous = rest;
    chunk->next = rest;
    chunk->size = size;
    return rest;
}

void
chunk_join_next(struct chunks *chunks, struct chunk *chunk)
{
    struct chunk *next = chunk->next;

    chunk->size += next->size;
    chunk->next = next->next;
    if (chunk->next)
        chunk->next->previous = chunk;
    chunk_delete(chunks, next);
}

void
chunk_set_free(struct chunks *chunks, struct chunk *chunk)
{
    chunk->free = true;
    ordered_insert(&chunks->free, &chunk->node);
}

void
chunk_set_used(struct chunks *chunks, struct chunk *chunk)
{
    chunk->free = false;
    ordered_remove(&chunks->free, &chunk->node);
}

struct chunk *
chunk_best_fit(const struct chunks *chunks, int64_t size)
{
    struct chunk key = {.size = size, .address = INT64_MIN};
    struct ordered_node *node = ordered_lower_bound(&chunks->free, &key.node);

    return node ? ORDERED_OBJECT(node, struct chunk, node) : NULL;
}

struct chunk *
chunk_coalesce(struct chunks *chunks, struct chunk *chunk)
{
    if (chunk->next && chunk->next->free) {
        chunk_set_used(chunks, chunk->next);
        chunk_join_next(chunks, chunk);
    }
    if (chunk->previous && chunk->previous->free) {
        chunk = chunk->previous;
        chunk_set_used(chunks, chunk);
        chunk_join_next(chunks, chunk);
    }
    return chunk;
}

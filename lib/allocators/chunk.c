/* The set of free chunks. */
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

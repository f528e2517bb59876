/* Chunks: the pieces of a region without gaps, each in use or free; free ones by size, then address. */
#ifndef ALLOCATORS_CHUNK_H
#define ALLOCATORS_CHUNK_H

#include "base/arena.h"
#include "base/ordered.h"

#include <stdbool.h>
#include <stdint.h>

struct chunk {
    struct ordered_node node;
    struct chunk *previous, *next;  /* neighbours in the region */
    struct chunk *linked, *linking; /* another list that it is in: the next there, the one before */
    struct chunk *larger, *smaller; /* the first chunks of the next sizes in that list */
    int64_t address, size, requested;
    int64_t lead;  /* of a mapping: bytes in front of its chunk */
    int32_t owner; /* block of the trace, -1: free */
    bool free;     /* in the set, or its list, of free chunks */
    bool unsorted; /* free, but not in its place yet */
    bool first_of_size;
    bool apart; /* a mapping of its own */
};

struct chunks {
    struct arena *arena;
    struct ordered_set free;
    struct chunk *spare;
};

void
chunks_init(struct chunks *chunks, struct arena *arena);

/* A new chunk without neighbours that is not in the set; NULL: no memory. */
struct chunk *
chunk_new(struct chunks *chunks, int64_t address, int64_t size);

void
chunk_delete(struct chunks *chunks, struct chunk *chunk);

/* Leaves `size` bytes in the chunk and puts the rest, not in the set, behind it; NULL: no memory. */
struct chunk *
chunk_cut(struct chunks *chunks, struct chunk *chunk, int64_t size);

/* `chunk` swallows its neighbour behind it, which is not in the set. */
void
chunk_join_next(struct chunks *chunks, struct chunk *chunk);

void
chunk_set_free(struct chunks *chunks, struct chunk *chunk);

void
chunk_set_used(struct chunks *chunks, struct chunk *chunk);

/* The smallest free chunk, of equal ones that of the lowest address, with at least `size` bytes; NULL: none. */
struct chunk *
chunk_best_fit(const struct chunks *chunks, int64_t size);

/* Joins a chunk that is not in the set with free neighbours; the whole, not in the set. */
struct chunk *
chunk_coalesce(struct chunks *chunks, struct chunk *chunk);

#endif

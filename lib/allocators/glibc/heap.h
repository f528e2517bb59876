/* The heap of glibc's malloc from the inside. glibc: malloc/malloc.c, as of 2.36, 64 bits, nothing tuned. */
#ifndef GLIBC_HEAP_H
#define GLIBC_HEAP_H

#include "allocators/allocator.h"
#include "allocators/chunk.h"
#include "allocators/pages.h"

#include <stdbool.h>

#define HEADER INT64_C(8)                     /* SIZE_SZ */
#define ALIGNMENT INT64_C(16)                 /* MALLOC_ALIGNMENT */
#define SMALLEST_CHUNK INT64_C(32)            /* MINSIZE */
#define FIRST_THRESHOLD (INT64_C(128) << 10)  /* DEFAULT_MMAP_THRESHOLD_MIN, DEFAULT_TRIM_THRESHOLD */
#define MAX_THRESHOLD (INT64_C(32) << 20)     /* DEFAULT_MMAP_THRESHOLD_MAX */
#define TOP_PAD (INT64_C(128) << 10)          /* DEFAULT_TOP_PAD */
#define CONSOLIDATES_FROM (INT64_C(64) << 10) /* FASTBIN_CONSOLIDATION_THRESHOLD */
#define MAX_CACHED INT64_C(1040)              /* chunk size of tcache's last bin */
#define MAX_FAST INT64_C(128)                 /* global_max_fast */
#define MIN_LARGE INT64_C(1024)               /* a request from here on empties the fast bins */
#define CACHE_TABLE INT64_C(656)              /* chunk of struct tcache_perthread_struct, the first of every heap */
#define HEAP_ADDRESS (INT64_C(1) << 30)
#define MAPPING_ADDRESS (INT64_C(1) << 62)
#define MAX_REQUEST (INT64_C(1) << 60)

enum {
    CACHE_BINS = 64, /* TCACHE_SMALL_BINS */
    CACHE_DEPTH = 7, /* TCACHE_FILL_COUNT */
    FAST_BINS = 7,   /* 32, 48, ... 128 */
    BINS = 127,      /* NBINS, less the one that nothing is in */
};

/* Chunks of one size, the last one first. */
struct stack {
    struct chunk *top;
    int count;
};

struct list {
    struct chunk *first, *last;
};

/* Free chunks of like sizes. */
struct bin {
    struct list chunks;
    struct chunk *smallest; /* of large chunks: the first of the smallest size */
};

struct heap {
    memmodel_context *context;
    struct arena arena;
    struct chunks chunks;
    struct pages pages; /* of the heap; those of mappings are `mapped` bytes */
    struct stack cache[CACHE_BINS], fast[FAST_BINS];
    struct list unsorted; /* free chunks that are in no bin yet: the newest first */
    struct bin bins[BINS];
    uint64_t filled[2];     /* a bit a bin that has chunks */
    int64_t last_remainder; /* address of what a small request left: it stays when the chunk there is another */
    struct chunk *top;      /* last chunk of the heap: not in the set */
    struct allocator_counters counters;
    int64_t mmap_threshold, trim_threshold, capacity, lowest_mapping, mapped;
    int64_t alignment; /* of posix_memalign(), 0: malloc() */
};

/* ---- caches: chunks in them count as used by their neighbours ---- */

static inline void
cache_push(struct stack *stack, struct chunk *chunk)
{
    chunk->linked = stack->top;
    stack->top = chunk;
    stack->count++;
}

/* NULL if it is empty. */
static inline struct chunk *
cache_pop(struct stack *stack)
{
    struct chunk *chunk = stack->top;

    if (chunk) {
        stack->top = chunk->linked;
        stack->count--;
    }
    return chunk;
}

/* The stack for chunks of a size, NULL if there is none for it: tcache, fast bins. */
static inline struct stack *
cache_of(struct heap *heap, int64_t size)
{
    return size <= MAX_CACHED ? &heap->cache[(size - SMALLEST_CHUNK) / ALIGNMENT] : NULL;
}

static inline struct stack *
fast_of(struct heap *heap, int64_t size)
{
    return size <= MAX_FAST ? &heap->fast[(size - SMALLEST_CHUNK) / ALIGNMENT] : NULL;
}

/* ---- free chunks: unsorted, or in bins (bins.c) ---- */

/* Joins a chunk with its free neighbours and leaves the whole unsorted, or in the top; its size. */
int64_t
bins_give(struct heap *heap, struct chunk *chunk);

/* malloc_consolidate() */
void
bins_empty_fast(struct heap *heap);

bool
bins_have_fast(const struct heap *heap);

/* A free small chunk of exactly that size, or NULL; the others of it fill the cache. */
struct chunk *
bins_take_exact(struct heap *heap, int64_t size);

/* Sorts what is unsorted, unless something of it fits; *chunk is NULL if nothing does. */
int
bins_take_unsorted(struct heap *heap, int64_t size, struct chunk **chunk);

/* The smallest chunk of the bins that fits; *chunk is NULL if none does. */
int
bins_take_best(struct heap *heap, int64_t size, struct chunk **chunk);

/* ---- the system (system.c) ---- */

/* systrim(): the top keeps TOP_PAD. */
int
top_trim(struct heap *heap);

/* The top grows by whole pages to `size`, the smallest chunk and TOP_PAD; false if the system has no more. */
bool
top_grow(struct heap *heap, int64_t size);

/* The front of the top; NULL: no memory. */
struct chunk *
top_cut(struct heap *heap, int64_t size);

/* A mapping of its own, if the system has room. 0, MEMMODEL_ERROR_NO_MEMORY. */
int
mapping_new(struct heap *heap, int64_t size, struct chunk **chunk);

/* Bytes of the pages that its block lies on. */
int64_t
mapping_resident(const struct chunk *chunk);

/* The thresholds move up with what is given back: it may come again. */
void
mapping_delete(struct heap *heap, struct chunk *chunk);

#endif

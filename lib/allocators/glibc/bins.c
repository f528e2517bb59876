/*
 * Free chunks: caches of a size, the unsorted list, bins in which the smallest that fits is taken, and how glibc orders
 * equal ones.
 */
#include "allocators/glibc/heap.h"

/* ---- caches: chunks in them count as used by their neighbours ---- */

void
cache_push(struct stack *stack, struct chunk *chunk)
{
    chunk->linked = stack->top;
    stack->top = chunk;
    stack->count++;
}

struct chunk *
cache_pop(struct stack *stack)
{
    struct chunk *chunk = stack->top;

    if (chunk) {
        stack->top = chunk->linked;
        stack->count--;
    }
    return chunk;
}

struct stack *
cache_of(struct heap *heap, int64_t size)
{
    return size <= LARGEST_CACHED ? &heap->cache[(size - SMALLEST_CHUNK) / ALIGNMENT] : NULL;
}

struct stack *
fast_of(struct heap *heap, int64_t size)
{
    return size <= LARGEST_FAST ? &heap->fast[(size - SMALLEST_CHUNK) / ALIGNMENT] : NULL;
}

/* ---- free chunks: unsorted, or in bins ---- */

static bool
is_free(const struct chunk *chunk)
{
    return chunk && (chunk->free || chunk->unsorted);
}

static void
bins_put_unsorted(struct heap *heap, struct chunk *chunk)
{
    struct unsorted *list = &heap->unsorted;

    chunk->unsorted = true;
    chunk->linked = list->newest;
    chunk->linking = NULL;
    if (list->newest)
        list->newest->linking = chunk;
    else
        list->oldest = chunk;
    list->newest = chunk;
}

static void
take_unsorted(struct heap *heap, struct chunk *chunk)
{
    struct unsorted *list = &heap->unsorted;

    chunk->unsorted = false;
    if (chunk->linking)
        chunk->linking->linked = chunk->linked;
    else
        list->newest = chunk->linked;
    if (chunk->linked)
        chunk->linked->linking = chunk->linking;
    else
        list->oldest = chunk->linking;
}

static struct chunk *
neighbour_in_bin(struct ordered_node *node, int64_t size)
{
    struct chunk *chunk = node ? ORDERED_OBJECT(node, struct chunk, node) : NULL;

    return chunk && chunk->size == size ? chunk : NULL;
}

/*
 * Equal small chunks stand in the order in which they came. Of equal large ones the first stays at the head and the
 * others follow, newest first; the head is the last to be taken.
 */
static void
put_into_bin(struct heap *heap, struct chunk *chunk)
{
    struct chunk *equal = chunk_best_fit(&heap->chunks, chunk->size);
    bool head = !equal || equal->size != chunk->size;

    heap->freed++;
    if (chunk->size < LEAST_LARGE)
        chunk->rank = heap->freed;
    else
        chunk->rank = head ? INT64_MAX : -heap->freed;
    chunk_set_free(&heap->chunks, chunk);
}

/* Out of its bin; if it was at the head, the next one is. */
static void
take_from_bin(struct heap *heap, struct chunk *chunk)
{
    struct chunk *next;

    chunk_set_used(&heap->chunks, chunk);
    if (chunk->rank != INT64_MAX)
        return;
    next = chunk_best_fit(&heap->chunks, chunk->size);
    if (!next || next->size != chunk->size)
        return;
    chunk_set_used(&heap->chunks, next);
    next->rank = INT64_MAX;
    chunk_set_free(&heap->chunks, next);
}

static void
take_out(struct heap *heap, struct chunk *chunk)
{
    if (chunk->unsorted)
        take_unsorted(heap, chunk);
    else
        take_from_bin(heap, chunk);
}

/* Joins a chunk with its free neighbours and leaves the whole unsorted, or in the top; its size. */
int64_t
bins_give(struct heap *heap, struct chunk *chunk)
{
    if (is_free(chunk->previous)) {
        chunk = chunk->previous;
        take_out(heap, chunk);
        chunk_join_next(&heap->chunks, chunk);
    }
    if (is_free(chunk->next)) {
        take_out(heap, chunk->next);
        chunk_join_next(&heap->chunks, chunk);
    }
    if (chunk->next == heap->top) {
        chunk_join_next(&heap->chunks, chunk);
        heap->top = chunk;
    } else {
        bins_put_unsorted(heap, chunk);
    }
    return chunk->size;
}

/* malloc_consolidate() */
void
bins_empty_fast(struct heap *heap)
{
    for (int i = 0; i < FAST_BINS; i++)
        for (struct chunk *chunk = cache_pop(&heap->fast[i]); chunk; chunk = cache_pop(&heap->fast[i]))
            bins_give(heap, chunk);
}

bool
bins_have_fast(const struct heap *heap)
{
    for (int i = 0; i < FAST_BINS; i++)
        if (heap->fast[i].top)
            return true;
    return false;
}

/* ---- what fits ---- */

/* The rest of a chunk that is taken out, if it can be a chunk, is unsorted. */
static int
split(struct heap *heap, struct chunk *chunk, int64_t size)
{
    struct chunk *rest;

    if (chunk->size - size < SMALLEST_CHUNK)
        return 0;
    rest = chunk_cut(&heap->chunks, chunk, size);
    if (!rest)
        return MEMMODEL_ERROR_NOMEM;
    bins_put_unsorted(heap, rest);
    if (size < LEAST_LARGE)
        heap->last_remainder = rest->address;
    return 0;
}

/* A free small chunk of exactly that size; the others of it fill the cache. */
struct chunk *
bins_take_exact(struct heap *heap, int64_t size)
{
    struct stack *cache = cache_of(heap, size), *fast = fast_of(heap, size);
    struct chunk *chunk, *more;

    if (size >= LEAST_LARGE)
        return NULL;
    chunk = fast ? cache_pop(fast) : NULL;
    while (chunk && fast->top && cache->count < CACHE_DEPTH)
        cache_push(cache, cache_pop(fast));
    if (chunk)
        return chunk;
    chunk = chunk_best_fit(&heap->chunks, size);
    if (!chunk || chunk->size != size)
        return NULL;
    chunk_set_used(&heap->chunks, chunk);
    while (cache->count < CACHE_DEPTH && (more = chunk_best_fit(&heap->chunks, size)) && more->size == size) {
        chunk_set_used(&heap->chunks, more);
        cache_push(cache, more);
    }
    return chunk;
}

/* Sorts what is unsorted, unless something of it fits. */
int
bins_take_unsorted(struct heap *heap, int64_t size, struct chunk **chunk)
{
    struct stack *cache = cache_of(heap, size);
    bool cached = false;

    *chunk = NULL;
    for (struct chunk *oldest = heap->unsorted.oldest; oldest; oldest = heap->unsorted.oldest) {
        bool only = oldest == heap->unsorted.newest && oldest->address == heap->last_remainder;

        if (size < LEAST_LARGE && only && oldest->size > size + SMALLEST_CHUNK) {
            take_out(heap, oldest);
            *chunk = oldest;
            return split(heap, oldest, size);
        }
        take_unsorted(heap, oldest);
        if (oldest->size != size) {
            put_into_bin(heap, oldest);
        } else if (cache && cache->count < CACHE_DEPTH) {
            cache_push(cache, oldest);
            cached = true;
        } else {
            *chunk = oldest;
            return 0;
        }
    }
    *chunk = cached ? cache_pop(cache) : NULL;
    return 0;
}

/* largebin_index_64: bins of 64 bytes, 512, 4 K, 32 K, 256 K, and one for the rest. */
static int64_t
large_bin_of(int64_t size)
{
    static const struct {
        int shift;
        int64_t last, first;
    } widths[] = {{6, 48, 48}, {9, 20, 91}, {12, 10, 110}, {15, 4, 119}, {18, 2, 124}};

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (size >> widths[i].shift <= widths[i].last)
            return widths[i].first + (size >> widths[i].shift);
    return 126;
}

/* Of equal large chunks in a bin that was not that of the request, the last but the head: the oldest of the others. */
static struct chunk *
last_of_bin(struct chunk *chunk)
{
    for (;;) {
        struct chunk *next = neighbour_in_bin(ordered_next(&chunk->node), chunk->size);

        if (!next || next->rank == INT64_MAX)
            return chunk;
        chunk = next;
    }
}

/* The smallest chunk of the bins that fits; *chunk is NULL if none does. */
int
bins_take_best(struct heap *heap, int64_t size, struct chunk **chunk)
{
    *chunk = chunk_best_fit(&heap->chunks, size);
    if (!*chunk)
        return 0;
    if ((*chunk)->size >= LEAST_LARGE && (size < LEAST_LARGE || large_bin_of(size) != large_bin_of((*chunk)->size)))
        *chunk = last_of_bin(*chunk);
    take_out(heap, *chunk);
    return split(heap, *chunk, size);
}

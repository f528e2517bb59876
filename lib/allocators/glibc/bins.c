/*
 * Free chunks: caches of a size, the unsorted list, bins in which the smallest that fits is taken, and how glibc orders
 * equal ones.
 */
#include "allocators/glibc/heap.h"

/* ---- free chunks: unsorted, or in bins ---- */

static bool
is_free(const struct chunk *chunk)
{
    return chunk && (chunk->free || chunk->unsorted);
}

static void
list_insert(struct list *list, struct chunk *chunk, struct chunk *before)
{
    chunk->linked = before;
    chunk->linking = before ? before->linking : list->last;
    *(chunk->linking ? &chunk->linking->linked : &list->first) = chunk;
    *(before ? &before->linking : &list->last) = chunk;
}

static void
list_remove(struct list *list, struct chunk *chunk)
{
    *(chunk->linking ? &chunk->linking->linked : &list->first) = chunk->linked;
    *(chunk->linked ? &chunk->linked->linking : &list->last) = chunk->linking;
}

static void
put_unsorted(struct heap *heap, struct chunk *chunk)
{
    chunk->unsorted = true;
    list_insert(&heap->unsorted, chunk, heap->unsorted.first);
}

static void
take_unsorted(struct heap *heap, struct chunk *chunk)
{
    chunk->unsorted = false;
    list_remove(&heap->unsorted, chunk);
}

/* largebin_index_64: bins of 64 bytes, 512, 4 K, 32 K, 256 K, and one for the rest. Small chunks: one of each size. */
static int
bin_of(int64_t size)
{
    static const struct {
        int shift, last, first;
    } widths[] = {{6, 48, 48}, {9, 20, 91}, {12, 10, 110}, {15, 4, 119}, {18, 2, 124}};

    if (size < MIN_LARGE)
        return (int)(size / ALIGNMENT);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (size >> widths[i].shift <= widths[i].last)
            return widths[i].first + (int)(size >> widths[i].shift);
    return BINS - 1;
}

/*
 * A size that is new to its bin, between the next larger and the next smaller one; `larger` is the first chunk of that
 * size.
 */
static void
add_size(struct bin *bin, struct chunk *chunk, struct chunk *larger)
{
    struct chunk *smaller = larger ? larger->smaller : bin->chunks.first;

    list_insert(&bin->chunks, chunk, smaller);
    chunk->first_of_size = true;
    chunk->larger = larger;
    chunk->smaller = smaller;
    if (larger)
        larger->smaller = chunk;
    *(smaller ? &smaller->larger : &bin->smallest) = chunk;
}

/* The first of a size is taken out: the next one is in its place, or the size is gone. */
static void
remove_size(struct bin *bin, struct chunk *chunk)
{
    struct chunk *next = chunk->linked, *larger = chunk->larger, *smaller = chunk->smaller;
    bool more = next && next->size == chunk->size;

    chunk->first_of_size = false;
    if (more) {
        next->first_of_size = true;
        next->larger = larger;
        next->smaller = smaller;
    }
    if (larger)
        larger->smaller = more ? next : smaller;
    *(smaller ? &smaller->larger : &bin->smallest) = more ? next : larger;
}

/*
 * Small chunks are taken in the order in which they came. Large ones stand by size, the largest first; of equal ones
 * the first to come stays first, and the others follow it, newest first.
 */
static void
put_into_bin(struct heap *heap, struct chunk *chunk)
{
    int index = bin_of(chunk->size);
    struct bin *bin = &heap->bins[index];
    struct chunk *min = bin->smallest;

    chunk->free = true;
    heap->filled[index / 64] |= UINT64_C(1) << index % 64;
    if (chunk->size < MIN_LARGE) {
        list_insert(&bin->chunks, chunk, bin->chunks.first);
        return;
    }
    while (min && min->size < chunk->size)
        min = min->larger;
    if (min && min->size == chunk->size)
        list_insert(&bin->chunks, chunk, min->linked);
    else
        add_size(bin, chunk, min);
}

static void
take_from_bin(struct heap *heap, struct chunk *chunk)
{
    int index = bin_of(chunk->size);
    struct bin *bin = &heap->bins[index];

    chunk->free = false;
    if (chunk->first_of_size)
        remove_size(bin, chunk);
    list_remove(&bin->chunks, chunk);
    if (!bin->chunks.first)
        heap->filled[index / 64] &= ~(UINT64_C(1) << index % 64);
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
        put_unsorted(heap, chunk);
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
        return MEMMODEL_ERROR_NO_MEMORY;
    put_unsorted(heap, rest);
    if (size < MIN_LARGE)
        heap->last_remainder = rest->address;
    return 0;
}

/* A free small chunk of exactly that size; the others of it fill the cache. */
struct chunk *
bins_take_exact(struct heap *heap, int64_t size)
{
    struct stack *cache = cache_of(heap, size), *fast = fast_of(heap, size);
    struct chunk *chunk, *more;
    struct list *equal;

    if (size >= MIN_LARGE)
        return NULL;
    equal = &heap->bins[bin_of(size)].chunks;
    chunk = fast ? cache_pop(fast) : NULL;
    while (chunk && fast->top && cache->count < CACHE_DEPTH)
        cache_push(cache, cache_pop(fast));
    if (chunk)
        return chunk;
    chunk = equal->last;
    if (chunk)
        take_from_bin(heap, chunk);
    while (cache->count < CACHE_DEPTH && (more = equal->last)) {
        take_from_bin(heap, more);
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
    for (struct chunk *oldest = heap->unsorted.last; oldest; oldest = heap->unsorted.last) {
        bool only = oldest == heap->unsorted.first && oldest->address == heap->last_remainder;

        if (size < MIN_LARGE && only && oldest->size > size + SMALLEST_CHUNK) {
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

/* Of the smallest size that fits, the second chunk if there is one: the first is the one that others hang on. */
static struct chunk *
fit_of_bin(const struct bin *bin, int64_t size)
{
    struct chunk *chunk = bin->smallest;

    while (chunk && chunk->size < size)
        chunk = chunk->larger;
    return chunk && chunk->linked && chunk->linked->size == chunk->size ? chunk->linked : chunk;
}

/* Of bits that are not all 0. */
static int
lowest_bit(uint64_t bits)
{
    int bit = 0;

    for (int half = 32; half > 0; half /= 2)
        if (!(bits & ((UINT64_C(1) << half) - 1))) {
            bits >>= half;
            bit += half;
        }
    return bit;
}

/* The first bin behind `index` that has chunks; BINS if none has. */
static int
next_filled(const struct heap *heap, int index)
{
    for (index++; index < BINS; index = (index / 64 + 1) * 64) {
        uint64_t filled = heap->filled[index / 64] >> index % 64;

        if (filled)
            return index + lowest_bit(filled);
    }
    return BINS;
}

/* The smallest chunk of the bins that fits; *chunk is NULL if none does. */
int
bins_take_best(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int index = bin_of(size);

    *chunk = size < MIN_LARGE ? NULL : fit_of_bin(&heap->bins[index], size);
    if (!*chunk) {
        index = next_filled(heap, index);
        *chunk = index < BINS ? heap->bins[index].chunks.last : NULL;
    }
    if (!*chunk)
        return 0;
    take_out(heap, *chunk);
    return split(heap, *chunk, size);
}

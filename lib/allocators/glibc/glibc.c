/*
 * The main arena of malloc. glibc: malloc/malloc.c, as of 2.36 to 2.43, 64 bits, nothing tuned.
 *
 * Modelled: chunk sizes, the caches of small chunks (tcache and fast bins), best fit among free chunks with immediate
 * joining, the top of the heap and its trimming, mappings of their own and the threshold that moves with them, and
 * pages, of which a block touches all. Left out: the unsorted list (a free chunk that fits exactly or that was split
 * last may be preferred to the best fit), arenas of other threads.
 */
#include "allocators/allocator.h"
#include "allocators/chunk.h"
#include "allocators/pages.h"
#include "base/checked.h"

#define HEADER INT64_C(8)                     /* SIZE_SZ */
#define ALIGNMENT INT64_C(16)                 /* MALLOC_ALIGNMENT */
#define SMALLEST_CHUNK INT64_C(32)            /* MINSIZE */
#define FIRST_THRESHOLD (INT64_C(128) << 10)  /* DEFAULT_MMAP_THRESHOLD_MIN, DEFAULT_TRIM_THRESHOLD */
#define LARGEST_THRESHOLD (INT64_C(32) << 20) /* DEFAULT_MMAP_THRESHOLD_MAX */
#define TOP_PAD (INT64_C(128) << 10)          /* DEFAULT_TOP_PAD */
#define CONSOLIDATES_FROM (INT64_C(64) << 10) /* FASTBIN_CONSOLIDATION_THRESHOLD */
#define LARGEST_CACHED INT64_C(1040)          /* chunk size of tcache's last bin */
#define LARGEST_FAST INT64_C(128)             /* global_max_fast */
#define LEAST_LARGE INT64_C(1024)             /* a request from here on empties the fast bins */
#define HEAP_ADDRESS (INT64_C(1) << 30)
#define MAPPING_ADDRESS (INT64_C(1) << 62)
#define LARGEST_REQUEST (INT64_C(1) << 60)

enum {
    CACHE_BINS = 64, /* TCACHE_SMALL_BINS */
    CACHE_DEPTH = 7, /* TCACHE_FILL_COUNT */
    FAST_BINS = 7,   /* 32, 48, ... 128 */
};

/* Chunks of one size, the last one first. */
struct stack {
    struct chunk *top;
    int count;
};

struct heap {
    memmodel_context *context;
    struct arena arena;
    struct chunks chunks;
    struct pages pages;
    struct stack cache[CACHE_BINS], fast[FAST_BINS];
    struct chunk *top; /* last chunk of the heap: not in the set */
    struct allocator_counters counters;
    int64_t mmap_threshold, trim_threshold, capacity, lowest_mapping;
};

static int
glibc_open(memmodel_context *context, const struct allocator_options *options, void **self)
{
    struct heap *heap = memory_allocate_zeroed(context, 1, sizeof *heap);

    if (!heap)
        return MEMMODEL_ERROR_NOMEM;
    heap->context = context;
    heap->arena = ARENA_INIT(context);
    chunks_init(&heap->chunks, &heap->arena);
    pages_init(&heap->pages, &heap->arena);
    heap->mmap_threshold = heap->trim_threshold = FIRST_THRESHOLD;
    heap->capacity = options->capacity > 0 ? options->capacity : INT64_MAX;
    heap->lowest_mapping = MAPPING_ADDRESS;
    heap->top = chunk_new(&heap->chunks, HEAP_ADDRESS, 0);
    if (!heap->top) {
        arena_release(&heap->arena);
        memory_release(context, heap);
        return MEMMODEL_ERROR_NOMEM;
    }
    *self = heap;
    return 0;
}

static void
glibc_close(void *self)
{
    struct heap *heap = self;

    arena_release(&heap->arena);
    memory_release(heap->context, heap);
}

static int64_t
chunk_size_for(int64_t bytes)
{
    return max_i64(SMALLEST_CHUNK, ceil_divide(bytes + HEADER, ALIGNMENT) * ALIGNMENT);
}

/* ---- caches: chunks in them count as used by their neighbours ---- */

static void
push(struct stack *stack, struct chunk *chunk)
{
    chunk->linked = stack->top;
    stack->top = chunk;
    stack->count++;
}

static struct chunk *
pop(struct stack *stack)
{
    struct chunk *chunk = stack->top;

    if (chunk) {
        stack->top = chunk->linked;
        stack->count--;
    }
    return chunk;
}

static struct stack *
cache_of(struct heap *heap, int64_t size)
{
    return size <= LARGEST_CACHED ? &heap->cache[(size - SMALLEST_CHUNK) / ALIGNMENT] : NULL;
}

static struct stack *
fast_of(struct heap *heap, int64_t size)
{
    return size <= LARGEST_FAST ? &heap->fast[(size - SMALLEST_CHUNK) / ALIGNMENT] : NULL;
}

/* ---- free chunks and the top ---- */

static void
give_to_bins(struct heap *heap, struct chunk *chunk)
{
    chunk = chunk_coalesce(&heap->chunks, chunk);
    if (chunk->next == heap->top) {
        chunk_join_next(&heap->chunks, chunk);
        heap->top = chunk;
    } else {
        chunk_set_free(&heap->chunks, chunk);
    }
}

/* malloc_consolidate() */
static void
empty_fast_bins(struct heap *heap)
{
    for (int i = 0; i < FAST_BINS; i++)
        for (struct chunk *chunk = pop(&heap->fast[i]); chunk; chunk = pop(&heap->fast[i]))
            give_to_bins(heap, chunk);
}

/* systrim(): the top keeps TOP_PAD. */
static int
trim(struct heap *heap)
{
    int64_t room = heap->top->size - SMALLEST_CHUNK - 1 - TOP_PAD, extra = room / PAGE * PAGE;

    if (room <= 0 || extra == 0)
        return 0;
    heap->top->size -= extra;
    heap->counters.reserved -= extra;
    return pages_drop(&heap->pages, heap->top->address + heap->top->size, extra);
}

/* The top grows by whole pages to `size`, the smallest chunk and TOP_PAD; false if the system has no more. */
static bool
grow_top(struct heap *heap, int64_t size)
{
    int64_t end = heap->top->address + heap->top->size, missing = size + SMALLEST_CHUNK + TOP_PAD - heap->top->size;
    int64_t extra = ceil_divide(end + missing, PAGE) * PAGE - end;

    if (extra > heap->capacity - heap->counters.reserved || extra > heap->lowest_mapping - end)
        return false;
    heap->top->size += extra;
    heap->counters.reserved += extra;
    return true;
}

static struct chunk *
cut_from_top(struct heap *heap, int64_t size)
{
    struct chunk *chunk = heap->top, *rest = chunk_cut(&heap->chunks, chunk, size);

    if (rest)
        heap->top = rest;
    return rest ? chunk : NULL;
}

/* ---- mappings ---- */

/* A mapping of its own, if the system has room. 0, MEMMODEL_ERROR_NOMEM. */
static int
map(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int64_t bytes = ceil_divide(size + HEADER, PAGE) * PAGE;

    if (bytes > heap->capacity - heap->counters.reserved ||
        bytes > heap->lowest_mapping - (heap->top->address + heap->top->size))
        return 0;
    heap->lowest_mapping -= bytes;
    *chunk = chunk_new(&heap->chunks, heap->lowest_mapping, bytes);
    if (!*chunk)
        return MEMMODEL_ERROR_NOMEM;
    (*chunk)->apart = true;
    heap->counters.reserved += bytes;
    return 0;
}

/* The thresholds move up with what is given back: it may come again. */
static int
unmap(struct heap *heap, struct chunk *chunk)
{
    int status = pages_drop(&heap->pages, chunk->address, chunk->size);

    if (chunk->size > heap->mmap_threshold && chunk->size <= LARGEST_THRESHOLD) {
        heap->mmap_threshold = chunk->size;
        heap->trim_threshold = 2 * chunk->size;
    }
    heap->counters.reserved -= chunk->size;
    chunk_delete(&heap->chunks, chunk);
    return status;
}

/* ---- malloc ---- */

/* From a free chunk; *chunk is NULL if none is large enough. */
static int
take_free(struct heap *heap, int64_t size, struct chunk **chunk)
{
    *chunk = chunk_best_fit(&heap->chunks, size);
    if (!*chunk)
        return 0;
    chunk_set_used(&heap->chunks, *chunk);
    if ((*chunk)->size - size >= SMALLEST_CHUNK) {
        struct chunk *rest = chunk_cut(&heap->chunks, *chunk, size);

        if (!rest)
            return MEMMODEL_ERROR_NOMEM;
        chunk_set_free(&heap->chunks, rest);
    }
    return 0;
}

static int
take_top(struct heap *heap, int64_t size, struct chunk **chunk)
{
    *chunk = cut_from_top(heap, size);
    return *chunk ? 0 : MEMMODEL_ERROR_NOMEM;
}

/* sysmalloc() */
static int
take_from_system(struct heap *heap, int64_t size, struct chunk **chunk)
{
    if (size >= heap->mmap_threshold)
        return map(heap, size, chunk);
    return grow_top(heap, size) ? take_top(heap, size, chunk) : 0;
}

static int
find(struct heap *heap, int64_t size, struct chunk **chunk)
{
    struct stack *cache = cache_of(heap, size), *fast = fast_of(heap, size);
    int status;

    *chunk = cache ? pop(cache) : NULL;
    if (!*chunk && fast)
        *chunk = pop(fast);
    if (*chunk)
        return 0;
    if (size >= LEAST_LARGE)
        empty_fast_bins(heap);
    status = take_free(heap, size, chunk);
    if (status || *chunk)
        return status;
    if (heap->top->size >= size + SMALLEST_CHUNK)
        return take_top(heap, size, chunk);
    return take_from_system(heap, size, chunk);
}

static int
glibc_allocate(void *self, int64_t bytes, int64_t stream, int32_t owner, void **block)
{
    struct heap *heap = self;
    struct chunk *chunk = NULL;
    int status;

    (void)stream;
    *block = NULL;
    if (bytes >= LARGEST_REQUEST)
        return 0;
    status = find(heap, chunk_size_for(bytes), &chunk);
    if (status || !chunk)
        return status;
    chunk->requested = bytes;
    chunk->owner = owner;
    heap->counters.requested += bytes;
    heap->counters.allocated += chunk->size;
    heap->counters.active = heap->counters.allocated;
    status = pages_touch(&heap->pages, chunk->address, bytes + 2 * HEADER);
    heap->counters.touched = heap->pages.bytes;
    *block = chunk;
    return status;
}

/* ---- free ---- */

static int
give_back(struct heap *heap, struct chunk *chunk)
{
    struct stack *cache = cache_of(heap, chunk->size), *fast = fast_of(heap, chunk->size);
    int64_t size;

    if (chunk->apart)
        return unmap(heap, chunk);
    if (cache && cache->count < CACHE_DEPTH) {
        push(cache, chunk);
        return 0;
    }
    if (fast) {
        push(fast, chunk);
        return 0;
    }
    chunk = chunk_coalesce(&heap->chunks, chunk);
    size = chunk->size + (chunk->next == heap->top ? heap->top->size : 0);
    give_to_bins(heap, chunk);
    if (size < CONSOLIDATES_FROM)
        return 0;
    empty_fast_bins(heap);
    return heap->top->size >= heap->trim_threshold ? trim(heap) : 0;
}

static int
glibc_release(void *self, void *block, bool shared)
{
    struct heap *heap = self;
    struct chunk *chunk = block;
    int status;

    (void)shared;
    heap->counters.requested -= chunk->requested;
    heap->counters.allocated -= chunk->size;
    heap->counters.active = heap->counters.allocated;
    chunk->requested = 0;
    chunk->owner = -1;
    status = give_back(heap, chunk);
    heap->counters.touched = heap->pages.bytes;
    return status;
}

static const struct allocator_counters *
glibc_counters(const void *self)
{
    return &((const struct heap *)self)->counters;
}

const struct allocator allocator_glibc = {
    .name = "glibc",
    .open = glibc_open,
    .close = glibc_close,
    .allocate = glibc_allocate,
    .release = glibc_release,
    .counters = glibc_counters,
};

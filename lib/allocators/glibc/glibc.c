/*
 * The main arena of malloc. glibc: malloc/malloc.c, as of 2.36, 64 bits, nothing tuned.
 *
 * A freed chunk waits in a cache of its size (tcache, fast bins) or joins its free neighbours and waits unsorted. The
 * next request looks through what is unsorted, oldest first: what fits exactly is taken, the rest goes into the bins,
 * where the smallest that fits is taken. The end of the heap, the top, serves what no chunk can, and is trimmed. Large
 * requests become mappings of their own; the threshold moves up with what is freed. Arenas of other threads are left
 * out. A block is taken to be written from its first to its last byte.
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
#define CACHE_TABLE INT64_C(656)              /* chunk of struct tcache_perthread_struct, the first of every heap */
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

/* Free chunks that are in no bin yet: the newest first. */
struct unsorted {
    struct chunk *newest, *oldest;
};

struct heap {
    memmodel_context *context;
    struct arena arena;
    struct chunks chunks;
    struct pages pages;
    struct stack cache[CACHE_BINS], fast[FAST_BINS];
    struct unsorted unsorted;
    int64_t last_remainder; /* address of what a small request left: it stays when the chunk there is another */
    struct chunk *top;      /* last chunk of the heap: not in the set */
    int64_t freed;          /* chunks that were put into bins */
    struct allocator_counters counters;
    int64_t mmap_threshold, trim_threshold, capacity, lowest_mapping;
};

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

/* ---- free chunks: unsorted, or in bins ---- */

static bool
is_free(const struct chunk *chunk)
{
    return chunk && (chunk->free || chunk->unsorted);
}

static void
put_unsorted(struct heap *heap, struct chunk *chunk)
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
static int64_t
give_to_heap(struct heap *heap, struct chunk *chunk)
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

/* ---- the top ---- */

/* malloc_consolidate() */
static void
empty_fast_bins(struct heap *heap)
{
    for (int i = 0; i < FAST_BINS; i++)
        for (struct chunk *chunk = pop(&heap->fast[i]); chunk; chunk = pop(&heap->fast[i]))
            give_to_heap(heap, chunk);
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

static int
touch(struct heap *heap, int64_t address, int64_t bytes)
{
    int status = pages_touch(&heap->pages, address, bytes);

    heap->counters.touched = heap->pages.bytes;
    return status;
}

/* ---- malloc ---- */

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
    put_unsorted(heap, rest);
    if (size < LEAST_LARGE)
        heap->last_remainder = rest->address;
    return 0;
}

/* Cached chunks of a size, and free small ones of exactly that size; the others of it fill the cache. */
static struct chunk *
take_exact(struct heap *heap, int64_t size)
{
    struct stack *cache = cache_of(heap, size), *fast = fast_of(heap, size);
    struct chunk *chunk = cache ? pop(cache) : NULL, *more;

    if (chunk || size >= LEAST_LARGE)
        return chunk;
    chunk = fast ? pop(fast) : NULL;
    while (chunk && fast->top && cache->count < CACHE_DEPTH)
        push(cache, pop(fast));
    if (chunk)
        return chunk;
    chunk = chunk_best_fit(&heap->chunks, size);
    if (!chunk || chunk->size != size)
        return NULL;
    chunk_set_used(&heap->chunks, chunk);
    while (cache->count < CACHE_DEPTH && (more = chunk_best_fit(&heap->chunks, size)) && more->size == size) {
        chunk_set_used(&heap->chunks, more);
        push(cache, more);
    }
    return chunk;
}

/* Sorts what is unsorted, unless something of it fits. */
static int
take_unsorted_fit(struct heap *heap, int64_t size, struct chunk **chunk)
{
    struct stack *cache = cache_of(heap, size);

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
            push(cache, oldest);
        } else {
            *chunk = oldest;
            return 0;
        }
    }
    *chunk = cache ? pop(cache) : NULL;
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
static int
take_best_fit(struct heap *heap, int64_t size, struct chunk **chunk)
{
    *chunk = chunk_best_fit(&heap->chunks, size);
    if (!*chunk)
        return 0;
    if ((*chunk)->size >= LEAST_LARGE && (size < LEAST_LARGE || large_bin_of(size) != large_bin_of((*chunk)->size)))
        *chunk = last_of_bin(*chunk);
    take_out(heap, *chunk);
    return split(heap, *chunk, size);
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

static bool
has_fast_chunks(const struct heap *heap)
{
    for (int i = 0; i < FAST_BINS; i++)
        if (heap->fast[i].top)
            return true;
    return false;
}

static int
take_free(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int status = take_unsorted_fit(heap, size, chunk);

    return status || *chunk ? status : take_best_fit(heap, size, chunk);
}

/* _int_malloc() */
static int
find(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int status;

    *chunk = take_exact(heap, size);
    if (*chunk)
        return 0;
    if (size >= LEAST_LARGE)
        empty_fast_bins(heap);
    status = take_free(heap, size, chunk);
    if (!status && !*chunk && heap->top->size < size + SMALLEST_CHUNK && has_fast_chunks(heap)) {
        empty_fast_bins(heap);
        status = take_free(heap, size, chunk);
    }
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
    *block = chunk;
    return touch(heap, chunk->address, bytes + 2 * HEADER);
}

/* ---- free ---- */

static int
give_back(struct heap *heap, struct chunk *chunk)
{
    struct stack *cache = cache_of(heap, chunk->size), *fast = fast_of(heap, chunk->size);

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
    if (give_to_heap(heap, chunk) < CONSOLIDATES_FROM)
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

/* The heap before the first request: it holds the table of the cache. */
static int
begin_heap(struct heap *heap)
{
    heap->top = chunk_new(&heap->chunks, HEAP_ADDRESS, 0);
    if (!heap->top)
        return MEMMODEL_ERROR_NOMEM;
    if (!grow_top(heap, CACHE_TABLE))
        return 0;
    if (!cut_from_top(heap, CACHE_TABLE))
        return MEMMODEL_ERROR_NOMEM;
    return touch(heap, HEAP_ADDRESS, CACHE_TABLE);
}

static int
glibc_open(memmodel_context *context, const struct allocator_options *options, void **self)
{
    struct heap *heap = memory_allocate_zeroed(context, 1, sizeof *heap);
    int status;

    if (!heap)
        return MEMMODEL_ERROR_NOMEM;
    heap->context = context;
    heap->arena = ARENA_INIT(context);
    chunks_init(&heap->chunks, &heap->arena);
    pages_init(&heap->pages, &heap->arena);
    heap->mmap_threshold = heap->trim_threshold = FIRST_THRESHOLD;
    heap->capacity = options->capacity > 0 ? options->capacity : INT64_MAX;
    heap->lowest_mapping = MAPPING_ADDRESS;
    status = begin_heap(heap);
    if (status)
        glibc_close(heap);
    else
        *self = heap;
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

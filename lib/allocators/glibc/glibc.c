/*
 * The main arena of malloc. glibc: malloc/malloc.c, as of 2.36, 64 bits, nothing tuned.
 *
 * A freed chunk waits in a cache of its size (tcache, fast bins) or joins its free neighbours and waits unsorted. The
 * next request looks through what is unsorted, oldest first: what fits exactly is taken, the rest goes into the bins,
 * where the smallest that fits is taken. The end of the heap, the top, serves what no chunk can, and is trimmed. Large
 * requests become mappings of their own; the threshold moves up with what is freed. Arenas of other threads are left
 * out. A block is taken to be written from its first to its last byte.
 */
#include "allocators/glibc/heap.h"
#include "base/checked.h"
#include "base/text.h"

#include <string.h>

static int64_t
chunk_size_for(int64_t bytes)
{
    return max_i64(SMALLEST_CHUNK, round_up(bytes + HEADER, ALIGNMENT));
}

/* What of a block is written: all of it, and the sizes around it. */
static int
touch(struct heap *heap, const struct chunk *chunk)
{
    int status = 0;

    if (chunk->apart)
        heap->mapped += mapping_resident(chunk);
    else
        status = pages_touch(&heap->pages, chunk->address, chunk->requested + 2 * HEADER);
    heap->counters.resident = heap->pages.bytes + heap->mapped;
    return status;
}

/* ---- malloc ---- */

static int
take_top(struct heap *heap, int64_t size, struct chunk **chunk)
{
    *chunk = top_cut(heap, size);
    return *chunk ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* sysmalloc() */
static int
take_from_system(struct heap *heap, int64_t size, struct chunk **chunk)
{
    if (size >= heap->mmap_threshold)
        return mapping_new(heap, size, chunk);
    return top_grow(heap, size) ? take_top(heap, size, chunk) : 0;
}

static int
take_free(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int status = bins_take_unsorted(heap, size, chunk);

    return status || *chunk ? status : bins_take_best(heap, size, chunk);
}

/* _int_malloc() */
static int
find_uncached(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int status;

    *chunk = bins_take_exact(heap, size);
    if (*chunk)
        return 0;
    if (size >= MIN_LARGE)
        bins_empty_fast(heap);
    status = take_free(heap, size, chunk);
    if (!status && !*chunk && heap->top->size < size + SMALLEST_CHUNK && bins_have_fast(heap)) {
        bins_empty_fast(heap);
        status = take_free(heap, size, chunk);
    }
    if (status || *chunk)
        return status;
    if (heap->top->size >= size + SMALLEST_CHUNK)
        return take_top(heap, size, chunk);
    return take_from_system(heap, size, chunk);
}

static int
find(struct heap *heap, int64_t size, struct chunk **chunk)
{
    struct stack *cache = cache_of(heap, size);

    *chunk = cache ? cache_pop(cache) : NULL;
    return *chunk ? 0 : find_uncached(heap, size, chunk);
}

/* ---- free ---- */

static int
give_back(struct heap *heap, struct chunk *chunk)
{
    struct stack *cache = cache_of(heap, chunk->size), *fast = fast_of(heap, chunk->size);

    if (chunk->apart) {
        mapping_delete(heap, chunk);
        return 0;
    }
    if (cache && cache->count < CACHE_DEPTH) {
        cache_push(cache, chunk);
        return 0;
    }
    if (fast) {
        cache_push(fast, chunk);
        return 0;
    }
    if (bins_give(heap, chunk) < CONSOLIDATES_FROM)
        return 0;
    bins_empty_fast(heap);
    return heap->top->size >= heap->trim_threshold ? top_trim(heap) : 0;
}

/* ---- posix_memalign: a larger chunk, whose ends go back ---- */

/* Cuts off what lies in front of the first chunk whose memory is aligned; a mapping keeps it. */
static int
free_leader(struct heap *heap, struct chunk **chunk)
{
    int64_t memory = (*chunk)->address + 2 * HEADER;
    int64_t lead = -memory & (heap->alignment - 1); /* a power of two */
    struct chunk *leader = *chunk;

    if (lead == 0)
        return 0;
    if (lead < SMALLEST_CHUNK)
        lead += heap->alignment;
    if (leader->apart) {
        leader->lead = lead;
        return 0;
    }
    *chunk = chunk_cut(&heap->chunks, leader, lead);
    return *chunk ? give_back(heap, leader) : MEMMODEL_ERROR_NO_MEMORY;
}

static int
free_spare(struct heap *heap, struct chunk *chunk, int64_t size)
{
    struct chunk *spare;

    if (chunk->apart || chunk->size <= size + SMALLEST_CHUNK)
        return 0;
    spare = chunk_cut(&heap->chunks, chunk, size);
    return spare ? give_back(heap, spare) : MEMMODEL_ERROR_NO_MEMORY;
}

/* _int_memalign() */
static int
find_aligned(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int status = find_uncached(heap, chunk_size_for(size + heap->alignment + SMALLEST_CHUNK), chunk);

    if (!status && *chunk)
        status = free_leader(heap, chunk);
    return status || !*chunk ? status : free_spare(heap, *chunk, size);
}

static int
glibc_allocate(void *self, int64_t bytes, int64_t stream, int32_t owner, void **block)
{
    struct heap *heap = self;
    struct chunk *chunk = NULL;
    int status;

    (void)stream;
    *block = NULL;
    if (bytes >= MAX_REQUEST)
        return 0;
    if (heap->alignment)
        status = find_aligned(heap, chunk_size_for(bytes), &chunk);
    else
        status = find(heap, chunk_size_for(bytes), &chunk);
    if (status || !chunk)
        return status;
    chunk->requested = bytes;
    chunk->owner = owner;
    heap->counters.requested += bytes;
    heap->counters.allocated += chunk->size;
    heap->counters.active = heap->counters.allocated;
    *block = chunk;
    return touch(heap, chunk);
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
    status = give_back(heap, chunk);
    chunk->requested = 0;
    chunk->owner = -1;
    heap->counters.resident = heap->pages.bytes + heap->mapped;
    return status;
}

static void
glibc_close(void *self)
{
    struct heap *heap = self;

    arena_release(&heap->arena);
    memory_release(heap->context, heap);
}

/* The heap before the first request: it holds the table of the cache. */
static int
begin_heap(struct heap *heap)
{
    heap->top = chunk_new(&heap->chunks, HEAP_ADDRESS, 0);
    if (!heap->top)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (!top_grow(heap, CACHE_TABLE))
        return 0;
    if (!top_cut(heap, CACHE_TABLE))
        return MEMMODEL_ERROR_NO_MEMORY;
    heap->counters.resident = PAGE;
    return pages_touch(&heap->pages, HEAP_ADDRESS, CACHE_TABLE);
}

/* "alignment:64": as posix_memalign(64) of each block. */
static int
read_settings(struct heap *heap, const char *settings)
{
    static const char name[] = "alignment:";

    if (!settings || !*settings)
        return 0;
    if (strncmp(settings, name, sizeof name - 1) != 0)
        return context_error(heap->context, MEMMODEL_ERROR_PARSE, "allocator settings", "glibc knows alignment:BYTES");
    if (!parse_int64(settings + sizeof name - 1, &heap->alignment) || heap->alignment < 2 * ALIGNMENT ||
        heap->alignment > PAGE || (heap->alignment & (heap->alignment - 1)) != 0)
        return context_error(heap->context, MEMMODEL_ERROR_PARSE, "allocator settings",
                             "alignment is a power of two from 32 to 4096");
    return 0;
}

static int
glibc_open(memmodel_context *context, const struct allocator_options *options, void **self)
{
    struct heap *heap = memory_allocate_zeroed(context, 1, sizeof *heap);
    int status;

    if (!heap)
        return MEMMODEL_ERROR_NO_MEMORY;
    heap->context = context;
    heap->arena = ARENA_INIT(context);
    chunks_init(&heap->chunks, &heap->arena);
    pages_init(&heap->pages, &heap->arena);
    heap->mmap_threshold = heap->trim_threshold = FIRST_THRESHOLD;
    heap->capacity = options->capacity > 0 ? options->capacity : INT64_MAX;
    heap->lowest_mapping = MAPPING_ADDRESS;
    status = read_settings(heap, options->settings);
    if (!status)
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
    .settings = true,
    .block_bytes = sizeof(struct chunk),
    .open = glibc_open,
    .close = glibc_close,
    .allocate = glibc_allocate,
    .release = glibc_release,
    .counters = glibc_counters,
};

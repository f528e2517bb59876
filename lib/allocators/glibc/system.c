/* What the heap gets from the system and gives back: its end, the top, and mappings of their own. */
#include "allocators/glibc/heap.h"
#include "base/checked.h"

/* ---- the top ---- */

/* systrim(): the top keeps TOP_PAD. */
int
top_trim(struct heap *heap)
{
    int64_t room = heap->top->size - SMALLEST_CHUNK - 1 - TOP_PAD, extra = room / PAGE * PAGE;

    if (room <= 0 || extra == 0)
        return 0;
    heap->top->size -= extra;
    heap->counters.reserved -= extra;
    return pages_drop(&heap->pages, heap->top->address + heap->top->size, extra);
}

/* The top grows by whole pages to `size`, the smallest chunk and TOP_PAD; false if the system has no more. */
bool
top_grow(struct heap *heap, int64_t size)
{
    int64_t end = heap->top->address + heap->top->size, missing = size + SMALLEST_CHUNK + TOP_PAD - heap->top->size;
    int64_t extra = round_up(end + missing, PAGE) - end;

    if (extra > heap->capacity - heap->counters.reserved || extra > heap->lowest_mapping - end)
        return false;
    heap->top->size += extra;
    heap->counters.reserved += extra;
    return true;
}

struct chunk *
top_cut(struct heap *heap, int64_t size)
{
    struct chunk *chunk = heap->top, *rest = chunk_cut(&heap->chunks, chunk, size);

    if (rest)
        heap->top = rest;
    return rest ? chunk : NULL;
}

/* ---- mappings ---- */

/* A mapping of its own, if the system has room. 0, MEMMODEL_ERROR_NO_MEMORY. */
int
mapping_new(struct heap *heap, int64_t size, struct chunk **chunk)
{
    int64_t bytes = round_up(size + HEADER, PAGE);

    if (bytes > heap->capacity - heap->counters.reserved ||
        bytes > heap->lowest_mapping - (heap->top->address + heap->top->size))
        return 0;
    heap->lowest_mapping -= bytes;
    *chunk = chunk_new(&heap->chunks, heap->lowest_mapping, bytes);
    if (!*chunk)
        return MEMMODEL_ERROR_NO_MEMORY;
    (*chunk)->apart = true;
    heap->counters.reserved += bytes;
    return 0;
}

int64_t
mapping_resident(const struct chunk *chunk)
{
    int64_t begin = chunk->address + chunk->lead;

    return round_up(begin + chunk->requested + 2 * HEADER, PAGE) - begin / PAGE * PAGE;
}

/* The thresholds move up with what is given back: it may come again. */
void
mapping_delete(struct heap *heap, struct chunk *chunk)
{
    int64_t size = chunk->size - chunk->lead;

    heap->mapped -= mapping_resident(chunk);
    if (size > heap->mmap_threshold && size <= MAX_THRESHOLD) {
        heap->mmap_threshold = size;
        heap->trim_threshold = 2 * size;
    }
    heap->counters.reserved -= chunk->size;
    chunk_delete(&heap->chunks, chunk);
}

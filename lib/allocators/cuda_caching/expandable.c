/* Expandable segments: addresses for more than the device holds, backed page by page. */
#include "allocators/cuda_caching/caching.h"
#include "base/checked.h"

#define MAX_DEVICE (INT64_C(1) << 40) /* for one whose capacity is not known */

/* Addresses of a new segment: 9/8 of the device, in whole pages. */
static int64_t
extent_for(const struct cuda_caching *caching, int64_t page, int64_t size)
{
    int64_t device = min_i64(caching->capacity, MAX_DEVICE);

    return round_up(max_i64(device + device / 8, size), page);
}

/* Memory behind the first `size` bytes, rounded up to pages, of an unmapped block; *mapped: the device had as much. */
static int
map(struct cuda_caching *caching, struct cuda_block *block, int64_t size, bool *mapped)
{
    int64_t bytes = round_up(size, block->range.page), address = block->address;

    *mapped = bytes <= caching->capacity - caching->counters.reserved;
    if (!*mapped)
        return 0;
    cuda_block_take(block);
    if (bytes < block->size) {
        struct cuda_block *rest = cuda_block_cut(caching, block, block->size - bytes);

        if (!rest)
            return MEMMODEL_ERROR_NO_MEMORY;
        cuda_block_insert(rest);
    }
    block->unmapped = false;
    cuda_block_merge(caching, block);
    cuda_block_insert(block);
    caching->counters.reserved += bytes;
    cuda_observe(caching, ALLOCATOR_SEGMENT_MAP, address, bytes, block->stream);
    return 0;
}

/* ---- where ---- */

/* Whether `size` bytes of addresses are idle from `block` on. */
static bool
has_room(const struct cuda_block *block, int64_t size)
{
    for (; block && size > 0 && cuda_block_is_idle(block); block = block->next)
        size -= block->size;
    return size <= 0;
}

/* A new segment, all of it unmapped; *block is NULL if the addresses have run out. */
static int
new_range(struct cuda_caching *caching, const struct cuda_request *request, struct cuda_block **block)
{
    struct cuda_range range = {.base = caching->next_address};

    range.page = request->pool->small ? SMALL_SEGMENT : caching->settings.large_segment_size;
    range.extent = extent_for(caching, range.page, request->size);
    *block = NULL;
    if (range.extent > INT64_MAX - caching->next_address)
        return 0;
    *block = cuda_block_new(caching, request->pool, request->stream, range.base, range.extent);
    if (!*block)
        return MEMMODEL_ERROR_NO_MEMORY;
    caching->next_address += range.extent;
    (*block)->range = range;
    (*block)->unmapped = true;
    cuda_block_insert(*block);
    return 0;
}

/* The lowest unmapped block of the stream with room behind it, or the idle one in front of it. */
static struct cuda_block *
find_room(const struct cuda_request *request)
{
    struct cuda_block key = {.stream = request->stream};
    struct ordered_node *node = ordered_lower_bound(&request->pool->unmapped, &key.node);

    for (; node; node = ordered_next(node)) {
        struct cuda_block *block = cuda_block_of(node);

        if (block->stream != request->stream)
            return NULL;
        if (block->previous && cuda_block_is_idle(block->previous))
            block = block->previous;
        if (has_room(block, request->size))
            return block;
    }
    return NULL;
}

/* Memory behind all that the request needs from `block` on, which it becomes a part of; NULL if there is not enough. */
static int
map_all(struct cuda_caching *caching, const struct cuda_request *request, struct cuda_block **block)
{
    bool mapped = true;
    int status = 0;

    if ((*block)->unmapped)
        status = map(caching, *block, min_i64((*block)->size, request->size), &mapped);
    while (!status && mapped && (*block)->size < request->size) {
        int64_t missing = request->size - (*block)->size;

        *block = (*block)->next; /* it swallows the one in front of it */
        status = map(caching, *block, min_i64(missing, (*block)->size), &mapped);
    }
    if (!mapped)
        *block = NULL;
    return status;
}

int
cuda_expandable_allocate(struct cuda_caching *caching, struct cuda_request *request)
{
    struct cuda_block *block = find_room(request);
    int status = 0;

    if (!block)
        status = new_range(caching, request, &block);
    if (!status && block)
        status = map_all(caching, request, &block);
    if (status || !block)
        return status;
    cuda_block_take(block);
    request->block = block;
    return 0;
}

/* ---- back to the device ---- */

/* Cuts what lies on no whole page off a free block that is in no pool, and frees it. */
static int
keep_parts_of_pages(struct cuda_caching *caching, struct cuda_block **block, int64_t before, int64_t after)
{
    struct cuda_block *middle = *block;

    if (before > 0) {
        middle = cuda_block_cut(caching, *block, (*block)->size - before);
        if (!middle)
            return MEMMODEL_ERROR_NO_MEMORY;
        cuda_block_insert(*block);
    }
    if (after > 0) {
        struct cuda_block *rest = cuda_block_cut(caching, middle, after);

        if (!rest)
            return MEMMODEL_ERROR_NO_MEMORY;
        cuda_block_insert(rest);
    }
    *block = middle;
    return 0;
}

int
cuda_expandable_release(struct cuda_caching *caching, struct cuda_block *block)
{
    int64_t offset = block->address - block->range.base, page = block->range.page;
    int64_t first = round_up(offset, page), last = (offset + block->size) / page * page;
    int status;

    if (first >= last)
        return 0;
    cuda_block_take(block);
    status = keep_parts_of_pages(caching, &block, first - offset, offset + block->size - last);
    if (status)
        return status;
    cuda_observe(caching, ALLOCATOR_SEGMENT_UNMAP, block->address, block->size, block->stream);
    block->unmapped = true;
    caching->counters.reserved -= block->size;
    cuda_block_merge(caching, block);
    if (cuda_block_is_whole_segment(block))
        cuda_block_delete(caching, block);
    else
        cuda_block_insert(block);
    return 0;
}

/* Segments: got from the device and given back to it. */
#include "allocators/cuda_caching/caching.h"

static int
new_segment(struct cuda_caching *caching, struct cuda_request *request)
{
    struct cuda_block *block;

    if (request->segment_size > caching->capacity - caching->counters.reserved ||
        request->segment_size > INT64_MAX - caching->next_address)
        return 0;
    block = cuda_block_new(caching, request->pool, request->stream, caching->next_address, request->segment_size);
    if (!block)
        return MEMMODEL_ERROR_NO_MEMORY;
    caching->next_address += request->segment_size;
    caching->counters.reserved += request->segment_size;
    request->block = block;
    cuda_observe(caching, ALLOCATOR_SEGMENT_ALLOC, block->address, block->size, block->stream);
    return 0;
}

int
cuda_device_allocate(struct cuda_caching *caching, struct cuda_request *request)
{
    if (request->segment_size > caching->allowed - caching->counters.reserved)
        return 0;
    if (caching->settings.expandable_segments)
        return cuda_expandable_allocate(caching, request);
    return new_segment(caching, request);
}

/* A free block that is a whole segment. */
static void
release_segment(struct cuda_caching *caching, struct cuda_block *block)
{
    cuda_observe(caching, ALLOCATOR_SEGMENT_FREE, block->address, block->size, block->stream);
    caching->counters.reserved -= block->size;
    cuda_block_take(block);
    cuda_block_delete(caching, block);
}

/* ---- over max_split_size ---- */

/* From `block` downwards, of one stream, until `wanted` bytes are given back; false if there were fewer. */
static bool
release_largest(struct cuda_caching *caching, struct cuda_block *block, int64_t stream, int64_t wanted)
{
    int64_t released = 0;

    while (block && released < wanted && block->size >= caching->settings.max_split_size && block->stream == stream) {
        struct cuda_block *smaller = cuda_block_of(ordered_previous(&block->node));

        if (block->range.page == 0) {
            released += block->size;
            release_segment(caching, block);
        }
        block = smaller;
    }
    return released >= wanted;
}

bool
cuda_release_oversized(struct cuda_caching *caching, const struct cuda_request *request)
{
    int64_t limit = caching->settings.max_split_size;
    struct cuda_block key = {.stream = request->stream, .size = request->size > limit ? request->size : limit};
    struct cuda_block *found;
    struct ordered_node *largest;

    if (limit == INT64_MAX)
        return false;
    found = cuda_block_of(ordered_lower_bound(&request->pool->free, &key.node));
    if (found && found->stream == request->stream && found->range.page == 0) {
        release_segment(caching, found);
        return true;
    }
    largest = found ? ordered_previous(&found->node) : ordered_last(&request->pool->free);
    return release_largest(caching, cuda_block_of(largest), request->stream, key.size);
}

/* ---- garbage collection: large segments that were not asked for in a while ---- */

struct garbage {
    int64_t age, count, wanted;
};

static int64_t
age_of(const struct cuda_block *block)
{
    return block->pool->searches - block->freed_at;
}

static void
count_garbage(struct cuda_caching *caching, struct garbage *garbage)
{
    struct ordered_node *node = ordered_first(&caching->large.free);

    for (; node; node = ordered_next(node)) {
        const struct cuda_block *block = cuda_block_of(node);

        if (!cuda_block_is_whole_segment(block))
            continue;
        garbage->age += age_of(block);
        garbage->count++;
    }
}

/* Releases what is at least of mean age; false if nothing is. */
static bool
collect_once(struct cuda_caching *caching, struct garbage *garbage)
{
    double mean = (double)garbage->age / (double)garbage->count;
    struct ordered_node *node = ordered_first(&caching->large.free);
    bool any = false;

    while (node) {
        struct cuda_block *block = cuda_block_of(node);

        node = ordered_next(node);
        if (!cuda_block_is_whole_segment(block) || block->range.page != 0 || (double)age_of(block) < mean)
            continue;
        garbage->wanted -= block->size;
        garbage->age -= age_of(block);
        garbage->count--;
        release_segment(caching, block);
        any = true;
    }
    return any;
}

void
cuda_collect_garbage(struct cuda_caching *caching)
{
    struct garbage garbage = {.age = 0};

    garbage.wanted = caching->counters.reserved -
                     (int64_t)(caching->settings.garbage_collection_threshold * (double)caching->allowed);
    if (garbage.wanted <= 0)
        return;
    count_garbage(caching, &garbage);
    while (garbage.wanted > 0 && garbage.count > 0)
        if (!collect_once(caching, &garbage))
            return;
}

/* ---- everything ---- */

static int
release_pool(struct cuda_caching *caching, struct cuda_pool *pool)
{
    struct ordered_node *node = ordered_first(&pool->free);
    struct cuda_block *expandable = NULL;

    while (node) {
        struct cuda_block *block = cuda_block_of(node);

        node = ordered_next(node);
        if (block->range.page != 0) {
            block->pending = expandable; /* unmapping changes the set: only once it was walked through */
            expandable = block;
        } else if (cuda_block_is_whole_segment(block)) {
            release_segment(caching, block);
        }
    }
    while (expandable) {
        struct cuda_block *block = expandable;
        int status;

        expandable = block->pending;
        block->pending = NULL;
        status = cuda_expandable_release(caching, block);
        if (status)
            return status;
    }
    return 0;
}

int
cuda_release_all(struct cuda_caching *caching)
{
    int status;

    cuda_synchronize(caching, true);
    status = release_pool(caching, &caching->large);
    return status ? status : release_pool(caching, &caching->small);
}

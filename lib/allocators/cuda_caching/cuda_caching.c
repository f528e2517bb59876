/* Requests: rounded, served from a pool or the device, and given back. */
#include "allocators/cuda_caching/caching.h"
#include "base/checked.h"

#define UNLIMITED (INT64_C(1) << 62) /* of a device whose capacity is not given; sums with a request still fit */
#define FIRST_ADDRESS (INT64_C(1) << 30)

/* ---- sizes ---- */

static int
log2_floor(int64_t number)
{
    int log = 0;

    while (number >>= 1)
        log++;
    return log;
}

static int64_t
divisions_of(const struct cuda_settings *settings, int64_t bytes)
{
    int interval = log2_floor(bytes) - log2_floor(MEBIBYTE);

    return settings->divisions[max_i64(0, min_i64(interval, ROUNDUP_INTERVALS - 1))];
}

/* Up to the next of `divisions` equal steps between two powers of two. */
static int64_t
round_to_division(int64_t bytes, int64_t divisions)
{
    int64_t step = (INT64_C(1) << log2_floor(bytes)) / divisions;

    return round_up(bytes, step);
}

static int64_t
round_size(const struct cuda_settings *settings, int64_t bytes)
{
    int64_t divisions;

    if (bytes < SMALLEST_BLOCK)
        return SMALLEST_BLOCK;
    divisions = divisions_of(settings, bytes);
    if (divisions > 1 && bytes / SMALLEST_BLOCK >= divisions && bytes > SMALLEST_BLOCK * divisions)
        return round_to_division(bytes, divisions);
    return round_up(bytes, SMALLEST_BLOCK);
}

static int64_t
segment_size_for(const struct cuda_settings *settings, int64_t size)
{
    if (size <= MAX_SMALL)
        return SMALL_SEGMENT;
    if (size < MIN_LARGE)
        return settings->large_segment_size;
    return round_up(size, LARGE_ROUNDING);
}

/* ---- from the pool ---- */

/* What an expandable block can grow to where it lies. */
static int64_t
expandable_bytes(const struct cuda_block *block)
{
    return block->size + (block->next && block->next->unmapped ? block->next->size : 0);
}

/*
 * Among expandable blocks that would do, the one that leaves least: growing into a far end counts as that end's size.
 */
static struct cuda_block *
min_expandable(struct cuda_block *block)
{
    struct cuda_block *next = cuda_block_of(ordered_next(&block->node));

    while (block->range.page != 0 && next && next->stream == block->stream &&
           expandable_bytes(next) < expandable_bytes(block)) {
        block = next;
        next = cuda_block_of(ordered_next(&block->node));
    }
    return block;
}

static bool
collects_garbage(const struct cuda_caching *caching)
{
    return caching->allowed != INT64_MAX && caching->settings.garbage_collection_threshold > 0;
}

static struct cuda_block *
find_free(struct cuda_caching *caching, const struct cuda_request *request)
{
    const struct cuda_settings *settings = &caching->settings;
    struct cuda_block key = {.stream = request->stream, .size = request->size}, *found;

    if (collects_garbage(caching))
        request->pool->searches++;
    found = cuda_block_of(ordered_lower_bound(&request->pool->free, &key.node));
    if (!found || found->stream != request->stream)
        return NULL;
    found = min_expandable(found);
    if (request->size < settings->max_split_size)
        return found->size < settings->max_split_size ? found : NULL;
    return found->size < request->size + settings->max_non_split_rounding ? found : NULL;
}

/* ---- from the device, if need be after giving it back what is unused ---- */

static int
grow(struct cuda_caching *caching, struct cuda_request *request)
{
    int status;

    if (collects_garbage(caching))
        cuda_collect_garbage(caching);
    status = cuda_device_allocate(caching, request);
    if (status || request->block)
        return status;
    if (cuda_release_oversized(caching, request))
        status = cuda_device_allocate(caching, request);
    if (status || request->block)
        return status;
    status = cuda_release_all(caching);
    caching->counters.retries++;
    return status ? status : cuda_device_allocate(caching, request);
}

static int
find(struct cuda_caching *caching, struct cuda_request *request)
{
    request->block = find_free(caching, request);
    if (!request->block)
        return grow(caching, request);
    cuda_block_take(request->block);
    return 0;
}

/* ---- the block that was found ---- */

static bool
should_split(const struct cuda_caching *caching, const struct cuda_request *request)
{
    int64_t rest = request->block->size - request->size;

    if (request->pool->small || caching->settings.expandable_segments)
        return rest >= SMALLEST_BLOCK;
    return request->size < caching->settings.max_split_size && rest > MAX_SMALL;
}

static int
split(struct cuda_caching *caching, const struct cuda_request *request)
{
    struct cuda_block *rest = cuda_block_cut(caching, request->block, request->block->size - request->size);

    if (!rest)
        return MEMMODEL_ERROR_NO_MEMORY;
    cuda_block_insert(rest);
    return 0;
}

static void
hand_out(struct cuda_caching *caching, struct cuda_block *block, int64_t requested, int32_t owner)
{
    block->allocated = true;
    block->changed = caching->calls;
    block->requested = requested;
    block->owner = owner;
    caching->counters.allocated += block->size;
    caching->counters.active += block->size;
    caching->counters.requested += requested;
    cuda_observe(caching, ALLOCATOR_ALLOC, block->address, requested, block->stream);
}

static int
cuda_allocate(void *self, int64_t bytes, int64_t stream, int32_t owner, void **block)
{
    struct cuda_caching *caching = self;
    struct cuda_request request = {.stream = stream};
    int status = 0;

    *block = NULL;
    caching->calls++;
    cuda_synchronize(caching, false);
    if (bytes < MAX_REQUEST) {
        request.size = round_size(&caching->settings, bytes);
        request.segment_size = segment_size_for(&caching->settings, request.size);
        request.pool = request.size <= MAX_SMALL ? &caching->small : &caching->large;
        status = find(caching, &request);
    }
    if (!status && request.block && should_split(caching, &request))
        status = split(caching, &request);
    if (!status && !request.block)
        cuda_observe(caching, ALLOCATOR_OUT_OF_MEMORY, caching->capacity - caching->counters.reserved, bytes, stream);
    if (status || !request.block)
        return status;
    hand_out(caching, request.block, bytes, owner);
    *block = request.block;
    return 0;
}

/* ---- back ---- */

static void
take_back(struct cuda_caching *caching, struct cuda_block *block)
{
    cuda_observe(caching, ALLOCATOR_FREE_COMPLETED, block->address, block->requested, block->stream);
    caching->counters.active -= block->size;
    caching->counters.requested -= block->requested;
    block->requested = 0;
    block->owner = -1;
    block->changed = caching->calls;
    cuda_block_merge(caching, block);
    cuda_block_insert(block);
}

static int
cuda_release(void *self, void *released, bool shared)
{
    struct cuda_caching *caching = self;
    struct cuda_block *block = released;

    caching->calls++;
    cuda_observe(caching, ALLOCATOR_FREE_REQUESTED, block->address, block->requested, block->stream);
    block->allocated = false;
    caching->counters.allocated -= block->size;
    if (!shared) {
        take_back(caching, block);
        return 0;
    }
    block->waiting = true;
    block->finished = false;
    block->pending = caching->first_pending;
    caching->first_pending = block;
    return 0;
}

static void
cuda_finish(void *self, int32_t owner)
{
    struct cuda_caching *caching = self;

    for (struct cuda_block *block = caching->first_pending; block; block = block->pending)
        block->finished |= block->owner == owner;
}

void
cuda_finish_all(struct cuda_caching *caching)
{
    for (struct cuda_block *block = caching->first_pending; block; block = block->pending)
        block->finished = true;
}

void
cuda_synchronize(struct cuda_caching *caching, bool all)
{
    struct cuda_block **link = &caching->first_pending;

    while (*link) {
        struct cuda_block *block = *link;

        if (!all && !block->finished) {
            link = &block->pending;
            continue;
        }
        *link = block->pending;
        block->pending = NULL;
        block->waiting = false;
        take_back(caching, block);
    }
}

void
cuda_observe(const struct cuda_caching *caching, enum allocator_action action, int64_t address, int64_t bytes,
             int64_t stream)
{
    if (caching->observer.observe)
        caching->observer.observe(caching->observer.user, action, address, bytes, stream);
}

/* ---- from outside ---- */

static struct cuda_pool
pool(bool small)
{
    return (struct cuda_pool){
        .free = {.compare = cuda_compare_by_size},
        .unmapped = {.compare = cuda_compare_by_address},
        .small = small,
    };
}

static void
cuda_free(void *self)
{
    struct cuda_caching *caching = self;

    arena_release(&caching->arena);
    memory_release(caching->context, caching);
}

/* A fraction of a device whose size is not known is not known. */
static int
limit(struct cuda_caching *caching, int64_t capacity)
{
    double fraction = caching->settings.memory_fraction;

    caching->capacity = capacity > 0 ? min_i64(capacity, UNLIMITED) : UNLIMITED;
    caching->allowed = INT64_MAX;
    if (fraction == 1)
        return 0;
    if (capacity <= 0)
        return context_error(caching->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "allocator settings",
                             "per_process_memory_fraction needs the capacity of the device");
    caching->allowed = (int64_t)(fraction * (double)caching->capacity);
    return 0;
}

static int
cuda_new(memmodel_context *context, const struct allocator_options *options, void **self)
{
    struct cuda_caching *caching = memory_allocate_zeroed(context, 1, sizeof *caching);
    int status;

    if (!caching)
        return MEMMODEL_ERROR_NO_MEMORY;
    caching->context = context;
    caching->arena = ARENA_INIT(context);
    caching->small = pool(true);
    caching->large = pool(false);
    caching->next_address = FIRST_ADDRESS;
    caching->counters.resident = -1;
    caching->observer = options->observer;
    status = cuda_settings_parse(context, options->settings, &caching->settings);
    if (!status)
        status = limit(caching, options->capacity);
    if (status)
        cuda_free(caching);
    else
        *self = caching;
    return status;
}

static const struct allocator_counters *
cuda_counters(const void *self)
{
    return &((const struct cuda_caching *)self)->counters;
}

/* The mapped piece of a segment that begins with `first`. */
static int
walk_segment(const struct cuda_block *first, int (*visit)(void *user, const struct allocator_block *block), void *user)
{
    int status = 0;

    for (const struct cuda_block *block = first; block && !block->unmapped && !status; block = block->next) {
        struct allocator_block shown = {
            .memory = block,
            .segment = first->address,
            .address = block->address,
            .bytes = block->size,
            .requested = block->requested,
            .stream = block->stream,
            .changed = block->changed,
            .owner = block->owner,
            .active = block->waiting,
            .large = !block->pool->small,
            .expandable = block->range.page != 0,
        };

        status = visit(user, &shown);
    }
    return status;
}

static int
cuda_walk(const void *self, int (*visit)(void *user, const struct allocator_block *block), void *user)
{
    const struct cuda_caching *caching = self;
    int status = 0;

    for (const struct cuda_block *block = caching->newest; block && !status; block = block->older)
        if (!block->unmapped && (!block->previous || block->previous->unmapped))
            status = walk_segment(block, visit, user);
    return status;
}

/* What waits, what is old and what the device has left count only with settings, streams or a capacity that say so. */
static bool
cuda_goes_by_order(const void *self)
{
    const struct cuda_caching *caching = self;

    return !caching->settings.expandable_segments && !collects_garbage(caching) && caching->capacity == UNLIMITED &&
           caching->allowed == INT64_MAX;
}

const struct allocator allocator_cuda_caching = {
    .name = "cuda_caching",
    .settings = true,
    .block_bytes = sizeof(struct cuda_block),
    .open = cuda_new,
    .close = cuda_free,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .finish = cuda_finish,
    .counters = cuda_counters,
    .walk = cuda_walk,
    .goes_by_order = cuda_goes_by_order,
};

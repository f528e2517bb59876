/*
 * TensorFlow's BFCAllocator (best fit with coalescing), growing, as the CPU uses it for what oneDNN computes and a GPU
 * with allow_growth. OpenXLA: xla/tsl/framework/bfc_allocator.cc; region lists measured with TensorFlow 2.21.
 *
 * Its bins hold sizes of ever higher powers of two and are searched upwards, each by size, then address: together they
 * are one set in that order. Memory goes back to the system only by garbage collection, which the CPU does not use and
 * this model leaves out. New regions lie at lower addresses, as mmap gives them.
 *
 * onnxruntime's arena is its descendant (onnxruntime: core/framework/bfc_arena.cc): its first region is smaller, its
 * regions stop growing at 1 GiB, and the weights (Reserve), which its traces put on another stream, lie in none.
 */
#include "allocators/allocator.h"
#include "allocators/chunk.h"
#include "allocators/pages.h"
#include "base/checked.h"

#define ROUNDING INT64_C(256)                       /* kMinAllocationSize */
#define FIRST_REGION (INT64_C(2) << 20)             /* with allow_growth */
#define FIRST_REGION_ONNXRUNTIME (INT64_C(1) << 20) /* DEFAULT_INITIAL_CHUNK_SIZE_BYTES */
#define MAX_REGION_ONNXRUNTIME (INT64_C(1) << 30)   /* DEFAULT_MAX_POWER_OF_TWO_EXTEND_BYTES */
#define MAX_FRAGMENT (INT64_C(128) << 20)           /* max_internal_fragmentation_bytes */
#define TABLE_SHARE 32                              /* a handle of 8 bytes per 256 of a region */
#define REGION_OFFSET 64                            /* of the first chunk on its page: malloc's header, aligned */
#define TOP_ADDRESS (INT64_C(1) << 62)
#define MAX_REQUEST (INT64_C(1) << 60)

struct region {
    struct chunk *first;
    int64_t address;
    struct region *older;
};

struct bfc {
    memmodel_context *context;
    struct arena arena;
    struct chunks chunks;
    struct pages pages;
    struct region *newest;
    struct allocator_counters counters;
    struct allocator_observer observer;
    int64_t limit, next_region, max_region, lowest_address;
    bool reserves; /* other streams than the first get memory of their own */
};

static int
open_with(memmodel_context *context, const struct allocator_options *options, int64_t first_region, int64_t max_region,
          struct bfc **self)
{
    struct bfc *bfc = memory_allocate_zeroed(context, 1, sizeof *bfc);

    if (!bfc)
        return MEMMODEL_ERROR_NO_MEMORY;
    bfc->context = context;
    bfc->arena = ARENA_INIT(context);
    chunks_init(&bfc->chunks, &bfc->arena);
    pages_init(&bfc->pages, &bfc->arena);
    bfc->observer = options->observer;
    bfc->limit = options->capacity > 0 ? options->capacity / ROUNDING * ROUNDING : INT64_MAX;
    bfc->next_region = min_i64(first_region, bfc->limit);
    bfc->max_region = max_region;
    bfc->lowest_address = TOP_ADDRESS;
    *self = bfc;
    return 0;
}

static int
bfc_open(memmodel_context *context, const struct allocator_options *options, void **self)
{
    struct bfc *bfc = NULL;
    int status = open_with(context, options, FIRST_REGION, MAX_REQUEST, &bfc);

    if (!status)
        *self = bfc;
    return status;
}

static int
onnxruntime_open(memmodel_context *context, const struct allocator_options *options, void **self)
{
    struct bfc *bfc = NULL;
    int status = open_with(context, options, FIRST_REGION_ONNXRUNTIME, MAX_REGION_ONNXRUNTIME, &bfc);

    if (status)
        return status;
    bfc->reserves = true;
    *self = bfc;
    return 0;
}

static void
bfc_close(void *self)
{
    struct bfc *bfc = self;

    arena_release(&bfc->arena);
    memory_release(bfc->context, bfc);
}

static void
observe(const struct bfc *bfc, enum allocator_action action, int64_t address, int64_t bytes)
{
    if (bfc->observer.observe)
        bfc->observer.observe(bfc->observer.user, action, address, bytes, 0);
}

/* ---- regions ---- */

static int
add_region(struct bfc *bfc, int64_t bytes)
{
    struct region *region = arena_allocate(&bfc->arena, sizeof *region);

    if (!region)
        return MEMMODEL_ERROR_NO_MEMORY;
    bfc->lowest_address -= round_up(bytes + REGION_OFFSET, PAGE);
    region->address = bfc->lowest_address + REGION_OFFSET;
    region->first = chunk_new(&bfc->chunks, region->address, bytes);
    if (!region->first)
        return MEMMODEL_ERROR_NO_MEMORY;
    region->older = bfc->newest;
    bfc->newest = region;
    chunk_set_free(&bfc->chunks, region->first);
    bfc->counters.reserved += bytes;
    observe(bfc, ALLOCATOR_SEGMENT_ALLOC, region->address, bytes);
    return 0;
}

/* A region of the next size, doubled until the request fits; *extended: there was room for it. */
static int
extend(struct bfc *bfc, int64_t size, bool *extended)
{
    int64_t available = bfc->limit - bfc->counters.reserved, bytes;
    bool grown = false;

    *extended = size <= available && size < bfc->lowest_address / 4;
    if (!*extended)
        return 0;
    for (; size > bfc->next_region; grown = true)
        bfc->next_region *= 2;
    bytes = min_i64(bfc->next_region, available);
    if (!grown)
        bfc->next_region = min_i64(2 * bfc->next_region, max_i64(bfc->max_region, bfc->next_region));
    *extended = bytes < bfc->lowest_address / 2;
    return *extended ? add_region(bfc, bytes) : 0;
}

/* ---- chunks ---- */

static bool
should_split(const struct chunk *chunk, int64_t size)
{
    return chunk->size / 2 >= size || chunk->size - size >= MAX_FRAGMENT;
}

static int
hand_out(struct bfc *bfc, struct chunk *chunk, int64_t size, int64_t requested, int32_t owner)
{
    int status;

    chunk_set_used(&bfc->chunks, chunk);
    if (should_split(chunk, size)) {
        struct chunk *rest = chunk_cut(&bfc->chunks, chunk, size);

        if (!rest)
            return MEMMODEL_ERROR_NO_MEMORY;
        chunk_set_free(&bfc->chunks, rest);
    }
    chunk->requested = requested;
    chunk->owner = owner;
    status = pages_touch(&bfc->pages, chunk->address, requested);
    bfc->counters.requested += requested;
    bfc->counters.allocated += chunk->size;
    bfc->counters.active = bfc->counters.allocated;
    bfc->counters.resident = bfc->pages.bytes + bfc->counters.reserved / TABLE_SHARE;
    observe(bfc, ALLOCATOR_ALLOC, chunk->address, requested);
    return status;
}

/* Counts bytes that lie in no region. */
static void
count_apart(struct bfc *bfc, int64_t bytes)
{
    bfc->counters.requested += bytes;
    bfc->counters.allocated += bytes;
    bfc->counters.active = bfc->counters.allocated;
    bfc->counters.reserved += bytes;
    bfc->counters.resident += bytes;
}

static int
reserve(struct bfc *bfc, int64_t bytes, int32_t owner, void **block)
{
    struct chunk *chunk = chunk_new(&bfc->chunks, 0, bytes);

    if (!chunk)
        return MEMMODEL_ERROR_NO_MEMORY;
    chunk->apart = true;
    chunk->requested = bytes;
    chunk->owner = owner;
    count_apart(bfc, bytes);
    *block = chunk;
    return 0;
}

static int
bfc_allocate(void *self, int64_t bytes, int64_t stream, int32_t owner, void **block)
{
    struct bfc *bfc = self;
    struct chunk *chunk;
    bool extended = true;
    int64_t size;
    int status = 0;

    *block = NULL;
    if (bytes >= MAX_REQUEST)
        return 0;
    if (bfc->reserves && stream != 0)
        return reserve(bfc, bytes, owner, block);
    size = round_up(bytes, ROUNDING);
    chunk = chunk_best_fit(&bfc->chunks, size);
    if (!chunk) {
        status = extend(bfc, size, &extended);
        chunk = chunk_best_fit(&bfc->chunks, size);
    }
    if (!extended)
        observe(bfc, ALLOCATOR_OUT_OF_MEMORY, bfc->limit - bfc->counters.reserved, bytes);
    if (status || !chunk)
        return status;
    *block = chunk;
    return hand_out(bfc, chunk, size, bytes, owner);
}

static int
bfc_release(void *self, void *block, bool shared)
{
    struct bfc *bfc = self;
    struct chunk *chunk = block;

    (void)shared;
    if (chunk->apart) {
        count_apart(bfc, -chunk->requested);
        chunk_delete(&bfc->chunks, chunk);
        return 0;
    }
    observe(bfc, ALLOCATOR_FREE_REQUESTED, chunk->address, chunk->requested);
    observe(bfc, ALLOCATOR_FREE_COMPLETED, chunk->address, chunk->requested);
    bfc->counters.requested -= chunk->requested;
    bfc->counters.allocated -= chunk->size;
    bfc->counters.active = bfc->counters.allocated;
    chunk->requested = 0;
    chunk->owner = -1;
    chunk_set_free(&bfc->chunks, chunk_coalesce(&bfc->chunks, chunk));
    return 0;
}

static const struct allocator_counters *
bfc_counters(const void *self)
{
    return &((const struct bfc *)self)->counters;
}

static int
visit_region(const struct region *region, int (*visit)(void *user, const struct allocator_block *block), void *user)
{
    int status = 0;

    for (const struct chunk *chunk = region->first; chunk && !status; chunk = chunk->next)
        status = visit(user, &(struct allocator_block){.segment = region->address,
                                                       .address = chunk->address,
                                                       .bytes = chunk->size,
                                                       .requested = chunk->requested,
                                                       .owner = chunk->owner,
                                                       .large = true});
    return status;
}

static int
bfc_walk(const void *self, int (*visit)(void *user, const struct allocator_block *block), void *user)
{
    int status = 0;

    for (const struct region *region = ((const struct bfc *)self)->newest; region && !status; region = region->older)
        status = visit_region(region, visit, user);
    return status;
}

#define BFC(name_, open_)                                                                                              \
    {                                                                                                                  \
        .name = (name_), .open = (open_), .close = bfc_close, .allocate = bfc_allocate, .release = bfc_release,        \
        .counters = bfc_counters, .walk = bfc_walk, .block_bytes = sizeof(struct chunk)                                \
    }

const struct allocator allocator_bfc = BFC("bfc", bfc_open);
const struct allocator allocator_onnxruntime = BFC("onnxruntime", onnxruntime_open);

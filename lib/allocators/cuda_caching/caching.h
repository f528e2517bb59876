/*
 * PyTorch's CUDA caching allocator from the inside. PyTorch 2.13: c10/cuda/CUDACachingAllocator.cpp.
 *
 * Memory comes from the device in segments. A segment is a chain of blocks without gaps, each in use or free; free ones
 * wait in one of two pools, for small and for large requests, ordered by stream, size and address. A block goes back to
 * its own stream only. An expandable segment is a long range of addresses of which pages are backed by memory as they
 * are needed; a block without memory is unmapped.
 */
#ifndef CUDA_CACHING_H
#define CUDA_CACHING_H

#include "allocators/allocator.h"
#include "allocators/cuda_caching/settings.h"
#include "base/arena.h"
#include "base/ordered.h"

#include <stdbool.h>

#define SMALLEST_BLOCK INT64_C(512)    /* kMinBlockSize */
#define MAX_SMALL (1 * MEBIBYTE)       /* kSmallSize: requests up to it go to the small pool */
#define SMALL_SEGMENT (2 * MEBIBYTE)   /* kSmallBuffer */
#define MIN_LARGE (10 * MEBIBYTE)      /* kMinLargeAlloc: requests from it on get a segment of their own */
#define LARGE_ROUNDING (2 * MEBIBYTE)  /* kRoundLarge */
#define MAX_REQUEST (INT64_C(1) << 60) /* one_exa_bytes: refused from it on */

struct cuda_pool {
    struct ordered_set free;     /* by stream, size, address */
    struct ordered_set unmapped; /* by stream, address */
    int64_t searches;            /* the clock of garbage collection */
    bool small;
};

/* The addresses of an expandable segment. */
struct cuda_range {
    int64_t base, extent, page;
};

struct cuda_block {
    struct ordered_node node;           /* in its pool, while it is free or unmapped */
    struct cuda_block *previous, *next; /* neighbours in the segment */
    struct cuda_block *older, *newer;   /* all blocks there are, or older: the next spare one */
    struct cuda_block *pending;         /* the next that waits for other streams */
    struct cuda_pool *pool;
    struct cuda_range range; /* page is 0 if the segment is not expandable */
    int64_t address, size;
    int64_t requested;
    int64_t stream;
    int64_t freed_at; /* the pool's clock when it became free */
    int64_t changed;  /* number of the call that was the last to change it */
    int32_t owner;    /* what the caller calls it */
    bool allocated;   /* in the caller's hands */
    bool waiting;     /* given back, while other streams may still use it */
    bool finished;    /* those streams are done with it */
    bool unmapped;
};

struct cuda_caching {
    memmodel_context *context;
    struct arena arena;
    struct cuda_settings settings;
    int64_t capacity; /* of the device */
    int64_t allowed;  /* by per_process_memory_fraction; INT64_MAX: no limit */
    struct cuda_pool small, large;
    struct cuda_block *newest, *spare, *first_pending;
    struct allocator_counters counters;
    struct allocator_observer observer;
    int64_t next_address;
    int64_t calls;
};

/* ---- blocks (block.c) ---- */

/* A new block without neighbours, not in its pool. NULL: no memory. */
struct cuda_block *
cuda_block_new(struct cuda_caching *caching, struct cuda_pool *pool, int64_t stream, int64_t address, int64_t size);

void
cuda_block_delete(struct cuda_caching *caching, struct cuda_block *block);

/* Puts a new block of the same segment, with the last `size` bytes of `block`, behind it. NULL: no memory. */
struct cuda_block *
cuda_block_cut(struct cuda_caching *caching, struct cuda_block *block, int64_t size);

/* Into the pool's free or unmapped blocks, and out of them. */
void
cuda_block_insert(struct cuda_block *block);

void
cuda_block_take(struct cuda_block *block);

/* Free, and nobody waits for it. */
bool
cuda_block_is_idle(const struct cuda_block *block);

/* Joins a block that is in no pool with its idle neighbours; false if it had none. */
void
cuda_block_merge(struct cuda_caching *caching, struct cuda_block *block);

bool
cuda_block_is_whole_segment(const struct cuda_block *block);

/* NULL at the end of a set. */
struct cuda_block *
cuda_block_of(struct ordered_node *node);

int
cuda_compare_by_size(const struct ordered_node *a, const struct ordered_node *b);

int
cuda_compare_by_address(const struct ordered_node *a, const struct ordered_node *b);

/* ---- the device (device.c) ---- */

/* What is asked for. */
struct cuda_request {
    struct cuda_pool *pool;
    int64_t stream;
    int64_t size;             /* rounded */
    int64_t segment_size;     /* if a segment is needed for it */
    struct cuda_block *block; /* what was found, in no pool */
};

/* Memory from the device: 0 with request->block, which is NULL if the device has none left. */
int
cuda_device_allocate(struct cuda_caching *caching, struct cuda_request *request);

/* Gives unused segments back: enough of those over max_split_size; the oldest; all. */
bool
cuda_release_oversized(struct cuda_caching *caching, const struct cuda_request *request);

void
cuda_collect_garbage(struct cuda_caching *caching);

int
cuda_release_all(struct cuda_caching *caching);

/* ---- expandable segments (expandable.c) ---- */

int
cuda_expandable_allocate(struct cuda_caching *caching, struct cuda_request *request);

int
cuda_expandable_release(struct cuda_caching *caching, struct cuda_block *block);

/* ---- events of other streams (cuda_caching.c) ---- */

/* Takes back the blocks that waited for other streams: those that are finished with, or all. */
void
cuda_synchronize(struct cuda_caching *caching, bool all);

/* All that waits is finished with. */
void
cuda_finish_all(struct cuda_caching *caching);

/* Calls the observer, if there is one. */
void
cuda_observe(const struct cuda_caching *caching, enum allocator_action action, int64_t address, int64_t bytes,
             int64_t stream);

#endif

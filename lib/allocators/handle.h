/* memmodel_replay from the inside. */
#ifndef ALLOCATORS_HANDLE_H
#define ALLOCATORS_HANDLE_H

#include "allocators/allocator.h"
#include "memmodel/replay.h"

#include <stdatomic.h>

struct memmodel_replay {
    memmodel_context *context;
    memmodel_trace *trace;
    const struct allocator *allocator;
    char *settings; /* NULL: defaults */
    int64_t capacity;
    atomic_int references;
    struct allocator_counters *usages; /* by event */
    struct allocator_block *blocks;    /* at the end, by address */
    size_t block_count, block_capacity;
    struct memmodel_replay_result summary;
};

#endif

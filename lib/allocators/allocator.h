/*
 * An allocator replays a trace and says how much it takes from the system. One file an allocator, one row in the
 * table.
 */
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include "trace/trace.h"

struct replay {
    int64_t reserved_peak; /* most bytes taken from the system */
    int32_t peak_event;    /* first event at which they are taken, -1 if none */
};

struct allocator {
    const char *name;
    int (*replay)(memmodel_context *context, const struct memmodel_trace *trace, struct replay *replay);
};

/* Takes exactly what is asked for and gives it back at once: PyTorch's CPU allocator, as its own counters see it. */
extern const struct allocator allocator_exact;

/* The allocator of that name, or NULL. */
const struct allocator *
allocator_find(const char *name);

#endif

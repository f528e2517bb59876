/*
 * Reserved is what is live. PyTorch's CPU allocator takes each tensor from posix_memalign and counts what was asked
 * for.
 */
#include "allocators/allocator.h"

static int
exact_replay(memmodel_context *context, const struct memmodel_trace *trace, struct replay *replay)
{
    int32_t peak = trace_peak_event(trace, 0);

    (void)context;
    *replay = (struct replay){.reserved_peak = peak < 0 ? 0 : trace->events[peak].live, .peak_event = peak};
    return 0;
}

const struct allocator allocator_exact = {.name = "exact", .replay = exact_replay};

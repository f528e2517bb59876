/*
 * When buffers that share their memory are in use, as one: from the first begin to the last end, but for the times at
 * which one of them has a gap and none of the others needs it.
 */
#ifndef PLAN_LIVE_RANGES_H
#define PLAN_LIVE_RANGES_H

#include "plan/plan.h"

/* Of the caller's time, [begin, end). */
struct span {
    int64_t begin, end;
};

struct live_ranges {
    struct span *spans;
    size_t *first; /* of each buffer: where its spans begin, up to those of the next; one in another has none */
    size_t count;
};

/* 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
live_ranges_make(const memmodel_plan *plan, struct live_ranges *ranges);

void
live_ranges_release(struct live_ranges *ranges, memmodel_context *context);

#endif

/*
 * Iterations of a loop that are recorded once. A long loop, such as the time steps of a recurrent layer, is written
 * with few iterations, and the events of one in the middle stand for those that are left out: a repeat. The blocks that
 * they keep are copies of its blocks.
 *
 * The left-out iterations allocate and release exactly as their neighbours do, one iteration on: each release is of a
 * block of the same iteration, of the one before, or, in the backward pass of the loop, of one of the forward
 * iterations that stand as far from it. trace_add_repeat() makes sure of that; walking the trace is as walking the
 * whole.
 */
#ifndef TRACE_REPEAT_H
#define TRACE_REPEAT_H

#include "trace/trace.h"

/* Three iterations in a row, the last of which ends with the trace: first event of each. */
struct trace_iterations {
    int32_t before, middle, after;
};

/*
 * Lets the middle iteration stand for `times` more; `growth` is what each adds to the live bytes. The events of the
 * last iteration move up by what they add. *regular is false, and nothing is done, if the three are not alike.
 * 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_OVERFLOW.
 */
int
trace_add_repeat(struct memmodel_trace *trace, const struct trace_iterations *iterations, int64_t times, int64_t growth,
                 bool *regular);

/* Events that repeats leave out; INT64_MAX: there are more. */
int64_t
trace_left_out(const struct memmodel_trace *trace);

/* The most copies that blocks of one repeat have, which are live at the same time; INT64_MAX: there are more. */
int64_t
trace_copies_kept(const struct memmodel_trace *trace);

/* ---- the whole trace, event by event ---- */

/* Which event, and which of the blocks that its block stands for: 0 the block itself, 1 its first copy ... */
struct walk_event {
    int32_t event, block;
    int64_t instance;
    int64_t copy; /* 0 as it is written, 1 the first time that is left out ... */
    bool release;
};

/* One event of a period: instance start + slope * copy of `block`; beyond the copies the blocks of the neighbours. */
struct walk_plan {
    int32_t block, before, after;
    int64_t start, slope;
};

/* Events that are run as often again as the walk says of a repeat. */
struct walk_period {
    int32_t first, count;
    int32_t of;      /* index of the repeat */
    bool repeat;     /* it is the repeat; else a row of releases of its copies */
    bool descending; /* the row begins with the last copies */
};

struct trace_walk {
    memmodel_context *context;
    const struct memmodel_trace *trace;
    struct walk_period *periods;
    size_t period_count, period_capacity;
    size_t period;  /* the next one, or the one that is run */
    int64_t *times; /* by repeat: what of its iterations is walked through, all of them unless it is shortened */
    struct walk_plan *plan;
    size_t plan_capacity;
    bool inside; /* the plan is that of the period */
    int32_t event;
    int64_t copy;
};

/* 0, MEMMODEL_ERROR_NO_MEMORY */
int
trace_walk_begin(struct trace_walk *walk, memmodel_context *context, const struct memmodel_trace *trace);

void
trace_walk_end(struct trace_walk *walk);

/* True with the next event; false at the end, and if there is no memory, which *status says. */
bool
trace_walk_next(struct trace_walk *walk, struct walk_event *event, int *status);

/* The period that is run, when its next event is the first one of an iteration; NULL: it is not. */
const struct walk_period *
trace_walk_boundary(const struct trace_walk *walk);

/* Leaves out iterations of a repeat that were not begun yet; blocks are numbered as if it had never had them. */
void
trace_walk_shorten(struct trace_walk *walk, int32_t repeat, int64_t iterations);

/* How many blocks one stands for: instances 0 .. count - 1 of a family that is kept, or all that pass through. */
int64_t
trace_instances(const struct memmodel_trace *trace, const struct trace_block *block);

#endif

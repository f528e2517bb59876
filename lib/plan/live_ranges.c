/* Live ranges of buffers that share their memory: a sweep over each class. */
#include "plan/live_ranges.h"

#include <stdlib.h>

enum { NO_MORE = -1 };

/* How the number of those that need the memory changes, and of those in a gap. */
struct event {
    int64_t time;
    int needed, gaps;
};

struct making {
    const memmodel_plan *plan;
    struct live_ranges *ranges;
    int64_t *next; /* in the same class; of a base: the first in it */
    struct event *events;
    size_t event_count;
};

static void
list_classes(struct making *making)
{
    const memmodel_plan *plan = making->plan;
    int64_t into;

    for (size_t i = 0; i < plan->count; i++)
        making->next[i] = NO_MORE;
    for (size_t i = 0; i < plan->count; i++) {
        size_t base = plan_base(plan, i, &into);

        if (base == i)
            continue;
        making->next[i] = making->next[base];
        making->next[base] = (int64_t)i;
    }
}

static void
add_event(struct making *making, int64_t time, int needed, int gaps)
{
    making->events[making->event_count++] = (struct event){time, needed, gaps};
}

static void
add_events(struct making *making, const struct plan_buffer *buffer)
{
    add_event(making, buffer->begin, 1, 0);
    for (const struct plan_gap *gap = buffer->gaps; gap; gap = gap->next) {
        add_event(making, gap->begin, -1, 1);
        add_event(making, gap->end, 1, -1);
    }
    add_event(making, buffer->end, -1, 0);
}

static int
in_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    return (x->time > y->time) - (x->time < y->time);
}

/* Those at one time count together. What nobody needs is still live unless somebody has left it to others. */
static void
sweep(struct making *making)
{
    const struct event *events = making->events;
    size_t count = making->event_count;
    int64_t needed = 0, gaps = 0;
    bool is_held = false;

    for (size_t i = 0; i < count;) {
        int64_t time = events[i].time;
        bool was_held = is_held;

        for (; i < count && events[i].time == time; i++) {
            needed += events[i].needed;
            gaps += events[i].gaps;
        }
        is_held = i < count && (needed > 0 || gaps == 0);
        if (is_held && !was_held)
            making->ranges->spans[making->ranges->count].begin = time;
        if (was_held && !is_held)
            making->ranges->spans[making->ranges->count++].end = time;
    }
}

static void
add_ranges(struct making *making, size_t base)
{
    const struct plan_buffer *buffers = making->plan->buffers;

    making->event_count = 0;
    for (int64_t i = (int64_t)base; i != NO_MORE; i = making->next[i])
        add_events(making, &buffers[i]);
    if (making->next[base] != NO_MORE)
        qsort(making->events, making->event_count, sizeof *making->events, in_time);
    sweep(making);
}

static void
make(struct making *making)
{
    const memmodel_plan *plan = making->plan;

    list_classes(making);
    for (size_t i = 0; i < plan->count; i++) {
        making->ranges->first[i] = making->ranges->count;
        if (plan->buffers[i].base == i)
            add_ranges(making, i);
    }
    making->ranges->first[plan->count] = making->ranges->count;
}

static size_t
max_spans(const memmodel_plan *plan)
{
    size_t spans = plan->count;

    for (size_t i = 0; i < plan->count; i++)
        for (const struct plan_gap *gap = plan->buffers[i].gaps; gap; gap = gap->next)
            spans++;
    return spans;
}

int
live_ranges_make(const memmodel_plan *plan, struct live_ranges *ranges)
{
    memmodel_context *context = plan->context;
    struct making making = {.plan = plan, .ranges = ranges};
    size_t max = max_spans(plan);
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *ranges = (struct live_ranges){0};
    ranges->spans = memory_allocate_zeroed(context, max, sizeof *ranges->spans);
    ranges->first = memory_allocate_zeroed(context, plan->count + 1, sizeof *ranges->first);
    making.next = memory_allocate_zeroed(context, plan->count, sizeof *making.next);
    making.events = memory_allocate_zeroed(context, 2 * max, sizeof *making.events);
    if (ranges->spans && ranges->first && making.next && making.events) {
        make(&making);
        status = 0;
    }
    memory_release(context, making.next);
    memory_release(context, making.events);
    if (status)
        live_ranges_release(ranges, context);
    return status;
}

void
live_ranges_release(struct live_ranges *ranges, memmodel_context *context)
{
    memory_release(context, ranges->spans);
    memory_release(context, ranges->first);
    *ranges = (struct live_ranges){0};
}

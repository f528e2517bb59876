/* Lives of buffers that share their memory: a sweep over each class. */
#include "plan/live_ranges.h"

#include <stdlib.h>

enum { NO_MORE = -1 };

/* How the number of those that need the memory changes, and of those in a gap. */
struct moment {
    int64_t time;
    int needed, gaps;
};

struct making {
    const memmodel_plan *plan;
    struct live_ranges *lives;
    int64_t *next; /* in the same class; of a base: the first in it */
    struct moment *moments;
    size_t moment_count;
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
add_moment(struct making *making, int64_t time, int needed, int gaps)
{
    making->moments[making->moment_count++] = (struct moment){time, needed, gaps};
}

static void
add_moments(struct making *making, const struct plan_buffer *buffer)
{
    add_moment(making, buffer->begin, 1, 0);
    for (const struct plan_gap *gap = buffer->gaps; gap; gap = gap->next) {
        add_moment(making, gap->begin, -1, 1);
        add_moment(making, gap->end, 1, -1);
    }
    add_moment(making, buffer->end, -1, 0);
}

static int
in_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    return (x->time > y->time) - (x->time < y->time);
}

/* Those at one moment count together. What nobody needs is still held unless somebody has left it to others. */
static void
sweep(struct making *making)
{
    const struct moment *moments = making->moments;
    size_t count = making->moment_count;
    int64_t needed = 0, gaps = 0;
    bool is_held = false;

    for (size_t i = 0; i < count;) {
        int64_t time = moments[i].time;
        bool was_held = is_held;

        for (; i < count && moments[i].time == time; i++) {
            needed += moments[i].needed;
            gaps += moments[i].gaps;
        }
        is_held = i < count && (needed > 0 || gaps == 0);
        if (is_held && !was_held)
            making->lives->spans[making->lives->count].begin = time;
        if (was_held && !is_held)
            making->lives->spans[making->lives->count++].end = time;
    }
}

static void
add_lives(struct making *making, size_t base)
{
    const struct plan_buffer *buffers = making->plan->buffers;

    making->moment_count = 0;
    for (int64_t i = (int64_t)base; i != NO_MORE; i = making->next[i])
        add_moments(making, &buffers[i]);
    if (making->next[base] != NO_MORE)
        qsort(making->moments, making->moment_count, sizeof *making->moments, in_time);
    sweep(making);
}

static void
make(struct making *making)
{
    const memmodel_plan *plan = making->plan;

    list_classes(making);
    for (size_t i = 0; i < plan->count; i++) {
        making->lives->first[i] = making->lives->count;
        if (plan->buffers[i].base == i)
            add_lives(making, i);
    }
    making->lives->first[plan->count] = making->lives->count;
}

static size_t
most_spans(const memmodel_plan *plan)
{
    size_t spans = plan->count;

    for (size_t i = 0; i < plan->count; i++)
        for (const struct plan_gap *gap = plan->buffers[i].gaps; gap; gap = gap->next)
            spans++;
    return spans;
}

int
live_ranges_make(const memmodel_plan *plan, struct live_ranges *lives)
{
    memmodel_context *context = plan->context;
    struct making making = {.plan = plan, .lives = lives};
    size_t most = most_spans(plan);
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *lives = (struct live_ranges){0};
    lives->spans = memory_allocate_zeroed(context, most, sizeof *lives->spans);
    lives->first = memory_allocate_zeroed(context, plan->count + 1, sizeof *lives->first);
    making.next = memory_allocate_zeroed(context, plan->count, sizeof *making.next);
    making.moments = memory_allocate_zeroed(context, 2 * most, sizeof *making.moments);
    if (lives->spans && lives->first && making.next && making.moments) {
        make(&making);
        status = 0;
    }
    memory_release(context, making.next);
    memory_release(context, making.moments);
    if (status)
        live_ranges_release(lives, context);
    return status;
}

void
live_ranges_release(struct live_ranges *lives, memmodel_context *context)
{
    memory_release(context, lives->spans);
    memory_release(context, lives->first);
    *lives = (struct live_ranges){0};
}

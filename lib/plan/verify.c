/* A sweep over time with the buffers in use ordered by offset: O(n log n). */
#include "plan/verify.h"

#include "base/checked.h"
#include "base/ordered.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Buffers that share their memory; each buffer that lies in no other stands for one. */
struct in_use {
    struct ordered_node node;
    int64_t offset, end;
    size_t buffer;
    int64_t needed, gaps, to_come; /* how many need the memory now, how many are in a gap, how many have not ended */
    bool has_begun, is_in_use;
};

enum kind { BEGIN, END, GAP, END_OF_GAP };

struct event {
    int64_t time;
    struct in_use *use;
    int kind;
};

struct sweep {
    const memmodel_plan *plan;
    const int64_t *offsets;
    struct in_use *uses; /* one a buffer */
    struct event *events;
    size_t count;
    struct ordered_set set;
};

static int
by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->use > y->use) - (x->use < y->use);
}

static int
by_offset(const struct ordered_node *a, const struct ordered_node *b)
{
    const struct in_use *x = ORDERED_OBJECT(a, struct in_use, node), *y = ORDERED_OBJECT(b, struct in_use, node);

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static const char *
name_of(const struct sweep *sweep, size_t buffer, char number[32])
{
    if (sweep->plan->buffers[buffer].name[0])
        return sweep->plan->buffers[buffer].name;
    snprintf(number, 32, "number %zu", buffer);
    return number;
}

static int
collide(const struct sweep *sweep, const struct in_use *a, const struct in_use *b)
{
    char first[32], second[32];

    return context_error(sweep->plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name_of(sweep, b->buffer, second),
                         "at offset %" PRId64 " it overlaps %s, which is in use from offset %" PRId64 " to %" PRId64,
                         b->offset, name_of(sweep, a->buffer, first), a->offset, a->end);
}

static void
end_use(struct sweep *sweep, struct in_use *use)
{
    use->is_in_use = false;
    ordered_remove(&sweep->set, &use->node);
}

static int
begin_use(struct sweep *sweep, struct in_use *use)
{
    struct ordered_node *node;

    use->is_in_use = true;
    ordered_insert(&sweep->set, &use->node);
    node = ordered_previous(&use->node);
    if (node && ORDERED_OBJECT(node, struct in_use, node)->end > use->offset)
        return collide(sweep, ORDERED_OBJECT(node, struct in_use, node), use);
    node = ordered_next(&use->node);
    if (node && ORDERED_OBJECT(node, struct in_use, node)->offset < use->end)
        return collide(sweep, ORDERED_OBJECT(node, struct in_use, node), use);
    return 0;
}

/* ---- what is in use when ---- */

static void
add_event(struct sweep *sweep, int64_t time, struct in_use *use, int kind)
{
    sweep->events[sweep->count++] = (struct event){time, use, kind};
}

static void
add_buffer(struct sweep *sweep, size_t buffer)
{
    const struct plan_buffer *given = &sweep->plan->buffers[buffer];
    int64_t displacement, offset = sweep->offsets[buffer];
    struct in_use *use = &sweep->uses[plan_base(sweep->plan, buffer, &displacement)];

    use->offset = use->to_come ? min_i64(use->offset, offset) : offset;
    use->end = max_i64(use->end, offset + given->bytes);
    use->to_come++;
    add_event(sweep, given->begin, use, BEGIN);
    for (const struct plan_gap *gap = given->gaps; gap; gap = gap->next) {
        add_event(sweep, gap->begin, use, GAP);
        add_event(sweep, gap->end, use, END_OF_GAP);
    }
    add_event(sweep, given->end, use, END);
}

static void
count_event(const struct event *event)
{
    struct in_use *use = event->use;

    use->has_begun = true;
    use->to_come -= event->kind == END;
    if (event->kind == BEGIN || event->kind == END_OF_GAP)
        use->needed++;
    else
        use->needed--;
    if (event->kind == GAP)
        use->gaps++;
    if (event->kind == END_OF_GAP)
        use->gaps--;
}

/* A hole that is nobody's gap is kept for those to come. */
static bool
has_to_be_kept(const struct in_use *use)
{
    return use->has_begun && use->to_come > 0 && (use->needed > 0 || use->gaps == 0);
}

/* All events of one time; what ends makes room for what begins. */
static int
pass(struct sweep *sweep, const struct event *events, size_t count)
{
    int status = 0;

    for (size_t i = 0; i < count; i++)
        count_event(&events[i]);
    for (size_t i = 0; i < count; i++)
        if (events[i].use->is_in_use && !has_to_be_kept(events[i].use))
            end_use(sweep, events[i].use);
    for (size_t i = 0; i < count && !status; i++)
        if (!events[i].use->is_in_use && has_to_be_kept(events[i].use))
            status = begin_use(sweep, events[i].use);
    return status;
}

static int
check_places(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->plan->count; i++) {
        const struct plan_buffer *given = &sweep->plan->buffers[i];
        char number[32];

        if (sweep->offsets[i] == VERIFY_UNPLACED)
            continue;
        if (sweep->offsets[i] < 0 || sweep->offsets[i] % given->alignment ||
            (given->offset >= 0 && given->offset != sweep->offsets[i]))
            return context_error(sweep->plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name_of(sweep, i, number),
                                 "offset %" PRId64 " is not where it has to lie", sweep->offsets[i]);
    }
    return 0;
}

static int
play(struct sweep *sweep, int64_t *peak)
{
    const memmodel_plan *plan = sweep->plan;
    int64_t top = 0;
    int status = check_places(sweep);

    for (size_t i = 0; i < plan->count; i++) {
        sweep->uses[i].buffer = i;
        if (sweep->offsets[i] == VERIFY_UNPLACED)
            continue;
        add_buffer(sweep, i);
        top = max_i64(top, sweep->offsets[i] + plan->buffers[i].bytes);
    }
    qsort(sweep->events, sweep->count, sizeof *sweep->events, by_time);
    for (size_t i = 0, next; i < sweep->count && !status; i = next) {
        for (next = i + 1; next < sweep->count && sweep->events[next].time == sweep->events[i].time;)
            next++;
        status = pass(sweep, sweep->events + i, next - i);
    }
    if (!status)
        *peak = top;
    return status;
}

int
verify_offsets(const memmodel_plan *plan, const int64_t *offsets, int64_t *peak)
{
    struct sweep sweep = {.plan = plan, .offsets = offsets, .set.compare = by_offset};
    size_t max = 2 * plan->count;
    int status = MEMMODEL_ERROR_NO_MEMORY;

    for (size_t i = 0; i < plan->count; i++)
        for (const struct plan_gap *gap = plan->buffers[i].gaps; gap; gap = gap->next)
            max += 2;
    sweep.uses = memory_allocate_zeroed(plan->context, plan->count, sizeof *sweep.uses);
    sweep.events = memory_allocate_zeroed(plan->context, max, sizeof *sweep.events);
    if (sweep.uses && sweep.events)
        status = play(&sweep, peak);
    memory_release(plan->context, sweep.uses);
    memory_release(plan->context, sweep.events);
    return status;
}

/* A sweep over time with the buffers in use ordered by offset: O(n log n). */
#include "plan/verify.h"

#include "base/checked.h"
#include "base/ordered.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct in_use {
    struct ordered_node node;
    int64_t offset, end;
    size_t buffer;
};

struct moment {
    int64_t time;
    size_t use; /* index of a struct in_use */
    int begins;
};

struct sweep {
    const memmodel_plan *plan;
    const int64_t *offsets;
    struct in_use *uses; /* one for each stretch of each class of buffers that share memory */
    struct moment *moments;
    size_t count;
    struct ordered_set set;
};

static int
by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins - y->begins;
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

static int
begin_use(struct sweep *sweep, struct in_use *use)
{
    struct ordered_node *node;

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

/* Extends that of its base, whose bytes and time it shares. */
static void
extend_use(const struct sweep *sweep, size_t buffer, struct in_use *use, struct moment *moments)
{
    const struct plan_buffer *given = &sweep->plan->buffers[buffer];

    use->offset = min_i64(use->offset, sweep->offsets[buffer]);
    use->end = max_i64(use->end, sweep->offsets[buffer] + given->bytes);
    moments[0].time = min_i64(moments[0].time, given->begin);
    moments[1].time = max_i64(moments[1].time, given->end);
}

static void
add_use(struct sweep *sweep, size_t buffer, int64_t begin, int64_t end)
{
    size_t use = sweep->count++;
    int64_t offset = sweep->offsets[buffer];

    sweep->uses[use] =
        (struct in_use){.offset = offset, .end = offset + sweep->plan->buffers[buffer].bytes, .buffer = buffer};
    sweep->moments[2 * use] = (struct moment){begin, use, 1};
    sweep->moments[2 * use + 1] = (struct moment){end, use, 0};
}

static void
add_uses(struct sweep *sweep, size_t buffer)
{
    const struct plan_buffer *given = &sweep->plan->buffers[buffer];
    int64_t begin = given->begin;

    for (const struct plan_gap *gap = given->gaps; gap; gap = gap->next) {
        add_use(sweep, buffer, begin, gap->begin);
        begin = gap->end;
    }
    add_use(sweep, buffer, begin, given->end);
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
play(struct sweep *sweep, size_t *first_use, int64_t *peak)
{
    const memmodel_plan *plan = sweep->plan;
    int64_t top = 0, displacement;
    int status = check_places(sweep);

    for (size_t i = 0; i < plan->count; i++)
        if (plan->buffers[i].base == i && sweep->offsets[i] != VERIFY_UNPLACED) {
            first_use[i] = sweep->count;
            add_uses(sweep, i);
        }
    for (size_t i = 0; i < plan->count; i++) {
        size_t use = first_use[plan_base(plan, i, &displacement)];

        if (sweep->offsets[i] == VERIFY_UNPLACED)
            continue;
        if (plan->buffers[i].base != i)
            extend_use(sweep, i, &sweep->uses[use], sweep->moments + 2 * use);
        top = max_i64(top, sweep->offsets[i] + plan->buffers[i].bytes);
    }
    qsort(sweep->moments, 2 * sweep->count, sizeof *sweep->moments, by_time);
    for (size_t i = 0; i < 2 * sweep->count && !status; i++) {
        if (sweep->moments[i].begins)
            status = begin_use(sweep, &sweep->uses[sweep->moments[i].use]);
        else
            ordered_remove(&sweep->set, &sweep->uses[sweep->moments[i].use].node);
    }
    if (!status)
        *peak = top;
    return status;
}

int
verify_offsets(const memmodel_plan *plan, const int64_t *offsets, int64_t *peak)
{
    struct sweep sweep = {.plan = plan, .offsets = offsets, .set.compare = by_offset};
    size_t most = plan->count, *first_use = memory_allocate_zeroed(plan->context, plan->count, sizeof *first_use);
    int status = MEMMODEL_ERROR_NOMEM;

    for (size_t i = 0; i < plan->count; i++)
        for (const struct plan_gap *gap = plan->buffers[i].gaps; gap; gap = gap->next)
            most++;
    sweep.uses = memory_allocate_zeroed(plan->context, most, sizeof *sweep.uses);
    sweep.moments = memory_allocate_zeroed(plan->context, 2 * most, sizeof *sweep.moments);
    if (first_use && sweep.uses && sweep.moments)
        status = play(&sweep, first_use, peak);
    memory_release(plan->context, first_use);
    memory_release(plan->context, sweep.uses);
    memory_release(plan->context, sweep.moments);
    return status;
}

/* From buffers to items and sections. */
#include "plan/problem.h"

#include "base/checked.h"
#include "plan/live_ranges.h"

#include <stdlib.h>
#include <string.h>

/* ---- items ---- */

/* What is being made. */
struct making {
    const memmodel_plan *plan;
    struct problem *problem;
    struct live_ranges ranges;
};

/* The item of a base, before others join it. */
static void
start_item(struct problem *problem, size_t index, const struct plan_buffer *buffer)
{
    problem->items[index] = (struct item){.alignment = 1, .fixed = -1, .first = buffer->begin};
}

static int
join_item(struct making *making, struct item *item, const struct plan_buffer *buffer, int64_t displacement)
{
    memmodel_context *context = making->problem->context;
    int64_t end;

    if (!checked_add(displacement, buffer->bytes, &end))
        return context_error(context, MEMMODEL_ERROR_OVERFLOW, buffer->name, "the end of a shared buffer is too large");
    if (displacement % buffer->alignment)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, buffer->name,
                             "it lies %lld bytes into another buffer, which is no multiple of its alignment, %lld",
                             (long long)displacement, (long long)buffer->alignment);
    if (buffer->offset >= 0 && item->fixed >= 0 && item->fixed != buffer->offset - displacement)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, buffer->name,
                             "buffers that share memory are fixed at offsets that do not agree");
    if (buffer->offset >= 0 && buffer->offset < displacement)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, buffer->name,
                             "it is fixed below the begin of the buffer that it lies in");
    if (buffer->offset >= 0)
        item->fixed = buffer->offset - displacement;
    item->bytes = max_i64(item->bytes, end);
    item->alignment = max_i64(item->alignment, buffer->alignment);
    item->first = min_i64(item->first, buffer->begin);
    making->problem->has_fixed |= item->fixed >= 0;
    return 0;
}

static int
make_items(struct making *making)
{
    const memmodel_plan *plan = making->plan;
    struct problem *problem = making->problem;
    int status = 0;

    for (size_t i = 0; i < plan->count; i++) {
        if (plan->buffers[i].base != i)
            continue;
        problem->item_of[i] = problem->count;
        start_item(problem, problem->count++, &plan->buffers[i]);
    }
    for (size_t i = 0; i < plan->count && !status; i++) {
        size_t base = plan_base(plan, i, &problem->displacement[i]);

        problem->item_of[i] = problem->item_of[base];
        status = join_item(making, &problem->items[problem->item_of[i]], &plan->buffers[i], problem->displacement[i]);
    }
    return status;
}

static void
add_intervals(struct making *making, size_t base)
{
    struct problem *problem = making->problem;
    struct item *item = &problem->items[problem->item_of[base]];
    size_t first = making->ranges.first[base], end = making->ranges.first[base + 1];

    item->interval = (uint32_t)first;
    item->interval_count = (uint32_t)(end - first);
    for (size_t i = first; i < end; i++)
        item->lifetime += making->ranges.spans[i].end - making->ranges.spans[i].begin;
}

/* ---- sections ---- */

struct edge {
    int64_t time;
    uint32_t interval;
    uint32_t is_birth; /* what ends at a time ends before anything begins at it */
};

static int
in_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->is_birth != y->is_birth)
        return x->is_birth ? 1 : -1;
    return (x->interval > y->interval) - (x->interval < y->interval);
}

static void
number_sections(struct problem *problem, const struct edge *edges)
{
    int32_t section = 0;
    bool died = false;

    for (size_t i = 0; i < 2 * problem->interval_count; i++) {
        struct interval *interval = &problem->intervals[edges[i].interval];

        if (!edges[i].is_birth) {
            interval->end = section + 1;
            died = true;
            continue;
        }
        section += died;
        died = false;
        interval->begin = section;
    }
    problem->section_count = section + 1;
}

static int
make_sections(struct making *making)
{
    struct problem *problem = making->problem;
    struct edge *edges = memory_allocate_zeroed(problem->context, 2 * problem->interval_count, sizeof *edges);

    problem->intervals = memory_allocate_zeroed(problem->context, problem->interval_count, sizeof *problem->intervals);
    if (!edges || !problem->intervals) {
        memory_release(problem->context, edges);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    for (size_t i = 0; i < problem->interval_count; i++) {
        edges[2 * i] = (struct edge){making->ranges.spans[i].begin, (uint32_t)i, 1};
        edges[2 * i + 1] = (struct edge){making->ranges.spans[i].end, (uint32_t)i, 0};
    }
    qsort(edges, 2 * problem->interval_count, sizeof *edges, in_time);
    number_sections(problem, edges);
    memory_release(problem->context, edges);
    for (size_t i = 0; i < problem->count; i++) {
        struct item *item = &problem->items[i];

        item->begin = problem->intervals[item->interval].begin;
        item->end = problem->intervals[item->interval + item->interval_count - 1].end;
    }
    return 0;
}

/* ---- load ---- */

/*
 * Where all alignments are multiples of one, every item but the highest takes up a multiple of it: the loads are summed
 * from rounded sizes, and the most that rounding may have added to one item is taken off.
 */
static int
make_load(struct problem *problem)
{
    int64_t common = 0, slack = 0, max = 0;
    int64_t *load = memory_allocate_zeroed(problem->context, (size_t)problem->section_count + 1, sizeof *load);

    problem->load = load;
    if (!load)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < problem->count; i++)
        common = common_divisor(problem->items[i].fixed >= 0 ? 1 : problem->items[i].alignment, common);
    for (size_t i = 0; i < problem->count; i++) {
        const struct item *item = &problem->items[i];
        int64_t rounded = align_up(item->bytes, common);

        slack = max_i64(slack, rounded - item->bytes);
        for (uint32_t k = 0; k < item->interval_count; k++) {
            load[problem->intervals[item->interval + k].begin] += rounded;
            load[problem->intervals[item->interval + k].end] -= rounded;
        }
    }
    for (int32_t s = 1; s <= problem->section_count; s++)
        load[s] += load[s - 1];
    for (int32_t s = 0; s < problem->section_count; s++)
        max = max_i64(max, load[s]);
    problem->lower_bound = max_i64(max - slack, 0);
    return 0;
}

/* ---- what is live all the time ---- */

static bool
has_whole_lifetime(const struct problem *problem, const struct item *item)
{
    return item->begin == 0 && item->end == problem->section_count && item->interval_count == 1;
}

static int64_t
padding_of(const struct item *item)
{
    return align_up(item->bytes, item->alignment) - item->bytes;
}

/* The whole-life item that loses most by rounding: it may be better off as the highest of all. SIZE_MAX: none loses. */
static size_t
find_highest(const struct problem *problem)
{
    size_t highest = SIZE_MAX;
    int64_t max = 0;

    for (size_t i = 0; i < problem->count; i++) {
        if (!has_whole_lifetime(problem, &problem->items[i]) || padding_of(&problem->items[i]) <= max)
            continue;
        highest = i;
        max = padding_of(&problem->items[i]);
    }
    return highest;
}

static int64_t
put_at_bottom(struct problem *problem, const struct item *item)
{
    int64_t offset = problem->bottom;

    problem->bottom += align_up(item->bytes, item->alignment);
    return offset;
}

/*
 * Items that overlap all others are put at the bottom one after the other, and leave the problem; but not the one that
 * would lose most there. Not where offsets are fixed, or alignments differ, since there what lies below matters.
 */
static void
place_whole_lifetimes(struct problem *problem, size_t buffers)
{
    size_t kept = 0, highest = find_highest(problem);
    size_t *new_place = problem->item_of + buffers; /* of each item */
    int64_t *offset = problem->displacement + buffers;

    for (size_t i = 0; i < problem->count; i++) {
        new_place[i] = SIZE_MAX;
        if (i != highest && has_whole_lifetime(problem, &problem->items[i])) {
            offset[i] = put_at_bottom(problem, &problem->items[i]);
            continue;
        }
        new_place[i] = kept;
        problem->items[kept++] = problem->items[i];
    }
    for (size_t i = 0; i < buffers; i++) {
        size_t item = problem->item_of[i];

        if (new_place[item] == SIZE_MAX)
            problem->displacement[i] += offset[item];
        problem->item_of[i] = new_place[item];
    }
    problem->count = kept;
    problem->lower_bound -= problem->bottom;
    for (int32_t s = 0; s < problem->section_count; s++)
        problem->load[s] -= problem->bottom;
}

static bool
is_uniform(const struct problem *problem)
{
    for (size_t i = 1; i < problem->count; i++)
        if (problem->items[i].alignment != problem->items[0].alignment)
            return false;
    return !problem->has_fixed;
}

static void
make_bounds(struct problem *problem)
{
    problem->unit = 0;
    for (size_t i = 0; i < problem->count; i++) {
        const struct item *item = &problem->items[i];

        problem->unit = common_divisor(problem->unit, item->bytes);
        problem->unit = common_divisor(problem->unit, item->alignment > 1 ? item->alignment : 0);
        problem->unit = common_divisor(problem->unit, max_i64(item->fixed, 0));
        problem->lower_bound = max_i64(problem->lower_bound, item->bytes + max_i64(item->fixed, 0));
    }
    problem->unit = max_i64(problem->unit, 1);
}

/* ---- the whole ---- */

static int
make(struct making *making)
{
    struct problem *problem = making->problem;
    int status = make_items(making);

    if (status)
        return status;
    for (size_t i = 0; i < making->plan->count; i++)
        if (making->plan->buffers[i].base == i)
            add_intervals(making, i);
    problem->interval_count = making->ranges.count;
    status = make_sections(making);
    if (!status)
        status = make_load(problem);
    if (status)
        return status;
    if (is_uniform(problem))
        place_whole_lifetimes(problem, making->plan->count);
    make_bounds(problem);
    return 0;
}

int
problem_make(const memmodel_plan *plan, struct problem *problem)
{
    memmodel_context *context = plan->context;
    struct making making = {.plan = plan, .problem = problem};
    int status = live_ranges_make(plan, &making.ranges);

    *problem = (struct problem){.context = context};
    if (status)
        return status;
    problem->items = memory_allocate_zeroed(context, plan->count, sizeof *problem->items);
    problem->item_of = memory_allocate_zeroed(context, 2 * plan->count, sizeof *problem->item_of);
    problem->displacement = memory_allocate_zeroed(context, 2 * plan->count, sizeof *problem->displacement);
    status = MEMMODEL_ERROR_NO_MEMORY;
    if (problem->items && problem->item_of && problem->displacement)
        status = make(&making);
    live_ranges_release(&making.ranges, context);
    if (status)
        problem_release(problem);
    return status;
}

void
problem_release(struct problem *problem)
{
    memory_release(problem->context, problem->items);
    memory_release(problem->context, problem->item_of);
    memory_release(problem->context, problem->displacement);
    memory_release(problem->context, problem->intervals);
    memory_release(problem->context, problem->load);
    *problem = (struct problem){.context = problem->context};
}

int64_t
problem_peak(const struct problem *problem, const int64_t *offsets)
{
    int64_t peak = 0;

    for (size_t i = 0; i < problem->count; i++)
        peak = max_i64(peak, offsets[i] + problem->items[i].bytes);
    return peak;
}

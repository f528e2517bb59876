/* A tree over time of what is taken of the arena. */
#include "plan/profile.h"

#include "base/checked.h"
#include "plan/segment_tree.h"

#include <string.h>

/* ---- sets of ranges ---- */

/* First range that ends at `offset` or above, from the one numbered `from` on; the nearer, the sooner found. */
static size_t
find_range(const struct ranges *ranges, size_t from, int64_t offset)
{
    size_t low = from, step = 1, high;

    while (low + step <= ranges->count && ranges->items[low + step - 1].end < offset) {
        low += step;
        step *= 2;
    }
    high = low + step - 1 < ranges->count ? low + step - 1 : ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ranges->items[middle].end < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int
insert_range(memmodel_context *context, struct ranges *ranges, size_t place, struct range range)
{
    int status = array_reserve(context, &ranges->items, &ranges->capacity, ranges->count + 1, sizeof *ranges->items);

    if (status)
        return status;
    memmove(ranges->items + place + 1, ranges->items + place, (ranges->count - place) * sizeof *ranges->items);
    ranges->items[place] = range;
    ranges->count++;
    return 0;
}

static int
add_range(memmodel_context *context, struct ranges *ranges, struct range range)
{
    size_t first = find_range(ranges, 0, range.begin), next = first;

    while (next < ranges->count && ranges->items[next].begin <= range.end)
        next++;
    if (next == first)
        return insert_range(context, ranges, first, range);
    range.begin = min_i64(range.begin, ranges->items[first].begin);
    range.end = max_i64(range.end, ranges->items[next - 1].end);
    ranges->items[first] = range;
    memmove(ranges->items + first + 1, ranges->items + next, (ranges->count - next) * sizeof *ranges->items);
    ranges->count -= next - first - 1;
    return 0;
}

/* ---- the tree ---- */

static void
mark_whole(struct profile *profile)
{
    const struct problem *problem = profile->problem;
    struct segment_tree_nodes nodes;

    for (size_t k = 0; k < problem->interval_count; k++) {
        segment_tree_find(profile->leaves, problem->intervals[k], &nodes);
        for (int i = 0; i < nodes.whole_count; i++)
            profile->taken[nodes.whole[i]].is_whole = true;
    }
}

int
profile_make(struct profile *profile, const struct problem *problem)
{
    *profile = (struct profile){.problem = problem, .leaves = segment_tree_leaves(problem->section_count)};
    profile->taken = memory_allocate_zeroed(problem->context, 2 * profile->leaves, sizeof *profile->taken);
    if (!profile->taken)
        return MEMMODEL_ERROR_NO_MEMORY;
    mark_whole(profile);
    return 0;
}

void
profile_release(struct profile *profile)
{
    memmodel_context *context = profile->problem->context;

    for (size_t i = 0; profile->taken && i < 2 * profile->leaves; i++) {
        memory_release(context, profile->taken[i].throughout.items);
        memory_release(context, profile->taken[i].anywhere.items);
    }
    memory_release(context, profile->taken);
    memory_release(context, profile->asked);
    *profile = (struct profile){.problem = profile->problem};
}

void
profile_clear(struct profile *profile)
{
    for (size_t i = 0; i < 2 * profile->leaves; i++)
        profile->taken[i].throughout.count = profile->taken[i].anywhere.count = 0;
}

/* ---- taking ---- */

static int
take_interval(struct profile *profile, struct interval interval, struct range range)
{
    memmodel_context *context = profile->problem->context;
    struct segment_tree_nodes nodes;
    int status = 0;

    segment_tree_find(profile->leaves, interval, &nodes);
    for (int i = 0; i < nodes.above_count && !status; i++)
        if (profile->taken[nodes.above[i]].is_whole)
            status = add_range(context, &profile->taken[nodes.above[i]].anywhere, range);
    for (int i = 0; i < nodes.whole_count && !status; i++) {
        status = add_range(context, &profile->taken[nodes.whole[i]].anywhere, range);
        if (!status)
            status = add_range(context, &profile->taken[nodes.whole[i]].throughout, range);
    }
    return status;
}

int
profile_take(struct profile *profile, const struct item *item, int64_t offset)
{
    const struct range range = {offset, offset + item->bytes};
    int status = 0;

    for (uint32_t k = 0; k < item->interval_count && !status; k++)
        status = take_interval(profile, profile->problem->intervals[item->interval + k], range);
    return status;
}

/* ---- asking ---- */

static void
move_on(struct asked *asked, size_t next)
{
    bool is_there = next < asked->set->count;

    asked->next = next;
    asked->begin = is_there ? asked->set->items[next].begin : INT64_MAX;
    asked->end = is_there ? asked->set->items[next].end : INT64_MAX;
}

static int
ask_set(struct profile *profile, const struct ranges *set)
{
    int status;

    if (!set->count)
        return 0;
    status = array_reserve(profile->problem->context, &profile->asked, &profile->asked_capacity,
                           profile->asked_count + 1, sizeof *profile->asked);
    if (status)
        return status;
    profile->asked[profile->asked_count].set = set;
    move_on(&profile->asked[profile->asked_count++], 0);
    return 0;
}

static int
ask_interval(struct profile *profile, struct interval interval)
{
    struct segment_tree_nodes nodes;
    int status = 0;

    segment_tree_find(profile->leaves, interval, &nodes);
    for (int i = 0; i < nodes.above_count && !status; i++)
        status = ask_set(profile, &profile->taken[nodes.above[i]].throughout);
    for (int i = 0; i < nodes.whole_count && !status; i++)
        status = ask_set(profile, &profile->taken[nodes.whole[i]].anywhere);
    return status;
}

static int
ask(struct profile *profile, const struct item *item)
{
    int status = 0;

    profile->asked_count = 0;
    for (uint32_t k = 0; k < item->interval_count && !status; k++)
        status = ask_interval(profile, profile->problem->intervals[item->interval + k]);
    return status;
}

/* First offset from `offset` on, a multiple of the alignment, with so many bytes that the set has not taken. */
static int64_t
fit_in_set(struct asked *asked, int64_t bytes, int64_t alignment, int64_t offset)
{
    while (asked->begin - offset < bytes) {
        if (asked->end > offset) {
            offset = align_up(asked->end, alignment);
            move_on(asked, asked->next + 1);
        } else {
            move_on(asked, find_range(asked->set, asked->next + 1, offset + 1));
        }
    }
    return offset;
}

/* A set that had something in the way is likely to have more. */
static void
ask_first(struct profile *profile, size_t i)
{
    struct asked asked = profile->asked[i];

    profile->asked[i] = profile->asked[0];
    profile->asked[0] = asked;
}

/* First offset from `offset` on, a multiple of the alignment, with so many bytes that no set has taken. */
static int64_t
fit_in_all(struct profile *profile, int64_t bytes, int64_t alignment, int64_t offset)
{
    for (size_t i = 0; i < profile->asked_count; i++) {
        int64_t next = fit_in_set(&profile->asked[i], bytes, alignment, offset);

        if (next > offset && i > 0) {
            ask_first(profile, i);
            i = 0;
        }
        offset = next;
    }
    return offset;
}

/* Where what is free at the place that was found ends. */
static int64_t
free_until(const struct profile *profile)
{
    int64_t until = INT64_MAX;

    for (size_t i = 0; i < profile->asked_count; i++)
        until = min_i64(until, profile->asked[i].begin);
    return until;
}

int
profile_fit(struct profile *profile, const struct item *item, int gaps, int64_t *offset)
{
    int64_t best = INT64_MAX;
    int status = ask(profile, item);

    if (status)
        return status;
    for (int64_t place = 0, until = 0; until < INT64_MAX && gaps > 0; place = until, gaps--) {
        place = fit_in_all(profile, item->bytes, item->alignment, place);
        until = free_until(profile);
        if (until == INT64_MAX ? best == INT64_MAX : until - place < best) {
            best = until - place;
            *offset = place;
        }
    }
    return 0;
}

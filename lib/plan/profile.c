/* A tree over time of what is taken of the arena. */
#include "plan/profile.h"

#include "base/checked.h"

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

int
profile_make(struct profile *profile, const struct problem *problem)
{
    memmodel_context *context = problem->context;

    *profile = (struct profile){.problem = problem, .leaves = 1};
    while (profile->leaves < (size_t)problem->section_count)
        profile->leaves *= 2;
    profile->throughout = memory_allocate_zeroed(context, 2 * profile->leaves, sizeof *profile->throughout);
    profile->anywhere = memory_allocate_zeroed(context, 2 * profile->leaves, sizeof *profile->anywhere);
    if (profile->throughout && profile->anywhere)
        return 0;
    profile_release(profile);
    return MEMMODEL_ERROR_NOMEM;
}

static void
release_sets(struct profile *profile, struct ranges *sets)
{
    for (size_t i = 0; sets && i < 2 * profile->leaves; i++)
        memory_release(profile->problem->context, sets[i].items);
    memory_release(profile->problem->context, sets);
}

void
profile_release(struct profile *profile)
{
    release_sets(profile, profile->throughout);
    release_sets(profile, profile->anywhere);
    memory_release(profile->problem->context, profile->asked);
    memory_release(profile->problem->context, profile->cursors);
    *profile = (struct profile){.problem = profile->problem};
}

void
profile_clear(struct profile *profile)
{
    for (size_t i = 0; i < 2 * profile->leaves; i++)
        profile->throughout[i].count = profile->anywhere[i].count = 0;
}

/* ---- taking ---- */

/* All nodes above `leaf`, itself not, that do not lie within what was taken: there it is somewhere. */
static int
take_above(struct profile *profile, size_t node, struct range range)
{
    int status = 0;

    for (node /= 2; node && !status; node /= 2)
        status = add_range(profile->problem->context, &profile->anywhere[node], range);
    return status;
}

static int
take_node(struct profile *profile, size_t node, struct range range)
{
    int status = add_range(profile->problem->context, &profile->throughout[node], range);

    return status ? status : add_range(profile->problem->context, &profile->anywhere[node], range);
}

static int
take_stretch(struct profile *profile, struct stretch stretch, struct range range)
{
    size_t left = profile->leaves + (size_t)stretch.begin, right = profile->leaves + (size_t)stretch.end;
    int status = take_above(profile, left, range);

    if (!status)
        status = take_above(profile, right - 1, range);
    for (; left < right && !status; left /= 2, right /= 2) {
        if (left % 2)
            status = take_node(profile, left++, range);
        if (right % 2 && !status)
            status = take_node(profile, --right, range);
    }
    return status;
}

int
profile_take(struct profile *profile, const struct item *item, int64_t offset)
{
    const struct range range = {offset, offset + item->bytes};
    int status = 0;

    for (uint32_t k = 0; k < item->stretch_count && !status; k++)
        status = take_stretch(profile, profile->problem->stretches[item->stretch + k], range);
    return status;
}

/* ---- asking ---- */

static int
ask_set(struct profile *profile, const struct ranges *set)
{
    size_t capacity = profile->asked_capacity;
    int status;

    if (!set->count)
        return 0;
    status = array_reserve(profile->problem->context, &profile->asked, &profile->asked_capacity,
                           profile->asked_count + 1, sizeof *profile->asked);
    if (!status && capacity != profile->asked_capacity)
        status = array_reserve(profile->problem->context, &profile->cursors, &capacity, profile->asked_capacity,
                               sizeof *profile->cursors);
    if (status)
        return status;
    profile->cursors[profile->asked_count] = 0;
    profile->asked[profile->asked_count++] = set;
    return 0;
}

static int
ask_above(struct profile *profile, size_t node, size_t done)
{
    int status = 0;

    for (; node && !status; node /= 2, done /= 2)
        if (node != done)
            status = ask_set(profile, &profile->throughout[node]);
    return status;
}

static int
ask_stretch(struct profile *profile, struct stretch stretch)
{
    size_t left = profile->leaves + (size_t)stretch.begin, right = profile->leaves + (size_t)stretch.end;
    int status = ask_above(profile, left, 0);

    if (!status)
        status = ask_above(profile, right - 1, left);
    for (; left < right && !status; left /= 2, right /= 2) {
        if (left % 2)
            status = ask_set(profile, &profile->anywhere[left++]);
        if (right % 2 && !status)
            status = ask_set(profile, &profile->anywhere[--right]);
    }
    return status;
}

static int
ask(struct profile *profile, const struct item *item)
{
    int status = 0;

    profile->asked_count = 0;
    for (uint32_t k = 0; k < item->stretch_count && !status; k++)
        status = ask_stretch(profile, profile->problem->stretches[item->stretch + k]);
    return status;
}

/* First offset from `offset` on, a multiple of the alignment, that no set has taken; `free_until`: where the next begins. */
static int64_t
next_free(struct profile *profile, int64_t offset, int64_t alignment, int64_t *free_until)
{
    for (size_t quiet = 0, i = 0; quiet < profile->asked_count; i = i + 1 == profile->asked_count ? 0 : i + 1) {
        const struct ranges *set = profile->asked[i];
        size_t at = profile->cursors[i];

        quiet++;
        at = find_range(set, at, offset + 1);
        profile->cursors[i] = at;
        if (at == set->count || set->items[at].begin > offset)
            continue;
        offset = align_up(set->items[at].end, alignment);
        quiet = 0;
    }
    *free_until = INT64_MAX;
    for (size_t i = 0; i < profile->asked_count; i++)
        if (profile->cursors[i] < profile->asked[i]->count)
            *free_until = min_i64(*free_until, profile->asked[i]->items[profile->cursors[i]].begin);
    return offset;
}

/*
 * First offset from `offset` on, a multiple of the alignment, with as many bytes that the set has not taken. Cursors only
 * rise: what ends before an offset is asked for no more.
 */
static int64_t
fit_in_set(const struct ranges *set, size_t *cursor, const struct item *item, int64_t offset)
{
    size_t at = find_range(set, *cursor, offset + 1);

    for (; at < set->count && set->items[at].begin - offset < item->bytes; at++)
        offset = align_up(set->items[at].end, item->alignment);
    *cursor = at;
    return offset;
}

/* A set that had something in the way is likely to have more. */
static void
ask_sooner(struct profile *profile, size_t i)
{
    const struct ranges *set = profile->asked[i];
    size_t cursor = profile->cursors[i];

    memmove(profile->asked + 1, profile->asked, i * sizeof *profile->asked);
    memmove(profile->cursors + 1, profile->cursors, i * sizeof *profile->cursors);
    profile->asked[0] = set;
    profile->cursors[0] = cursor;
}

int
profile_first_fit(struct profile *profile, const struct item *item, int64_t *offset)
{
    int64_t place = 0;
    int status = ask(profile, item);

    if (status)
        return status;
    for (size_t i = 0; i < profile->asked_count; i++) {
        int64_t next = fit_in_set(profile->asked[i], &profile->cursors[i], item, place);

        if (next > place && i > 0) {
            ask_sooner(profile, i);
            i = 0;
        }
        place = next;
    }
    *offset = place;
    return 0;
}

int
profile_best_fit(struct profile *profile, const struct item *item, int64_t *offset)
{
    int64_t place = 0, free_until = 0, best = INT64_MAX;
    int status = ask(profile, item);

    if (status)
        return status;
    while (free_until < INT64_MAX) {
        place = next_free(profile, place, item->alignment, &free_until);
        if (free_until - place >= item->bytes &&
            (free_until == INT64_MAX ? best == INT64_MAX : free_until - place < best)) {
            best = free_until - place;
            *offset = place;
        }
        place = free_until == INT64_MAX ? 0 : align_up(free_until, item->alignment);
    }
    return 0;
}

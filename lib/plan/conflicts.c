/* Lists of what is in use together, made by a sweep: counted first, then filled. */
#include "plan/conflicts.h"

#include <string.h>

enum { MAX_ENTRIES = 1 << 26 }; /* of a list: beyond, a search would not come far */

static bool
meet(const struct problem *problem, const struct item *a, const struct item *b)
{
    if (a->end <= b->begin || b->end <= a->begin)
        return false;
    for (uint32_t i = 0; i < a->interval_count; i++)
        for (uint32_t k = 0; k < b->interval_count; k++) {
            struct interval x = problem->intervals[a->interval + i], y = problem->intervals[b->interval + k];

            if (x.begin < y.end && y.begin < x.end)
                return true;
        }
    return false;
}

static bool
is_fixed(const struct conflicts *conflicts, size_t item)
{
    return conflicts->items[item]->fixed >= 0;
}

/* Notes that `item` is in list `list`: counts it, or with `lists->items` puts it there. */
static void
add_to_list(struct lists *lists, size_t list, size_t item)
{
    if (lists->items)
        lists->items[lists->start[list]] = (uint32_t)item;
    lists->start[list]++;
}

/* From counts to begins; after filling, from ends to begins again. */
static size_t
begin_lists(struct lists *lists, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i <= count; i++) {
        size_t length = i < count ? lists->start[i] : 0;

        lists->start[i] = sum;
        sum += length;
    }
    return sum;
}

static void
rewind_lists(struct lists *lists, size_t count)
{
    memmove(lists->start + 1, lists->start, count * sizeof *lists->start);
    lists->start[0] = 0;
}

static void
list_pair(struct conflicts *conflicts, size_t a, size_t b)
{
    if (!meet(conflicts->problem, conflicts->items[a], conflicts->items[b]))
        return;
    if (!is_fixed(conflicts, a))
        add_to_list(is_fixed(conflicts, b) ? &conflicts->fixed : &conflicts->overlapping, a, b);
    if (!is_fixed(conflicts, b))
        add_to_list(is_fixed(conflicts, a) ? &conflicts->fixed : &conflicts->overlapping, b, a);
}

/* A sweep over the items, which come by begin; `in_use` holds those that others may still overlap. False: too long. */
static bool
list_pairs(struct conflicts *conflicts, uint32_t *in_use)
{
    size_t count = 0;

    for (size_t i = 0; i < conflicts->count; i++) {
        size_t kept = 0;

        if (context_spend(conflicts->problem->context, context_nodes(count)))
            return false;
        for (size_t k = 0; k < count; k++) {
            if (conflicts->items[in_use[k]]->end <= conflicts->items[i]->begin)
                continue;
            list_pair(conflicts, in_use[k], i);
            in_use[kept++] = in_use[k];
        }
        in_use[kept] = (uint32_t)i;
        count = kept + 1;
    }
    return true;
}

static bool
list_sections(struct conflicts *conflicts)
{
    for (size_t i = 0; i < conflicts->count; i++) {
        const struct item *item = conflicts->items[i];

        for (uint32_t k = 0; k < item->interval_count && !is_fixed(conflicts, i); k++) {
            struct interval interval = conflicts->problem->intervals[item->interval + k];

            if (context_spend(conflicts->problem->context, context_nodes((size_t)(interval.end - interval.begin))))
                return false;
            for (int32_t s = interval.begin; s < interval.end; s++)
                add_to_list(&conflicts->in_section, (size_t)s, i);
        }
    }
    return true;
}

static bool
sort_fixed(struct conflicts *conflicts)
{
    for (size_t i = 0; i < conflicts->count; i++) {
        uint32_t *items = conflicts->fixed.items + conflicts->fixed.start[i];
        size_t count = conflicts->fixed.start[i + 1] - conflicts->fixed.start[i];

        for (size_t k = 1; k < count; k++) {
            if (context_spend(conflicts->problem->context, context_nodes(k)))
                return false;
            for (size_t j = k; j > 0 && conflicts->items[items[j]]->fixed < conflicts->items[items[j - 1]]->fixed;
                 j--) {
                uint32_t other = items[j];

                items[j] = items[j - 1];
                items[j - 1] = other;
            }
        }
    }
    return true;
}

static int
allocate_lists(struct conflicts *conflicts, struct lists *lists, size_t count)
{
    size_t entries = begin_lists(lists, count);

    if (entries > MAX_ENTRIES)
        return CONFLICTS_TOO_MANY;
    lists->items = memory_allocate(conflicts->problem->context, (entries + 1) * sizeof *lists->items);
    return lists->items ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
fill(struct conflicts *conflicts, uint32_t *in_use)
{
    size_t sections = (size_t)conflicts->problem->section_count;
    int status;

    if (!list_pairs(conflicts, in_use) || !list_sections(conflicts))
        return CONFLICTS_TOO_MANY;
    if ((status = allocate_lists(conflicts, &conflicts->overlapping, conflicts->count)) != 0 ||
        (status = allocate_lists(conflicts, &conflicts->fixed, conflicts->count)) != 0 ||
        (status = allocate_lists(conflicts, &conflicts->in_section, sections)) != 0)
        return status;
    if (!list_pairs(conflicts, in_use) || !list_sections(conflicts))
        return CONFLICTS_TOO_MANY;
    rewind_lists(&conflicts->overlapping, conflicts->count);
    rewind_lists(&conflicts->fixed, conflicts->count);
    rewind_lists(&conflicts->in_section, sections);
    return sort_fixed(conflicts) ? 0 : CONFLICTS_TOO_MANY;
}

int
conflicts_make(struct conflicts *conflicts, const struct problem *problem, const struct item *const *items,
               size_t count)
{
    memmodel_context *context = problem->context;
    uint32_t *in_use = memory_allocate(context, count * sizeof *in_use);
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *conflicts = (struct conflicts){.problem = problem, .items = items, .count = count};
    conflicts->overlapping.start = memory_allocate_zeroed(context, count + 1, sizeof *conflicts->overlapping.start);
    conflicts->fixed.start = memory_allocate_zeroed(context, count + 1, sizeof *conflicts->fixed.start);
    conflicts->in_section.start =
        memory_allocate_zeroed(context, (size_t)problem->section_count + 1, sizeof *conflicts->in_section.start);
    if (in_use && conflicts->overlapping.start && conflicts->fixed.start && conflicts->in_section.start)
        status = fill(conflicts, in_use);
    memory_release(context, in_use);
    return status;
}

static void
release_lists(memmodel_context *context, struct lists *lists)
{
    memory_release(context, lists->start);
    memory_release(context, lists->items);
}

void
conflicts_release(struct conflicts *conflicts)
{
    if (!conflicts->problem)
        return;
    release_lists(conflicts->problem->context, &conflicts->overlapping);
    release_lists(conflicts->problem->context, &conflicts->fixed);
    release_lists(conflicts->problem->context, &conflicts->in_section);
}

/* Lists of what is in use together, made by a sweep: counted first, then filled. */
#include "plan/conflicts.h"

#include <string.h>

enum { MOST_ENTRIES = 1 << 26 }; /* of a list: beyond, a search would not come far */

static bool
meet(const struct problem *problem, const struct item *a, const struct item *b)
{
    if (a->end <= b->begin || b->end <= a->begin)
        return false;
    for (uint32_t i = 0; i < a->stretch_count; i++)
        for (uint32_t k = 0; k < b->stretch_count; k++) {
            struct stretch x = problem->stretches[a->stretch + i], y = problem->stretches[b->stretch + k];

            if (x.begin < y.end && y.begin < x.end)
                return true;
        }
    return false;
}

static bool
is_fixed(const struct conflicts *overlaps, size_t item)
{
    return overlaps->items[item]->fixed >= 0;
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
list_pair(struct conflicts *overlaps, size_t a, size_t b)
{
    if (!meet(overlaps->problem, overlaps->items[a], overlaps->items[b]))
        return;
    if (!is_fixed(overlaps, a))
        add_to_list(is_fixed(overlaps, b) ? &overlaps->fixed : &overlaps->overlapping, a, b);
    if (!is_fixed(overlaps, b))
        add_to_list(is_fixed(overlaps, a) ? &overlaps->fixed : &overlaps->overlapping, b, a);
}

/* A sweep over the items, which come by begin; `in_use` holds those that others may still overlap. False: too long. */
static bool
list_pairs(struct conflicts *overlaps, uint32_t *in_use)
{
    size_t count = 0;

    for (size_t i = 0; i < overlaps->count; i++) {
        size_t kept = 0;

        if (context_spend(overlaps->problem->context, context_nodes(count)))
            return false;
        for (size_t k = 0; k < count; k++) {
            if (overlaps->items[in_use[k]]->end <= overlaps->items[i]->begin)
                continue;
            list_pair(overlaps, in_use[k], i);
            in_use[kept++] = in_use[k];
        }
        in_use[kept] = (uint32_t)i;
        count = kept + 1;
    }
    return true;
}

static bool
list_sections(struct conflicts *overlaps)
{
    for (size_t i = 0; i < overlaps->count; i++) {
        const struct item *item = overlaps->items[i];

        for (uint32_t k = 0; k < item->stretch_count && !is_fixed(overlaps, i); k++) {
            struct stretch stretch = overlaps->problem->stretches[item->stretch + k];

            if (context_spend(overlaps->problem->context, context_nodes((size_t)(stretch.end - stretch.begin))))
                return false;
            for (int32_t s = stretch.begin; s < stretch.end; s++)
                add_to_list(&overlaps->in_section, (size_t)s, i);
        }
    }
    return true;
}

static bool
sort_fixed(struct conflicts *overlaps)
{
    for (size_t i = 0; i < overlaps->count; i++) {
        uint32_t *items = overlaps->fixed.items + overlaps->fixed.start[i];
        size_t count = overlaps->fixed.start[i + 1] - overlaps->fixed.start[i];

        for (size_t k = 1; k < count; k++) {
            if (context_spend(overlaps->problem->context, context_nodes(k)))
                return false;
            for (size_t j = k; j > 0 && overlaps->items[items[j]]->fixed < overlaps->items[items[j - 1]]->fixed; j--) {
                uint32_t other = items[j];

                items[j] = items[j - 1];
                items[j - 1] = other;
            }
        }
    }
    return true;
}

static int
allocate_lists(struct conflicts *overlaps, struct lists *lists, size_t count)
{
    size_t entries = begin_lists(lists, count);

    if (entries > MOST_ENTRIES)
        return OVERLAPS_TOO_MANY;
    lists->items = memory_allocate(overlaps->problem->context, (entries + 1) * sizeof *lists->items);
    return lists->items ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
fill(struct conflicts *overlaps, uint32_t *in_use)
{
    size_t sections = (size_t)overlaps->problem->section_count;
    int status;

    if (!list_pairs(overlaps, in_use) || !list_sections(overlaps))
        return OVERLAPS_TOO_MANY;
    if ((status = allocate_lists(overlaps, &overlaps->overlapping, overlaps->count)) != 0 ||
        (status = allocate_lists(overlaps, &overlaps->fixed, overlaps->count)) != 0 ||
        (status = allocate_lists(overlaps, &overlaps->in_section, sections)) != 0)
        return status;
    if (!list_pairs(overlaps, in_use) || !list_sections(overlaps))
        return OVERLAPS_TOO_MANY;
    rewind_lists(&overlaps->overlapping, overlaps->count);
    rewind_lists(&overlaps->fixed, overlaps->count);
    rewind_lists(&overlaps->in_section, sections);
    return sort_fixed(overlaps) ? 0 : OVERLAPS_TOO_MANY;
}

int
conflicts_make(struct conflicts *overlaps, const struct problem *problem, const struct item *const *items, size_t count)
{
    memmodel_context *context = problem->context;
    uint32_t *in_use = memory_allocate(context, count * sizeof *in_use);
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *overlaps = (struct conflicts){.problem = problem, .items = items, .count = count};
    overlaps->overlapping.start = memory_allocate_zeroed(context, count + 1, sizeof *overlaps->overlapping.start);
    overlaps->fixed.start = memory_allocate_zeroed(context, count + 1, sizeof *overlaps->fixed.start);
    overlaps->in_section.start =
        memory_allocate_zeroed(context, (size_t)problem->section_count + 1, sizeof *overlaps->in_section.start);
    if (in_use && overlaps->overlapping.start && overlaps->fixed.start && overlaps->in_section.start)
        status = fill(overlaps, in_use);
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
conflicts_release(struct conflicts *overlaps)
{
    if (!overlaps->problem)
        return;
    release_lists(overlaps->problem->context, &overlaps->overlapping);
    release_lists(overlaps->problem->context, &overlaps->fixed);
    release_lists(overlaps->problem->context, &overlaps->in_section);
}

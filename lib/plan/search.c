/*
 * The search. What it prunes by, and the names of the rules (after M. D. Moffitt, MiniMalloc: a lightweight memory
 * allocator for hardware-accelerated machine learning, ASPLOS 2023, from whom canonical solutions, dominance and
 * decomposition are):
 *
 *  canonical   offsets never fall from one placement to the next, and equal ones rise in rank
 *  dominance   no offset is at or above the end of an item that could still be put below it: its hole would stay empty
 *  floor       what is unplaced in a section has to fit between the current offset and the capacity
 *  sections    ... and between the lowest offset that an unplaced item of the section may still have, and the capacity
 *  hatless     after an item that nothing unplaced overlaps, whatever failed will fail again without it
 *  split       unplaced items on two sides of a time that none crosses are two problems
 *  rank again  each of them is ranked by what is left of it
 */
#include "plan/search.h"

#include "base/checked.h"
#include "plan/conflicts.h"

#include <string.h>

enum {
    MAX_DEPTH = 256,       /* of splits within splits, which take the caller's stack */
    WORTH_SHORTENING = 16, /* items of a part */
};

#define PLACED (INT64_MAX / 2) /* as the lowest offset of an item: it is not to be placed any more */

/* What is undone when a placement is taken back. */
struct raised {
    uint32_t item;
    int64_t lowest;
};

struct placement {
    uint32_t item;
    size_t raised_count; /* before it */
    int64_t offset;
};

struct candidate {
    int64_t offset;
    size_t rank; /* in its part */
};

/* A choice of what to place next. */
struct choice {
    size_t candidates, candidate_count, next;
    bool is_last; /* hatless: what was tried last had no influence on anything else */
};

/* Items that are solved separately from others, in the order in which they are tried, and their sections. */
struct part {
    const uint32_t *items; /* with those that were placed since it was made */
    size_t count;
    int32_t begin, end;
};

/* A part that waits: its items are at `first` in the pool. */
struct split {
    size_t first, count;
    int32_t begin, end;
};

struct search {
    const struct problem *problem;
    uint64_t without;
    size_t count;
    const struct item **items;
    uint32_t *numbers; /* of the items in the problem */
    int64_t *bytes;    /* of the items, side by side */
    int64_t *lowest;   /* offset below which each item cannot be placed any more, or PLACED */
    int64_t *offsets;
    int64_t *unplaced; /* bytes of each section */
    int32_t *crossing; /* unplaced items that are in use on both sides of the begin of each section */
    uint32_t *witness; /* of each section: the unplaced item that last was seen to be low enough */
    struct conflicts conflicts;
    struct raised *raised; /* grows */
    size_t raised_count, raised_capacity;
    struct placement *placements;
    size_t placement_count;
    struct choice *choices;
    size_t choice_count;
    struct candidate *candidates; /* grows */
    size_t candidate_count, candidate_capacity;
    uint32_t *parts; /* items of the parts of all splits that are being solved */
    size_t parts_count;
    struct split *splits;
    size_t split_count;
    struct ranked *ranked;
    bool is_plain; /* nothing is aligned or fixed: an item fits wherever nothing placed is above */
    /* of a run */
    struct order order;
    int64_t capacity, nodes, max_nodes;
    struct search_limits *limits;
    int depth;
};

/* ---- making ---- */

static bool
is_fixed(const struct search *search, size_t item)
{
    return search->items[item]->fixed >= 0;
}

static int
make_arrays(struct search *search)
{
    memmodel_context *context = search->problem->context;
    size_t n = search->count, sections = (size_t)search->problem->section_count + 1;

    search->items = memory_allocate_zeroed(context, n, sizeof *search->items);
    search->numbers = memory_allocate_zeroed(context, n, sizeof *search->numbers);
    search->bytes = memory_allocate_zeroed(context, n, sizeof *search->bytes);
    search->lowest = memory_allocate_zeroed(context, n, sizeof *search->lowest);
    search->offsets = memory_allocate_zeroed(context, n, sizeof *search->offsets);
    search->placements = memory_allocate_zeroed(context, n, sizeof *search->placements);
    search->choices = memory_allocate_zeroed(context, 2 * n + 2, sizeof *search->choices);
    search->ranked = memory_allocate_zeroed(context, n, sizeof *search->ranked);
    search->parts = memory_allocate_zeroed(context, (MAX_DEPTH + 2) * n, sizeof *search->parts);
    search->splits = memory_allocate_zeroed(context, MAX_DEPTH + 2 + n, sizeof *search->splits);
    search->unplaced = memory_allocate_zeroed(context, sections, sizeof *search->unplaced);
    search->crossing = memory_allocate_zeroed(context, sections, sizeof *search->crossing);
    search->witness = memory_allocate_zeroed(context, sections, sizeof *search->witness);
    return search->items && search->numbers && search->bytes && search->lowest && search->offsets &&
                   search->placements && search->choices && search->ranked && search->parts && search->splits &&
                   search->unplaced && search->crossing && search->witness
               ? 0
               : MEMMODEL_ERROR_NO_MEMORY;
}

struct search *
search_new(const struct problem *problem, const uint32_t *items, size_t count, uint64_t without, int *status)
{
    struct search *search = memory_allocate_zeroed(problem->context, 1, sizeof *search);

    *status = MEMMODEL_ERROR_NO_MEMORY;
    if (!search)
        return NULL;
    *search = (struct search){.problem = problem, .without = without, .count = count, .is_plain = true};
    *status = make_arrays(search);
    for (size_t i = 0; !*status && i < count; i++) {
        search->numbers[i] = items[i];
        search->items[i] = &problem->items[items[i]];
        search->bytes[i] = problem->items[items[i]].bytes;
        search->is_plain &= problem->items[items[i]].alignment == 1 && !is_fixed(search, i);
    }
    if (!*status)
        *status = conflicts_make(&search->conflicts, problem, search->items, count);
    if (*status) {
        search_free(search);
        *status = *status == CONFLICTS_TOO_MANY ? 0 : *status;
        return NULL;
    }
    return search;
}

void
search_free(struct search *search)
{
    memmodel_context *context;

    if (!search)
        return;
    context = search->problem->context;
    conflicts_release(&search->conflicts);
    memory_release(context, search->items);
    memory_release(context, search->numbers);
    memory_release(context, search->bytes);
    memory_release(context, search->lowest);
    memory_release(context, search->offsets);
    memory_release(context, search->unplaced);
    memory_release(context, search->crossing);
    memory_release(context, search->witness);
    memory_release(context, search->raised);
    memory_release(context, search->placements);
    memory_release(context, search->choices);
    memory_release(context, search->candidates);
    memory_release(context, search->parts);
    memory_release(context, search->splits);
    memory_release(context, search->ranked);
    memory_release(context, search);
}

/* ---- placing and taking back ---- */

static bool
uses(const struct search *search, enum plan_rule rule)
{
    return !(search->without & (uint64_t)rule);
}

static bool
is_placed(const struct search *search, uint32_t item)
{
    return search->lowest[item] == PLACED;
}

/* First offset from `offset` on where what is fixed leaves room for the item. */
static int64_t
fit_above(const struct search *search, uint32_t number, int64_t offset)
{
    const struct item *item = search->items[number];

    offset = align_up(offset, item->alignment);
    for (size_t k = search->conflicts.fixed.start[number]; k < search->conflicts.fixed.start[number + 1]; k++) {
        const struct item *other = search->items[search->conflicts.fixed.items[k]];

        if (other->fixed < offset + item->bytes && offset < other->fixed + other->bytes)
            offset = align_up(other->fixed + other->bytes, item->alignment);
    }
    return offset;
}

/* Adds (`sign` 1) or takes (-1) the item to or from what is unplaced. */
static void
count_unplaced(struct search *search, const struct item *item, int sign)
{
    for (uint32_t k = 0; k < item->interval_count; k++) {
        struct interval interval = search->problem->intervals[item->interval + k];

        for (int32_t s = interval.begin; s < interval.end; s++)
            search->unplaced[s] += sign * item->bytes;
    }
    for (int32_t s = item->begin + 1; s < item->end; s++)
        search->crossing[s] += sign;
}

/* Sections of the items that a placement influenced. */
struct influence {
    int32_t begin, end;
    bool is_none;
};

static void
raise_overlapping(struct search *search, uint32_t number, int64_t top, struct influence *influence)
{
    const uint32_t *next = search->conflicts.overlapping.items + search->conflicts.overlapping.start[number];
    const uint32_t *end = search->conflicts.overlapping.items + search->conflicts.overlapping.start[number + 1];

    for (; next < end; next++) {
        int64_t before = search->lowest[*next];

        influence->is_none &= before == PLACED;
        if (before >= top)
            continue;
        search->raised[search->raised_count++] = (struct raised){*next, before};
        search->lowest[*next] = search->is_plain ? top : fit_above(search, *next, top);
        influence->begin = (int32_t)min_i64(influence->begin, search->items[*next]->begin);
        influence->end = (int32_t)max_i64(influence->end, search->items[*next]->end);
    }
}

static int
place(struct search *search, uint32_t number, int64_t offset, struct influence *influence)
{
    const struct item *item = search->items[number];
    size_t conflicts = search->conflicts.overlapping.start[number + 1] - search->conflicts.overlapping.start[number];
    int status = array_reserve(search->problem->context, &search->raised, &search->raised_capacity,
                               search->raised_count + conflicts, sizeof *search->raised);

    if (status)
        return status;
    search->placements[search->placement_count++] = (struct placement){number, search->raised_count, offset};
    search->offsets[number] = offset;
    search->lowest[number] = PLACED;
    *influence = (struct influence){item->begin, item->end, true};
    count_unplaced(search, item, -1);
    raise_overlapping(search, number, offset + item->bytes, influence);
    return 0;
}

static void
take_back(struct search *search, size_t placements)
{
    while (search->placement_count > placements) {
        const struct placement *last = &search->placements[--search->placement_count];

        while (search->raised_count > last->raised_count) {
            const struct raised *raised = &search->raised[--search->raised_count];

            search->lowest[raised->item] = raised->lowest;
        }
        search->lowest[last->item] = last->offset;
        count_unplaced(search, search->items[last->item], 1);
    }
}

/* ---- pruning ---- */

static bool
section_holds(struct search *search, int32_t section)
{
    int64_t max = search->capacity - search->unplaced[section];
    const struct lists *lists = &search->conflicts.in_section;

    if (!search->unplaced[section] || search->lowest[search->witness[section]] <= max)
        return true;
    for (size_t k = lists->start[section]; k < lists->start[section + 1]; k++)
        if (search->lowest[lists->items[k]] <= max) {
            search->witness[section] = lists->items[k];
            return true;
        }
    return false;
}

/* In each section some unplaced item can still be so low that all others fit above it. */
static bool
sections_hold(struct search *search, const struct influence *influence)
{
    if (!uses(search, PLAN_RULE_SECTIONS))
        return true;
    for (int32_t s = influence->begin; s < influence->end; s++)
        if (!section_holds(search, s))
            return false;
    return true;
}

/* What is unplaced in any section of the part fits above it. */
static int64_t
highest_floor(const struct search *search, const struct part *part)
{
    int64_t max = 0;

    for (int32_t s = part->begin; s < part->end; s++)
        max = max_i64(max, search->unplaced[s]);
    return search->capacity - max;
}

/* ---- choices ---- */

static void
sort_in(struct search *search, size_t first, struct candidate candidate)
{
    size_t k = search->candidate_count++;

    for (; k > first && search->candidates[k - 1].offset > candidate.offset; k--)
        search->candidates[k] = search->candidates[k - 1];
    search->candidates[k] = candidate;
}

/* No unplaced item of the part fits below it: the least end that one can have. */
static int64_t
min_end(const struct search *search, const struct part *part)
{
    const int64_t *lowest = search->lowest, *bytes = search->bytes;
    int64_t min = INT64_MAX;

    for (const uint32_t *item = part->items, *end = item + part->count; item < end; item++)
        min = min_i64(min, lowest[*item] + bytes[*item]);
    return min;
}

/* Highest offset at which something of the part may be placed next. */
static int64_t
highest_offset(const struct search *search, const struct part *part)
{
    int64_t highest = search->capacity;

    if (!uses(search, PLAN_RULE_CANONICAL))
        return highest;
    if (uses(search, PLAN_RULE_FLOOR))
        highest = min_i64(highest, highest_floor(search, part));
    if (uses(search, PLAN_RULE_DOMINANCE))
        highest = min_i64(highest, min_end(search, part) - 1);
    return highest;
}

/* What may follow a placement, the lowest first. */
static int
open_choice(struct search *search, const struct part *part, struct candidate after)
{
    int64_t highest = highest_offset(search, part);
    int status = array_reserve(search->problem->context, &search->candidates, &search->candidate_capacity,
                               search->candidate_count + part->count, sizeof *search->candidates);
    size_t first = search->candidate_count;

    if (status)
        return status;
    if (!uses(search, PLAN_RULE_CANONICAL))
        after = (struct candidate){0, 0};
    for (size_t i = 0; i < part->count; i++) {
        int64_t lowest = search->lowest[part->items[i]];

        if (lowest > highest || lowest < after.offset || (lowest == after.offset && i < after.rank))
            continue;
        if (lowest + search->bytes[part->items[i]] <= search->capacity)
            sort_in(search, first, (struct candidate){lowest, i + 1});
    }
    search->choices[search->choice_count++] =
        (struct choice){.candidates = first, .candidate_count = search->candidate_count - first};
    return 0;
}

static void
close_choice(struct search *search)
{
    search->candidate_count = search->choices[--search->choice_count].candidates;
}

/* ---- parts ---- */

static int64_t
max_unplaced(const struct search *search, const struct item *item)
{
    int64_t max = 0;

    for (int32_t s = item->begin; s < item->end; s++)
        max = max_i64(max, search->unplaced[s]);
    return max;
}

static void
rank_items(struct search *search, uint32_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order_rank(&search->ranked[i], items[i], search->items[items[i]], search->order,
                   max_unplaced(search, search->items[items[i]]));
    order_sort(search->ranked, count);
    for (size_t i = 0; i < count; i++)
        items[i] = search->ranked[i].item;
}

static bool
anything_crosses_none(const struct search *search, const struct item *item)
{
    for (int32_t s = item->begin + 1; s < item->end; s++)
        if (search->crossing[s] == 0)
            return true;
    return false;
}

/* Unplaced items of the part that begin in [begin, end), to the parts' pool. */
static size_t
gather(struct search *search, const struct part *part, int32_t begin, int32_t end)
{
    size_t before = search->parts_count;

    for (size_t i = 0; i < part->count; i++) {
        const struct item *item = search->items[part->items[i]];

        if (!is_placed(search, part->items[i]) && item->begin >= begin && item->begin < end)
            search->parts[search->parts_count++] = part->items[i];
    }
    return search->parts_count - before;
}

/* Where the interval of sections from `begin` on ends that unplaced items connect; `end` if they do so to the end. */
static int32_t
next_split(const struct search *search, int32_t begin, int32_t end)
{
    int32_t cut = begin + 1;

    while (cut < end && search->crossing[cut])
        cut++;
    return cut;
}

static enum search_outcome
solve_part(struct search *search, const struct part *part, struct candidate after);

/* Solves them one by one, the smallest first: what is impossible is seen sooner. */
static enum search_outcome
solve_splits(struct search *search, struct split *splits, size_t count, int64_t offset)
{
    enum search_outcome outcome = SEARCH_FOUND;

    while (count && outcome == SEARCH_FOUND) {
        size_t min = 0;
        struct part part;

        for (size_t i = 1; i < count; i++)
            if (splits[i].count < splits[min].count)
                min = i;
        if (uses(search, PLAN_RULE_DYNAMIC_ORDERING))
            rank_items(search, search->parts + splits[min].first, splits[min].count);
        part = (struct part){search->parts + splits[min].first, splits[min].count, splits[min].begin, splits[min].end};
        splits[min] = splits[--count];
        outcome = solve_part(search, &part, (struct candidate){offset, 0});
    }
    return outcome;
}

/* More than one part: the number of splits pushed; else 0 and nothing is. */
static size_t
push_splits(struct search *search, const struct part *part)
{
    size_t parts = search->parts_count, first = search->split_count;

    for (int32_t begin = part->begin, end; begin < part->end; begin = end) {
        size_t at = search->parts_count, count;

        end = next_split(search, begin, part->end);
        count = gather(search, part, begin, end);
        if (count)
            search->splits[search->split_count++] = (struct split){at, count, begin, end};
    }
    if (search->split_count - first > 1)
        return search->split_count - first;
    search->split_count = first;
    search->parts_count = parts;
    return 0;
}

/* -1: there is nothing to split. */
static int
solve_split(struct search *search, const struct part *part, int64_t offset)
{
    size_t parts = search->parts_count, count;
    int outcome;

    if (!uses(search, PLAN_RULE_DECOMPOSITION) || search->depth >= MAX_DEPTH)
        return -1;
    count = push_splits(search, part);
    if (!count)
        return -1;
    search->depth++;
    outcome = (int)solve_splits(search, search->splits + search->split_count - count, count, offset);
    search->depth--;
    search->split_count -= count;
    search->parts_count = parts;
    return outcome;
}

/* Goes on with a list of what is unplaced alone, in the same order: worth it when half of a part is placed. */
static enum search_outcome
solve_shortened(struct search *search, const struct part *part, struct candidate after)
{
    size_t parts = search->parts_count, placed_before = 0;
    struct part rest = {search->parts + parts, 0, part->begin, part->end};
    enum search_outcome outcome;

    for (size_t i = 0; i < after.rank; i++)
        placed_before += is_placed(search, part->items[i]);
    rest.count = gather(search, part, part->begin, part->end);
    after.rank -= placed_before;
    search->depth++;
    outcome = solve_part(search, &rest, after);
    search->depth--;
    search->parts_count = parts;
    return outcome;
}

/* ---- depth first ---- */

static enum search_outcome
out_of_memory(struct search *search)
{
    search->limits->status = MEMMODEL_ERROR_NO_MEMORY;
    return SEARCH_LIMIT;
}

/* Puts the candidate at its place. FOUND: there it fits and nothing else is to be placed; LIMIT: go on below it. */
static int
try_candidate(struct search *search, const struct part *part, struct candidate candidate, size_t left)
{
    uint32_t number = part->items[candidate.rank - 1];
    size_t choices = search->choice_count, candidates = search->candidate_count;
    struct influence influence;
    int outcome = -1;

    if (place(search, number, candidate.offset, &influence))
        return (int)out_of_memory(search);
    search->choices[choices - 1].is_last = influence.is_none && uses(search, PLAN_RULE_HATLESS);
    if (!sections_hold(search, &influence))
        return SEARCH_IMPOSSIBLE;
    if (!left)
        return SEARCH_FOUND;
    if (anything_crosses_none(search, search->items[number]))
        outcome = solve_split(search, part, candidate.offset);
    if (outcome < 0 && left == part->count / 2 && left >= WORTH_SHORTENING && search->depth < MAX_DEPTH)
        outcome = (int)solve_shortened(search, part, candidate);
    search->choice_count = outcome == SEARCH_IMPOSSIBLE ? choices : search->choice_count;
    search->candidate_count = outcome == SEARCH_IMPOSSIBLE ? candidates : search->candidate_count;
    return outcome;
}

static bool
may_go_on(struct search *search)
{
    return ++search->nodes < search->max_nodes && !search_limits_spend(search->limits, 1);
}

/* Leaves the items placed if found. */
static enum search_outcome
solve_part(struct search *search, const struct part *part, struct candidate after)
{
    size_t placed = search->placement_count, choices = search->choice_count;

    if (open_choice(search, part, after))
        return out_of_memory(search);
    while (search->choice_count > choices) {
        struct choice *choice = &search->choices[search->choice_count - 1];
        size_t depth = search->choice_count - choices - 1;
        struct candidate candidate;
        int outcome;

        take_back(search, placed + depth);
        if (choice->next == choice->candidate_count || choice->is_last) {
            close_choice(search);
            continue;
        }
        if (!may_go_on(search))
            return SEARCH_LIMIT;
        candidate = search->candidates[choice->candidates + choice->next++];
        outcome = try_candidate(search, part, candidate, part->count - depth - 1);
        if (outcome == SEARCH_FOUND || outcome == SEARCH_LIMIT)
            return (enum search_outcome)outcome;
        if (outcome < 0 && open_choice(search, part, candidate))
            return out_of_memory(search);
    }
    return SEARCH_IMPOSSIBLE;
}

/* ---- a run ---- */

static void
start_fixed(struct search *search)
{
    for (size_t i = 0; i < search->count; i++)
        if (is_fixed(search, i)) {
            search->lowest[i] = PLACED;
            search->offsets[i] = search->items[i]->fixed;
        }
}

static void
start(struct search *search)
{
    size_t sections = (size_t)search->problem->section_count + 1;

    search->placement_count = search->raised_count = search->choice_count = search->candidate_count = 0;
    search->parts_count = search->split_count = 0;
    search->nodes = 0;
    search->depth = 0;
    memset(search->unplaced, 0, sections * sizeof *search->unplaced);
    memset(search->crossing, 0, sections * sizeof *search->crossing);
    start_fixed(search);
    for (size_t i = 0; i < search->count; i++) {
        if (is_fixed(search, i))
            continue;
        search->lowest[i] = fit_above(search, (uint32_t)i, 0);
        count_unplaced(search, search->items[i], 1);
    }
}

/* All free items, ranked. */
static struct part
start_part(struct search *search)
{
    struct part part = {search->parts, 0, 0, search->problem->section_count};

    for (size_t i = 0; i < search->count; i++)
        if (!is_fixed(search, i))
            search->parts[part.count++] = (uint32_t)i;
    search->parts_count = part.count;
    for (int32_t s = 0; s < search->problem->section_count; s++)
        if (search->unplaced[s])
            search->witness[s] = search->conflicts.in_section.items[search->conflicts.in_section.start[s]];
    rank_items(search, search->parts, part.count);
    return part;
}

enum search_outcome
search_run(struct search *search, int64_t capacity, struct order order, int64_t nodes, struct search_limits *limits,
           int64_t *offsets)
{
    const struct influence all = {0, search->problem->section_count, false};
    struct part part;
    int outcome;

    search->capacity = capacity;
    search->order = order;
    search->max_nodes = nodes;
    search->limits = limits;
    start(search);
    part = start_part(search);
    if (!sections_hold(search, &all))
        return SEARCH_IMPOSSIBLE;
    outcome = solve_split(search, &part, 0);
    if (outcome < 0)
        outcome = (int)solve_part(search, &part, (struct candidate){0, 0});
    if (outcome == SEARCH_FOUND)
        for (size_t i = 0; i < search->count; i++)
            offsets[search->numbers[i]] = search->offsets[i];
    return (enum search_outcome)outcome;
}

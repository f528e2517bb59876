/*
 * A portfolio, since no order wins everywhere: by size (Pisarchyk and Lee, arXiv 2001.03288, and most runtimes), by
 * load ("breadth", the same paper), by lifetime (XLA's temporal order), by area; the lowest, the smallest, or the
 * smallest of a few gaps.
 */
#include "plan/greedy.h"

#include "base/checked.h"
#include "plan/order.h"
#include "plan/profile.h"
#include "plan/skyline.h"

#include <string.h>

enum { ITEMS_BETWEEN_LOOKS = 256 };

enum { DIVE = 0 }; /* no gaps are looked at */

struct way {
    int gaps;
    struct order order;
};

/* The first is fast and good where lifetimes are nested and where they are not; then those that won somewhere. */
static const struct way ways[] = {
    {NEAR_FIT, {{ORDER_LOAD, ORDER_LIFE, ORDER_BYTES}}},
    {FIRST_FIT, {{ORDER_BYTES, ORDER_FIRST}}},
    {BEST_FIT, {{ORDER_SECTIONS, ORDER_LIFE, ORDER_BYTES}}},
    {FIRST_FIT, {{ORDER_LOAD, ORDER_BYTES, ORDER_LIFE}}},
    {DIVE, {{ORDER_BYTES, ORDER_LIFE}}},
    {FIRST_FIT, {{ORDER_LOAD, ORDER_LIFE, ORDER_BYTES}}},
    {FIRST_FIT, {{ORDER_AREA, ORDER_BYTES}}},
    {FIRST_FIT, {{ORDER_FIRST, ORDER_BYTES}}},
    {FIRST_FIT, {{ORDER_LIFE, ORDER_BYTES}}},
    {BEST_FIT, {{ORDER_FIRST, ORDER_BYTES}}},
    {BEST_FIT, {{ORDER_LOAD, ORDER_LIFE, ORDER_BYTES}}},
    {BEST_FIT, {{ORDER_LOAD, ORDER_BYTES, ORDER_LIFE}}},
    {BEST_FIT, {{ORDER_BYTES, ORDER_LIFE}}},
    {DIVE, {{ORDER_LOAD, ORDER_BYTES, ORDER_LIFE}}},
    {DIVE, {{ORDER_AREA, ORDER_BYTES}}},
    {DIVE, {{ORDER_LOAD, ORDER_AREA}}},
    {DIVE, {{ORDER_LIFE, ORDER_BYTES}}},
    {DIVE, {{ORDER_LOAD, ORDER_LIFE, ORDER_BYTES}}},
    {BEST_FIT, {{ORDER_AREA, ORDER_BYTES}}},
    {BEST_FIT, {{ORDER_LIFE, ORDER_BYTES}}},
    {FIRST_FIT, {{ORDER_SECTIONS, ORDER_LIFE, ORDER_BYTES}}},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- keeping the best ---- */

void
greedy_keep(struct greedy *greedy)
{
    int64_t peak = problem_peak(greedy->problem, greedy->offsets), *offsets = greedy->best->offsets;

    if (peak >= greedy->best->peak)
        return;
    greedy->best->peak = peak;
    greedy->best->offsets = greedy->offsets;
    greedy->offsets = offsets;
    greedy->limits->best.peak = greedy->problem->bottom + peak;
}

static bool
is_over(struct greedy *greedy)
{
    return greedy->best->peak <= greedy->enough || (greedy->best->peak < INT64_MAX && greedy->limits->status != 0);
}

bool
greedy_is_hopeless(const struct greedy *greedy, size_t placed)
{
    return placed % ITEMS_BETWEEN_LOOKS == 0 && greedy->best->peak < INT64_MAX && search_limits_look(greedy->limits);
}

/* ---- orders and fits ---- */

static int
take_fixed(struct greedy *greedy)
{
    const struct problem *problem = greedy->problem;
    int status = 0;

    for (size_t i = 0; i < problem->count && problem->has_fixed && !status; i++) {
        if (problem->items[i].fixed < 0)
            continue;
        greedy->offsets[i] = problem->items[i].fixed;
        status = profile_take(&greedy->profile, &problem->items[i], problem->items[i].fixed);
    }
    return status;
}

int
greedy_in_order(struct greedy *greedy, int gaps)
{
    const struct problem *problem = greedy->problem;
    int status;

    profile_clear(&greedy->profile);
    status = take_fixed(greedy);
    for (greedy->placed = 0; greedy->placed < problem->count && !status;) {
        uint32_t number = greedy->items[greedy->placed++];
        const struct item *item = &problem->items[number];

        if (greedy_is_hopeless(greedy, greedy->placed))
            return 0;
        status = greedy->best->peak < INT64_MAX ? 0 : context_check(problem->context, (int64_t)greedy->placed / 64);
        if (item->fixed >= 0 || status)
            continue;
        status = profile_fit(&greedy->profile, item, gaps, &greedy->offsets[number]);
        if (!status && greedy->offsets[number] + item->bytes >= greedy->best->peak)
            return 0;
        if (!status)
            status = profile_take(&greedy->profile, item, greedy->offsets[number]);
    }
    if (!status)
        greedy_keep(greedy);
    return status;
}

/* ---- the portfolio ---- */

static int
make_max_loads(struct greedy *greedy)
{
    const struct problem *problem = greedy->problem;
    struct skyline loads;
    int status = skyline_make(&loads, problem->context, problem->section_count);

    if (status)
        return status;
    for (int32_t s = 0; s < problem->section_count; s++)
        skyline_raise(&loads, (struct interval){s, s + 1}, problem->load[s]);
    for (size_t i = 0; i < problem->count; i++)
        greedy->max_loads[i] = skyline_item_top(&loads, problem, &problem->items[i]);
    skyline_release(&loads);
    return 0;
}

static int
pack_by(struct greedy *greedy, const struct way *way)
{
    int status = order_items(greedy->problem, way->order, greedy->max_loads, greedy->items);

    if (status)
        return status;
    return way->gaps == DIVE ? greedy_dive(greedy) : greedy_in_order(greedy, way->gaps);
}

int
greedy_portfolio(struct greedy *greedy)
{
    size_t count = greedy->limits->without & PLAN_RULE_PREORDERING ? 1 : WAYS;
    int status = 0;

    for (size_t i = 0; i < count && !status && !is_over(greedy); i++)
        if (ways[i].gaps != DIVE || !greedy->problem->has_fixed)
            status = pack_by(greedy, &ways[i]);
    return status;
}

/* ---- life ---- */

int
greedy_start(struct greedy *greedy, const struct problem *problem, int64_t enough, struct search_limits *limits,
             struct packing *best)
{
    memmodel_context *context = problem->context;
    size_t n = problem->count;

    *greedy = (struct greedy){.problem = problem, .limits = limits, .best = best, .enough = enough};
    greedy->max_loads = memory_allocate_zeroed(context, n, sizeof *greedy->max_loads);
    greedy->offsets = memory_allocate_zeroed(context, n, sizeof *greedy->offsets);
    greedy->items = memory_allocate_zeroed(context, n, sizeof *greedy->items);
    if (!greedy->max_loads || !greedy->offsets || !greedy->items || make_max_loads(greedy))
        return MEMMODEL_ERROR_NO_MEMORY;
    return profile_make(&greedy->profile, problem);
}

void
greedy_release(struct greedy *greedy)
{
    memmodel_context *context = greedy->problem->context;

    if (greedy->profile.problem)
        profile_release(&greedy->profile);
    memory_release(context, greedy->max_loads);
    memory_release(context, greedy->offsets);
    memory_release(context, greedy->items);
}

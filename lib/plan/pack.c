/* Parts of the problem that share no time, each searched until it is as low as the others must be. */
#include "plan/pack.h"

#include "base/checked.h"
#include "plan/order.h"
#include "plan/search.h"
#include "plan/squeaky_wheel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SEARCHED = 32768, /* items: overlaps are listed pair by pair */
    FEW = 512,            /* items, which are searched so fast that mending orders does not pay */
    FIRST_TURNS = 4,      /* of the squeaky wheels; twice as many in each round after the first */
    TARGETS = 5,          /* capacities that are tried between the lower bound and the best plan */
    FIRST_NODES = 2,      /* an item, of a run in the first round; twice as many in each round after it */
};

#define GOLDEN_SECTION 0.61803398874989485

static const struct order orders[] = {
    {{ORDER_LIFE, ORDER_AREA, ORDER_LOAD}},
    {{ORDER_LOAD, ORDER_AREA, ORDER_LIFE}},
    {{ORDER_LOAD, ORDER_LIFE, ORDER_AREA}},
};

enum { ORDERS = sizeof orders / sizeof orders[0] };

struct component {
    const uint32_t *items;
    size_t count;
    int64_t peak, lower_bound;
    struct search *search;
    bool is_too_large; /* to be searched: other ways have to do */
};

struct packer {
    struct problem *problem;
    struct search_limits *limits;
    struct packing *best;
    int64_t capacity, enough;
    struct greedy greedy;
    struct squeaky_wheel squeaky_wheel;
    uint32_t *items; /* by begin */
    struct component *components;
    size_t component_count;
};

/* ---- components ---- */

static int64_t
peak_of(const struct packer *packer, const struct component *component)
{
    int64_t peak = 0;

    for (size_t i = 0; i < component->count; i++) {
        uint32_t item = component->items[i];

        peak = max_i64(peak, packer->best->offsets[item] + packer->problem->items[item].bytes);
    }
    return peak;
}

static void
add_component(struct packer *packer, size_t first, size_t end)
{
    struct component *component = &packer->components[packer->component_count++];
    const struct problem *problem = packer->problem;

    *component = (struct component){.items = packer->items + first, .count = end - first};
    for (size_t i = first; i < end; i++)
        component->lower_bound = max_i64(component->lower_bound, packer->greedy.max_loads[packer->items[i]]);
    component->lower_bound = min_i64(component->lower_bound, problem->lower_bound);
    component->peak = peak_of(packer, component);
    component->is_too_large = component->count > MAX_SEARCHED;
}

/* A time that nothing crosses ends a component. */
static void
find_components(struct packer *packer)
{
    const struct problem *problem = packer->problem;
    size_t first = 0;
    int32_t end = 0;

    for (size_t i = 0; i < problem->count; i++) {
        const struct item *item = &problem->items[packer->items[i]];

        if (i > first && item->begin >= end) {
            add_component(packer, first, i);
            first = i;
        }
        end = item->end > end ? item->end : end;
    }
    if (problem->count)
        add_component(packer, first, problem->count);
}

/* ---- searching one ---- */

/*
 * A capacity to try, by its number; false if there is none below the best. The first of a round is the lowest, since
 * one plan at it ends the search; others lie all over the stretch up to the best (golden section), as what can be found
 * in a given number of placements rises and falls with the capacity.
 */
static bool
choose_target(const struct packer *packer, const struct component *component, int64_t number, int64_t *target)
{
    int64_t low = max_i64(packer->enough, component->lower_bound), unit = packer->problem->unit;
    int64_t steps = (component->peak - unit - low) / unit;
    double place = (double)number * GOLDEN_SECTION;

    if (component->peak - unit < low || (number % TARGETS && packer->capacity))
        return false;
    *target = low;
    if (number % TARGETS)
        *target += unit * (int64_t)((place - floor(place)) * (double)(steps + 1));
    return true;
}

static void
note_outcome(struct packer *packer, struct component *component, int64_t target, enum search_outcome outcome)
{
    if (outcome == SEARCH_FOUND)
        component->peak = peak_of(packer, component);
    if (outcome == SEARCH_IMPOSSIBLE)
        component->lower_bound =
            max_i64(component->lower_bound, target - target % packer->problem->unit + packer->problem->unit);
    packer->problem->lower_bound = max_i64(packer->problem->lower_bound, component->lower_bound);
    packer->enough = max_i64(packer->capacity, packer->problem->lower_bound);
}

static bool
is_over(const struct packer *packer, const struct component *component)
{
    return component->peak <= packer->enough || packer->limits->status ||
           (packer->capacity && packer->problem->lower_bound > packer->capacity);
}

/* One round: each target in each order with so many placements. */
static void
search_component(struct packer *packer, struct component *component, int round)
{
    bool restarts = !(packer->limits->without & PLAN_RULE_RESTART);
    int64_t nodes = restarts ? (int64_t)component->count * FIRST_NODES << min_i64(round, 32) : INT64_MAX, target;

    for (int which = 0; which < TARGETS; which++)
        for (size_t i = 0; i < (restarts ? ORDERS : 1); i++) {
            enum search_outcome outcome;

            if (is_over(packer, component) ||
                !choose_target(packer, component, (int64_t)round * TARGETS + which, &target))
                break;
            outcome = search_run(component->search, target, orders[i], nodes, packer->limits, packer->best->offsets);
            note_outcome(packer, component, target, outcome);
            if (outcome != SEARCH_LIMIT)
                break;
        }
}

static int
prepare(struct packer *packer, struct component *component)
{
    int status = 0;

    if (component->search || component->is_too_large || is_over(packer, component))
        return 0;
    component->search =
        search_new(packer->problem, component->items, component->count, packer->limits->without, &status);
    if (!component->search) {
        component->is_too_large = true;
        search_limits_look(packer->limits); /* its lists may have reached a limit: then nothing goes on */
    }
    return status;
}

/* ---- all ---- */

static void
update_best(struct packer *packer)
{
    packer->best->peak = problem_peak(packer->problem, packer->best->offsets);
    packer->limits->best.peak = packer->problem->bottom + packer->best->peak;
    packer->limits->best.lower_bound = packer->problem->bottom + packer->problem->lower_bound;
}

static int
search_round(struct packer *packer, int round, bool *is_done)
{
    *is_done = true;
    for (size_t i = 0; i < packer->component_count; i++) {
        struct component *component = &packer->components[i];
        int status = prepare(packer, component);

        if (status)
            return status;
        if (component->search && !is_over(packer, component))
            search_component(packer, component, round);
        *is_done &= is_over(packer, component);
        update_best(packer);
    }
    return packer->limits->status < 0 ? packer->limits->status : 0;
}

/* Better plans of all components, as the best known to each. */
static int
squeaky_wheel_round(struct packer *packer, int round)
{
    int64_t before = packer->best->peak;
    int status;

    packer->greedy.enough = packer->enough;
    status = squeaky_wheel_turn(&packer->squeaky_wheel, FIRST_TURNS << min_i64(round, 16));
    for (size_t i = 0; i < packer->component_count && packer->best->peak < before; i++)
        packer->components[i].peak = peak_of(packer, &packer->components[i]);
    return status;
}

/* Rounds of ever more work until all is low enough or the budget is used up. */
static int
search_all(struct packer *packer)
{
    bool uses_squeaky_wheel = packer->problem->count > FEW, is_done = false;
    int status = uses_squeaky_wheel ? squeaky_wheel_start(&packer->squeaky_wheel, &packer->greedy) : 0;

    find_components(packer);
    for (int round = 0; !is_done && !status; round++) {
        status = uses_squeaky_wheel ? squeaky_wheel_round(packer, round) : 0;
        if (!status)
            status = search_round(packer, round, &is_done);
    }
    for (size_t i = 0; i < packer->component_count; i++)
        search_free(packer->components[i].search);
    squeaky_wheel_release(&packer->squeaky_wheel);
    return status;
}

static int
start_components(struct packer *packer)
{
    memmodel_context *context = packer->problem->context;
    size_t n = packer->problem->count;

    packer->items = memory_allocate_zeroed(context, n, sizeof *packer->items);
    packer->components = memory_allocate_zeroed(context, n, sizeof *packer->components);
    if (!packer->items || !packer->components)
        return MEMMODEL_ERROR_NO_MEMORY;
    return order_items(packer->problem, (struct order){{ORDER_BEGIN}}, packer->greedy.max_loads, packer->items);
}

static int
pack_items(struct packer *packer)
{
    int status = greedy_start(&packer->greedy, packer->problem, packer->enough, packer->limits, packer->best);

    if (!status)
        status = greedy_portfolio(&packer->greedy);
    if (status || packer->best->peak <= packer->enough || packer->limits->status)
        return status;
    status = start_components(packer);
    if (!status)
        status = search_all(packer);
    if (!status)
        update_best(packer);
    return status;
}

int
pack(struct problem *problem, int64_t capacity, struct search_limits *limits, struct packing *best)
{
    struct packer packer = {.problem = problem, .limits = limits, .best = best, .capacity = capacity};
    int status;

    best->peak = problem->count ? INT64_MAX : 0;
    if (!problem->count)
        return 0;
    if (capacity) /* every peak is a multiple of the unit */
        packer.capacity = max_i64(capacity - capacity % problem->unit, problem->unit);
    packer.enough = max_i64(packer.capacity, problem->lower_bound);
    status = pack_items(&packer);
    greedy_release(&packer.greedy);
    memory_release(problem->context, packer.items);
    memory_release(problem->context, packer.components);
    return status;
}

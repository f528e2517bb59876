/*
 * Sets to begin with. Each candidate is taken for an item of a knapsack: it saves so many bytes and costs so much
 * time. That sees neither the peak nor what is recomputed, which is what simulations are for.
 *
 * The exact knapsack goes through the candidates once, by where they begin: to take one is to go on with the first that
 * begins behind it. O(candidates * SLOTS).
 */
#include "base/checked.h"
#include "recompute/search.h"

#include <math.h>
#include <string.h>

enum { SLOTS = 200 };

struct seeds {
    struct evaluated_sets *sets;
    uint64_t *set; /* that is built */
    double *costs; /* least[i * (SLOTS + 1) + w]: to save w slots with the candidates from i on */
    int64_t unit;  /* bytes of a slot */
};

static double *
min_costs(const struct seeds *seeds, size_t i)
{
    return seeds->costs + i * (SLOTS + 1);
}

/* ---- exactly ---- */

/* What is to be kept less by the others when `candidate` is taken. */
static int64_t
rest_of(const struct seeds *seeds, size_t candidate, int64_t slots)
{
    return max_i64(slots - seeds->sets->scopes->items[candidate].saved / seeds->unit, 0);
}

static double
cost_of_taking(const struct seeds *seeds, size_t candidate, int64_t slots)
{
    const struct candidate *item = &seeds->sets->scopes->items[candidate];

    return item->cost + min_costs(seeds, item->next)[rest_of(seeds, candidate, slots)];
}

static void
fill_costs(const struct seeds *seeds)
{
    size_t count = seeds->sets->scopes->count;

    for (int w = 0; w <= SLOTS; w++)
        min_costs(seeds, count)[w] = w ? INFINITY : 0;
    for (size_t i = count; i-- > 0;)
        for (int w = 0; w <= SLOTS; w++)
            min_costs(seeds, i)[w] = fmin(min_costs(seeds, i + 1)[w], cost_of_taking(seeds, i, w));
}

/* Of candidates that do as well the first is taken. */
static void
read_set(const struct seeds *seeds, int64_t slots)
{
    const struct scopes *scopes = seeds->sets->scopes;

    memset(seeds->set, 0, seeds->sets->words * sizeof *seeds->set);
    for (size_t i = 0; i < scopes->count && slots > 0;) {
        if (cost_of_taking(seeds, i, slots) > min_costs(seeds, i)[slots]) {
            i++;
            continue;
        }
        set_add(scopes, seeds->set, i);
        slots = rest_of(seeds, i, slots);
        i = scopes->items[i].next;
    }
}

static int
try_exact(const struct seeds *seeds)
{
    int status = 0;

    fill_costs(seeds);
    for (int w = 1; w <= SLOTS && !status; w++) {
        if (isinf(min_costs(seeds, 0)[w]))
            break;
        read_set(seeds, w);
        status = evaluated_sets_try(seeds->sets, seeds->set);
    }
    return status;
}

/* ---- by ratio ---- */

/* The best that is neither in the set nor touches it; SIZE_MAX: none. */
static size_t
best_ratio(const struct seeds *seeds)
{
    const struct scopes *scopes = seeds->sets->scopes;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < scopes->count; i++) {
        const struct candidate *item = &scopes->items[i];

        if (!set_touches(scopes, seeds->set, i) &&
            (best == SIZE_MAX ||
             (double)item->saved * scopes->items[best].cost > (double)scopes->items[best].saved * item->cost))
            best = i;
    }
    return best;
}

static int
try_ratios(const struct seeds *seeds)
{
    int status = 0;

    memset(seeds->set, 0, seeds->sets->words * sizeof *seeds->set);
    for (size_t best = best_ratio(seeds); best != SIZE_MAX && !status; best = best_ratio(seeds)) {
        set_add(seeds->sets->scopes, seeds->set, best);
        status = evaluated_sets_try(seeds->sets, seeds->set);
    }
    return status;
}

/* ---- all of a kind, as people do ---- */

static int
try_kind(const struct seeds *seeds, size_t kind)
{
    const struct scopes *scopes = seeds->sets->scopes;

    memset(seeds->set, 0, seeds->sets->words * sizeof *seeds->set);
    for (size_t i = kind; i < scopes->count; i++)
        if (scopes->items[i].kind == kind && !set_touches(scopes, seeds->set, i))
            set_add(scopes, seeds->set, i);
    return evaluated_sets_try(seeds->sets, seeds->set);
}

static int
try_all(const struct seeds *seeds)
{
    const struct scopes *scopes = seeds->sets->scopes;
    int status = evaluated_sets_try(seeds->sets, seeds->set); /* nothing */

    for (size_t i = 0; i < scopes->count && !status; i++)
        if (scopes->items[i].kind == i)
            status = try_kind(seeds, i);
    if (!status)
        status = try_ratios(seeds);
    return status ? status : try_exact(seeds);
}

/* Slots are of what can be kept less in all: of the outermost. */
static int64_t
unit_of(const struct scopes *scopes)
{
    int64_t total = 0;

    for (size_t i = 0; i < scopes->count; i = scopes->items[i].next)
        total += scopes->items[i].saved;
    return max_i64(total / SLOTS, 1);
}

int
seeds_try(struct evaluated_sets *sets)
{
    memmodel_context *context = sets->query->context;
    struct seeds seeds = {.sets = sets, .unit = unit_of(sets->scopes)};
    int status = MEMMODEL_ERROR_NO_MEMORY;

    seeds.set = memory_allocate_zeroed(context, sets->words, sizeof *seeds.set);
    seeds.costs = memory_allocate_zeroed(context, (sets->scopes->count + 1) * (SLOTS + 1), sizeof *seeds.costs);
    if (seeds.set && seeds.costs)
        status = try_all(&seeds);
    memory_release(context, seeds.set);
    memory_release(context, seeds.costs);
    return status;
}

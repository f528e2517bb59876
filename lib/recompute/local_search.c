/*
 * Local search on the front: every set of it is explored in turn, that is, its neighbours are simulated, and those that
 * nothing beats become part of the front. Neighbours have
 *
 * - a scope more, which takes out those that lie in it, or one less;
 * - the scopes in one that is checkpointed in place of it, all of them or a single one;
 * - another scope in place of one.
 *
 * Of scopes of a kind the first and the last are tried, in the set and out of it: blocks of a transformer differ by
 * where they stand alone. A neighbour that would be beaten even if its peak fell by all the bytes that the new scope
 * saves, in place of another by the difference, is not simulated.
 */
#include "base/checked.h"
#include "recompute/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct exploring {
    struct evaluated_sets *sets;
    const struct evaluated_set *from;
    uint64_t *set;         /* the neighbour */
    unsigned char *is_end; /* of each candidate: the first or the last of its kind in, or not in, the set */
};

/* ---- which candidates stand for their kind ---- */

static void
mark_ends(const struct exploring *exploring, size_t kind, bool within)
{
    const struct scopes *scopes = exploring->sets->scopes;
    size_t first = SIZE_MAX, last = 0;

    for (size_t i = kind; i < scopes->count; i++) {
        if (scopes->items[i].kind != kind || set_has(exploring->from->set, i) != within)
            continue;
        first = first == SIZE_MAX ? i : first;
        last = i;
    }
    if (first == SIZE_MAX)
        return;
    exploring->is_end[first] = exploring->is_end[last] = 1;
}

static void
mark_all_ends(const struct exploring *exploring)
{
    const struct scopes *scopes = exploring->sets->scopes;

    memset(exploring->is_end, 0, scopes->count);
    for (size_t i = 0; i < scopes->count; i++) {
        if (scopes->items[i].kind != i)
            continue;
        mark_ends(exploring, i, true);
        mark_ends(exploring, i, false);
    }
}

/* ---- neighbours ---- */

static void
begin(const struct exploring *exploring)
{
    memcpy(exploring->set, exploring->from->set, exploring->sets->words * sizeof *exploring->set);
}

/* `saved`: bytes that it may save beyond the set that is explored. */
static int
try_neighbour(const struct exploring *exploring, int64_t saved)
{
    double cost = evaluated_sets_cost(exploring->sets, exploring->set);

    if (evaluated_sets_beat(exploring->sets, exploring->set, cost, exploring->from->peak - saved))
        return 0;
    return evaluated_sets_try(exploring->sets, exploring->set);
}

static int
try_with(const struct exploring *exploring, size_t candidate)
{
    begin(exploring);
    set_add(exploring->sets->scopes, exploring->set, candidate);
    return try_neighbour(exploring, exploring->sets->scopes->items[candidate].saved);
}

static int
try_without(const struct exploring *exploring, size_t candidate)
{
    begin(exploring);
    set_remove(exploring->set, candidate);
    return try_neighbour(exploring, 0);
}

/* The scopes that lie in it directly; at the peak even more may be live than before. */
static int
try_inside(const struct exploring *exploring, size_t candidate)
{
    const struct scopes *scopes = exploring->sets->scopes;

    begin(exploring);
    set_remove(exploring->set, candidate);
    for (size_t i = candidate + 1; i < scopes->items[candidate].next; i++)
        if (!scopes->items[i].modules && scopes_is_within(scopes, candidate, i) &&
            !set_touches(scopes, exploring->set, i))
            set_add(scopes, exploring->set, i);
    return try_neighbour(exploring, exploring->from->peak);
}

static int
try_in_place(const struct exploring *exploring, size_t out, size_t in)
{
    const struct scopes *scopes = exploring->sets->scopes;

    begin(exploring);
    set_remove(exploring->set, out);
    set_add(scopes, exploring->set, in);
    return try_neighbour(exploring, scopes->items[in].saved - scopes->items[out].saved);
}

static int
try_moves(const struct exploring *exploring, size_t candidate)
{
    int status;

    if (!set_has(exploring->from->set, candidate))
        return try_with(exploring, candidate);
    status = try_without(exploring, candidate);
    return status ? status : try_inside(exploring, candidate);
}

static int
try_swaps(const struct exploring *exploring, size_t out)
{
    int status = 0;

    for (size_t in = 0; in < exploring->sets->scopes->count && !status; in++)
        if (exploring->is_end[in] && !set_has(exploring->from->set, in))
            status = try_in_place(exploring, out, in);
    return status;
}

static int
explore(const struct exploring *exploring)
{
    size_t count = exploring->sets->scopes->count;
    int status = 0;

    mark_all_ends(exploring);
    for (size_t i = 0; i < count && !status; i++)
        if (exploring->is_end[i])
            status = try_moves(exploring, i);
    for (size_t i = 0; i < count && !status; i++)
        if (exploring->is_end[i] && set_has(exploring->from->set, i))
            status = try_swaps(exploring, i);
    return status;
}

/* ---- the front ---- */

/* How far from the budget, in orders of magnitude; those that are just within it come first. */
static double
distance(const struct evaluated_set *evaluated, int64_t budget)
{
    double ratio = (double)max_i64(evaluated->peak, 1) / (double)max_i64(budget, 1);

    return ratio <= 1 ? 1 / ratio - 1 : 2 * (ratio - 1);
}

/* The wider of the gaps in peak between a set of the front and those beside it. */
static int64_t
gap_at(const struct evaluated_sets *sets, size_t index)
{
    int64_t before = index > 0 ? sets->front[index - 1]->peak - sets->front[index]->peak : 0;
    int64_t after = index + 1 < sets->front_count ? sets->front[index]->peak - sets->front[index + 1]->peak : 0;

    return max_i64(before, after);
}

/* Near the budget, or without one where the curve has its widest gaps. */
static double
urgency(const struct evaluated_sets *sets, size_t index, int64_t budget)
{
    return budget ? -distance(sets->front[index], budget) : (double)gap_at(sets, index);
}

static struct evaluated_set *
next_unexplored(const struct evaluated_sets *sets, int64_t budget)
{
    struct evaluated_set *next = NULL;
    double max = 0;

    for (size_t i = 0; i < sets->front_count; i++) {
        double urgent = urgency(sets, i, budget);

        if (sets->front[i]->explored || (next && urgent <= max))
            continue;
        next = sets->front[i];
        max = urgent;
    }
    return next;
}

int
improve(struct evaluated_sets *sets, int64_t budget)
{
    memmodel_context *context = sets->query->context;
    struct exploring exploring = {.sets = sets};
    struct evaluated_set *next;
    int status = MEMMODEL_ERROR_NO_MEMORY;

    exploring.set = memory_allocate_zeroed(context, sets->words, sizeof *exploring.set);
    exploring.is_end = memory_allocate_zeroed(context, sets->scopes->count + 1, 1);
    if (exploring.set && exploring.is_end)
        status = 0;
    while (!status && !evaluated_sets_are_over(sets) && (next = next_unexplored(sets, budget)) != NULL) {
        next->explored = true;
        exploring.from = next;
        status = explore(&exploring);
    }
    memory_release(context, exploring.set);
    memory_release(context, exploring.is_end);
    return status;
}

#include "recompute/evaluated_sets.h"

#include "base/checked.h"

#include <string.h>

/* ---- sets ---- */

bool
set_touches(const struct scopes *scopes, const uint64_t *set, size_t candidate)
{
    for (size_t i = 0; i < scopes->items[candidate].next; i++)
        if (set_has(set, i) && scopes_touch(scopes, i, candidate))
            return true;
    return false;
}

void
set_add(const struct scopes *scopes, uint64_t *set, size_t candidate)
{
    for (size_t i = 0; i < scopes->items[candidate].next; i++)
        if (set_has(set, i) && scopes_touch(scopes, i, candidate))
            set_remove(set, i);
    set[candidate / 64] |= UINT64_C(1) << (candidate % 64);
}

/* ---- the table of what was tried ---- */

static size_t
hash_of(const struct evaluated_sets *sets, const uint64_t *set)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < sets->words; i++)
        hash = (hash ^ set[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return (size_t)(hash >> 16) & (sets->table_size - 1);
}

/* Where the set stands in the table, or would stand. */
static struct evaluated_set **
place_of(const struct evaluated_sets *sets, const uint64_t *set)
{
    size_t place = hash_of(sets, set);

    while (sets->table[place] && memcmp(sets->table[place]->set, set, sets->words * sizeof *set) != 0)
        place = (place + 1) & (sets->table_size - 1);
    return &sets->table[place];
}

int
evaluated_sets_new(struct query *query, const struct scopes *scopes, struct arena *arena, int64_t max,
                   struct evaluated_sets *sets)
{
    size_t size = 64;

    *sets = (struct evaluated_sets){.query = query, .scopes = scopes, .arena = arena, .max = max};
    sets->words = scopes->count / 64 + 1;
    sets->names = TEXT_INIT(query->context);
    while ((int64_t)size < 2 * max)
        size *= 2;
    sets->table_size = size;
    sets->table = memory_allocate_zeroed(query->context, size, sizeof *sets->table);
    sets->front = memory_allocate_zeroed(query->context, (size_t)max + 1, sizeof *sets->front);
    if (sets->table && sets->front)
        return 0;
    evaluated_sets_release(sets);
    return MEMMODEL_ERROR_NO_MEMORY;
}

void
evaluated_sets_release(struct evaluated_sets *sets)
{
    memory_release(sets->query->context, sets->table);
    memory_release(sets->query->context, sets->front);
    text_release(&sets->names);
    sets->table = sets->front = NULL;
}

bool
evaluated_sets_are_over(const struct evaluated_sets *sets)
{
    return sets->stopped || sets->count >= sets->max;
}

int
evaluated_sets_status(const struct evaluated_sets *sets)
{
    if (sets->stopped)
        return sets->stopped;
    return sets->count >= sets->max ? MEMMODEL_SEARCH_STATUS_LIMIT : MEMMODEL_SEARCH_STATUS_CONVERGED;
}

/* ---- the front ---- */

double
evaluated_sets_cost(const struct evaluated_sets *sets, const uint64_t *set)
{
    double cost = 0;
    bool recomputes = false;

    for (size_t i = 0; i < sets->scopes->count; i++) {
        if (!set_has(set, i))
            continue;
        cost += sets->scopes->items[i].cost;
        recomputes = true;
    }
    return recomputes ? cost : -1;
}

/* The last of the front that costs no more; NULL: none. */
static const struct evaluated_set *
front_at(const struct evaluated_sets *sets, double cost)
{
    const struct evaluated_set *found = NULL;

    for (size_t i = 0; i < sets->front_count && sets->front[i]->cost <= cost; i++)
        found = sets->front[i];
    return found;
}

bool
evaluated_sets_beat(const struct evaluated_sets *sets, const uint64_t *set, double cost, int64_t min)
{
    const struct evaluated_set *other = front_at(sets, cost);

    return (other && other->peak <= min) || *place_of(sets, set);
}

/* Those that it beats go. */
static void
add_to_front(struct evaluated_sets *sets, struct evaluated_set *evaluated)
{
    const struct evaluated_set *other = front_at(sets, evaluated->cost);
    size_t kept = 0, at = 0;

    if (other && other->peak <= evaluated->peak)
        return;
    for (size_t i = 0; i < sets->front_count; i++)
        if (sets->front[i]->cost < evaluated->cost || sets->front[i]->peak < evaluated->peak)
            sets->front[kept++] = sets->front[i];
    while (at < kept && sets->front[at]->cost < evaluated->cost)
        at++;
    memmove(&sets->front[at + 1], &sets->front[at], (kept - at) * sizeof *sets->front);
    sets->front[at] = evaluated;
    sets->front_count = kept + 1;
}

/* ---- simulating ---- */

/* The names of a set's scopes, separated by commas. */
static void
evaluated_sets_write_names(const struct evaluated_sets *sets, const uint64_t *set, struct text *text)
{
    size_t before = text->length;

    for (size_t i = 0; i < sets->scopes->count; i++)
        if (set_has(set, i))
            text_printf(text, "%s%s", text->length > before ? ", " : "", sets->scopes->items[i].name);
}

static int
simulate(struct evaluated_sets *sets, const uint64_t *set, int64_t *peak)
{
    sets->names.length = 0;
    text_append(&sets->names, "");
    evaluated_sets_write_names(sets, set, &sets->names);
    if (sets->names.failed)
        return MEMMODEL_ERROR_NO_MEMORY;
    sets->count++;
    sets->query->job.checkpoint = sets->names.bytes;
    return query_measure_bound(sets->query, peak);
}

static struct evaluated_set *
new_evaluated_set(struct evaluated_sets *sets, const uint64_t *set)
{
    struct evaluated_set *evaluated = arena_allocate(sets->arena, sizeof *evaluated);
    uint64_t *own = arena_copy(sets->arena, set, sets->words * sizeof *set);

    if (!evaluated || !own)
        return NULL;
    *evaluated = (struct evaluated_set){.set = own, .cost = evaluated_sets_cost(sets, set)};
    return evaluated;
}

/* What is best is the least peak. A caller who says stop is heard before the next simulation. */
static void
report(struct evaluated_sets *sets)
{
    memmodel_context *context = sets->query->context;

    context_report(context, "simulations", sets->count, sets->max, (double)sets->front[sets->front_count - 1]->peak);
    if (context_must_stop(context))
        sets->stopped = context_stop_status(context);
}

int
evaluated_sets_try(struct evaluated_sets *sets, const uint64_t *set)
{
    struct evaluated_set **place = place_of(sets, set), *evaluated;
    int status;

    if (*place || evaluated_sets_are_over(sets))
        return 0;
    evaluated = new_evaluated_set(sets, set);
    if (!evaluated)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = simulate(sets, set, &evaluated->peak);
    if (status)
        return status;
    *place = evaluated;
    add_to_front(sets, evaluated);
    report(sets);
    return 0;
}

int
evaluated_sets_end(struct evaluated_sets *sets, int status)
{
    if (sets->front_count == 0 || (status && status != MEMMODEL_ERROR_LIMIT && status != MEMMODEL_ERROR_CANCELLED))
        return status;
    if (status)
        sets->stopped =
            status == MEMMODEL_ERROR_LIMIT ? MEMMODEL_SEARCH_STATUS_LIMIT : MEMMODEL_SEARCH_STATUS_CANCELLED;
    if (sets->stopped)
        context_answered(sets->query->context);
    return 0;
}

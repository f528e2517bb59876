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
hash_of(const struct evaluated_sets *trials, const uint64_t *set)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < trials->words; i++)
        hash = (hash ^ set[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return (size_t)(hash >> 16) & (trials->table_size - 1);
}

/* Where the set stands in the table, or would stand. */
static struct evaluated_set **
place_of(const struct evaluated_sets *trials, const uint64_t *set)
{
    size_t place = hash_of(trials, set);

    while (trials->table[place] && memcmp(trials->table[place]->set, set, trials->words * sizeof *set) != 0)
        place = (place + 1) & (trials->table_size - 1);
    return &trials->table[place];
}

int
evaluated_sets_new(struct query *query, const struct scopes *scopes, struct arena *arena, int64_t most,
                   struct evaluated_sets *trials)
{
    size_t size = 64;

    *trials = (struct evaluated_sets){.query = query, .scopes = scopes, .arena = arena, .most = most};
    trials->words = scopes->count / 64 + 1;
    trials->names = TEXT_INIT(query->context);
    while ((int64_t)size < 2 * most)
        size *= 2;
    trials->table_size = size;
    trials->table = memory_allocate_zeroed(query->context, size, sizeof *trials->table);
    trials->front = memory_allocate_zeroed(query->context, (size_t)most + 1, sizeof *trials->front);
    if (trials->table && trials->front)
        return 0;
    evaluated_sets_release(trials);
    return MEMMODEL_ERROR_NO_MEMORY;
}

void
evaluated_sets_release(struct evaluated_sets *trials)
{
    memory_release(trials->query->context, trials->table);
    memory_release(trials->query->context, trials->front);
    text_release(&trials->names);
    trials->table = trials->front = NULL;
}

bool
evaluated_sets_are_over(const struct evaluated_sets *trials)
{
    return trials->stopped || trials->count >= trials->most;
}

int
evaluated_sets_status(const struct evaluated_sets *trials)
{
    if (trials->stopped)
        return trials->stopped;
    return trials->count >= trials->most ? MEMMODEL_SEARCH_STATUS_LIMIT : MEMMODEL_SEARCH_STATUS_CONVERGED;
}

/* ---- the front ---- */

double
evaluated_sets_cost(const struct evaluated_sets *trials, const uint64_t *set)
{
    double cost = 0;
    bool wraps = false;

    for (size_t i = 0; i < trials->scopes->count; i++) {
        if (!set_has(set, i))
            continue;
        cost += trials->scopes->items[i].cost;
        wraps = true;
    }
    return wraps ? cost : -1;
}

/* The last of the front that costs no more; NULL: none. */
static const struct evaluated_set *
front_at(const struct evaluated_sets *trials, double cost)
{
    const struct evaluated_set *found = NULL;

    for (size_t i = 0; i < trials->front_count && trials->front[i]->cost <= cost; i++)
        found = trials->front[i];
    return found;
}

bool
evaluated_sets_beat(const struct evaluated_sets *trials, const uint64_t *set, double cost, int64_t least)
{
    const struct evaluated_set *other = front_at(trials, cost);

    return (other && other->peak <= least) || *place_of(trials, set);
}

/* Those that it beats go. */
static void
add_to_front(struct evaluated_sets *trials, struct evaluated_set *trial)
{
    const struct evaluated_set *other = front_at(trials, trial->cost);
    size_t kept = 0, at = 0;

    if (other && other->peak <= trial->peak)
        return;
    for (size_t i = 0; i < trials->front_count; i++)
        if (trials->front[i]->cost < trial->cost || trials->front[i]->peak < trial->peak)
            trials->front[kept++] = trials->front[i];
    while (at < kept && trials->front[at]->cost < trial->cost)
        at++;
    memmove(&trials->front[at + 1], &trials->front[at], (kept - at) * sizeof *trials->front);
    trials->front[at] = trial;
    trials->front_count = kept + 1;
}

struct evaluated_set *
evaluated_sets_within(const struct evaluated_sets *trials, int64_t budget)
{
    for (size_t i = 0; i < trials->front_count; i++)
        if (trials->front[i]->peak <= budget)
            return trials->front[i];
    return NULL;
}

/* ---- simulating ---- */

void
evaluated_sets_write_names(const struct evaluated_sets *trials, const uint64_t *set, struct text *text)
{
    size_t before = text->length;

    for (size_t i = 0; i < trials->scopes->count; i++)
        if (set_has(set, i))
            text_printf(text, "%s%s", text->length > before ? ", " : "", trials->scopes->items[i].name);
}

static int
simulate(struct evaluated_sets *trials, const uint64_t *set, int64_t *peak)
{
    trials->names.length = 0;
    text_append(&trials->names, "");
    evaluated_sets_write_names(trials, set, &trials->names);
    if (trials->names.failed)
        return MEMMODEL_ERROR_NO_MEMORY;
    trials->count++;
    trials->query->job.checkpoint = trials->names.bytes;
    return query_measure_bound(trials->query, peak);
}

static struct evaluated_set *
new_trial(struct evaluated_sets *trials, const uint64_t *set)
{
    struct evaluated_set *trial = arena_allocate(trials->arena, sizeof *trial);
    uint64_t *own = arena_copy(trials->arena, set, trials->words * sizeof *set);

    if (!trial || !own)
        return NULL;
    *trial = (struct evaluated_set){.set = own, .cost = evaluated_sets_cost(trials, set)};
    return trial;
}

/* What is best is the least peak. A caller who says stop is heard before the next simulation. */
static void
report(struct evaluated_sets *trials)
{
    memmodel_context *context = trials->query->context;

    context_report(context, "simulations", trials->count, trials->most,
                   (double)trials->front[trials->front_count - 1]->peak);
    if (context_must_stop(context))
        trials->stopped =
            context_is_cancelled(context) ? MEMMODEL_SEARCH_STATUS_CANCELLED : MEMMODEL_SEARCH_STATUS_LIMIT;
}

int
evaluated_sets_try(struct evaluated_sets *trials, const uint64_t *set)
{
    struct evaluated_set **place = place_of(trials, set), *trial;
    int status;

    if (*place || evaluated_sets_are_over(trials))
        return 0;
    trial = new_trial(trials, set);
    if (!trial)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = simulate(trials, set, &trial->peak);
    if (status)
        return status;
    *place = trial;
    add_to_front(trials, trial);
    report(trials);
    return 0;
}

int
evaluated_sets_end(struct evaluated_sets *trials, int status)
{
    if (trials->front_count == 0 || (status && status != MEMMODEL_ERROR_LIMIT && status != MEMMODEL_ERROR_CANCELLED))
        return status;
    if (status)
        trials->stopped =
            status == MEMMODEL_ERROR_LIMIT ? MEMMODEL_SEARCH_STATUS_LIMIT : MEMMODEL_SEARCH_STATUS_CANCELLED;
    if (trials->stopped)
        context_answered(trials->query->context);
    return 0;
}

/*
 * The bytes that each candidate saves, and what it recomputes: seen in a simulation of one step with it alone, those of
 * a kind by the first of them. A recomputation ends with the last tensor that is saved, so the last layer may not run.
 */
#include "base/checked.h"
#include "recompute/search.h"

#include <string.h>

/* Live bytes when the backward pass begins; those of the end where there is none. */
static int64_t
live_before_backward(const struct memmodel_trace *trace)
{
    int64_t live = 0;

    for (size_t i = 0; i < trace->event_count && trace->events[i].phase != MEMMODEL_PHASE_BACKWARD; i++)
        live = trace->events[i].live;
    return live;
}

/* What a simulation with some scopes checkpointed shows: which layers were recomputed, and what was live. */
struct profile {
    bool *recomputed; /* of each layer */
    int64_t live;
};

static int
profile_job(struct query *query, const char *checkpoint, struct profile *profile)
{
    struct memmodel_job job = query->job;
    struct result result = {.peak_event = -1, .simulation.recomputed = profile->recomputed};
    int status;

    memset(profile->recomputed, 0, query->network->layer_count * sizeof *profile->recomputed);
    job.checkpoint = checkpoint;
    job.steps = job.gradient_accumulation = 1;
    status = pytorch_simulate(query->context, &query->binding, &job, &result.simulation);
    if (status)
        return status;
    profile->live = live_before_backward(result.simulation.trace);
    result_release(query->context, &result);
    return 0;
}

static double
recomputed_cost(const struct query *query, const struct scopes *scopes, const struct profile *profile)
{
    double cost = 0;

    for (size_t i = 0; i < query->network->layer_count; i++)
        if (profile->recomputed[i])
            cost += scopes->costs[i];
    return cost;
}

static int
profile_scope(struct evaluated_sets *sets, struct scopes *scopes, size_t index, int64_t all, struct profile *profile)
{
    struct candidate *item = &scopes->items[index];
    int status = profile_job(sets->query, item->name, profile);

    if (status)
        return status;
    sets->count++;
    item->saved = all - profile->live;
    item->cost = recomputed_cost(sets->query, scopes, profile);
    return 0;
}

/* Single scopes and then groups, the first of each kind; those beyond the number of simulations weigh nothing. */
static int
profile_all(struct evaluated_sets *sets, struct scopes *scopes, struct profile *profile)
{
    int64_t all, max = sets->max / 2;
    int status = profile_job(sets->query, "", profile);

    all = profile->live;
    sets->count++;
    for (int groups = 0; groups < 2; groups++)
        for (size_t i = 0; i < scopes->count && !status && sets->count < max; i++)
            if (scopes->items[i].kind == i && (scopes->items[i].modules != NULL) == groups)
                status = profile_scope(sets, scopes, i, all, profile);
    for (size_t i = 0; i < scopes->count; i++) {
        scopes->items[i].saved = scopes->items[scopes->items[i].kind].saved;
        scopes->items[i].cost = scopes->items[scopes->items[i].kind].cost;
    }
    return status;
}

int
scopes_profile(struct evaluated_sets *sets, struct scopes *scopes)
{
    memmodel_context *context = sets->query->context;
    struct profile profile = {.recomputed = memory_allocate_zeroed(context, sets->query->network->layer_count + 1,
                                                                   sizeof *profile.recomputed)};
    int status = profile.recomputed ? profile_all(sets, scopes, &profile) : MEMMODEL_ERROR_NO_MEMORY;

    memory_release(context, profile.recomputed);
    return status ? status : scopes_drop_redundant(context, scopes);
}

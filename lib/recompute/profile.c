/*
 * What each candidate keeps less, and what it computes again: seen in a simulation of one step with it alone, those of a
 * kind by the first of them. A recomputation ends with the last tensor that is saved, so the last layer may not run.
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

/* What a simulation with some scopes wrapped shows: which layers ran again, and what was live. */
struct weighing {
    bool *again; /* of each layer */
    int64_t live;
};

static int
weigh(struct query *query, const char *checkpoint, struct weighing *weighing)
{
    struct memmodel_job job = query->job;
    struct result result = {.peak_event = -1, .simulation.again = weighing->again};
    int status;

    memset(weighing->again, 0, query->network->layer_count * sizeof *weighing->again);
    job.checkpoint = checkpoint;
    job.steps = job.gradient_accumulation = 1;
    status = pytorch_simulate(query->context, &query->binding, &job, &result.simulation);
    if (status)
        return status;
    weighing->live = live_before_backward(result.simulation.trace);
    result_release(query->context, &result);
    return 0;
}

static double
cost_again(const struct query *query, const struct scopes *scopes, const struct weighing *weighing)
{
    double cost = 0;

    for (size_t i = 0; i < query->network->layer_count; i++)
        if (weighing->again[i])
            cost += scopes->costs[i];
    return cost;
}

static int
weigh_one(struct evaluated_sets *trials, struct scopes *scopes, size_t index, int64_t all, struct weighing *weighing)
{
    struct candidate *item = &scopes->items[index];
    int status = weigh(trials->query, item->name, weighing);

    if (status)
        return status;
    trials->count++;
    item->kept = all - weighing->live;
    item->cost = cost_again(trials->query, scopes, weighing);
    return 0;
}

/* Single scopes and then groups, the first of each kind; those beyond the number of simulations weigh nothing. */
static int
weigh_all(struct evaluated_sets *trials, struct scopes *scopes, struct weighing *weighing)
{
    int64_t all, most = trials->most / 2;
    int status = weigh(trials->query, "", weighing);

    all = weighing->live;
    trials->count++;
    for (int groups = 0; groups < 2; groups++)
        for (size_t i = 0; i < scopes->count && !status && trials->count < most; i++)
            if (scopes->items[i].kind == i && (scopes->items[i].modules != NULL) == groups)
                status = weigh_one(trials, scopes, i, all, weighing);
    for (size_t i = 0; i < scopes->count; i++) {
        scopes->items[i].kept = scopes->items[scopes->items[i].kind].kept;
        scopes->items[i].cost = scopes->items[scopes->items[i].kind].cost;
    }
    return status;
}

int
scopes_weigh(struct evaluated_sets *trials, struct scopes *scopes)
{
    memmodel_context *context = trials->query->context;
    struct weighing weighing = {
        .again = memory_allocate_zeroed(context, trials->query->network->layer_count + 1, sizeof *weighing.again)};
    int status = weighing.again ? weigh_all(trials, scopes, &weighing) : MEMMODEL_ERROR_NO_MEMORY;

    memory_release(context, weighing.again);
    return status ? status : scopes_drop_useless(context, scopes);
}

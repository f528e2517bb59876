/* What each candidate keeps less: seen in a simulation of one step with it alone, scopes of a kind by the first of them. */
#include "base/checked.h"
#include "recompute/search.h"

/* Live bytes when the backward pass begins; those of the end where there is none. */
static int64_t
live_before_backward(const struct memmodel_trace *trace)
{
    int64_t live = 0;

    for (size_t i = 0; i < trace->event_count && trace->events[i].phase != MEMMODEL_PHASE_BACKWARD; i++)
        live = trace->events[i].live;
    return live;
}

static int
weigh(struct query *query, const char *checkpoint, int64_t *live)
{
    struct memmodel_job job = query->job;
    struct result result = {.peak_event = -1};
    int status;

    job.checkpoint = checkpoint;
    job.steps = job.accumulate = 1;
    status = pytorch_simulate(query->context, &query->binding, &job, &result.simulation);
    if (status)
        return status;
    *live = live_before_backward(result.simulation.trace);
    result_release(query->context, &result);
    return 0;
}

/* Those beyond the number of simulations weigh nothing. */
static int
weigh_all(struct trials *trials, struct scopes *scopes)
{
    int64_t all, live, most = trials->most / 2;
    int status = weigh(trials->query, "", &all);

    trials->count++;
    for (size_t i = 0; i < scopes->count && !status; i++) {
        struct candidate *item = &scopes->items[i];

        item->kept = item->kind < i ? scopes->items[item->kind].kept : 0;
        if (item->kind < i || trials->count >= most)
            continue;
        status = weigh(trials->query, item->name, &live);
        if (!status)
            item->kept = all - live;
        trials->count++;
    }
    return status;
}

int
scopes_weigh(struct trials *trials, struct scopes *scopes)
{
    int status = weigh_all(trials, scopes);

    if (!status)
        scopes_drop_useless(scopes);
    return status;
}

/* The clock and the caller, looked at every thousand placements. */
#include "plan/budget.h"

#include "base/checked.h"
#include "base/clock.h"

#include <math.h>

enum { NODES_BETWEEN_LOOKS = 1024 };

#define SECONDS_BETWEEN_REPORTS 0.005

void
budget_start(struct budget *budget, memmodel_context *context, const struct memmodel_plan_options *options)
{
    *budget =
        (struct budget){.context = context, .options = options, .most_nodes = options->nodes, .began = seconds_now()};
    budget->deadline = options->seconds > 0 ? budget->began + options->seconds : (double)INFINITY;
    budget->next_report = budget->began;
    budget->next_look = min_i64(NODES_BETWEEN_LOOKS, budget->most_nodes);
}

double
budget_seconds(const struct budget *budget)
{
    return seconds_now() - budget->began;
}

static bool
is_told_to_stop(struct budget *budget, double now)
{
    if (!budget->options->progress || now < budget->next_report)
        return false;
    budget->next_report = now + SECONDS_BETWEEN_REPORTS;
    budget->best.nodes = budget->nodes;
    budget->best.seconds = now - budget->began;
    return budget->options->progress(budget->options->user, &budget->best) != 0;
}

bool
budget_look(struct budget *budget)
{
    double now = seconds_now();

    budget->next_look = min_i64(budget->nodes + NODES_BETWEEN_LOOKS, budget->most_nodes);
    if (budget->status)
        return true;
    if (context_is_used_up(budget->context, NODES_BETWEEN_LOOKS))
        budget->status = context_must_stop(budget->context) ? MEMMODEL_PLAN_CANCELLED : MEMMODEL_PLAN_LIMIT;
    else if (is_told_to_stop(budget, now))
        budget->status = MEMMODEL_PLAN_CANCELLED;
    else if (budget->nodes >= budget->most_nodes || now >= budget->deadline)
        budget->status = MEMMODEL_PLAN_LIMIT;
    return budget->status != 0;
}

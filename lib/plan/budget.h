/* How long a search may go on: placements, seconds, and a caller who may say stop. */
#ifndef PLAN_BUDGET_H
#define PLAN_BUDGET_H

#include "plan/plan.h"

struct budget {
    memmodel_context *context; /* whose limits hold besides */
    const struct memmodel_plan_options *options;
    struct memmodel_plan_result best;     /* what `progress` is told */
    int64_t nodes, most_nodes, next_look; /* placements tried, at most, and at which the clock is looked at again */
    double began, deadline, next_report;  /* seconds of the clock */
    int status; /* MEMMODEL_PLAN_LIMIT or MEMMODEL_PLAN_CANCELLED once it is used up, MEMMODEL_ERROR_NOMEM; else 0 */
};

void
budget_start(struct budget *budget, memmodel_context *context, const struct memmodel_plan_options *options);

double
budget_seconds(const struct budget *budget);

/* Looks at the clock and reports. True when the search has to end. */
bool
budget_look(struct budget *budget);

/* Counts work worth `nodes` placements; true when the search has to end. */
static inline bool
budget_spend(struct budget *budget, int64_t nodes)
{
    budget->nodes += nodes;
    return budget->nodes >= budget->next_look && budget_look(budget);
}

#endif

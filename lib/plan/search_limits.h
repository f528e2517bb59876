/* How long a search may go on: placements, seconds, and a caller who may say stop. */
#ifndef PLAN_SEARCH_LIMITS_H
#define PLAN_SEARCH_LIMITS_H

#include "plan/plan.h"
#include "plan/rules.h"

struct search_limits {
    memmodel_context *context; /* whose limits hold besides */
    const struct memmodel_plan_options *options;
    uint64_t without;                    /* rules, a sum of enum plan_rule */
    struct memmodel_plan_result best;    /* what is reported */
    int64_t nodes, max_nodes, next_look; /* placements tried, at most, and at which the clock is looked at again */
    double began, deadline;              /* seconds of the clock */
    int status; /* MEMMODEL_SEARCH_STATUS_LIMIT or MEMMODEL_SEARCH_STATUS_CANCELLED once it is used up, MEMMODEL_ERROR_NO_MEMORY; else 0 */
};

void
search_limits_start(struct search_limits *limits, memmodel_context *context,
                    const struct memmodel_plan_options *options);

double
search_limits_seconds(const struct search_limits *limits);

/* Looks at the clock and reports. True when the search has to end. */
bool
search_limits_look(struct search_limits *limits);

/* Counts work worth `nodes` placements; true when the search has to end. */
static inline bool
search_limits_spend(struct search_limits *limits, int64_t nodes)
{
    limits->nodes += nodes;
    return limits->nodes >= limits->next_look && search_limits_look(limits);
}

#endif

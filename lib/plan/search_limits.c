/* The clock and the caller, looked at every thousand placements. */
#include "plan/search_limits.h"

#include "base/checked.h"
#include "base/clock.h"

#include <math.h>

enum { NODES_BETWEEN_LOOKS = 1024 };

void
search_limits_start(struct search_limits *budget, memmodel_context *context,
                    const struct memmodel_plan_options *options)
{
    *budget = (struct search_limits){
        .context = context, .options = options, .most_nodes = options->max_nodes, .began = seconds_now()};
    budget->deadline = options->max_seconds > 0 ? budget->began + options->max_seconds : (double)INFINITY;
    budget->next_look = min_i64(NODES_BETWEEN_LOOKS, budget->most_nodes);
}

double
search_limits_seconds(const struct search_limits *budget)
{
    return seconds_now() - budget->began;
}

bool
search_limits_look(struct search_limits *budget)
{
    double now = seconds_now();

    budget->next_look = min_i64(budget->nodes + NODES_BETWEEN_LOOKS, budget->most_nodes);
    if (budget->status)
        return true;
    context_report(budget->context, "placements", budget->nodes, budget->most_nodes,
                   budget->best.peak ? (double)budget->best.peak : (double)NAN);
    if (context_is_used_up(budget->context, NODES_BETWEEN_LOOKS))
        budget->status =
            context_is_cancelled(budget->context) ? MEMMODEL_SEARCH_STATUS_CANCELLED : MEMMODEL_SEARCH_STATUS_LIMIT;
    else if (budget->nodes >= budget->most_nodes || now >= budget->deadline)
        budget->status = MEMMODEL_SEARCH_STATUS_LIMIT;
    return budget->status != 0;
}

/* The clock and the caller, looked at every thousand placements. */
#include "plan/search_limits.h"

#include "base/checked.h"
#include "base/clock.h"

#include <math.h>

enum { NODES_BETWEEN_LOOKS = 1024 };

void
search_limits_start(struct search_limits *limits, memmodel_context *context,
                    const struct memmodel_plan_options *options)
{
    *limits = (struct search_limits){
        .context = context, .options = options, .max_nodes = options->max_nodes, .began = seconds_now()};
    limits->deadline = options->max_seconds > 0 ? limits->began + options->max_seconds : (double)INFINITY;
    limits->next_look = min_i64(NODES_BETWEEN_LOOKS, limits->max_nodes);
}

double
search_limits_seconds(const struct search_limits *limits)
{
    return seconds_now() - limits->began;
}

bool
search_limits_look(struct search_limits *limits)
{
    double now = seconds_now();

    limits->next_look = min_i64(limits->nodes + NODES_BETWEEN_LOOKS, limits->max_nodes);
    if (limits->status)
        return true;
    context_report(limits->context, "placements", limits->nodes, limits->max_nodes,
                   limits->best.peak ? (double)limits->best.peak : (double)NAN);
    if (context_is_used_up(limits->context, NODES_BETWEEN_LOOKS))
        limits->status = context_stop_status(limits->context);
    else if (limits->nodes >= limits->max_nodes || now >= limits->deadline)
        limits->status = MEMMODEL_SEARCH_STATUS_LIMIT;
    return limits->status != 0;
}

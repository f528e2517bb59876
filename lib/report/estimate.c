/* From a network and a job to a report. */
#include "base/environment.h"
#include "report/report.h"

/* Nobody keeps the trace of what is asked for its peak alone. */
static int
forget_trace(struct query *query)
{
    query->peak_only = query->job.peak_only;
    return query->peak_only ? trace_new(query->context, &query->trace) : 0;
}

static int
estimate(struct query *query, memmodel_report **report)
{
    struct result result;
    int status = query_bind(query);

    if (!status)
        status = forget_trace(query);
    if (!status)
        status = result_of_query(query, &result);
    return status ? status : report_of_result(query, &result, report);
}

int
memmodel_estimate(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                  memmodel_report **report)
{
    OWN_ENVIRONMENT;
    struct query query;
    int status = network && report ? query_new(network, job, NULL, context, &query) : MEMMODEL_ERROR_INVALID_ARGUMENT;

    if (status)
        return status;
    status = estimate(&query, report);
    return query_end(&query, status);
}

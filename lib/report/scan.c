/* What a job needs, value by value of a symbol, and whether it fits. */
#include "report/report.h"
#include "base/environment.h"

#include <string.h>

/* -1: there is no such network. */
static struct memmodel_estimate_row
row_of(const struct memmodel_job *job, const char *kind, int64_t bytes)
{
    struct interval interval = interval_of(job, kind, bytes);

    return (struct memmodel_estimate_row){
        .peak = bytes,
        .peak_low = interval.low,
        .peak_high = interval.high,
        .interval_runs = interval.runs,
        .verdict = bytes < 0 ? MEMMODEL_VERDICT_NONE : verdict_within(job, &interval, bytes),
    };
}

static int
scan(struct query *query, size_t symbol, const int64_t *values, size_t count, struct memmodel_estimate_row *rows)
{
    const char *kind = memmodel_network_kind(query->network);

    for (size_t i = 0; i < count; i++) {
        int status = MEMMODEL_ERROR_INVALID_ARGUMENT;
        int64_t bytes = -1;

        if (values[i] > 0)
            status = query_measure(query, symbol, values[i], &bytes);
        else
            context_error(query->context, status, "values", "a symbol is positive; value %zu is %lld", i,
                          (long long)values[i]);
        if (status && status != MEMMODEL_ERROR_SHAPE)
            return status;
        rows[i] = row_of(&query->job, kind, bytes);
    }
    return 0;
}

int
memmodel_estimate_many(const memmodel_network *network, const struct memmodel_job *job, const char *symbol,
                       const int64_t *values, size_t count, memmodel_context *context,
                       struct memmodel_estimate_row *rows)
{
    OWN_ENVIRONMENT;
    struct query query;
    struct memmodel_estimate_row *own;
    size_t index;
    int status;

    if (!network || !symbol || (count && (!values || !rows)))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = query_new(network, job, symbol, context, &query);
    if (status)
        return status;
    own = memory_allocate_zeroed(query.context, count + 1, sizeof *own);
    status = own ? query_symbol(&query, symbol, &index) : MEMMODEL_ERROR_NO_MEMORY;
    if (!status)
        status = scan(&query, index, values, count, own);
    if (!status && count)
        memcpy(rows, own, count * sizeof *rows);
    memory_release(query.context, own);
    return query_end(&query, status);
}

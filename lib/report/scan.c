/* What a job needs, value by value of a symbol. */
#include "report/report.h"
#include "base/environment.h"

#include <string.h>

static int
scan(struct query *query, size_t symbol, const int64_t *values, size_t count, int64_t *bytes)
{
    for (size_t i = 0; i < count; i++) {
        int status = MEMMODEL_ERROR_INVALID_ARGUMENT;

        if (values[i] > 0)
            status = query_measure(query, symbol, values[i], &bytes[i]);
        else
            context_error(query->context, status, "values", "a symbol is positive; value %zu is %lld", i,
                          (long long)values[i]);
        if (status == MEMMODEL_ERROR_SHAPE)
            bytes[i] = -1;
        else if (status)
            return status;
    }
    return 0;
}

int
memmodel_estimate_many(const memmodel_network *network, const struct memmodel_job *job, const char *symbol,
                       const int64_t *values, size_t count, memmodel_context *context, int64_t *bytes)
{
    OWN_ENVIRONMENT;
    struct query query;
    int64_t *own;
    size_t index;
    int status;

    if (!network || !symbol || (count && (!values || !bytes)))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = query_new(network, job, symbol, context, &query);
    if (status)
        return status;
    own = memory_allocate_zeroed(query.context, count + 1, sizeof *own);
    status = own ? query_symbol(&query, symbol, &index) : MEMMODEL_ERROR_NO_MEMORY;
    if (!status)
        status = scan(&query, index, values, count, own);
    if (!status && count)
        memcpy(bytes, own, count * sizeof *bytes);
    memory_release(query.context, own);
    return query_end(&query, status);
}

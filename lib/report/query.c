/* A query: a job, and the network bound to its numbers. */
#include "report/report.h"

#include <string.h>

int
query_symbol(struct query *query, const char *name, size_t *symbol)
{
    return symbols_find(query->context, query->network, name, symbol);
}

static int
set_symbols(struct query *query, const char *free_symbol)
{
    size_t symbol;
    int status = free_symbol ? query_symbol(query, free_symbol, &symbol) : 0;

    for (size_t i = 0; i < query->job.symbol_count && !status; i++)
        status = symbols_set(query->context, query->network, query->job.symbols[i].name, query->job.symbols[i].value,
                             query->symbols);
    return status ? status : symbols_complete(query->context, query->network, query->symbols, free_symbol);
}

static int
begin(struct query *query, const struct memmodel_job *job, const char *free_symbol)
{
    int status = context_begin(query->context);

    if (!status)
        status = network_check(query->network, query->context);
    if (!status)
        status = job_take(query->context, job, &query->job, &query->framework);
    if (status)
        return status;
    query->symbols = memory_allocate_zeroed(query->context, expression_symbol_count(query->network->pool) + 1,
                                            sizeof *query->symbols);
    return query->symbols ? set_symbols(query, free_symbol) : MEMMODEL_ERROR_NO_MEMORY;
}

int
query_new(const memmodel_network *network, const struct memmodel_job *job, const char *free_symbol,
          memmodel_context *context, struct query *query)
{
    int status;

    memset(query, 0, sizeof *query);
    query->context = context ? context : network->context;
    query->network = network;
    status = begin(query, job, free_symbol);
    return status ? query_end(query, status) : 0;
}

int
query_bind(struct query *query)
{
    query_unbind(query);
    return binding_new(query->context, query->network, query->symbols, &query->binding);
}

void
query_unbind(struct query *query)
{
    if (query->binding.network)
        binding_release(query->context, &query->binding);
    memset(&query->binding, 0, sizeof query->binding);
}

int
query_end(struct query *query, int status)
{
    query_unbind(query);
    memmodel_trace_unref(query->trace);
    query->trace = NULL;
    optimizer_cache_release(query->context, &query->updates);
    memory_release(query->context, query->unmodelled);
    query->unmodelled = NULL;
    memory_release(query->context, query->symbols);
    query->symbols = NULL;
    return context_end(query->context, status);
}

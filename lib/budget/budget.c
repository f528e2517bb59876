/* memmodel_budget: means to need less memory, one after the other. */
#include "budget/budget.h"

#include "base/environment.h"
#include "base/checked.h"
#include "network/network.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[MEANS] = {
    [MEMMODEL_BUDGET_APART] = "apart",         [MEMMODEL_BUDGET_REUSE] = "reuse", [MEMMODEL_BUDGET_ORDER] = "order",
    [MEMMODEL_BUDGET_RECOMPUTE] = "recompute", [MEMMODEL_BUDGET_TILE] = "tile",   [MEMMODEL_BUDGET_BATCH] = "batch",
};

const char *
memmodel_budget_means_name(int means)
{
    return means >= 0 && means < MEANS ? names[means] : NULL;
}

/* ---- steps ---- */

static int
add_step(memmodel_budget *budget, int means, bool is_taken, int64_t peak, double extra, const char *what)
{
    const char *copy = arena_copy_text(&budget->arena, what);

    if (!copy)
        return MEMMODEL_ERROR_NOMEM;
    if (is_taken) {
        budget->result.peak = peak;
        budget->result.extra += (1 + budget->result.extra) * extra; /* the first one stays exact */
    }
    budget->steps[budget->count++] = (struct memmodel_budget_step){.size = sizeof *budget->steps,
                                                                   .peak = budget->result.peak,
                                                                   .extra = is_taken ? extra : 0,
                                                                   .what = copy,
                                                                   .means = means,
                                                                   .taken = is_taken};
    return 0;
}

int
budget_take(memmodel_budget *budget, int means, int64_t peak, double extra, const char *what, const char *why_not)
{
    bool is_less = budget->count == 0 || peak < budget->result.peak;

    return add_step(budget, means, is_less, peak, extra, is_less ? what : why_not);
}

int
budget_pass(memmodel_budget *budget, int means, const char *why)
{
    return add_step(budget, means, false, 0, 0, why);
}

/* ---- the query ---- */

static int
query_start(memmodel_network *network, const struct memmodel_job *job, struct budget_query *query)
{
    memmodel_context *context = job->context ? job->context : network->context;

    *query = (struct budget_query){.network = network, .job = *job};
    query->symbols = memory_allocate_zeroed(context, job->symbol_count + 1, sizeof *query->symbols);
    if (!query->symbols)
        return MEMMODEL_ERROR_NOMEM;
    for (size_t i = 0; i < job->symbol_count && job->symbols; i++) {
        query->symbols[i] = job->symbols[i];
        if (job->symbols[i].name && strcmp(job->symbols[i].name, "batch") == 0)
            query->batch = &query->symbols[i];
    }
    if (job->symbols)
        query->job.symbols = query->symbols;
    return 0;
}

/* ---- life ---- */

static memmodel_budget *
budget_start(memmodel_context *context, int64_t bytes)
{
    memmodel_budget *budget = memory_allocate_zeroed(context, 1, sizeof *budget);

    if (!budget)
        return NULL;
    *budget = (struct memmodel_budget){.context = memmodel_context_ref(context),
                                       .arena = ARENA_INIT(context),
                                       .bytes = bytes,
                                       .result = {.size = sizeof budget->result, .checkpoint = ""}};
    atomic_init(&budget->references, 1);
    return budget;
}

static int
fill(memmodel_budget *budget, struct budget_query *query)
{
    int status = (query->job.inference ? budget_inference : budget_training)(budget, query);

    if (status)
        return status;
    budget->result.fits = budget->result.peak <= budget->bytes;
    budget->result.batch = query->batch ? query->batch->value : 0;
    return budget_write(budget, query);
}

static int
make(memmodel_network *network, const struct memmodel_job *job, int64_t bytes, memmodel_budget **budget)
{
    memmodel_context *context = job->context ? job->context : network->context;
    struct budget_query query;
    memmodel_budget *new;
    int status = job_check_choices(context, job);

    if (status)
        return status;
    if (bytes <= 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget", "%" PRId64 " bytes; give more than 0",
                             bytes);
    new = budget_start(context, bytes);
    if (!new)
        return MEMMODEL_ERROR_NOMEM;
    status = query_start(network, job, &query);
    if (!status)
        status = fill(new, &query);
    memory_release(context, query.symbols);
    if (status)
        memmodel_budget_unref(new);
    else
        *budget = new;
    return status;
}

int
memmodel_budget_new(memmodel_network *network, const struct memmodel_job *job, int64_t bytes, memmodel_budget **budget)
{
    OWN_ENVIRONMENT;
    struct memmodel_job own = {.size = sizeof own};
    memmodel_context *context;
    int status;

    if (!network || !budget)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = network_check(network, network->context);
    if (!status && job)
        status = options_copy(network->context, "memmodel_job", job, &own, sizeof own);
    if (status)
        return status;
    context = own.context ? own.context : network->context;
    status = context_begin(context);
    return context_end(context, status ? status : make(network, &own, bytes, budget));
}

memmodel_budget *
memmodel_budget_ref(memmodel_budget *budget)
{
    if (budget)
        atomic_fetch_add(&budget->references, 1);
    return budget;
}

void
memmodel_budget_unref(memmodel_budget *budget)
{
    memmodel_context *context;

    if (!budget || atomic_fetch_sub(&budget->references, 1) > 1)
        return;
    context = budget->context;
    arena_release(&budget->arena);
    memory_release(context, budget);
    memmodel_context_unref(context);
}

/* ---- asking ---- */

int
memmodel_budget_result(const memmodel_budget *budget, struct memmodel_budget_result *result)
{
    if (!budget || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&budget->result, sizeof budget->result, result);
}

size_t
memmodel_budget_step_count(const memmodel_budget *budget)
{
    return budget ? budget->count : 0;
}

int
memmodel_budget_step(const memmodel_budget *budget, size_t index, struct memmodel_budget_step *step)
{
    if (!budget || !step)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (index >= budget->count)
        return context_error(budget->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no step %zu", index);
    return result_copy(&budget->steps[index], sizeof *budget->steps, step);
}

const char *
memmodel_budget_text(const memmodel_budget *budget)
{
    return budget ? budget->text : NULL;
}

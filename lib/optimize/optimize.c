/* memmodel_optimization: techniques to need less memory, one after the other. */
#include "optimize/optimize.h"

#include "base/environment.h"
#include "base/checked.h"
#include "network/network.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[TECHNIQUES] = {
    [MEMMODEL_TECHNIQUE_NO_REUSE] = "no reuse", [MEMMODEL_TECHNIQUE_REUSE] = "reuse",
    [MEMMODEL_TECHNIQUE_REORDER] = "reorder",   [MEMMODEL_TECHNIQUE_RECOMPUTE] = "recompute",
    [MEMMODEL_TECHNIQUE_TILE] = "tile",         [MEMMODEL_TECHNIQUE_BATCH] = "batch",
};

const char *
memmodel_technique_name(int technique)
{
    return technique >= 0 && technique < TECHNIQUES ? names[technique] : NULL;
}

/* ---- steps ---- */

static int
add_step(memmodel_optimization *optimization, int technique, bool is_applied, int64_t peak, double overhead,
         const char *detail)
{
    const char *copy = arena_copy_text(&optimization->arena, detail);

    if (!copy)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (is_applied) {
        optimization->result.peak = peak;
        optimization->result.overhead += (1 + optimization->result.overhead) * overhead; /* the first one stays exact */
    }
    optimization->steps[optimization->count++] =
        (struct memmodel_optimization_step){.size = sizeof *optimization->steps,
                                            .peak = optimization->result.peak,
                                            .overhead = is_applied ? overhead : 0,
                                            .detail = copy,
                                            .technique = technique,
                                            .applied = is_applied};
    return 0;
}

int
optimization_apply(memmodel_optimization *optimization, int technique, int64_t peak, double overhead,
                   const char *detail, const char *why_not)
{
    bool is_less = optimization->count == 0 || peak < optimization->result.peak;

    return add_step(optimization, technique, is_less, peak, overhead, is_less ? detail : why_not);
}

int
optimization_skip(memmodel_optimization *optimization, int technique, const char *why)
{
    return add_step(optimization, technique, false, 0, 0, why);
}

/* ---- the query ---- */

static int
query_start(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
            struct optimization_query *query)
{
    *query = (struct optimization_query){.context = context, .network = network, .job = *job};
    query->symbols = memory_allocate_zeroed(context, job->symbol_count + 1, sizeof *query->symbols);
    if (!query->symbols)
        return MEMMODEL_ERROR_NO_MEMORY;
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

static memmodel_optimization *
optimization_start(memmodel_context *context, int64_t budget)
{
    memmodel_optimization *optimization = memory_allocate_zeroed(context, 1, sizeof *optimization);

    if (!optimization)
        return NULL;
    *optimization = (struct memmodel_optimization){
        .context = memmodel_context_ref(context),
        .arena = ARENA_INIT(context),
        .budget = budget,
        .result = {.size = sizeof optimization->result, .checkpoint = "", .summary = ""}};
    atomic_init(&optimization->references, 1);
    return optimization;
}

static int
fill(memmodel_optimization *optimization, struct optimization_query *query)
{
    int status = (query->job.mode ? optimization_inference : optimization_training)(optimization, query);

    if (status)
        return status;
    optimization->result.verdict = verdict_of(optimization->budget, optimization->result.peak);
    optimization->result.batch = query->batch ? query->batch->value : 0;
    return optimization_summarize(optimization, query);
}

static int
make(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
     memmodel_optimization **optimization)
{
    struct optimization_query query;
    memmodel_optimization *new;
    int status = job_check_choices(context, job);

    if (status)
        return status;
    if (job->budget <= 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget", "%" PRId64 " bytes; give more than 0",
                             job->budget);
    new = optimization_start(context, job_limit(job));
    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = query_start(network, job, context, &query);
    if (!status)
        status = fill(new, &query);
    memory_release(context, query.symbols);
    if (status)
        memmodel_optimization_unref(new);
    else
        *optimization = new;
    return status;
}

int
memmodel_optimize(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                  memmodel_optimization **optimization)
{
    OWN_ENVIRONMENT;
    struct memmodel_job own = {.size = sizeof own};
    int status;

    if (!network || !optimization)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : network->context;
    status = context_begin(context);
    if (!status)
        status = network_check(network, context);
    if (!status && job)
        status = options_copy(context, "memmodel_job", job, &own, sizeof own);
    return context_end(context, status ? status : make(network, &own, context, optimization));
}

DEFINE_REF(memmodel_optimization)

void
memmodel_optimization_unref(memmodel_optimization *optimization)
{
    memmodel_context *context;

    if (!optimization || atomic_fetch_sub(&optimization->references, 1) > 1)
        return;
    context = optimization->context;
    arena_release(&optimization->arena);
    memory_release(context, optimization);
    memmodel_context_unref(context);
}

/* ---- asking ---- */

int
memmodel_optimization_get_result(const memmodel_optimization *optimization, struct memmodel_optimization_result *result)
{
    if (!optimization || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&optimization->result, sizeof optimization->result, result);
}

size_t
memmodel_optimization_step_count(const memmodel_optimization *optimization)
{
    return optimization ? optimization->count : 0;
}

int
memmodel_optimization_get_step(const memmodel_optimization *optimization, size_t index,
                               struct memmodel_optimization_step *step)
{
    if (!optimization || !step)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (index >= optimization->count)
        return context_error(optimization->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no step %zu",
                             index);
    return result_copy(&optimization->steps[index], sizeof *optimization->steps, step);
}

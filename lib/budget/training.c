/* A training step: what its framework holds, what is computed again, a smaller batch. */
#include "base/checked.h"
#include "base/text.h"
#include "budget/budget.h"
#include "memmodel/recompute.h"
#include "memmodel/report.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <string.h>

/* ---- the job as it is ---- */

/* All that was allocated until the end of the first step, and `besides`; 0 for rules without a trace. */
static int64_t
bytes_apart(const memmodel_trace *trace, int64_t besides)
{
    int64_t sum = trace ? besides : 0;

    for (size_t i = 0; trace && i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];
        int64_t bytes;

        if (event->release || event->step > 1)
            continue;
        if (!checked_multiply(trace->blocks[event->block].bytes, trace_times(trace, (int32_t)i), &bytes) ||
            !checked_accumulate(&sum, bytes))
            return INT64_MAX;
    }
    return sum;
}

static int64_t
measured(const struct memmodel_peak *peak, int measure)
{
    switch (measure) {
    case MEMMODEL_MEASURE_RESERVED:
        return peak->reserved;
    case MEMMODEL_MEASURE_PROCESS:
        return peak->process;
    default:
        return peak->live;
    }
}

static int
take_reuse(memmodel_budget *budget, const struct budget_query *query, const memmodel_report *report)
{
    struct memmodel_peak peak = {.size = sizeof peak};
    int64_t apart, needs;
    int status = memmodel_report_peak(report, &peak);

    if (status)
        return status;
    budget->result.measure = query->job.measure;
    needs = measured(&peak, query->job.measure);
    if (needs < 0)
        return context_error(budget->context, MEMMODEL_ERROR_UNSUPPORTED, NULL,
                             "the bytes of this job's process are not modelled");
    apart = bytes_apart(memmodel_report_trace(report), max_i64(0, needs - peak.live));
    status = budget_take(budget, MEMMODEL_BUDGET_APART, max_i64(apart, needs), 0, "", "");
    if (!status && !budget_is_met(budget))
        status = budget_take(budget, MEMMODEL_BUDGET_REUSE, needs, 0, "", "nothing is released");
    return status;
}

static int
try_reuse(memmodel_budget *budget, const struct budget_query *query)
{
    memmodel_report *report;
    int status = memmodel_estimate(query->network, &query->job, &report);

    if (status)
        return status;
    status = take_reuse(budget, query, report);
    memmodel_report_unref(report);
    return status;
}

/* ---- what is computed again ---- */

/* Of the job with this batch: where it is within the budget, or else as low as it can be. */
struct advice {
    memmodel_recomputation *search;
    struct memmodel_recomputation_result result;
    struct memmodel_recomputation_point point;
};

static int
advise(const memmodel_budget *budget, const struct budget_query *query, struct advice *advice)
{
    int status;

    advice->result = (struct memmodel_recomputation_result){.size = sizeof advice->result};
    advice->point = (struct memmodel_recomputation_point){.size = sizeof advice->point};
    status = memmodel_recomputation_solve(advice->search, &query->job, budget->bytes, 0);
    if (!status)
        status = memmodel_recomputation_result(advice->search, &advice->result);
    if (!status)
        status = memmodel_recomputation_point(advice->search, (size_t)advice->result.point, &advice->point);
    return status;
}

static int
keep_checkpoint(memmodel_budget *budget, struct budget_query *query, const char *checkpoint)
{
    const char *copy = arena_copy_text(&budget->arena, checkpoint);

    if (!copy)
        return MEMMODEL_ERROR_NOMEM;
    budget->result.checkpoint = query->job.checkpoint = copy;
    return 0;
}

static int
try_recomputation(memmodel_budget *budget, struct budget_query *query, struct advice *advice)
{
    int status;

    if (!advice->search)
        return budget_pass(budget, MEMMODEL_BUDGET_RECOMPUTE, "only steps of pytorch are simulated with it");
    status = advise(budget, query, advice);
    if (!status)
        status = budget_take(budget, MEMMODEL_BUDGET_RECOMPUTE, advice->result.peak, advice->result.extra,
                             advice->point.checkpoint, "no part of the network keeps more than it costs");
    if (!status && budget->steps[budget->count - 1].taken)
        status = keep_checkpoint(budget, query, advice->point.checkpoint);
    return status;
}

/* ---- the batch ---- */

/*
 * A smaller batch may need less of it computed again than the whole one: `extra` is what that adds to the time so far, below
 * 0, and `what` is told of it.
 */
static int
advise_again(memmodel_budget *budget, struct budget_query *query, struct advice *advice, struct text *what,
             double *extra)
{
    int status = advise(budget, query, advice);

    if (status || !advice->result.fits || advice->result.extra >= budget->result.extra)
        return status;
    *extra = (1 + advice->result.extra) / (1 + budget->result.extra) - 1;
    if (advice->point.scopes)
        text_printf(what, ", %s computed again", advice->point.checkpoint);
    else
        text_append(what, ", nothing computed again");
    return keep_checkpoint(budget, query, advice->point.checkpoint);
}

static int
measure(const struct budget_query *query, int64_t *bytes)
{
    struct memmodel_peak peak = {.size = sizeof peak};
    memmodel_report *report;
    int status = memmodel_estimate(query->network, &query->job, &report);

    if (status)
        return status;
    status = memmodel_report_peak(report, &peak);
    memmodel_report_unref(report);
    *bytes = measured(&peak, query->job.measure);
    return status;
}

static int
take_batch(memmodel_budget *budget, struct budget_query *query, struct advice *advice)
{
    struct text what = TEXT_INIT(budget->context);
    double extra = 0;
    int64_t bytes = 0;
    int status;

    text_printf(&what, "batch=%" PRId64, query->batch->value);
    status = *budget->result.checkpoint ? advise_again(budget, query, advice, &what, &extra) : 0;
    if (!status)
        status = measure(query, &bytes);
    if (!status)
        status = what.failed ? MEMMODEL_ERROR_NOMEM : 0;
    if (!status)
        status = budget_take(budget, MEMMODEL_BUDGET_BATCH, bytes, extra, what.bytes, "a smaller batch needs no less");
    text_release(&what);
    return status;
}

static int
try_batch(memmodel_budget *budget, struct budget_query *query, struct advice *advice)
{
    int64_t largest;
    int status;

    if (!query->batch || query->batch->value <= 1)
        return budget_pass(budget, MEMMODEL_BUDGET_BATCH,
                           query->batch ? "the batch is 1" : "the network has no symbol \"batch\"");
    status = memmodel_solve(query->network, &query->job, "batch", budget->bytes, &largest);
    if (status)
        return status;
    query->batch->value = max_i64(1, min_i64(largest, query->batch->value - 1));
    return take_batch(budget, query, advice);
}

/* ---- all ---- */

static int
run_means(memmodel_budget *budget, struct budget_query *query, struct advice *advice)
{
    int status = try_reuse(budget, query);

    if (!status && !budget_is_met(budget))
        status = budget_pass(budget, MEMMODEL_BUDGET_ORDER, "the framework runs the program's order");
    if (!status && !budget_is_met(budget))
        status = try_recomputation(budget, query, advice);
    if (!status && !budget_is_met(budget))
        status = budget_pass(budget, MEMMODEL_BUDGET_TILE, "a step trains on whole samples");
    if (!status && !budget_is_met(budget))
        status = try_batch(budget, query, advice);
    return status;
}

int
budget_training(memmodel_budget *budget, struct budget_query *query)
{
    bool is_pytorch = !query->job.framework || strcmp(query->job.framework, "pytorch") == 0;
    struct advice advice = {.search = NULL};
    int status;

    if (query->job.measure == MEMMODEL_MEASURE_DEFAULT)
        query->job.measure = memmodel_measure_default(query->job.framework);
    status = is_pytorch ? memmodel_recomputation_new(query->network, &advice.search) : 0;

    if (!status)
        status = run_means(budget, query, &advice);
    memmodel_recomputation_unref(advice.search);
    return status;
}

/* A training step: what its framework holds, what is recomputed, a smaller batch. */
#include "base/checked.h"
#include "base/text.h"
#include "frameworks/framework.h"
#include "optimize/optimize.h"
#include "memmodel/recompute.h"
#include "memmodel/report.h"
#include "report/report.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <string.h>

/* ---- the job as it is ---- */

/* All that was allocated until the end of the first step, and `besides`; 0 for rules without a trace. */
static int64_t
unshared_bytes(const memmodel_trace *trace, int64_t besides)
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
bytes_of_metric(const struct memmodel_report_result *peak, int metric)
{
    switch (metric) {
    case MEMMODEL_METRIC_RESERVED:
        return peak->reserved;
    case MEMMODEL_METRIC_PROCESS:
        return peak->process;
    default:
        return peak->live;
    }
}

static int
apply_reuse(memmodel_optimization *optimization, const struct optimization_query *query, const memmodel_report *report)
{
    struct memmodel_report_result peak = {.size = sizeof peak};
    int64_t unshared, needs;
    int status = memmodel_report_get_result(report, &peak);

    if (status)
        return status;
    optimization->result.metric = query->job.metric;
    needs = bytes_of_metric(&peak, query->job.metric);
    if (needs < 0)
        return context_error(optimization->context, MEMMODEL_ERROR_UNSUPPORTED, NULL,
                             "the bytes of this job's process are not modelled");
    unshared = unshared_bytes(memmodel_report_trace(report), max_i64(0, needs - peak.live));
    status = optimization_apply(optimization, MEMMODEL_TECHNIQUE_NO_REUSE, max_i64(unshared, needs), 0, "", "");
    if (!status && !optimization_is_met(optimization))
        status = optimization_apply(optimization, MEMMODEL_TECHNIQUE_REUSE, needs, 0, "", "nothing is released");
    return status;
}

static int
try_reuse(memmodel_optimization *optimization, const struct optimization_query *query)
{
    memmodel_report *report;
    int status = memmodel_estimate(query->network, &query->job, query->context, &report);

    if (status)
        return status;
    status = apply_reuse(optimization, query, report);
    memmodel_report_unref(report);
    return status;
}

/* ---- recomputation ---- */

static bool
recomputes(const struct optimization_query *query)
{
    struct memmodel_job job = query->job;
    const struct framework *framework;

    job_complete(&job);
    framework = framework_named(job.framework);
    return framework && (framework->options & FRAMEWORK_CHECKPOINT);
}

/* Of the job with this batch: where it is within the budget, or else as low as it can be. */
struct advice {
    memmodel_recomputation *found; /* owns what the point says */
    struct memmodel_recomputation_result result;
    struct memmodel_recomputation_point point;
};

static int
advise(const struct optimization_query *query, struct advice *advice)
{
    int status;

    advice->result = (struct memmodel_recomputation_result){.size = sizeof advice->result};
    advice->point = (struct memmodel_recomputation_point){.size = sizeof advice->point};
    memmodel_recomputation_unref(advice->found);
    advice->found = NULL;
    status = memmodel_recompute(query->network, &query->job, NULL, query->context, &advice->found);
    if (!status)
        status = memmodel_recomputation_get_result(advice->found, &advice->result);
    if (!status)
        status = memmodel_recomputation_get_point(advice->found, (size_t)advice->result.selected_point, &advice->point);
    return status;
}

static int
keep_checkpoint(memmodel_optimization *optimization, struct optimization_query *query, const char *checkpoint)
{
    const char *copy = arena_copy_text(&optimization->arena, checkpoint);

    if (!copy)
        return MEMMODEL_ERROR_NO_MEMORY;
    optimization->result.checkpoint = query->job.checkpoint = copy;
    return 0;
}

static int
try_recomputation(memmodel_optimization *optimization, struct optimization_query *query, struct advice *advice)
{
    int status;

    if (!recomputes(query))
        return optimization_skip(optimization, MEMMODEL_TECHNIQUE_RECOMPUTE,
                                 "only steps of pytorch are simulated with it");
    status = advise(query, advice);
    if (!status)
        status =
            optimization_apply(optimization, MEMMODEL_TECHNIQUE_RECOMPUTE, advice->result.peak, advice->result.overhead,
                               advice->point.checkpoint, "no part of the network keeps more than it costs");
    if (!status && optimization->steps[optimization->count - 1].applied)
        status = keep_checkpoint(optimization, query, advice->point.checkpoint);
    return status;
}

/* ---- the batch ---- */

/*
 * A smaller batch may need less of it recomputed than the whole one: `overhead` is what that adds to the time so far,
 * below 0, and `detail` says so.
 */
static int
advise_again(memmodel_optimization *optimization, struct optimization_query *query, struct advice *advice,
             struct text *detail, double *overhead)
{
    int status = advise(query, advice);

    if (status || advice->result.verdict != MEMMODEL_VERDICT_FITS ||
        advice->result.overhead >= optimization->result.overhead)
        return status;
    *overhead = (1 + advice->result.overhead) / (1 + optimization->result.overhead) - 1;
    if (advice->point.segment_count)
        text_printf(detail, ", %s recomputed", advice->point.checkpoint);
    else
        text_append(detail, ", nothing recomputed");
    return keep_checkpoint(optimization, query, advice->point.checkpoint);
}

static int
measure(const struct optimization_query *query, int64_t *bytes)
{
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_report *report;
    int status = memmodel_estimate(query->network, &query->job, query->context, &report);

    if (status)
        return status;
    status = memmodel_report_get_result(report, &peak);
    memmodel_report_unref(report);
    *bytes = bytes_of_metric(&peak, query->job.metric);
    return status;
}

static int
take_batch(memmodel_optimization *optimization, struct optimization_query *query, struct advice *advice)
{
    struct text detail = TEXT_INIT(optimization->context);
    double overhead = 0;
    int64_t bytes = 0;
    int status;

    text_printf(&detail, "batch=%" PRId64, query->batch->value);
    status = *optimization->result.checkpoint ? advise_again(optimization, query, advice, &detail, &overhead) : 0;
    if (!status)
        status = measure(query, &bytes);
    if (!status)
        status = detail.failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
    if (!status)
        status = optimization_apply(optimization, MEMMODEL_TECHNIQUE_BATCH, bytes, overhead, detail.bytes,
                                    "a smaller batch needs no less");
    text_release(&detail);
    return status;
}

static int
try_batch(memmodel_optimization *optimization, struct optimization_query *query, struct advice *advice)
{
    int64_t largest;
    int status;

    if (!query->batch || query->batch->value <= 1)
        return optimization_skip(optimization, MEMMODEL_TECHNIQUE_BATCH,
                                 query->batch ? "the batch is 1" : "the network has no symbol \"batch\"");
    status = memmodel_estimate_max(query->network, &query->job, "batch", query->context, &largest);
    if (status)
        return status;
    query->batch->value = max_i64(1, min_i64(largest, query->batch->value - 1));
    return take_batch(optimization, query, advice);
}

/* ---- all ---- */

static int
run_techniques(memmodel_optimization *optimization, struct optimization_query *query, struct advice *advice)
{
    int status = try_reuse(optimization, query);

    if (!status && !optimization_is_met(optimization))
        status = optimization_skip(optimization, MEMMODEL_TECHNIQUE_REORDER, "the framework runs the program's order");
    if (!status && !optimization_is_met(optimization))
        status = try_recomputation(optimization, query, advice);
    if (!status && !optimization_is_met(optimization))
        status = optimization_skip(optimization, MEMMODEL_TECHNIQUE_TILE, "a step trains on whole samples");
    if (!status && !optimization_is_met(optimization))
        status = try_batch(optimization, query, advice);
    return status;
}

int
optimization_training(memmodel_optimization *optimization, struct optimization_query *query)
{
    struct advice advice = {.found = NULL};
    int status;

    if (query->job.metric == MEMMODEL_METRIC_DEFAULT)
        query->job.metric = memmodel_metric_default(query->job.framework);
    status = run_techniques(optimization, query, &advice);
    memmodel_recomputation_unref(advice.found);
    return status;
}

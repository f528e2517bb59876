/* From a trace and a job to a report. */
#include "base/checked.h"
#include "base/environment.h"
#include "report/report.h"

#include <string.h>

/* ---- the table of layers: a row for each name that owns memory ---- */

static struct memmodel_report_layer *
row_of(memmodel_report *report, const struct memmodel_trace *trace, int32_t *rows, int32_t name)
{
    struct memmodel_report_layer *row;

    if (rows[name] == 0) {
        row = &report->layers[report->layer_count];
        *row = (struct memmodel_report_layer){
            .size = sizeof *row, .name = trace->names[name], .op = "", .shape = "", .symbolic_shape = ""};
        rows[name] = (int32_t)++report->layer_count;
    }
    return &report->layers[rows[name] - 1];
}

/* Whether it is an activation that the forward pass of the first step makes. */
static bool
is_output(const struct memmodel_trace *trace, const struct trace_block *block)
{
    const struct trace_event *event = &trace->events[block->allocated];

    return event->step == 1 && event->phase == MEMMODEL_PHASE_FORWARD &&
           (block->category == MEMMODEL_CATEGORY_SAVED_ACTIVATIONS ||
            block->category == MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS);
}

/* No sum is greater than that of all bytes that were ever allocated. */
static bool
count_block(const struct memmodel_trace *trace, const struct trace_block *block, int64_t live,
            struct memmodel_report_layer *row)
{
    row->peak_by_category[block->category] += live;
    row->peak_bytes += live;
    if (block->category == MEMMODEL_CATEGORY_PARAMETERS && !checked_accumulate(&row->parameter_bytes, block->bytes))
        return false;
    return !is_output(trace, block) || checked_accumulate(&row->output_bytes, block->bytes);
}

static int
count_blocks(memmodel_report *report, memmodel_context *context, const struct result *result, int32_t *rows)
{
    const struct memmodel_trace *trace = result->simulation.trace;

    for (size_t i = 0; i < trace->block_count; i++) {
        const struct trace_block *block = &trace->blocks[i];
        int64_t live = result_live_at_peak(result, block);
        bool fits = count_block(trace, block, live, &report->total);

        if (fits && block->layer >= 0)
            fits = count_block(trace, block, live, row_of(report, trace, rows, block->layer));
        if (!fits)
            return context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL, "a total does not fit in 63 bits");
    }
    return context_check(context, context_nodes(trace->block_count));
}

int
report_add_trace_layers(memmodel_report *report, const struct query *query, const struct result *result)
{
    size_t names = result->simulation.trace->name_count;
    int32_t *rows = memory_allocate_zeroed(query->context, names + 1, sizeof *rows);
    int status = MEMMODEL_ERROR_NO_MEMORY;

    report->layers = arena_allocate(&report->arena, (names + 1) * sizeof *report->layers);
    if (rows && report->layers)
        status = count_blocks(report, query->context, result, rows);
    memory_release(query->context, rows);
    return status;
}

/* ---- the call ---- */

static int32_t
step_count(const struct memmodel_trace *trace)
{
    int32_t last = 0;

    for (size_t i = 0; i < trace->event_count; i++)
        last = (int32_t)max_i64(last, trace->events[i].step);
    return last;
}

/* A trace does not say which optimizer made it. */
static int
take_job(struct query *query, const memmodel_trace *trace, const struct memmodel_job *job)
{
    struct memmodel_job given;
    int status = options_copy(query->context, "memmodel_job", job, &given, sizeof given);

    if (!status)
        status = job_take(query->context, job, &query->job, &query->framework);
    if (!status && !given.optimizer)
        query->job.optimizer = "";
    if (!status && (!query->framework->simulate || query->framework->process_simulated))
        status = context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->job.framework,
                               "takes a network; a trace alone does not say what its process holds");
    query->peak_only = query->job.peak_only;
    query->whole_steps = (int)min_i64(query->job.steps, step_count(trace));
    query->job.steps = step_count(trace);
    return status;
}

static int
copy_unmodelled(struct query *query, const memmodel_trace *trace, struct simulation *simulation)
{
    simulation->unmodelled =
        memory_allocate(query->context, (trace->unmodelled_count + 1) * sizeof *simulation->unmodelled);
    if (!simulation->unmodelled)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (trace->unmodelled_count > 0)
        memcpy(simulation->unmodelled, trace->unmodelled, trace->unmodelled_count * sizeof *trace->unmodelled);
    simulation->unmodelled_count = trace->unmodelled_count;
    return 0;
}

static int
estimate(struct query *query, const memmodel_trace *trace, const struct memmodel_job *job, memmodel_report **report)
{
    struct result result;
    int status = context_begin(query->context);

    if (!status)
        status = take_job(query, trace, job);
    if (status)
        return status;
    status = result_of_trace(query, trace, &result);
    if (!status)
        status = copy_unmodelled(query, trace, &result.simulation);
    if (!status)
        return report_of_result(query, &result, report);
    result_release(query->context, &result);
    return status;
}

int
memmodel_trace_estimate(const memmodel_trace *trace, const struct memmodel_job *job, memmodel_context *context,
                        memmodel_report **report)
{
    OWN_ENVIRONMENT;
    struct query query = {.network = NULL};

    if (!trace || !report)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    query.context = context ? context : trace->context;
    return query_end(&query, estimate(&query, trace, job, report));
}

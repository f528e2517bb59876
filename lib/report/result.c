/*
 * The bytes of one estimate: simulated and replayed through the framework's allocator, or counted by a textbook rule.
 */
#include "allocators/allocator.h"
#include "base/checked.h"
#include "report/process.h"
#include "report/report.h"
#include "trace/repeat.h"

#include <stdlib.h>
#include <string.h>

/* ---- textbook ---- */

static int
count(struct query *query, struct result *result)
{
    int64_t quantities[TEXTBOOK_QUANTITY_COUNT], total = 0;
    struct textbook_rule rule;
    int status = textbook_rule_of_job(query->context, &query->job, &rule);

    if (!status)
        status = textbook_count(query->context, &query->binding, &query->job, quantities);
    if (!status)
        status = textbook_categories(query->context, &rule, quantities, result->categories);
    if (status)
        return status;
    for (int i = 0; i < CATEGORIES; i++)
        if (!checked_accumulate(&total, result->categories[i]))
            return context_error(query->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the bytes do not fit in 63 bits");
    result->peak.live = result->peak.reserved = total;
    result->peak.process = -1;
    return 0;
}

/* ---- simulation ---- */

/* Resident bytes of what the framework's allocator takes. Where nobody knows, or malloc refuses, all of it. */
static int
measure_resident(struct query *query, const struct framework_memory *memory, const struct result *result,
                 int64_t *resident)
{
    struct replay replayed = {.out_of_memory = true};
    int status = 0;

    if (memory && memory->process)
        status = allocator_replay(query->context, allocator_find(memory->process), memory->settings,
                                  result->simulation.trace, &replayed);
    if (!status)
        *resident = replayed.out_of_memory ? result->peak.reserved : replayed.resident_peak;
    return status;
}

/* An exact allocator holds what is live, and nothing besides. */
static int
measure_reserved(struct query *query, const struct framework_memory *memory, struct result *result)
{
    const struct allocator *allocator = memory ? allocator_find(memory->allocator) : &allocator_exact;
    struct replay replayed = {.reserved_peak = result->peak.live};
    int status = 0;

    if (allocator != &allocator_exact)
        status = allocator_replay(query->context, allocator, NULL, result->simulation.trace, &replayed);
    result->peak.reserved = replayed.reserved_peak;
    return status;
}

/*
 * Where the metric does not ask for the bytes of the process, they are measured if that takes well below a second:
 * malloc goes by more than the order of its chunks, so that each time step of a long loop is run.
 */
static bool
wants_process(const struct query *query, const struct memmodel_trace *trace)
{
    enum { MAX_LEFT_OUT = 1 << 18 };

    if (query->job.metric == MEMMODEL_METRIC_PROCESS)
        return true;
    return !query->peak_only && trace_left_out(trace) <= MAX_LEFT_OUT;
}

static int
measure_allocator(struct query *query, const struct framework *framework, struct result *result)
{
    const struct framework_memory *memory = framework_memory_on(framework, query->job.device);
    int64_t resident = 0;
    int status = measure_reserved(query, memory, result);

    result->peak.process = -1;
    if (status)
        return status;
    if (!wants_process(query, result->simulation.trace))
        return 0;
    status = measure_resident(query, memory, result, &resident);
    if (!status && !checked_accumulate(&resident, framework->process_bytes))
        status = context_error(query->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the bytes do not fit in 63 bits");
    if (!status)
        result->peak.process = resident;
    return status;
}

/* Live bytes and what they are for, as the trace has them. */
static void
fill_live(const struct query *query, struct result *result)
{
    const struct memmodel_trace *trace = result->simulation.trace;

    if (trace->peak_only) {
        result->peak.live = trace->peak;
        return;
    }
    result->peak_event = trace_peak_event(trace, 0);
    result->peak.live = result->peak_event < 0 ? 0 : trace->events[result->peak_event].live;
    if (result->peak_event >= 0 && !query->peak_only)
        trace_categories_at(trace, result->peak_event, 0, result->categories);
}

/* The peak of the live bytes, whoever holds them and in whatever blocks. */
static bool
only_live_asked(const struct query *query)
{
    return query->peak_only && query->job.metric == MEMMODEL_METRIC_LIVE && strcmp(query->job.device, "cpu") == 0;
}

/* Steps beyond which the peak of live bytes is not to be found, if nothing else is asked for. */
static int32_t
steps_of_peak(const struct query *query, const struct framework *framework)
{
    const struct memmodel_job *job = &query->job;

    if (!framework->settled_step || !only_live_asked(query))
        return job->steps;
    return (int32_t)min_i64(job->steps, framework->settled_step(job));
}

/* The bytes of the trace, once it is there. */
static int
measure(struct query *query, const struct framework *framework, struct result *result)
{
    if (strcmp(query->job.device, "cuda") == 0)
        return result_of_gpu(query, result);
    fill_live(query, result);
    if (!framework->process_simulated)
        return measure_allocator(query, framework, result);
    return process_measure(query->context, &result->simulation, query->job.base_bytes, framework->process_bytes,
                           &result->peak);
}

/* One of the orders in which the framework may run. */
static int
simulate_draw(struct query *query, const struct framework *framework, int draw, struct result *result)
{
    struct memmodel_job job = query->job;
    int status;

    job.steps = steps_of_peak(query, framework);
    result->simulation.draw = draw;
    if (query->trace)
        trace_clear(query->trace);
    result->simulation.spare = query->trace;
    result->simulation.updates = only_live_asked(query) ? &query->updates : NULL;
    status = framework->simulate(query->context, &query->binding, &job, &result->simulation);
    return status ? status : measure(query, framework, result);
}

/* Bytes of the process in each of the orders that are drawn. */
static int
measure_draws(struct query *query, const struct framework *framework, const struct result *begun, int64_t *process)
{
    int status = 0;

    for (int draw = 0; draw < framework->draws && !status; draw++) {
        struct result drawn = *begun;

        status = simulate_draw(query, framework, draw, &drawn);
        process[draw] = drawn.peak.process;
        result_release(query->context, &drawn);
    }
    return status;
}

/* Exact for any draws, whose bytes differ little. */
static int64_t
mean_of(const int64_t *process, int count)
{
    int64_t sum = 0;

    for (int i = 1; i < count; i++)
        sum += process[i] - process[0];
    return process[0] + sum / count;
}

static int
nearest_draw(const int64_t *process, int count, int64_t mean)
{
    int nearest = 0;

    for (int i = 1; i < count; i++)
        if (llabs(process[i] - mean) < llabs(process[nearest] - mean))
            nearest = i;
    return nearest;
}

/* The draw that comes nearest to what a run takes on average. All of them are written into one trace. */
static int
choose_draw(struct query *query, const struct framework *framework, const struct result *begun, int *draw,
            int64_t *mean)
{
    int64_t process[FRAMEWORK_MAX_DRAWS];
    int status = query->trace ? 0 : trace_new(query->context, &query->trace);

    if (!status)
        status = measure_draws(query, framework, begun, process);

    if (status)
        return status;
    *mean = mean_of(process, framework->draws);
    *draw = nearest_draw(process, framework->draws, *mean);
    return 0;
}

/* Of several draws the one that is chosen is made again: kept until then, all of them would take that much memory. */
static int
simulate(struct query *query, const struct framework *framework, struct result *result)
{
    int64_t mean = 0;
    int draw = 0, status = 0;

    if (framework->draws > 1)
        status = choose_draw(query, framework, result, &draw, &mean);
    if (!status)
        status = simulate_draw(query, framework, draw, result);
    if (status)
        result_release(query->context, result);
    else if (framework->draws > 1)
        result->peak.process = mean;
    return status;
}

static void
begin(struct result *result)
{
    memset(result, 0, sizeof *result);
    result->peak.size = sizeof result->peak;
    result->peak_event = -1;
}

int
result_of_trace(struct query *query, const struct memmodel_trace *trace, struct result *result)
{
    begin(result);
    result->simulation.trace = memmodel_trace_ref((memmodel_trace *)trace);
    return measure(query, query->framework, result);
}

int
result_of_query(struct query *query, struct result *result)
{
    begin(result);
    return query->framework->simulate ? simulate(query, query->framework, result) : count(query, result);
}

int64_t
peak_of_metric(const struct memmodel_report_result *peak, int metric)
{
    const int64_t bytes[] = {
        [MEMMODEL_METRIC_DEFAULT] = -1,
        [MEMMODEL_METRIC_LIVE] = peak->live,
        [MEMMODEL_METRIC_RESERVED] = peak->reserved,
        [MEMMODEL_METRIC_PROCESS] = peak->process,
    };

    return bytes[metric];
}

int
query_measure(struct query *query, size_t symbol, int64_t value, int64_t *bytes)
{
    int status;

    query->symbols[symbol] = value;
    status = query_bind(query);
    return status ? status : query_measure_bound(query, bytes);
}

int
query_measure_bound(struct query *query, int64_t *bytes)
{
    struct result result;
    int64_t measured;
    int status;

    query->peak_only = true;
    status = query->trace ? 0 : trace_new(query->context, &query->trace);
    if (!status)
        status = result_of_query(query, &result);
    if (status)
        return status;
    measured = peak_of_metric(&result.peak, query->job.metric);
    memory_release(query->context, query->unmodelled);
    query->unmodelled = result.simulation.unmodelled;
    query->unmodelled_count = result.simulation.unmodelled_count;
    result.simulation.unmodelled = NULL;
    result_release(query->context, &result);
    if (measured < 0)
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->job.framework,
                             "%s bytes are not modelled for this framework; live ones are",
                             memmodel_metric_name(query->job.metric));
    *bytes = measured;
    return 0;
}

int64_t
result_live_at_peak(const struct result *result, const struct trace_block *block)
{
    if (result->peak_event < 0)
        return 0;
    return block->bytes * trace_live_at(result->simulation.trace, block, result->peak_event, result->peak_copy);
}

void
result_release(memmodel_context *context, struct result *result)
{
    memmodel_trace_unref(result->simulation.trace);
    memory_release(context, result->simulation.unmodelled);
    memory_release(context, result->simulation.heap);
    memory_release(context, result->step_peaks);
    result->step_peaks = NULL;
    memset(&result->simulation, 0, sizeof result->simulation);
}

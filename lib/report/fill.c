/* A report of a result: copied numbers, where the peak is, and the tables. */
#include "network/formula.h"
#include "report/report.h"

#include <string.h>

static int
report_new(memmodel_context *context, memmodel_report **report)
{
    struct memmodel_report *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->context = memmodel_context_ref(context);
    atomic_init(&new->references, 1);
    new->arena = ARENA_INIT(context);
    new->result = (struct memmodel_report_result){.size = sizeof new->result,
                                                  .peak_location = "",
                                                  .assumptions = "",
                                                  .warning = "",
                                                  .engine = "rules",
                                                  .summary = "",
                                                  .cheapest_change = "",
                                                  .max_batch = -1};
    new->total = (struct memmodel_report_layer){
        .size = sizeof new->total, .name = "total", .op = "", .shape = "", .symbolic_shape = ""};
    *report = new;
    return 0;
}

static int
copy_step_peaks(memmodel_report *report, const struct result *result)
{
    const struct memmodel_trace *trace = result->simulation.trace;

    report->result.step_count = trace ? report->job.steps : 1;
    report->step_peaks =
        arena_allocate(&report->arena, ((size_t)report->result.step_count + 1) * sizeof *report->step_peaks);
    if (!report->step_peaks)
        return MEMMODEL_ERROR_NO_MEMORY;
    report->step_peaks[0] = result->peak.live;
    if (result->step_peaks)
        memcpy(report->step_peaks, result->step_peaks, (size_t)report->result.step_count * sizeof *report->step_peaks);
    else if (trace)
        trace_step_peaks(trace, report->result.step_count, report->step_peaks);
    return 0;
}

/* "conv", or what a custom operator is called where it has a name: "aten.pow.Tensor_Scalar". */
static const char *
operator_of(const struct layer *layer)
{
    const struct memmodel_custom *custom = layer->options;

    return layer->op == OP_CUSTOM && custom->operation ? custom->operation : op_name(layer->op);
}

/*
 * The names of a simulated trace are those of the network's layers; that of a program has lines instead, and may have
 * been before its first step.
 */
static void
describe_event(struct text *text, const struct query *query, const struct memmodel_trace *trace,
               const struct trace_event *event)
{
    const struct trace_block *block = &trace->blocks[event->block];

    if (event->layer >= 0 && query->network)
        text_printf(text, "%s (%s), ", trace->names[event->layer], operator_of(&query->network->layers[event->layer]));
    else if (event->layer >= 0)
        text_printf(text, "%s, ", trace->names[event->layer]);
    if (block->line >= 0)
        text_printf(text, "%s, ", trace->names[block->line]);
    text_append(text, memmodel_phase_name(event->phase));
    if (event->step > 0)
        text_printf(text, " of step %d", event->step);
}

static int
describe_peak(memmodel_report *report, const struct query *query, const struct result *result)
{
    const struct memmodel_trace *trace = result->simulation.trace;
    struct text text = TEXT_INIT(report->context);

    if (!trace || result->peak_event < 0)
        return 0;
    describe_event(&text, query, trace, &trace->events[result->peak_event]);
    report->result.peak_location = text.failed ? NULL : arena_copy_text(&report->arena, text.bytes);
    text_release(&text);
    return report->result.peak_location ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

int
unmodelled_copy(struct arena *arena, const struct unmodelled *unmodelled, size_t count,
                struct memmodel_report_unmodelled **copy)
{
    struct memmodel_report_unmodelled *own = arena_allocate(arena, (count + 1) * sizeof *own);

    if (!own)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const char *op = arena_copy_text(arena, unmodelled[i].op);

        if (!op)
            return MEMMODEL_ERROR_NO_MEMORY;
        own[i] = (struct memmodel_report_unmodelled){sizeof *own, op, unmodelled[i].bytes};
    }
    *copy = own;
    return 0;
}

/* What is newer than the rules is taken for the newest that they know. */
static int
warn_of_version(memmodel_report *report, const struct query *query)
{
    const struct framework *framework = query->framework;
    struct text text = TEXT_INIT(report->context);

    if (!framework_is_newer(framework, report->job.framework_version))
        return 0;
    text_printf(&text, "%s %s is newer than %s, the newest that is known", framework->name,
                report->job.framework_version, framework->versions.newest);
    report->result.warning = text.failed ? NULL : arena_copy_text(&report->arena, text.bytes);
    text_release(&text);
    return report->result.warning ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
name_engine(memmodel_report *report, const struct memmodel_trace *trace)
{
    report->result.engine = arena_copy_text(&report->arena, trace->engine ? trace->engine : "trace");
    return report->result.engine ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
copy_result(memmodel_report *report, const memmodel_network *network, struct result *result)
{
    const struct simulation *simulation = &result->simulation;
    int status;

    report->result.live = result->peak.live;
    report->result.reserved = result->peak.reserved;
    report->result.process = result->peak.process;
    report->unmodelled_count = simulation->unmodelled_count;
    status = report_judge(report, network);
    return status ? status
                  : unmodelled_copy(&report->arena, simulation->unmodelled, simulation->unmodelled_count,
                                    &report->unmodelled);
}

static int
add_tables(memmodel_report *report, const struct query *query, const struct result *result)
{
    struct formula_space *space;
    int status;

    if (!query->network) {
        status = report_add_trace_layers(report, query, result);
        return status ? status : report_add_lines(report, query, result);
    }
    status = formula_space_new(query->context, query->network, &space);
    if (status)
        return status;
    status = report_add_layers(report, query, result, space);
    if (!status)
        status = report_add_formulas(report, query, space);
    formula_space_free(space);
    return status;
}

/* All but the peak. */
static int
detail(memmodel_report *report, const struct query *query, const struct result *result)
{
    int status = copy_step_peaks(report, result);

    memcpy(report->categories, result->categories, sizeof report->categories);
    if (!status)
        status = describe_peak(report, query, result);
    if (!status)
        status = add_tables(report, query, result);
    if (!status && result->simulation.trace)
        report->trace = memmodel_trace_ref(result->simulation.trace);
    return status;
}

static int
fill(memmodel_report *report, const struct query *query, struct result *result)
{
    int status = job_keep(&report->arena, &query->job, &report->job);

    if (!status)
        status = warn_of_version(report, query);
    if (!status && !query->network)
        status = name_engine(report, result->simulation.trace);
    if (!status)
        status = copy_result(report, query->network, result);
    return status || query->job.peak_only ? status : detail(report, query, result);
}

int
report_of_result(struct query *query, struct result *result, memmodel_report **report)
{
    struct memmodel_report *new;
    int status = report_new(query->context, &new);

    if (!status) {
        status = fill(new, query, result);
        if (status)
            memmodel_report_unref(new);
    }
    result_release(query->context, result);
    if (!status)
        *report = new;
    return status;
}

/*
 * A report as one HTML page: page.html with its style, its scripts and the report's data as JSON in it.
 *
 * Of a trace of more than MAX_POINTS events, the highest of each interval is kept, and the peak of each step. Of more
 * than MAX_ROWS layers, those that hold most at the peak. A page that is drawn again while a slider moves
 * (bindings/web) does with QUICK_POINTS.
 */
#include "base/file.h"
#include "base/text.h"
#include "report/quick_data.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 4000, QUICK_POINTS = 1000, MAX_ROWS = 4000 };

/* Writes `"key":` and a value; members are set apart by the caller's commas. */

static void
write_text(struct text *page, const char *key, const char *value)
{
    text_printf(page, "\"%s\":", key);
    text_append_json(page, value);
}

static void
write_bytes(struct text *page, const int64_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(page, "%s%" PRId64, i ? "," : "", bytes[i]);
}

static void
write_job(struct text *page, const struct memmodel_job *job)
{
    const char *const texts[][2] = {
        {"framework", job->framework},
        {"framework_version", job->framework_version},
        {"device", job->device},
        {"gpu", job->gpu},
        {"metric", memmodel_metric_name(job->metric)},
        {"optimizer", job->optimizer},
        {"isa", job->isa},
        {"precision", job->precision},
        {"checkpoint", job->checkpoint},
        {"allocator_settings", job->allocator_settings},
        {"cublas_workspace", job->cublas_workspace},
        {"graph_optimization", job->graph_optimization},
    };

    text_append(page, "\"job\":{");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(page, texts[i][0], texts[i][1]);
        text_append(page, ",");
    }
    text_printf(page, "\"intra_op_threads\":%d,\"inference\":%s,\"keep_gradients\":%s,\"gradient_accumulation\":%d,",
                job->intra_op_threads, job->mode ? "true" : "false", job->keep_gradients ? "true" : "false",
                job->gradient_accumulation);
    if (job->parallel) {
        write_text(page, "mesh", job->parallel->mesh);
        text_append(page, ",");
        write_text(page, "data", job->parallel->data);
        text_append(page, ",");
        write_text(page, "tensor", job->parallel->tensor);
        text_append(page, ",");
        write_text(page, "pipeline", job->parallel->pipeline);
        text_append(page, ",");
        write_text(page, "context", job->parallel->context);
        text_append(page, ",");
        write_text(page, "experts", job->parallel->experts);
        text_printf(page, ",\"rank\":%" PRId64 ",", job->parallel->rank);
    }
    text_append(page, "\"symbols\":[");
    for (size_t i = 0; i < job->symbol_count; i++) {
        text_append(page, i ? ",[" : "[");
        text_append_json(page, job->symbols[i].name);
        text_printf(page, ",%" PRId64 "]", job->symbols[i].value);
    }
    text_append(page, "]}");
}

static void
write_summary(struct text *page, const memmodel_report *report)
{
    const struct memmodel_report_result *peak = &report->result;

    text_printf(page, ",\n\"peak\":[%" PRId64 ",%" PRId64 ",%" PRId64 "],", peak->live, peak->reserved, peak->process);
    write_text(page, "summary", peak->summary);
    text_append(page, ",");
    write_text(page, "peak_location", report->result.peak_location);
    text_append(page, ",");
    write_text(page, "engine", report->result.engine);
    text_append(page, ",");
    write_text(page, "warning", report->result.warning);
    text_printf(page, ",\"validated\":%d,\"steps\":[", report->result.validated);
    write_bytes(page, report->step_peaks, (size_t)report->result.step_count);
    text_append(page, "],\n\"categories\":[");
    for (int i = 0; i < CATEGORIES; i++) {
        text_append(page, i ? "," : "");
        text_append_json(page, memmodel_category_name(i));
    }
    text_append(page, "],\"held\":[");
    write_bytes(page, report->categories, CATEGORIES);
    text_append(page, "],");
    write_text(page, "assumptions", report->result.assumptions);
}

static void
write_lists(struct text *page, const memmodel_report *report)
{
    text_append(page, ",\n\"changes\":[");
    for (size_t i = 0; i < report->change_count; i++) {
        const struct memmodel_report_change *change = &report->changes[i];

        text_append(page, i ? ",[" : "[");
        text_append_json(page, change->name);
        text_printf(page, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", change->live, change->reserved,
                    change->process, change->saving);
    }
    text_append(page, "],\n\"formulas\":[");
    for (size_t i = 0; i < report->formula_count; i++) {
        text_append(page, i ? ",[" : "[");
        text_append_json(page, report->formulas[i].name);
        text_append(page, ",");
        text_append_json(page, report->formulas[i].text[MEMMODEL_LANGUAGE_TEXT]);
        text_append(page, "]");
    }
    text_append(page, "],\n\"unmodelled\":[");
    for (size_t i = 0; i < report->unmodelled_count; i++) {
        text_append(page, i ? ",[" : "[");
        text_append_json(page, report->unmodelled[i].op);
        text_printf(page, ",%" PRId64 "]", report->unmodelled[i].bytes);
    }
    text_append(page, "]");
}

/* Those that hold or leave something. */
static void
write_lines(struct text *page, const memmodel_report *report)
{
    bool first = true;

    text_append(page, ",\n\"lines\":[");
    for (size_t i = 0; i < report->line_count && i < MAX_ROWS; i++) {
        const struct memmodel_report_line *line = &report->lines[i];

        if (line->peak_bytes == 0 && line->growth_bytes == 0)
            continue;
        text_append(page, first ? "[" : ",\n[");
        text_append_json(page, line->line);
        text_printf(page, ",%" PRId64 ",%" PRId64 "]", line->peak_bytes, line->growth_bytes);
        first = false;
    }
    text_append(page, "]");
}

/* ---- layers ---- */

static int
compare_falling(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left < right) - (left > right);
}

/* Fewest bytes at the peak of a layer that is shown: -1 if all are. */
static int
min_shown(const memmodel_report *report, memmodel_context *context, int64_t *min)
{
    int64_t *bytes;

    *min = -1;
    if (report->layer_count <= MAX_ROWS)
        return 0;
    bytes = memory_allocate(context, report->layer_count * sizeof *bytes);
    if (!bytes)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < report->layer_count; i++)
        bytes[i] = report->layers[i].peak_bytes;
    qsort(bytes, report->layer_count, sizeof *bytes, compare_falling);
    *min = bytes[MAX_ROWS - 1];
    memory_release(context, bytes);
    return 0;
}

static void
write_layer(struct text *page, const struct memmodel_report_layer *layer)
{
    const int64_t numbers[] = {layer->parameter_count, layer->activation_count, layer->multiply_adds,
                               layer->peak_bytes};

    text_append(page, "[");
    text_append_json(page, layer->name);
    text_append(page, ",");
    text_append_json(page, layer->op);
    text_append(page, ",");
    text_append_json(page, layer->shape);
    text_append(page, ",");
    text_append_json(page, layer->symbolic_shape);
    text_append(page, ",");
    write_bytes(page, numbers, sizeof numbers / sizeof numbers[0]);
    text_append(page, ",[");
    write_bytes(page, layer->peak_by_category, CATEGORIES);
    text_append(page, "]]");
}

static int
write_layers(struct text *page, const memmodel_report *report)
{
    int64_t min;
    size_t shown = 0;
    int status = min_shown(report, page->context, &min);

    if (status)
        return status;
    text_append(page, ",\n\"layers\":[");
    for (size_t i = 0; i < report->layer_count && shown < MAX_ROWS; i++) {
        if (report->layers[i].peak_bytes < min)
            continue;
        text_append(page, shown++ ? ",\n" : "");
        write_layer(page, &report->layers[i]);
    }
    text_printf(page, "],\"layers_left_out\":%zu,\n\"total\":", report->layer_count - shown);
    write_layer(page, &report->total);
    return 0;
}

/* ---- timeline ---- */

/* Marks the highest event of each of `count` intervals, of each step, and the last one. */
static void
mark_points(const struct memmodel_trace *trace, size_t count, char *shown)
{
    size_t step = 0, interval = 0;

    for (size_t i = 1; i <= trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];
        bool end = i == trace->event_count;

        if (end || event->step != trace->events[step].step) {
            shown[step] = 1;
            step = i;
        } else if (event->live > trace->events[step].live) {
            step = i;
        }
        if (end || i * count / trace->event_count != (i - 1) * count / trace->event_count) {
            shown[interval] = 1;
            interval = i;
        } else if (event->live > trace->events[interval].live) {
            interval = i;
        }
    }
    shown[trace->event_count - 1] = 1;
}

/* [index, step, phase, running layer, bytes, layer of the block, what, live by category ...] */
static void
write_point(struct text *page, const struct memmodel_trace *trace, size_t index, const int64_t *live)
{
    const struct trace_event *event = &trace->events[index];
    const struct trace_block *block = &trace->blocks[event->block];

    text_printf(page, "[%zu,%d,%d,%d,%" PRId64 ",%d,", index, event->step, event->phase, event->layer,
                event->release ? -block->bytes : block->bytes, block->layer);
    text_append_json(page, block->what ? block->what : "");
    text_append(page, ",");
    write_bytes(page, live, CATEGORIES);
    text_append(page, "]");
}

static void
write_points(struct text *page, const struct memmodel_trace *trace, const char *shown)
{
    int64_t live[MEMMODEL_MAX_CATEGORIES] = {0};
    bool first = true;

    for (size_t i = 0; i < trace->event_count && text_spend(page, 1); i++) {
        trace_follow(trace, (int32_t)i, live);
        if (!shown[i])
            continue;
        text_append(page, first ? "" : ",\n");
        write_point(page, trace, i, live);
        first = false;
    }
}

/* Names of the layers that the shown points name; {} keeps the others away. */
static int
write_names(struct text *page, const struct memmodel_trace *trace, const char *shown)
{
    char *used = memory_allocate_zeroed(page->context, trace->name_count + 1, 1);
    bool first = true;

    if (!used)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < trace->event_count && text_spend(page, 1); i++) {
        if (!shown[i])
            continue;
        used[trace->events[i].layer + 1] = 1;
        used[trace->blocks[trace->events[i].block].layer + 1] = 1;
    }
    for (size_t i = 0; i < trace->name_count; i++) {
        if (!used[i + 1])
            continue;
        text_printf(page, "%s\"%zu\":", first ? "" : ",", i);
        text_append_json(page, trace->names[i]);
        first = false;
    }
    memory_release(page->context, used);
    return 0;
}

static int
write_timeline(struct text *page, const memmodel_report *report, size_t max_points)
{
    const struct memmodel_trace *trace = report->trace;
    char *shown;
    int status;

    if (!trace || !trace->event_count)
        return 0;
    shown = memory_allocate_zeroed(page->context, trace->event_count, 1);
    if (!shown)
        return MEMMODEL_ERROR_NO_MEMORY;
    mark_points(trace, max_points, shown);
    text_printf(page, ",\n\"phases\":[\"%s\",\"%s\",\"%s\",\"%s\"]", memmodel_phase_name(0), memmodel_phase_name(1),
                memmodel_phase_name(2), memmodel_phase_name(3));
    text_printf(page, ",\"events\":%zu,\"names\":{", trace->event_count);
    status = write_names(page, trace, shown);
    text_append(page, "},\n\"points\":[");
    write_points(page, trace, shown);
    text_append(page, "]");
    memory_release(page->context, shown);
    return status;
}

/* ---- the page ---- */

static int
write_data(struct text *page, const memmodel_report *report, bool quick)
{
    int status;

    text_append(page, "{");
    write_job(page, &report->job);
    write_summary(page, report);
    write_lists(page, report);
    write_lines(page, report);
    status = write_layers(page, report);
    if (!status)
        status = write_timeline(page, report, quick ? QUICK_POINTS : MAX_POINTS);
    if (!status && !quick)
        status = write_placement(page, report);
    text_append(page, "}");
    return status;
}

/* Gives `text` the page; an error where `status` is one. */
static int
finish(struct text *page, int status, char **text)
{
    if (!status)
        status = text_finish_to(page, text);
    text_release(page);
    return status ? MEMMODEL_ERROR_NO_MEMORY : 0;
}

static int
html_of_report(const void *object, memmodel_context *context, char **text)
{
    struct text page = TEXT_INIT(context);
    int status;

    text_append(&page, page_before);
    status = write_data(&page, object, false);
    text_append(&page, page_after);
    return finish(&page, status, text);
}

int
memmodel_report_to_html(const memmodel_report *report, memmodel_context *context, char **text)
{
    return file_hand_out(report, context, html_of_report, text);
}

static int
quick_data_of_report(const void *object, memmodel_context *context, char **text)
{
    struct text page = TEXT_INIT(context);

    return finish(&page, write_data(&page, object, true), text);
}

int
report_to_quick_data(const memmodel_report *report, memmodel_context *context, char **text)
{
    return file_hand_out(report, context, quick_data_of_report, text);
}

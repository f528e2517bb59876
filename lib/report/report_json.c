/* A report as JSON; doc/guide/formats.md, "report". */
#include "base/file.h"
#include "base/json.h"
#include "report/report.h"

#include <string.h>

enum { FORMAT_VERSION = 1 };

/* jansson steals the reference of a value that it is given, and takes NULL (no memory) for a failure of its own. */

static json_t *
peak_json(const struct memmodel_report_result *peak)
{
    return json_pack("{sI sI so}", "live", (json_int_t)peak->live, "reserved", (json_int_t)peak->reserved, "process",
                     peak->process < 0 ? json_null() : json_integer((json_int_t)peak->process));
}

static json_t *
max_batch_json(const struct memmodel_report_result *result)
{
    return result->max_batch < 0 ? json_null() : json_integer((json_int_t)result->max_batch);
}

static json_t *
interval_json(const struct memmodel_report_result *result)
{
    if (result->interval_runs == 0)
        return json_null();
    return json_pack("{sI sI si}", "low", (json_int_t)result->peak_low, "high", (json_int_t)result->peak_high, "runs",
                     (int)result->interval_runs);
}

static json_t *
categories_json(const int64_t bytes[MEMMODEL_MAX_CATEGORIES])
{
    json_t *categories = json_object();

    for (int i = 0; i < CATEGORIES; i++)
        json_object_set_new(categories, memmodel_category_name(i), json_integer((json_int_t)bytes[i]));
    return categories;
}

static json_t *
layer_json(const struct memmodel_report_layer *layer)
{
    return json_pack("{ss ss ss ss sI sI sI sI sI sI sI so}", "name", layer->name, "op", layer->op, "shape",
                     layer->shape, "symbolic_shape", layer->symbolic_shape, "activation_count",
                     (json_int_t)layer->activation_count, "output_bytes", (json_int_t)layer->output_bytes,
                     "parameter_count", (json_int_t)layer->parameter_count, "trainable_count",
                     (json_int_t)layer->trainable_count, "parameter_bytes", (json_int_t)layer->parameter_bytes,
                     "multiply_adds", (json_int_t)layer->multiply_adds, "peak_bytes", (json_int_t)layer->peak_bytes,
                     "peak_by_category", categories_json(layer->peak_by_category));
}

static json_t *
layers_json(memmodel_context *context, const memmodel_report *report, int *status)
{
    enum { NODES_PER_LAYER = 16 };
    json_t *layers = json_array();

    for (size_t i = 0; i < report->layer_count && !*status; i++) {
        *status = context_check(context, NODES_PER_LAYER);
        json_array_append_new(layers, layer_json(&report->layers[i]));
    }
    return layers;
}

static json_t *
lines_json(const memmodel_report *report)
{
    json_t *lines = json_array();

    for (size_t i = 0; i < report->line_count; i++)
        json_array_append_new(lines, json_pack("{ss sI sI}", "line", report->lines[i].line, "peak_bytes",
                                               (json_int_t)report->lines[i].peak_bytes, "growth_bytes",
                                               (json_int_t)report->lines[i].growth_bytes));
    return lines;
}

static json_t *
formulas_json(const memmodel_report *report)
{
    json_t *formulas = json_object();

    for (size_t i = 0; i < report->formula_count; i++) {
        const struct formula *formula = &report->formulas[i];

        json_object_set_new(formulas, formula->name,
                            json_pack("{ss ss ss ss}", "text", formula->text[MEMMODEL_LANGUAGE_TEXT], "c",
                                      formula->text[MEMMODEL_LANGUAGE_C], "python",
                                      formula->text[MEMMODEL_LANGUAGE_PYTHON], "latex",
                                      formula->text[MEMMODEL_LANGUAGE_LATEX]));
    }
    return formulas;
}

static json_t *
step_peaks_json(const memmodel_report *report)
{
    json_t *peaks = json_array();

    for (int i = 0; i < report->result.step_count; i++)
        json_array_append_new(peaks, json_integer((json_int_t)report->step_peaks[i]));
    return peaks;
}

json_t *
unmodelled_json(const struct memmodel_report_unmodelled *unmodelled, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array,
                              json_pack("{ss sI}", "op", unmodelled[i].op, "bytes", (json_int_t)unmodelled[i].bytes));
    return array;
}

static json_t *
change_json(const struct memmodel_report_change *change)
{
    return json_pack("{ss sI sI so sI}", "name", change->name, "live", (json_int_t)change->live, "reserved",
                     (json_int_t)change->reserved, "process",
                     change->process < 0 ? json_null() : json_integer((json_int_t)change->process), "saving",
                     (json_int_t)change->saving);
}

static json_t *
what_if_json(const memmodel_report *report)
{
    json_t *changes = json_array();

    for (size_t i = 0; i < report->change_count; i++)
        json_array_append_new(changes, change_json(&report->changes[i]));
    return changes;
}

static json_t *
symbols_json(const struct memmodel_job *job)
{
    json_t *symbols = json_object();

    for (size_t i = 0; i < job->symbol_count; i++)
        json_object_set_new(symbols, job->symbols[i].name, json_integer((json_int_t)job->symbols[i].value));
    return symbols;
}

/* Of a job with processes that train together alone. */
static json_t *
with_parallel(json_t *job, const struct memmodel_parallel *parallel)
{
    if (parallel)
        json_object_set_new(job, "parallel",
                            json_pack("{ss ss ss ss ss ss ss sI}", "mesh", parallel->mesh, "data", parallel->data,
                                      "tensor", parallel->tensor, "pipeline", parallel->pipeline, "context",
                                      parallel->context, "experts", parallel->experts, "backend", parallel->backend,
                                      "rank", (json_int_t)parallel->rank));
    return job;
}

static json_t *
job_json(const struct memmodel_job *job)
{
    json_t *json = json_pack(
        "{ss ss ss ss ss ss ss ss ss ss ss ss ss ss sb si si si sI si so}", "framework", job->framework,
        "framework_version", job->framework_version, "textbook_rule", job->textbook_rule, "device", job->device, "gpu",
        job->gpu, "metric", memmodel_metric_name(job->metric), "allocator_settings", job->allocator_settings,
        "cublas_workspace", job->cublas_workspace, "optimizer", job->optimizer, "isa", job->isa, "precision",
        job->precision, "checkpoint", job->checkpoint, "graph_optimization", job->graph_optimization, "mode",
        memmodel_mode_name(job->mode), "keep_gradients", job->keep_gradients, "steps", job->steps, "intra_op_threads",
        job->intra_op_threads, "gradient_accumulation", job->gradient_accumulation, "budget", (json_int_t)job->budget,
        "safety_percent", job->safety_percent, "symbols", symbols_json(job));

    return with_parallel(json, job->parallel);
}

static int
json_of_report(const void *object, memmodel_context *context, char **text)
{
    const memmodel_report *report = object;
    int status = 0;
    json_t *root, *layers = layers_json(context, report, &status);

    if (status) {
        json_decref(layers);
        return status;
    }
    root = json_pack("{ss si ss so so ss ss ss so so sI sb ss so ss sI so so so so so ss so so}", "format",
                     "memmodel-report", "version", FORMAT_VERSION, "engine", report->result.engine, "job",
                     job_json(&report->job), "peak", peak_json(&report->result), "verdict",
                     memmodel_verdict_name(report->result.verdict), "summary", report->result.summary,
                     "cheapest_change", report->result.cheapest_change, "max_batch", max_batch_json(&report->result),
                     "interval", interval_json(&report->result), "headroom", (json_int_t)report->result.headroom,
                     "validated", report->result.validated, "warning", report->result.warning, "step_peaks",
                     step_peaks_json(report), "peak_location", report->result.peak_location, "parameter_count",
                     (json_int_t)report->total.parameter_count, "categories", categories_json(report->categories),
                     "total", layer_json(&report->total), "layers", layers, "lines", lines_json(report), "formulas",
                     formulas_json(report), "assumptions", report->result.assumptions, "unmodelled",
                     unmodelled_json(report->unmodelled, report->unmodelled_count), "what_if", what_if_json(report));
    return json_write(context, root, text);
}

int
memmodel_report_to_json(const memmodel_report *report, memmodel_context *context, char **text)
{
    return file_hand_out(report, context, json_of_report, text);
}

/* What a report answers. */
#include "report/report.h"
#include "base/checked.h"

#include <string.h>

DEFINE_REF(memmodel_report)

void
memmodel_report_unref(memmodel_report *report)
{
    memmodel_context *context;

    if (!report || atomic_fetch_sub(&report->references, 1) != 1)
        return;
    context = report->context;
    memmodel_trace_unref(report->trace);
    memmodel_report_unref(report->base);
    arena_release(&report->arena);
    memory_release(context, report);
    memmodel_context_unref(context);
}

int
memmodel_report_get_result(const memmodel_report *report, struct memmodel_report_result *result)
{
    if (!report)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&report->result, sizeof report->result, result);
}

int64_t
memmodel_report_step_peak(const memmodel_report *report, size_t index)
{
    if (!report || index >= (size_t)report->result.step_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return report->step_peaks[index];
}

int64_t
memmodel_report_category_bytes(const memmodel_report *report, int category)
{
    if (!report || category < 0 || category >= CATEGORIES)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return report->categories[category];
}

size_t
memmodel_report_layer_count(const memmodel_report *report)
{
    return report ? report->layer_count : 0;
}

int
memmodel_report_get_layer(const memmodel_report *report, size_t index, struct memmodel_report_layer *layer)
{
    if (!report || index >= report->layer_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&report->layers[index], sizeof report->layers[index], layer);
}

size_t
memmodel_report_line_count(const memmodel_report *report)
{
    return report ? report->line_count : 0;
}

int
memmodel_report_get_line(const memmodel_report *report, size_t index, struct memmodel_report_line *line)
{
    if (!report || index >= report->line_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&report->lines[index], sizeof report->lines[index], line);
}

int
memmodel_report_get_total(const memmodel_report *report, struct memmodel_report_layer *total)
{
    if (!report)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&report->total, sizeof report->total, total);
}

size_t
memmodel_report_formula_count(const memmodel_report *report)
{
    return report ? report->formula_count : 0;
}

const char *
memmodel_report_formula_name(const memmodel_report *report, size_t formula)
{
    if (!report)
        return NULL;
    return formula < report->formula_count ? report->formulas[formula].name : NULL;
}

const char *
memmodel_report_formula(const memmodel_report *report, size_t formula, int language)
{
    if (!report || formula >= report->formula_count || language < 0 || language >= LANGUAGE_COUNT)
        return NULL;
    return report->formulas[formula].text[language];
}

size_t
memmodel_report_unmodelled_count(const memmodel_report *report)
{
    return report ? report->unmodelled_count : 0;
}

int
memmodel_report_get_unmodelled(const memmodel_report *report, size_t index,
                               struct memmodel_report_unmodelled *unmodelled)
{
    if (!report || index >= report->unmodelled_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&report->unmodelled[index], sizeof report->unmodelled[index], unmodelled);
}

const memmodel_trace *
memmodel_report_trace(const memmodel_report *report)
{
    return report ? report->trace : NULL;
}

size_t
memmodel_report_change_count(const memmodel_report *report)
{
    return report ? report->change_count : 0;
}

int
memmodel_report_get_change(const memmodel_report *report, size_t index, struct memmodel_report_change *change)
{
    if (!report || index >= report->change_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&report->changes[index], sizeof report->changes[index], change);
}

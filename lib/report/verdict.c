/* The verdict of a report, and the sentence that says it: no other place makes one. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of the process, on a GPU of the device, go without saying: they decide whether the job lives. */
static void
append_budget(struct text *text, const struct memmodel_report_result *result)
{
    text_append_quantity(text, (double)result->budget);
    if (result->metric != MEMMODEL_METRIC_PROCESS)
        text_printf(text, " (%s bytes)", memmodel_metric_name(result->metric));
    if (result->safety_percent)
        text_printf(text, " less %d %% for safety", result->safety_percent);
}

static void
append_takes(struct text *text, const struct memmodel_report_result *result)
{
    text_append(text, "takes ");
    text_append_quantity(text, (double)peak_of_metric(result, result->metric));
    text_append(text, " of ");
    append_budget(text, result);
}

/* Both sizes: the one that is likely to be the least, and the most. */
static void
append_interval(struct text *text, const struct memmodel_report_result *result)
{
    text_printf(text, ", %s: ", memmodel_verdict_name(result->verdict));
    text_append_quantity(text, (double)result->peak_low);
    text_append(text, " to ");
    text_append_quantity(text, (double)result->peak_high);
    text_printf(text, " by %d recorded trainings", result->interval_runs);
}

/* What would fit instead, as far as it was asked. */
static void
append_remedies(struct text *text, const memmodel_report *report, const char *batch)
{
    const struct memmodel_report_result *result = &report->result;

    if (result->max_batch > 0)
        text_printf(text, "; largest %s that fits: %" PRId64, batch, result->max_batch);
    else if (result->max_batch == 0)
        text_printf(text, "; no %s fits", batch);
    if (*result->cheapest_change)
        text_printf(text, "; cheapest change that makes it fit: %s", result->cheapest_change);
    else if (report->changes)
        text_append(text, "; no single change makes it fit");
}

static void
append_verdict(struct text *text, const memmodel_report *report, const char *batch)
{
    const struct memmodel_report_result *result = &report->result;

    if (result->verdict == MEMMODEL_VERDICT_UNKNOWN) {
        text_append(text, "whether it fits ");
        text_append_quantity(text, (double)result->budget);
        text_printf(text, " is unknown: %s bytes are not modelled for %s", memmodel_metric_name(result->metric),
                    report->job.framework);
        return;
    }
    append_takes(text, result);
    if (result->verdict == MEMMODEL_VERDICT_UNCERTAIN) {
        append_interval(text, result);
        append_remedies(text, report, batch);
        return;
    }
    text_printf(text, ", %s%s ", memmodel_verdict_name(result->verdict),
                result->verdict == MEMMODEL_VERDICT_FITS ? " with" : ",");
    text_append_quantity(text, (double)llabs(result->headroom));
    text_append(text, result->verdict == MEMMODEL_VERDICT_FITS ? " left" : " over");
    append_remedies(text, report, batch);
}

int
report_summarize(memmodel_report *report, const char *batch)
{
    struct text text = TEXT_INIT(report->context);

    if (report->result.verdict == MEMMODEL_VERDICT_NONE)
        return 0;
    append_verdict(&text, report, batch);
    report->result.summary = text.failed ? NULL : arena_copy_text(&report->arena, text.bytes);
    text_release(&text);
    return report->result.summary ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* Of 3 bytes that may be 6, those of a limit of 10 are 5. */
int64_t
report_sure_peak(const memmodel_report *report)
{
    const struct memmodel_report_result *result = &report->result;
    int64_t bytes = peak_of_metric(result, result->metric), limit = job_limit(&report->job);

    if (result->interval_runs == 0 || result->peak_high <= bytes)
        return limit;
    return (int64_t)((double)limit / (double)result->peak_high * (double)bytes);
}

/* Between what fits and what does not lies what an estimate cannot decide. */
int
verdict_within(const struct memmodel_job *job, const struct interval *interval, int64_t bytes)
{
    int64_t limit = job_limit(job);

    if (limit > 0 && interval->runs && interval->low <= limit && limit < interval->high)
        return MEMMODEL_VERDICT_UNCERTAIN;
    return verdict_of(limit, bytes);
}

int
report_judge(memmodel_report *report, const memmodel_network *network)
{
    struct memmodel_report_result *result = &report->result;
    int64_t bytes = peak_of_metric(result, report->job.metric);
    struct interval interval = {.runs = 0};

    result->metric = report->job.metric;
    result->budget = report->job.budget;
    result->safety_percent = report->job.safety_percent;
    if (network)
        interval = interval_of(&report->job, memmodel_network_kind(network), bytes);
    result->peak_low = interval.low;
    result->peak_high = interval.high;
    result->interval_runs = interval.runs;
    result->verdict = verdict_within(&report->job, &interval, bytes);
    if (result->verdict != MEMMODEL_VERDICT_NONE && result->verdict != MEMMODEL_VERDICT_UNKNOWN)
        result->headroom = job_limit(&report->job) - bytes;
    result->validated = job_is_validated(&report->job);
    return report_summarize(report, NULL);
}

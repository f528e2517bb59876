/* Names of what a job is asked: metrics, modes and verdicts. */
#include "frameworks/job.h"

#include "base/choice.h"
#include "frameworks/cuda/gpu.h"
#include "frameworks/framework.h"
#include "frameworks/optimizer.h"
#include "frameworks/spelling.h"

#include <string.h>

enum { METRICS = MEMMODEL_METRIC_PROCESS + 1, PERCENT = 100 };

static const char *const metric_names[METRICS + 1] = {
    [MEMMODEL_METRIC_DEFAULT] = "default",
    [MEMMODEL_METRIC_LIVE] = "live",
    [MEMMODEL_METRIC_RESERVED] = "reserved",
    [MEMMODEL_METRIC_PROCESS] = "process",
};

const char *
memmodel_metric_name(int metric)
{
    return metric >= 0 && metric < METRICS ? metric_names[metric] : NULL;
}

int
memmodel_metric_default(const char *framework)
{
    const struct framework *row = framework ? framework_named(framework) : NULL;

    return row && !row->simulate ? MEMMODEL_METRIC_LIVE : MEMMODEL_METRIC_PROCESS;
}

int
memmodel_metric_grows_in_jumps(const char *framework, int metric)
{
    const struct framework *row = framework ? framework_named(framework) : NULL;

    return row && row->grows_in_jumps && metric != MEMMODEL_METRIC_LIVE;
}

static const char *const mode_names[] = {
    [MEMMODEL_MODE_TRAINING] = "training",
    [MEMMODEL_MODE_INFERENCE] = "inference",
    [MEMMODEL_MODE_FORWARD] = "forward",
    NULL,
};

const char *
memmodel_mode_name(int mode)
{
    return mode >= 0 && mode <= MEMMODEL_MODE_FORWARD ? mode_names[mode] : NULL;
}

static const char *const verdict_names[] = {
    [MEMMODEL_VERDICT_NONE] = "none",
    [MEMMODEL_VERDICT_FITS] = "fits",
    [MEMMODEL_VERDICT_EXCEEDS] = "does not fit",
    [MEMMODEL_VERDICT_UNKNOWN] = "unknown",
    [MEMMODEL_VERDICT_UNCERTAIN] = "uncertain",
};

const char *
memmodel_verdict_name(int verdict)
{
    return verdict >= 0 && verdict <= MEMMODEL_VERDICT_UNCERTAIN ? verdict_names[verdict] : NULL;
}

int
job_check_choices(memmodel_context *context, const struct memmodel_job *job)
{
    int status = choice_check(context, "mode", "mode", job->mode, mode_names);

    if (!status)
        status = choice_check(context, "metric", "metric", job->metric, metric_names);
    if (!status)
        status = flag_check(context, "keep_gradients", "keep_gradients", job->keep_gradients);
    if (!status)
        status = flag_check(context, "peak_only", "peak_only", job->peak_only);
    return status;
}

int64_t
job_limit(const struct memmodel_job *job)
{
    int64_t percent = job->safety_percent > 0 && job->safety_percent < PERCENT ? job->safety_percent : 0;

    return job->budget - job->budget / PERCENT * percent - job->budget % PERCENT * percent / PERCENT;
}

int
verdict_of(int64_t budget, int64_t bytes)
{
    if (budget == 0)
        return MEMMODEL_VERDICT_NONE;
    if (bytes < 0)
        return MEMMODEL_VERDICT_UNKNOWN;
    return bytes <= budget ? MEMMODEL_VERDICT_FITS : MEMMODEL_VERDICT_EXCEEDS;
}

/* ---- whether a word is known ---- */

static const char *
known_framework(const char *text)
{
    const struct framework *framework = framework_named(text);

    return framework ? framework->name : NULL;
}

static const char *
known_gpu(const char *text)
{
    const struct gpu *gpu = gpu_of_name(text);

    return gpu ? gpu->name : NULL;
}

static const char *
known_device(const char *text)
{
    const char *word = spelling_device(text);

    return strcmp(word, "cpu") == 0 ? "cpu" : strcmp(word, "cuda") == 0 ? "cuda" : NULL;
}

/* Words of jobs are spellings of themselves, so what is not known is what comes back. */
static const char *
known_precision(const char *text)
{
    const char *word = spelling_precision(text);

    return word == text ? NULL : word;
}

static const char *
known_optimizer(const char *text)
{
    const char *word = optimizer_spelling(text);

    return word == text ? NULL : word;
}

const char *
memmodel_estimate_word(const char *field, const char *text)
{
    static const struct {
        const char *field;
        const char *(*word)(const char *text);
    } fields[] = {
        {"framework", known_framework}, {"device", known_device}, {"optimizer", known_optimizer},
        {"precision", known_precision}, {"gpu", known_gpu},
    };

    for (size_t i = 0; field && text && i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].field, field) == 0)
            return fields[i].word(text);
    return NULL;
}

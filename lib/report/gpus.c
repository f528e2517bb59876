/* A job on each GPU that is known: whether it fits, what does, on how many, and at what price. */
#include "base/checked.h"
#include "base/environment.h"
#include "frameworks/cuda/gpu.h"
#include "report/blocks.h"
#include "report/gpu_prices.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

enum { USUAL_MAX_GPUS = 8, MAX_GPUS = 1024 };

struct asked {
    memmodel_context *context;
    const memmodel_network *network;
    struct memmodel_job job; /* on the GPU */
    struct memmodel_gpu_options options;
    const struct gpu *gpu;
};

/* ---- what is asked of one GPU ---- */

static int
estimate_here(struct asked *asked, struct memmodel_gpu_estimate *estimate, int64_t *sure)
{
    struct memmodel_report_result result;
    memmodel_report *report;
    int status = memmodel_estimate(asked->network, &asked->job, asked->context, &report);

    if (status)
        return status;
    result = report->result;
    *sure = report_sure_peak(report);
    memmodel_report_unref(report);
    estimate->peak = result.process;
    estimate->peak_low = result.peak_low;
    estimate->peak_high = result.peak_high;
    estimate->verdict = result.verdict;
    estimate->validated = result.validated;
    return 0;
}

static int
find_max(struct asked *asked, int64_t sure, int64_t *max)
{
    struct memmodel_job job = asked->job;

    job.budget = sure;
    job.safety_percent = 0;
    return memmodel_estimate_max(asked->network, &job, asked->options.symbol, asked->context, max);
}

/* With the blocks of the network sharded one by one, as fully_shard() is called on them. */
static int
fits_sharded(struct asked *asked, const char *data, int32_t count, bool *fits)
{
    struct memmodel_parallel parallel = {.size = sizeof parallel, .data = data};
    struct memmodel_job job = asked->job;
    memmodel_report *report;
    char mesh[32];
    int status;

    snprintf(mesh, sizeof mesh, "dp=%d", count);
    parallel.mesh = mesh;
    job.parallel = &parallel;
    status = memmodel_estimate(asked->network, &job, asked->context, &report);
    if (status)
        return status;
    *fits = report->result.verdict == MEMMODEL_VERDICT_FITS;
    memmodel_report_unref(report);
    return 0;
}

/* What the rules of FSDP do not take leaves the number open. */
static int
count_sharded(struct asked *asked, int32_t *count)
{
    struct text blocks = TEXT_INIT(asked->context), data = TEXT_INIT(asked->context);
    bool fits = false;
    int status = 0;

    blocks_find(asked->network, &blocks);
    text_printf(&data, "fsdp(%s)", blocks.length ? blocks.bytes : "");
    if (blocks.failed || data.failed)
        status = MEMMODEL_ERROR_NO_MEMORY;
    for (int32_t n = 2; !status && !fits && n <= asked->options.max_gpus; n *= 2) {
        status = fits_sharded(asked, blocks.length ? data.bytes : "fsdp", n, &fits);
        *count = !status && fits ? n : 0;
    }
    text_release(&blocks);
    text_release(&data);
    return status == MEMMODEL_ERROR_UNSUPPORTED || status == MEMMODEL_ERROR_SHAPE ||
                   status == MEMMODEL_ERROR_INVALID_ARGUMENT
               ? 0
               : status;
}

static int
fill(struct asked *asked, struct memmodel_gpu_estimate *estimate)
{
    int64_t sure;
    int status = estimate_here(asked, estimate, &sure);

    if (!status && asked->options.symbol)
        status = find_max(asked, sure, &estimate->max);
    if (!status && estimate->verdict == MEMMODEL_VERDICT_FITS)
        estimate->gpu_count = 1;
    else if (!status && !asked->job.parallel)
        status = count_sharded(asked, &estimate->gpu_count);
    return status;
}

static int
take(const struct memmodel_job *job, const struct memmodel_gpu_options *options, size_t index, struct asked *asked)
{
    int status = options_copy(asked->context, "memmodel_gpu_options", options, &asked->options, sizeof asked->options);

    if (!status)
        status = options_copy(asked->context, "memmodel_job", job, &asked->job, sizeof asked->job);
    if (!status)
        status = job_check_choices(asked->context, &asked->job);
    if (status)
        return status;
    asked->gpu = gpu_at(index);
    if (!asked->gpu)
        return context_error(asked->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "index", "there are %zu kinds of GPUs",
                             gpu_count());
    if (!asked->options.max_gpus)
        asked->options.max_gpus = USUAL_MAX_GPUS;
    if (asked->options.max_gpus < 1 || asked->options.max_gpus > MAX_GPUS)
        return context_error(asked->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "max_gpus", "%d GPUs; give 1 to %d",
                             asked->options.max_gpus, MAX_GPUS);
    if (asked->options.reserved)
        return context_error(asked->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "reserved", "it must be 0");
    asked->job.size = sizeof asked->job;
    asked->job.gpu = asked->gpu->name;
    asked->job.device = "cuda";
    asked->job.metric = MEMMODEL_METRIC_PROCESS;
    asked->job.budget = asked->gpu->memory;
    return 0;
}

int
memmodel_estimate_gpu(const memmodel_network *network, const struct memmodel_job *job,
                      const struct memmodel_gpu_options *options, size_t index, memmodel_context *context,
                      struct memmodel_gpu_estimate *estimate)
{
    OWN_ENVIRONMENT;
    struct memmodel_gpu_estimate own = {.size = sizeof own, .max = -1};
    struct asked asked = {.context = context, .network = network};
    int status;

    if (!network || !context || !estimate)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = result_check(context, "memmodel_gpu_estimate", estimate);
    if (!status)
        status = take(job, options, index, &asked);
    if (!status && asked.options.prices)
        status = gpu_price_load(context, asked.options.prices, asked.gpu->name, &own.price);
    if (status)
        return context_status(context, status);
    own.gpu = asked.gpu->name;
    own.memory = asked.gpu->memory;
    status = fill(&asked, &own);
    return status ? status : result_copy(&own, sizeof own, estimate);
}

/* What a job leaves open, and what it may not ask. */
#include "frameworks/job.h"

#include "base/arena.h"
#include "base/choice.h"
#include "base/context.h"
#include "frameworks/cuda/workspace.h"
#include "frameworks/framework.h"
#include "frameworks/optimizer.h"
#include "frameworks/parallel.h"
#include "frameworks/spelling.h"
#include "frameworks/target_cpu.h"

#include <string.h>

static const struct memmodel_job defaults = {
    .framework = "pytorch",
    .textbook_rule = "slots",
    .optimizer = "adam",
    .isa = "avx512",
    .steps = 3,
    .intra_op_threads = 2,
    .precision = "float32",
    .checkpoint = "",
    .gpu = "",
    .allocator_settings = "",
    .cublas_workspace = "",
    .graph_optimization = "all",
    .gradient_accumulation = 1,
};

enum { MAX_STEPS = 1000, MAX_THREADS = 4096, MAX_ACCUMULATE = 1000 };

static const char *
newest_version(const char *framework)
{
    const struct framework *row = framework_named(framework);

    return row && row->versions.newest ? row->versions.newest : "";
}

/* A job on a GPU has that one's memory, unless other bytes are limited than those of the device. */
static void
complete_gpu(struct memmodel_job *job)
{
    const struct gpu *gpu = gpu_of_name(job->gpu);

    if (!gpu)
        return;
    job->gpu = gpu->name;
    if (job->budget == 0 && job->metric == MEMMODEL_METRIC_PROCESS)
        job->budget = gpu->memory;
}

void
job_complete(struct memmodel_job *job)
{
    job->framework = spelling_framework(job->framework ? job->framework : defaults.framework);
    job->textbook_rule = job->textbook_rule ? job->textbook_rule : defaults.textbook_rule;
    job->optimizer = optimizer_spelling(job->optimizer ? job->optimizer : defaults.optimizer);
    job->isa = job->isa ? job->isa : defaults.isa;
    if (strcmp(job->isa, "native") == 0)
        job->isa = target_cpu_native();
    job->steps = job->steps ? job->steps : defaults.steps;
    job->intra_op_threads = job->intra_op_threads ? job->intra_op_threads : defaults.intra_op_threads;
    job->precision = spelling_precision(job->precision ? job->precision : defaults.precision);
    job->checkpoint = job->checkpoint ? job->checkpoint : defaults.checkpoint;
    job->gpu = job->gpu ? job->gpu : defaults.gpu;
    job->device = spelling_device(job->device ? job->device : *job->gpu ? "cuda" : "cpu");
    job->allocator_settings = job->allocator_settings ? job->allocator_settings : defaults.allocator_settings;
    job->cublas_workspace = job->cublas_workspace ? job->cublas_workspace : defaults.cublas_workspace;
    job->graph_optimization = job->graph_optimization ? job->graph_optimization : defaults.graph_optimization;
    job->gradient_accumulation =
        job->gradient_accumulation ? job->gradient_accumulation : defaults.gradient_accumulation;
    job->framework_version = job->framework_version ? job->framework_version : newest_version(job->framework);
    job->metric = job->metric ? job->metric : memmodel_metric_default(job->framework);
    complete_gpu(job);
}

bool
job_is_validated(const struct memmodel_job *job)
{
    const struct gpu *gpu = strcmp(job->device, "cpu") == 0 ? NULL : gpu_of_name(job->gpu);

    if (framework_is_newer(framework_named(job->framework), job->framework_version))
        return false;
    if (job->parallel && strcmp(job->device, "cpu") != 0)
        return false;
    return gpu ? gpu->measured : strcmp(job->device, "cpu") == 0;
}

/* What one framework alone has is refused elsewhere rather than ignored. */
static int
check_options(memmodel_context *context, const struct framework *framework, const struct memmodel_job *job)
{
    const struct {
        bool asked;
        const char *name;
        enum framework_option option;
    } own[] = {
        {strcmp(job->precision, defaults.precision) != 0, "precision", FRAMEWORK_PRECISION},
        {*job->checkpoint != '\0', "checkpoint", FRAMEWORK_CHECKPOINT},
        {job->gradient_accumulation != 1, "gradient_accumulation", FRAMEWORK_ACCUMULATION},
        {job->keep_gradients != 0, "keep_gradients", FRAMEWORK_KEPT_GRADIENTS},
        {*job->gpu != '\0', "gpu", FRAMEWORK_GPU},
        {strcmp(job->device, "cpu") != 0, "device", FRAMEWORK_GPU},
        {strcmp(job->graph_optimization, defaults.graph_optimization) != 0, "graph_optimization",
         FRAMEWORK_GRAPH_OPTIMIZATION},
        {job->base_bytes != 0, "base_bytes", FRAMEWORK_BASE_BYTES},
        {*job->framework_version != '\0', "framework_version", FRAMEWORK_VERSION},
        {job->parallel != NULL, "parallel", FRAMEWORK_PARALLEL},
    };

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i].asked && !(framework->options & own[i].option))
            return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, own[i].name,
                                 "%s is simulated without it; only %s knows it", framework->name,
                                 framework_with(own[i].option)->name);
    return 0;
}

static int
check_gpu(memmodel_context *context, const struct memmodel_job *job)
{
    const struct gpu *gpu;
    int64_t workspace;
    int status = gpu_find(context, job->gpu, &gpu);

    return status ? status : cublas_workspace_bytes(context, gpu, 0, job->cublas_workspace, &workspace);
}

/* A GPU is asked for by its kind, for no two kinds take the same; what is one's alone says that it is meant. */
static int
check_device(memmodel_context *context, const struct memmodel_job *job)
{
    if (strcmp(job->device, "cuda") == 0)
        return check_gpu(context, job);
    if (strcmp(job->device, "cpu") != 0)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, job->device,
                             "unknown device; known are cpu and cuda");
    if (*job->gpu)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "gpu",
                             "%s is a GPU, but the device is cpu; give cuda, or no device", job->gpu);
    if (*job->allocator_settings)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "allocator_settings",
                             "settings of a GPU's allocator, but the device is cpu; say which gpu");
    if (*job->cublas_workspace)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "cublas_workspace",
                             "cuBLAS works on a GPU, but the device is cpu; say which gpu");
    return 0;
}

static int
check_parallel(memmodel_context *context, const struct memmodel_job *job)
{
    struct parallel parallel;

    return parallel_read(context, job, &parallel);
}

static int
check_job(memmodel_context *context, const struct memmodel_job *job, const struct framework **framework)
{
    int status;

    if (job->steps < 1 || job->steps > MAX_STEPS)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "steps", "%d steps; 1 to %d can be simulated",
                             job->steps, MAX_STEPS);
    if (job->intra_op_threads < 1 || job->intra_op_threads > MAX_THREADS)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "intra_op_threads", "%d threads; give 1 to %d",
                             job->intra_op_threads, MAX_THREADS);
    if (job->budget < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget", "the budget is negative");
    if (job->safety_percent < 0 || job->safety_percent > 99)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "safety_percent",
                             "%d percent of the budget; 0 to 99 can be kept free", job->safety_percent);
    if (job->base_bytes < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "base_bytes", "a process has no negative bytes");
    if (job->symbol_count && !job->symbols)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "symbols",
                             "symbol_count is %zu, but symbols is NULL", job->symbol_count);
    status = job_check_choices(context, job);
    if (!status && (job->gradient_accumulation < 1 || job->gradient_accumulation > MAX_ACCUMULATE))
        status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "gradient_accumulation",
                               "gradients of %d batches; those of 1 to %d can be added up", job->gradient_accumulation,
                               MAX_ACCUMULATE);
    if (!status)
        status = framework_find(context, job->framework, framework);
    if (!status)
        status = check_options(context, *framework, job);
    if (!status)
        status = framework_check_version(context, *framework, job->framework_version);
    if (!status)
        status = check_device(context, job);
    return status ? status : check_parallel(context, job);
}

int
job_take(memmodel_context *context, const struct memmodel_job *given, struct memmodel_job *job,
         const struct framework **framework)
{
    int status = options_copy(context, "memmodel_job", given, job, sizeof *job);

    if (status)
        return status;
    job_complete(job);
    return check_job(context, job, framework);
}

static int
keep_symbols(struct arena *arena, const struct memmodel_job *job, struct memmodel_job *kept)
{
    struct memmodel_symbol_value *symbols = arena_allocate(arena, (job->symbol_count + 1) * sizeof *symbols);

    for (size_t i = 0; symbols && i < job->symbol_count; i++) {
        symbols[i] = (struct memmodel_symbol_value){
            .name = arena_copy_text(arena, job->symbols[i].name),
            .value = job->symbols[i].value,
        };
        if (!symbols[i].name)
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    kept->symbols = symbols;
    return symbols ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
keep_parallel(struct arena *arena, const struct memmodel_job *job, struct memmodel_job *kept)
{
    struct memmodel_parallel *parallel;
    const char **texts[7];

    if (!job->parallel)
        return 0;
    parallel = arena_allocate(arena, sizeof *parallel);
    if (!parallel)
        return MEMMODEL_ERROR_NO_MEMORY;
    options_copy_quietly(job->parallel, parallel, sizeof *parallel);
    parallel->size = sizeof *parallel;
    texts[0] = &parallel->mesh;
    texts[1] = &parallel->data;
    texts[2] = &parallel->backend;
    texts[3] = &parallel->tensor;
    texts[4] = &parallel->pipeline;
    texts[5] = &parallel->context;
    texts[6] = &parallel->experts;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = arena_copy_text(arena, *texts[i] ? *texts[i] : "");
        if (!*texts[i])
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    kept->parallel = parallel;
    return 0;
}

int
job_keep(struct arena *arena, const struct memmodel_job *job, struct memmodel_job *kept)
{
    const char **texts[] = {&kept->framework,
                            &kept->textbook_rule,
                            &kept->device,
                            &kept->optimizer,
                            &kept->isa,
                            &kept->precision,
                            &kept->checkpoint,
                            &kept->gpu,
                            &kept->allocator_settings,
                            &kept->cublas_workspace,
                            &kept->graph_optimization,
                            &kept->framework_version};
    int status;

    *kept = *job;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = arena_copy_text(arena, *texts[i]);
        if (!*texts[i])
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    status = keep_symbols(arena, job, kept);
    return status ? status : keep_parallel(arena, job, kept);
}

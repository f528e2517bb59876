/*
 * The bytes of a training on a GPU: the trace through PyTorch's allocator of CUDA memory, event by event, and what the
 * process holds of the device besides.
 */
#include "allocators/allocator.h"
#include "base/checked.h"
#include "frameworks/cuda/gpu.h"
#include "report/report.h"

#include <string.h>

/* What is left of an allocator's life: its peaks, in all and step by step. */
struct peaks {
    int64_t allocated, reserved;
    int64_t *steps;
    int step_count, step; /* the last that had an event */
    int64_t now;
    int32_t event; /* of the first peak */
    int64_t copy;  /* which time it is run then */
};

static void
begin(void *user)
{
    struct peaks *peaks = user;

    memset(peaks->steps, 0, (size_t)peaks->step_count * sizeof *peaks->steps);
    *peaks = (struct peaks){.steps = peaks->steps, .step_count = peaks->step_count, .event = -1};
}

/* Up to that one; each has what is there when it begins. */
static void
begin_steps(struct peaks *peaks, int step)
{
    for (; peaks->step < step; peaks->step++)
        peaks->steps[peaks->step] = peaks->now;
}

static void
count_event(void *user, const struct allocator_run *run, const struct allocator_counters *now)
{
    struct peaks *peaks = user;
    const struct trace_event *event = &run->trace->events[run->at.event];

    peaks->reserved = max_i64(peaks->reserved, now->reserved);
    begin_steps(peaks, event->step);
    if (event->step > 0)
        peaks->steps[event->step - 1] = max_i64(peaks->steps[event->step - 1], now->allocated);
    peaks->now = now->allocated;
    if (now->allocated <= peaks->allocated)
        return;
    peaks->allocated = now->allocated;
    peaks->event = run->at.event;
    peaks->copy = run->at.copy;
}

static int
replay(const struct query *query, const struct memmodel_trace *trace, struct peaks *peaks)
{
    const struct framework_memory *memory = framework_memory_on(query->framework, query->job.device);
    struct allocator_options options = {.settings = query->job.allocator_settings};
    struct allocator_visitor visitor = {begin, count_event, peaks};
    bool out_of_memory = false;
    int status =
        allocator_run_all(query->context, allocator_find(memory->allocator), &options, trace, &visitor, &out_of_memory);

    if (!status && out_of_memory)
        status = context_error(query->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the bytes do not fit in 63 bits");
    return status;
}

static int
process_bytes(const struct query *query, int64_t reserved, int64_t *process)
{
    const struct gpu *gpu;
    int status = gpu_find(query->context, query->job.gpu, &gpu);

    if (status)
        return status;
    *process = reserved;
    if (checked_accumulate(process, gpu->context_bytes) && checked_accumulate(process, gpu->module_bytes))
        return 0;
    return context_error(query->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the bytes do not fit in 63 bits");
}

/* What the allocator rounds up and does not split off is slack. */
static void
fill(struct result *result, const struct peaks *peaks)
{
    const struct memmodel_trace *trace = result->simulation.trace;

    result->step_peaks = peaks->steps;
    result->peak_event = peaks->event;
    result->peak_copy = peaks->copy;
    result->peak.live = peaks->allocated;
    result->peak.reserved = peaks->reserved;
    if (peaks->event < 0)
        return;
    trace_categories_at(trace, peaks->event, peaks->copy, result->categories);
    result->categories[MEMMODEL_CATEGORY_ALLOCATOR_OVERHEAD] +=
        peaks->allocated - trace_live(trace, peaks->event, peaks->copy);
}

int
result_of_gpu(const struct query *query, struct result *result)
{
    struct peaks peaks = {.event = -1, .step_count = query->job.steps};
    int status;

    peaks.steps = memory_allocate_zeroed(query->context, (size_t)query->job.steps + 1, sizeof *peaks.steps);
    if (!peaks.steps)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = replay(query, result->simulation.trace, &peaks);
    if (!status)
        status = process_bytes(query, peaks.reserved, &result->peak.process);
    begin_steps(&peaks, peaks.step_count);
    if (status)
        memory_release(query->context, peaks.steps);
    else
        fill(result, &peaks);
    return status;
}

/*
 * Bytes of a process whose framework keeps freed memory: what was there before, the pool's pages that were ever
 * written, small tensors, which the C library serves, and what kernels hold, event by event.
 */
#include "report/process.h"

#include "allocators/allocator.h"
#include "base/checked.h"

struct measured {
    memmodel_context *context;
    const struct simulation *simulation;
    void *pool;
    void **blocks; /* of the pool, by block of the trace */
    int64_t small, before, peak, reserved;
};

static int
overflow(memmodel_context *context)
{
    return context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL, "the bytes do not fit in 63 bits");
}

static int
allocate(struct measured *measured, int32_t index)
{
    const struct trace_block *block = &measured->simulation->trace->blocks[index];
    int status;

    if (block->bytes < measured->simulation->pool_from) {
        measured->small += block->bytes;
        return 0;
    }
    status = allocator_bfc.allocate(measured->pool, block->bytes, 0, index, &measured->blocks[index]);
    return !status && !measured->blocks[index] ? overflow(measured->context) : status;
}

static int
release(struct measured *measured, int32_t index)
{
    const struct trace_block *block = &measured->simulation->trace->blocks[index];

    if (block->bytes >= measured->simulation->pool_from)
        return allocator_bfc.release(measured->pool, measured->blocks[index], false);
    measured->small -= block->bytes;
    return 0;
}

static int
count_event(struct measured *measured, size_t event)
{
    const struct allocator_counters *pool = allocator_bfc.counters(measured->pool);
    int64_t now = pool->resident;

    if (!checked_accumulate(&now, measured->small) || !checked_accumulate(&now, measured->simulation->heap[event]))
        return overflow(measured->context);
    measured->peak = max_i64(measured->peak, now);
    if (event < measured->simulation->events_before)
        measured->before = now;
    measured->reserved = max_i64(measured->reserved, pool->reserved + measured->small);
    return 0;
}

static int
replay(struct measured *measured)
{
    const struct memmodel_trace *trace = measured->simulation->trace;
    int status = 0;

    for (size_t i = 0; i < trace->event_count && !status; i++) {
        const struct trace_event *event = &trace->events[i];

        status = event->release ? release(measured, event->block) : allocate(measured, event->block);
        if (!status)
            status = count_event(measured, i);
        if (!status)
            status = context_check(measured->context, 1);
    }
    return status;
}

/* A process that is given holds the model and the arrays already. */
static int
add_up(const struct measured *measured, int64_t base_bytes, int64_t profile, struct memmodel_report_result *peak)
{
    int64_t sum = base_bytes ? base_bytes : profile;

    if (!checked_accumulate(&sum, measured->simulation->outside_bytes) || !checked_accumulate(&sum, measured->peak) ||
        !checked_accumulate(&sum, base_bytes ? -measured->before : measured->simulation->built_bytes))
        return overflow(measured->context);
    peak->process = sum;
    peak->reserved = measured->reserved;
    return 0;
}

int
process_measure(memmodel_context *context, const struct simulation *simulation, int64_t base_bytes, int64_t profile,
                struct memmodel_report_result *peak)
{
    struct allocator_options options = {.settings = NULL};
    struct measured measured = {.context = context, .simulation = simulation};
    int status = allocator_bfc.open(context, &options, &measured.pool);

    if (status)
        return status;
    measured.blocks = memory_allocate_zeroed(context, simulation->trace->block_count + 1, sizeof *measured.blocks);
    status = measured.blocks ? replay(&measured) : MEMMODEL_ERROR_NO_MEMORY;
    if (!status)
        status = add_up(&measured, base_bytes, profile, peak);
    allocator_bfc.close(measured.pool);
    memory_release(context, measured.blocks);
    return status;
}

/* A trace through an allocator, event by event. */
#include "allocators/allocator.h"
#include "base/checked.h"

int
allocator_run_new(struct allocator_run *run, memmodel_context *context, const struct allocator *allocator,
                  const struct allocator_options *options, const struct memmodel_trace *trace)
{
    int status;

    *run = (struct allocator_run){.context = context, .allocator = allocator, .trace = trace};
    run->blocks = memory_allocate_zeroed(context, trace->block_count + 1, sizeof *run->blocks);
    if (!run->blocks)
        return MEMMODEL_ERROR_NOMEM;
    status = allocator->open(context, options, &run->self);
    if (status)
        allocator_run_release(run);
    return status;
}

void
allocator_run_release(struct allocator_run *run)
{
    if (run->self)
        run->allocator->close(run->self);
    memory_release(run->context, run->blocks);
    memory_release(run->context, run->waiting);
    *run = (struct allocator_run){.event = 0};
}

/* The blocks that are no longer used from this event on. */
static void
finish_waiting(struct allocator_run *run)
{
    size_t kept = 0;

    for (size_t i = 0; i < run->waiting_count; i++) {
        int32_t block = run->waiting[i];

        if ((size_t)run->trace->blocks[block].reusable <= run->event)
            run->allocator->finish(run->self, block);
        else
            run->waiting[kept++] = block;
    }
    run->waiting_count = kept;
}

static int
release(struct allocator_run *run, int32_t block)
{
    bool shared = run->allocator->finish && run->trace->blocks[block].reusable >= 0;

    if (shared) {
        int status = array_reserve(run->context, &run->waiting, &run->waiting_capacity, run->waiting_count + 1,
                                   sizeof *run->waiting);

        if (status)
            return status;
        run->waiting[run->waiting_count++] = block;
    }
    return run->allocator->release(run->self, run->blocks[block], shared);
}

static int
allocate(struct allocator_run *run, int32_t block)
{
    const struct trace_block *of = &run->trace->blocks[block];
    int status = run->allocator->allocate(run->self, of->bytes, of->stream, block, &run->blocks[block]);

    run->out_of_memory = !status && !run->blocks[block];
    return status;
}

int
allocator_run_step(struct allocator_run *run)
{
    const struct trace_event *event = &run->trace->events[run->event];
    int status = context_check(run->context, 1 + (int64_t)run->waiting_count);

    if (status)
        return status;
    finish_waiting(run);
    status = event->release ? release(run, event->block) : allocate(run, event->block);
    run->event++;
    return status;
}

int
allocator_replay(memmodel_context *context, const struct allocator *allocator, const char *settings,
                 const struct memmodel_trace *trace, struct replay *replay)
{
    struct allocator_options options = {.settings = settings};
    struct replay own = {.peak_event = -1};
    struct allocator_run run;
    int status = allocator_run_new(&run, context, allocator, &options, trace);

    if (status)
        return status;
    own.touched_peak = allocator->counters(run.self)->touched;
    while (!status && !run.out_of_memory && run.event < trace->event_count) {
        const struct allocator_counters *counters;

        status = allocator_run_step(&run);
        counters = allocator->counters(run.self);
        own.touched_peak = max_i64(own.touched_peak, counters->touched);
        if (own.peak_event < 0 || counters->reserved > own.reserved_peak) {
            own.reserved_peak = counters->reserved;
            own.peak_event = (int32_t)run.event - 1;
        }
    }
    own.out_of_memory = run.out_of_memory;
    allocator_run_release(&run);
    if (!status)
        *replay = own;
    return status;
}

/* A trace through an allocator, event by event. */
#include "allocators/allocator.h"
#include "base/checked.h"

static int
new_instances(struct allocator_run *run)
{
    if (run->trace->repeat_count == 0)
        return 0;
    run->instances = memory_allocate_zeroed(run->context, run->trace->block_count + 1, sizeof *run->instances);
    return run->instances ? 0 : MEMMODEL_ERROR_NOMEM;
}

int
allocator_run_new(struct allocator_run *run, memmodel_context *context, const struct allocator *allocator,
                  const struct allocator_options *options, const struct memmodel_trace *trace)
{
    int status;

    *run = (struct allocator_run){.context = context, .allocator = allocator, .trace = trace};
    status = trace_walk_begin(&run->walk, context, trace);
    run->blocks = status ? NULL : memory_allocate_zeroed(context, trace->block_count + 1, sizeof *run->blocks);
    if (!status)
        status = run->blocks ? new_instances(run) : MEMMODEL_ERROR_NOMEM;
    if (!status)
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
    for (size_t i = 0; run->instances && i < run->trace->block_count; i++)
        memory_release(run->context, run->instances[i].blocks);
    trace_walk_end(&run->walk);
    memory_release(run->context, run->instances);
    memory_release(run->context, run->blocks);
    memory_release(run->context, run->waiting);
    *run = (struct allocator_run){.event = 0};
}

/* ---- where blocks are ---- */

/* Of what passes from one iteration to the next two are live at a time. */
static int
make_room(struct allocator_run *run, int32_t block, struct allocator_instances *instances)
{
    const struct trace_block *of = &run->trace->blocks[block];

    if (instances->blocks)
        return 0;
    instances->room = of->copies > 0 ? of->copies + 1 : 2;
    if ((uint64_t)instances->room > SIZE_MAX / sizeof(void *))
        return context_error(run->context, MEMMODEL_ERROR_NOMEM, NULL, "out of memory");
    instances->blocks = memory_allocate_zeroed(run->context, (size_t)instances->room, sizeof *instances->blocks);
    return instances->blocks ? 0 : MEMMODEL_ERROR_NOMEM;
}

/* Where the memory of the event's block is kept; NULL: no memory for that. */
static void **
slot_of(struct allocator_run *run)
{
    int32_t block = run->at.block;
    struct allocator_instances *instances;

    if (run->trace->blocks[block].repeat < 0)
        return &run->blocks[block];
    instances = &run->instances[block];
    if (make_room(run, block, instances))
        return NULL;
    return &instances->blocks[run->at.instance % instances->room];
}

static void
count_live(struct allocator_run *run)
{
    struct allocator_instances *instances = &run->instances[run->at.block];

    instances->live += run->at.release ? -1 : 1;
    if (instances->live > 0)
        return;
    memory_release(run->context, instances->blocks);
    instances->blocks = NULL;
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
release(struct allocator_run *run, void *memory)
{
    int32_t block = run->at.block;
    bool shared = run->allocator->finish && run->trace->blocks[block].reusable >= 0;

    if (shared) {
        int status = array_reserve(run->context, &run->waiting, &run->waiting_capacity, run->waiting_count + 1,
                                   sizeof *run->waiting);

        if (status)
            return status;
        run->waiting[run->waiting_count++] = block;
    }
    return run->allocator->release(run->self, memory, shared);
}

static int
allocate(struct allocator_run *run, void **memory)
{
    const struct trace_block *of = &run->trace->blocks[run->at.block];
    int status = run->allocator->allocate(run->self, of->bytes, of->stream, run->at.block, memory);

    run->out_of_memory = !status && !*memory;
    return status;
}

bool
allocator_run_goes_on(const struct allocator_run *run)
{
    return run->event < run->trace->event_count && !run->out_of_memory;
}

int
allocator_run_step(struct allocator_run *run)
{
    void **memory;
    int status = context_check(run->context, 1 + (int64_t)run->waiting_count);

    if (status)
        return status;
    finish_waiting(run);
    if (!trace_walk_next(&run->walk, &run->at, &status))
        return status;
    run->event = (size_t)run->walk.event;
    memory = slot_of(run);
    if (!memory)
        return MEMMODEL_ERROR_NOMEM;
    status = run->at.release ? release(run, *memory) : allocate(run, memory);
    if (!status && run->trace->blocks[run->at.block].repeat >= 0)
        count_live(run);
    run->count++;
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
    while (!status && allocator_run_goes_on(&run)) {
        const struct allocator_counters *counters;

        status = allocator_run_step(&run);
        counters = allocator->counters(run.self);
        own.touched_peak = max_i64(own.touched_peak, counters->touched);
        if (own.peak_event < 0 || counters->reserved > own.reserved_peak) {
            own.reserved_peak = counters->reserved;
            own.peak_event = run.at.event;
        }
    }
    own.out_of_memory = run.out_of_memory;
    allocator_run_release(&run);
    if (!status)
        *replay = own;
    return status;
}

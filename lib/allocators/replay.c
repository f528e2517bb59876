/* A trace through an allocator, event by event. */
#include "allocators/periods.h"
#include "base/checked.h"

#include <string.h>

enum { PATIENCE = 8, LONG_LOOP = 1000 };

static int
new_instances(struct allocator_run *run)
{
    if (run->trace->repeat_count == 0)
        return 0;
    run->instances = memory_allocate_zeroed(run->context, run->trace->block_count + 1, sizeof *run->instances);
    return run->instances ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* Those who look for periods see what it does. */
static int
open_allocator(struct allocator_run *run, const struct allocator_options *options)
{
    struct allocator_options seen = *options;
    int status;

    if (run->periods)
        seen.observer = periods_observer(run->periods);
    status = run->allocator->open(run->context, &seen, &run->self);
    if (!status && run->periods && !periods_possible(run)) {
        periods_delete(run->context, run->periods);
        run->periods = NULL;
        run->allocator->close(run->self);
        run->self = NULL;
        status = run->allocator->open(run->context, options, &run->self);
    }
    return status;
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
        status = run->blocks ? new_instances(run) : MEMMODEL_ERROR_NO_MEMORY;
    if (!status && options->patience > 0 && trace->repeat_count > 0)
        status = periods_new(run, options->patience);
    if (!status)
        status = open_allocator(run, options);
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
    if (run->periods)
        periods_delete(run->context, run->periods);
    memory_release(run->context, run->instances);
    memory_release(run->context, run->blocks);
    memory_release(run->context, run->waiting);
    *run = (struct allocator_run){.event = 0};
}

/* ---- where blocks are ---- */

int64_t
allocator_instance_at(const struct allocator_instances *instances, size_t slot)
{
    if (instances->kept)
        return (int64_t)slot;
    return instances->last - (instances->last % 2 != (int64_t)slot);
}

static int
make_room(struct allocator_run *run, struct allocator_instances *instances, size_t slot)
{
    size_t had = instances->room;
    int status = array_reserve(run->context, &instances->blocks, &instances->room, slot + 1, sizeof *instances->blocks);

    if (!status && instances->room > had)
        memset(instances->blocks + had, 0, (instances->room - had) * sizeof *instances->blocks);
    return status;
}

/* Where the memory of the event's block is kept; NULL: no memory for that. Two that pass by are live at a time. */
static void **
slot_of(struct allocator_run *run)
{
    const struct trace_block *of = &run->trace->blocks[run->at.block];
    struct allocator_instances *instances;
    int64_t slot;

    if (of->repeat < 0)
        return &run->blocks[run->at.block];
    instances = &run->instances[run->at.block];
    instances->kept = of->copies > 0;
    slot = instances->kept ? run->at.instance : run->at.instance % 2;
    if (make_room(run, instances, (size_t)slot))
        return NULL;
    if (!run->at.release)
        instances->last = run->at.instance;
    return &instances->blocks[slot];
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
    instances->room = 0;
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

/* Of a trace without loops, in an allocator that waits for nobody: most are. */
static bool
is_plain(const struct allocator_run *run)
{
    return run->trace->repeat_count == 0 && !run->allocator->finish;
}

static int
step_plain(struct allocator_run *run)
{
    const struct trace_event *event = &run->trace->events[run->event];
    void **memory = &run->blocks[event->block];

    run->at = (struct walk_event){.event = (int32_t)run->event++, .block = event->block, .release = event->release};
    run->count++;
    return event->release ? run->allocator->release(run->self, *memory, false) : allocate(run, memory);
}

int
allocator_run_step(struct allocator_run *run)
{
    void **memory;
    int status = context_check(run->context, 1 + (int64_t)run->waiting_count);

    if (status)
        return status;
    if (is_plain(run))
        return step_plain(run);
    finish_waiting(run);
    if (!trace_walk_next(&run->walk, &run->at, &status))
        return status;
    run->event = (size_t)run->walk.event;
    memory = slot_of(run);
    if (!memory)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = run->at.release ? release(run, *memory) : allocate(run, memory);
    if (run->at.release)
        *memory = NULL;
    if (!status && run->trace->blocks[run->at.block].repeat >= 0)
        count_live(run);
    run->count++;
    if (!status && run->periods && !run->out_of_memory)
        status = periods_step(run);
    return status;
}

static int
run_plain(struct allocator_run *run, const struct allocator_visitor *visitor)
{
    const struct allocator_counters *counters = run->allocator->counters(run->self);
    int status = 0;

    while (!status && allocator_run_goes_on(run)) {
        status = context_check(run->context, 1);
        if (!status)
            status = step_plain(run);
        if (!status && !run->out_of_memory)
            visitor->visit(visitor->user, run, counters);
    }
    return status;
}

/* Those of the allocator, or in `whole` with what left-out iterations keep. */
static const struct allocator_counters *
allocator_run_counters(const struct allocator_run *run, struct allocator_counters *whole)
{
    const struct allocator_counters *counters = run->allocator->counters(run->self);

    if (!run->periods)
        return counters;
    *whole = *counters;
    periods_add(run->periods, whole);
    return whole;
}

/*
 * Iterations that are all run take as many events, and memory for all that they keep. A device may be full before.
 */
static int
foresee(const struct allocator_run *run, const struct allocator_options *options)
{
    int64_t each = (int64_t)(sizeof(void *) + run->allocator->block_bytes), bytes;

    if (run->periods || options->capacity > 0)
        return 0;
    if (!checked_multiply(trace_copies_kept(run->trace), each, &bytes))
        bytes = INT64_MAX;
    return context_foresee(run->context, trace_left_out(run->trace), bytes);
}

/* *proven is false where iterations were left out that might not be as the others. */
static int
run_once(memmodel_context *context, const struct allocator *allocator, const struct allocator_options *options,
         const struct memmodel_trace *trace, const struct allocator_visitor *visitor, bool *out_of_memory, bool *proven)
{
    struct allocator_run run;
    int status = allocator_run_new(&run, context, allocator, options, trace);

    *proven = true;
    if (status)
        return status;
    status = foresee(&run, options);
    visitor->begin(visitor->user);
    if (!status && is_plain(&run))
        status = run_plain(&run, visitor);
    while (!status && *proven && allocator_run_goes_on(&run)) {
        struct allocator_counters whole;

        status = allocator_run_step(&run);
        if (!status && !run.out_of_memory)
            visitor->visit(visitor->user, &run, allocator_run_counters(&run, &whole));
        *proven = !run.periods || !periods_failed(run.periods);
    }
    *out_of_memory = run.out_of_memory;
    if (!status && *proven && run.periods)
        status = periods_end(&run, proven);
    allocator_run_release(&run);
    return status;
}

/* What is short is run before a proof is found. */
static bool
is_long(const struct memmodel_trace *trace)
{
    for (size_t i = 0; i < trace->repeat_count; i++)
        if (trace->repeats[i].times >= LONG_LOOP)
            return true;
    return false;
}

int
allocator_run_all(memmodel_context *context, const struct allocator *allocator, const struct allocator_options *options,
                  const struct memmodel_trace *trace, const struct allocator_visitor *visitor, bool *out_of_memory)
{
    struct allocator_options tried = *options;
    bool proven;
    int status;

    tried.patience = is_long(trace) ? PATIENCE : 0;
    status = run_once(context, allocator, &tried, trace, visitor, out_of_memory, &proven);
    tried.patience = 0;
    return status || proven ? status : run_once(context, allocator, &tried, trace, visitor, out_of_memory, &proven);
}

/* ---- its peaks ---- */

static void
begin_replay(void *user)
{
    *(struct replay *)user = (struct replay){.resident_peak = -1, .peak_event = -1};
}

static void
count_event(void *user, const struct allocator_run *run, const struct allocator_counters *counters)
{
    struct replay *replay = user;

    replay->resident_peak = max_i64(replay->resident_peak, counters->resident);
    if (replay->peak_event >= 0 && counters->reserved <= replay->reserved_peak)
        return;
    replay->reserved_peak = counters->reserved;
    replay->peak_event = run->at.event;
}

int
allocator_replay(memmodel_context *context, const struct allocator *allocator, const char *settings,
                 const struct memmodel_trace *trace, struct replay *replay)
{
    struct allocator_options options = {.settings = settings};
    struct replay own;
    struct allocator_visitor visitor = {begin_replay, count_event, &own};
    bool out_of_memory = false;
    int status = allocator_run_all(context, allocator, &options, trace, &visitor, &out_of_memory);

    own.out_of_memory = out_of_memory;
    if (!status)
        *replay = own;
    return status;
}

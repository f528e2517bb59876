/* memmodel_replay: a trace, an allocator, and the bytes after each event. */
#include "allocators/handle.h"
#include "base/environment.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- running it ---- */

static void
count_moment(struct memmodel_replay *replay, const struct allocator_counters *counters, int64_t event)
{
    struct memmodel_replay_summary *summary = &replay->summary;

    replay->moments[event] = *counters;
    summary->requested_peak = max_i64(summary->requested_peak, counters->requested);
    summary->allocated_peak = max_i64(summary->allocated_peak, counters->allocated);
    summary->active_peak = max_i64(summary->active_peak, counters->active);
    summary->touched_peak = max_i64(summary->touched_peak, counters->touched);
    if (summary->reserved_event < 0 || counters->reserved > summary->reserved_peak) {
        summary->reserved_peak = counters->reserved;
        summary->reserved_event = event;
    }
    summary->retries = counters->retries;
    summary->events = max_i64(summary->events, event + 1);
}

static int
play(struct memmodel_replay *replay, struct allocator_run *run, size_t events)
{
    int status = 0;

    while (!status && !run->out_of_memory && run->event < events) {
        status = allocator_run_step(run);
        if (!status)
            count_moment(replay, replay->allocator->counters(run->self), run->at.event);
    }
    if (run->out_of_memory)
        replay->summary.out_of_memory = run->at.event;
    return status;
}

static int
keep_block(void *user, const struct allocator_block *block)
{
    struct memmodel_replay *replay = user;
    int status = array_reserve(replay->context, &replay->blocks, &replay->block_capacity, replay->block_count + 1,
                               sizeof *replay->blocks);

    if (!status)
        replay->blocks[replay->block_count++] = *block;
    return status;
}

static int
by_address(const void *a, const void *b)
{
    const struct allocator_block *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static int
keep_blocks(struct memmodel_replay *replay, const struct allocator_run *run)
{
    int status = 0;

    if (replay->allocator->walk)
        status = replay->allocator->walk(run->self, keep_block, replay);
    if (!status && replay->block_count)
        qsort(replay->blocks, replay->block_count, sizeof *replay->blocks, by_address);
    return status;
}

static int
run_trace(struct memmodel_replay *replay, size_t events)
{
    struct allocator_options options = {.settings = replay->settings, .capacity = replay->capacity};
    struct allocator_run run;
    int status;

    replay->moments = memory_allocate_zeroed(replay->context, events + 1, sizeof *replay->moments);
    if (!replay->moments)
        return MEMMODEL_ERROR_NOMEM;
    status = allocator_run_new(&run, replay->context, replay->allocator, &options, replay->trace);
    if (status)
        return status;
    status = play(replay, &run, events);
    if (!status)
        status = keep_blocks(replay, &run);
    allocator_run_release(&run);
    return status;
}

/* ---- making it ---- */

static int
check_options(memmodel_context *context, const struct memmodel_replay_options *options,
              const struct allocator **allocator)
{
    *allocator = allocator_find(options->allocator ? options->allocator : "exact");
    if (!*allocator)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, options->allocator, "unknown allocator; known are %s",
                             ALLOCATOR_NAMES);
    if (options->capacity < 0 || options->events < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%s is negative",
                             options->capacity < 0 ? "capacity" : "events");
    if (options->settings && *options->settings && !(*allocator)->settings)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, (*allocator)->name,
                             "this allocator has no settings");
    return 0;
}

static int
replay_create(const memmodel_trace *trace, const struct memmodel_replay_options *options,
              struct memmodel_replay **replay)
{
    struct memmodel_replay *new = memory_allocate_zeroed(trace->context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NOMEM;
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(trace->context);
    new->trace = memmodel_trace_ref((memmodel_trace *)trace); /* only its count changes */
    new->capacity = options->capacity;
    new->summary = (struct memmodel_replay_summary){
        .size = sizeof new->summary, .touched_peak = -1, .reserved_event = -1, .out_of_memory = -1};
    *replay = new;
    if (!options->settings)
        return 0;
    new->settings = memory_copy_text(new->context, options->settings);
    return new->settings ? 0 : MEMMODEL_ERROR_NOMEM;
}

static int
replay_trace(const memmodel_trace *trace, const struct memmodel_replay_options *options, memmodel_replay **replay)
{
    OWN_ENVIRONMENT;
    struct memmodel_replay_options own = {.size = sizeof own};
    struct memmodel_replay *new = NULL;
    const struct allocator *allocator;
    size_t events;
    int status;

    if (!replay)
        return context_error(trace->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "replay is needed");
    status = options_copy(trace->context, "memmodel_replay_options", options, &own, sizeof own);
    if (!status)
        status = check_options(trace->context, &own, &allocator);
    if (status)
        return status;
    events = trace->event_count;
    if (own.events > 0 && (uint64_t)own.events < events)
        events = (size_t)own.events;
    status = replay_create(trace, &own, &new);
    if (!status) {
        new->allocator = allocator;
        status = run_trace(new, events);
    }
    if (status)
        memmodel_replay_unref(new);
    else
        *replay = new;
    return status;
}

int
memmodel_replay_new(const memmodel_trace *trace, const struct memmodel_replay_options *options,
                    memmodel_replay **replay)
{
    int status;

    if (!trace)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(trace->context);
    return context_end(trace->context, status ? status : replay_trace(trace, options, replay));
}

memmodel_replay *
memmodel_replay_ref(memmodel_replay *replay)
{
    if (replay)
        atomic_fetch_add_explicit(&replay->references, 1, memory_order_relaxed);
    return replay;
}

void
memmodel_replay_unref(memmodel_replay *replay)
{
    memmodel_context *context;

    if (!replay || atomic_fetch_sub_explicit(&replay->references, 1, memory_order_acq_rel) != 1)
        return;
    context = replay->context;
    memmodel_trace_unref(replay->trace);
    memory_release(context, replay->settings);
    memory_release(context, replay->moments);
    memory_release(context, replay->blocks);
    memory_release(context, replay);
    memmodel_context_unref(context);
}

/* ---- looking at it ---- */

int
memmodel_replay_summary(const memmodel_replay *replay, struct memmodel_replay_summary *summary)
{
    if (!replay)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return summary ? result_copy(&replay->summary, sizeof replay->summary, summary) : MEMMODEL_ERROR_INVALID_ARGUMENT;
}

int
memmodel_replay_moment(const memmodel_replay *replay, size_t event, struct memmodel_replay_moment *moment)
{
    struct memmodel_replay_moment own = {.size = sizeof own};
    const struct allocator_counters *counters;

    if (!replay || !moment || event >= (size_t)replay->summary.events)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    counters = &replay->moments[event];
    own.requested = counters->requested;
    own.allocated = counters->allocated;
    own.active = counters->active;
    own.reserved = counters->reserved;
    own.touched = counters->touched;
    return result_copy(&own, sizeof own, moment);
}

size_t
memmodel_replay_block_count(const memmodel_replay *replay)
{
    return replay ? replay->block_count : 0;
}

static int32_t
state_of(const struct allocator_block *block)
{
    if (block->owner < 0)
        return MEMMODEL_BLOCK_FREE;
    return block->active ? MEMMODEL_BLOCK_AWAITED : MEMMODEL_BLOCK_ALLOCATED;
}

int
memmodel_replay_block(const memmodel_replay *replay, size_t index, struct memmodel_replay_block *block)
{
    struct memmodel_replay_block own = {.size = sizeof own};
    const struct allocator_block *from;

    if (!replay || !block || index >= replay->block_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    from = &replay->blocks[index];
    own.segment = from->segment;
    own.address = from->address;
    own.bytes = from->bytes;
    own.requested = from->requested;
    own.stream = from->stream;
    own.block = from->owner;
    own.state = state_of(from);
    own.large = from->large;
    own.expandable = from->expandable;
    return result_copy(&own, sizeof own, block);
}

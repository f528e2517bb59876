/* memmodel_replay: a trace, an allocator, and the bytes after each event. */
#include "allocators/handle.h"
#include "base/environment.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- running it ---- */

static void
record_usage(struct memmodel_replay *replay, const struct allocator_counters *counters, int64_t event)
{
    struct memmodel_replay_result *summary = &replay->summary;

    replay->usages[event] = *counters;
    summary->peak_requested = max_i64(summary->peak_requested, counters->requested);
    summary->peak_allocated = max_i64(summary->peak_allocated, counters->allocated);
    summary->peak_active = max_i64(summary->peak_active, counters->active);
    summary->peak_resident = max_i64(summary->peak_resident, counters->resident);
    if (summary->peak_event < 0 || counters->reserved > summary->peak_reserved) {
        summary->peak_reserved = counters->reserved;
        summary->peak_event = event;
    }
    summary->retry_count = counters->retries;
    summary->event_count = max_i64(summary->event_count, event + 1);
}

static int
play(struct memmodel_replay *replay, struct allocator_run *run, size_t events)
{
    int status = 0;

    while (!status && !run->out_of_memory && run->event < events) {
        status = allocator_run_step(run);
        if (!status)
            record_usage(replay, replay->allocator->counters(run->self), run->at.event);
    }
    if (run->out_of_memory)
        replay->summary.oom_event = run->at.event;
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

    replay->usages = memory_allocate_zeroed(replay->context, events + 1, sizeof *replay->usages);
    if (!replay->usages)
        return MEMMODEL_ERROR_NO_MEMORY;
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
    if (options->capacity < 0 || options->max_events < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%s is negative",
                             options->capacity < 0 ? "capacity" : "events");
    if (options->allocator_settings && *options->allocator_settings && !(*allocator)->settings)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, (*allocator)->name,
                             "this allocator has no settings");
    return 0;
}

static int
replay_create(memmodel_context *context, const memmodel_trace *trace, const struct memmodel_replay_options *options,
              struct memmodel_replay **replay)
{
    struct memmodel_replay *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(context);
    new->trace = memmodel_trace_ref((memmodel_trace *)trace); /* only its count changes */
    new->capacity = options->capacity;
    new->summary = (struct memmodel_replay_result){
        .size = sizeof new->summary, .peak_resident = -1, .peak_event = -1, .oom_event = -1};
    *replay = new;
    if (!options->allocator_settings)
        return 0;
    new->settings = memory_copy_text(new->context, options->allocator_settings);
    return new->settings ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
replay_trace(const memmodel_trace *trace, const struct memmodel_replay_options *options, memmodel_context *context,
             memmodel_replay **replay)
{
    OWN_ENVIRONMENT;
    struct memmodel_replay_options own = {.size = sizeof own};
    struct memmodel_replay *new = NULL;
    const struct allocator *allocator;
    size_t events;
    int status = options_copy(context, "memmodel_replay_options", options, &own, sizeof own);

    if (!status)
        status = check_options(context, &own, &allocator);
    if (status)
        return status;
    events = trace->event_count;
    if (own.max_events > 0 && (uint64_t)own.max_events < events)
        events = (size_t)own.max_events;
    status = replay_create(context, trace, &own, &new);
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
memmodel_trace_replay(const memmodel_trace *trace, const struct memmodel_replay_options *options,
                      memmodel_context *context, memmodel_replay **replay)
{
    int status;

    if (!trace || !replay)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : trace->context;
    status = context_begin(context);
    return context_end(context, status ? status : replay_trace(trace, options, context, replay));
}

DEFINE_REF(memmodel_replay)

void
memmodel_replay_unref(memmodel_replay *replay)
{
    memmodel_context *context;

    if (!replay || atomic_fetch_sub_explicit(&replay->references, 1, memory_order_acq_rel) != 1)
        return;
    context = replay->context;
    memmodel_trace_unref(replay->trace);
    memory_release(context, replay->settings);
    memory_release(context, replay->usages);
    memory_release(context, replay->blocks);
    memory_release(context, replay);
    memmodel_context_unref(context);
}

/* ---- looking at it ---- */

int
memmodel_replay_get_result(const memmodel_replay *replay, struct memmodel_replay_result *summary)
{
    if (!replay)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return summary ? result_copy(&replay->summary, sizeof replay->summary, summary) : MEMMODEL_ERROR_INVALID_ARGUMENT;
}

int
memmodel_replay_get_usage(const memmodel_replay *replay, size_t event, struct memmodel_replay_usage *usage)
{
    struct memmodel_replay_usage own = {.size = sizeof own};
    const struct allocator_counters *counters;

    if (!replay || !usage || event >= (size_t)replay->summary.event_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    counters = &replay->usages[event];
    own.requested = counters->requested;
    own.allocated = counters->allocated;
    own.active = counters->active;
    own.reserved = counters->reserved;
    own.resident = counters->resident;
    return result_copy(&own, sizeof own, usage);
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
        return MEMMODEL_BLOCK_STATE_FREE;
    return block->active ? MEMMODEL_BLOCK_STATE_PENDING_FREE : MEMMODEL_BLOCK_STATE_ALLOCATED;
}

int
memmodel_replay_get_block(const memmodel_replay *replay, size_t index, struct memmodel_replay_block *block)
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

const char *
memmodel_block_state_name(int state)
{
    static const char *const names[] = {
        [MEMMODEL_BLOCK_STATE_FREE] = "free",
        [MEMMODEL_BLOCK_STATE_ALLOCATED] = "allocated",
        [MEMMODEL_BLOCK_STATE_PENDING_FREE] = "pending free",
    };

    return state >= 0 && state <= MEMMODEL_BLOCK_STATE_PENDING_FREE ? names[state] : NULL;
}

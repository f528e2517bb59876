/* A trace: blocks, events and names that grow while it is written. */
#include "trace/trace.h"
#include "base/checked.h"

#include <string.h>

int
trace_new(memmodel_context *context, struct memmodel_trace **trace)
{
    struct memmodel_trace *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(context);
    new->arena = ARENA_INIT(context);
    new->layer = new->line = -1;
    *trace = new;
    return 0;
}

DEFINE_REF(memmodel_trace)

void
memmodel_trace_unref(memmodel_trace *trace)
{
    memmodel_context *context;

    if (!trace || atomic_fetch_sub_explicit(&trace->references, 1, memory_order_acq_rel) != 1)
        return;
    context = trace->context;
    memory_release(context, trace->blocks);
    memory_release(context, trace->events);
    memory_release(context, trace->names);
    memory_release(context, trace->repeats);
    arena_release(&trace->arena);
    memory_release(context, trace);
    memmodel_context_unref(context);
}

int
trace_hand_over(struct memmodel_trace *read, int status, struct memmodel_trace **trace)
{
    if (status)
        memmodel_trace_unref(read);
    else
        *trace = read;
    return status;
}

void
trace_clear(struct memmodel_trace *trace)
{
    arena_release(&trace->arena);
    trace->arena = ARENA_INIT(trace->context);
    trace->block_count = trace->event_count = trace->name_count = trace->repeat_count = 0;
    trace->live = trace->peak = 0;
    trace->peak_only = false;
    trace->layer = trace->line = -1;
}

int32_t
trace_add_name(struct memmodel_trace *trace, const char *name)
{
    char *copy;
    int status = array_reserve(trace->context, &trace->names, &trace->name_capacity, trace->name_count + 1,
                               sizeof *trace->names);

    if (status)
        return status;
    copy = arena_copy_text(&trace->arena, name);
    if (!copy)
        return MEMMODEL_ERROR_NO_MEMORY;
    trace->names[trace->name_count] = copy;
    return (int32_t)trace->name_count++;
}

int
trace_reserve(struct memmodel_trace *trace, size_t events)
{
    int status = array_reserve(trace->context, &trace->events, &trace->event_capacity, trace->event_count + events,
                               sizeof *trace->events);

    if (status)
        return status;
    return array_reserve(trace->context, &trace->blocks, &trace->block_capacity, trace->block_count + events / 2,
                         sizeof *trace->blocks);
}

void
trace_enter(struct memmodel_trace *trace, int step, enum memmodel_phase phase, int32_t layer)
{
    trace->step = (int16_t)step;
    trace->phase = (uint8_t)phase;
    trace->layer = layer;
}

/* Index of the new event, or a negative status. */
static int32_t
add_event(struct memmodel_trace *trace, int32_t block, bool release, int64_t live)
{
    int status;

    if (trace->event_count >= INT32_MAX)
        return context_error(trace->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the trace has too many events");
    status = array_reserve(trace->context, &trace->events, &trace->event_capacity, trace->event_count + 1,
                           sizeof *trace->events);
    if (status)
        return status;
    trace->live = live;
    trace->events[trace->event_count] = (struct trace_event){
        .live = live,
        .block = block,
        .layer = trace->layer,
        .step = trace->step,
        .phase = trace->phase,
        .release = release,
    };
    return (int32_t)trace->event_count++;
}

/* Index of the new block in a trace of the peak only. */
static int32_t
raise_live(struct memmodel_trace *trace, int64_t live)
{
    trace->live = live;
    trace->peak = max_i64(trace->peak, live);
    return trace->block_count < INT32_MAX ? (int32_t)trace->block_count++ : INT32_MAX;
}

void
trace_lower(struct memmodel_trace *trace, int64_t bytes)
{
    trace->live -= bytes;
}

const char *
trace_text(struct memmodel_trace *trace, const char *text)
{
    return trace->peak_only ? text : arena_copy_text(&trace->arena, text);
}

int32_t
trace_allocate(struct memmodel_trace *trace, int64_t bytes, const char *what, int32_t layer,
               enum memmodel_category category)
{
    int64_t live;
    int32_t event;
    int status = context_check(trace->context, 1);

    if (status)
        return status;
    if (!checked_add(trace->live, bytes, &live))
        return context_error(trace->context, MEMMODEL_ERROR_OVERFLOW, NULL, "live bytes do not fit in 63 bits");
    if (trace->peak_only)
        return raise_live(trace, live);
    status = array_reserve(trace->context, &trace->blocks, &trace->block_capacity, trace->block_count + 1,
                           sizeof *trace->blocks);
    if (status)
        return status;
    event = add_event(trace, (int32_t)trace->block_count, false, live);
    if (event < 0)
        return event;
    trace->blocks[trace->block_count] = (struct trace_block){
        .bytes = bytes,
        .what = what,
        .layer = layer,
        .category = (int32_t)category,
        .allocated = event,
        .released = -1,
        .reusable = -1,
        .repeat = -1,
        .drained = -1,
        .line = trace->line,
    };
    return (int32_t)trace->block_count++;
}

int
trace_release(struct memmodel_trace *trace, int32_t block)
{
    int status = context_check(trace->context, 1);
    int32_t event;

    if (status)
        return status;
    event = add_event(trace, block, true, trace->live - trace->blocks[block].bytes);
    if (event < 0)
        return event;
    trace->blocks[block].released = event;
    return 0;
}

/* ---- summaries ---- */

int32_t
trace_peak_event(const struct memmodel_trace *trace, int step)
{
    int32_t peak = -1;

    for (size_t i = 0; i < trace->event_count; i++) {
        if (step != 0 && trace->events[i].step != step)
            continue;
        if (peak < 0 || trace->events[i].live > trace->events[peak].live)
            peak = (int32_t)i;
    }
    return peak;
}

/* What is live before the event at `end`. */
static int64_t
live_before(const struct memmodel_trace *trace, size_t end)
{
    int32_t last = (int32_t)end - 1;

    return last < 0 ? 0 : trace_live(trace, last, trace_times(trace, last) - 1);
}

void
trace_step_peaks(const struct memmodel_trace *trace, int count, int64_t *peaks)
{
    int begun = 0;

    for (size_t i = 0; i < trace->event_count;) {
        int step = trace->events[i].step;
        int64_t peak = trace->events[i].live;

        while (begun < count && begun < step)
            peaks[begun++] = live_before(trace, i);
        for (; i < trace->event_count && trace->events[i].step == step; i++)
            peak = max_i64(peak, trace->events[i].live);
        if (step > 0 && step <= count)
            peaks[step - 1] = max_i64(peaks[step - 1], peak);
    }
    while (begun < count)
        peaks[begun++] = live_before(trace, trace->event_count);
}

/* The repeat in whose period the event is; NULL: none. */
static const struct trace_repeat *
repeat_of(const struct memmodel_trace *trace, int32_t event)
{
    for (size_t i = 0; i < trace->repeat_count; i++) {
        const struct trace_repeat *repeat = &trace->repeats[i];

        if (event >= repeat->first && event < repeat->first + repeat->count)
            return repeat;
    }
    return NULL;
}

int64_t
trace_times(const struct memmodel_trace *trace, int32_t event)
{
    const struct trace_repeat *repeat = repeat_of(trace, event);

    return repeat ? 1 + repeat->times : 1;
}

/* What the iterations that a repeat leaves out allocate and release: of the blocks around it. */
static void
follow_repeat(const struct memmodel_trace *trace, const struct trace_repeat *repeat,
              int64_t bytes[MEMMODEL_MAX_CATEGORIES])
{
    int32_t next = repeat->first + repeat->count;

    for (int32_t i = repeat->first - repeat->count; i < next + repeat->count; i++) {
        const struct trace_block *block = &trace->blocks[trace->events[i].block];

        if (block->copies == 0)
            continue;
        if (trace->events[i].release && block->drained == next)
            bytes[block->category] -= block->copies * block->bytes;
        else if (!trace->events[i].release && i >= repeat->first && i < next)
            bytes[block->category] += block->copies * block->bytes;
    }
}

void
trace_follow(const struct memmodel_trace *trace, int32_t event, int64_t bytes[MEMMODEL_MAX_CATEGORIES])
{
    const struct trace_block *block = &trace->blocks[trace->events[event].block];
    bool release = trace->events[event].release;
    int64_t count = release && block->copies > 0 && block->drained == event ? 1 + block->copies : 1;

    for (size_t i = 0; i < trace->repeat_count; i++)
        if (event == trace->repeats[i].first + trace->repeats[i].count)
            follow_repeat(trace, &trace->repeats[i], bytes);
    bytes[block->category] += (release ? -count : count) * block->bytes;
}

int64_t
trace_live(const struct memmodel_trace *trace, int32_t event, int64_t copy)
{
    const struct trace_repeat *repeat = copy > 0 ? repeat_of(trace, event) : NULL;

    return trace->events[event].live + (repeat ? copy * repeat->growth : 0);
}

int64_t
trace_live_at(const struct memmodel_trace *trace, const struct trace_block *block, int32_t event, int64_t copy)
{
    int64_t own = block->allocated <= event && (block->released < 0 || block->released > event);
    const struct trace_repeat *repeat, *during;

    if (block->copies == 0)
        return own;
    repeat = &trace->repeats[block->repeat];
    during = copy > 0 ? repeat_of(trace, event) : NULL;
    if (during == repeat)
        return own + copy;
    if (event < repeat->first + repeat->count || (block->drained >= 0 && block->drained <= event))
        return own;
    if (during && block->drained == during->first + during->count)
        return own + block->copies - copy;
    return own + block->copies;
}

void
trace_categories_at(const struct memmodel_trace *trace, int32_t event, int64_t copy,
                    int64_t bytes[MEMMODEL_MAX_CATEGORIES])
{
    memset(bytes, 0, MEMMODEL_MAX_CATEGORIES * sizeof *bytes);
    for (size_t i = 0; i < trace->block_count; i++)
        bytes[trace->blocks[i].category] +=
            trace->blocks[i].bytes * trace_live_at(trace, &trace->blocks[i], event, copy);
}

/* ---- public view ---- */

size_t
memmodel_trace_event_count(const memmodel_trace *trace)
{
    return trace ? trace->event_count : 0;
}

int
memmodel_trace_get_event(const memmodel_trace *trace, size_t index, struct memmodel_trace_event *event)
{
    const struct trace_event *from;
    const struct trace_block *block;
    struct memmodel_trace_event own;

    if (!trace || !event || index >= trace->event_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    from = &trace->events[index];
    block = &trace->blocks[from->block];
    own = (struct memmodel_trace_event){
        .size = sizeof own,
        .bytes = from->release ? -block->bytes : block->bytes,
        .live = from->live,
        .role = block->what,
        .layer = block->layer < 0 ? "" : trace->names[block->layer],
        .block = from->block,
        .step = from->step,
        .category = block->category,
        .phase = from->phase,
        .times = trace_times(trace, (int32_t)index),
        .line = block->line < 0 ? "" : trace->names[block->line],
    };
    return result_copy(&own, sizeof own, event);
}

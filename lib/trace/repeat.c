/* Repeats of a trace: made, and walked through. */
#include "trace/repeat.h"
#include "base/checked.h"

#include <inttypes.h>

/* ---- making one ---- */

static const struct trace_block *
block_of(const struct memmodel_trace *trace, int32_t event)
{
    return &trace->blocks[trace->events[event].block];
}

/* The repeat whose middle iteration or a neighbour of it has allocated at this event; NULL: none. */
static const struct trace_repeat *
repeat_around(const struct memmodel_trace *trace, int32_t event)
{
    for (size_t i = trace->repeat_count; i > 0; i--) {
        const struct trace_repeat *repeat = &trace->repeats[i - 1];

        if (event >= repeat->first - repeat->count && event < repeat->first + 2 * repeat->count)
            return repeat;
    }
    return NULL;
}

/* Whether the blocks that the same event of the three iterations releases are those of as many iterations back. */
static bool
releases_alike(const struct memmodel_trace *trace, const struct trace_iterations *at, int32_t i, int64_t times)
{
    int32_t count = at->after - at->middle, released = block_of(trace, at->middle + i)->allocated;
    int32_t back = released - block_of(trace, at->before + i)->allocated;
    const struct trace_repeat *forward = repeat_around(trace, released);

    if (block_of(trace, at->after + i)->allocated - released != back)
        return false;
    if (back == count && released >= at->before)
        return true;
    return forward && back == -forward->count && forward->times == times;
}

static bool
are_alike(const struct memmodel_trace *trace, const struct trace_iterations *at, int64_t times)
{
    int32_t count = at->after - at->middle;

    if (count != at->middle - at->before || count != (int32_t)trace->event_count - at->after)
        return false;
    for (int32_t i = 0; i < count; i++) {
        const struct trace_event *before = &trace->events[at->before + i], *middle = &trace->events[at->middle + i],
                                 *after = &trace->events[at->after + i];
        int64_t bytes = trace->blocks[middle->block].bytes;

        if (before->release != middle->release || middle->release != after->release ||
            trace->blocks[before->block].bytes != bytes || trace->blocks[after->block].bytes != bytes)
            return false;
        if (middle->release && !releases_alike(trace, at, i, times))
            return false;
    }
    return true;
}

/* What the middle iteration keeps has copies; what it released of copies has none left. */
static void
mark_blocks(struct memmodel_trace *trace, const struct trace_iterations *at, int64_t times)
{
    for (int32_t i = at->middle; i < at->after; i++) {
        struct trace_block *block = &trace->blocks[trace->events[i].block];

        if (trace->events[i].release)
            continue;
        block->repeat = (int32_t)trace->repeat_count;
        block->copies = block->released < 0 ? times : 0;
    }
    for (int32_t i = at->before; i < (int32_t)trace->event_count; i++) {
        struct trace_block *block = &trace->blocks[trace->events[i].block];

        if (trace->events[i].release && block->copies > 0 && block->allocated < at->before)
            block->drained = at->after;
    }
}

int
trace_add_repeat(struct memmodel_trace *trace, const struct trace_iterations *iterations, int64_t times, int64_t growth,
                 bool *regular)
{
    int64_t more;
    int status;

    *regular = are_alike(trace, iterations, times);
    if (!*regular)
        return 0;
    if (!checked_multiply(times, growth, &more) || !checked_add(trace->live, more, &trace->live))
        return context_error(trace->context, MEMMODEL_ERROR_OVERFLOW, NULL, "live bytes do not fit in 63 bits");
    status = array_reserve(trace->context, &trace->repeats, &trace->repeat_capacity, trace->repeat_count + 1,
                           sizeof *trace->repeats);
    if (status)
        return status;
    mark_blocks(trace, iterations, times);
    for (int32_t i = iterations->after; i < (int32_t)trace->event_count; i++)
        trace->events[i].live += more;
    trace->repeats[trace->repeat_count++] = (struct trace_repeat){
        .times = times,
        .growth = growth,
        .first = iterations->middle,
        .count = iterations->after - iterations->middle,
    };
    return 0;
}

/* ---- how much is left out ---- */

int64_t
trace_left_out(const struct memmodel_trace *trace)
{
    int64_t sum = 0, events;

    for (size_t i = 0; i < trace->repeat_count; i++)
        if (!checked_multiply(trace->repeats[i].times, trace->repeats[i].count, &events) ||
            !checked_accumulate(&sum, events))
            return INT64_MAX;
    return sum;
}

/* Blocks of a repeat stand one after another. */
int64_t
trace_copies_kept(const struct memmodel_trace *trace)
{
    int64_t most = 0, sum = 0;
    int32_t repeat = -1;

    for (size_t i = 0; i < trace->block_count; i++) {
        const struct trace_block *block = &trace->blocks[i];

        if (block->repeat != repeat)
            sum = 0;
        repeat = block->repeat;
        if (!checked_accumulate(&sum, block->copies))
            return INT64_MAX;
        most = max_i64(most, sum);
    }
    return most;
}

/* ---- periods of a walk ---- */

/* A block with copies that all go where it goes itself. */
static bool
releases_copies(const struct memmodel_trace *trace, size_t event)
{
    const struct trace_block *block = block_of(trace, (int32_t)event);

    return trace->events[event].release && block->copies > 0 && block->drained == (int32_t)event;
}

/* They go in the order of time, or the last ones first: the iteration that is released before them decides. */
static bool
is_descending(const struct memmodel_trace *trace, const struct walk_period *row)
{
    const struct trace_repeat *repeat = &trace->repeats[block_of(trace, row->first)->repeat];
    int32_t before;

    if (row->first == 0 || !trace->events[row->first - 1].release)
        return false;
    before = block_of(trace, row->first - 1)->allocated;
    return before >= repeat->first + repeat->count && before < repeat->first + 2 * repeat->count;
}

static int
add_period(struct trace_walk *walk, const struct walk_period *period)
{
    int status = array_reserve(walk->context, &walk->periods, &walk->period_capacity, walk->period_count + 1,
                               sizeof *walk->periods);

    if (!status)
        walk->periods[walk->period_count++] = *period;
    return status;
}

/* Releases of copies in a row, all of one repeat. */
static int
add_row(struct trace_walk *walk, size_t *event)
{
    const struct memmodel_trace *trace = walk->trace;
    struct walk_period row = {.first = (int32_t)*event, .of = block_of(trace, (int32_t)*event)->repeat};

    while (*event < trace->event_count && releases_copies(trace, *event) &&
           block_of(trace, (int32_t)*event)->repeat == row.of)
        ++*event;
    row.count = (int32_t)*event - row.first;
    row.descending = is_descending(trace, &row);
    return add_period(walk, &row);
}

static int
find_periods(struct trace_walk *walk)
{
    const struct memmodel_trace *trace = walk->trace;
    size_t repeat = 0;
    int status = 0;

    for (size_t event = 0; event < trace->event_count && trace->repeat_count && !status;) {
        const struct trace_repeat *next = repeat < trace->repeat_count ? &trace->repeats[repeat] : NULL;

        if (next && (size_t)next->first == event) {
            struct walk_period period = {
                .first = next->first, .count = next->count, .of = (int32_t)repeat, .repeat = true};

            status = add_period(walk, &period);
            event += (size_t)next->count;
            repeat++;
        } else if (releases_copies(trace, event)) {
            status = add_row(walk, &event);
        } else {
            event++;
        }
    }
    return status;
}

/* ---- what the events of a period are of ---- */

static void
plan_row(struct trace_walk *walk, const struct walk_period *row)
{
    for (int32_t i = 0; i < row->count; i++)
        walk->plan[i] = (struct walk_plan){
            .block = walk->trace->events[row->first + i].block,
            .start = row->descending ? walk->times[row->of] : 0,
            .slope = row->descending ? -1 : 1,
        };
}

/* A release of what the forward pass of the loop keeps: the last copies go first. */
static struct walk_plan
plan_kept(const struct trace_walk *walk, int32_t allocated)
{
    const struct memmodel_trace *trace = walk->trace;
    const struct trace_repeat *forward = repeat_around(trace, allocated);
    int32_t offset = allocated < forward->first ? -1 : allocated < forward->first + forward->count ? 0 : 1;
    int32_t middle = allocated - offset * forward->count;

    return (struct walk_plan){
        .block = trace->events[middle].block,
        .before = trace->events[middle - forward->count].block,
        .after = trace->events[middle + forward->count].block,
        .start = walk->times[forward - trace->repeats] + offset,
        .slope = -1,
    };
}

static void
plan_repeat(struct trace_walk *walk, const struct walk_period *period)
{
    const struct memmodel_trace *trace = walk->trace;

    for (int32_t i = 0; i < period->count; i++) {
        const struct trace_event *event = &trace->events[period->first + i];
        int32_t allocated = trace->blocks[event->block].allocated;

        walk->plan[i] = (struct walk_plan){.block = event->block, .slope = 1};
        if (!event->release || allocated >= period->first)
            continue;
        if (allocated >= period->first - period->count)
            walk->plan[i] = (struct walk_plan){
                .block = trace->events[allocated + period->count].block,
                .before = event->block,
                .start = -1,
                .slope = 1,
            };
        else
            walk->plan[i] = plan_kept(walk, allocated);
    }
}

static int
enter(struct trace_walk *walk)
{
    const struct walk_period *period = &walk->periods[walk->period];
    int status =
        array_reserve(walk->context, &walk->plan, &walk->plan_capacity, (size_t)period->count, sizeof *walk->plan);

    if (status)
        return status;
    if (period->repeat)
        plan_repeat(walk, period);
    else
        plan_row(walk, period);
    walk->inside = true;
    walk->copy = 0;
    return 0;
}

/* ---- walking ---- */

int
trace_walk_begin(struct trace_walk *walk, memmodel_context *context, const struct memmodel_trace *trace)
{
    *walk = (struct trace_walk){.context = context, .trace = trace};
    walk->times = memory_allocate_zeroed(context, trace->repeat_count + 1, sizeof *walk->times);
    if (!walk->times)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < trace->repeat_count; i++)
        walk->times[i] = trace->repeats[i].times;
    return find_periods(walk);
}

void
trace_walk_end(struct trace_walk *walk)
{
    memory_release(walk->context, walk->periods);
    memory_release(walk->context, walk->plan);
    memory_release(walk->context, walk->times);
    walk->periods = NULL;
    walk->plan = NULL;
    walk->times = NULL;
}

const struct walk_period *
trace_walk_boundary(const struct trace_walk *walk)
{
    const struct walk_period *period = walk->inside ? &walk->periods[walk->period] : NULL;

    return period && walk->event == period->first ? period : NULL;
}

void
trace_walk_shorten(struct trace_walk *walk, int32_t repeat, int64_t iterations)
{
    walk->times[repeat] -= iterations;
}

int64_t
trace_instances(const struct memmodel_trace *trace, const struct trace_block *block)
{
    return block->repeat < 0 ? 1 : 1 + trace->repeats[block->repeat].times;
}

static void
follow_plan(const struct trace_walk *walk, const struct walk_period *period, struct walk_event *event)
{
    const struct walk_plan *plan = &walk->plan[event->event - period->first];
    int64_t instance = plan->start + plan->slope * walk->copy;
    int32_t repeat = walk->trace->blocks[plan->block].repeat;
    int64_t last = repeat < 0 ? 0 : walk->times[repeat];

    event->block = instance < 0 ? plan->before : instance > last ? plan->after : plan->block;
    event->instance = instance < 0 || instance > last ? 0 : instance;
}

/* Outside of periods: the iteration behind the repeat releases the last copies, the one before it the block itself. */
static int64_t
instance_released(const struct trace_walk *walk, int32_t event)
{
    const struct trace_block *block = block_of(walk->trace, event);

    if (block->repeat < 0 || (block->copies > 0 && block->drained >= 0 && event >= block->drained))
        return 0;
    return walk->times[block->repeat];
}

/* On to the next event: from the end of a period to its beginning until all its copies are run. */
static void
advance(struct trace_walk *walk)
{
    const struct walk_period *period = walk->inside ? &walk->periods[walk->period] : NULL;

    walk->event++;
    if (!period || walk->event < period->first + period->count)
        return;
    if (walk->copy < walk->times[period->of]) {
        walk->copy++;
        walk->event = period->first;
        return;
    }
    walk->inside = false;
    walk->copy = 0;
    walk->period++;
}

bool
trace_walk_next(struct trace_walk *walk, struct walk_event *event, int *status)
{
    const struct memmodel_trace *trace = walk->trace;

    if ((size_t)walk->event >= trace->event_count)
        return false;
    if (!walk->inside && walk->period < walk->period_count && walk->event == walk->periods[walk->period].first) {
        *status = enter(walk);
        if (*status)
            return false;
    }
    *event = (struct walk_event){
        .event = walk->event,
        .block = trace->events[walk->event].block,
        .copy = walk->copy,
        .release = trace->events[walk->event].release,
    };
    if (walk->inside)
        follow_plan(walk, &walk->periods[walk->period], event);
    else if (event->release)
        event->instance = instance_released(walk, event->event);
    advance(walk);
    return true;
}

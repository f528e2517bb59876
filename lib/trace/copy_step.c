/* A step that repeats the one before it, event by event, is written without being run again. */
#include "trace/copy_step.h"

/* The last step of the trace. */
struct copied_step {
    size_t first_event, end;
    size_t first_block; /* that it allocated */
    size_t oldest;      /* block that it touched */
    int32_t *images;    /* of the blocks from the oldest on: which have their places in the copy */
};

static void
find_last_step(const struct memmodel_trace *trace, struct copied_step *copied)
{
    size_t first = trace->event_count, block = trace->block_count;

    copied->oldest = block;
    for (; first > 0 && trace->events[first - 1].step == trace->step; first--)
        if ((size_t)trace->events[first - 1].block < copied->oldest)
            copied->oldest = (size_t)trace->events[first - 1].block;
    while (block > 0 && trace->blocks[block - 1].allocated >= (int32_t)first)
        block--;
    copied->first_event = first;
    copied->end = trace->event_count;
    copied->first_block = block;
}

static bool
is_alike(const struct trace_block *a, const struct trace_block *b)
{
    return a->bytes == b->bytes && a->what == b->what && a->layer == b->layer && a->category == b->category;
}

/* The next block from `index` on that the last step leaves to the next one. */
static size_t
next_left(const struct memmodel_trace *trace, size_t index)
{
    while (index < trace->block_count && trace->blocks[index].released >= 0)
        index++;
    return index;
}

/*
 * What the step before left to this one has the place of what this one leaves to the next, in the order in which it was
 * allocated. False if it left something else.
 */
static bool
pair_what_is_left(const struct memmodel_trace *trace, struct copied_step *copied)
{
    size_t left = next_left(trace, copied->first_block);

    for (size_t i = copied->oldest; i < copied->first_block; i++) {
        const struct trace_block *block = &trace->blocks[i];

        if (block->released < (int32_t)copied->first_event)
            continue;
        if (left == trace->block_count || !is_alike(block, &trace->blocks[left]))
            return false;
        copied->images[i - copied->oldest] = (int32_t)left;
        left = next_left(trace, left + 1);
    }
    return left == trace->block_count;
}

static int
copy_event(struct memmodel_trace *trace, struct copied_step *copied, struct trace_event event, int step)
{
    const struct trace_block *block = &trace->blocks[event.block];
    int32_t *image = &copied->images[(size_t)event.block - copied->oldest];

    trace_enter(trace, step, (enum memmodel_phase)event.phase, event.layer);
    if (event.release)
        return trace_release(trace, *image);
    *image = trace_allocate(trace, block->bytes, block->what, block->layer, (enum memmodel_category)block->category);
    return *image < 0 ? *image : 0;
}

int
trace_copy_step(struct memmodel_trace *trace, bool *is_copied)
{
    struct copied_step copied;
    int step = trace->step, status = 0;

    *is_copied = false;
    find_last_step(trace, &copied);
    if (copied.first_event == 0 || trace->repeat_count > 0 || trace->events[copied.first_event - 1].live != trace->live)
        return 0;
    copied.images = memory_allocate(trace->context, (trace->block_count - copied.oldest + 1) * sizeof *copied.images);
    if (!copied.images)
        return MEMMODEL_ERROR_NO_MEMORY;
    *is_copied = pair_what_is_left(trace, &copied);
    if (*is_copied)
        status = trace_reserve(trace, copied.end - copied.first_event);
    for (size_t i = copied.first_event; *is_copied && !status && i < copied.end; i++)
        status = copy_event(trace, &copied, trace->events[i], step + 1);
    memory_release(trace->context, copied.images);
    return status;
}

/* The blocks of a trace as buffers. */
#include "trace/repeat.h"

#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>

/* Named by its layer, what it is, and the number of its block, which makes it the only one of that name. */
static int
add_block(memmodel_plan *plan, const struct memmodel_trace *trace, size_t number)
{
    const struct trace_block *block = &trace->blocks[number];
    char name[256];
    const struct memmodel_plan_buffer buffer = {
        .size = sizeof buffer,
        .name = name,
        .bytes = block->bytes,
        .lower = block->allocated,
        .upper = block->released < 0 ? (int64_t)trace->event_count : block->released,
    };

    snprintf(name, sizeof name, "%s%s%s#%zu", block->layer < 0 ? "" : trace->names[block->layer],
             block->layer < 0 ? "" : ".", block->what, number);
    return block->bytes > 0 ? memmodel_plan_add_buffer(plan, &buffer) : 0;
}

/* ---- traces with repeats: each block as often as it stands for one ---- */

/* When each instance of a block was allocated; -1: it is not there. */
struct instances {
    memmodel_context *context;
    const struct memmodel_trace *trace;
    int64_t **begin; /* by block, then instance */
};

static int64_t *
begin_of(struct instances *instances, const struct walk_event *event)
{
    int64_t count = trace_instances(instances->trace, &instances->trace->blocks[event->block]);
    int64_t **begin = &instances->begin[event->block];

    if (!*begin) {
        *begin = memory_allocate_zeroed(instances->context, (size_t)count, sizeof **begin);
        for (int64_t i = 0; *begin && i < count; i++)
            (*begin)[i] = -1;
    }
    return *begin ? *begin + event->instance : NULL;
}

static int
add_instance(memmodel_plan *plan, const struct memmodel_trace *trace, int32_t number, int64_t instance, int64_t lower,
             int64_t upper)
{
    const struct trace_block *block = &trace->blocks[number];
    char name[256];
    const struct memmodel_plan_buffer buffer = {
        .size = sizeof buffer, .name = name, .bytes = block->bytes, .lower = lower, .upper = upper};

    snprintf(name, sizeof name, "%s%s%s#%" PRId32 ".%" PRId64, block->layer < 0 ? "" : trace->names[block->layer],
             block->layer < 0 ? "" : ".", block->what, number, instance);
    return memmodel_plan_add_buffer(plan, &buffer);
}

static int
add_released(memmodel_plan *plan, struct instances *instances)
{
    struct trace_walk walk;
    struct walk_event event;
    int64_t now = 0;
    int status = trace_walk_begin(&walk, instances->context, instances->trace);

    while (!status && trace_walk_next(&walk, &event, &status)) {
        int64_t *begin = begin_of(instances, &event);

        if (!begin)
            status = MEMMODEL_ERROR_NO_MEMORY;
        else if (event.release)
            status = add_instance(plan, instances->trace, event.block, event.instance, *begin, now);
        if (begin)
            *begin = event.release ? -1 : now;
        now++;
    }
    trace_walk_end(&walk);
    for (size_t i = 0; i < instances->trace->block_count && !status; i++) {
        int64_t count = trace_instances(instances->trace, &instances->trace->blocks[i]);

        for (int64_t k = 0; instances->begin[i] && k < count && !status; k++)
            if (instances->begin[i][k] >= 0)
                status = add_instance(plan, instances->trace, (int32_t)i, k, instances->begin[i][k], now);
    }
    return status;
}

static int
add_instances(memmodel_plan *plan, const struct memmodel_trace *trace)
{
    struct instances instances = {.context = plan->context, .trace = trace};
    int status;

    instances.begin = memory_allocate_zeroed(plan->context, trace->block_count, sizeof *instances.begin);
    status = instances.begin ? add_released(plan, &instances) : MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; instances.begin && i < trace->block_count; i++)
        memory_release(plan->context, instances.begin[i]);
    memory_release(plan->context, instances.begin);
    return status;
}

static int
add_blocks(memmodel_plan *plan, const struct memmodel_trace *trace)
{
    int status = 0;

    for (size_t i = 0; i < trace->block_count && !status; i++)
        status = add_block(plan, trace, i);
    return status;
}

static int
plan_of_trace(memmodel_context *context, const memmodel_trace *trace, memmodel_plan **plan)
{
    memmodel_plan *new = NULL;
    int status;

    status = memmodel_plan_new(context, &new);
    if (!status)
        status = trace->repeat_count ? add_instances(new, trace) : add_blocks(new, trace);
    if (status)
        memmodel_plan_unref(new);
    else
        *plan = new;
    return status;
}

int
memmodel_plan_from_trace(memmodel_context *context, const memmodel_trace *trace, memmodel_plan **plan)
{
    int status;

    if (!context || !trace || !plan)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    return context_end(context, status ? status : plan_of_trace(context, trace, plan));
}

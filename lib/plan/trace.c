/* The blocks of a trace as buffers. */
#include "trace/trace.h"

#include "plan/plan.h"

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
    return block->bytes > 0 ? memmodel_plan_add(plan, &buffer) : 0;
}

int
memmodel_plan_from_trace(const memmodel_trace *trace, memmodel_plan **plan)
{
    memmodel_plan *new = NULL;
    int status;

    if (!trace || !plan)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = memmodel_plan_new(trace->context, &new);
    for (size_t i = 0; i < trace->block_count && !status; i++)
        status = add_block(new, trace, i);
    if (status)
        memmodel_plan_unref(new);
    else
        *plan = new;
    return status;
}

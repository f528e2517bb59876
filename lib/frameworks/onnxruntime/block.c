/*
 * The one block of the second run and of later ones of the same shapes: each buffer in the smallest gap that is large
 * enough where the first run asked for it. onnxruntime: core/framework/mem_pattern_planner.h, TraceAllocation.
 */
#include "frameworks/onnxruntime/plan.h"

#include "base/checked.h"

enum { ALIGNMENT = 256 };

struct placed {
    int32_t buffer;
    int64_t offset, bytes;
};

struct block {
    const struct ort_plan *plan;
    struct placed *placed; /* what is alive, by offset */
    size_t count;
    int64_t bytes;
};

/* The smallest gap between two that are alive, else the end of the last. */
static int64_t
find_gap(const struct block *block, int64_t bytes)
{
    int64_t end = 0, min = INT64_MAX, best;

    best = block->count ? block->placed[block->count - 1].offset + block->placed[block->count - 1].bytes : 0;
    for (size_t i = 0; i <= block->count; i++) {
        int64_t next = i < block->count ? block->placed[i].offset : block->bytes, gap = next - end;

        if (gap >= bytes && gap - bytes < min) {
            min = gap - bytes;
            best = end;
        }
        if (i < block->count)
            end = max_i64(end, block->placed[i].offset + block->placed[i].bytes);
    }
    return best;
}

static bool
place(struct block *block, int32_t buffer)
{
    struct placed new = {.buffer = buffer};
    size_t at = block->count;
    int64_t end;

    if (!ort_tensor_bytes(ort_tensor_of(block->plan->graph, block->plan->buffers[buffer].tensor), &new.bytes) ||
        !checked_add(new.bytes, ALIGNMENT - 1, &new.bytes))
        return false;
    new.bytes = new.bytes / ALIGNMENT *ALIGNMENT;
    new.offset = find_gap(block, new.bytes);
    if (!checked_add(new.offset, new.bytes, &end))
        return false;
    block->bytes = max_i64(block->bytes, end);
    for (; at > 0 && block->placed[at - 1].offset > new.offset; at--)
        block->placed[at] = block->placed[at - 1];
    block->placed[at] = new;
    block->count++;
    return true;
}

static void
take_out(struct block *block, int32_t buffer)
{
    size_t at = 0;

    while (at < block->count && block->placed[at].buffer != buffer)
        at++;
    if (at == block->count)
        return;
    block->count--;
    memmove(block->placed + at, block->placed + at + 1, (block->count - at) * sizeof *block->placed);
}

static bool
place_outputs(struct block *block, const struct ort_node *node)
{
    for (int32_t i = 0; i < node->output_count; i++) {
        int32_t buffer = block->plan->buffer_of[node->outputs[i]];

        if (ort_is_of_block(block->plan, buffer) && block->plan->buffers[buffer].tensor == node->outputs[i] &&
            !place(block, buffer))
            return false;
    }
    return true;
}

static void
take_out_inputs(struct block *block, int32_t place_of_node, const struct ort_node *node)
{
    for (int32_t i = 0; i < node->input_count; i++) {
        int32_t buffer = node->inputs[i] < 0 ? -1 : block->plan->buffer_of[node->inputs[i]];

        if (buffer >= 0 && block->plan->buffers[buffer].last == place_of_node && block->plan->buffers[buffer].uses == 0)
            take_out(block, buffer);
    }
}

bool
ort_is_of_block(const struct ort_plan *plan, int32_t buffer)
{
    return !plan->buffers[buffer].given && !ort_tensor_of(plan->graph, plan->buffers[buffer].tensor)->output;
}

int
ort_block_bytes(memmodel_context *context, const struct ort_plan *plan, int64_t *bytes)
{
    struct block block = {.plan = plan,
                          .placed = memory_allocate_zeroed(context, plan->buffer_count + 1, sizeof *block.placed)};
    int status = block.placed ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    for (size_t i = 0; i < plan->graph->order_count && !status; i++) {
        const struct ort_node *node = &plan->graph->nodes[plan->graph->order[i]];

        if (!place_outputs(&block, node))
            status = context_error(context, MEMMODEL_ERROR_OVERFLOW, node->layer->name,
                                   "needs more bytes than 63 bits can count");
        take_out_inputs(&block, (int32_t)i, node);
        if (!status)
            status = context_check(context, context_nodes(block.count));
    }
    memory_release(context, block.placed);
    if (!status)
        *bytes = block.bytes;
    return status;
}

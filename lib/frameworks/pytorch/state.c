#include "frameworks/pytorch/state.h"

void
step_fail(struct step *step, int status)
{
    if (step->status)
        return;
    step->status = status;
    if (status == MEMMODEL_ERROR_OVERFLOW)
        context_error(step->context, status, step->layer >= 0 ? step->network->layers[step->layer].name : NULL,
                      "%s needs more bytes than 63 bits can count", step->what);
}

void *
step_arena_allocate(struct step *step, size_t bytes)
{
    void *memory = arena_allocate(&step->pool.arena, bytes);

    if (!memory)
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
    return memory;
}

void *
step_pool_take(struct step *step, size_t bytes)
{
    void *memory = object_pool_take(&step->pool, bytes);

    if (!memory)
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
    return memory;
}

void
step_enter(struct step *step, enum memmodel_phase phase, int32_t layer)
{
    step->layer = layer;
    trace_enter(step->trace, step->number, phase, step_origin(step, layer));
}

int32_t
step_origin(const struct step *step, int32_t layer)
{
    return step->origins && layer >= 0 ? step->origins[layer] : layer;
}

size_t
step_layer_blocks(const struct step *step)
{
    return step->trace->block_count - step->checkpoints.layer_begin;
}

bool
step_is_over(const struct step *step)
{
    const struct checkpoint_stop *stop = step->checkpoints.stop;

    return stop && step->layer == stop->layer && step_layer_blocks(step) >= stop->blocks;
}

bool
step_is_recomputing(const struct step *step)
{
    return step->checkpoints.recomputed || step->checkpoints.replaying > 0;
}

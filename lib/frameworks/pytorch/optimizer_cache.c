/* The peak of an optimizer's updates, found once. */
#include "frameworks/pytorch/optimizer_cache.h"
#include "base/checked.h"
#include "base/context.h"
#include "frameworks/pytorch/state.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

void
optimizer_cache_release(memmodel_context *context, struct optimizer_cache *updates)
{
    for (int i = 0; i <= UPDATES_STEPS; i++)
        memory_release(context, updates->steps[i].parameters);
    memset(updates, 0, sizeof *updates);
}

/* NULL where nothing is to be kept. */
static struct step_updates *
updates_of(const struct step *step)
{
    return step->updates && step->number <= UPDATES_STEPS ? &step->updates->steps[step->number] : NULL;
}

static struct updated
updated_of(const struct variable *variable)
{
    struct updated updated = {.has_gradient = variable->gradient != NULL};

    memcpy(updated.dims, variable->value->shape.dims, sizeof updated.dims);
    memcpy(updated.strides, variable->value->strides, sizeof updated.strides);
    updated.rank = variable->value->shape.rank;
    updated.dtype = variable->value->shape.dtype;
    if (variable->gradient) {
        memcpy(updated.gradient_strides, variable->gradient->strides, sizeof updated.gradient_strides);
        updated.gradient_dtype = variable->gradient->shape.dtype;
    }
    return updated;
}

bool
optimizer_cache_repeat(struct step *step)
{
    const struct step_updates *known = updates_of(step);
    struct value *all;

    if (!known || !known->parameters)
        return false;
    for (size_t i = 0; i < step->network->parameter_count; i++) {
        struct updated updated = updated_of(&step->variables[i]);

        if (memcmp(&updated, &known->parameters[i], sizeof updated) != 0)
            return false;
    }
    all = value_buffer(step, known->peak);
    value_drop(step, all);
    return true;
}

void
optimizer_cache_keep(struct step *step, int64_t before)
{
    struct step_updates *known = updates_of(step);

    if (!known || step->status || step->trace->live != before)
        return;
    if (!known->parameters)
        known->parameters =
            memory_allocate_zeroed(step->context, step->network->parameter_count + 1, sizeof *known->parameters);
    if (!known->parameters) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < step->network->parameter_count; i++)
        known->parameters[i] = updated_of(&step->variables[i]);
    known->peak = step->trace->peak - before;
}

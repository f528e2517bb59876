/*
 * Optimizers over all parameters at once: torch/optim/NAME.py, _multi_tensor_NAME, the default on a GPU. What a loop over
 * the parameters holds of one of them at a time, these hold of all, as lists with a tensor like each parameter.
 */
#include "frameworks/pytorch/foreach.h"

/* The gradients' list comes first. */
enum { MOST_LISTS = 3 };

struct lists {
    struct value **tensors; /* list by list, a slot for each parameter */
    size_t count;
};

static struct value **
list_of(const struct lists *lists, int index)
{
    return lists->tensors + (size_t)index * lists->count;
}

static void
make_list(struct step *step, const struct lists *lists, int index)
{
    for (size_t i = 0; i < lists->count; i++) {
        struct variable *variable = &step->variables[i];

        if (!variable->gradient)
            continue;
        step_enter(step, MEMMODEL_PHASE_OPTIMIZER, step->network->parameters[i].layer);
        list_of(lists, index)[i] = value_like(step, variable->value);
    }
}

/* Python lets go of a list from its end. */
static void
drop_list(struct step *step, const struct lists *lists, int index)
{
    for (size_t i = lists->count; i-- > 0;)
        value_drop_all(step, &list_of(lists, index)[i], 1);
}

/* buf = torch.clone(grad).detach(), in the first step */
static void
clone_gradients(struct step *step)
{
    for (size_t i = 0; i < step->network->parameter_count; i++) {
        struct variable *variable = &step->variables[i];

        if (!variable->gradient || variable->has_state)
            continue;
        step_enter(step, MEMMODEL_PHASE_OPTIMIZER, step->network->parameters[i].layer);
        variable->state[0] = value_like(step, variable->value);
        value_becomes(step, variable->state[0], MEMMODEL_OPTIMIZER_STATE);
        variable->has_state = true;
    }
}

static void
update(struct step *step, const struct foreach *plan, uint32_t options, const struct lists *lists)
{
    bool decays = (options & (OPTIMIZER_WEIGHT_DECAY | OPTIMIZER_DECOUPLED)) == OPTIMIZER_WEIGHT_DECAY;
    bool copied = plan->copies_gradients || decays || options & OPTIMIZER_MAXIMIZE;
    int last = plan->scales_gradients && !copied ? plan->lists + 1 : plan->lists;

    if (copied)
        make_list(step, lists, 0);
    if (plan->clones_gradients && options & OPTIMIZER_MOMENTUM)
        clone_gradients(step);
    if (plan->drops_gradients)
        drop_list(step, lists, 0);
    for (int i = 1; i <= last; i++)
        make_list(step, lists, i);
    for (int i = last; i >= 0; i--)
        drop_list(step, lists, i);
}

void
foreach_run(struct step *step, const struct foreach *plan, uint32_t options)
{
    struct lists lists = {.count = step->network->parameter_count};

    lists.tensors = memory_allocate_zeroed(step->context, MOST_LISTS * lists.count + 1, sizeof(struct value *));
    if (!lists.tensors) {
        step_fail(step, MEMMODEL_ERROR_NOMEM);
        return;
    }
    update(step, plan, options, &lists);
    memory_release(step->context, lists.tensors);
}

/* A unit in the passes of a step. PyTorch: torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py. */
#include "frameworks/pytorch/fsdp.h"
#include "frameworks/pytorch/tensor.h"

static void
unshard(struct step *step, struct fsdp_unit *unit)
{
    if (!unit->incoming && !unit->gathered)
        fsdp_all_gather(step, unit);
}

/* In the forward pass the result of an all-gather stays until the next one's has been copied. */
static void
wait_for_unshard(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    struct value *before = fsdp->held, *incoming;

    if (!unit->incoming)
        return;
    incoming = fsdp_copy_out(step, unit);
    if (unit->state != FSDP_FORWARD) {
        value_drop(step, incoming);
        return;
    }
    fsdp->held = incoming;
    value_drop(step, before);
}

void
fsdp_pre_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    if (unit->count == 0)
        return;
    unit->state = FSDP_FORWARD;
    unshard(step, unit);
    wait_for_unshard(step, fsdp, unit);
}

/* The root keeps its parameters by default: the backward pass begins with them. */
static void
reshard_after_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    const struct reshard_option *option = &step->parallel.options.reshard_after_forward;
    bool is_root = unit == fsdp_root(fsdp);

    if (option->kind == RESHARD_ALL || (option->kind == RESHARD_BLOCKS && !is_root))
        fsdp_reshard(step, unit, 0);
    else if (option->kind == RESHARD_PARTS)
        fsdp_reshard(step, unit, option->parts);
}

void
fsdp_post_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    if (unit->count == 0)
        return;
    reshard_after_forward(step, fsdp, unit);
    unit->state = FSDP_IDLE;
    unit->passes[unit->pass_count++] = (int32_t)fsdp->order_count;
    fsdp->order[fsdp->order_count++] = (int32_t)(unit - fsdp->units);
}

/* Its all-gather is issued ahead: of the unit whose forward pass was the one before. */
static void
prefetch(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    int32_t pass;

    if (unit->pass_count == 0)
        return;
    pass = unit->passes[--unit->pass_count];
    if (pass > 0)
        unshard(step, &fsdp->units[fsdp->order[pass - 1]]);
}

void
fsdp_pre_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    if (unit->count == 0 || unit->state == FSDP_PRE_BACKWARD)
        return;
    unit->state = FSDP_PRE_BACKWARD;
    unshard(step, unit);
    wait_for_unshard(step, fsdp, unit);
    prefetch(step, fsdp, unit);
}

void
fsdp_post_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    struct value *input;

    bool is_shared = step->pipeline ? fsdp->reducing : data_is_synchronized(step);

    unit->state = FSDP_POST_BACKWARD;
    fsdp_accumulate(step, unit);
    if (is_shared || !step->pipeline) /* set_reshard_after_backward(False) of stages */
        fsdp_reshard(step, unit, 0);
    if (!is_shared) {
        fsdp_keep_gradients(step, unit);
        return;
    }
    value_drop_all(step, &fsdp->reduced, 1);
    input = fsdp_reduce(step, unit);
    if (input)
        fsdp->reduced = input;
}

/* ---- a stage ---- */

/* The unit that modules() comes to as number `i`: the root, then the others. */
static struct fsdp_unit *
unit_at(const struct fsdp *fsdp, size_t i)
{
    return i == 0 ? fsdp_root(fsdp) : &fsdp->units[i - 1];
}

void
fsdp_unshard(struct step *step)
{
    const struct fsdp *fsdp = step->data_state;

    for (size_t i = 0; i < fsdp->unit_count; i++)
        if (unit_at(fsdp, i)->count > 0)
            unshard(step, unit_at(fsdp, i));
}

void
fsdp_await_unshard(struct step *step)
{
    const struct fsdp *fsdp = step->data_state;

    for (size_t i = 0; i < fsdp->unit_count; i++)
        if (unit_at(fsdp, i)->incoming)
            value_drop(step, fsdp_copy_out(step, unit_at(fsdp, i)));
}

void
fsdp_reshard_all(struct step *step)
{
    const struct fsdp *fsdp = step->data_state;

    for (size_t i = 0; i < fsdp->unit_count; i++)
        fsdp_reshard(step, unit_at(fsdp, i), 0);
}

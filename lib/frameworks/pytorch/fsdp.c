/*
 * torch.distributed.fsdp.fully_shard (FSDP2): parameters are sharded, and gathered unit by unit for as long as operators
 * need them. PyTorch: torch/distributed/fsdp/_fully_shard/_fsdp_state.py, _fsdp_param_group.py.
 */
#include "frameworks/pytorch/fsdp.h"

#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/names.h"
#include "frameworks/pytorch/tensor.h"

/* ---- where the passes reach units ---- */

static void
register_post_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct fsdp *fsdp = step->data_state;

    fsdp->passes->post_backward(step, fsdp, &fsdp->units[node->number]);
    step->what = "RegisterPostBackward";
    data_hand_on(step, node, incoming, gradients);
}

/* What the unit is handed goes through a node, which the backward pass reaches when it is done with the unit. */
static void
replace_inputs(struct step *step, const struct fsdp_span *span)
{
    static const struct derivative post = {"RegisterPostBackward", register_post_backward};
    struct node *node;

    for (int32_t i = 0; i < span->input_count; i++)
        span->originals[i] = step->values[span->inputs[i]];
    node = node_new(step, &post, span->originals, span->input_count, span->input_count);
    if (node)
        node->number = span->unit;
    for (int32_t i = 0; i < span->input_count; i++) {
        struct value *original = span->originals[i];

        if (!node || !original || !original->node) {
            span->originals[i] = NULL;
            continue;
        }
        step->values[span->inputs[i]] = value_detach(step, original);
        node_attach(step, node, step->values[span->inputs[i]], i);
    }
}

static void
restore_inputs(struct step *step, const struct fsdp_span *span)
{
    for (int32_t i = 0; i < span->input_count; i++) {
        if (!span->originals[i])
            continue;
        value_drop(step, step->values[span->inputs[i]]);
        step->values[span->inputs[i]] = span->originals[i];
    }
}

static void
hook_output(const struct step *step, struct fsdp *fsdp, memmodel_tensor tensor, int32_t unit)
{
    const struct value *output = step->values[tensor];

    if (!output || !output->node)
        return;
    output->node->hooked = true;
    fsdp->hooks[fsdp->hook_count++] = (struct fsdp_hook){output->node, unit, step->batch};
}

void
fsdp_layer_begin(struct step *step, int32_t layer)
{
    struct fsdp *fsdp = step->data_state;

    for (; fsdp->next < fsdp->span_count && fsdp->spans[fsdp->next].first == layer; fsdp->next++) {
        const struct fsdp_span *span = &fsdp->spans[fsdp->next];

        step_enter(step, MEMMODEL_PHASE_FORWARD, layer);
        fsdp->passes->pre_forward(step, fsdp, &fsdp->units[span->unit]);
        replace_inputs(step, span);
    }
}

static bool
is_handed_back(const struct fsdp_span *span, memmodel_tensor tensor)
{
    for (int32_t i = 0; i < span->output_count; i++)
        if (span->outputs[i] == tensor)
            return true;
    return false;
}

/* What was made inside and is not handed back goes when the module's function returns, before its hook. */
static void
drop_made_inside(struct step *step, const struct fsdp_span *span)
{
    const struct lifetimes *lifetimes = &step->lifetimes;

    for (int32_t k = lifetimes->first[span->end - 1]; k < lifetimes->first[span->end]; k++)
        if (step->network->tensors[lifetimes->released[k]].layer >= span->first &&
            !is_handed_back(span, lifetimes->released[k]))
            value_drop_all(step, &step->values[lifetimes->released[k]], 1);
}

/* Of spans that end here the innermost, which began last, comes first. */
void
fsdp_layer_end(struct step *step, int32_t layer)
{
    struct fsdp *fsdp = step->data_state;

    for (size_t i = fsdp->next; i-- > 0;) {
        const struct fsdp_span *span = &fsdp->spans[i];

        if (span->end != layer + 1)
            continue;
        drop_made_inside(step, span);
        fsdp->passes->post_forward(step, fsdp, &fsdp->units[span->unit]);
        for (int32_t k = 0; k < span->output_count; k++)
            hook_output(step, fsdp, span->outputs[k], span->unit);
        restore_inputs(step, span);
    }
}

void
fsdp_forward_begin(struct step *step)
{
    struct fsdp *fsdp = step->data_state;

    fsdp->next = 0;
    fsdp->passes->pre_forward(step, fsdp, fsdp_root(fsdp));
}

void
fsdp_forward_end(struct step *step)
{
    struct fsdp *fsdp = step->data_state;
    int32_t first, end;

    data_layers(step, &first, &end);
    fsdp->passes->post_forward(step, fsdp, fsdp_root(fsdp));
    for (size_t i = 0; i < step->names->count; i++) {
        memmodel_tensor tensor = step->names->items[i].tensor;
        int32_t layer = step->network->tensors[tensor].layer;

        if (step->names->items[i].returned && layer >= first && layer <= step->model_end)
            hook_output(step, fsdp, tensor, (int32_t)fsdp->unit_count - 1);
    }
    value_drop_all(step, &fsdp->held, 1);
}

void
fsdp_node(struct step *step, struct node *node)
{
    struct fsdp *fsdp = step->data_state;

    for (size_t i = 0; i < fsdp->hook_count; i++)
        if (fsdp->hooks[i].node == node)
            fsdp->passes->pre_backward(step, fsdp, &fsdp->units[fsdp->hooks[i].unit]);
}

/* Parts of a batch that a pipeline has in flight have theirs. */
void
fsdp_drop_hooks(struct step *step, struct fsdp *fsdp)
{
    size_t kept = 0;

    for (size_t i = 0; i < fsdp->hook_count; i++)
        if (fsdp->hooks[i].batch != step->batch)
            fsdp->hooks[kept++] = fsdp->hooks[i];
    fsdp->hook_count = kept;
}

/* What no gradient of an input has reached. */
static void
finish_unit(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    if (unit->state != FSDP_POST_BACKWARD)
        fsdp->passes->post_backward(step, fsdp, unit);
    unit->state = FSDP_IDLE;
    if (step->pipeline && !fsdp->reducing) /* set_is_last_backward(False) */
        return;
    unit->pass_count = 0;
    value_drop_all(step, &unit->incoming, 1);
}

/* The root comes first: _root_post_backward_final_callback. */
static void
finish_units(struct step *step, struct fsdp *fsdp)
{
    finish_unit(step, fsdp, fsdp_root(fsdp));
    for (size_t i = 0; i + 1 < fsdp->unit_count; i++)
        finish_unit(step, fsdp, &fsdp->units[i]);
    if (step->pipeline && !fsdp->reducing)
        return;
    value_drop_all(step, &fsdp->reduced, 1);
    fsdp->order_count = 0;
}

static void
fsdp_backward_end(struct step *step)
{
    struct fsdp *fsdp = step->data_state;

    finish_units(step, fsdp);
    fsdp_drop_hooks(step, fsdp);
}

/* perform_reduce_grad() */
static void
fsdp_reduce_stage(struct step *step)
{
    struct fsdp *fsdp = step->data_state;

    fsdp->reducing = true;
    step_enter(step, MEMMODEL_PHASE_BACKWARD, -1);
    finish_units(step, fsdp);
    fsdp->reducing = false;
}

/* ---- the optimizer ---- */

static const struct optimizer *
fsdp_optimizer_begin(struct step *step, const struct optimizer *all)
{
    const struct fsdp *fsdp = step->data_state;

    for (size_t i = 0; i < fsdp->unit_count; i++)
        for (size_t k = 0; k < fsdp->units[i].count; k++) {
            struct fsdp_parameter *parameter = &fsdp->units[i].parameters[k];
            struct variable *variable = &step->variables[parameter->parameter];

            variable->value = parameter->shard;
            variable->gradient = parameter->gradient;
        }
    return all;
}

static void
fsdp_optimizer_end(struct step *step)
{
    const struct fsdp *fsdp = step->data_state;

    for (size_t i = 0; i < fsdp->unit_count; i++)
        for (size_t k = 0; k < fsdp->units[i].count; k++) {
            struct fsdp_parameter *parameter = &fsdp->units[i].parameters[k];
            struct variable *variable = &step->variables[parameter->parameter];

            variable->value = parameter->whole;
            parameter->gradient = variable->gradient;
            variable->gradient = NULL;
        }
}

static void
fsdp_construct(struct step *step)
{
    static const struct fsdp_passes passes = {fsdp_pre_forward, fsdp_post_forward, fsdp_pre_backward,
                                              fsdp_post_backward};
    struct fsdp *fsdp = step_arena_allocate(step, sizeof *fsdp);

    if (!fsdp || !fsdp_find_units(step, fsdp))
        return;
    fsdp->passes = &passes;
    step->data_state = fsdp;
    fsdp_find_tensors(step);
    if (step->parallel.replicas > 1 && !step->tensor && !step->pipeline)
        fsdp_mesh(step);
    for (size_t i = 0; i < fsdp->unit_count && !step->status; i++)
        fsdp_shard(step, &fsdp->units[i]);
}

const struct data_strategy pytorch_fsdp = {
    .construct = fsdp_construct,
    .forward_begin = fsdp_forward_begin,
    .layer_begin = fsdp_layer_begin,
    .layer_end = fsdp_layer_end,
    .forward_end = fsdp_forward_end,
    .node = fsdp_node,
    .backward_end = fsdp_backward_end,
    .optimizer_begin = fsdp_optimizer_begin,
    .optimizer_end = fsdp_optimizer_end,
    .reduce = fsdp_reduce_stage,
    .unshard = fsdp_unshard,
    .await_unshard = fsdp_await_unshard,
    .reshard = fsdp_reshard_all,
};

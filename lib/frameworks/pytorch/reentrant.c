/*
 * Checkpoints with use_reentrant=True. The inside runs without gradients; the whole call is one node of the graph,
 * whose backward function runs the inside again on detached inputs, then a backward pass of its own. PyTorch:
 * torch/utils/checkpoint.py, class CheckpointFunction.
 */
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/step.h"
#include "frameworks/pytorch/tensor.h"

/* ctx of the call. */
struct replay {
    const struct region *region;
    struct value *random_state; /* lives as long as the node */
    struct value **inputs;      /* of the region; gone after the backward function if they were handed to the call */
    struct shape *outputs;      /* shapes of the region's */
    struct node *node;          /* NULL: no gradient is wanted */
    bool grad_mode;             /* before the call */
};

static size_t
inputs_bytes(const struct region *region)
{
    return ((size_t)region->input_count + 1) * sizeof(struct value *);
}

static size_t
outputs_bytes(const struct region *region)
{
    return ((size_t)region->output_count + 1) * sizeof(struct shape);
}

void
replay_drop(struct step *step, struct replay *replay)
{
    if (!replay)
        return;
    value_drop_all(step, replay->inputs, replay->region->input_count);
    value_drop(step, replay->random_state);
    object_pool_give(&step->pool, replay->inputs, inputs_bytes(replay->region));
    object_pool_give(&step->pool, replay->outputs, outputs_bytes(replay->region));
    object_pool_give(&step->pool, replay, sizeof *replay);
}

/* ---- the backward function ---- */

/* Gradients that never came are zeros: Function.set_materialize_grads(). */
static void
make_zeros(struct step *step, const struct replay *replay, struct value **incoming)
{
    for (int32_t i = 0; i < replay->region->output_count; i++) {
        if (incoming[i])
            continue;
        incoming[i] = value_empty(step, &replay->outputs[i]);
        value_becomes(step, incoming[i], MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS);
    }
}

/* detach_variable() */
static void
make_leaf(struct step *step, struct value *input, struct variable *leaf)
{
    leaf->handed = true;
    leaf->value = value_detach(step, input);
    if (!input->node)
        return;
    value_forget_base(step, leaf->value);
    leaf->value->parameter = true;
    leaf->accumulate = node_accumulate(step, leaf);
    node_attach(step, leaf->accumulate, leaf->value, 0);
}

static void
drop_leaf(struct step *step, struct variable *leaf)
{
    value_drop(step, leaf->value);
    node_drop(step, leaf->accumulate);
}

static void
run_again(struct step *step, const struct region *region)
{
    struct value *random = checkpoint_random_state(step); /* torch.random.fork_rng() */

    step->checkpoints.replaying++;
    step->grad_mode = true;
    for (int32_t layer = region->first; layer < region->end && !step->status; layer++) {
        checkpoint_note_recomputed(step, layer);
        step_run_layer(step, MEMMODEL_PHASE_BACKWARD, layer, NULL);
    }
    autocast_exit(step);
    step->grad_mode = false;
    step->checkpoints.replaying--;
    value_drop(step, random);
}

/* torch.autograd.backward(outputs_with_grad, args_with_grad) */
static void
backward_inside(struct step *step, const struct region *region, struct value **incoming)
{
    size_t bytes = ((size_t)region->output_count + 1) * sizeof(struct value *);
    struct value **roots = step_pool_take(step, bytes);

    if (!roots)
        return;
    for (int32_t i = 0; i < region->output_count; i++)
        roots[i] = step->values[region->outputs[i]] ? step->values[region->outputs[i]] : &step->nothing;
    autograd_backward_inside(step, roots, incoming, region->output_count);
    object_pool_give(&step->pool, roots, bytes);
}

static void
replay_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct replay *replay = node->replay;
    const struct region *region = replay->region;
    size_t bytes = ((size_t)region->input_count + 1) * sizeof(struct variable);
    struct variable *leaves = step_pool_take(step, bytes);

    if (!leaves)
        return;
    make_zeros(step, replay, incoming);
    for (int32_t i = 0; i < region->input_count; i++) {
        if (replay->inputs[i])
            make_leaf(step, replay->inputs[i], &leaves[i]);
        step->values[region->inputs[i]] = value_keep(leaves[i].value);
    }
    run_again(step, region);
    if (!step->status)
        backward_inside(step, region, incoming);
    checkpoint_clear(step, region, region->end);
    for (int32_t i = 0; i < region->input_count; i++) {
        gradients[i] = leaves[i].gradient;
        drop_leaf(step, &leaves[i]);
    }
    object_pool_give(&step->pool, leaves, bytes);
    for (int32_t i = 0; i < region->input_count; i++)
        if (!region->bound[i])
            value_drop_all(step, &replay->inputs[i], 1);
    step_enter(step, MEMMODEL_PHASE_BACKWARD, node->layer);
}

/* ---- the call ---- */

static const struct derivative checkpoint_function = {"CheckpointFunction", replay_backward};

static struct replay *
replay_new(struct step *step, const struct region *region)
{
    struct replay *replay = step_pool_take(step, sizeof *replay);
    struct value **inputs = step_pool_take(step, inputs_bytes(region));
    struct shape *outputs = step_pool_take(step, outputs_bytes(region));

    if (!replay || !inputs || !outputs)
        return NULL;
    *replay = (struct replay){
        .region = region,
        .inputs = inputs,
        .outputs = outputs,
        .grad_mode = step->grad_mode,
    };
    return replay;
}

void
replay_begin(struct step *step, const struct region *region)
{
    struct replay *replay = replay_new(step, region);

    if (!replay)
        return;
    for (int32_t i = 0; i < region->input_count; i++)
        replay->inputs[i] = value_keep(step->values[region->inputs[i]]);
    replay->node = node_new(step, &checkpoint_function, replay->inputs, region->input_count, region->output_count);
    replay->random_state = checkpoint_random_state(step);
    if (replay->node)
        replay->node->replay = replay;
    step->checkpoints.first = replay;
    step->grad_mode = false;
}

static void
attach_outputs(struct step *step, struct replay *replay)
{
    const struct region *region = replay->region;

    for (int32_t i = 0; i < region->output_count; i++) {
        struct value *value = step->values[region->outputs[i]];

        if (!value)
            continue;
        replay->outputs[i] = value->shape;
        if (value_is_float(value))
            node_attach(step, replay->node, value, i);
    }
}

void
replay_end(struct step *step)
{
    struct replay *replay = step->checkpoints.first;

    if (!replay)
        return;
    step->checkpoints.first = NULL;
    step->grad_mode = replay->grad_mode;
    if (!replay->node) {
        replay_drop(step, replay);
        return;
    }
    replay->node->references++;
    attach_outputs(step, replay);
    node_drop(step, replay->node);
}

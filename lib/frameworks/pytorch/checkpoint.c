#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/step.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

enum { RANDOM_STATE_BYTES = 5056 }; /* torch.get_rng_state() on CPU: aten/src/ATen/CPUGeneratorImpl.cpp */

/* Where a node would have kept a tensor. */
struct slot {
    struct node *node;  /* NULL: gone */
    int32_t index;      /* into node->saved */
    struct value *kept; /* a result that is not recomputed; else NULL */
};

/* One call of checkpoint(): class _CheckpointFrame. */
struct segment {
    const struct region *region;
    struct value *random_state;
    struct value **inputs; /* of the region */
    struct value **kept;   /* of its layers: results that are not recomputed, else NULL; NULL: there are none */
    int32_t products;      /* matrix products so far, in this run */
    struct slot *slots;
    size_t slot_count, slot_capacity;
    size_t filled; /* slots, when it is recomputed */
    bool computed;
    int32_t references;          /* nodes with a slot, and the first run */
    struct checkpoint_stop stop; /* where the tensor of the last slot is saved */
    const struct node *last;
};

/* ---- segments ---- */

static size_t
layer_count(const struct segment *segment)
{
    return (size_t)(segment->region->end - segment->region->first);
}

static void
drop_kept(struct step *step, struct segment *segment)
{
    for (size_t i = 0; i < segment->slot_count; i++)
        value_drop_all(step, &segment->slots[i].kept, 1);
    if (!segment->kept)
        return;
    value_drop_all(step, segment->kept, (int)layer_count(segment));
    object_pool_give(&step->pool, segment->kept, layer_count(segment) * sizeof *segment->kept);
}

static void
segment_drop(struct step *step, struct segment *segment)
{
    size_t inputs = (size_t)segment->region->input_count;

    if (--segment->references > 0)
        return;
    drop_kept(step, segment);
    value_drop_all(step, segment->inputs, segment->region->input_count);
    value_drop(step, segment->random_state);
    object_pool_give(&step->pool, segment->inputs, (inputs + 1) * sizeof *segment->inputs);
    if (segment->slots)
        object_pool_give(&step->pool, segment->slots, segment->slot_capacity * sizeof *segment->slots);
    object_pool_give(&step->pool, segment, sizeof *segment);
}

struct value *
checkpoint_random_state(struct step *step)
{
    struct value *state;

    step->what = "random state";
    state = value_vector_on_host(step, MEMMODEL_DTYPE_UINT8, RANDOM_STATE_BYTES);
    value_becomes(step, state, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    return state;
}

/* SavedTensor: what the tensor came from is kept with it. */
static struct value *
saved_input(struct step *step, struct value *value)
{
    struct value *kept;

    if (!value)
        return NULL;
    value_becomes(step, value, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    kept = value_detach(step, value);
    node_attach(step, value->node, kept, value->output);
    return kept;
}

static struct segment *
segment_new(struct step *step, const struct region *region)
{
    struct segment *segment = step_pool_take(step, sizeof *segment);
    struct value **inputs = step_pool_take(step, ((size_t)region->input_count + 1) * sizeof *inputs);

    if (!segment || !inputs)
        return NULL;
    *segment = (struct segment){.region = region, .inputs = inputs, .references = 1};
    if (region->products)
        segment->kept = step_pool_take(step, layer_count(segment) * sizeof *segment->kept);
    segment->random_state = checkpoint_random_state(step);
    for (int32_t i = 0; i < region->input_count && step->grad_mode; i++)
        inputs[i] = saved_input(step, step->values[region->inputs[i]]);
    return segment;
}

/* ---- the forward pass ---- */

/* ---- selective recomputation: create_selective_checkpoint_contexts(), by torchtitan's policy ---- */

static bool
layer_has_bias(const struct layer *layer)
{
    return layer->parameter_count + layer->input_count > 2; /* what it multiplies, and its weight */
}

/*
 * aten.mm, which a linear layer without bias is: of every `products` the first; attention; what ranks scatter. Source:
 * torchtitan/distributed/activation_checkpoint.py.
 */
static bool
keeps(const struct step *step, struct segment *segment, int32_t index)
{
    const struct layer *layer = &step->network->layers[index];
    const struct memmodel_custom *custom = layer->options;
    int32_t each = segment->region->products;

    if (!each)
        return false;
    if (layer->op == OP_LINEAR && !layer_has_bias(layer))
        return segment->products++ % each == 0;
    return layer->op == OP_ATTENTION ||
           (layer->op == OP_CUSTOM && custom->operation && strcmp(custom->operation, "memmodel.tensor.scatter") == 0);
}

static void
keep_result(struct step *step, struct segment *segment, int32_t layer)
{
    struct value *result = step->values[step->network->layers[layer].first_output];

    if (!result || !segment->kept)
        return;
    value_becomes(step, result, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    segment->kept[layer - segment->region->first] = value_detach(step, result);
}

/* What the layer made unseen lies where the kept result does, unless others hold that, too. */
static void
use_result(struct step *step, struct segment *segment, int32_t layer)
{
    struct value *result = step->values[step->network->layers[layer].first_output];
    struct value **kept = segment->kept ? &segment->kept[layer - segment->region->first] : NULL;

    if (kept && *kept && result)
        value_take_storage(result, *kept);
    if (kept)
        value_drop_all(step, kept, 1);
}

static void
mark_layer(struct step *step)
{
    struct checkpoints *checkpoints = &step->checkpoints;

    checkpoints->layer_begin = step->trace->block_count;
    checkpoints->operator_begin = checkpoints->operator_end = checkpoints->layer_begin;
}

static void
begin(struct step *step, const struct region *region)
{
    if (region->reentrant)
        replay_begin(step, region);
    else if (step->job->mode != WITHOUT_GRADIENTS)
        step->checkpoints.open = segment_new(step, region);
}

void
checkpoint_forward_begin(struct step *step, int32_t first)
{
    struct checkpoints *checkpoints = &step->checkpoints;

    checkpoints->next = 0;
    while (checkpoints->next < checkpoints->region_count && checkpoints->regions[checkpoints->next].first < first)
        checkpoints->next++;
}

void
checkpoint_before(struct step *step, int32_t layer)
{
    struct checkpoints *checkpoints = &step->checkpoints;

    step_enter(step, MEMMODEL_PHASE_FORWARD, layer);
    if (checkpoints->next < checkpoints->region_count && checkpoints->regions[checkpoints->next].first == layer)
        begin(step, &checkpoints->regions[checkpoints->next++]);
    checkpoints->keeping = checkpoints->open && keeps(step, checkpoints->open, layer);
    mark_layer(step);
}

void
checkpoint_after(struct step *step, int32_t layer)
{
    struct checkpoints *checkpoints = &step->checkpoints;
    struct segment *segment = checkpoints->open;

    if (segment && checkpoints->keeping)
        keep_result(step, segment, layer);
    if (checkpoints->next == 0 || checkpoints->regions[checkpoints->next - 1].end != layer + 1)
        return;
    replay_end(step);
    checkpoints->open = NULL;
    if (segment)
        segment_drop(step, segment);
}

/* ---- what nodes save ---- */

void
checkpoint_operator(struct step *step)
{
    step->checkpoints.operator_end = step->trace->block_count;
}

void
checkpoint_recorded(struct step *step)
{
    step->checkpoints.operator_begin = step->checkpoints.operator_end;
    step->checkpoints.operator_end = step->trace->block_count;
}

static bool
is_result(const struct step *step, const struct value *value)
{
    return value->storage->block >= 0 && (size_t)value->storage->block >= step->checkpoints.operator_begin;
}

/* Results are saved when the operator is done, operands before it begins: torchgen's VariableType. */
static void
note_stop(struct step *step, struct segment *segment, const struct node *node, const struct value *value)
{
    size_t begin = step->checkpoints.operator_begin;

    if (is_result(step, value))
        segment->stop.blocks = step_layer_blocks(step);
    else if (node != segment->last)
        segment->stop.blocks = begin - step->checkpoints.layer_begin;
    segment->stop.layer = step->layer;
    segment->last = node;
    step->checkpoints.operator_end = step->trace->block_count;
}

static bool
make_room(struct step *step, struct segment *segment)
{
    enum { FIRST = 16 };
    size_t capacity = segment->slot_capacity ? 2 * segment->slot_capacity : FIRST;
    struct slot *slots;

    if (segment->slot_count < segment->slot_capacity)
        return true;
    slots = step_pool_take(step, capacity * sizeof *slots);
    if (!slots)
        return false;
    if (segment->slots) {
        memcpy(slots, segment->slots, segment->slot_count * sizeof *slots);
        object_pool_give(&step->pool, segment->slots, segment->slot_capacity * sizeof *slots);
    }
    segment->slots = slots;
    segment->slot_capacity = capacity;
    return true;
}

/* _checkpoint_hook.pack_hook */
static void
leave_slot(struct step *step, struct segment *segment, struct node *node, struct value *kept)
{
    if (!make_room(step, segment))
        return;
    if (!node->segment) {
        node->segment = segment;
        node->first_slot = segment->slot_count;
        segment->references++;
    }
    segment->slots[segment->slot_count++] = (struct slot){node, node->saved_count, kept};
}

/* _recomputation_hook.pack_hook */
static void
fill_slot(struct step *step, struct segment *segment, struct value *value)
{
    struct slot *slot = &segment->slots[segment->filled];

    if (segment->filled == segment->slot_count)
        return;
    segment->filled++;
    if (slot->node)
        slot->node->saved[slot->index] = slot->kept ? value_keep(slot->kept) : value_detach(step, value);
    value_drop_all(step, &slot->kept, 1);
}

bool
checkpoint_saves(struct step *step, struct node *node, struct value *value)
{
    struct checkpoints *checkpoints = &step->checkpoints;
    struct value *kept;

    if (value->number || (!checkpoints->recomputed && !checkpoints->open))
        return false;
    if (checkpoints->recomputed) {
        fill_slot(step, checkpoints->recomputed, value);
        return false;
    }
    note_stop(step, checkpoints->open, node, value);
    kept = checkpoints->keeping && is_result(step, value) ? value_detach(step, value) : NULL;
    if (kept)
        value_becomes(step, kept, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    leave_slot(step, checkpoints->open, node, kept);
    return true;
}

void
checkpoint_forget(struct step *step, struct node *node)
{
    struct segment *segment = node->segment;

    if (!segment)
        return;
    for (size_t i = node->first_slot; i < segment->slot_count; i++) {
        if (segment->slots[i].node != node)
            continue;
        segment->slots[i].node = NULL;
        value_drop_all(step, &segment->slots[i].kept, 1);
    }
    node->segment = NULL;
    segment_drop(step, segment);
}

/* ---- the backward pass ---- */

static void
lend_inputs(struct step *step, const struct segment *segment)
{
    for (int32_t i = 0; i < segment->region->input_count; i++)
        step->values[segment->region->inputs[i]] = value_keep(segment->inputs[i]);
}

void
checkpoint_clear(struct step *step, const struct region *region, int32_t end)
{
    for (int32_t i = 0; i < region->input_count; i++)
        value_drop_all(step, &step->values[region->inputs[i]], 1);
    for (int32_t i = region->first; i < end; i++) {
        const struct layer *layer = &step->network->layers[i];

        if (layer->op != OP_INPUT && layer->op != OP_PARAMETER)
            value_drop_all(step, &step->values[layer->first_output], layer->output_count);
    }
}

void
checkpoint_note_recomputed(struct step *step, int32_t layer)
{
    if (step->recomputed)
        step->recomputed[step_origin(step, layer)] = true;
}

/* An operator whose operands are the last that is saved does not run; one that overwrites them has saved its result. */
static bool
ends_before(const struct step *step, const struct segment *segment, int32_t layer)
{
    return layer == segment->stop.layer && segment->stop.blocks == 0 &&
           !checkpoint_overwrites(&step->network->layers[layer]);
}

/* recompute_fn(), until the last tensor is saved: _StopRecomputationError. */
static void
recompute(struct step *step, struct segment *segment)
{
    const struct region *region = segment->region;
    struct value *random = checkpoint_random_state(step); /* torch.random.fork_rng() */
    int32_t layer = region->first;

    step->checkpoints.recomputed = segment;
    step->checkpoints.stop = &segment->stop;
    step->grad_mode = true;
    lend_inputs(step, segment);
    segment->products = 0;
    for (; layer <= segment->stop.layer && !step->status; layer++) {
        bool kept = keeps(step, segment, layer), ends = ends_before(step, segment, layer);

        mark_layer(step);
        if (!kept && !ends)
            checkpoint_note_recomputed(step, layer);
        data_recompute(step, layer, false);
        step->silent = kept;
        step_run_layer(step, MEMMODEL_PHASE_BACKWARD, layer, NULL);
        step->silent = false;
        data_recompute(step, layer, true);
        if (kept && !ends) /* what does not run leaves its result where it is, until all of the region is done */
            use_result(step, segment, layer);
    }
    autocast_exit(step);
    step->grad_mode = false;
    step->checkpoints.recomputed = NULL;
    step->checkpoints.stop = NULL;
    checkpoint_clear(step, region, layer); /* an exception takes all frames with it */
    value_drop(step, random);
    segment->computed = true;
}

void
checkpoint_unpack(struct step *step, struct node *node)
{
    int32_t layer = step->layer;
    const char *what = step->what;

    if (!node->segment || node->segment->computed)
        return;
    recompute(step, node->segment);
    step_enter(step, MEMMODEL_PHASE_BACKWARD, layer);
    step->what = what;
}

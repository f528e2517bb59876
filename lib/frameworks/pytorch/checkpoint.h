/*
 * Parts of the forward pass whose inside is not kept but recomputed in the backward pass, as by
 * torch.utils.checkpoint.checkpoint(function, *inputs, use_reentrant=False), checkpoint.c, or True, reentrant.c.
 * PyTorch: torch/utils/checkpoint.py.
 */
#ifndef PYTORCH_CHECKPOINT_H
#define PYTORCH_CHECKPOINT_H

#include "frameworks/pytorch/state.h"

/* A call of a scope, or a layer. */
struct span {
    const char *name;
    int32_t parent, first, end; /* parent: a scope; -1: none */
};

struct span
span_of_scope(const struct memmodel_network *network, size_t scope);

struct span
span_of_layer(const struct memmodel_network *network, size_t layer);

/* Behind the last point of its name: "0" of "h.0". */
const char *
span_own_name(const struct span *span);

/* Letters of "h.0..3" before its two points; all if it has none. */
size_t
checkpoint_group_first(const char *name, size_t length);

/*
 * Where the group ends that begins with a part and whose last is the next that is called so behind it, in the same call
 * of the same scope. `last`: its own name, "3" of "h.0..3". 0: there is none.
 */
int32_t
checkpoint_group_end(const struct memmodel_network *network, const struct span *first, const char *last, size_t length);

/* Whether a layer writes into the memory of its first input. */
bool
checkpoint_overwrites(const struct layer *layer);

/*
 * Regions of the scopes that `patterns` name, or of groups, the outermost where they lie in one another; a pattern that
 * is the name of no scope may be that of layers. MEMMODEL_ERROR_INVALID_ARGUMENT names a pattern that finds nothing.
 */
int
checkpoints_new(memmodel_context *context, const struct memmodel_network *network, const char *patterns,
                struct checkpoints *checkpoints);

void
checkpoints_release(memmodel_context *context, struct checkpoints *checkpoints);

/* ---- the forward pass: around each layer ---- */

/* Of layers from `first` on. */
void
checkpoint_forward_begin(struct step *step, int32_t first);

void
checkpoint_before(struct step *step, int32_t layer);

void
checkpoint_after(struct step *step, int32_t layer);

/* ---- nodes ---- */

/* An operator begins, after others that made no node. */
void
checkpoint_operator(struct step *step);

/* A node has been made. */
void
checkpoint_recorded(struct step *step);

/* `value` is to be saved as the next of the node's; true if the node shall not keep it. */
bool
checkpoint_saves(struct step *step, struct node *node, struct value *value);

/* The node's backward function begins: it needs what it did not keep. */
void
checkpoint_unpack(struct step *step, struct node *node);

/* The node needs nothing any more. */
void
checkpoint_forget(struct step *step, struct node *node);

/* ---- what both ways have ---- */

/* torch.get_rng_state() */
struct value *
checkpoint_random_state(struct step *step);

/* A layer is recomputed. */
void
checkpoint_note_recomputed(struct step *step, int32_t layer);

/* What is left of a run goes, as all frames go: of the layers before `end`. */
void
checkpoint_clear(struct step *step, const struct region *region, int32_t end);

/* ---- reentrant.c ---- */

/* The call of checkpoint() begins. */
void
replay_begin(struct step *step, const struct region *region);

void
replay_end(struct step *step);

void
replay_drop(struct step *step, struct replay *replay);

#endif

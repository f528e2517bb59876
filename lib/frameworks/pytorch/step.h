/*
 * Training steps as PyTorch's eager mode runs them, without the numbers: what the engine does between the layers. What
 * a layer's rule needs is in operators.h.
 */
#ifndef PYTORCH_STEP_H
#define PYTORCH_STEP_H

#include "frameworks/pytorch/names.h"
#include "frameworks/pytorch/state.h"

/* ---- lifetimes.c: what the host language keeps ---- */

/* What the caller will have a name for lives until that is bound. */
int
lifetimes_new(memmodel_context *context, const struct memmodel_network *network, const struct names *names,
              struct lifetimes *lifetimes);

void
lifetimes_release(memmodel_context *context, struct lifetimes *lifetimes);

/* ---- step.c ---- */

/* What the job's device and CPU are. */
int
step_find_machine(struct step *step);

/* Room for the values of a step whose other members are set, and a trace where it has none yet. */
int
step_new(struct step *step);

/* All but the trace and the unmodelled. */
void
step_release(struct step *step);

/* Runs a layer, binds the names that are due after it (NULL: none), and drops what is used no more. */
void
step_run_layer(struct step *step, enum memmodel_phase phase, int32_t index, struct names *names);

/* A forward pass of layers first <= i < end. */
void
step_run_layers(struct step *step, struct names *names, int32_t first, int32_t end);

/* ---- residents.c ---- */

/* Parameters and buffers, then inputs. */
void
residents_make(struct step *step);

#endif

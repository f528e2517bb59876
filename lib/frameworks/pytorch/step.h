/*
 * Training steps as PyTorch's eager mode runs them, without the numbers: what the engine does between the layers. What
 * a layer's rule needs is in operators.h.
 */
#ifndef PYTORCH_STEP_H
#define PYTORCH_STEP_H

#include "frameworks/optimizer.h"
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

/* ---- residents.c ---- */

/* Parameters and buffers, then inputs. */
void
residents_make(struct step *step);

/* ---- optimizers.c ---- */

struct optimizer_row;

/* One of torch.optim's param_groups. */
struct optimizer_group {
    const struct optimizer_kind *kind;
    const struct optimizer_row *row;
    uint32_t options; /* enum optimizer_option */
    const int32_t *parameters;
    size_t count;
};

struct optimizer {
    struct optimizer_group *groups;
    size_t count;
    struct optimizer_members members;
};

/*
 * `on`: options that are on by default on the device. Returns 0, MEMMODEL_ERROR_UNSUPPORTED for an optimizer without a
 * rule, or what optimizer_members_new() returns.
 */
int
optimizer_new(memmodel_context *context, const struct memmodel_network *network, const char *text, uint32_t on,
              struct optimizer *optimizer);

void
optimizer_release(memmodel_context *context, struct optimizer *optimizer);

/* torch.optim.NAME(parameters) */
void
optimizer_construct(struct step *step, const struct optimizer *optimizer);

/* optimizer.step() */
void
optimizer_run(struct step *step, const struct optimizer *optimizer);

#endif

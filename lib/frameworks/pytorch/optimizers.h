/* The optimizers of torch.optim, each with its groups of parameters. */
#ifndef PYTORCH_OPTIMIZERS_H
#define PYTORCH_OPTIMIZERS_H

#include "frameworks/optimizer.h"
#include "frameworks/pytorch/state.h"

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

/* The same of one group. */
void
optimizer_run_group(struct step *step, const struct optimizer_group *group);

#endif

/* Optimizers that update all parameters at once: torch.optim.NAME(parameters, foreach=True) and fused=True. */
#ifndef PYTORCH_FOREACH_H
#define PYTORCH_FOREACH_H

#include "frameworks/pytorch/optimizers.h"

/* False if the optimizer has no such implementation. */
bool
foreach_exists(enum optimizer_id optimizer);

/* optimizer.step() of a group after its states were made, fused where its options say so. */
void
foreach_run(struct step *step, const struct optimizer_group *group);

/* The parameter's shape with the last axis, the one before or both summed away. */
struct shape
factored_shape(const struct value *parameter, bool last, bool before);

#endif

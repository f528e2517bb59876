/*
 * The events of the optimizer's updates, kept from one simulation of a network to the next (memoization). They depend
 * on parameters and gradients alone, so that a scan over batch sizes, where nothing but the peak is asked for, runs
 * them once.
 */
#ifndef PYTORCH_OPTIMIZER_CACHE_H
#define PYTORCH_OPTIMIZER_CACHE_H

#include "memmodel/network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step;

enum { UPDATES_STEPS = 8 }; /* the first steps of a job; all optimizers are in their steady state by then */

/* One parameter, as its update sees it. Without padding, to be compared as bytes. */
struct updated {
    int64_t dims[MEMMODEL_MAX_RANK], strides[MEMMODEL_MAX_RANK], gradient_strides[MEMMODEL_MAX_RANK];
    int32_t rank, dtype, gradient_dtype, has_gradient;
};

/* Of one step of the job, counted from 1. */
struct step_updates {
    struct updated *parameters; /* NULL: not known */
    int64_t peak;               /* above what is live before */
};

struct optimizer_cache {
    struct step_updates steps[UPDATES_STEPS + 1];
};

void
optimizer_cache_release(memmodel_context *context, struct optimizer_cache *updates);

/*
 * True if the updates of this step are known, for parameters and gradients like these; the trace has their peak then.
 * False, too, if the step has no place to keep them.
 */
bool
optimizer_cache_repeat(struct step *step);

/* The trace's peak is that of this step's updates; `before` was live when they began. */
void
optimizer_cache_keep(struct step *step, int64_t before);

#endif

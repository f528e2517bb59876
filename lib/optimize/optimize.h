/* An optimization from the inside: the job as it is being made smaller, and the techniques that were tried. */
#ifndef OPTIMIZE_H
#define OPTIMIZE_H

#include "base/arena.h"
#include "frameworks/job.h"
#include "memmodel/optimize.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { TECHNIQUES = MEMMODEL_TECHNIQUE_BATCH + 1 };

struct memmodel_optimization {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    int64_t budget;
    struct memmodel_optimization_step steps[TECHNIQUES];
    size_t count;
    struct memmodel_optimization_result result;
};

/* The job, with symbols of its own, so that the batch can be changed. */
struct optimization_query {
    memmodel_context *context;
    const memmodel_network *network;
    struct memmodel_job job;
    struct memmodel_symbol_value *symbols;
    struct memmodel_symbol_value *batch; /* among them; NULL: there is none */
};

/* Whether what was applied so far is enough. */
static inline bool
optimization_is_met(const memmodel_optimization *optimization)
{
    return optimization->count > 0 && optimization->result.peak <= optimization->budget;
}

/*
 * A technique with its peak: applied if that is lower than before, else it saved nothing, and `why_not` is noted.
 * `detail` is copied. 0 or MEMMODEL_ERROR_NO_MEMORY.
 */
int
optimization_apply(memmodel_optimization *optimization, int technique, int64_t peak, double overhead,
                   const char *detail, const char *why_not);

/* A technique that cannot be applied. */
int
optimization_skip(memmodel_optimization *optimization, int technique, const char *why);

/* inference.c, training.c: all techniques until the budget is met. */
int
optimization_inference(memmodel_optimization *optimization, struct optimization_query *query);

int
optimization_training(memmodel_optimization *optimization, struct optimization_query *query);

/* text.c: the paragraph. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
optimization_summarize(memmodel_optimization *optimization, const struct optimization_query *query);

#endif

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

/* Whether what was taken so far is enough. */
static inline bool
optimization_is_met(const memmodel_optimization *optimization)
{
    return optimization->count > 0 && optimization->result.peak <= optimization->budget;
}

/*
 * A means with its peak: taken if that is less than before, else it gave nothing, and `why_not` is noted. `what` is copied.
 * 0 or MEMMODEL_ERROR_NO_MEMORY.
 */
int
optimization_take(memmodel_optimization *optimization, int technique, int64_t peak, double extra, const char *what,
                  const char *why_not);

/* A means that cannot be had. */
int
optimization_pass(memmodel_optimization *optimization, int technique, const char *why);

/* inference.c, training.c: all means until it is met. */
int
optimization_inference(memmodel_optimization *optimization, struct optimization_query *query);

int
optimization_training(memmodel_optimization *optimization, struct optimization_query *query);

/* text.c: the paragraph. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
optimization_summarize(memmodel_optimization *optimization, const struct optimization_query *query);

#endif

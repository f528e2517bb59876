/* A budget from the inside: the job as it is being made smaller, and the means that were looked at. */
#ifndef BUDGET_H
#define BUDGET_H

#include "base/arena.h"
#include "memmodel/budget.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { MEANS = MEMMODEL_BUDGET_BATCH + 1 };

struct memmodel_budget {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    int64_t bytes; /* to be within */
    struct memmodel_budget_step steps[MEANS];
    size_t count;
    struct memmodel_budget_result result;
    const char *text;
};

/* The job, with symbols of its own, so that the batch can be changed. */
struct budget_query {
    memmodel_network *network;
    struct memmodel_job job;
    struct memmodel_symbol_value *symbols;
    struct memmodel_symbol_value *batch; /* among them; NULL: there is none */
};

/* Whether what was taken so far is enough. */
static inline bool
budget_is_met(const memmodel_budget *budget)
{
    return budget->count > 0 && budget->result.peak <= budget->bytes;
}

/*
 * A means with its peak: taken if that is less than before, else it gave nothing, and `why_not` is noted. `what` is copied.
 * 0 or MEMMODEL_ERROR_NOMEM.
 */
int
budget_take(memmodel_budget *budget, int means, int64_t peak, double extra, const char *what, const char *why_not);

/* A means that cannot be had. */
int
budget_pass(memmodel_budget *budget, int means, const char *why);

/* inference.c, training.c: all means until it is met. */
int
budget_inference(memmodel_budget *budget, struct budget_query *query);

int
budget_training(memmodel_budget *budget, struct budget_query *query);

/* text.c: the paragraph. 0 or MEMMODEL_ERROR_NOMEM. */
int
budget_write(memmodel_budget *budget, const struct budget_query *query);

#endif

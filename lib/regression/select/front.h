/* The Pareto front of error and size. */
#ifndef REGRESSION_FRONT_H
#define REGRESSION_FRONT_H

#include "regression/fit.h"

/* Of a candidate: what it is compared by. */
struct front_entry {
    unsigned nodes;
    double nested; /* cross-validation error */
    bool chosen;   /* it stays, and before others of its size */
    size_t place;  /* in the caller's list */
};

/* Sorts them by rising size and leaves those than which no smaller one is as good. Returns how many. */
size_t
front_of(struct front_entry *entries, size_t count);

/* The front of the model, when all else is known. */
int
front_fill(struct fit *fit, memmodel_model *model);

#endif

/*
 * What a column can take off a squared error beside columns that were picked before, told from inner products alone.
 *
 * Cholesky's factors of the columns' inner products say it in a few operations a column, where the columns themselves take
 * several a row. Rounding makes them worse the more the picks depend on each other. Their error is bounded, and whoever must know
 * the last digits works them out for the columns that this lets pass.
 */
#ifndef REGRESSION_GAINS_H
#define REGRESSION_GAINS_H

#include "regression/linear_algebra.h"
#include "regression/subset.h"

#include <stdint.h>

/* All is of columns and a right side of norm 1. */
struct gains_level {
    double *left;       /* squared norm of what the picks leave of every column */
    double *alignments; /* of these with the right side */
    double *factors;    /* of every column along the pick that leads to the next level */
    double pivot;       /* what is left of that pick */
    uint16_t pick;
    double inverse; /* squared norm of the inverse of the picks' triangular factor */
    double doubt;   /* what `left` and `alignments` may be wrong by */
};

struct gains {
    const struct matrix *columns;
    double *norms; /* of the columns */
    double size;   /* norm of the right side */
    struct gains_level levels[SUBSET_TERMS + 1];
    struct matrix values;   /* of the levels */
    struct matrix products; /* of some columns with all */
    uint32_t *held;         /* of what column the products are, from 1 on; 0: of none */
};

/* Nothing is picked; up to `picks` may be, at most SUBSET_TERMS. 0 or MEMMODEL_ERROR_NO_MEMORY; a failed one may be released. */
int
gains_new(memmodel_context *context, const struct matrix *columns, const double *right_side, size_t picks,
          struct gains *gains);

void
gains_release(struct gains *gains);

/* A column is picked beside the first `depth` picks, which stay. Columns before `first` are not asked for any more. */
void
gains_pick(struct gains *gains, size_t depth, uint16_t column, size_t first);

/*
 * May the column take more than `least` off the squared error beside the first `depth` picks, with a positive coefficient? If not,
 * it cannot.
 */
bool
gains_may_exceed(const struct gains *gains, size_t depth, uint16_t column, double least);

#endif

/* Exact leave-one-out errors of a subset of columns under non-negative least squares. */
#ifndef REGRESSION_LEAVE_ONE_OUT_H
#define REGRESSION_LEAVE_ONE_OUT_H

#include "regression/nnls.h"
#include "regression/subset.h"

/* Which rows were measured at one point: rows[starts[g]] to rows[starts[g + 1] - 1]. */
struct row_groups {
    size_t count;
    size_t *starts, *rows;
};

/* points[i]: number of the point of row i, below `count`; points without rows do no harm. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
row_groups_new(memmodel_context *context, const size_t *points, size_t rows, size_t count, struct row_groups *groups);

void
row_groups_release(memmodel_context *context, struct row_groups *groups);

struct leave_one_out {
    struct qr qr;
    struct nnls nnls;
    struct matrix others;            /* the subset's columns and the right side without one point */
    const struct row_groups *groups; /* left out together; NULL: each row alone */
};

int
leave_one_out_new(memmodel_context *context, size_t rows, struct leave_one_out *work);

void
leave_one_out_release(struct leave_one_out *work);

/*
 * Fits the subset; false if its least squares solution is not positive, so that it is no candidate. work->qr has the
 * factors.
 */
bool
subset_fit(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
           const struct subset *subset, double *coefficients);

/*
 * errors[i]: right_side[i] minus its prediction by the subset's non-negative least squares fit to all other rows. With
 * the row's leverage h and residual r the other rows' coefficients are x - R^-1 q r / (1 - h), and the error r / (1 -
 * h); that stays exact as long as these coefficients stay positive. Where one does not, or h is 1, the fit is done
 * again without the row. Rows of one point are left out together, by the same formula for several rows at a time: their
 * measurements tell each other, not what the formula is at points that were not measured. false as subset_fit().
 */
bool
leave_one_out_errors(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
                     const struct subset *subset, double *errors);

#endif

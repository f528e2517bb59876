/* Exact leave-one-out errors of a subset of columns under non-negative least squares. */
#ifndef REGRESSION_LEAVE_ONE_OUT_H
#define REGRESSION_LEAVE_ONE_OUT_H

#include "regression/nnls.h"
#include "regression/subset.h"

struct leave_one_out {
    struct qr qr;
    struct nnls nnls;
    struct matrix others; /* the subset's columns and the right side without one row */
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
 * again without the row. false as subset_fit().
 */
bool
leave_one_out_errors(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
                     const struct subset *subset, double *errors);

#endif

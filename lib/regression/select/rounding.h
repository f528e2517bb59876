/* Coefficients that people can read. */
#ifndef REGRESSION_ROUNDING_H
#define REGRESSION_ROUNDING_H

#include "regression/linear/matrix.h"

#include <stdbool.h>

/* What the columns of a factorisation stand for. */
struct rounding_columns {
    const int *exponents; /* column k was divided by 2^exponents[k] */
    bool constant;        /* the last one is the constant: it may become 0 */
    double share; /* of the standard error of the squares, by which they may grow: 0: only where nothing is left */
};

/*
 * As qr_solve(), each coefficient with the fewest digits, and those before it fitted anew, so that the sum of squares
 * hardly grows: what the columns meet exactly they meet with 5 in place of 4.999999999999999.
 */
void
rounding_solve(const struct qr *qr, const struct rounding_columns *columns, const double *response,
               double *coefficients);

#endif

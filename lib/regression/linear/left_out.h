/* Exact leave-one-out errors of least squares. */
#ifndef REGRESSION_LEFT_OUT_H
#define REGRESSION_LEFT_OUT_H

#include "regression/linear/matrix.h"
#include "regression/select/support.h"

/* Least squares coefficients; false if the columns depend on each other. `qr` has room, and then the factors. */
bool
left_out_fit(struct qr *qr, const struct matrix *columns, const double *response, const struct support *support,
             double *coefficients);

/*
 * errors[i]: response[i] less its prediction by a fit to the other points. Rows of one point are left out together,
 * and stand next to each other: points[i] is the number of row i's. With their rows Q of the orthogonal factor and
 * residuals r the errors are (1 - Q Q')^-1 r: r / (1 - leverage) of a row alone. false as left_out_fit(), or if a
 * coefficient is determined by one point alone.
 */
bool
left_out_errors(struct qr *qr, const struct matrix *columns, const double *response, const size_t *points,
                const struct support *support, double *errors);

#endif

/*
 * The coefficients that make any loss small: least squares; of log ratios iteratively reweighted least squares, by
 * weights that make their gradient that of the loss; of linear losses of a sum the vertex that is best.
 */
#ifndef REGRESSION_IRLS_H
#define REGRESSION_IRLS_H

#include "regression/linear/lad.h"
#include "regression/linear/nnls.h"
#include "regression/table/loss.h"

/*
 * Least squares of `response` on `columns`, whose rows were multiplied by `sqrt_weights`: sums of terms are columns /
 * sqrt_weights.
 */
struct irls_problem {
    const struct loss *loss;
    size_t rows, count;
    const double *const *columns;
    const double *response, *sqrt_weights;
    const double *measured, *weights; /* of the rows; a sample's weight */
    bool positive;                    /* coefficients are not below 0 */
};

struct irls {
    struct qr qr;
    struct nnls nnls;
    struct matrix scaled;
    double *response, *predictions;
    unsigned char *left_out; /* rows that do not count */
    struct lad lad;
    double *above, *below; /* prices of errors of linear losses */
};

/* Room for so many rows and columns. */
struct irls
irls_new(struct workspace *workspace, size_t rows, size_t columns);

/*
 * Of linear losses of a sum of terms the best coefficients there are. Else at most 60 steps from the least squares
 * solution on; the best coefficients that were met are the result, so that no step makes it worse. A column that
 * depends on others gets 0. Returns the mean loss.
 */
double
irls_fit(struct irls *work, const struct irls_problem *problem, double *coefficients);

/*
 * predictions[i] of each row by a fit without the rows of its part, row i being in part parts[i] % part_count (NULL:
 * i % part_count). All of it is done again: weights that were found with a row in view know it.
 */
void
irls_leave_out(struct irls *work, const struct irls_problem *problem, const size_t *parts, size_t part_count,
               double *predictions);

#endif

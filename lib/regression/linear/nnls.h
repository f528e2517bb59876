/* Least squares with coefficients that are not negative. */
#ifndef REGRESSION_NNLS_H
#define REGRESSION_NNLS_H

#include "regression/linear/matrix.h"

/* Room to solve problems of up to `rows` rows and `columns` columns, again and again. */
struct nnls {
    struct qr qr;          /* of the free columns */
    size_t *free_columns;  /* which these are, in the order of `qr` */
    unsigned char *states; /* of every column: held at 0, free, or refused */
    double *numbers;       /* of every row, and of every column two */
};

struct nnls
nnls_new(struct workspace *workspace, size_t rows, size_t columns);

/*
 * solution: the x >= 0 that minimises |A x - right_side|, A given by `count` columns of `rows` values. Where columns
 * depend on each other, the first of them take it all. Lawson and Hanson, "Solving Least Squares Problems", chapter 23,
 * on QR.
 */
void
nnls_solve(struct nnls *nnls, size_t rows, const double *const *columns, size_t count, const double *response,
           double *solution);

#endif

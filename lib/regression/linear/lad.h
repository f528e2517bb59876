/*
 * Least absolute errors, each side of an error with a price of its own: the simplex method of Barrodale and Roberts
 * ("An improved algorithm for discrete L1 linear approximation", SIAM Journal on Numerical Analysis 10, 1973), which
 * goes along edges on which all but one of the rows that are met stay met, each time as far as the sum falls.
 */
#ifndef REGRESSION_LAD_H
#define REGRESSION_LAD_H

#include "regression/linear/matrix.h"

enum { LAD_MAX = 32 };

struct lad_problem {
    size_t rows, count;
    const double *const *columns; /* of about 1, or the sizes of which are alike */
    const double *response;       /* of every row, about 1 */
    const double *above, *below;  /* of every row: price of an aim above, and below, what is predicted */
    bool positive;                /* coefficients are not below 0 */
};

struct crossing;

struct lad {
    memmodel_context *context;
    double *residuals, *along; /* of every row */
    unsigned char *met;
    struct crossing *crossings;
};

/* Room for so many rows. */
struct lad
lad_new(struct workspace *workspace, size_t rows);

/*
 * The coefficients with the least sum of prices, from 0 on, so that they depend on nothing but the problem. A column
 * that says nothing beside the others has 0.
 */
void
lad_fit(struct lad *work, const struct lad_problem *problem, double *coefficients);

#endif

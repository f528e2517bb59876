/*
 * Jackknife+ of Barber, Candes, Ramdas and Tibshirani ("Predictive inference with the jackknife+", 2021), one-sided and of
 * ratios: each row left out has a formula that did not see it, f_i, and a ratio r_i = measurement / f_i; the bound at x
 * is the number of rank ceiling(level (n + 1)) among f_i(x) r_i. With K groups left out in turn it is CV+.
 */
#ifndef REGRESSION_JACKKNIFE_H
#define REGRESSION_JACKKNIFE_H

#include "regression/basis.h"
#include "regression/model.h"

/* A sum of columns of the basis that was found and fitted without some rows. */
struct left_out_formula {
    size_t count;
    uint16_t columns[MODEL_MOST_TERMS];
    double coefficients[MODEL_MOST_TERMS]; /* of the columns as they are in the basis */
    double offset;                         /* in place of that of the model's response */
};

struct left_out_rows {
    const struct left_out_formula *formulas;
    size_t count;
    const size_t *groups; /* of every row: the formula that did not see it; every formula has a row */
    const double *ratios; /* of every row, as the bound's */
    const size_t *points; /* as in struct bound_rows */
    size_t point_count;
};

/*
 * Keeps the formulas in the model, after its bound is filled; not where they have more than MODEL_MOST_LEFT_OUT_TERMS
 * different terms. 0, MEMMODEL_ERROR_NO_MEMORY, or the error of a term.
 */
int
jackknife_fill(memmodel_model *model, const struct basis *basis, const struct left_out_rows *rows);

/* The bound; the model has left-out formulas. Infinite where they say nothing. Never allocates. */
double
jackknife_upper(const memmodel_model *model, const double *inputs, double level);

#endif

/* How wrong formulas are on points that took no part in finding, choosing and fitting them. */
#ifndef REGRESSION_HELD_OUT_H
#define REGRESSION_HELD_OUT_H

#include "regression/select.h"

enum { HELD_OUT_LINE = SUBSET_TERMS + 1, HELD_OUT_COLUMNS };

/* A formula that was found, selected and fitted without some points. */
struct held_out_formula {
    struct subset subset;
    double coefficients[SUBSET_TERMS + 1];
};

/* What is known of rows held out. Room for a number a row, and for SELECT_MOST_GROUPS formulas. */
struct held_out {
    double *ratios;
    size_t *groups; /* of every row: which of the formulas did not see it */
    struct held_out_formula *formulas;
    size_t count;        /* of formulas */
    struct matrix front; /* column k: ratios of every row by the best formula of k terms besides the constant that was
                            found without it; where there was none, of fewer. Column HELD_OUT_LINE: by the line, if
                            there is one */
};

/* How formulas are found. */
struct held_out_search {
    const struct select_problem *problem;
    const struct subset_library *library; /* of all rows; NULL: `only` is the one that may be taken */
    const struct subset *only;
    /* Whether a sum with these coefficients is what a formula must be: 0 or an error. */
    int (*prove)(void *user, const struct subset *subset, const double *coefficients, bool *proven);
    void *user;
};

/*
 * ratios[i]: measurement of row i divided by its prediction by a formula that was searched for among all columns, selected
 * and fitted without it and without the other rows of its point. Points are left out one at a time up to 64, in fewer and
 * larger groups on large tables. All groups together may try as many subsets as the search of all rows. Where one formula
 * only may be taken, and it is no candidate without a group, what least squares leaves of it above 0 stands in.
 */
int
held_out_find(memmodel_context *context, const struct held_out_search *search, struct held_out *held_out);

/* Measurement of a row divided by its prediction, given the coefficients of the columns; at most 1000. */
double
held_out_ratio(const struct matrix *columns, const double *right_side, const struct subset *subset,
               const double *coefficients, size_t row);

#endif

/*
 * What formulas are worth on rows that they did not see. Every source of formulas is asked on all rows, and again
 * without each of ten parts of the points: errors of a formula whose terms were picked from hundreds with the row in
 * view say little of rows that come.
 */
#ifndef REGRESSION_JUDGE_H
#define REGRESSION_JUDGE_H

#include "regression/model/model.h"
#include "regression/select/regimes.h"
#include "regression/select/rows.h"

enum source {
    SOURCE_TERMS,   /* the beam */
    SOURCE_REGIMES, /* a maximum of sums */
    SOURCE_TREES,   /* a search of formulas of any shape */
};

enum { TREES_MAX = 16, CANDIDATES_MAX = BASIS_LIBRARIES * SUPPORT_COLUMNS + REGIMES_MAX + TREES_MAX };

_Static_assert((int)REGIMES_MAX <= (int)BASIS_APPENDED, "the basis has a column for every maximum of sums");

/* A formula of all rows: a sum of columns of the basis. */
struct candidate {
    enum source source;
    struct support support;
    size_t size;    /* terms besides the constant, or regimes: what it is compared by without a part of the rows */
    double scale;   /* not 0: the coefficient of the only column, which has all other numbers of the formula in it */
    size_t numbers; /* in the columns, that were fitted, too */
    unsigned nodes; /* of the formula as a tree */
    double least, most; /* limits of predictions; infinite: none */
    double penalty;     /* what it takes to say which formula of its source it is, in nats */
    double loo, nested; /* mean losses of rows left out, and of parts left out when it was found */
    double score;       /* description length */
    bool exact;         /* it meets more rows than its numbers could */
    bool refused;       /* it may not become the formula */
};

struct comparison {
    const struct training *table;
    const struct structure *structure;
    const struct loss *loss;
    struct basis *basis;
    size_t max_terms;                            /* 0: as many as there are rows for */
    int32_t rule;                                /* enum memmodel_fit_selection, not the default */
    bool regimes;                                /* whether these are asked, too */
    struct candidate candidates[CANDIDATES_MAX]; /* the first is the constant */
    size_t count, chosen;
    struct matrix left_out, held_out; /* predictions of every row by each candidate: by LOO, and without its part */
    unsigned char *folds;             /* of every row: its part */
    size_t fold_count;
    double *nested; /* prediction of every row by what was found, and chosen by the other parts, without its part */
    double *sqrt_weights; /* of every row, those that a few terms do not explain less, of linear losses */
    double *weights;      /* of every row in a comparison, likewise */
    unsigned hidden;      /* part whose rows do not count; ROWS_MAX_FOLDS: all do */
};

/* Room for candidates. 0, or the workspace's status. */
int
comparison_new(struct workspace *workspace, struct comparison *comparison);

/* Asks the beam and, where they may be, regimes. 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_OVERFLOW. */
int
judge(struct comparison *comparison);

/* Mean loss of the rows that count. */
double
comparison_mean(const struct comparison *comparison, const double *predictions);

/* From now on the row's error counts `factor` times: that of rows that may be wild is less than 1. */
void
comparison_weigh(struct comparison *comparison, size_t row, double factor);

/* Sets the candidate's mean losses from its predictions. */
void
judge_losses(struct comparison *comparison, size_t candidate);

/* By those mean losses; see selection.h. */
double
description_length(const struct comparison *comparison, const struct candidate *candidate, double loo, double nested);

/*
 * Sets the limits of its predictions: a little beyond the measurements, as of what curves nobody knows how it goes
 * on. Straight lines and formulas of relative errors, which are laws of growth, have none.
 */
void
comparison_limit(const struct comparison *comparison, struct candidate *candidate);

/* The nearest prediction within the limits. */
double
comparison_clamp(const struct candidate *candidate, double value);

#endif

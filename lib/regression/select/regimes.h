/*
 * Max-affine regression: a peak as what it is, the greatest of several regimes, each a sum of terms with coefficients
 * that are not negative.
 *
 * Which row is of which regime is not known. It is guessed by the rows above and below a number of one quantity; then
 * each regime is fitted to its rows and each row given to the regime that says most of it, again and again: Magnani
 * and Boyd, "Convex piecewise-linear fitting" (2009). Bytes of an allocator follow such a formula exactly, so that
 * absolute errors distinguish right guesses best, and a sum that meets more rows than it has coefficients is found
 * among few rows.
 */
#ifndef REGRESSION_REGIMES_H
#define REGRESSION_REGIMES_H

#include "regression/select/rows.h"

enum { REGIMES_MAX = 3, REGIMES_COLUMNS = 32, REGIMES_WITNESSES = 3, REGIMES_TRIED = 512 };

struct regimes {
    size_t count;
    double coefficients[REGIMES_MAX][REGIMES_COLUMNS]; /* of the basis' columns */
};

/* Rows and terms as a fit of positive coefficients has them, and room for searches. */
struct regimes_search {
    const struct training *table;
    const struct basis *basis;
    size_t count;                  /* of terms that a regime may have, the first of the basis */
    struct rows rows;              /* of one regime */
    struct matrix keys;            /* values of the terms, by which rows may be distinguished */
    double *sorted;                /* of every row */
    unsigned char *labels, *now;   /* of every row: its regime; for a row that is not seen NOT_SEEN */
    uint64_t tried[REGIMES_TRIED]; /* rows' regimes, each as one number */
    size_t tried_count;
};

/* Whether there are so few rows, inputs and terms that regimes can be searched for. */
bool
regimes_may_be(const struct training *table, const struct basis *basis);

/* 0, or the workspace's status. */
int
regimes_search_new(struct workspace *workspace, const struct training *table, const struct basis *basis,
                   struct regimes_search *search);

/*
 * The best formula of the rows whose fold is another one, of one regime more than `before` (NULL: of one); of none if
 * that is no better.
 */
void
regimes_find(struct regimes_search *search, const unsigned char *folds, unsigned fold, const struct regimes *before,
             struct regimes *found);

/* What the formula says of a row, as a multiple of what was measured there. */
double
regimes_predict(const struct regimes_search *search, const struct regimes *regimes, size_t row);

/* Whether a row is met of which a formula says so many times what was measured, but for rounding. */
bool
regimes_is_met(double predicted);

/* How many coefficients it has. */
size_t
regimes_numbers(const struct regimes_search *search, const struct regimes *regimes);

/* Its size as a tree. */
unsigned
regimes_nodes(const struct regimes_search *search, const struct regimes *regimes);

/*
 * The formula, but for a power of two that it is to be multiplied by: *unit. Numbers that few digits to base two can
 * write are exact, others have nine decimal digits. An error, MEMMODEL_ERROR_OVERFLOW too, if there is none.
 */
expression
regimes_express(const struct regimes_search *search, const struct regimes *regimes, double *unit);

/* Whether it meets more rows exactly than its numbers could. */
bool
regimes_are_exact(const struct regimes_search *search, const struct regimes *regimes);

#endif

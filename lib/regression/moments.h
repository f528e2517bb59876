/*
 * A peak as what it is: the greatest of several moments, each a sum of terms with coefficients that are not negative.
 *
 * Which row was measured at which moment is not known. It is guessed by the rows above and below a number of one quantity;
 * then each moment is fitted to its rows and each row given to the moment that says most of it, again and again: Magnani and
 * Boyd, "Convex piecewise-linear fitting" (2009). Bytes of an allocator follow such a formula exactly, so that absolute
 * errors tell right guesses best, and a sum that meets more rows than it has coefficients is found among few rows.
 */
#ifndef REGRESSION_MOMENTS_H
#define REGRESSION_MOMENTS_H

#include "regression/basis.h"
#include "regression/reweigh.h"

enum { MOMENTS_MOST = 3, MOMENTS_COLUMNS = 32, MOMENTS_FOLDS = 16, MOMENTS_WITNESSES = 3, MOMENTS_TRIED = 512 };

/* Rows and terms as a fit of positive coefficients has them. */
struct moments_problem {
    const struct training *training;
    const struct basis *basis;
    size_t count; /* of terms that a moment may have */
    uint16_t columns[MOMENTS_COLUMNS];
};

struct moments {
    size_t count;
    double coefficients[MOMENTS_MOST][MOMENTS_COLUMNS]; /* of the basis' columns */
};

/* Room for searches of one problem after another. */
struct moments_search {
    const struct moments_problem *problem;
    struct reweighing reweighing;
    struct matrix part;          /* a column's rows of one moment, then right side, measured, weights, roots of these */
    struct matrix keys;          /* quantities by which rows may be told apart */
    double *sorted, *roots;      /* of every row */
    unsigned char *labels, *now; /* of every row: its moment; for a row that is not seen NOT_SEEN */
    uint64_t tried[MOMENTS_TRIED]; /* rows' moments, each as one number */
    size_t tried_count;
};

/* Lists the terms; false where this is no problem for moments: too many rows, inputs or terms. */
bool
moments_prepare(const struct training *training, const struct basis *basis, struct moments_problem *problem);

/* A failed one may be released. The problem must stay. */
int
moments_search_new(const struct moments_problem *problem, struct moments_search *search);

void
moments_search_release(struct moments_search *search);

/*
 * The best formula of the rows that are not left out (NULL: of all), of one moment more than `before` (NULL: of one); of
 * none if that is no better.
 */
void
moments_find(struct moments_search *search, const unsigned char *left_out, const struct moments *before,
             struct moments *found);

/* What the formula says of a row, as a multiple of what was measured there. */
double
moments_predict(const struct moments_problem *problem, const struct moments *moments, size_t row);

/* Whether a row is met of which a formula says so many times what was measured, but for rounding. */
bool
moments_is_met(double predicted);

bool
moments_meet(const struct moments_problem *problem, const struct moments *moments, size_t row);

/* How many coefficients it has. */
size_t
moments_numbers(const struct moments_problem *problem, const struct moments *moments);

/* Its size as a tree. */
unsigned
moments_nodes(const struct moments_problem *problem, const struct moments *moments);

/*
 * The formula, but for a power of two that it is to be multiplied by: *unit. Numbers that few digits to base two tell are exact,
 * others have nine decimal digits. An error,
 * MEMMODEL_ERROR_OVERFLOW too, if there is none.
 */
expression
moments_express(const struct moments_problem *problem, const struct moments *moments, double *unit);

/* A formula that was chosen, and those that were without each fold of the points, point % folds; of no moments: the rival. */
struct moments_choice {
    struct moments formula;
    struct moments without[MOMENTS_FOLDS];
    size_t folds;
    struct moments found[MOMENTS_MOST]; /* of 1, 2, ... moments, chosen or not; of no moments: there was none */
    struct matrix ratios; /* column m: of every row by the formula of m moments that did not see it; release it */
};

/* The formula that moments may take the place of. */
struct moments_rival {
    const double *ratios; /* of every row, measurement / prediction of a formula that did not see it */
    unsigned nodes;
};

/*
 * Finds formulas of all rows, and again without each fold of the points. One is chosen if rows held out are predicted better
 * than by the one chosen before it by more than one standard error of the difference (two, if it meets no rows exactly);
 * before all is the rival, than which one that meets rows exactly, and is shorter, need only be no worse. The choice is made
 * again without each fold. 0 or MEMMODEL_ERROR_NO_MEMORY.
 */
int
moments_choose(const struct moments_problem *problem, const struct loss *loss, const struct moments_rival *rival,
               struct moments_choice *choice);

#endif

/*
 * Which of the listed subsets becomes the formula, and how wrong formulas chosen that way are on rows they did not see.
 */
#ifndef REGRESSION_SELECT_H
#define REGRESSION_SELECT_H

#include "regression/reweigh.h"
#include "regression/subset.h"

enum { SELECT_MOST_GROUPS = 64 }; /* of points that are held out in turn */

struct select_problem {
    const struct matrix *columns;
    const double *right_side; /* square root of each row's weight: rows are divided by what they measure */
    const unsigned *sizes;    /* of every column: symbols of its formula */
    const bool *plain;        /* of every column, as in struct subset_library */
    const uint16_t *groups;   /* the same; not 0: a term on one side of a change point. NULL: there are none */
    const size_t *points;     /* of every row: which point it was measured at, from 0 */
    size_t point_count;
    const struct loss *loss;                  /* NULL: squared relative errors, and no need of the following */
    const double *measured, *weights, *roots; /* of every row; what its columns were multiplied by */
    int32_t rule;                             /* enum memmodel_fit_selection, not the default */
    const struct subset *line; /* all inputs as far as they are above 0; NULL, or of no columns: it is no candidate */
    bool inner;                /* this is a selection within another one: fewer groups are left out in turn */
};

/* Takes from the list what a fit by the problem's loss does not leave among the best four of its kind and size. */
int
select_screen(memmodel_context *context, const struct select_problem *problem, struct shortlist *shortlist);

/* Coefficients of a subset by the problem's loss; false if it is no candidate, as some are not above 0. */
bool
select_fit(struct reweighing *work, const struct select_problem *problem, const struct subset *subset,
           double *coefficients);

/*
 * errors[i]: as leave_one_out_errors(), by the problem's loss: all of the fit is done again without each point; of more than 362
 * rows without several points at once, so that rows times fits stay below 131072, but in four parts at least.
 */
void
select_left_out(struct reweighing *work, const struct select_problem *problem, const struct subset *subset,
                double *errors);

/*
 * A choice among many columns finds a good one by chance. Subsets that are not plain are therefore considered only if
 * the best of them beats the best plain one by more than the larger library can be expected to gain: by the least value
 * of rows / 2 ln(mean squared leave-one-out error) + terms ln(columns to choose from), a description length.
 *
 * Subsets with a change point likewise, with twice the price for each term that has one: a large library's best term is worth
 * about ln(columns) by chance alone, and a change point is a claim about the program.
 *
 * The constant is no matter of size: a subset is not considered without it where least squares puts it above 0, unless
 * the subset alone is exact. A process has bytes before it does anything, and few samples tell a base from none badly:
 * left out for the sake of a shorter formula, it cost more on rows not seen than it saved.
 * A subset that is 0 at a row is not considered either: something was measured there, of which a bound would be a multiple of 0.
 *
 * Of those considered: the smallest subset whose mean squared leave-one-out error exceeds the least one by no more than
 * the standard error of that difference, taken row by row; of equally small ones, the one with the shortest description. The
 * constant, or else the line, takes its place if that is no larger and not worse than it by more than a standard error. By
 * the other rule: the one with the shortest description.
 */
struct selected {
    struct subset chosen;
    struct subset
        best[SUBSET_TERMS + 1]; /* of those considered with so many terms besides the constant the one with the
                                             least error; empty: there is none */
};

/* Where no subset is a candidate the chosen one is empty. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
select_subset(memmodel_context *context, const struct select_problem *problem, const struct shortlist *shortlist,
              struct selected *selected);

/* Takes the subset from the list; if it is the line, that is of no columns from now on. */
void
select_drop(struct shortlist *shortlist, struct subset *line, const struct subset *subset);

/* Groups of points to leave out in turn: fewer where each takes a fit step by step, and on large tables. */
size_t
select_groups(const struct select_problem *problem, bool step_by_step);

#endif

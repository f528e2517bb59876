/*
 * Formulas of trees against sums of terms: room that those share who search them (trees.c), list the best as candidates
 * (candidates.c), fit their coefficients by other losses than squares (refit.c), and judge them on rows held out (verdict.c).
 */
#ifndef SEARCH_CONTEST_H
#define SEARCH_CONTEST_H

#include "regression/general.h"
#include "regression/reweigh.h"
#include "regression/search/checkpoint.h"
#include "regression/search/hunt.h"

/* Rows that count and columns of a formula on them, for fits by a loss. */
struct refit {
    struct reweighing reweighing;
    struct matrix columns;
    double *right_side, *roots, *measured, *weights, *predictions;
};

struct trees {
    const struct general_problem *problem;
    const struct training *training;
    struct basis *basis;
    struct general *general;
    const struct reading *reading;
    bool evolves;
    const struct loss *loss; /* NULL: squares, which are what a search makes small in any case */
    struct refit refit;
    struct hunt hunt;
    struct checkpoint checkpoint;
    struct aim aim;
    struct archive *archive, *fold_archive;
    double *roots; /* of the rows at hand, 0 for those held out */
    double *column, *leverages;
    size_t *order;
    unsigned char *folds, *group_folds;
    double *left_out[GENERAL_TREES]; /* errors of each candidate, its coefficients and numbers fitted without the row */
    double *found[GENERAL_TREES]; /* the same of what was found in its place without the row, in the first partition */
    double *held_out[GENERAL_TREES]; /* what counts of both */
    double later[GENERAL_TREES];     /* sums of squared errors in later partitions */
    struct formula chosen[GENERAL_TREES];
    size_t count, first; /* candidates of trees, and the first of them in `general` */
};

static inline bool
trees_are_linear(const struct trees *trees)
{
    return trees->loss && loss_is_linear(trees->loss);
}

/* ---- trees.c ---- */

/* Repeats the search without that fold of `folds`. */
int
trees_search_fold(struct trees *trees, size_t repeat, size_t fold);

/* ---- candidates.c ---- */

/* What it costs to say which of all trees of that size it is, and where its numbers stand. */
double
trees_price(const struct trees *trees, const struct formula *formula);

/* A squared error that counts as none. */
double
trees_error_floor(const struct trees *trees);

/* As a candidate's score, by the error on the samples; infinite where there are too few rows for coefficients and numbers. */
double
trees_first_score(const struct trees *trees, const struct formula *formula);

/* Those of the least description length, as many as there is room for. */
int
trees_list_candidates(struct trees *trees);

/* ---- refit.c ---- */

/* Nothing is needed for squares. 0 or MEMMODEL_ERROR_NO_MEMORY; a failed one may be released. */
int
trees_new_refit(struct trees *trees);

void
trees_release_refit(struct trees *trees);

/* Constant and coefficients by the loss on the rows at hand, numbers as they are. */
void
trees_refit(struct trees *trees, struct formula *formula);

/*
 * After formula_leverages(): mean loss of the rows, each predicted by coefficients and numbers fitted to others, these by
 * their slopes; and the errors.
 */
double
trees_leave_out(struct trees *trees, const struct formula *formula, double *errors);

/* ---- verdict.c ---- */

/* How many times the rows are dealt into folds at most. */
size_t
trees_repeats(const struct trees *trees);

/* What that error of a row counts, with the row's weight. */
double
trees_loss_of(const struct trees *trees, size_t row, double error);

/* Sets what candidates leave on rows held out. 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_CALLBACK. */
int
trees_judge(struct trees *trees);

/* Makes the best candidate the chosen one if it is surely better. */
void
trees_choose(struct trees *trees);

#endif

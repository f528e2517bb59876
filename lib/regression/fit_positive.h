/* A fit of positive terms under way: what its parts share. */
#ifndef REGRESSION_FIT_POSITIVE_H
#define REGRESSION_FIT_POSITIVE_H

#include "regression/basis.h"
#include "regression/held_out.h"
#include "regression/leave_one_out.h"
#include "regression/model.h"
#include "regression/moments.h"
#include "regression/training.h"

/* A formula: a sum of terms of the basis, or several moments, which are one term. */
struct sum {
    struct subset subset;
    double scale;   /* not 0: the coefficient of the only term, which has all other numbers of the formula in it */
    size_t numbers; /* of these */
    unsigned nodes; /* as a tree */
};

/* One that may stand on the front. */
struct rival {
    struct sum formula;
    double loo, held_out; /* errors as people read them */
    bool chosen;
};

enum { FIT_MOST_RIVALS = SUBSET_TERMS + 1 + MOMENTS_MOST + 1 };

struct fit {
    memmodel_context *context;
    struct training training;
    struct structure structure;
    struct basis basis;
    struct subset_library library;
    struct shortlist *shortlist;
    struct selected selected;
    int32_t rule;       /* of selection */
    struct subset only; /* the one candidate that is left, if it has columns */
    struct subset line; /* all inputs as far as least squares puts them above 0; of no columns: it is no candidate */
    struct sum formula; /* that becomes the model */
    struct leave_one_out work;
    struct row_groups groups;
    struct reweighing reweighing; /* of other losses than squared relative errors */
    struct loss loss;
    double *roots; /* of every row: what its columns are multiplied by */
    double *errors;
    struct held_out held_out;
    struct rival *rivals; /* room for FIT_MOST_RIVALS */
    size_t rival_count;
};

/* Whether least squares will not do: coefficients are found step by step. */
static inline bool
fit_is_reweighed(const struct fit *fit)
{
    return fit->roots != NULL;
}

/* The fit as a choice among the basis' terms. */
struct select_problem
fit_selection(const struct fit *fit);

/* The formula of these terms. */
struct sum
fit_sum(const struct fit *fit, const struct subset *subset);

/* Sets *proven: whether the formula is what it must be wherever the inputs are in their ranges. 0 or an error. */
int
fit_prove(struct fit *fit, const struct sum *formula, bool *proven);

/* The same of a sum of these columns' terms with these coefficients. */
int
fit_prove_sum(struct fit *fit, const struct subset *subset, const double *coefficients, bool *proven);

/* Of what the search found: the formula, and what is known of rows held out. 0 or an error. */
int
fit_choose(struct fit *fit);

/* The formula with its coefficients as the terms of a model; of each term the exponent of its column. */
int
fit_write(struct fit *fit, const struct sum *formula, memmodel_model *model, int exponents[SUBSET_TERMS + 1]);

/* errors[i]: measured - predicted by these terms fitted to all other points, relative, times the root of the row's weight. */
void
fit_leave_out(struct fit *fit, const struct subset *subset, double *errors);

/* What rows count on average that are predicted with these errors, as people read it. */
double
fit_told_of_errors(const struct fit *fit, const double *errors);

/* The same of ratios measurement / prediction. */
double
fit_told_of_ratios(const struct fit *fit, const double *ratios);

/*
 * Several moments may become the formula in place of a sum, and what is known of rows held out then is of these. Formulas of
 * fewer or more moments become rivals.
 */
int
fit_consider_moments(struct fit *fit, const struct memmodel_fit_options *options);

/* The front of the model, when all else is known. */
int
fit_set_front(struct fit *fit, memmodel_model *model);

#endif

/* A fit under way: what its parts share. */
#ifndef REGRESSION_FIT_H
#define REGRESSION_FIT_H

#include "regression/select/judge.h"

struct fit {
    memmodel_context *context;
    struct workspace workspace; /* of all parts */
    struct training table;
    struct structure structure;
    struct basis basis;
    struct loss loss;
    struct comparison comparison;
    struct rows rows; /* all; the factors are those of the formula that was written last, as its terms come */
};

/*
 * A candidate with its coefficients as a model that can be evaluated. Where it is not proven to be what it must be,
 * or cannot be written, *proven is false and there is no model. 0, or an error that ends the fit.
 */
int
fit_write_proven(struct fit *fit, const struct candidate *candidate, memmodel_model **model, bool *proven);

/* Bound, scores, noise and front of the chosen candidate's model, which was written last. */
int
fit_complete(struct fit *fit, memmodel_model *model);

#endif

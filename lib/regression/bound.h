/*
 * Upper bounds of measurements at a point with prediction p, to be exceeded with probability 1 - level at most. The
 * larger of
 *
 *   p * r, r the k-th smallest held-out ratio, k = ceiling(level (n + 1)), at most n (conformal, as the jackknife), and
 *   p * (1 + t s sqrt(1 + h)), t Student's quantile for rows - terms degrees of freedom, s the held-out relative error
 *   and h the leverage of the point: it grows away from the training data.
 */
#ifndef REGRESSION_BOUND_H
#define REGRESSION_BOUND_H

#include "regression/linear_algebra.h"
#include "regression/model.h"

/*
 * Fills the bound, allocated for the model's terms and `ratio_count` ratios. `qr`: the factors of the rows the model
 * was fitted to; exponents[k]: term k's column there was divided by 2^exponents[k]. `weights` have mean 1.
 */
void
bound_fill(memmodel_model *model, const struct qr *qr, const int *exponents, const double *ratios,
           const double *weights);

/* Computes what predictions at the usual levels need: once `freedom` is known, before the first of them. */
void
bound_prepare(struct model_bound *bound);

/* Whether there are bounds at this level, 0.5 to 0.999. */
bool
bound_has_level(double level);

#endif

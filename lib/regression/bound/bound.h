/*
 * Upper bounds of measurements at a point with prediction p, to be exceeded with probability 1 - level at most:
 *
 *   conformal  p * r, r the held-out ratio of rank level (n + 1), at most n; between two in proportion,
 *   Student    p * (1 + t s sqrt(1 + h)), t Student's quantile for points - terms degrees of freedom, s the held-out
 *              relative error and h the leverage of the point: it grows away from the training data.
 *
 * Where the variance of errors grows with the leverage (bound.c), r - 1 and s are those of a point whose
 * leverage is 0, and count as many times as the point's errors are larger. Where errors are not relative: p +
 * difference, and p + t s sqrt(1 + h). The default is the larger of the two.
 *
 * Where an input is above its range, p is the greatest prediction of the formula and of its alternatives
 * (alternatives.h).
 *
 * Of measurements that share a point each counts a share of one. Whatever their distribution, a new measurement at a
 * new point lies below r with a probability of at least (points at or below r) / (points + 1): Lee, Barber and
 * Willett, "Distribution-free inference with hierarchical data"; between two ratios in proportion, or more often
 * where larger errors are rarer. With few points that is less than the level that was asked, and the tail is
 * Student's.
 */
#ifndef REGRESSION_BOUND_H
#define REGRESSION_BOUND_H

#include "regression/linear/matrix.h"
#include "regression/model/model.h"

/* Rows that a model was fitted to, as its bound needs them. */
struct bound_rows {
    const struct qr *qr;   /* their factors */
    const int *exponents;  /* term k's column there was divided by 2^exponents[k] */
    const double *ratios;  /* of every row: measurement / prediction that did not see it, or their difference */
    const double *weights; /* of mean 1 */
    const size_t *points;  /* of every row the number of its point */
    size_t point_count;
    size_t numbers; /* fitted besides the coefficients: each takes a degree of freedom */
};

/* Fills the bound, allocated for the model's terms and ratio_count ratios. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
bound_fill(memmodel_model *model, const struct bound_rows *rows, struct workspace *workspace);

/*
 * After that: finds whether the variance of errors, which must be relative, grows with the leverage. 0 or
 * MEMMODEL_ERROR_NO_MEMORY.
 */
int
bound_fit_variance(memmodel_model *model, const struct bound_rows *rows, struct workspace *workspace);

/* Computes what predictions at the usual levels need: once all else is known, before the first of them. */
void
bound_prepare(struct model_bound *bound);

/* Whether there are bounds at this level, 0.5 to 0.999. */
bool
bound_has_level(double level);

/* What a level means for the model. */
struct model_safety
bound_safety(const struct model_bound *bound, double level);

/* By enum memmodel_bound_method; NULL ends them. */
extern const char *const bound_method_names[];

/*
 * A copy of what is asked, its defaults filled in. 0, MEMMODEL_ERROR_INVALID_ARGUMENT,
 * MEMMODEL_ERROR_STRUCT_SIZE, without a text.
 */
int
bound_read_options(const struct memmodel_predict_options *options, struct memmodel_predict_options *own);

/* The bound of a prediction; `safety` is that of the options' level. */
double
bound_upper(const memmodel_model *model, const double *inputs, const struct memmodel_predict_options *options,
            const struct model_safety *safety);

#endif

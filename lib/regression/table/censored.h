/*
 * Rows of runs that ended early: what they took is a lower limit of what they needed (a censored observation). A row
 * counts where the formula is below its limit, and then as if the limit had been measured: the one-sided loss max(0,
 * limit - formula).
 */
#ifndef REGRESSION_CENSORED_H
#define REGRESSION_CENSORED_H

#include "regression/table/training.h"

typedef int (*censored_fit)(const memmodel_samples *samples, const struct memmodel_fit_options *options,
                            const struct training_limits *limits, memmodel_context *context, memmodel_model **model);

/* Fits to a table whose censored rows are used so; where it has none, as `fit` does. */
int
censored_rows_fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, censored_fit fit,
                  memmodel_context *context, memmodel_model **model);

#endif

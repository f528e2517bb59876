/* The fit for tables of any kind. */
#ifndef REGRESSION_FIT_GENERAL_H
#define REGRESSION_FIT_GENERAL_H

#include "memmodel/model.h"

#include <stdbool.h>

/* Whether the options, with their defaults, ask for it: coefficients of any sign. */
static inline bool
fit_is_general(const struct memmodel_fit_options *options)
{
    return options->basis == MEMMODEL_FIT_BASIS_GENERAL || options->loss == MEMMODEL_FIT_LOSS_SQUARED;
}

/* As memmodel_fit(), with checked options. */
int
fit_general(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
            memmodel_model **model);

/* The same, but NULL where no formula of trees is better than the sum of terms. */
int
fit_searched(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
             memmodel_model **model);

#endif

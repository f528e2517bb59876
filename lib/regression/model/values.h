/*
 * Which values an input may have: of a column that held whole numbers only others are whole, too, and so of numbers
 * above 0, or not below it. A batch of 2.5 or of -8 is a slip, whatever a formula says of it.
 */
#ifndef REGRESSION_VALUES_H
#define REGRESSION_VALUES_H

#include "regression/model/model.h"

/* What the numbers of a column have in common. */
struct model_values
values_of_column(const double *column, size_t count);

/* Whether a range of numbers may be of such ones. */
bool
values_allow_range(const struct model_values *values, double least, double most);

/* Whether all inputs but number `ignored` are such ones, or not known (NaN). */
bool
values_allow(const memmodel_model *model, const double *inputs, size_t ignored);

#endif

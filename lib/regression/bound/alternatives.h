/*
 * Formulas that the samples cannot distinguish from the chosen one: sums of the search whose errors of rows left out are
 * not worse by more than one standard error (L. Breiman and others, 1984). Among the samples they say the same, and
 * beyond them not: which of them goes on as the law does is not known, so that a bound there is above all of them.
 */
#ifndef REGRESSION_ALTERNATIVES_H
#define REGRESSION_ALTERNATIVES_H

#include "regression/fit.h"

/*
 * Gives the model, that of the chosen candidate, the few of them that are the maximum most often just beyond the samples.
 * Of relative errors only: other formulas do not go on there. 0 or an error that ends the fit.
 */
int
alternatives_find(struct fit *fit, memmodel_model *model);

#endif

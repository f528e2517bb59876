/* Products of whole powers of the inputs, and hinges of these. */
#ifndef REGRESSION_POWERS_H
#define REGRESSION_POWERS_H

#include "regression/basis/terms.h"

/* Adds products as library 0, of which inputs with negative values have none, and hinges behind them. */
void
powers_add(struct basis *basis, const struct training *table);

#endif

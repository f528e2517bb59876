/* Where terms come from. */
#ifndef REGRESSION_LIBRARIES_H
#define REGRESSION_LIBRARIES_H

#include "regression/basis/terms.h"

/* Adds products of whole powers as library 0, of which inputs with negative values have none, and hinges behind them. */
void
powers_add(struct basis *basis, const struct training *table);

/*
 * Adds three nested libraries behind the terms that the basis has, and says where each ends (basis->ends): the inputs;
 * curves and hinges of one input, made for its range and its levels; products of two.
 */
void
general_terms_add(struct basis *basis, const struct training *table);

/*
 * If the structure asks for it: terms 0 to `count` - 1 that are plain, the first 24 of them, below and from a knot on,
 * where an allocator, or an algorithm, may be another one. Knots lie midway between levels of an input with at least
 * two levels and a tenth of the rows on either side, at most 16 an input. Each knot is a group of its own: of two
 * groups a formula has terms of one only.
 */
void
change_points_add(struct basis *basis, const struct training *table, size_t count);

#endif

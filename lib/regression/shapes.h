/* The terms for tables of any kind: straight lines, curves and steps of one input, and what two inputs do together. */
#ifndef REGRESSION_SHAPES_H
#define REGRESSION_SHAPES_H

#include "regression/basis.h"

/*
 * Adds three nested libraries behind the terms that the basis has, and says where each ends (basis->ends): the inputs;
 * functions of one input, made for its range and its levels; products, distances, minima and equality of two.
 */
int
shapes_add(struct basis *basis, const struct training *training);

/*
 * Adds max(0, term - knot) for knots at quantiles of the term's values on the rows, which are left in rising order;
 * at least two rows lie on either side, for what one row says of a bend nothing can confirm. 0 or an error.
 */
int
shapes_add_bends(struct basis *basis, size_t term, double *values, size_t rows);

#endif

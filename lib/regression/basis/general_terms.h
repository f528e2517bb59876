/* The terms for tables of any kind: straight lines, curves and hinges of one input, and products of two. */
#ifndef REGRESSION_SHAPES_H
#define REGRESSION_SHAPES_H

#include "regression/basis/terms.h"

/*
 * Adds three nested libraries behind the terms that the basis has, and says where each ends (basis->ends): the inputs;
 * curves and hinges of one input, made for its range and its levels; products of two.
 */
void
general_terms_add(struct basis *basis, const struct training *table);

#endif

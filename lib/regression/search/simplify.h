/* Formulas as people write them: without what the error can do without, and with numbers of few digits. */
#ifndef SEARCH_SIMPLIFY_H
#define SEARCH_SIMPLIFY_H

#include "regression/search/levenberg.h"

/*
 * Nodes of two operands become one of them where that is enough, then every number in turn has as few digits as are
 * enough, the others and coefficients following: the squared error grows by less than that share. At most TREE_DIGITS
 * digits; but if it may be precise, and meets all rows but for rounding, it goes on doing so, with more digits or
 * fractions, and is asked to be precise. false: a number is out of range.
 */
bool
formula_simplify(struct fitter *fitter, double share, bool *precise, struct formula *formula);

#endif

/*
 * One form for trees that mean the same: sums and products are flattened, numbers in them folded into one, equal terms
 * and factors joined, what is left sorted.
 */
#ifndef SEARCH_CANONICAL_H
#define SEARCH_CANONICAL_H

#include "regression/search/tree.h"

/*
 * The canonical form, in place; sums and factors of the whole formula that its coefficients make superfluous are
 * dropped.
 */
void
tree_simplify(struct tree *tree);

#endif

/* Terms that count on one side of a change point only: where an allocator, or an algorithm, is another one. */
#ifndef REGRESSION_SEGMENTS_H
#define REGRESSION_SEGMENTS_H

#include "regression/basis/terms.h"

/*
 * If the structure asks for it: terms 0 to `count` - 1 that are plain, the first 24 of them, below and from a knot
 * on. Knots lie midway between levels of an input with at least two levels and a tenth of the rows on either side, at
 * most 16 an input. Each knot is a group of its own: of two groups a formula has terms of one only.
 */
void
change_points_add(struct basis *basis, const struct training *table, size_t count);

#endif

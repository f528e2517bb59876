/*
 * Which few columns explain the response best: orthogonal least squares (S. Chen, S. A. Billings, W. Luo, 1989) that
 * goes on from the 16 best supports of each size (4 where coefficients may have any sign, unless terms have change
 * points), and drops those in which a coefficient has a sign that it must not have.
 */
#ifndef REGRESSION_BEAM_H
#define REGRESSION_BEAM_H

#include "regression/select/rows.h"

enum { BEAM_WIDTH = 4, BEAM_WIDEST = 16, BEAM_STARTS = 2 };
enum { SHORTLIST_MAX = BEAM_STARTS * BEAM_WIDEST * SUPPORT_COLUMNS };

/* The best supports of each library and number of terms, with the constant and without. */
struct shortlist {
    size_t count;
    struct support supports[SHORTLIST_MAX];
};

/* Lists those of one library, of up to `most` terms besides the constant. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
beam_search(const struct rows *rows, size_t library, size_t most, struct shortlist *shortlist);

#endif

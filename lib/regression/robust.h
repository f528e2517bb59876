/* Subsets for losses under which least squares would be led astray by a few wild measurements. */
#ifndef REGRESSION_ROBUST_H
#define REGRESSION_ROBUST_H

#include "regression/select.h"

/*
 * The shortlist of subset_search(), screened by the problem's loss if it has one; for losses that grow as errors, not as their
 * squares, and that of a second search in which rows that the first one's best formula does not explain count less.
 */
int
robust_search(memmodel_context *context, const struct subset_library *library, const struct select_problem *problem,
              struct shortlist *shortlist);

#endif

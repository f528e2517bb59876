/* Search for trees beside the terms of a general fit: what is found there becomes candidates, and is chosen if it is better. */
#ifndef SEARCH_TREES_H
#define SEARCH_TREES_H

#include "regression/general.h"

/*
 * After general_fit() of the same problem: adds candidates to `general`, and their trees to `basis`, which is the problem's. One
 * of them becomes the chosen one if its score is better, and if on rows held out, its search repeated without them, it is better
 * than the one chosen before by more than the standard error of the difference. 0, MEMMODEL_ERROR_NO_MEMORY,
 * MEMMODEL_ERROR_INVALID_ARGUMENT (a forbidden nesting), MEMMODEL_ERROR_CALLBACK.
 */
int
trees_fit(const struct general_problem *problem, const struct memmodel_fit_options *options, struct basis *basis,
          struct general *general);

#endif

/* Formulas of any shape as candidates beside sums of terms. */
#ifndef SEARCH_TREES_H
#define SEARCH_TREES_H

#include "regression/select/judge.h"

/*
 * After judge(): adds candidates to the comparison, and their trees to its basis. 0, MEMMODEL_ERROR_NO_MEMORY,
 * MEMMODEL_ERROR_INVALID_ARGUMENT (a forbidden nesting), MEMMODEL_ERROR_CALLBACK, MEMMODEL_ERROR_UNSUPPORTED (a
 * library without the search).
 */
int
trees_search(struct comparison *comparison, const struct memmodel_fit_options *options);

#endif

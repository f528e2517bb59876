/* The best formula of each size that a search has met, whichever stage met it. */
#ifndef SEARCH_ARCHIVE_H
#define SEARCH_ARCHIVE_H

#include "regression/search/levenberg.h"

enum { ARCHIVE_MAX_NODES = 40 };

struct archive {
    struct formula formulas[ARCHIVE_MAX_NODES + 1]; /* by nodes; count 0: none */
};

/* Keeps the formula if it is smaller than all as good; true if it does. */
bool
archive_offer(struct archive *archive, const struct formula *formula);

/* Whether a formula of so many nodes whose error will be about that may be better than all of at most its size. */
bool
archive_may_take(const struct archive *archive, size_t nodes, double error);

/* The best of at most so many nodes; NULL if there is none. */
const struct formula *
archive_best(const struct archive *archive, size_t nodes);

/* Whether one of its formulas leaves no error. */
bool
archive_is_exact(const struct archive *archive, const struct aim *aim);

/* Fits the numbers in the best formula of every size to the end, and puts up to so many more into it, one at a time. */
void
archive_polish(struct fitter *fitter, size_t numbers, struct archive *archive);

#endif

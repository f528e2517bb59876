/* The best formula of each size that a search has met, whichever stage met it. */
#ifndef REGRESSION_ARCHIVE_H
#define REGRESSION_ARCHIVE_H

#include "regression/levenberg.h"

enum { ARCHIVE_MOST_NODES = 40 };

struct archive {
    struct formula formulas[ARCHIVE_MOST_NODES + 1]; /* by nodes; count 0: none */
};

/* Keeps the formula if it is smaller than all as good; true if it does. */
bool
archive_offer(struct archive *archive, const struct formula *formula);

/* The best of at most so many nodes; NULL if there is none. */
const struct formula *
archive_best(const struct archive *archive, size_t nodes);

#endif

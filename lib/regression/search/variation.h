/* How a formula comes from others. */
#ifndef SEARCH_VARIATION_H
#define SEARCH_VARIATION_H

#include "regression/search/levenberg.h"
#include "regression/search/random.h"

struct variation {
    size_t inputs, max_nodes, max_trees;
};

/* A formula of one random tree of few nodes. */
void
variation_random(const struct variation *variation, struct random *random, struct formula *child);

/*
 * A child of both, or a changed copy of the first; its trees simplified. false if it has become too large, or
 * nothing.
 */
bool
variation_child(const struct variation *variation, struct random *random, const struct formula *mother,
                const struct formula *father, struct formula *child);

/* One for formulas with the same trees in any order, whatever numbers are in them. */
uint64_t
formula_key(const struct formula *formula);

#endif

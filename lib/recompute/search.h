/* How sets of scopes are found that are worth a simulation. */
#ifndef RECOMPUTE_SEARCH_H
#define RECOMPUTE_SEARCH_H

#include "recompute/evaluated_sets.h"

/* ---- profile.c ---- */

/*
 * Finds what each candidate saves and recomputes, with at most half of the simulations, and leaves out those that save
 * nothing.
 */
int
scopes_profile(struct evaluated_sets *sets, struct scopes *scopes);

/* ---- initial_sets.c ---- */

/*
 * Tries what a knapsack of sizes `saved` and costs says for amounts between nothing and all, by ratio and exactly; and
 * all scopes of each kind.
 */
int
seeds_try(struct evaluated_sets *sets);

/* ---- local_search.c ---- */

/*
 * Tries neighbours of the front, those near `budget` first (0: where its gaps are wide), until nothing is better or all
 * is used up.
 */
int
improve(struct evaluated_sets *sets, int64_t budget);

/* ---- patterns.c ---- */

/* A set as a job's checkpoint: the same scopes in few patterns. */
int
patterns_write(memmodel_context *context, const struct memmodel_network *network, const struct scopes *scopes,
               const uint64_t *set, struct text *text);

#endif

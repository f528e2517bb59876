/*
 * Exact search for a plan within a capacity, depth first: doc/guide/planning.md describes it.
 *
 * Items are placed one after the other, each as low as what was placed lets it. The order of offsets is the order of
 * placing, so that each packing is met once.
 */
#ifndef PLAN_SEARCH_H
#define PLAN_SEARCH_H

#include "plan/search_limits.h"
#include "plan/order.h"

enum search_outcome {
    SEARCH_IMPOSSIBLE, /* proven */
    SEARCH_FOUND,
    SEARCH_LIMIT,
};

struct search;

/*
 * The `count` items numbered by `items`, which come by the section that they begin in. NULL: no memory, or too many
 * overlaps, which is no error: *status says so.
 */
struct search *
search_new(const struct problem *problem, const uint32_t *items, size_t count, uint64_t without, int *status);

void
search_free(struct search *search);

/* Tries at most `nodes` placements. When found, offsets[i] is set for each item i of the search. */
enum search_outcome
search_run(struct search *search, int64_t capacity, struct order order, int64_t nodes, struct search_limits *limits,
           int64_t *offsets);

#endif

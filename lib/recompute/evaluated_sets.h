/*
 * Sets of scopes that were evaluated: each simulated once, and those that no other beats in both peak and cost.
 *
 * A set is an array of bits, one a candidate, of which no two have a layer in common.
 */
#ifndef RECOMPUTE_EVALUATED_SETS_H
#define RECOMPUTE_EVALUATED_SETS_H

#include "memmodel/recompute.h"
#include "recompute/scopes.h"

struct evaluated_set {
    const uint64_t *set;
    int64_t peak;
    double cost; /* of what is recomputed */
    bool explored;
};

struct evaluated_sets {
    struct query *query;
    const struct scopes *scopes;
    struct arena *arena;
    size_t words;                 /* of a set */
    struct evaluated_set **table; /* by hash; NULL: free */
    size_t table_size;            /* a power of two */
    struct evaluated_set **front; /* in the order of cost: each has a smaller peak than all before */
    size_t front_count;
    int64_t count, max; /* simulations done, and how many may be */
    struct text names;  /* of the set that is simulated */
    int stopped; /* MEMMODEL_SEARCH_STATUS_LIMIT or _CANCELLED once the context's limits or its caller end the search */
};

/* ---- sets ---- */

static inline bool
set_has(const uint64_t *set, size_t candidate)
{
    return set[candidate / 64] >> (candidate % 64) & 1;
}

static inline void
set_remove(uint64_t *set, size_t candidate)
{
    set[candidate / 64] &= ~(UINT64_C(1) << (candidate % 64));
}

/* With all taken out that has a layer in common with it. */
void
set_add(const struct scopes *scopes, uint64_t *set, size_t candidate);

/* True if a candidate of the set has a layer in common with this one. */
bool
set_touches(const struct scopes *scopes, const uint64_t *set, size_t candidate);

/* ---- evaluated sets ---- */

/* For the candidates of `query`, with room for `max` simulations. */
int
evaluated_sets_new(struct query *query, const struct scopes *scopes, struct arena *arena, int64_t max,
                   struct evaluated_sets *sets);

void
evaluated_sets_release(struct evaluated_sets *sets);

/* True if no more sets may be simulated. */
bool
evaluated_sets_are_over(const struct evaluated_sets *sets);

/* enum memmodel_search_status of what was found. */
int
evaluated_sets_status(const struct evaluated_sets *sets);

/* Below 0 of the empty set: no other beats it, even one that costs nothing, and the front begins with it. */
double
evaluated_sets_cost(const struct evaluated_sets *sets, const uint64_t *set);

/*
 * True if a set of this cost is known, or beaten by one that is: no worse in cost, and in peak even if this one had
 * `min` bytes.
 */
bool
evaluated_sets_beat(const struct evaluated_sets *sets, const uint64_t *set, double cost, int64_t min);

/* Simulates a set, unless it is known or the search is over. `set` is copied. */
int
evaluated_sets_try(struct evaluated_sets *sets, const uint64_t *set);

/*
 * The status of the search: one that ends the call is 0 where there is an answer already. From then on nothing is
 * tried, and nothing stops what is done with the answer.
 */
int
evaluated_sets_end(struct evaluated_sets *sets, int status);

#endif

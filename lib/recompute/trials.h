/*
 * Sets of scopes that were tried: each simulated once, and those that no other beats in both peak and cost.
 *
 * A set is an array of bits, one a candidate, of which no two have a layer in common.
 */
#ifndef RECOMPUTE_TRIALS_H
#define RECOMPUTE_TRIALS_H

#include "memmodel/recompute.h"
#include "recompute/scopes.h"

struct trial {
    const uint64_t *set;
    int64_t peak;
    double cost; /* of what is computed again */
    bool explored;
};

struct trials {
    struct query *query;
    const struct scopes *scopes;
    struct arena *arena;
    size_t words;         /* of a set */
    struct trial **table; /* by hash; NULL: free */
    size_t table_size;    /* a power of two */
    struct trial **front; /* in the order of cost: each has a smaller peak than all before */
    size_t front_count;
    int64_t count, most; /* simulations done, and how many may be */
    struct text names;   /* of the set that is simulated */
    memmodel_recomputation_observer progress;
    void *user;
    bool cancelled;
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

/* ---- trials ---- */

/* For the candidates of `query`, with room for `most` simulations. */
int
trials_new(struct query *query, const struct scopes *scopes, struct arena *arena, int64_t most, struct trials *trials);

void
trials_release(struct trials *trials);

/* True if no more sets may be simulated. */
bool
trials_are_over(const struct trials *trials);

/* Below 0 of the set that wraps nothing: no other beats it, even one that costs nothing, and the front begins with it. */
double
trials_cost(const struct trials *trials, const uint64_t *set);

/*
 * True if a set of this cost is known, or beaten by one that is: no worse in cost, and in peak even if this one had
 * `least` bytes.
 */
bool
trials_beat(const struct trials *trials, const uint64_t *set, double cost, int64_t least);

/* Simulates a set, unless it is known or the trials are over. `set` is copied. */
int
trials_try(struct trials *trials, const uint64_t *set);

/* The cheapest of the front whose peak is within `budget`; NULL: none. */
struct trial *
trials_within(const struct trials *trials, int64_t budget);

/* The names of a set's scopes, separated by commas. */
void
trials_write_names(const struct trials *trials, const uint64_t *set, struct text *text);

#endif

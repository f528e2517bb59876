/* Plans in one pass: items in some order, each where it fits. */
#ifndef PLAN_GREEDY_H
#define PLAN_GREEDY_H

#include "plan/search_limits.h"
#include "plan/problem.h"
#include "plan/profile.h"

/* The best plan so far. */
struct packing {
    int64_t *offsets; /* of each item */
    int64_t peak;
};

struct greedy {
    const struct problem *problem;
    struct search_limits *limits;
    struct packing *best;
    int64_t enough; /* a peak that ends the search */
    struct profile profile;
    int64_t *max_loads; /* of each item */
    int64_t *offsets;   /* of the plan that was made last, all of it or a part, unless it became the best */
    uint32_t *items;    /* in the order in which they are placed */
    size_t placed;      /* how many of them were, before the plan was complete or given up */
};

/* 0 or MEMMODEL_ERROR_NO_MEMORY; to be released either way. `best` is compared with and kept up to date. */
int
greedy_start(struct greedy *greedy, const struct problem *problem, int64_t enough, struct search_limits *limits,
             struct packing *best);

void
greedy_release(struct greedy *greedy);

/*
 * All orders, fits and dives; ends early when one reaches `enough`. 0 or MEMMODEL_ERROR_NO_MEMORY. A used up budget
 * ends it, too, but not before one plan is there.
 */
int
greedy_portfolio(struct greedy *greedy);

/* ---- a plan each ---- */

/* How many gaps that hold an item are looked at: it goes into the smallest of them. */
enum { FIRST_FIT = 1, NEAR_FIT = 4, BEST_FIT = INT32_MAX };

/* The items in order, each where it fits. Given up if no better than the best. */
int
greedy_in_order(struct greedy *greedy, int gaps);

/* The items in order, always the one that can lie lowest, on top of what is there: diving.c. */
int
greedy_dive(struct greedy *greedy);

/* Keeps a plan that is complete if it is better. */
void
greedy_keep(struct greedy *greedy);

/* Whether a plan that is half made is given up: asked now and then. */
bool
greedy_is_hopeless(const struct greedy *greedy, size_t placed);

#endif

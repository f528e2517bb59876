/*
 * What of the arena is taken when: answers where a buffer of so many sections and bytes fits, in less time than looking at
 * all buffers that overlap it.
 *
 * A tree over the sections. Each node knows two sets of ranges of offsets: those taken throughout its sections, and those
 * taken anywhere in them. What is free all along some sections is free in the second set of the few nodes that make them up,
 * and in the first set of the nodes above these. Ranges that touch become one, so that the sets stay short where the arena
 * fills up.
 */
#ifndef PLAN_PROFILE_H
#define PLAN_PROFILE_H

#include "plan/problem.h"

struct range {
    int64_t begin, end;
};

/* Disjoint ranges that do not touch, rising. */
struct ranges {
    struct range *items;
    size_t count, capacity;
};

struct profile {
    const struct problem *problem;
    size_t leaves;             /* a power of two, at least the number of sections */
    struct ranges *throughout; /* of each node: 1 is the root, 2 n and 2 n + 1 are below n */
    struct ranges *anywhere;
    const struct ranges **asked; /* those that a query looks at, and how far it is in each */
    size_t *cursors;
    size_t asked_count, asked_capacity;
};

/* 0 or MEMMODEL_ERROR_NOMEM. */
int
profile_make(struct profile *profile, const struct problem *problem);

void
profile_release(struct profile *profile);

/* Nothing is taken any more. */
void
profile_clear(struct profile *profile);

/* Takes an item's bytes at `offset`. 0 or MEMMODEL_ERROR_NOMEM. */
int
profile_take(struct profile *profile, const struct item *item, int64_t offset);

/* Lowest offset at which the item fits. 0 or MEMMODEL_ERROR_NOMEM. */
int
profile_first_fit(struct profile *profile, const struct item *item, int64_t *offset);

/* That in the smallest gap that holds the item; above everything if none does. */
int
profile_best_fit(struct profile *profile, const struct item *item, int64_t *offset);

#endif

/*
 * What of the arena is taken when: answers where a buffer of so many sections and bytes fits, in less time than looking
 * at all buffers that overlap it.
 *
 * A tree over the sections (tree.h), with two sets of ranges of offsets at each node: those taken throughout its
 * sections, and those taken anywhere in them. Ranges that touch become one, so that the sets stay short where the arena
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

/* What is taken of the sections of a node of the tree. */
struct taken {
    struct ranges throughout, anywhere;
    bool is_whole; /* it helps to make up an item's interval: nobody asks other nodes what is taken anywhere in them */
};

/* How far a query is in a set. */
struct asked {
    const struct ranges *set;
    size_t next;        /* its first range that ends above what was looked at */
    int64_t begin, end; /* of that range; INT64_MAX if there is none */
};

struct profile {
    const struct problem *problem;
    size_t leaves;
    struct taken *taken; /* of each node */
    struct asked *asked; /* the sets that a query looks at */
    size_t asked_count, asked_capacity;
};

/* 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
profile_make(struct profile *profile, const struct problem *problem);

void
profile_release(struct profile *profile);

/* Nothing is taken any more. */
void
profile_clear(struct profile *profile);

/* Takes an item's bytes at `offset`. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
profile_take(struct profile *profile, const struct item *item, int64_t offset);

/*
 * An offset at which the item fits: in the smallest of the first so many gaps that hold it, in the lowest of these if
 * there are several; above everything only if none does. 0 or MEMMODEL_ERROR_NO_MEMORY.
 */
int
profile_fit(struct profile *profile, const struct item *item, int gaps, int64_t *offset);

#endif

/* Which items are in use together: by pairs, and by sections. */
#ifndef PLAN_OVERLAPS_H
#define PLAN_OVERLAPS_H

#include "plan/problem.h"

/* Several lists of numbers, one after the other: list i is items[start[i]] to items[start[i + 1] - 1]. */
struct lists {
    size_t *start;
    uint32_t *items;
};

struct overlaps {
    const struct problem *problem;
    const struct item *const *items;
    size_t count;
    struct lists overlapping; /* of each item that is free: the free ones */
    struct lists fixed;       /* of each item that is free: the fixed ones, by their offsets */
    struct lists in_section;  /* of each section: the free ones */
};

enum { OVERLAPS_TOO_MANY = 1 }; /* in place of a status */

/*
 * The items come by the section that they begin in. 0, OVERLAPS_TOO_MANY or MEMMODEL_ERROR_NOMEM; to be released either way.
 */
int
overlaps_make(struct overlaps *overlaps, const struct problem *problem, const struct item *const *items, size_t count);

void
overlaps_release(struct overlaps *overlaps);

#endif

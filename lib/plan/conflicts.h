/* Which items are in use together: by pairs, and by sections. */
#ifndef PLAN_CONFLICTS_H
#define PLAN_CONFLICTS_H

#include "plan/problem.h"

/* Several lists of numbers, one after the other: list i is items[start[i]] to items[start[i + 1] - 1]. */
struct lists {
    size_t *start;
    uint32_t *items;
};

struct conflicts {
    const struct problem *problem;
    const struct item *const *items;
    size_t count;
    struct lists overlapping; /* of each item that is free: the free ones */
    struct lists fixed;       /* of each item that is free: the fixed ones, by their offsets */
    struct lists in_section;  /* of each section: the free ones */
};

enum { CONFLICTS_TOO_MANY = 1 }; /* in place of a status */

/*
 * The items come by the section that they begin in. 0, CONFLICTS_TOO_MANY or MEMMODEL_ERROR_NO_MEMORY; to be released
 * either way.
 */
int
conflicts_make(struct conflicts *conflicts, const struct problem *problem, const struct item *const *items,
               size_t count);

void
conflicts_release(struct conflicts *conflicts);

#endif

/*
 * What is to be placed, ready for the algorithms: buffers that share memory are one item, time is cut into sections,
 * and what is in use from the first to the last lies at the bottom already.
 */
#ifndef PLAN_PROBLEM_H
#define PLAN_PROBLEM_H

#include "plan/plan.h"

/* Sections [begin, end). */
struct interval {
    int32_t begin, end;
};

struct item {
    int64_t bytes, alignment;
    int64_t fixed;      /* its offset, -1: anywhere */
    int64_t lifetime;   /* lifetime: how long it is in use, in the caller's time */
    int64_t first;      /* when it begins, in the caller's time */
    int32_t begin, end; /* sections, gaps included */
    uint32_t interval, interval_count;
};

/*
 * A section is an interval of time within which what ends began before all that begins: all that overlaps it overlaps
 * at one time, the last begin. So two items overlap if they have a section in common, and the load of a section is that
 * at this time.
 */
struct problem {
    memmodel_context *context;
    struct item *items;
    size_t count;
    struct interval *intervals; /* of all items, those of an item beside each other in time */
    size_t interval_count;
    int32_t section_count;
    int64_t *load;       /* of each section */
    int64_t lower_bound; /* what any arena needs */
    int64_t unit;        /* every size, alignment and fixed offset is a multiple of it, so every peak is */
    int64_t bottom;      /* bytes at the bottom that are taken by whole-life items */
    size_t *item_of;     /* of each buffer; SIZE_MAX: of whole life, its offset is `displacement` */
    int64_t *displacement;
    bool has_fixed;
};

/* 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_OVERFLOW. */
int
problem_make(const memmodel_plan *plan, struct problem *problem);

void
problem_release(struct problem *problem);

/* Greatest end of an item. */
int64_t
problem_peak(const struct problem *problem, const int64_t *offsets);

static inline int64_t
align_up(int64_t offset, int64_t alignment)
{
    return alignment > 1 ? (offset + alignment - 1) & -alignment : offset;
}

#endif

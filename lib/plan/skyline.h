/*
 * The greatest of numbers over intervals of sections, such as the top of what is placed; raised and asked in O(log n).
 */
#ifndef PLAN_SKYLINE_H
#define PLAN_SKYLINE_H

#include "plan/problem.h"

struct skyline {
    memmodel_context *context;
    size_t leaves;
    int64_t *throughout, *anywhere; /* of each node of a tree over the sections: tree.h */
};

/* All 0. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
skyline_make(struct skyline *skyline, memmodel_context *context, int32_t sections);

void
skyline_release(struct skyline *skyline);

/* To `top` where it is lower. */
void
skyline_raise(struct skyline *skyline, struct interval interval, int64_t top);

/* The greatest along an item. */
int64_t
skyline_item_top(const struct skyline *skyline, const struct problem *problem, const struct item *item);

#endif

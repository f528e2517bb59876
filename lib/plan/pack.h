/* Items to offsets: what is greedy first, and exact search where that left a gap. */
#ifndef PLAN_PACK_H
#define PLAN_PACK_H

#include "plan/greedy.h"

/*
 * Fills `best`, whose offsets have room for all items, and raises the problem's lower bound as far as that is proven.
 * Ends at `capacity` or at the lower bound, whatever is higher. 0 or MEMMODEL_ERROR_NO_MEMORY.
 */
int
pack(struct problem *problem, int64_t capacity, struct search_limits *limits, struct packing *best);

#endif

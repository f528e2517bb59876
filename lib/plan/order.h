/* Orders in which items are placed. */
#ifndef PLAN_ORDER_H
#define PLAN_ORDER_H

#include "plan/problem.h"

/* What items are compared by. */
enum order_key {
    ORDER_END = 0, /* no more keys */
    ORDER_BYTES,
    ORDER_LIFE,     /* time in use */
    ORDER_SECTIONS, /* sections in use */
    ORDER_AREA,     /* bytes times time */
    ORDER_LOAD,     /* most load during its life: of all that is to be placed, in a search of what is left */
    ORDER_FIRST,    /* early ones first, in the caller's time */
    ORDER_BEGIN,    /* the same in sections */
};

enum { ORDER_KEYS = 3 };

/* Larger ones first; ties by the next key, in the end by number. */
struct order {
    uint8_t keys[ORDER_KEYS];
};

/* All items of the problem; `max_loads`: one each. Fills `items`, 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
order_items(const struct problem *problem, struct order order, const int64_t *max_loads, uint32_t *items);

struct ranked {
    double values[ORDER_KEYS];
    uint32_t item;
};

/* Sorts what is filled in. */
void
order_sort(struct ranked *ranked, size_t count);

void
order_rank(struct ranked *ranked, uint32_t number, const struct item *item, struct order order, int64_t max_load);

#endif

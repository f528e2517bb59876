/* Sorting items by keys. */
#include "plan/order.h"

#include <stdlib.h>

/* Doubles hold these exactly up to 2^53, and beyond that an order is as good as another. */
static double
order_value(const struct item *item, int key, int64_t max_load)
{
    switch (key) {
    case ORDER_BYTES:
        return (double)item->bytes;
    case ORDER_LIFE:
        return (double)item->lifetime;
    case ORDER_SECTIONS:
        return (double)(item->end - item->begin);
    case ORDER_AREA:
        return (double)item->bytes * (double)item->lifetime;
    case ORDER_LOAD:
        return (double)max_load;
    case ORDER_FIRST:
        return -(double)item->first;
    case ORDER_BEGIN:
        return -(double)item->begin;
    default:
        return 0;
    }
}

void
order_rank(struct ranked *ranked, uint32_t number, const struct item *item, struct order order, int64_t max_load)
{
    ranked->item = number;
    for (int i = 0; i < ORDER_KEYS; i++)
        ranked->values[i] = order_value(item, order.keys[i], max_load);
}

static int
by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    for (int i = 0; i < ORDER_KEYS; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] > y->values[i] ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

void
order_sort(struct ranked *ranked, size_t count)
{
    qsort(ranked, count, sizeof *ranked, by_rank);
}

int
order_items(const struct problem *problem, struct order order, const int64_t *max_loads, uint32_t *items)
{
    struct ranked *ranked = memory_allocate_zeroed(problem->context, problem->count, sizeof *ranked);

    if (!ranked)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < problem->count; i++)
        order_rank(&ranked[i], (uint32_t)i, &problem->items[i], order, max_loads[i]);
    order_sort(ranked, problem->count);
    for (size_t i = 0; i < problem->count; i++)
        items[i] = ranked[i].item;
    memory_release(problem->context, ranked);
    return 0;
}

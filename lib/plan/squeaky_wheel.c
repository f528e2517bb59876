/* Greedy plans again and again, with what came out too high placed earlier. */
#include "base/checked.h"
#include "plan/order.h"
#include "plan/squeaky_wheel.h"

#define GREASE 0.3 /* how far an item moves up, of all ranks */

/* What a wheel begins with. */
struct way {
    struct order order;
    int gaps;
};

static const struct way ways[] = {
    {{{ORDER_LOAD, ORDER_BYTES, ORDER_LIFE}}, BEST_FIT},
    {{{ORDER_LOAD, ORDER_BYTES, ORDER_LIFE}}, FIRST_FIT},
    {{{ORDER_LOAD, ORDER_LIFE, ORDER_BYTES}}, BEST_FIT},
    {{{ORDER_BYTES, ORDER_LIFE}}, FIRST_FIT},
};

enum { WHEELS = sizeof ways / sizeof ways[0] };

/* One order that is changed from round to round. */
struct wheel {
    const struct way *way;
    double *urgency; /* of each item: those with more come first */
};

static int
start_wheel(struct greedy *greedy, struct wheel *wheel, const struct way *way)
{
    size_t n = greedy->problem->count;
    int status;

    wheel->way = way;
    wheel->urgency = memory_allocate_zeroed(greedy->problem->context, n, sizeof *wheel->urgency);
    if (!wheel->urgency)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = order_items(greedy->problem, way->order, greedy->max_loads, greedy->items);
    for (size_t k = 0; k < n && !status; k++)
        wheel->urgency[greedy->items[k]] = (double)(n - k);
    return status;
}

static void
order_by_urgency(struct greedy *greedy, const struct wheel *wheel, struct ranked *ranked)
{
    size_t n = greedy->problem->count;

    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){{wheel->urgency[i]}, (uint32_t)i};
    order_sort(ranked, n);
    for (size_t i = 0; i < n; i++)
        greedy->items[i] = ranked[i].item;
}

/* What was placed before the round was given up, if it was. */
static void
grease(struct greedy *greedy, struct wheel *wheel, const int64_t *offsets)
{
    for (size_t k = 0; k < greedy->placed; k++) {
        uint32_t item = greedy->items[k];

        if (offsets[item] + greedy->problem->items[item].bytes > greedy->enough)
            wheel->urgency[item] += GREASE * (double)greedy->problem->count;
    }
}

static int
turn(struct greedy *greedy, struct wheel *wheel, struct ranked *ranked)
{
    int64_t before = greedy->best->peak;
    int status;

    order_by_urgency(greedy, wheel, ranked);
    status = greedy_in_order(greedy, wheel->way->gaps);
    if (!status)
        grease(greedy, wheel, greedy->best->peak < before ? greedy->best->offsets : greedy->offsets);
    return status;
}

int
squeaky_wheel_start(struct squeaky_wheel *squeaky_wheel, struct greedy *greedy)
{
    memmodel_context *context = greedy->problem->context;
    int status = 0;

    *squeaky_wheel = (struct squeaky_wheel){.greedy = greedy};
    squeaky_wheel->ranked = memory_allocate_zeroed(context, greedy->problem->count, sizeof *squeaky_wheel->ranked);
    squeaky_wheel->wheels = memory_allocate_zeroed(context, WHEELS, sizeof *squeaky_wheel->wheels);
    if (!squeaky_wheel->ranked || !squeaky_wheel->wheels)
        status = MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < WHEELS && !status; i++)
        status = start_wheel(greedy, &squeaky_wheel->wheels[i], &ways[i]);
    return status;
}

int
squeaky_wheel_turn(struct squeaky_wheel *squeaky_wheel, int turns)
{
    struct greedy *greedy = squeaky_wheel->greedy;
    int status = 0;

    for (int i = 0; i < turns * WHEELS && !status; i++) {
        if (greedy->best->peak <= greedy->enough ||
            search_limits_spend(greedy->limits, (int64_t)greedy->problem->count))
            return 0;
        status = turn(greedy, &squeaky_wheel->wheels[i % WHEELS], squeaky_wheel->ranked);
    }
    return status;
}

void
squeaky_wheel_release(struct squeaky_wheel *squeaky_wheel)
{
    memmodel_context *context;

    if (!squeaky_wheel->greedy)
        return;
    context = squeaky_wheel->greedy->problem->context;
    for (size_t i = 0; squeaky_wheel->wheels && i < WHEELS; i++)
        memory_release(context, squeaky_wheel->wheels[i].urgency);
    memory_release(context, squeaky_wheel->wheels);
    memory_release(context, squeaky_wheel->ranked);
}

/*
 * In which order operators run. Any interval of an order can be put in another one that its operators' inputs allow,
 * and the rest stays as it is: a window.
 */
#ifndef INFERENCE_ORDER_H
#define INFERENCE_ORDER_H

#include "inference/aliasing.h"

/* Memory that operators of a window work on: in use from the first that touches it to the last. */
struct window_memory {
    int64_t bytes;
    int32_t touches; /* operators of the window that read or make something in it */
    bool before;     /* it is in use before the window begins */
    bool after;      /* and when it has ended */
};

/* What an operator does in a window; memories and operators by their numbers there. */
struct window_operator {
    int32_t *memories; /* that it touches, each once */
    int32_t memory_count;
    int32_t result;    /* memory of its output, if that may take the place of an input; -1: it may not */
    int32_t *in_place; /* memories of such inputs */
    int32_t in_place_count;
    int32_t *inputs; /* operators of the window that must run before, each at least once */
    int32_t input_count;
    int64_t workspace;
};

struct window {
    struct arena arena;
    struct window_memory *memories;
    struct window_operator *operators;
    int32_t *numbers; /* of the operators in the graph */
    int32_t count, memory_count;
    int64_t used; /* by its memories when it begins */
    int64_t
        idle; /* bytes that are there for the first operator, whichever that is, and for no other: inputs nobody reads */
};

/*
 * The interval order[first] to order[end - 1]. `separate` was evaluated for this order without overwriting inputs;
 * `in_place` says whether operators do so in the end.
 */
int
window_new(const struct aliasing *separate, bool in_place, const int32_t *order, int32_t first, int32_t end,
           struct window *window);

void
window_release(struct window *window);

/* ---- orders of a window: `order` is of its own numbers ---- */

/* Always the operator that is ready and grows memory least. */
int
order_by_growth(const struct window *window, int32_t *order);

/* Each operator's inputs just before it, the last operators' first. */
int
order_by_depth(const struct window *window, int32_t *order);

enum { WINDOW_MAX = 60 }; /* operators of a window that order_by_down_sets() takes */

/*
 * The least peak: dynamic programming over the sets of operators that can have run, as Serenity (Ahn et al., MLSys
 * 2020), with its soft budget. `found` false: no order stays below `limit` bytes, or there are too many sets.
 */
int
order_by_down_sets(const struct window *window, int64_t limit, int32_t *order, bool *found);

/* Greatest load of the window in that order. */
int
window_peak(const struct window *window, const int32_t *order, int64_t *peak);

/* ---- the whole ---- */

/*
 * Replaces the order, interval by interval between operators that stand at the same place in every order, where that
 * lowers the load; `chosen` is of aliasing_choose(). The aliasing is evaluated for the result.
 */
int
order_improve(struct aliasing *aliasing, int32_t *order, bool *chosen);

#endif

/* The order of a whole network, interval by interval. */
#include "inference/order.h"

#include "base/checked.h"

#include <string.h>

enum { WINDOW_STEP = WINDOW_MAX / 2 };

struct search {
    struct aliasing *aliasing; /* as it will be */
    struct aliasing separate;  /* without overwriting inputs: what of memory an order cannot change */
    const bool *chosen;
    int32_t *order, *trial;
    int32_t *local; /* order of a window, by its own numbers */
};

/* ---- trials ---- */

struct load {
    int64_t peak;
    double area;
};

static struct load
load_of(const struct aliasing *aliasing, int32_t first, int32_t end)
{
    struct load load = {0, 0};

    for (int32_t i = first; i < end; i++) {
        load.peak = max_i64(load.peak, aliasing->load[i]);
        load.area += (double)aliasing->load[i];
    }
    return load;
}

static bool
is_lower(struct load a, struct load b)
{
    return a.peak < b.peak || (a.peak == b.peak && a.area < b.area);
}

/* Keeps the window's order search->local if the memory that is really shared then is less there. */
static void
try_order(struct search *search, const struct window *window, int32_t first)
{
    int32_t end = first + window->count, operators = search->aliasing->graph->operator_count;
    struct load before = load_of(search->aliasing, first, end);

    memcpy(search->trial, search->order, (size_t)operators * sizeof *search->trial);
    for (int32_t i = 0; i < window->count; i++)
        search->trial[first + i] = window->numbers[search->local[i]];
    aliasing_evaluate(search->aliasing, search->trial, search->chosen);
    if (is_lower(load_of(search->aliasing, first, end), before))
        memcpy(search->order, search->trial, (size_t)operators * sizeof *search->order);
    else
        aliasing_evaluate(search->aliasing, search->order, search->chosen);
}

static int
lower_limit(const struct search *search, const struct window *window, int64_t *limit)
{
    int64_t peak;
    int status = window_peak(window, search->local, &peak);

    if (!status)
        *limit = min_i64(*limit, peak);
    return status;
}

static int
try_all(struct search *search, const struct window *window, int32_t first)
{
    int64_t limit = INT64_MAX;
    bool found = false;
    int status;

    for (int32_t i = 0; i < window->count; i++)
        search->local[i] = i;
    status = lower_limit(search, window, &limit);
    if (!status)
        status = order_by_growth(window, search->local);
    if (!status)
        status = lower_limit(search, window, &limit);
    if (!status) {
        try_order(search, window, first);
        status = order_by_depth(window, search->local);
    }
    if (!status)
        status = lower_limit(search, window, &limit);
    if (!status) {
        try_order(search, window, first);
        status = order_by_down_sets(window, limit, search->local, &found);
    }
    if (!status && found)
        try_order(search, window, first);
    return status;
}

static int
try_window(struct search *search, int32_t first, int32_t end)
{
    bool in_place = !(search->aliasing->without & MEMMODEL_SCHEDULE_PASS_IN_PLACE);
    struct window window;
    int status;

    aliasing_evaluate(&search->separate, search->order, search->chosen);
    status = window_new(&search->separate, in_place, search->order, first, end, &window);
    if (status)
        return status;
    status = try_all(search, &window, first);
    window_release(&window);
    return status;
}

/* What is too long for down-sets is tried in pieces, too, that overlap by half. */
static int
try_interval(struct search *search, int32_t first, int32_t end)
{
    int status = end - first < 2 ? 0 : try_window(search, first, end);

    for (int32_t at = first; end - first > WINDOW_MAX && at < end && !status; at += WINDOW_STEP)
        status = try_window(search, at, at + WINDOW_MAX < end ? at + WINDOW_MAX : end);
    return status;
}

/* ---- intervals ---- */

/*
 * Whether the operator at each place has the same place in every order: all before it are needed for it, and all behind
 * it need it. Each before it is used by one up to it, and so on; each behind it uses one from it on.
 */
static void
find_fixed(const struct search *search, int32_t *first_use, bool *fixed)
{
    const struct graph *graph = search->aliasing->graph;
    int32_t count = graph->operator_count, field = -1, back = count;

    for (int32_t i = 0; i < count; i++)
        first_use[i] = count;
    for (int32_t i = count - 1; i >= 0; i--) {
        int32_t last = -1;

        fixed[i] = back >= i;
        for (int32_t k = 0; k < graph->operators[i].input_count; k++) {
            int32_t maker = graph->tensors[graph->operators[i].inputs[k].tensor].maker;

            last = maker > last ? maker : last;
            if (maker >= 0)
                first_use[maker] = i;
        }
        back = last < back ? last : back;
    }
    for (int32_t i = 0; i < count; i++) {
        fixed[i] = fixed[i] && field <= i;
        field = first_use[i] > field ? first_use[i] : field;
    }
}

static int
try_intervals(struct search *search, const bool *fixed)
{
    int32_t count = search->aliasing->graph->operator_count, first = 0;
    int status = 0;

    for (int32_t i = 0; i <= count && !status; i++)
        if (i == count || fixed[i]) {
            status = try_interval(search, first, i);
            first = i + 1;
        }
    return status;
}

static int
improve(struct search *search)
{
    memmodel_context *context = search->aliasing->graph->context;
    size_t count = (size_t)search->aliasing->graph->operator_count + 1;
    int32_t *first_use = memory_allocate_zeroed(context, count, sizeof *first_use);
    bool *fixed = memory_allocate_zeroed(context, count, sizeof *fixed);
    int status = MEMMODEL_ERROR_NO_MEMORY;

    search->trial = memory_allocate_zeroed(context, count, sizeof *search->trial);
    search->local = memory_allocate_zeroed(context, count, sizeof *search->local);
    if (first_use && fixed && search->trial && search->local) {
        find_fixed(search, first_use, fixed);
        status = try_intervals(search, fixed);
    }
    memory_release(context, first_use);
    memory_release(context, fixed);
    memory_release(context, search->trial);
    memory_release(context, search->local);
    return status;
}

int
order_improve(struct aliasing *aliasing, int32_t *order, bool *chosen)
{
    struct search search = {.aliasing = aliasing, .order = order, .chosen = chosen};
    int status = aliasing_new(aliasing->graph, aliasing->without | MEMMODEL_SCHEDULE_PASS_IN_PLACE, &search.separate);

    if (status)
        return status;
    aliasing_evaluate(aliasing, order, chosen);
    status = improve(&search);
    aliasing_release(&search.separate);
    return status ? status : aliasing_choose(aliasing, order, chosen);
}

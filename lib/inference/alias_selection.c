/*
 * Which views and concatenations to share memory for. A part that is made in place of a concatenation saves a copy, but
 * keeps the whole result's memory from its own birth on; a view keeps all that it is a part of.
 */
#include "inference/aliasing.h"

#include <string.h>

enum { MAX_VISITS = 1 << 26 }; /* of tensors, by all evaluations of a search: about a second */

static bool
is_lower(const struct aliasing *aliasing, int64_t peak, double area)
{
    return aliasing->peak < peak || (aliasing->peak == peak && aliasing->area < area);
}

static int32_t
peak_time(const struct aliasing *aliasing)
{
    int32_t time = 0;

    while (aliasing->load[time] < aliasing->peak)
        time++;
    return time;
}

static bool
is_in_use(const struct aliasing *aliasing, int32_t tensor, int32_t time)
{
    int64_t into;
    const struct alias *owner = &aliasing->aliases[aliasing_owner(aliasing, tensor, &into)];

    return owner->first <= time && time < owner->last;
}

/* Memory that it reads or makes is in use then. */
static bool
concerns(const struct aliasing *aliasing, int32_t operator, int32_t time)
{
    const struct operator* of = & aliasing->graph->operators[operator];
    const struct layer *layer = operator_layer(aliasing->graph, operator);

    for (int32_t i = 0; i < of->input_count; i++)
        if (is_in_use(aliasing, of->inputs[i].tensor, time))
            return true;
    for (int32_t i = 0; i < layer->output_count; i++)
        if (is_in_use(aliasing, layer->first_output + i, time))
            return true;
    return false;
}

struct search {
    struct aliasing *aliasing;
    const int32_t *order;
    bool *chosen;
    int64_t evaluations; /* that are left */
};

static void
evaluate(struct search *search)
{
    aliasing_evaluate(search->aliasing, search->order, search->chosen);
    search->evaluations--;
}

/* Keeps the operator the other way if that is lower; false: it is as it was. */
static bool
try_other(struct search *search, int32_t operator)
{
    int64_t peak = search->aliasing->peak;
    double area = search->aliasing->area;

    search->chosen[operator] = !search->chosen[operator];
    evaluate(search);
    if (is_lower(search->aliasing, peak, area))
        return true;
    search->chosen[operator] = !search->chosen[operator];
    evaluate(search);
    return false;
}

/* The last ones first, as concatenations are placed; again until nothing changes. */
static void
improve(struct search *search)
{
    const struct graph *graph = search->aliasing->graph;
    bool improved = true;

    while (improved && search->evaluations > 0) {
        improved = false;
        for (int32_t i = graph->operator_count - 1; i >= 0 && search->evaluations > 0; i--)
            if (graph->operators[i].optional && concerns(search->aliasing, i, peak_time(search->aliasing)))
                improved |= try_other(search, i);
    }
}

static void
improve_from(struct search *search, bool all)
{
    const struct graph *graph = search->aliasing->graph;

    for (int32_t i = 0; i < graph->operator_count; i++)
        search->chosen[i] = all;
    evaluate(search);
    improve(search);
}

int
aliasing_choose(struct aliasing *aliasing, const int32_t *order, bool *chosen)
{
    const struct graph *graph = aliasing->graph;
    size_t count = (size_t)graph->operator_count;
    int64_t evaluations = MAX_VISITS / (graph->tensor_count + graph->operator_count + 1) / 2;
    struct search search = {.aliasing = aliasing, .order = order, .chosen = chosen, .evaluations = evaluations};
    bool *first = memory_allocate_zeroed(graph->context, count + 1, sizeof *first);
    int64_t peak;
    double area;

    if (!first)
        return MEMMODEL_ERROR_NO_MEMORY;
    improve_from(&search, true);
    memcpy(first, chosen, count * sizeof *first);
    peak = aliasing->peak;
    area = aliasing->area;
    search.evaluations = evaluations;
    improve_from(&search, false);
    if (!is_lower(aliasing, peak, area)) {
        memcpy(chosen, first, count * sizeof *first);
        aliasing_evaluate(aliasing, order, chosen);
    }
    memory_release(graph->context, first);
    return 0;
}

/*
 * Which views and concatenations to share memory for. A part that is made in place of a concatenation saves a copy, but
 * keeps the whole result's memory from its own birth on; a view keeps all that it is a part of.
 */
#include "inference/aliasing.h"

#include <string.h>

enum { MOST_VISITS = 1 << 26 }; /* of tensors, by all evaluations of a search: about a second */

static bool
is_lower(const struct aliasing *sharing, int64_t peak, double area)
{
    return sharing->peak < peak || (sharing->peak == peak && sharing->area < area);
}

static int32_t
worst_moment(const struct aliasing *sharing)
{
    int32_t moment = 0;

    while (sharing->load[moment] < sharing->peak)
        moment++;
    return moment;
}

static bool
is_in_use(const struct aliasing *sharing, int32_t tensor, int32_t moment)
{
    int64_t into;
    const struct alias *owner = &sharing->shares[aliasing_owner(sharing, tensor, &into)];

    return owner->first <= moment && moment < owner->last;
}

/* Memory that it reads or makes is in use then. */
static bool
concerns(const struct aliasing *sharing, int32_t operator, int32_t moment)
{
    const struct operator* of = & sharing->graph->operators[operator];
    const struct layer *layer = operator_layer(sharing->graph, operator);

    for (int32_t i = 0; i < of->input_count; i++)
        if (is_in_use(sharing, of->inputs[i].tensor, moment))
            return true;
    for (int32_t i = 0; i < layer->output_count; i++)
        if (is_in_use(sharing, layer->first_output + i, moment))
            return true;
    return false;
}

struct search {
    struct aliasing *sharing;
    const int32_t *order;
    bool *chosen;
    int64_t evaluations; /* that are left */
};

static void
evaluate(struct search *search)
{
    aliasing_evaluate(search->sharing, search->order, search->chosen);
    search->evaluations--;
}

/* Keeps the operator the other way if that is lower; false: it is as it was. */
static bool
try_other(struct search *search, int32_t operator)
{
    int64_t peak = search->sharing->peak;
    double area = search->sharing->area;

    search->chosen[operator] = !search->chosen[operator];
    evaluate(search);
    if (is_lower(search->sharing, peak, area))
        return true;
    search->chosen[operator] = !search->chosen[operator];
    evaluate(search);
    return false;
}

/* The last ones first, as concatenations are placed; again until nothing changes. */
static void
improve(struct search *search)
{
    const struct graph *graph = search->sharing->graph;
    bool improved = true;

    while (improved && search->evaluations > 0) {
        improved = false;
        for (int32_t i = graph->operator_count - 1; i >= 0 && search->evaluations > 0; i--)
            if (graph->operators[i].optional && concerns(search->sharing, i, worst_moment(search->sharing)))
                improved |= try_other(search, i);
    }
}

static void
improve_from(struct search *search, bool all)
{
    const struct graph *graph = search->sharing->graph;

    for (int32_t i = 0; i < graph->operator_count; i++)
        search->chosen[i] = all;
    evaluate(search);
    improve(search);
}

int
aliasing_choose(struct aliasing *sharing, const int32_t *order, bool *chosen)
{
    const struct graph *graph = sharing->graph;
    size_t count = (size_t)graph->operator_count;
    int64_t evaluations = MOST_VISITS / (graph->tensor_count + graph->operator_count + 1) / 2;
    struct search search = {.sharing = sharing, .order = order, .chosen = chosen, .evaluations = evaluations};
    bool *first = memory_allocate_zeroed(graph->context, count + 1, sizeof *first);
    int64_t peak;
    double area;

    if (!first)
        return MEMMODEL_ERROR_NO_MEMORY;
    improve_from(&search, true);
    memcpy(first, chosen, count * sizeof *first);
    peak = sharing->peak;
    area = sharing->area;
    search.evaluations = evaluations;
    improve_from(&search, false);
    if (!is_lower(sharing, peak, area)) {
        memcpy(chosen, first, count * sizeof *first);
        aliasing_evaluate(sharing, order, chosen);
    }
    memory_release(graph->context, first);
    return 0;
}

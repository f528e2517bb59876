#include "recompute/scopes.h"

#include "base/checked.h"
#include "frameworks/pytorch/checkpoint.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_GROUPS = 1000 };

/* ---- costs of layers ---- */

/* In operations; inputs and parameters are there already, and views make nothing. */
static int
count_operations(struct query *query, size_t index, double *cost)
{
    const struct memmodel_network *network = query->network;
    const struct layer *layer = &network->layers[index];
    int64_t multiply_adds, elements;

    *cost = 0;
    if (layer_is_given(layer))
        return 0;
    if (!binding_multiply_adds(&query->binding, layer, &multiply_adds))
        return context_error(query->context, MEMMODEL_ERROR_OVERFLOW, layer->name, "its operations exceed 63 bits");
    *cost = (double)multiply_adds;
    for (int i = 0; i < layer->output_count && !textbook_is_view(layer->op); i++) {
        const struct tensor *tensor = &network->tensors[layer->first_output + i];

        if (!binding_elements(&query->binding, tensor->dims, tensor->rank, &elements))
            return context_error(query->context, MEMMODEL_ERROR_OVERFLOW, layer->name, "its elements exceed 63 bits");
        *cost += (double)elements;
    }
    return 0;
}

/* What is given for a scope is shared among its layers as their operations are. */
static bool
give_scope(const struct memmodel_network *network, const struct memmodel_layer_cost *given, const double *operations,
           double *costs)
{
    double sum = 0;
    bool found = false;

    for (size_t i = 0; i < network->scope_count; i++)
        for (int32_t k = network->scopes[i].first;
             k < network->scopes[i].end && strcmp(network->scopes[i].name, given->name) == 0; k++)
            sum += operations[k];
    for (size_t i = 0; i < network->scope_count; i++) {
        if (strcmp(network->scopes[i].name, given->name) != 0)
            continue;
        found = true;
        for (int32_t k = network->scopes[i].first; k < network->scopes[i].end && sum > 0; k++)
            costs[k] = given->cost * (operations[k] / sum);
    }
    return found;
}

static bool
give_layer(const struct memmodel_network *network, const struct memmodel_layer_cost *given, double *costs)
{
    bool found = false;

    for (size_t i = 0; i < network->layer_count; i++) {
        if (strcmp(network->layers[i].name, given->name) != 0)
            continue;
        costs[i] = given->cost;
        found = true;
    }
    return found;
}

static int
give_costs(struct query *query, const struct memmodel_recompute_options *options, const double *operations,
           double *costs)
{
    for (size_t i = 0; i < options->cost_count; i++)
        if (!give_scope(query->network, &options->costs[i], operations, costs) &&
            !give_layer(query->network, &options->costs[i], costs))
            return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, options->costs[i].name,
                                 "no scope or layer of the network is called so; it was given a cost");
    return 0;
}

static int
cost_layers(struct query *query, const struct memmodel_recompute_options *options, struct arena *arena, double **costs)
{
    size_t count = query->network->layer_count;
    double *operations = arena_allocate(arena, (count + 1) * sizeof *operations);
    double *own = arena_allocate(arena, (count + 1) * sizeof *own);
    int status = operations && own ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    for (size_t i = 0; i < count && !status; i++) {
        own[i] = 0;
        status = count_operations(query, i, &operations[i]);
    }
    *costs = options->cost_count ? own : operations;
    return status ? status : give_costs(query, options, operations, own);
}

/* ---- candidates ---- */

bool
scopes_can_name(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && !strpbrk(name, ",*?()") && !strstr(name, "..") && name[0] != ' ' && name[length - 1] != ' ';
}

static struct candidate *
find_name(const struct scopes *scopes, const char *name)
{
    for (size_t i = 0; i < scopes->count; i++)
        if (strcmp(scopes->items[i].name, name) == 0)
            return &scopes->items[i];
    return NULL;
}

void
scopes_add(struct scopes *scopes, const struct candidate *item, int32_t first, int32_t end)
{
    struct candidate *own = find_name(scopes, item->name);

    if (!own) {
        own = &scopes->items[scopes->count++];
        *own = *item;
    }
    own->layers += end - first;
    for (int32_t i = first; i < end; i++)
        own->cost += scopes->costs[i];
}

static void
add_scope(struct scopes *scopes, const struct scope *scope)
{
    const struct candidate item = {.name = scope->name, .first = scope->first, .end = scope->end};

    if (scopes_can_name(scope->name) && scope->end > scope->first && !scope->checkpoint)
        scopes_add(scopes, &item, scope->first, scope->end);
}

/* What is made before it and overwritten inside would be overwritten twice. */
static bool
overwrites_its_input(const struct memmodel_network *network, const struct candidate *item)
{
    for (int32_t i = item->first; i < item->end; i++) {
        const struct layer *layer = &network->layers[i];

        if (layer->input_count > 0 && layer->inputs[0] >= 0 && checkpoint_overwrites(layer) &&
            network->tensors[layer->inputs[0]].layer < item->first)
            return true;
    }
    return false;
}

static void
drop_those_that_overwrite(const struct memmodel_network *network, struct scopes *scopes)
{
    size_t count = 0;

    for (size_t i = 0; i < scopes->count; i++)
        if (!overwrites_its_input(network, &scopes->items[i]))
            scopes->items[count++] = scopes->items[i];
    scopes->count = count;
}

/* What holds others stands before them. */
static int
compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Names that are the same but for their numbers. */
static bool
same_but_numbers(const char *a, const char *b)
{
    while (*a && *b) {
        bool number = *a >= '0' && *a <= '9';

        if (number != (*b >= '0' && *b <= '9') || (!number && *a != *b))
            return false;
        for (; number && *a >= '0' && *a <= '9';)
            a++;
        for (; number && *b >= '0' && *b <= '9';)
            b++;
        a += !number;
        b += !number;
    }
    return *a == *b;
}

static size_t
kind_of(const struct scopes *scopes, size_t index)
{
    const struct candidate *item = &scopes->items[index];

    for (size_t i = 0; i < index; i++) {
        const struct candidate *other = &scopes->items[i];

        if (other->kind == i && other->layers == item->layers && other->module_count == item->module_count &&
            other->cost == item->cost && same_but_numbers(other->name, item->name))
            return i;
    }
    return index;
}

/* What begins behind each, and which are alike. */
static int
relate(memmodel_context *context, struct scopes *scopes)
{
    for (size_t i = 0; i < scopes->count; i++) {
        struct candidate *item = &scopes->items[i];
        int status = context_check(context, context_nodes(i));

        if (status)
            return status;
        item->next = i + 1;
        while (item->next < scopes->count && scopes->items[item->next].first < item->end)
            item->next++;
        item->kind = kind_of(scopes, i);
    }
    return 0;
}

static int
find_candidates(const struct query *query, struct arena *arena, struct arena *names, struct scopes *scopes)
{
    const struct memmodel_network *network = query->network;
    int status = 0;

    for (size_t i = 0; i < network->layer_count; i++)
        scopes->cost += scopes->costs[i];
    for (size_t i = 0; i < network->scope_count && !status; i++) {
        status = context_check(query->context, context_nodes(scopes->count));
        add_scope(scopes, &network->scopes[i]);
    }
    if (!status)
        status = groups_find(query, arena, names, scopes);
    if (status)
        return status;
    drop_those_that_overwrite(network, scopes);
    qsort(scopes->items, scopes->count, sizeof *scopes->items, compare_candidates);
    return relate(query->context, scopes);
}

int
scopes_find(struct query *query, const struct memmodel_recompute_options *options, struct arena *arena,
            struct arena *names, struct scopes *scopes)
{
    double *costs;
    int status = cost_layers(query, options, arena, &costs);

    if (status)
        return status;
    *scopes = (struct scopes){.capacity = query->network->scope_count + MAX_GROUPS, .costs = costs};
    scopes->items = arena_allocate(arena, scopes->capacity * sizeof *scopes->items);
    return scopes->items ? find_candidates(query, arena, names, scopes) : MEMMODEL_ERROR_NO_MEMORY;
}

/* True of a group if less of it does as well. */
static bool
is_too_long(const struct scopes *scopes, size_t index)
{
    const struct candidate *item = &scopes->items[index];
    size_t begin = index;

    while (begin > 0 && scopes->items[begin - 1].first == item->first)
        begin--;
    for (size_t i = begin; i < item->next && item->modules; i++)
        if (i != index && scopes_is_within(scopes, index, i) && scopes->items[i].saved >= item->saved &&
            scopes->items[i].cost <= item->cost)
            return true;
    return false;
}

int
scopes_drop_redundant(memmodel_context *context, struct scopes *scopes)
{
    size_t count = 0;

    for (size_t i = scopes->count; i-- > 0;)
        if (is_too_long(scopes, i))
            scopes->items[i].saved = 0;
    for (size_t i = 0; i < scopes->count; i++)
        if (scopes->items[i].saved > 0)
            scopes->items[count++] = scopes->items[i];
    scopes->count = count;
    return relate(context, scopes);
}

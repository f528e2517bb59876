/*
 * Scopes that follow one another, or layers that stand in a scope themselves, and run in one call of checkpoint(): what
 * nn.Sequential of them would run. So each reads nothing of before but what the first reads too, and what is read behind
 * them, or has a name there, is made by the last.
 */
#include "base/checked.h"
#include "recompute/scopes.h"

#include "frameworks/pytorch/checkpoint.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

struct grouping {
    const struct query *query;
    struct arena *names;
    struct scopes *scopes;
    struct span *spans;
    size_t *following; /* of each: the one that begins where it ends, in the same scope; SIZE_MAX: none */
    size_t span_count;
    size_t scope_count; /* spans before the layers' */
    int32_t *last_use;  /* of each tensor: the last layer that it is alive for */
};

/* A group that may become a candidate. */
struct group {
    size_t first, last, length; /* first and last: spans */
};

/* ---- what follows what ---- */

/* Letters of its name up to its own: "h." of "h.0". */
static size_t
length_of_parent(const struct span *span)
{
    return (size_t)(span_own_name(span) - span->name);
}

static bool
follows(const struct span *span, const struct span *next)
{
    size_t parent = length_of_parent(span);

    return next->first == span->end && next->parent == span->parent && parent == length_of_parent(next) &&
           strncmp(span->name, next->name, parent) == 0;
}

static size_t
find_following(const struct grouping *grouping, size_t span)
{
    size_t end = span < grouping->scope_count ? grouping->scope_count : grouping->span_count;

    for (size_t i = span + 1; i < end && grouping->spans[i].first <= grouping->spans[span].end; i++)
        if (follows(&grouping->spans[span], &grouping->spans[i]))
            return i;
    return SIZE_MAX;
}

static void
add_spans(struct grouping *grouping)
{
    const struct memmodel_network *network = grouping->query->network;

    for (size_t i = 0; i < network->scope_count; i++)
        if (network->scopes[i].end > network->scopes[i].first && !network->scopes[i].checkpoint)
            grouping->spans[grouping->span_count++] = span_of_scope(network, i);
    grouping->scope_count = grouping->span_count;
    for (size_t i = 0; i < network->layer_count; i++)
        grouping->spans[grouping->span_count++] = span_of_layer(network, i);
    for (size_t i = 0; i < grouping->span_count; i++)
        grouping->following[i] = find_following(grouping, i);
}

static void
find_last_uses(struct grouping *grouping)
{
    const struct memmodel_network *network = grouping->query->network;

    for (size_t i = 0; i < network->tensor_count; i++)
        grouping->last_use[i] = network->tensors[i].held_until - 1;
    for (int32_t i = 0; i < (int32_t)network->layer_count; i++)
        for (int k = 0; k < network->layers[i].input_count; k++)
            if (network->layers[i].inputs[k] >= 0)
                grouping->last_use[network->layers[i].inputs[k]] =
                    (int32_t)max_i64(grouping->last_use[network->layers[i].inputs[k]], i);
    for (size_t i = 0; i < network->output_count; i++)
        grouping->last_use[network->outputs[i]] = INT32_MAX;
}

/* ---- what a Sequential could run ---- */

static bool
reads(const struct memmodel_network *network, const struct span *span, memmodel_tensor tensor)
{
    for (int32_t i = span->first; i < span->end; i++)
        for (int k = 0; k < network->layers[i].input_count; k++)
            if (network->layers[i].inputs[k] == tensor)
                return true;
    return false;
}

/* Layers of spans behind the first read what the group makes, or what the first reads. */
static bool
reads_as_the_first(const struct memmodel_network *network, const struct span *first, int32_t layer)
{
    for (int k = 0; k < network->layers[layer].input_count; k++) {
        memmodel_tensor input = network->layers[layer].inputs[k];

        if (input >= 0 && network->tensors[input].layer < first->first &&
            !layer_is_given(layer_of_tensor(network, input)) && !reads(network, first, input))
            return false;
    }
    return true;
}

static bool
is_used_inside(const struct grouping *grouping, int32_t layer, int32_t end)
{
    const struct layer *made = &grouping->query->network->layers[layer];

    for (memmodel_tensor t = made->first_output; t < made->first_output + made->output_count; t++)
        if (grouping->last_use[t] >= end)
            return false;
    return true;
}

static bool
is_sequence(const struct grouping *grouping, const struct span *first, const struct span *last)
{
    const struct memmodel_network *network = grouping->query->network;

    for (int32_t i = first->first; i < last->end; i++) {
        if (network->layers[i].op == OP_INPUT || !reads_as_the_first(network, first, i) ||
            (i < last->first && !is_used_inside(grouping, i, last->end)))
            return false;
    }
    return true;
}

/* ---- its name ---- */

static bool
has_weights(const struct grouping *grouping, size_t span)
{
    return grouping->query->network->layers[grouping->spans[span].first].parameter_count > 0;
}

/* Layers that have no scope of their own are functions of its module, unless it has several with weights. */
static bool
are_modules(const struct grouping *grouping, const struct group *group)
{
    size_t weighted = 0;

    if (group->first < grouping->scope_count)
        return true;
    for (size_t i = grouping->scope_count; i < grouping->span_count; i++)
        weighted += grouping->spans[i].parent == grouping->spans[group->first].parent && has_weights(grouping, i);
    return weighted > 1 && (has_weights(grouping, group->first) || has_weights(grouping, group->last));
}

static bool
has_a_namesake(const struct grouping *grouping, size_t span)
{
    for (size_t i = 0; i < grouping->span_count; i++)
        if (i != span && grouping->spans[i].parent == grouping->spans[span].parent &&
            strcmp(grouping->spans[i].name, grouping->spans[span].name) == 0)
            return true;
    return false;
}

/* Whether "first..last" says it, and nothing else. */
static bool
can_be_said(const struct grouping *grouping, const struct group *group)
{
    const struct span *first = &grouping->spans[group->first], *last = &grouping->spans[group->last];

    return scopes_can_name(first->name) && scopes_can_name(last->name) && !has_a_namesake(grouping, group->first) &&
           checkpoint_group_end(grouping->query->network, first, span_own_name(last), strlen(span_own_name(last))) ==
               last->end;
}

static const char *
write_name(struct arena *names, const struct span *first, const struct span *last)
{
    size_t length = strlen(first->name) + strlen(last->name) + 3;
    char *name = arena_allocate(names, length);

    if (name)
        snprintf(name, length, "%s..%s", first->name, span_own_name(last));
    return name;
}

/* ---- candidates ---- */

static bool
lists_modules(const struct grouping *grouping, const struct group *group, struct candidate *item)
{
    item->modules = arena_allocate(grouping->names, group->length * sizeof *item->modules);
    for (size_t span = group->first; item->modules && item->module_count < group->length;
         span = grouping->following[span])
        item->modules[item->module_count++] = grouping->spans[span].name;
    return item->modules != NULL;
}

static int
add_group(struct grouping *grouping, const struct group *group)
{
    const struct span *first = &grouping->spans[group->first], *last = &grouping->spans[group->last];
    struct candidate group_item = {.first = first->first, .end = last->end};

    group_item.name = write_name(grouping->names, first, last);
    if (!group_item.name || !lists_modules(grouping, group, &group_item))
        return MEMMODEL_ERROR_NO_MEMORY;
    scopes_add(grouping->scopes, &group_item, first->first, last->end);
    return 0;
}

/* What the scope around it is for. */
static bool
is_a_whole_scope(const struct grouping *grouping, const struct span *first, const struct span *last)
{
    const struct scope *parent = first->parent < 0 ? NULL : &grouping->query->network->scopes[first->parent];

    return parent && parent->first == first->first && parent->end == last->end;
}

static int
consider(struct grouping *grouping, const struct group *group)
{
    const struct span *first = &grouping->spans[group->first], *last = &grouping->spans[group->last];
    int status;

    if (grouping->scopes->count == grouping->scopes->capacity || is_a_whole_scope(grouping, first, last) ||
        !is_sequence(grouping, first, last))
        return 0;
    status = context_check(grouping->query->context, context_nodes(grouping->span_count));
    if (status || !are_modules(grouping, group) || !can_be_said(grouping, group))
        return status;
    return add_group(grouping, group);
}

/* True if there is any of that length, whether it becomes a candidate or not. */
static bool
consider_length(struct grouping *grouping, size_t length, int *status)
{
    bool any = false;

    for (size_t i = 0; i < grouping->span_count && !*status; i++) {
        struct group group = {i, i, 1};

        while (group.length < length && grouping->following[group.last] != SIZE_MAX) {
            group.last = grouping->following[group.last];
            group.length++;
        }
        if (group.length < length)
            continue;
        any = true;
        *status = context_check(grouping->query->context, 1);
        if (!*status)
            *status = consider(grouping, &group);
    }
    return any;
}

static int
find_all(struct grouping *grouping)
{
    int status = 0;

    add_spans(grouping);
    find_last_uses(grouping);
    for (size_t length = 2; length <= LONGEST && !status; length++)
        if (!consider_length(grouping, length, &status))
            break;
    return status;
}

int
groups_find(const struct query *query, struct arena *arena, struct arena *names, struct scopes *scopes)
{
    const struct memmodel_network *network = query->network;
    size_t spans = network->scope_count + network->layer_count + 1;
    struct grouping grouping = {.query = query, .names = names, .scopes = scopes};

    grouping.spans = arena_allocate(arena, spans * sizeof *grouping.spans);
    grouping.following = arena_allocate(arena, spans * sizeof *grouping.following);
    grouping.last_use = arena_allocate(arena, (network->tensor_count + 1) * sizeof *grouping.last_use);
    if (!grouping.spans || !grouping.following || !grouping.last_use)
        return MEMMODEL_ERROR_NO_MEMORY;
    return find_all(&grouping);
}

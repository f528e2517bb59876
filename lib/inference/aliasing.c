/* Views, concatenations whose parts are made in place, and operators that overwrite an input: memory that is shared. */
#include "inference/aliasing.h"

#include "base/checked.h"

/* ---- who lies where ---- */

int32_t
aliasing_owner(const struct aliasing *aliasing, int32_t tensor, int64_t *into)
{
    int64_t bytes = 0;

    while (aliasing->aliases[tensor].base != tensor) {
        bytes += aliasing->aliases[tensor].into;
        tensor = aliasing->aliases[tensor].base;
    }
    *into = bytes;
    return tensor;
}

static int64_t
bytes_of(const struct aliasing *aliasing, int32_t tensor)
{
    return aliasing->graph->tensors[tensor].bytes;
}

/* The tensor has a memory of its own to the last byte, so that this can be put into another. */
static bool
fills_owner(const struct aliasing *aliasing, int32_t tensor, int32_t *owner)
{
    int64_t into;

    *owner = aliasing_owner(aliasing, tensor, &into);
    return bytes_of(aliasing, tensor) == bytes_of(aliasing, *owner);
}

/* All that is in the memory of `owner` lies in that of `tensor` from now on, `into` bytes behind its begin. */
static void
put(struct aliasing *aliasing, int32_t owner, int32_t tensor, int64_t into)
{
    struct alias *from = &aliasing->aliases[owner], *to;
    int64_t begin;

    from->base = aliasing_owner(aliasing, tensor, &begin);
    from->into = begin + into;
    to = &aliasing->aliases[from->base];
    aliasing->aliases[to->newest].next = owner;
    to->newest = from->newest;
}

/* ---- lives ---- */

static void
live_until(struct alias *share, int32_t end)
{
    share->end = share->end > end ? share->end : end;
}

static void
find_live_ranges(struct aliasing *aliasing, const int32_t *order)
{
    const struct graph *graph = aliasing->graph;

    for (int32_t i = 0; i < graph->operator_count; i++)
        aliasing->place[order[i]] = i;
    for (int32_t i = 0; i < graph->tensor_count; i++) {
        int32_t maker = graph->tensors[i].maker, begin = maker < 0 ? 0 : aliasing->place[maker];

        aliasing->aliases[i] = (struct alias){.base = i, .next = -1, .newest = i, .begin = begin};
        aliasing->aliases[i].end = graph->tensors[i].output ? aliasing->time_count : begin + 1;
    }
    for (int32_t i = 0; i < graph->operator_count; i++)
        for (int32_t k = 0; k < graph->operators[i].input_count; k++)
            live_until(&aliasing->aliases[graph->operators[i].inputs[k].tensor], aliasing->place[i] + 1);
}

/* ---- views and concatenations: the same in every order ---- */

static void
share_views(struct aliasing *aliasing, int32_t operator)
{
    const struct graph *graph = aliasing->graph;
    const struct layer *layer = operator_layer(graph, operator);

    for (int32_t i = 0; i < layer->output_count; i++) {
        const struct graph_tensor *tensor = &graph->tensors[layer->first_output + i];

        if (tensor->base >= 0 && tensor->bytes > 0)
            put(aliasing, layer->first_output + i, tensor->base, tensor->displacement);
    }
}

/* The parts lie side by side in one memory already: in that of a longer concatenation. */
static bool
is_side_by_side(const struct aliasing *aliasing, const struct operator* operator, int32_t * owner, int64_t *into)
{
    int64_t end = 0;

    for (int32_t i = 0; i < operator->input_count; i++) {
        int64_t begin;
        int32_t of = aliasing_owner(aliasing, operator->inputs[i].tensor, &begin);

        if (bytes_of(aliasing, of) == 0 || (i > 0 && (of != *owner || begin != end)))
            return false;
        if (i == 0) {
            *owner = of;
            *into = begin;
        }
        end = begin + bytes_of(aliasing, operator->inputs[i].tensor);
    }
    return operator->input_count> 0;
}

/* Parts that fill a memory of their own lie in the result's; the others are copied there. */
static void
share_parts(struct aliasing *aliasing, const struct operator* operator, int32_t result)
{
    int64_t into = 0, begin, bytes;
    int32_t home, owner = -1;

    if (is_side_by_side(aliasing, operator, & owner, &into) && owner != result &&
        bytes_of(aliasing, owner) >= into + bytes_of(aliasing, result) && fills_owner(aliasing, result, &home) &&
        home != owner) {
        put(aliasing, home, owner, into);
        return;
    }
    into = 0;
    for (int32_t i = 0; i < operator->input_count; i++) {
        bytes = bytes_of(aliasing, operator->inputs[i].tensor);
        home = aliasing_owner(aliasing, result, &begin);
        if (fills_owner(aliasing, operator->inputs[i].tensor, &owner) && owner != home && bytes > 0)
            put(aliasing, owner, result, into);
        into += bytes;
    }
}

/* The longest concatenations come last, and are looked at first. */
static void
share_always(struct aliasing *aliasing, const bool *chosen)
{
    const struct graph *graph = aliasing->graph;

    for (int32_t i = 0; i < graph->operator_count; i++)
        if (graph->operators[i].kind == VIEW && (chosen[i] || !graph->operators[i].optional))
            share_views(aliasing, i);
    for (int32_t i = graph->operator_count - 1; i >= 0; i--)
        if (graph->operators[i].kind == CONCAT && chosen[i])
            share_parts(aliasing, &graph->operators[i], operator_layer(graph, i)->first_output);
}

/* ---- operators in place: as the order allows ---- */

/* Bytes of a memory that a tensor lies in. */
struct range {
    int32_t owner;
    int64_t begin, end;
};

static struct range
range_of(const struct aliasing *aliasing, int32_t tensor)
{
    struct range range;

    range.owner = aliasing_owner(aliasing, tensor, &range.begin);
    range.end = range.begin + bytes_of(aliasing, tensor);
    return range;
}

static bool
ranges_meet(struct range a, struct range b)
{
    return a.owner == b.owner && a.begin < b.end && b.begin < a.end;
}

/* Nobody reads these bytes after `time`. */
static bool
is_last_use(const struct aliasing *aliasing, struct range range, int32_t time)
{
    for (int32_t i = range.owner; i >= 0; i = aliasing->aliases[i].next)
        if ((aliasing->aliases[i].end > time + 1 || aliasing->graph->tensors[i].output) &&
            ranges_meet(range, range_of(aliasing, i)))
            return false;
    return true;
}

/* The operator reads all of these bytes pointwise, if any. */
static bool
reads_pointwise(const struct aliasing *aliasing, const struct operator* operator, struct range range)
{
    for (int32_t i = 0; i < operator->input_count; i++) {
        struct range other = range_of(aliasing, operator->inputs[i].tensor);

        if (ranges_meet(range, other) && !(operator->inputs[i].pointwise && other.begin == range.begin))
            return false;
    }
    return true;
}

/* The input's memory becomes the output's, or a part of it. One that is larger is not kept alive for the output. */
static bool
join(struct aliasing *aliasing, int32_t input, int32_t output)
{
    struct range to = range_of(aliasing, output);
    int32_t owner;

    if (!fills_owner(aliasing, input, &owner) || owner == to.owner)
        return false;
    put(aliasing, owner, output, 0);
    return true;
}

static void
run_in_place(struct aliasing *aliasing, int32_t number)
{
    const struct operator* operator= & aliasing->graph->operators[number];
    int32_t output = operator_layer(aliasing->graph, number)->first_output;

    for (int32_t i = 0; i < operator->input_count; i++) {
        int32_t input = operator->inputs[i].tensor;
        struct range range = range_of(aliasing, input);

        if (operator->inputs[i].pointwise && bytes_of(aliasing, input) == bytes_of(aliasing, output) &&
            bytes_of(aliasing, range.owner) > 0 && is_last_use(aliasing, range, aliasing->place[number]) &&
            reads_pointwise(aliasing, operator, range) && join(aliasing, input, output))
            return;
    }
}

/* ---- the load ---- */

static void
count_load(struct aliasing *aliasing)
{
    const struct graph *graph = aliasing->graph;
    struct alias *aliases = aliasing->aliases;
    int64_t load = 0, into;

    for (int32_t i = 0; i < graph->tensor_count; i++)
        aliases[i].first = aliases[i].begin, aliases[i].last = aliases[i].end;
    for (int32_t i = 0; i < graph->tensor_count; i++) {
        struct alias *owner = &aliases[aliasing_owner(aliasing, i, &into)];

        owner->first = owner->first < aliases[i].begin ? owner->first : aliases[i].begin;
        owner->last = owner->last > aliases[i].end ? owner->last : aliases[i].end;
    }
    for (int32_t i = 0; i <= aliasing->time_count; i++)
        aliasing->load[i] = 0;
    for (int32_t i = 0; i < graph->tensor_count; i++)
        if (aliases[i].base == i) {
            aliasing->load[aliases[i].first] += graph->tensors[i].bytes;
            aliasing->load[aliases[i].last] -= graph->tensors[i].bytes;
        }
    for (int32_t i = 0; i < graph->operator_count; i++) {
        aliasing->load[aliasing->place[i]] += graph->operators[i].workspace;
        aliasing->load[aliasing->place[i] + 1] -= graph->operators[i].workspace;
    }
    aliasing->peak = 0;
    aliasing->area = 0;
    for (int32_t i = 0; i < aliasing->time_count; i++) {
        load = aliasing->load[i] += load;
        aliasing->peak = max_i64(aliasing->peak, load);
        aliasing->area += (double)load;
    }
}

void
aliasing_evaluate(struct aliasing *aliasing, const int32_t *order, const bool *chosen)
{
    find_live_ranges(aliasing, order);
    share_always(aliasing, chosen);
    for (int32_t i = 0; i < aliasing->graph->operator_count && !(aliasing->without & MEMMODEL_SCHEDULE_PASS_IN_PLACE);
         i++)
        if (aliasing->graph->operators[order[i]].kind == KERNEL)
            run_in_place(aliasing, order[i]);
    count_load(aliasing);
}

int
aliasing_new(const struct graph *graph, uint64_t without, struct aliasing *aliasing)
{
    size_t tensors = (size_t)graph->tensor_count + 1, operators = (size_t)graph->operator_count + 2;

    *aliasing = (struct aliasing){
        .graph = graph,
        .without = without,
        .aliases = memory_allocate_zeroed(graph->context, tensors, sizeof *aliasing->aliases),
        .place = memory_allocate_zeroed(graph->context, operators, sizeof *aliasing->place),
        .load = memory_allocate_zeroed(graph->context, operators, sizeof *aliasing->load),
        .time_count = graph->operator_count > 0 ? graph->operator_count : 1,
    };
    if (aliasing->aliases && aliasing->place && aliasing->load)
        return 0;
    aliasing_release(aliasing);
    return MEMMODEL_ERROR_NO_MEMORY;
}

void
aliasing_release(struct aliasing *aliasing)
{
    memory_release(aliasing->graph->context, aliasing->aliases);
    memory_release(aliasing->graph->context, aliasing->place);
    memory_release(aliasing->graph->context, aliasing->load);
}

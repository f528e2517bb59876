/* Views, concatenations whose parts are made in place, and operators that overwrite an input: memory that is shared. */
#include "inference/aliasing.h"

#include "base/checked.h"

/* ---- who lies where ---- */

int32_t
aliasing_owner(const struct aliasing *sharing, int32_t tensor, int64_t *into)
{
    int64_t bytes = 0;

    while (sharing->shares[tensor].base != tensor) {
        bytes += sharing->shares[tensor].into;
        tensor = sharing->shares[tensor].base;
    }
    *into = bytes;
    return tensor;
}

static int64_t
bytes_of(const struct aliasing *sharing, int32_t tensor)
{
    return sharing->graph->tensors[tensor].bytes;
}

/* The tensor has a memory of its own to the last byte, so that this can be put into another. */
static bool
fills_owner(const struct aliasing *sharing, int32_t tensor, int32_t *owner)
{
    int64_t into;

    *owner = aliasing_owner(sharing, tensor, &into);
    return bytes_of(sharing, tensor) == bytes_of(sharing, *owner);
}

/* All that is in the memory of `owner` lies in that of `tensor` from now on, `into` bytes behind its begin. */
static void
put(struct aliasing *sharing, int32_t owner, int32_t tensor, int64_t into)
{
    struct alias *from = &sharing->shares[owner], *to;
    int64_t begin;

    from->base = aliasing_owner(sharing, tensor, &begin);
    from->into = begin + into;
    to = &sharing->shares[from->base];
    sharing->shares[to->newest].next = owner;
    to->newest = from->newest;
}

/* ---- lives ---- */

static void
live_until(struct alias *share, int32_t end)
{
    share->end = share->end > end ? share->end : end;
}

static void
find_lives(struct aliasing *sharing, const int32_t *order)
{
    const struct graph *graph = sharing->graph;

    for (int32_t i = 0; i < graph->operator_count; i++)
        sharing->place[order[i]] = i;
    for (int32_t i = 0; i < graph->tensor_count; i++) {
        int32_t maker = graph->tensors[i].maker, begin = maker < 0 ? 0 : sharing->place[maker];

        sharing->shares[i] = (struct alias){.base = i, .next = -1, .newest = i, .begin = begin};
        sharing->shares[i].end = graph->tensors[i].output ? sharing->moments : begin + 1;
    }
    for (int32_t i = 0; i < graph->operator_count; i++)
        for (int32_t k = 0; k < graph->operators[i].input_count; k++)
            live_until(&sharing->shares[graph->operators[i].inputs[k].tensor], sharing->place[i] + 1);
}

/* ---- views and concatenations: the same in every order ---- */

static void
share_views(struct aliasing *sharing, int32_t operator)
{
    const struct graph *graph = sharing->graph;
    const struct layer *layer = operator_layer(graph, operator);

    for (int32_t i = 0; i < layer->output_count; i++) {
        const struct graph_tensor *tensor = &graph->tensors[layer->first_output + i];

        if (tensor->base >= 0 && tensor->bytes > 0)
            put(sharing, layer->first_output + i, tensor->base, tensor->displacement);
    }
}

/* The parts lie side by side in one memory already: in that of a longer concatenation. */
static bool
is_side_by_side(const struct aliasing *sharing, const struct operator* operator, int32_t * owner, int64_t *into)
{
    int64_t end = 0;

    for (int32_t i = 0; i < operator->input_count; i++) {
        int64_t begin;
        int32_t of = aliasing_owner(sharing, operator->inputs[i].tensor, &begin);

        if (bytes_of(sharing, of) == 0 || (i > 0 && (of != *owner || begin != end)))
            return false;
        if (i == 0) {
            *owner = of;
            *into = begin;
        }
        end = begin + bytes_of(sharing, operator->inputs[i].tensor);
    }
    return operator->input_count> 0;
}

/* Parts that fill a memory of their own lie in the result's; the others are copied there. */
static void
share_parts(struct aliasing *sharing, const struct operator* operator, int32_t result)
{
    int64_t into = 0, begin, bytes;
    int32_t home, owner = -1;

    if (is_side_by_side(sharing, operator, & owner, &into) && owner != result &&
        bytes_of(sharing, owner) >= into + bytes_of(sharing, result) && fills_owner(sharing, result, &home) &&
        home != owner) {
        put(sharing, home, owner, into);
        return;
    }
    into = 0;
    for (int32_t i = 0; i < operator->input_count; i++) {
        bytes = bytes_of(sharing, operator->inputs[i].tensor);
        home = aliasing_owner(sharing, result, &begin);
        if (fills_owner(sharing, operator->inputs[i].tensor, &owner) && owner != home && bytes > 0)
            put(sharing, owner, result, into);
        into += bytes;
    }
}

/* The longest concatenations come last, and are looked at first. */
static void
share_always(struct aliasing *sharing, const bool *chosen)
{
    const struct graph *graph = sharing->graph;

    for (int32_t i = 0; i < graph->operator_count; i++)
        if (graph->operators[i].kind == VIEW && (chosen[i] || !graph->operators[i].optional))
            share_views(sharing, i);
    for (int32_t i = graph->operator_count - 1; i >= 0; i--)
        if (graph->operators[i].kind == CONCAT && chosen[i])
            share_parts(sharing, &graph->operators[i], operator_layer(graph, i)->first_output);
}

/* ---- operators in place: as the order allows ---- */

/* Bytes of a memory that a tensor lies in. */
struct range {
    int32_t owner;
    int64_t begin, end;
};

static struct range
range_of(const struct aliasing *sharing, int32_t tensor)
{
    struct range range;

    range.owner = aliasing_owner(sharing, tensor, &range.begin);
    range.end = range.begin + bytes_of(sharing, tensor);
    return range;
}

static bool
ranges_meet(struct range a, struct range b)
{
    return a.owner == b.owner && a.begin < b.end && b.begin < a.end;
}

/* Nobody reads these bytes after `moment`. */
static bool
dies(const struct aliasing *sharing, struct range range, int32_t moment)
{
    for (int32_t i = range.owner; i >= 0; i = sharing->shares[i].next)
        if ((sharing->shares[i].end > moment + 1 || sharing->graph->tensors[i].output) &&
            ranges_meet(range, range_of(sharing, i)))
            return false;
    return true;
}

/* The operator reads all of these bytes pointwise, if any. */
static bool
reads_pointwise(const struct aliasing *sharing, const struct operator* operator, struct range range)
{
    for (int32_t i = 0; i < operator->input_count; i++) {
        struct range other = range_of(sharing, operator->inputs[i].tensor);

        if (ranges_meet(range, other) && !(operator->inputs[i].pointwise && other.begin == range.begin))
            return false;
    }
    return true;
}

/* The input's memory becomes the output's, or a part of it. One that is larger is not kept alive for the output. */
static bool
join(struct aliasing *sharing, int32_t input, int32_t output)
{
    struct range to = range_of(sharing, output);
    int32_t owner;

    if (!fills_owner(sharing, input, &owner) || owner == to.owner)
        return false;
    put(sharing, owner, output, 0);
    return true;
}

static void
run_in_place(struct aliasing *sharing, int32_t number)
{
    const struct operator* operator= & sharing->graph->operators[number];
    int32_t output = operator_layer(sharing->graph, number)->first_output;

    for (int32_t i = 0; i < operator->input_count; i++) {
        int32_t input = operator->inputs[i].tensor;
        struct range range = range_of(sharing, input);

        if (operator->inputs[i].pointwise && bytes_of(sharing, input) == bytes_of(sharing, output) &&
            bytes_of(sharing, range.owner) > 0 && dies(sharing, range, sharing->place[number]) &&
            reads_pointwise(sharing, operator, range) && join(sharing, input, output))
            return;
    }
}

/* ---- what it comes to ---- */

static void
count_load(struct aliasing *sharing)
{
    const struct graph *graph = sharing->graph;
    struct alias *shares = sharing->shares;
    int64_t load = 0, into;

    for (int32_t i = 0; i < graph->tensor_count; i++)
        shares[i].first = shares[i].begin, shares[i].last = shares[i].end;
    for (int32_t i = 0; i < graph->tensor_count; i++) {
        struct alias *owner = &shares[aliasing_owner(sharing, i, &into)];

        owner->first = owner->first < shares[i].begin ? owner->first : shares[i].begin;
        owner->last = owner->last > shares[i].end ? owner->last : shares[i].end;
    }
    for (int32_t i = 0; i <= sharing->moments; i++)
        sharing->load[i] = 0;
    for (int32_t i = 0; i < graph->tensor_count; i++)
        if (shares[i].base == i) {
            sharing->load[shares[i].first] += graph->tensors[i].bytes;
            sharing->load[shares[i].last] -= graph->tensors[i].bytes;
        }
    for (int32_t i = 0; i < graph->operator_count; i++) {
        sharing->load[sharing->place[i]] += graph->operators[i].workspace;
        sharing->load[sharing->place[i] + 1] -= graph->operators[i].workspace;
    }
    sharing->peak = 0;
    sharing->area = 0;
    for (int32_t i = 0; i < sharing->moments; i++) {
        load = sharing->load[i] += load;
        sharing->peak = max_i64(sharing->peak, load);
        sharing->area += (double)load;
    }
}

void
aliasing_evaluate(struct aliasing *sharing, const int32_t *order, const bool *chosen)
{
    find_lives(sharing, order);
    share_always(sharing, chosen);
    for (int32_t i = 0; i < sharing->graph->operator_count && !(sharing->without & MEMMODEL_SCHEDULE_PASS_IN_PLACE);
         i++)
        if (sharing->graph->operators[order[i]].kind == KERNEL)
            run_in_place(sharing, order[i]);
    count_load(sharing);
}

int
aliasing_new(const struct graph *graph, uint64_t without, struct aliasing *sharing)
{
    size_t tensors = (size_t)graph->tensor_count + 1, operators = (size_t)graph->operator_count + 2;

    *sharing = (struct aliasing){
        .graph = graph,
        .without = without,
        .shares = memory_allocate_zeroed(graph->context, tensors, sizeof *sharing->shares),
        .place = memory_allocate_zeroed(graph->context, operators, sizeof *sharing->place),
        .load = memory_allocate_zeroed(graph->context, operators, sizeof *sharing->load),
        .moments = graph->operator_count > 0 ? graph->operator_count : 1,
    };
    if (sharing->shares && sharing->place && sharing->load)
        return 0;
    aliasing_release(sharing);
    return MEMMODEL_ERROR_NO_MEMORY;
}

void
aliasing_release(struct aliasing *sharing)
{
    memory_release(sharing->graph->context, sharing->shares);
    memory_release(sharing->graph->context, sharing->place);
    memory_release(sharing->graph->context, sharing->load);
}

/* An interval of an order: the memory that its operators touch, and who waits for whom. */
#include "inference/order.h"

#include "base/checked.h"

#include <string.h>

struct making {
    const struct aliasing *aliasing;
    bool in_place;
    const int32_t *order;
    int32_t first, end;
    struct window *window;
    int32_t *memory_of; /* of each tensor that owns a memory: its number + 1 */
};

static void *
take(struct making *making, int32_t count, size_t size)
{
    void *array = arena_allocate(&making->window->arena, ((size_t)count + 1) * size);

    if (array)
        memset(array, 0, ((size_t)count + 1) * size);
    return array;
}

/* ---- memory ---- */

static int32_t
memory_number(struct making *making, int32_t tensor)
{
    const struct aliasing *aliasing = making->aliasing;
    struct window *window = making->window;
    int64_t into;
    int32_t owner = aliasing_owner(aliasing, tensor, &into);
    const struct alias *share = &aliasing->aliases[owner];

    if (aliasing->graph->tensors[owner].bytes == 0)
        return -1;
    if (making->memory_of[owner])
        return making->memory_of[owner] - 1;
    window->memories[window->memory_count] = (struct window_memory){
        .bytes = aliasing->graph->tensors[owner].bytes,
        .before = share->first<making->first, .after = share->last> making->end,
    };
    making->memory_of[owner] = ++window->memory_count;
    return window->memory_count - 1;
}

static void
touch(struct making *making, struct window_operator *operator, int32_t tensor)
{
    int32_t memory = memory_number(making, tensor);
    struct window_memory *of = &making->window->memories[memory < 0 ? 0 : memory];

    if (memory < 0)
        return;
    of->before = of->before || making->aliasing->graph->tensors[tensor].maker < 0;
    of->after = of->after || making->aliasing->graph->tensors[tensor].output;
    for (int32_t i = 0; i < operator->memory_count; i++)
        if (operator->memories[i] == memory)
            return;
    operator->memories[operator->memory_count++] = memory;
    of->touches++;
}

/* Its output takes an input's place where both have memory of their own, of one size. */
static void
find_in_place(struct making *making, struct window_operator *to, const struct operator* operator, int32_t output)
{
    int64_t into;
    const struct graph_tensor *tensors = making->aliasing->graph->tensors;
    int32_t owner = aliasing_owner(making->aliasing, output, &into);

    to->result = -1;
    if (operator->kind != KERNEL || !making->in_place || tensors[owner].bytes != tensors[output].bytes)
        return;
    for (int32_t i = 0; i < operator->input_count; i++) {
        int32_t from = aliasing_owner(making->aliasing, operator->inputs[i].tensor, &into);

        if (operator->inputs[i].pointwise && from != owner && tensors[from].bytes == tensors[owner].bytes)
            to->in_place[to->in_place_count++] = memory_number(making, from);
    }
    for (int32_t i = 0; i < operator->input_count; i++) /* but not what it reads in another way, too */
        for (int32_t k = 0; k < to->in_place_count && !operator->inputs[i].pointwise; k++)
            if (to->in_place[k] == memory_number(making, operator->inputs[i].tensor))
                to->in_place[k--] = to->in_place[--to->in_place_count];
    if (to->in_place_count)
        to->result = memory_number(making, output);
}

/* ---- operators ---- */

static void
wait_for(struct making *making, struct window_operator *operator, int32_t tensor)
{
    int32_t maker = making->aliasing->graph->tensors[tensor].maker;
    int32_t place = maker < 0 ? -1 : making->aliasing->place[maker];

    if (place >= making->first && place < making->end)
        operator->inputs[operator->input_count++] = place - making->first;
}

static int
add_operator(struct making *making, int32_t number)
{
    const struct graph *graph = making->aliasing->graph;
    const struct operator* operator= & graph->operators[making->order[making->first + number]];
    struct window_operator *to = &making->window->operators[number];
    const struct layer *layer = operator_layer(graph, making->order[making->first + number]);
    int32_t max = operator->input_count + layer->output_count;

    to->memories = take(making, max, sizeof *to->memories);
    to->in_place = take(making, max, sizeof *to->in_place);
    to->inputs = take(making, max, sizeof *to->inputs);
    if (!to->memories || !to->in_place || !to->inputs)
        return MEMMODEL_ERROR_NO_MEMORY;
    to->workspace = operator->workspace;
    for (int32_t i = 0; i < operator->input_count; i++) {
        touch(making, to, operator->inputs[i].tensor);
        wait_for(making, to, operator->inputs[i].tensor);
    }
    for (int32_t i = 0; i < layer->output_count; i++)
        touch(making, to, layer->first_output + i);
    find_in_place(making, to, operator, layer->first_output);
    return 0;
}

static int32_t
max_memories(const struct making *making)
{
    int32_t max = 0;

    for (int32_t i = making->first; i < making->end; i++)
        max += making->aliasing->graph->operators[making->order[i]].input_count +
               operator_layer(making->aliasing->graph, making->order[i])->output_count;
    return max;
}

static int64_t
idle_bytes(const struct making *making)
{
    const struct aliasing *aliasing = making->aliasing;
    int64_t bytes = 0;

    for (int32_t i = 0; i < aliasing->graph->tensor_count; i++)
        if (aliasing->aliases[i].base == i && aliasing->aliases[i].last == 1 && !making->memory_of[i])
            bytes += aliasing->graph->tensors[i].bytes;
    return bytes;
}

static int
fill(struct making *making)
{
    struct window *window = making->window;
    int status = 0;

    window->operators = take(making, window->count, sizeof *window->operators);
    window->numbers = take(making, window->count, sizeof *window->numbers);
    window->memories = take(making, max_memories(making), sizeof *window->memories);
    if (!window->operators || !window->numbers || !window->memories)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (int32_t i = 0; i < window->count && !status; i++) {
        window->numbers[i] = making->order[making->first + i];
        status = add_operator(making, i);
    }
    for (int32_t i = 0; i < window->memory_count; i++)
        window->used += window->memories[i].before ? window->memories[i].bytes : 0;
    if (making->first == 0)
        window->idle = idle_bytes(making);
    return status;
}

int
window_new(const struct aliasing *separate, bool in_place, const int32_t *order, int32_t first, int32_t end,
           struct window *window)
{
    memmodel_context *context = separate->graph->context;
    struct making making = {
        .aliasing = separate, .in_place = in_place, .order = order, .first = first, .end = end, .window = window};
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *window = (struct window){.arena = ARENA_INIT(context), .count = end - first};
    making.memory_of =
        memory_allocate_zeroed(context, (size_t)separate->graph->tensor_count + 1, sizeof *making.memory_of);
    if (making.memory_of)
        status = fill(&making);
    memory_release(context, making.memory_of);
    if (status)
        window_release(window);
    return status;
}

void
window_release(struct window *window)
{
    arena_release(&window->arena);
}

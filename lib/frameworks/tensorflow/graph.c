/* The operations of a step as a growing table. */
#include "frameworks/tensorflow/graph.h"

static int
add_inputs(struct graph *graph, struct operation *operation, const int32_t *inputs, int32_t count)
{
    int status;

    if (graph->input_count + (size_t)count > INT32_MAX)
        return context_error(graph->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the step has too many operations");
    status = array_reserve(graph->context, &graph->inputs, &graph->input_capacity, graph->input_count + (size_t)count,
                           sizeof *graph->inputs);
    if (status)
        return status;
    operation->first_input = (int32_t)graph->input_count;
    for (int32_t i = 0; i < count; i++)
        if (inputs[i] >= 0)
            graph->inputs[graph->input_count++] = inputs[i];
    operation->input_count = (int32_t)graph->input_count - operation->first_input;
    return 0;
}

/* Unless a rule knows better, an operation takes as long as its bytes take to move. */
static double
bytes_moved(const struct graph *graph, const struct operation *operation)
{
    double bytes = (double)operation->bytes + 1;

    for (int32_t i = 0; i < operation->input_count; i++)
        bytes += (double)graph->operations[graph->inputs[operation->first_input + i]].bytes;
    return bytes;
}

int32_t
graph_add(struct graph *graph, const struct operation *operation, const int32_t *inputs, int32_t count)
{
    struct operation *new;
    int status = context_check(graph->context, 1);

    if (status)
        return status;
    if (graph->count >= INT32_MAX)
        return context_error(graph->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the step has too many operations");
    if (array_reserve(graph->context, &graph->operations, &graph->capacity, graph->count + 1,
                      sizeof *graph->operations))
        return MEMMODEL_ERROR_NO_MEMORY;
    new = &graph->operations[graph->count];
    *new = *operation;
    status = add_inputs(graph, new, inputs, count);
    if (status)
        return status;
    if (new->duration == 0)
        new->duration = bytes_moved(graph, new);
    return (int32_t)graph->count++;
}

void
graph_release(struct graph *graph)
{
    memory_release(graph->context, graph->operations);
    memory_release(graph->context, graph->inputs);
}

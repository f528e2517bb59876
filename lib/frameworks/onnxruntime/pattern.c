/* What the rewrites look for in common. */
#include "frameworks/onnxruntime/rewrite.h"

bool
ort_is_one_of(const char *op, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(op, *names) == 0)
            return true;
    return false;
}

int
ort_beside_scalar(const struct ort_graph *graph, const struct ort_node *node)
{
    for (int i = 0; i < 2 && node->input_count == 2; i++)
        if (ort_is_scalar(graph, node->inputs[1 - i]))
            return i;
    return -1;
}

int
ort_input_made_by(const struct ort_graph *graph, const struct ort_node *node, const char *op)
{
    for (int i = 0; i < node->input_count && i < 2; i++)
        if (ort_feeder(graph, node, i, op) >= 0)
            return i;
    return -1;
}

int32_t
ort_maker_of(const struct ort_graph *graph, const struct ort_node *node, int i)
{
    return i < 0 ? -1 : ort_tensor_of(graph, node->inputs[i])->maker;
}

bool
ort_is_vector(const struct ort_graph *graph, int32_t tensor, int64_t length, bool channels)
{
    const struct ort_tensor *vector = tensor < 0 ? NULL : ort_tensor_of(graph, tensor);
    int axis = vector && channels ? vector->rank - 3 : vector ? vector->rank - 1 : -1;
    int64_t elements;

    return vector && vector->constant && axis >= 0 && vector->dims[axis] == length &&
           ort_elements(vector->dims, vector->rank, &elements) && elements == length;
}

bool
ort_put_in_place(struct ort_graph *graph, const char *op, int32_t like, int32_t last, const int32_t *inputs,
                 int32_t count)
{
    int32_t output = node_of(graph, last)->outputs[0], new = ort_add_node(graph, op, like, inputs, count);

    if (new < 0)
        return false;
    ort_remove_node(graph, last);
    if (like != last)
        ort_remove_node(graph, like);
    ort_make(graph, new, output);
    return true;
}

/* Table lookup. PyTorch: aten/src/ATen/native/Embedding.cpp. Saved are the indices. */
#include "frameworks/pytorch/operators.h"

static bool
can_be_flat(const struct value *indices)
{
    struct shape flat = shape_vector(indices->shape.dtype, value_elements(indices));
    int64_t strides[MEMMODEL_MAX_RANK];

    return value_viewable(indices, &flat, strides);
}

/* The whole table's gradient, then copies of indices and gradient that are not row-major. */
void
cpu_embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *indices = node->saved[0], *rows, *copy;

    gradients[0] = value_empty(step, &node->edges[0].shape);
    rows = value_is_contiguous(indices) ? NULL : value_copy(step, indices);
    copy = value_is_contiguous(incoming[0]) ? NULL : value_copy(step, incoming[0]);
    value_drop(step, copy);
    value_drop(step, rows);
}

static void
embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    step->device->embedding_backward(step, node, incoming, gradients);
}

/* Indices that are no view of a vector are copied first, those that are one with gaps when they are used. */
struct value *
aten_embedding(struct step *step, struct value *weight, struct value *indices)
{
    static const struct derivative embedding = {"embedding", embedding_backward};
    struct value *flat = can_be_flat(indices) ? NULL : value_copy(step, indices), *result;
    struct shape shape = shape_typed(&indices->shape, weight->shape.dtype);

    shape.dims[shape.rank++] = weight->shape.dims[1];
    result = value_empty(step, &shape);
    if (!flat)
        contiguous_scratch(step, indices);
    value_drop(step, flat);
    step_save(step, step_record(step, &embedding, result, 1, &weight), indices);
    return result;
}

static void
embedding_forward(struct step *step, const struct layer *layer)
{
    struct value *weight = step_parameter(step, layer, "weight");

    step_output(step, layer, 0, aten_embedding(step, weight, step_input(step, layer, 0)));
}

const struct rule pytorch_embedding = {OP_EMBEDDING, embedding_forward};

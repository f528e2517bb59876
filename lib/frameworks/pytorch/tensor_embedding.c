/* An embedding of which each rank has some rows. PyTorch: torch/distributed/tensor/_ops/_embedding_ops.py (MaskPartial). */
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/tensor_parallel.h"

/* x < first, x >= end: one element each that is compared with. */
static struct value *
compared(struct step *step, const struct value *indices)
{
    struct value *number = value_on_host(step, indices->shape.dtype);
    struct value *result = value_like_typed(step, indices, MEMMODEL_DTYPE_BOOL);

    value_drop(step, number);
    return result;
}

/* Indices that are not of this rank look up the first row, whose copies are set to zero. */
struct value *
tensor_own_rows(struct step *step, const struct value *indices)
{
    struct value *copy = value_copy(step, indices), *number = value_on_host(step, indices->shape.dtype);
    struct value *rows = value_like(step, indices);

    value_drop(step, number);
    value_drop(step, copy);
    value_drop(step, value_on_host(step, indices->shape.dtype));
    return rows;
}

struct value *
tensor_own_mask(struct step *step, const struct value *indices)
{
    struct value *below, *above, *mask;

    step->what = "rows of other ranks";
    below = compared(step, indices);
    above = compared(step, indices);
    mask = value_like(step, below);
    value_drop(step, above);
    value_drop(step, below);
    return mask;
}

/* The gradient has all rows, of which the optimizer copies its own. */
static void
embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct shape *own = &node->edges[0].shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *all;

    (void)incoming;
    shape_strides(own, strides);
    step->what = "gradient of all rows";
    all = value_buffer(step, node->number);
    gradients[0] = value_within(step, all, own, strides);
    value_drop(step, all);
}

static void
look_up(struct step *step, const struct layer *layer, struct value *indices, struct value *weight)
{
    static const struct derivative derivative = {"embedding", embedding_backward};
    struct value *mask = tensor_own_mask(step, indices), *rows = tensor_own_rows(step, indices), *partial, *result;
    struct shape shape = shape_typed(&indices->shape, weight->shape.dtype), own = step_output_shape(step, layer, 0);
    struct shape all = tensor_parallel_built(step, (size_t)layer_parameter(layer, "weight"));
    struct node *node;

    shape.dims[shape.rank++] = weight->shape.dims[1];
    step->what = "embedding";
    partial = value_empty(step, &shape);
    value_drop(step, rows);
    value_drop(step, value_on_host(step, shape.dtype));
    value_drop(step, mask);
    own.dtype = shape.dtype;
    result = shape_equal(&own, &shape) ? tensor_all_reduce(step, partial) : tensor_reduce_scatter(step, partial, &own);
    node = step_record(step, &derivative, result, 1, &weight);
    if (node)
        node->number = multiply_saturating(shape_elements(&all), dtype_bytes(all.dtype));
    step_save(step, node, indices);
    value_drop(step, partial);
    step_output(step, layer, 0, result);
}

void
tensor_embedding_forward(struct step *step, const struct layer *layer)
{
    struct value *indices = step_input(step, layer, 0), *weight = step_parameter(step, layer, "weight");

    if (weight && weight->shape.rank == 2 && indices->shape.rank < MEMMODEL_MAX_RANK)
        look_up(step, layer, indices, weight);
    else
        aten_op_estimate(step, layer);
}

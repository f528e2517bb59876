/*
 * What the ranks of a tensor-parallel module run together, as operators of one rank's network. Functional collectives
 * return new tensors; gloo copies what it gathers. PyTorch: torch/distributed/_functional_collectives.py,
 * torch/distributed/tensor/placement_types.py (_shard_tensor, _to_replicate_tensor, _reduce_shard_tensor).
 */
#include "base/checked.h"
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/tensor_parallel.h"

#include <string.h>

static int64_t
bytes_of(const struct shape *shape)
{
    return multiply_saturating(shape_elements(shape), dtype_bytes(shape->dtype));
}

/* ---- all-reduce: tensor_all_reduce() works in place on a copy ---- */

struct value *
tensor_all_reduce(struct step *step, const struct value *x)
{
    step->what = "all-reduce";
    return value_copy(step, x);
}

/* DTensor.from_local(x, Replicate()): what comes back is a sum over the ranks. */
static void
copy_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = tensor_all_reduce(step, incoming[0]);
}

static void
copy_forward(struct step *step, const struct layer *layer)
{
    static const struct derivative derivative = {"FromTorchTensor", copy_backward};
    struct value *x = step_input(step, layer, 0);
    struct value *result = value_view(step, x, &x->shape, x->strides);

    step_record(step, &derivative, result, 1, &x);
    step_output(step, layer, 0, result);
}

static void
reduce_forward(struct step *step, const struct layer *layer)
{
    static const struct derivative derivative = {"Redistribute", data_hand_on};
    struct value *x = step_input(step, layer, 0), *result = tensor_all_reduce(step, x);

    step_record(step, &derivative, result, 1, &x);
    step_output(step, layer, 0, result);
}

/* ---- all-gather and reduce-scatter ---- */

/* The axis that a part and the whole differ in. */
static int
cut_axis(const struct shape *part, const struct shape *whole)
{
    int axis = 0;

    while (axis + 1 < whole->rank && part->dims[axis] == whole->dims[axis])
        axis++;
    return axis;
}

/* As large as the largest rank's part. */
static struct shape
padded_part(const struct step *step, const struct shape *part, const struct shape *whole)
{
    struct shape padded = *part;
    int axis = cut_axis(part, whole);

    padded.dims[axis] = ceil_divide(whole->dims[axis], step->parallel.tensor_ranks);
    return padded;
}

static void
gloo_all_gather(struct step *step, int64_t part, int64_t all)
{
    if (!step->parallel.gloo)
        return;
    value_drop(step, data_buffer(step, "gloo all-gather", part));
    value_drop(step, data_buffer(step, "gloo all-gather", all));
}

/* Parts are gathered one behind the other, then joined along their axis; rows that were too many go at the end. */
static struct value *
all_gather(struct step *step, const struct value *x, const struct shape *whole)
{
    struct shape part = padded_part(step, &x->shape, whole);
    int64_t part_bytes = bytes_of(&part), all = multiply_saturating(part_bytes, step->parallel.tensor_ranks);
    struct value *padded = shape_equal(&part, &x->shape) ? NULL : data_buffer(step, "padded part", part_bytes);
    struct value *gathered = data_buffer(step, "all-gather", all), *joined;

    gloo_all_gather(step, part_bytes, all);
    step->what = "all-gather";
    if (shape_elements(whole) * dtype_bytes(whole->dtype) == all) {
        joined = value_empty(step, whole);
    } else {
        struct value *too_many = value_buffer(step, all);

        value_drop(step, gathered);
        gathered = too_many;
        joined = value_empty(step, whole);
    }
    value_drop(step, gathered);
    value_drop(step, padded);
    return joined;
}

/* A part of a whole gradient, which is copied. */
static void
join_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape part = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    step->what = "part of a gradient";
    gradients[0] = value_empty(step, &part);
}

static void
join_forward(struct step *step, const struct layer *layer)
{
    static const struct derivative derivative = {"Redistribute", join_backward};
    struct shape whole = step_output_shape(step, layer, 0);
    struct value *x = step_input(step, layer, 0), *result;

    whole.dtype = x->shape.dtype;
    result = all_gather(step, x, &whole);
    step_record(step, &derivative, result, 1, &x);
    step_output(step, layer, 0, result);
}

/* ---- parts of a sequence ---- */

/* What is scattered is cut into as many parts, one behind the other. */
struct value *
tensor_reduce_scatter(struct step *step, const struct value *x, const struct shape *part)
{
    struct value *parts, *result;

    step->what = "reduce-scatter";
    parts = value_copy(step, x);
    result = value_empty(step, part);
    if (step->parallel.gloo)
        value_drop(step, data_buffer(step, "gloo reduce-scatter", bytes_of(&x->shape)));
    value_drop(step, parts);
    return result;
}

/* A layer that is one collective, whose backward pass is the other. */
static void
redistribute(struct step *step, const struct layer *layer, const struct derivative *derivative,
             struct value *(*collective)(struct step *step, const struct value *x, const struct shape *shape))
{
    struct shape shape = step_output_shape(step, layer, 0);
    struct value *x = step_input(step, layer, 0), *result;

    shape.dtype = x->shape.dtype;
    result = collective(step, x, &shape);
    step_record(step, derivative, result, 1, &x);
    step_output(step, layer, 0, result);
}

static void
gather_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape part = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = tensor_reduce_scatter(step, incoming[0], &part);
}

static void
gather_forward(struct step *step, const struct layer *layer)
{
    static const struct derivative derivative = {"Redistribute", gather_backward};

    redistribute(step, layer, &derivative, all_gather);
}

static void
scatter_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape whole = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = all_gather(step, incoming[0], &whole);
}

static void
scatter_forward(struct step *step, const struct layer *layer)
{
    static const struct derivative derivative = {"Redistribute", scatter_backward};

    redistribute(step, layer, &derivative, tensor_reduce_scatter);
}

/* ---- the table ---- */

enum together { COPY, EMBEDDING, EXCHANGE, GATHER, JOIN, LOSS, REDUCE, SCATTER };

/* What a network calls so that is not a rank's has no rule. */
static void
together_forward(struct step *step, const struct layer *layer, int detail)
{
    static void (*const forward[])(struct step * step, const struct layer *layer) = {
        [COPY] = copy_forward,
        [EMBEDDING] = tensor_embedding_forward,
        [EXCHANGE] = tensor_exchange_forward,
        [GATHER] = gather_forward,
        [JOIN] = join_forward,
        [LOSS] = tensor_loss_forward,
        [REDUCE] = reduce_forward,
        [SCATTER] = scatter_forward,
    };

    if (step->tensor)
        forward[detail](step, layer);
    else
        aten_op_estimate(step, layer);
}

static const struct aten_op_rule rules[] = {
    {"memmodel.experts.combine", together_forward, EXCHANGE, "1"},
    {"memmodel.experts.dispatch", together_forward, EXCHANGE, "1"},
    {"memmodel.tensor.copy", together_forward, COPY, "0"},
    {"memmodel.tensor.embedding", together_forward, EMBEDDING, "0"},
    {"memmodel.tensor.gather", together_forward, GATHER, "1"},
    {"memmodel.tensor.join", together_forward, JOIN, "1"},
    {"memmodel.tensor.loss", together_forward, LOSS, "21"},
    {"memmodel.tensor.reduce", together_forward, REDUCE, "0"},
    {"memmodel.tensor.scatter", together_forward, SCATTER, "1"},
};

const struct aten_ops aten_op_tensor = ATEN_OPS(rules);

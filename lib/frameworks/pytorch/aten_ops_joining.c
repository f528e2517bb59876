/* Joining and splitting by name. PyTorch: aten/src/ATen/native/TensorShape.cpp. */
#include "frameworks/pytorch/aten_ops.h"

/* ---- joining: parts of another type are cast for the call ---- */

enum joining { CONCAT, STACK, HSTACK, VSTACK, DSTACK, COLUMNS };

/* Along which axis, where the call does not say. */
static int
axis_of(const struct layer *layer, int rank, enum joining joining)
{
    static const int axes[] = {[VSTACK] = 0, [DSTACK] = 2, [COLUMNS] = 1};

    if (joining >= VSTACK)
        return axes[joining] < rank ? axes[joining] : 0;
    return attribute_axis(layer, "dim", rank, joining == HSTACK && rank > 1);
}

/* vstack has rows of vectors, column_stack columns, dstack tensors of three dims: seen so, a new reference. */
static struct value *
as_stacked(struct step *step, struct value *part, enum joining joining)
{
    struct shape shape = {.dims = {1, 1, 1}, .rank = joining == DSTACK ? 3 : 2, .dtype = part->shape.dtype};

    if (joining < VSTACK || part->shape.rank >= shape.rank)
        return value_keep(part);
    for (int i = 0; i < part->shape.rank; i++)
        shape.dims[part->shape.rank == 1 && joining != COLUMNS ? 1 : i] = part->shape.dims[i];
    return aten_reshape(step, part, &shape);
}

static struct value *
joined(struct step *step, const struct layer *layer, struct value **parts, int count, enum joining joining)
{
    struct shape shape = step_output_shape(step, layer, 0);
    int axis = axis_of(layer, shape.rank, joining);
    struct value **casts, *result;
    size_t bytes = (size_t)count * sizeof *casts;

    if (joining == STACK)
        return aten_stack(step, parts, count, axis < parts[0]->shape.rank ? axis : parts[0]->shape.rank);
    casts = step_pool_take(step, bytes);
    if (!casts)
        return &step->nothing;
    for (int i = 0; i < count; i++)
        casts[i] = parts[i]->shape.dtype == shape.dtype ? NULL : value_like_typed(step, parts[i], shape.dtype);
    result = aten_concat(step, parts, count, axis, shape.dtype);
    value_drop_all(step, casts, count);
    object_pool_give(&step->pool, casts, bytes);
    return result;
}

/* A new reference each. One-dimensional tensors without elements have a say in the type only: TensorShape.cpp, cat_should_skip_tensor. */
static int
parts_of(struct step *step, const struct layer *layer, enum joining joining, struct value **parts)
{
    int count = 0;

    for (int i = 0; i < layer->input_count; i++) {
        struct value *part = step_input(step, layer, i);
        bool skipped = joining == CONCAT && part->shape.rank == 1 && part->shape.dims[0] == 0;

        if (!skipped || (i + 1 == layer->input_count && count == 0))
            parts[count++] = as_stacked(step, part, joining);
    }
    return count;
}

static void
join_forward(struct step *step, const struct layer *layer, int joining)
{
    int count;
    size_t bytes = (size_t)layer->input_count * sizeof(struct value *);
    struct value **parts = step_pool_take(step, bytes);

    if (!parts)
        return;
    count = parts_of(step, layer, (enum joining)joining, parts);
    if (joining == STACK && parts[0]->shape.rank == MEMMODEL_MAX_RANK)
        aten_op_estimate(step, layer);
    else
        step_output(step, layer, 0, joined(step, layer, parts, count, (enum joining)joining));
    value_drop_all(step, parts, count);
    object_pool_give(&step->pool, parts, bytes);
}

/* ---- splitting: what differs is only the shapes of the parts ---- */

static void
split_forward(struct step *step, const struct layer *layer, int unsafe)
{
    split_layer(step, layer, unsafe != 0);
}

/* Each part is a slice of its own. */
static void
tensor_split_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    for (int i = 0; i < layer->output_count; i++) {
        struct shape shape = step_output_shape(step, layer, i);

        step_output(step, layer, i, aten_part(step, x, &shape, x->strides));
    }
}

/* An axis goes. */
static void
unbind_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);
    int axis = attribute_axis(layer, "dim", x->shape.rank, 0);
    size_t count = (size_t)layer->output_count;
    struct shape *parts = step_arena_allocate(step, count * sizeof *parts);
    struct value **results = step_pool_take(step, count * sizeof *results);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    (void)detail;
    if (!parts || !results)
        return;
    for (int i = 0; i < layer->output_count; i++)
        parts[i] = step_output_shape(step, layer, i);
    for (int i = 0, to = 0; i < x->shape.rank; i++)
        if (i != axis)
            strides[to++] = x->strides[i];
    aten_split(step, x, parts, strides, layer->output_count, results);
    for (int i = 0; i < layer->output_count; i++)
        step_output(step, layer, i, results[i]);
    object_pool_give(&step->pool, results, count * sizeof *results);
}

static const struct aten_op_rule joining[] = {
    {"aten.cat.default", join_forward, CONCAT, "*"},
    {"aten.chunk.default", split_forward, 0, "0"},
    {"aten.column_stack.default", join_forward, COLUMNS, "*"},
    {"aten.concat.default", join_forward, CONCAT, "*"},
    {"aten.concatenate.default", join_forward, CONCAT, "*"},
    {"aten.dsplit.array", tensor_split_forward, 0, "0"},
    {"aten.dsplit.int", tensor_split_forward, 0, "0"},
    {"aten.dstack.default", join_forward, DSTACK, "*"},
    {"aten.hsplit.array", tensor_split_forward, 0, "0"},
    {"aten.hsplit.int", tensor_split_forward, 0, "0"},
    {"aten.hstack.default", join_forward, HSTACK, "*"},
    {"aten.split.Tensor", split_forward, 0, "0"},
    {"aten.split.sizes", split_forward, 0, "0"},
    {"aten.split_with_sizes.default", split_forward, 0, "0"},
    {"aten.stack.default", join_forward, STACK, "*"},
    {"aten.tensor_split.indices", tensor_split_forward, 0, "0"},
    {"aten.tensor_split.sections", tensor_split_forward, 0, "0"},
    {"aten.unbind.int", unbind_forward, 0, "0"},
    {"aten.unsafe_chunk.default", split_forward, 1, "0"},
    {"aten.unsafe_split.Tensor", split_forward, 1, "0"},
    {"aten.vsplit.array", tensor_split_forward, 0, "0"},
    {"aten.vsplit.int", tensor_split_forward, 0, "0"},
    {"aten.vstack.default", join_forward, VSTACK, "*"},
};

const struct aten_ops aten_op_joining = ATEN_OPS(joining);

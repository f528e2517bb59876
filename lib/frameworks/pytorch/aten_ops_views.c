/*
 * Views and copies by name. PyTorch: aten/src/ATen/native/TensorShape.cpp, TensorConversions.cpp,
 * TensorTransformations.cpp. Sizes are those of the layer's outputs.
 */
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

/* Each input to the shape of its output. */
static void
expand_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    for (int i = 0; i < layer->output_count; i++) {
        struct shape shape = step_output_shape(step, layer, i);
        struct value *x = step_input(step, layer, i);

        if (x && x->shape.rank <= shape.rank)
            step_output(step, layer, i, aten_expand(step, x, &shape));
    }
}

/* ---- axes in another order ---- */

/* 0 for one that is none. */
static int32_t
axis_of(int64_t axis, int rank)
{
    axis = axis < 0 ? axis + rank : axis;
    return axis >= 0 && axis < rank ? (int32_t)axis : 0;
}

static void
permute_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);
    int64_t dims[MEMMODEL_MAX_RANK] = {0};
    int32_t axes[MEMMODEL_MAX_RANK] = {0};

    (void)detail;
    attribute_list(layer, "dims", dims, MEMMODEL_MAX_RANK);
    for (int i = 0; i < x->shape.rank; i++)
        axes[i] = axis_of(dims[i], x->shape.rank);
    step_output(step, layer, 0, aten_permute(step, x, axes));
}

/* The axes `source` move to `destination`; the others keep their order. */
static void
movedim_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);
    int64_t source[MEMMODEL_MAX_RANK], destination[MEMMODEL_MAX_RANK] = {0};
    int count = attribute_list(layer, "source", source, MEMMODEL_MAX_RANK), rank = x->shape.rank;
    int32_t axes[MEMMODEL_MAX_RANK] = {0};
    uint64_t moved = 0;

    (void)detail;
    attribute_list(layer, "destination", destination, MEMMODEL_MAX_RANK);
    for (int i = 0; i < rank; i++)
        axes[i] = -1;
    for (int i = 0; i < count; i++) {
        int32_t from = axis_of(source[i], rank);

        axes[axis_of(destination[i], rank)] = from;
        moved |= UINT64_C(1) << from;
    }
    for (int i = 0, next = 0; i < rank; i++) {
        if (axes[i] >= 0)
            continue;
        while (next < rank - 1 && moved >> next & 1)
            next++;
        axes[i] = next++;
        next = next < rank ? next : rank - 1;
    }
    step_output(step, layer, 0, aten_permute(step, x, axes));
}

/* ---- parts: the gradient is zeros with a part filled in ---- */

static void
stride_by(int64_t *stride, int64_t step)
{
    if (!checked_multiply(*stride, step, stride))
        *stride = INT64_MAX;
}

static void
slice_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);
    struct shape shape = step_output_shape(step, layer, 0);
    int axis = attribute_axis(layer, "dim", x->shape.rank, 0);
    int64_t strides[MEMMODEL_MAX_RANK];

    (void)detail;
    memcpy(strides, x->strides, sizeof strides);
    stride_by(&strides[axis], attribute_integer(layer, "step", 1));
    step_output(step, layer, 0, aten_part(step, x, &shape, strides));
}

static void
select_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    step_output(step, layer, 0, aten_select(step, x, attribute_axis(layer, "dim", x->shape.rank, 0)));
}

/* The gradient of windows is added up by the places of an axis. */
static void
window_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = value_empty(step, &shape);
    value_drop(step, value_vector(step, MEMMODEL_DTYPE_INT64, shape.dims[node->number]));
}

/* Windows of an axis; they come last. */
static void
window_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative unfold = {"unfold", window_backward};
    struct value *x = step_input(step, layer, 0), *result;
    struct shape shape = step_output_shape(step, layer, 0);
    int axis = attribute_axis(layer, "dimension", x->shape.rank, 0);
    int64_t strides[MEMMODEL_MAX_RANK];
    struct node *node;

    (void)detail;
    if (x->shape.rank == MEMMODEL_MAX_RANK) {
        aten_op_estimate(step, layer);
        return;
    }
    memcpy(strides, x->strides, sizeof strides);
    strides[x->shape.rank] = strides[axis];
    stride_by(&strides[axis], attribute_integer(layer, "step", 1));
    result = value_view(step, x, &shape, strides);
    node = step_record(step, &unfold, result, 1, &x);
    if (node)
        node->number = axis;
    step_output(step, layer, 0, result);
}

/* Two axes go, their diagonal comes last. */
static void
diagonal_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);
    struct shape shape = step_output_shape(step, layer, 0);
    int first = attribute_axis(layer, "dim1", x->shape.rank, 0),
        second = attribute_axis(layer, "dim2", x->shape.rank, 1);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    int to = 0;

    (void)detail;
    for (int i = 0; i < x->shape.rank; i++)
        if (i != first && i != second)
            strides[to++] = x->strides[i];
    if (!checked_add(x->strides[first], x->strides[second], &strides[to < MEMMODEL_MAX_RANK ? to : 0]))
        strides[0] = INT64_MAX;
    step_output(step, layer, 0, aten_part(step, x, &shape, strides));
}

/* Each input along an axis of its own, seen in the shape of all. */
static void
meshgrid_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    for (int i = 0; i < layer->output_count && i < layer->input_count; i++) {
        struct shape shape = step_output_shape(step, layer, i), own = shape;
        struct value *x = step_input(step, layer, i), *seen;

        for (int axis = 0; axis < own.rank; axis++)
            own.dims[axis] = axis == i ? value_elements(x) : 1;
        seen = aten_reshape(step, x, &own);
        step_output(step, layer, i, aten_expand(step, seen, &shape));
        value_drop(step, seen);
    }
}

static void
strided_forward(struct step *step, const struct layer *layer, int detail)
{
    struct shape shape = step_output_shape(step, layer, 0);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    (void)detail;
    attribute_list(layer, "stride", strides, MEMMODEL_MAX_RANK);
    step_output(step, layer, 0, aten_part(step, step_input(step, layer, 0), &shape, strides));
}

/* ---- copies ---- */

static void
contiguous_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    if (attribute_channels_last(layer, x))
        step_output(step, layer, 0, aten_channels_last(step, x));
    else
        step_output(step, layer, 0, aten_contiguous(step, x));
}

static void
clone_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);
    bool dense = attribute_is(layer, "memory_format", "contiguous_format");

    (void)detail;
    if (attribute_channels_last(layer, x) && !value_is_channels_last(x))
        step_output(step, layer, 0, aten_channels_last(step, x));
    else if (dense && !value_is_contiguous(x))
        step_output(step, layer, 0, aten_contiguous(step, x));
    else
        step_output(step, layer, 0, aten_clone(step, x));
}

static void
cast_forward(struct step *step, const struct layer *layer, int detail)
{
    struct shape shape = step_output_shape(step, layer, 0);
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    if (attribute_channels_last(layer, x) && x->shape.dtype == shape.dtype)
        step_output(step, layer, 0, aten_channels_last(step, x));
    else if (attribute_is(layer, "memory_format", "contiguous_format") && x->shape.dtype == shape.dtype)
        step_output(step, layer, 0, aten_contiguous(step, x));
    else if (attribute_is(layer, "dtype", "complex64"))
        step_output(step, layer, 0, aten_to_complex(step, x));
    else if (attribute_integer(layer, "copy", 0) && x->shape.dtype == shape.dtype)
        step_output(step, layer, 0, aten_clone(step, x));
    else
        step_output(step, layer, 0, aten_cast(step, x, shape.dtype));
}

/* Over several axes one after the other; what is in between goes at the end. */
static struct value *
rolled(struct step *step, const struct value *x, int64_t axes)
{
    struct value *results[MEMMODEL_MAX_RANK];
    int count = axes < 1 ? 1 : axes > MEMMODEL_MAX_RANK ? MEMMODEL_MAX_RANK : (int)axes;

    for (int i = 0; i < count; i++)
        results[i] = value_like(step, i == 0 ? x : results[i - 1]);
    value_drop_all(step, results, count - 1);
    return results[count - 1];
}

static void
roll_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    gradients[0] = rolled(step, incoming[0], node->number);
}

/* fftshift is one over all axes, where it has none. */
static void
roll_forward(struct step *step, const struct layer *layer, int all)
{
    static const struct derivative roll = {"roll", roll_backward};
    struct value *x = step_input(step, layer, 0), *result;
    int64_t list[MEMMODEL_MAX_RANK];
    int axes = attribute_list(layer, all ? "dim" : "dims", list, MEMMODEL_MAX_RANK);
    struct node *node;

    axes = axes == 0 && all ? x->shape.rank : axes;
    result = rolled(step, x, axes);
    node = step_record(step, &roll, result, 1, &x);
    if (node)
        node->number = axes;
    step_output(step, layer, 0, result);
}

/* In the memory format that the input suggests, which is copied for that where it is not dense. PixelShuffle.cpp */
static struct value *
shuffled(struct step *step, const struct value *x, const struct shape *shape)
{
    bool channels_last = value_suggests_channels_last(x);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *result;

    if (channels_last)
        shape_strides_channels_last(shape, strides);
    else
        shape_strides(shape, strides);
    result = value_empty_strided(step, shape, strides);
    if (channels_last ? !value_is_channels_last(x) : !value_is_contiguous(x))
        value_scratch(step, &x->shape);
    return result;
}

static void
shuffle_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = shuffled(step, incoming[0], &shape);
}

static void
shuffle_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative shuffle = {"pixel_shuffle", shuffle_backward};
    struct value *x = step_input(step, layer, 0), *result;
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    result = shuffled(step, x, &shape);
    step_record(step, &shuffle, result, 1, &x);
    step_output(step, layer, 0, result);
}

/* ---- repeat ---- */

static void
repeat_forward(struct step *step, const struct layer *layer, int detail)
{
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    step_output(step, layer, 0, aten_repeat(step, step_input(step, layer, 0), &shape));
}

static const struct aten_op_rule views[] = {
    {"aten._to_copy.default", cast_forward, 0, "0"},
    {"aten.as_strided.default", strided_forward, 0, "0"},
    {"aten.broadcast_tensors.default", expand_forward, 0, "0"},
    {"aten.broadcast_to.default", expand_forward, 0, "0"},
    {"aten.channel_shuffle.default", shuffle_forward, 0, "0"},
    {"aten.clone.default", clone_forward, 0, "0"},
    {"aten.contiguous.default", contiguous_forward, 0, "0"},
    {"aten.diagonal.default", diagonal_forward, 0, "0"},
    {"aten.expand.default", expand_forward, 0, "0"},
    {"aten.expand_as.default", expand_forward, 0, "0"},
    {"aten.fft_fftshift.default", roll_forward, 1, "0"},
    {"aten.fft_ifftshift.default", roll_forward, 1, "0"},
    {"aten.float.default", cast_forward, 0, "0"},
    {"aten.linalg_diagonal.default", diagonal_forward, 0, "0"},
    {"aten.meshgrid.indexing", meshgrid_forward, 0, "*"},
    {"aten.movedim.int", movedim_forward, 0, "0"},
    {"aten.movedim.intlist", movedim_forward, 0, "0"},
    {"aten.narrow.default", slice_forward, 0, "0"},
    {"aten.permute.default", permute_forward, 0, "0"},
    {"aten.pixel_shuffle.default", shuffle_forward, 0, "0"},
    {"aten.pixel_unshuffle.default", shuffle_forward, 0, "0"},
    {"aten.repeat.default", repeat_forward, 0, "0"},
    {"aten.roll.default", roll_forward, 0, "0"},
    {"aten.select.int", select_forward, 0, "0"},
    {"aten.slice.Tensor", slice_forward, 0, "0"},
    {"aten.tile.default", repeat_forward, 0, "0"},
    {"aten.to.device", cast_forward, 0, "0"},
    {"aten.to.dtype", cast_forward, 0, "0"},
    {"aten.to.dtype_layout", cast_forward, 0, "0"},
    {"aten.to.other", cast_forward, 0, "0"},
    {"aten.type_as.default", cast_forward, 0, "0"},
    {"aten.unfold.default", window_forward, 0, "0"},
};

const struct aten_ops aten_op_views = ATEN_OPS(views);

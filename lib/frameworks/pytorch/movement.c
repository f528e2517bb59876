/* Views and copies. PyTorch: aten/src/ATen/native/TensorShape.cpp. */
#include "frameworks/pytorch/operators.h"

/* ---- views ---- */

/* The gradient in the input's shape: a view if there is one. */
static void
view_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (value_viewable(incoming[0], &shape, strides))
        gradients[0] = value_view(step, incoming[0], &shape, strides);
    else
        gradients[0] = value_empty(step, &shape);
}

static const struct derivative view = {"view", view_backward};

static struct value *
view_with(struct step *step, struct value *x, const struct shape *shape, const int64_t *strides)
{
    struct value *result = value_view(step, x, shape, strides);

    step_record(step, &view, result, 1, &x);
    return result;
}

static void
pass_on(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)step;
    (void)node;
    gradients[0] = value_keep(incoming[0]);
}

static const struct derivative clone = {"clone", pass_on};

struct value *
aten_clone(struct step *step, struct value *x)
{
    struct value *result = value_like(step, x);

    step_record(step, &clone, result, 1, &x);
    return result;
}

/* A larger matrix is transposed tile by tile. PyTorch: aten/src/ATen/native/Copy.cpp, copy_transpose_valid */
static void
transpose_scratch(struct step *step, const struct value *x)
{
    enum { TILE = 60, TILE_OF_BYTES = 120, LEAST = 60 * 60 };
    int64_t side = dtype_bytes(x->shape.dtype) == 1 ? TILE_OF_BYTES : TILE;
    struct shape tile = {.dims = {side, side}, .rank = 2, .dtype = x->shape.dtype};

    if (step->device->host && x->shape.rank == 2 && x->strides[0] == 1 && x->strides[1] == x->shape.dims[0] &&
        value_elements(x) >= LEAST)
        value_scratch(step, &tile);
}

struct value *
aten_contiguous(struct step *step, struct value *x)
{
    struct value *result;

    if (value_is_contiguous(x))
        return value_keep(x);
    result = value_copy(step, x);
    transpose_scratch(step, x);
    step_record(step, &clone, result, 1, &x);
    return result;
}

struct value *
aten_channels_last(struct step *step, struct value *x)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *result;

    if (value_is_channels_last(x))
        return value_keep(x);
    shape_strides_channels_last(&x->shape, strides);
    result = value_empty_strided(step, &x->shape, strides);
    step_record(step, &clone, result, 1, &x);
    return result;
}

struct value *
aten_reshape(struct step *step, struct value *x, const struct shape *shape)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *copy, *result;

    if (value_viewable(x, shape, strides))
        return view_with(step, x, shape, strides);
    copy = value_copy(step, x);
    step_record(step, &clone, copy, 1, &x);
    shape_strides(shape, strides);
    result = view_with(step, copy, shape, strides);
    value_drop(step, copy);
    return result;
}

/* ---- permute: four bits of the node's number an axis ---- */

static void
permuted(const struct value *x, const int32_t *axes, struct shape *shape, int64_t *strides)
{
    *shape = x->shape;
    for (int i = 0; i < x->shape.rank; i++) {
        shape->dims[i] = x->shape.dims[axes[i]];
        strides[i] = x->strides[axes[i]];
    }
}

static int64_t
packed_axes(const int32_t *axes, int rank)
{
    int64_t packed = 0;

    for (int i = 0; i < rank; i++)
        packed |= (int64_t)axes[i] << 4 * i;
    return packed;
}

static void
inverse_axes(int64_t packed, int rank, int32_t inverse[MEMMODEL_MAX_RANK])
{
    for (int i = 0; i < rank; i++)
        inverse[packed >> 4 * i & 15] = i;
}

static void
permute_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    int32_t inverse[MEMMODEL_MAX_RANK] = {0};
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct shape shape;

    inverse_axes(node->number, incoming[0]->shape.rank, inverse);
    permuted(incoming[0], inverse, &shape, strides);
    gradients[0] = value_view(step, incoming[0], &shape, strides);
}

struct value *
aten_permute(struct step *step, struct value *x, const int32_t *axes)
{
    static const struct derivative permute = {"permute", permute_backward};
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct shape shape;
    struct value *result;
    struct node *node;

    permuted(x, axes, &shape, strides);
    result = value_view(step, x, &shape, strides);
    node = step_record(step, &permute, result, 1, &x);
    if (node)
        node->number = packed_axes(axes, shape.rank);
    return result;
}

/* Negative axes count from the end. */
struct value *
aten_transpose(struct step *step, struct value *x, int a, int b)
{
    int32_t axes[MEMMODEL_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};

    a = a < 0 ? a + x->shape.rank : a;
    b = b < 0 ? b + x->shape.rank : b;
    axes[a] = b;
    axes[b] = a;
    return aten_permute(step, x, axes);
}

/* ---- expand: the engine sums a gradient that is not of the input's shape; ExpandUtils.h, sum_to: always to no dims ---- */

static void
expand_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    if (shape.rank > 0) {
        gradients[0] = value_keep(incoming[0]);
        return;
    }
    gradients[0] = value_empty(step, &shape);
    sum_scratch(step, incoming[0], ALL_AXES, gradients[0]);
}

struct value *
aten_expand(struct step *step, struct value *x, const struct shape *shape)
{
    static const struct derivative expand = {"expand", expand_backward};
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    int offset = shape->rank - x->shape.rank;
    struct value *result;

    for (int i = 0; i < x->shape.rank; i++)
        strides[offset + i] = x->shape.dims[i] == 1 && shape->dims[offset + i] != 1 ? 0 : x->strides[i];
    result = value_view(step, x, shape, strides);
    step_record(step, &expand, result, 1, &x);
    return result;
}

/* ---- rules of the views ---- */

static void
reshape_forward(struct step *step, const struct layer *layer)
{
    struct shape shape = step_output_shape(step, layer, 0);

    step_output(step, layer, 0, aten_reshape(step, step_input(step, layer, 0), &shape));
}

const struct rule pytorch_reshape = {OP_RESHAPE, reshape_forward};
const struct rule pytorch_flatten = {OP_FLATTEN, reshape_forward};

static void
permute_forward(struct step *step, const struct layer *layer)
{
    const struct permute_options *options = layer->options;

    step_output(step, layer, 0, aten_permute(step, step_input(step, layer, 0), options->axes));
}

const struct rule pytorch_permute = {OP_PERMUTE, permute_forward};

static void
expand_forward(struct step *step, const struct layer *layer)
{
    struct shape shape = step_output_shape(step, layer, 0);

    step_output(step, layer, 0, aten_expand(step, step_input(step, layer, 0), &shape));
}

const struct rule pytorch_expand = {OP_EXPAND, expand_forward};

/* ---- channels ---- */

/*
 * PyTorch computes with the channels second. A network that has them last is run that way round: a row-major tensor is
 * relabelled, as if it had been made so; any other is seen through a permutation.
 */
static struct value *
relabelled(struct step *step, const struct value *x, const int32_t *axes)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct shape shape;
    struct value *result;

    permuted(x, axes, &shape, strides);
    if (!value_is_contiguous(x))
        return value_view(step, x, &shape, strides);
    shape_strides(&shape, strides);
    result = value_view(step, x, &shape, strides);
    if (!x->view)
        value_forget_base(step, result);
    return result;
}

static void
relabel_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    int32_t inverse[MEMMODEL_MAX_RANK] = {0};

    inverse_axes(node->number, incoming[0]->shape.rank, inverse);
    gradients[0] = relabelled(step, incoming[0], inverse);
}

static struct value *
relabel(struct step *step, struct value *x, const int32_t *axes)
{
    static const struct derivative derivative = {"permute", relabel_backward};
    struct value *result = relabelled(step, x, axes);
    struct node *node = step_record(step, &derivative, result, 1, &x);

    if (node)
        node->number = packed_axes(axes, x->shape.rank);
    return result;
}

struct value *
step_channels_first(struct step *step, struct value *x, int layout)
{
    int32_t axes[MEMMODEL_MAX_RANK] = {0}, rank = x->shape.rank;

    if (layout != MEMMODEL_LAYOUT_CHANNELS_LAST || rank < 3)
        return value_keep(x);
    axes[1] = rank - 1;
    for (int i = 2; i < rank; i++)
        axes[i] = i - 1;
    return relabel(step, x, axes);
}

struct value *
step_from_channels_first(struct step *step, struct value *x, int layout)
{
    int32_t axes[MEMMODEL_MAX_RANK] = {0}, rank = x->shape.rank;
    struct value *result;

    if (layout != MEMMODEL_LAYOUT_CHANNELS_LAST || rank < 3)
        return x;
    for (int i = 1; i < rank - 1; i++)
        axes[i] = i + 1;
    axes[rank - 1] = 1;
    result = relabel(step, x, axes);
    value_drop(step, x);
    return result;
}

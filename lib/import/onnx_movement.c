/* The same elements elsewhere: reshape, transpose, concatenate, expand, pad. */
#include "base/checked.h"
#include "import/onnx_import.h"

#include <string.h>

/* ---- reshape and its kin ---- */

/* Another shape with the same elements; a shape that it has already is another name. */
static void
reshape_to(struct import *import, int rank, const memmodel_dim *dims)
{
    struct value *x = node_value(import, 0);
    memmodel_tensor tensor = node_tensor(import, 0);

    if (!import->status)
        node_output(import, 0, memmodel_network_reshape(import->network, tensor, rank, dims));
    if (!import->status && x->shape.dtype == 0)
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "its type has no counterpart");
}

static memmodel_dim
reshaped_dim(struct import *import, const struct value *x, const struct value *shape, int i)
{
    int64_t integer;

    if (!element_integer(import, shape->elements[i], &integer))
        return dim_of_element(import, shape->elements[i]);
    if (integer == -1)
        return MEMMODEL_DIM_INFER;
    if (integer == 0 && !node_integer(import, "allowzero", 0) && i < x->shape.rank)
        return x->shape.dims[i];
    return dim_of_element(import, shape->elements[i]);
}

static void
build_reshape(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0), *shape = node_value(import, 1);
    memmodel_dim dims[MEMMODEL_MAX_RANK];

    (void)argument;
    if (import->status)
        return;
    if (!shape->elements || shape->count > MEMMODEL_MAX_RANK) {
        build_unknown(import);
        return;
    }
    for (size_t i = 0; i < shape->count; i++)
        dims[i] = reshaped_dim(import, x, shape, (int)i);
    reshape_to(import, (int)shape->count, dims);
}

static void
build_flatten(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0);
    int rank = x->shape.rank, axis;
    int64_t given = node_integer(import, "axis", 1);
    memmodel_dim dims[2];

    (void)argument;
    axis = given == rank ? rank : import_axis(import, given, rank ? rank : 1);
    if (import->status)
        return;
    dims[0] = import_product(import, x->shape.dims, axis);
    dims[1] = import_product(import, x->shape.dims + axis, rank - axis);
    reshape_to(import, 2, dims);
}

static void
build_squeeze(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0);
    bool gone[MEMMODEL_MAX_RANK] = {false};
    memmodel_dim dims[MEMMODEL_MAX_RANK];
    int axes[MEMMODEL_MAX_RANK], count = node_axes(import, 1, x->shape.rank, axes), rank = 0;

    (void)argument;
    for (int i = 0; i < count; i++)
        gone[axes[i]] = true;
    for (int i = 0; i < x->shape.rank; i++)
        if (count < 0 ? x->shape.dims[i] != 1 : !gone[i])
            dims[rank++] = x->shape.dims[i];
    reshape_to(import, rank, dims);
}

static void
build_unsqueeze(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0);
    bool new[2 * MEMMODEL_MAX_RANK] = {false};
    memmodel_dim dims[MEMMODEL_MAX_RANK];
    const struct onnx_attribute *attribute = node_attribute(import, "axes");
    const struct value *given = attribute ? NULL : node_value(import, 1);
    size_t added = attribute ? attribute->ints.count : given->elements ? given->count : 0;
    int axes[MEMMODEL_MAX_RANK], rank = x->shape.rank + (int)added, from = 0;

    (void)argument;
    if (added == 0 || added > MEMMODEL_MAX_RANK || rank > MEMMODEL_MAX_RANK) {
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "its axes are computed from data, or too many");
        return;
    }
    for (int i = 0, count = node_axes(import, 1, rank, axes); i < count; i++)
        new[axes[i]] = true;
    for (int i = 0; i < rank && !import->status; i++) {
        if (!new[i] && from == x->shape.rank)
            import_error(import, MEMMODEL_ERROR_SHAPE, "an axis stands twice");
        else
            dims[i] = new[i] ? 1 : x->shape.dims[from++];
    }
    if (!import->status)
        reshape_to(import, rank, dims);
}

static void
build_transpose(struct import *import, int64_t argument)
{
    int rank = node_value(import, 0)->shape.rank, axes[MEMMODEL_MAX_RANK];
    int64_t given[MEMMODEL_MAX_RANK];
    size_t count = node_integers(import, "perm", given, MEMMODEL_MAX_RANK);
    memmodel_tensor x = node_tensor(import, 0);

    (void)argument;
    if (count != 0 && count != (size_t)rank)
        import_error(import, MEMMODEL_ERROR_SHAPE, "perm has %zu axes for %d dimensions", count, rank);
    for (int i = 0; i < rank && !import->status; i++)
        axes[i] = count ? import_axis(import, given[i], rank) : rank - 1 - i;
    if (import->status)
        return;
    if (rank == 0)
        node_alias(import, node_value(import, 0));
    else
        node_output(import, 0, memmodel_network_permute(import->network, x, rank, axes));
}

/* ---- joining and repeating ---- */

static void
build_concat(struct import *import, int64_t argument)
{
    enum { MAX = 1024 };
    memmodel_tensor parts[MAX];
    size_t count = node_input_count(import);
    int axis = import_axis(import, node_integer(import, "axis", 0), node_value(import, 0)->shape.rank);

    (void)argument;
    if (count > MAX)
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "%zu inputs", count);
    for (size_t i = 0; i < count && !import->status; i++)
        parts[i] = node_tensor(import, i);
    if (!import->status)
        node_output(import, 0,
                    memmodel_network_concat(import->network, parts, count,
                                            MEMMODEL_CONCAT(.name = node_name(import), .axis = axis)));
}

/* Broadcasts both ways: a 1 in the shape keeps what is there. */
static void
build_expand(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0), *to = node_value(import, 1);
    struct memmodel_shape shape = {.dtype = x->shape.dtype};
    memmodel_tensor tensor;

    (void)argument;
    if (import->status)
        return;
    if (!to->elements || to->count > MEMMODEL_MAX_RANK) {
        build_unknown(import);
        return;
    }
    shape.rank = (int32_t)to->count;
    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = dim_of_element(import, to->elements[i]);
    import_broadcast(import, &shape, &x->shape);
    tensor = node_tensor(import, 0);
    if (!import->status)
        node_output(import, 0, memmodel_network_expand(import->network, tensor, shape.rank, shape.dims));
}

static void
build_tile(struct import *import, int64_t argument)
{
    const struct value *repeats = node_value(import, 1);
    struct memmodel_shape shape = node_value(import, 0)->shape;

    (void)argument;
    if (!repeats->elements || repeats->count != (size_t)shape.rank) {
        build_unknown(import);
        return;
    }
    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = dim_of_element(
            import, import_expression(import, expression_multiply(import->pool, element_of_dim(import, shape.dims[i]),
                                                                  repeats->elements[i])));
    build_custom_one(import, &shape);
}

/* ---- padding ---- */

/* Pads as constants: `before` and `after` of each axis, of the attribute of old opsets or of input 1. */
static bool
constant_pads(struct import *import, int rank, int64_t pads[2 * MEMMODEL_MAX_RANK])
{
    const struct value *given = node_attribute(import, "pads") ? NULL : node_optional(import, 1);
    size_t count = node_integers(import, "pads", pads, 2 * MEMMODEL_MAX_RANK);

    if (!given)
        return count == 2 * (size_t)rank;
    if (!given->elements || given->count != 2 * (size_t)rank || node_optional(import, 3))
        return false;
    for (int i = 0; i < 2 * rank; i++)
        if (!element_integer(import, given->elements[i], &pads[i]) || pads[i] > INT32_MAX || pads[i] < -INT32_MAX)
            return false;
    return true;
}

/* The shape after pads that cut something off. */
static void
add_pads(struct import *import, const int64_t *pads, struct memmodel_shape *shape)
{
    for (int i = 0; i < shape->rank && !import->status; i++) {
        int64_t before = pads[i], after = pads[shape->rank + i], both;

        if (checked_add(before, after, &both))
            shape->dims[i] = import_linear(import, shape->dims[i], both, 1);
        else
            import_error(import, MEMMODEL_ERROR_OVERFLOW, "pads of %lld and %lld do not fit in 63 bits",
                         (long long)before, (long long)after);
    }
}

static void
build_pad(struct import *import, int64_t argument)
{
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"}; /* of enum memmodel_pad_kind */
    struct memmodel_shape shape = node_value(import, 0)->shape;
    struct memmodel_pad pad = {.size = sizeof pad, .name = node_name(import)};
    const char *mode = node_text(import, "mode", "constant");
    int64_t pads[2 * MEMMODEL_MAX_RANK];
    bool grows = true;
    memmodel_tensor x;

    (void)argument;
    if (!constant_pads(import, shape.rank, pads)) {
        build_unknown(import);
        return;
    }
    for (int i = 0; i < 4; i++)
        pad.kind = strcmp(mode, modes[i]) == 0 ? i : pad.kind;
    for (int i = 0; i < shape.rank; i++) {
        pad.before[i] = pads[i];
        pad.after[i] = pads[shape.rank + i];
        grows = grows && pads[i] >= 0 && pads[shape.rank + i] >= 0;
    }
    if (grows) {
        x = node_tensor(import, 0);
        if (!import->status)
            node_output(import, 0, memmodel_network_pad(import->network, x, &pad));
        return;
    }
    add_pads(import, pads, &shape);
    if (!import->status)
        build_custom_one(import, &shape);
}

/* ---- between channels and space ---- */

static void
build_depth_to_space(struct import *import, int64_t to_depth)
{
    struct memmodel_shape shape = node_value(import, 0)->shape;
    int64_t block = node_integer(import, "blocksize", 0);
    expression factor[4];

    if (shape.rank != 4 || block < 1 || block > INT16_MAX) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "blocksize is %lld, and the input has %d dimensions",
                     (long long)block, shape.rank);
        return;
    }
    factor[1] = expression_rational(import->pool, to_depth ? block * block : 1, to_depth ? 1 : block * block);
    factor[2] = factor[3] = expression_rational(import->pool, to_depth ? 1 : block, to_depth ? block : 1);
    for (int i = 1; i < 4; i++)
        shape.dims[i] = dim_of_element(
            import, import_expression(
                        import, expression_multiply(import->pool, factor[i], element_of_dim(import, shape.dims[i]))));
    build_custom_one(import, &shape);
}

const struct onnx_rule onnx_movement_rules[] = {
    {"Reshape", build_reshape, 0},
    {"Flatten", build_flatten, 0},
    {"Squeeze", build_squeeze, 0},
    {"Unsqueeze", build_unsqueeze, 0},
    {"Transpose", build_transpose, 0},
    {"Concat", build_concat, 0},
    {"Expand", build_expand, 0},
    {"Tile", build_tile, 0},
    {"Pad", build_pad, 0},
    {"DepthToSpace", build_depth_to_space, 0},
    {"SpaceToDepth", build_depth_to_space, 1},
    {0},
};

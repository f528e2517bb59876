/* Parts and sums of tensors: gather, slice, split, reduce; and tensors made from a shape. */
#include "import/onnx_import.h"

#include "base/checked.h"

#include <string.h>

/* ---- gather ---- */

/* Rows of a stored table by indices from data. */
static bool
is_lookup(const struct value *table, const struct value *indices, int axis)
{
    return table->stored && table->shape.rank == 2 && axis == 0 && !indices->elements && table->shape.dims[0] > 0 &&
           table->shape.dims[1] > 0 && table->shape.dtype >= MEMMODEL_DTYPE_FLOAT32 &&
           table->shape.dtype <= MEMMODEL_DTYPE_BFLOAT16 && indices->shape.rank < MEMMODEL_MAX_RANK;
}

static void
build_lookup(struct import *import, const struct value *table)
{
    memmodel_tensor indices = node_tensor(import, 1);
    struct memmodel_embedding embedding = {
        .size = sizeof embedding,
        .name = node_name(import),
        .num_embeddings = table->shape.dims[0],
        .embedding_dim = table->shape.dims[1],
        .dtype = table->shape.dtype,
    };

    node_use(import, "weight", 0);
    if (node_ready(import))
        node_output(import, 0, memmodel_network_embedding(import->network, indices, &embedding));
}

/* One element of an axis, by a constant index. */
static bool
build_select(struct import *import, const struct value *x, const struct value *indices, int axis)
{
    struct memmodel_slice slice = {.size = sizeof slice, .name = node_name(import), .axis = axis, .squeeze = 1};
    memmodel_tensor tensor;
    int64_t index;

    if (indices->shape.rank != 0 || !indices->elements || !element_integer(import, indices->elements[0], &index))
        return false;
    slice.start = index >= 0 ? index : import_linear(import, x->shape.dims[axis], index, 1);
    slice.stop = import_linear(import, slice.start, 1, 1);
    tensor = node_tensor(import, 0);
    if (!import->status)
        node_output(import, 0, memmodel_network_slice(import->network, tensor, &slice));
    return true;
}

static void
build_gather(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0), *indices = node_value(import, 1);
    int axis = import_axis(import, node_integer(import, "axis", 0), x->shape.rank);
    struct memmodel_shape y = {.dtype = x->shape.dtype};

    (void)argument;
    if (import->status)
        return;
    if (is_lookup(x, indices, axis)) {
        build_lookup(import, x);
        return;
    }
    if (build_select(import, x, indices, axis))
        return;
    if (x->shape.rank - 1 + indices->shape.rank > MEMMODEL_MAX_RANK) {
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "more than %d dimensions", MEMMODEL_MAX_RANK);
        return;
    }
    for (int i = 0; i < axis; i++)
        y.dims[y.rank++] = x->shape.dims[i];
    for (int i = 0; i < indices->shape.rank; i++)
        y.dims[y.rank++] = indices->shape.dims[i];
    for (int i = axis + 1; i < x->shape.rank; i++)
        y.dims[y.rank++] = x->shape.dims[i];
    build_custom_one(import, &y);
}

static void
build_gather_elements(struct import *import, int64_t argument)
{
    struct memmodel_shape shape = node_value(import, 1)->shape;

    (void)argument;
    shape.dtype = node_value(import, 0)->shape.dtype;
    build_custom_one(import, &shape);
}

/* The last axis of the indices says which: it goes, and what it does not say of x comes behind. */
static void
build_gather_nd(struct import *import, int64_t argument)
{
    const struct value *x = node_value(import, 0), *indices = node_value(import, 1);
    int64_t batch = node_integer(import, "batch_dims", 0), said;
    struct memmodel_shape y = {.dtype = x->shape.dtype};

    (void)argument;
    said = indices->shape.rank ? indices->shape.dims[indices->shape.rank - 1] : 0;
    if (said < 1 || batch < 0 || batch > x->shape.rank || said > x->shape.rank - batch ||
        indices->shape.rank - 1 + x->shape.rank - batch - said > MEMMODEL_MAX_RANK) {
        build_unknown(import);
        return;
    }
    for (int i = 0; i < indices->shape.rank - 1; i++)
        y.dims[y.rank++] = indices->shape.dims[i];
    for (int i = (int)(batch + said); i < x->shape.rank; i++)
        y.dims[y.rank++] = x->shape.dims[i];
    build_custom_one(import, &y);
}

/* ---- slices ---- */

struct range {
    expression start, end; /* as given; negative ones count from the end */
    int64_t axis, step;
};

/* Number `i` of input `input`, or of the attribute of old opsets; `otherwise` if neither is given. */
static bool
range_number(struct import *import, size_t input, const char *name, size_t i, int64_t otherwise, expression *number)
{
    const struct onnx_attribute *attribute = node_attribute(import, name);
    const struct value *value = attribute ? NULL : node_optional(import, input);

    if (attribute && i < attribute->ints.count) {
        *number = import_expression(import, expression_integer(import->pool, *ONNX_ITEM(attribute->ints, int64_t, i)));
        return true;
    }
    if (value) {
        if (!value->elements || i >= value->count)
            return false;
        *number = value->elements[i];
        return true;
    }
    *number = import_expression(import, expression_integer(import->pool, otherwise));
    return !attribute;
}

static bool
read_range(struct import *import, size_t i, int rank, struct range *range)
{
    expression axis, step;

    if (!range_number(import, 1, "starts", i, 0, &range->start) ||
        !range_number(import, 2, "ends", i, 0, &range->end) || !range_number(import, 3, "axes", i, (int64_t)i, &axis) ||
        !range_number(import, 4, "steps", i, 1, &step) || !element_integer(import, axis, &range->axis) ||
        !element_integer(import, step, &range->step))
        return false;
    range->axis = import_axis(import, range->axis, rank);
    return range->step != 0 && range->step > -INT32_MAX && range->step < INT32_MAX;
}

/* A bound of a slice between 0 and the size: negative ones count from the end. */
static expression
clamped(struct import *import, expression bound, expression size)
{
    expression zero = expression_integer(import->pool, 0);
    int64_t integer;

    if (element_integer(import, bound, &integer) && (integer == INT64_MAX || integer >= INT32_MAX))
        return size;
    if (element_integer(import, bound, &integer) && integer <= -INT32_MAX)
        return zero;
    if (element_compare(import, bound, zero) == -1) {
        bound = import_expression(import, expression_add(import->pool, size, bound));
        return element_compare(import, bound, zero) == -1 ? zero : bound;
    }
    return element_compare(import, bound, size) == 1 ? size : bound;
}

/* A constant end may lie behind a size that is not known. */
static expression
clamped_end(struct import *import, expression end, expression size)
{
    expression bound = clamped(import, end, size);
    int64_t integer;

    if (element_integer(import, bound, &integer) && element_compare(import, bound, size) == 2)
        return import_expression(import, expression_min(import->pool, bound, size));
    return bound;
}

/* The size of a slice with a step that is not 1: ceil((end - start) / step). */
static memmodel_dim
stepped_size(struct import *import, const struct range *range, expression size)
{
    struct expression_pool *pool = import->pool;
    expression start, end, length;
    int64_t step = range->step;

    if (step < 0) { /* as a rule all of it, from behind */
        start = expression_integer(pool, 0);
        end = size;
        step = -step;
    } else {
        start = clamped(import, range->start, size);
        end = clamped_end(import, range->end, size);
    }
    length = import_expression(import, expression_subtract(pool, end, start));
    return dim_of_element(import, import_expression(import, expression_ceil_divide(pool, length, step)));
}

static memmodel_tensor
slice_axis(struct import *import, memmodel_tensor x, const struct range *range, bool last)
{
    struct memmodel_slice slice = {
        .size = sizeof slice, .name = last ? node_name(import) : NULL, .axis = (int32_t)range->axis};
    struct memmodel_shape shape;
    expression size, end;

    if (memmodel_network_get_shape(import->network, x, &shape) || import->status)
        return x;
    size = element_of_dim(import, shape.dims[range->axis]);
    end = clamped_end(import, range->end, size);
    slice.start = dim_of_element(import, clamped(import, range->start, size));
    slice.stop = end == size ? 0 : dim_of_element(import, end);
    slice.step = range->step;
    if (import->status)
        return x;
    if (slice.start == slice.stop && end != size) {
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "nothing is left of axis %lld", (long long)range->axis);
        return x;
    }
    if (slice.start == 0 && slice.stop == 0 && slice.step == 1 && !last)
        return x;
    return memmodel_network_slice(import->network, x, &slice);
}

/* From behind there is no builder call. */
static void
build_reversed(struct import *import, size_t count)
{
    struct memmodel_shape shape = node_value(import, 0)->shape;

    for (size_t i = 0; i < count && !import->status; i++) {
        struct range range;

        if (read_range(import, i, shape.rank, &range))
            shape.dims[range.axis] = stepped_size(import, &range, element_of_dim(import, shape.dims[range.axis]));
    }
    build_custom_one(import, &shape);
}

static size_t
range_count(struct import *import)
{
    const struct onnx_attribute *attribute = node_attribute(import, "starts");
    const struct value *starts = attribute ? NULL : node_value(import, 1);

    if (attribute)
        return attribute->ints.count;
    return starts->elements ? starts->count : 0;
}

static void
build_slice(struct import *import, int64_t argument)
{
    struct range ranges[MEMMODEL_MAX_RANK];
    size_t count = range_count(import);
    int rank = node_value(import, 0)->shape.rank;
    bool backwards = false;
    memmodel_tensor x;

    (void)argument;
    if (count == 0 || count > MEMMODEL_MAX_RANK) {
        build_unknown(import);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_range(import, i, rank, &ranges[i])) {
            build_unknown(import);
            return;
        }
        backwards = backwards || ranges[i].step < 0;
    }
    if (backwards) {
        build_reversed(import, count);
        return;
    }
    x = node_tensor(import, 0);
    for (size_t i = 0; i < count && x >= 0 && !import->status; i++)
        x = slice_axis(import, x, &ranges[i], i + 1 == count);
    node_output(import, 0, x);
}

/* ---- split ---- */

/* Sizes as given; 0: equal parts. */
static size_t
split_sizes(struct import *import, memmodel_dim *sizes, size_t max)
{
    const struct value *given = node_attribute(import, "split") ? NULL : node_optional(import, 1);
    int64_t integers[64];
    size_t count = node_integers(import, "split", integers, 64);

    if (given && (!given->elements || given->count > max)) {
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "its parts are computed from data");
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        sizes[i] = integers[i];
        if (integers[i] < 0)
            import_error(import, MEMMODEL_ERROR_SHAPE, "a part of %lld", (long long)integers[i]);
    }
    for (size_t i = 0; given && i < given->count; i++)
        sizes[count++] = dim_of_element(import, given->elements[i]);
    return count;
}

/* Equal parts but for the last one, which is what is left. */
static size_t
uneven_sizes(memmodel_dim size, int64_t parts, memmodel_dim *sizes, size_t max)
{
    int64_t part = size > 0 ? ceil_divide(size, parts) : 0;

    if (size < 0 || size % parts == 0 || (size_t)parts > max || size - part * (parts - 1) < 0)
        return 0;
    for (int64_t i = 0; i < parts; i++)
        sizes[i] = i + 1 < parts ? part : size - part * (parts - 1);
    return (size_t)parts;
}

static void
build_split(struct import *import, int64_t argument)
{
    memmodel_dim sizes[64];
    const struct value *x = node_value(import, 0);
    int axis = import_axis(import, node_integer(import, "axis", 0), x->shape.rank);
    size_t count = split_sizes(import, sizes, 64), outputs = import->node->outputs.count;
    int64_t parts = node_integer(import, "num_outputs", (int64_t)outputs);
    memmodel_tensor tensor = node_tensor(import, 0);

    (void)argument;
    if (import->status || parts < 1 || parts > INT16_MAX || (count && count < outputs) ||
        (!count && (size_t)parts < outputs)) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "%zu outputs of %lld parts", outputs, (long long)parts);
        return;
    }
    if (count == 0)
        count = uneven_sizes(x->shape.dims[axis], parts, sizes, 64);
    tensor = memmodel_network_split(import->network, tensor,
                                    MEMMODEL_SPLIT(.name = node_name(import), .axis = axis,
                                                   .parts = (int32_t)(count ? (int64_t)count : parts),
                                                   .sizes = count ? sizes : NULL));
    for (size_t i = 0; i < outputs; i++)
        node_output(import, i,
                    i && tensor >= 0 ? memmodel_network_layer_output(import->network, tensor, (int)i) : tensor);
}

/* ---- reductions ---- */

/* Axes are an attribute, or an input since opset 13 (ReduceSum) or 18. None at all: every axis, or a mere copy. */
static void
build_reduce(struct import *import, int64_t kind)
{
    const struct value *x = node_value(import, 0);
    struct memmodel_reduce reduce = {.size = sizeof reduce, .name = node_name(import), .kind = (int32_t)kind};
    int axes[MEMMODEL_MAX_RANK], count = node_axes(import, 1, x->shape.rank, axes);
    memmodel_tensor tensor = node_tensor(import, 0);

    if (count <= 0 && node_integer(import, "noop_with_empty_axes", 0)) {
        node_alias(import, node_value(import, 0));
        return;
    }
    reduce.keep_dims = node_integer(import, "keepdims", 1) != 0;
    reduce.axis_count = count < 0 ? 0 : count;
    for (int i = 0; i < reduce.axis_count; i++)
        reduce.axes[i] = axes[i];
    if (!import->status)
        node_output(import, 0, memmodel_network_reduce(import->network, tensor, &reduce));
}

/* Where the greatest or least element is. */
static void
build_arg(struct import *import, int64_t argument)
{
    struct memmodel_shape shape = node_value(import, 0)->shape, y = {.dtype = MEMMODEL_DTYPE_INT64};
    int axis = import_axis(import, node_integer(import, "axis", 0), shape.rank);
    bool keep = node_integer(import, "keepdims", 1) != 0;

    (void)argument;
    for (int i = 0; i < shape.rank; i++)
        if (i != axis || keep)
            y.dims[y.rank++] = i == axis ? 1 : shape.dims[i];
    build_custom_one(import, &y);
}

static void
build_top_k(struct import *import, int64_t argument)
{
    struct memmodel_shape shapes[2] = {node_value(import, 0)->shape};
    const struct value *k = node_attribute(import, "k") ? NULL : node_value(import, 1);
    int axis = import_axis(import, node_integer(import, "axis", -1), shapes[0].rank);

    (void)argument;
    if (k && (!k->elements || k->count != 1)) {
        build_unknown(import);
        return;
    }
    if (!import->status)
        shapes[0].dims[axis] = k ? dim_of_element(import, k->elements[0]) : node_integer(import, "k", 1);
    shapes[1] = shapes[0];
    shapes[1].dtype = MEMMODEL_DTYPE_INT64;
    build_custom(import, shapes, 2);
}

/* ---- made from a shape ---- */

static void
build_constant_of_shape(struct import *import, int64_t argument)
{
    const struct onnx_attribute *attribute = node_attribute(import, "value");
    const struct value *given = node_value(import, 0);
    struct memmodel_shape shape = {.dtype = attribute && attribute->tensor ? attribute->tensor->shape.dtype
                                                                           : MEMMODEL_DTYPE_FLOAT32};

    (void)argument;
    if (!given->elements || given->count > MEMMODEL_MAX_RANK || shape.dtype == 0) {
        build_unknown(import);
        return;
    }
    shape.rank = (int32_t)given->count;
    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = dim_of_element(import, given->elements[i]);
    build_custom_one(import, &shape);
}

static void
build_range(struct import *import, int64_t argument)
{
    const struct value *start = node_value(import, 0), *limit = node_value(import, 1), *delta = node_value(import, 2);
    struct memmodel_shape shape = {.rank = 1, .dtype = start->shape.dtype};
    expression length;
    int64_t step;

    (void)argument;
    if (!start->elements || !limit->elements || !delta->elements || start->count != 1 || limit->count != 1 ||
        delta->count != 1 || !element_integer(import, delta->elements[0], &step) || step < 1) {
        build_unknown(import);
        return;
    }
    length = import_expression(import, expression_subtract(import->pool, limit->elements[0], start->elements[0]));
    shape.dims[0] =
        dim_of_element(import, import_expression(import, expression_ceil_divide(import->pool, length, step)));
    build_custom_one(import, &shape);
}

static void
build_one_hot(struct import *import, int64_t argument)
{
    struct memmodel_shape shape = node_value(import, 0)->shape, y = {.dtype = node_value(import, 2)->shape.dtype};
    const struct value *depth = node_value(import, 1);
    int axis = import_axis(import, node_integer(import, "axis", -1), shape.rank + 1);

    (void)argument;
    if (!depth->elements || depth->count != 1 || shape.rank == MEMMODEL_MAX_RANK) {
        build_unknown(import);
        return;
    }
    for (int i = 0; i <= shape.rank; i++)
        y.dims[y.rank++] = i == axis ? dim_of_element(import, depth->elements[0]) : shape.dims[i < axis ? i : i - 1];
    build_custom_one(import, &y);
}

/* ---- from places in an image ---- */

/* Pixels at the places of a grid [N, ..., 2 or 3]. */
static void
build_grid_sample(struct import *import, int64_t argument)
{
    struct memmodel_shape shape = node_value(import, 0)->shape;
    const struct memmodel_shape *grid = &node_value(import, 1)->shape;

    (void)argument;
    if (shape.rank < 3 || grid->rank != shape.rank) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "an image of %d dimensions and a grid of %d", shape.rank,
                     grid->rank);
        return;
    }
    for (int i = 2; i < shape.rank; i++)
        shape.dims[i] = grid->dims[i - 1];
    build_custom_one(import, &shape);
}

/* Regions [R, 4 or 5] of an image [N, C, H, W], each as large as the attributes say. */
static void
build_roi(struct import *import, int64_t pooled)
{
    struct memmodel_shape shape = node_value(import, 0)->shape;
    const struct memmodel_shape *regions = &node_value(import, 1)->shape;
    int64_t sizes[2] = {node_integer(import, "output_height", 1), node_integer(import, "output_width", 1)};

    if (pooled)
        node_integers(import, "pooled_shape", sizes, 2);
    if (shape.rank != 4 || regions->rank != 2 || sizes[0] < 1 || sizes[1] < 1) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "an image of %d dimensions, regions of %d", shape.rank,
                     regions->rank);
        return;
    }
    shape.dims[0] = regions->dims[0];
    shape.dims[2] = sizes[0];
    shape.dims[3] = sizes[1];
    build_custom_one(import, &shape);
}

/* Numbers by chance, of the shape that an attribute says. */
static void
build_random(struct import *import, int64_t argument)
{
    int64_t sizes[MEMMODEL_MAX_RANK];
    size_t rank = node_integers(import, "shape", sizes, MEMMODEL_MAX_RANK);
    struct memmodel_shape shape = {.rank = (int32_t)rank, .dtype = onnx_dtype(node_integer(import, "dtype", 1))};

    (void)argument;
    for (size_t i = 0; i < rank; i++) {
        shape.dims[i] = sizes[i];
        if (sizes[i] < 1)
            import_error(import, MEMMODEL_ERROR_SHAPE, "its shape has a %lld", (long long)sizes[i]);
    }
    if (!import->status)
        build_custom_one(import, &shape);
}

const struct onnx_rule onnx_selection_rules[] = {
    {"Gather", build_gather, 0},
    {"GatherElements", build_gather_elements, 0},
    {"GatherND", build_gather_nd, 0},
    {"Slice", build_slice, 0},
    {"Split", build_split, 0},
    {"ReduceMax", build_reduce, MEMMODEL_REDUCE_MAX},
    {"ReduceMean", build_reduce, MEMMODEL_REDUCE_MEAN},
    {"ReduceMin", build_reduce, MEMMODEL_REDUCE_MIN},
    {"ReduceProd", build_reduce, MEMMODEL_REDUCE_PRODUCT},
    {"ReduceSum", build_reduce, MEMMODEL_REDUCE_SUM},
    {"ReduceL1", build_reduce, MEMMODEL_REDUCE_SUM},
    {"ReduceL2", build_reduce, MEMMODEL_REDUCE_SUM},
    {"ReduceLogSum", build_reduce, MEMMODEL_REDUCE_SUM},
    {"ReduceLogSumExp", build_reduce, MEMMODEL_REDUCE_SUM},
    {"ReduceSumSquare", build_reduce, MEMMODEL_REDUCE_SUM},
    {"ArgMax", build_arg, 0},
    {"ArgMin", build_arg, 0},
    {"TopK", build_top_k, 0},
    {"ConstantOfShape", build_constant_of_shape, 0},
    {"Range", build_range, 0},
    {"OneHot", build_one_hot, 0},
    {"GridSample", build_grid_sample, 0},
    {"RoiAlign", build_roi, 0},
    {"MaxRoiPool", build_roi, 1},
    {"RandomNormal", build_random, 0},
    {"RandomUniform", build_random, 0},
    {0},
};

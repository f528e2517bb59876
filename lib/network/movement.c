/* The same elements elsewhere: padding, cropping, concatenation, splitting, slicing. */
#include "network/builder.h"

static const char *const pad_mode_names[] = {"constant", "reflect", "replicate", "circular", NULL};

static const struct field pad_fields[] = {
    FIELD_ARRAY(memmodel_pad, before, MEMMODEL_MAX_RANK),
    FIELD_ARRAY(memmodel_pad, after, MEMMODEL_MAX_RANK),
    FIELD_CHOICE(memmodel_pad, kind, pad_mode_names),
    FIELD(memmodel_pad, reserved, FIELD_RESERVED),
    FIELDS_END,
};

static const struct field concat_fields[] = {
    FIELD(memmodel_concat, axis, FIELD_AXIS),
    FIELD(memmodel_concat, along_channels, FIELD_FLAG),
    FIELD(memmodel_concat, layout, FIELD_LAYOUT),
    FIELD(memmodel_concat, reserved, FIELD_RESERVED),
    FIELDS_END,
};

static const struct field split_fields[] = {
    FIELD(memmodel_split, parts, FIELD_NUMBER),
    FIELD_LIST(memmodel_split, sizes, FIELD_DIM_LIST, parts),
    FIELD(memmodel_split, axis, FIELD_AXIS),
    FIELDS_END,
};

static const struct field slice_fields[] = {
    FIELD(memmodel_slice, start, FIELD_DIM),    FIELD(memmodel_slice, stop, FIELD_DIM),
    FIELD_ARRAY(memmodel_slice, step, 1),       FIELD(memmodel_slice, axis, FIELD_AXIS),
    FIELD(memmodel_slice, squeeze, FIELD_FLAG), FIELDS_END,
};

/* ---- padding and cropping ---- */

/* Adds `sign` times before + after to each axis. */
static int
infer_margins(struct draft *draft, int sign)
{
    const struct memmodel_pad *pad = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);

    for (int i = 0; i < MEMMODEL_MAX_RANK; i++) {
        int64_t both = (int64_t)dim_add(draft, pad->before[i], pad->after[i]);

        if (i >= shape.rank && both)
            return draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d of a tensor with %d dimensions", i, shape.rank);
        if (both)
            shape.dims[i] = dim_window(draft, i, shape.dims[i], sign * both, 1, 0);
    }
    return draft_output(draft, &shape);
}

static int
infer_pad(struct draft *draft)
{
    return infer_margins(draft, 1);
}

static int
infer_crop(struct draft *draft)
{
    return infer_margins(draft, -1);
}

const struct op_description op_pad = {
    .name = "pad",
    OPTIONS(memmodel_pad, pad_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_pad,
};

const struct op_description op_crop = {
    .name = "crop",
    OPTIONS(memmodel_pad, pad_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_crop,
};

memmodel_tensor
memmodel_network_pad(memmodel_network *network, memmodel_tensor x, const struct memmodel_pad *options)
{
    return network_add(network, OP_PAD, &x, 1, options);
}

memmodel_tensor
memmodel_network_crop(memmodel_network *network, memmodel_tensor x, const struct memmodel_pad *options)
{
    return network_add(network, OP_CROP, &x, 1, options);
}

/* ---- concatenation ---- */

/* The shape so far, longer by input `index` along `axis`; all other dimensions must be equal. */
static int
append_input(struct draft *draft, struct memmodel_shape *shape, size_t index, int axis)
{
    struct memmodel_shape x = draft_shape(draft, index);

    if (x.rank != shape->rank)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "input %zu has %d dimensions, but input 0 has %d", index,
                           x.rank, shape->rank);
    if (x.dtype != shape->dtype)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "input %zu is %s, but input 0 is %s", index,
                           memmodel_dtype_name(x.dtype), memmodel_dtype_name(shape->dtype));
    for (int i = 0; i < x.rank; i++)
        if (i != axis)
            draft_require_equal(draft, i, x.dims[i], draft->inputs[index], shape->dims[i], draft->inputs[0]);
    shape->dims[axis] = dim_add(draft, shape->dims[axis], x.dims[axis]);
    return draft->status;
}

static int
infer_concat(struct draft *draft)
{
    struct memmodel_concat *concat = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);
    int axis = 0;

    if (concat->along_channels)
        concat->axis = channel_axis(concat->layout, shape.rank);
    if (draft_axis(draft, concat->axis, shape.rank, &axis))
        return draft->status;
    concat->axis = axis;
    for (size_t i = 1; i < draft->input_count; i++)
        if (append_input(draft, &shape, i, axis))
            return draft->status;
    return draft_output(draft, &shape);
}

const struct op_description op_concat = {
    .name = "concat",
    OPTIONS(memmodel_concat, concat_fields),
    INPUTS(1, MAX_INPUTS_ANY),
    .needs_options = true,
    .infer = infer_concat,
};

memmodel_tensor
memmodel_network_concat(memmodel_network *network, const memmodel_tensor *tensors, size_t count,
                        const struct memmodel_concat *options)
{
    return network_add(network, OP_CONCAT, tensors, count, options);
}

/* ---- splitting ---- */

enum { MAX_PARTS = 65536 };

static int
split_by_sizes(struct draft *draft, struct memmodel_shape shape, int axis)
{
    const struct memmodel_split *split = draft->options;
    memmodel_dim whole = shape.dims[axis], sum = 0;

    for (int32_t i = 0; i < split->parts; i++)
        sum = dim_add(draft, sum, split->sizes[i]);
    draft_require_equal(draft, axis, sum, MEMMODEL_TENSOR_NONE, whole, draft->inputs[0]);
    for (int32_t i = 0; i < split->parts && !draft->status; i++) {
        shape.dims[axis] = split->sizes[i];
        draft_output(draft, &shape);
    }
    return draft->status;
}

static int
infer_split(struct draft *draft)
{
    struct memmodel_split *split = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);
    int axis = 0;

    if (draft_axis(draft, split->axis, shape.rank, &axis))
        return draft->status;
    split->axis = axis;
    if (split->parts < 1 || split->parts > MAX_PARTS)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "%d parts, needs 1 to %d", split->parts, MAX_PARTS);
    if (split->sizes)
        return split_by_sizes(draft, shape, axis);
    shape.dims[axis] = dim_divide_exactly(draft, axis, shape.dims[axis], split->parts);
    for (int32_t i = 0; i < split->parts && !draft->status; i++)
        draft_output(draft, &shape);
    return draft->status;
}

const struct op_description op_split = {
    .name = "split",
    OPTIONS(memmodel_split, split_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_split,
};

memmodel_tensor
memmodel_network_split(memmodel_network *network, memmodel_tensor x, const struct memmodel_split *options)
{
    return network_add(network, OP_SPLIT, &x, 1, options);
}

/* ---- slicing ---- */

static int
remove_axis(struct draft *draft, struct memmodel_shape *shape, int axis)
{
    shape->rank--;
    for (int i = axis; i < shape->rank; i++)
        shape->dims[i] = shape->dims[i + 1];
    return draft_output(draft, shape);
}

static int
infer_slice(struct draft *draft)
{
    struct memmodel_slice *slice = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);
    int axis = 0;

    if (draft_axis(draft, slice->axis, shape.rank, &axis))
        return draft->status;
    slice->axis = axis;
    if (slice->step == 0)
        slice->step = 1;
    if (slice->squeeze)
        slice->stop = dim_add(draft, slice->start, 1);
    if (slice->stop == 0)
        slice->stop = shape.dims[axis];
    draft_require_at_most(draft, axis, slice->stop, shape.dims[axis], draft->inputs[0]);
    if (slice->squeeze)
        return remove_axis(draft, &shape, axis);
    if (slice->stop == slice->start)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d: nothing is left", axis);
    shape.dims[axis] = dim_ceil_divide(draft, dim_subtract(draft, axis, slice->stop, slice->start), slice->step);
    return draft_output(draft, &shape);
}

const struct op_description op_slice = {
    .name = "slice",
    OPTIONS(memmodel_slice, slice_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_slice,
};

memmodel_tensor
memmodel_network_slice(memmodel_network *network, memmodel_tensor x, const struct memmodel_slice *options)
{
    return network_add(network, OP_SLICE, &x, 1, options);
}

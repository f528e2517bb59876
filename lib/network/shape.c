/* The same elements in another shape: reshape, flatten, permute, expand. */
#include "network/builder.h"

#include <string.h>

static const struct field reshape_fields[] = {
    FIELD_LIST(reshape_options, dims, FIELD_DIMS, rank),
    FIELD(reshape_options, reserved, FIELD_RESERVED),
    FIELDS_END,
};

static const struct field flatten_fields[] = {
    FIELD(flatten_options, first, FIELD_AXIS),
    FIELD(flatten_options, last, FIELD_AXIS),
    FIELDS_END,
};

static const struct field permute_fields[] = {
    FIELD_LIST(permute_options, axes, FIELD_AXES, rank),
    FIELD(permute_options, reserved, FIELD_RESERVED),
    FIELDS_END,
};

/* ---- reshape ---- */

/* Takes `dim` out of the factors; false if it is none of them. */
static bool
cancel(memmodel_dim *factors, int *count, memmodel_dim dim)
{
    for (int i = 0; i < *count; i++)
        if (factors[i] == dim) {
            factors[i] = factors[--*count];
            return true;
        }
    return false;
}

/*
 * The elements of x and of the new shape, without the factors that both have, and the place of MEMMODEL_DIM_INFER (-1:
 * none). What both have need not be divided, so that [batch, c, h, w] becomes [batch, the rest] without a quotient of
 * symbols.
 */
static int
compare_elements(struct draft *draft, memmodel_dim *old, memmodel_dim *new, int *inferred)
{
    const struct reshape_options *options = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0);
    memmodel_dim left[MEMMODEL_MAX_RANK];
    int count = 0;

    *inferred = -1;
    for (int i = 0; i < options->rank; i++) {
        if (options->dims[i] == MEMMODEL_DIM_INFER && *inferred >= 0)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "dimensions %d and %d are both to be inferred",
                               *inferred, i);
        if (options->dims[i] == MEMMODEL_DIM_INFER)
            *inferred = i;
        else if (!cancel(x.dims, &x.rank, options->dims[i]))
            left[count++] = options->dims[i];
    }
    *old = dim_product(draft, x.dims, x.rank);
    *new = dim_product(draft, left, count);
    return draft->status;
}

static memmodel_dim
inferred_dim(struct draft *draft, int axis, memmodel_dim old, memmodel_dim new)
{
    if (new == 0) {
        draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d cannot be inferred: another is 0", axis);
        return 0;
    }
    return new > 0 ? dim_divide_exactly(draft, axis, old, new) : dim_ratio(draft, old, new);
}

static int
infer_reshape(struct draft *draft)
{
    const struct reshape_options *options = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), shape = {.rank = options->rank, .dtype = x.dtype};
    memmodel_dim old = 0, new = 0;
    int inferred;

    if (compare_elements(draft, &old, &new, &inferred))
        return draft->status;
    memcpy(shape.dims, options->dims, sizeof shape.dims);
    if (inferred >= 0)
        shape.dims[inferred] = inferred_dim(draft, inferred, old, new);
    else if (old != new &&old >= 0 && new >= 0)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "%lld elements do not fill a shape of %lld", (long long)old,
                           (long long)new);
    else
        draft_require_equal(draft, 0, new, MEMMODEL_TENSOR_NONE, old, MEMMODEL_TENSOR_NONE);
    return draft_output(draft, &shape);
}

const struct op_description op_reshape = {
    .name = "reshape",
    OPTIONS(reshape_options, reshape_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_reshape,
};

/* The call of reshape and expand. */
static memmodel_tensor
add_reshape(memmodel_network *network, enum op op, memmodel_tensor x, int rank, const memmodel_dim *dims)
{
    struct reshape_options options = {.size = sizeof options, .rank = rank};

    if (network && rank > 0 && rank <= MEMMODEL_MAX_RANK && !dims)
        return builder_error(builder_of(network), MEMMODEL_ERROR_INVALID_ARGUMENT, op_name(op), "dims is NULL");
    if (rank > 0 && rank <= MEMMODEL_MAX_RANK)
        memcpy(options.dims, dims, (size_t)rank * sizeof *dims);
    return network_add(network, op, &x, 1, &options);
}

memmodel_tensor
memmodel_network_reshape(memmodel_network *network, memmodel_tensor x, int rank, const memmodel_dim *dims)
{
    return add_reshape(network, OP_RESHAPE, x, rank, dims);
}

/* ---- flatten ---- */

static int
infer_flatten(struct draft *draft)
{
    struct flatten_options *options = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), shape = {.dtype = x.dtype};
    int first = 0, last = 0;

    if (x.rank == 0) {
        shape.dims[shape.rank++] = 1;
        return draft_output(draft, &shape);
    }
    if (draft_axis(draft, options->first, x.rank, &first) || draft_axis(draft, options->last, x.rank, &last))
        return draft->status;
    if (first > last)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "the first axis %d is behind the last, %d", first, last);
    options->first = first;
    options->last = last;
    for (int i = 0; i < x.rank; i += i == first ? last - first + 1 : 1)
        shape.dims[shape.rank++] = i == first ? dim_product(draft, x.dims + first, last - first + 1) : x.dims[i];
    return draft_output(draft, &shape);
}

const struct op_description op_flatten = {
    .name = "flatten",
    OPTIONS(flatten_options, flatten_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_flatten,
};

memmodel_tensor
memmodel_network_flatten(memmodel_network *network, memmodel_tensor x, int first, int last)
{
    struct flatten_options options = {.size = sizeof options, .first = first, .last = last};

    return network_add(network, OP_FLATTEN, &x, 1, &options);
}

/* ---- permute ---- */

static int
infer_permute(struct draft *draft)
{
    struct permute_options *options = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), shape = {.rank = x.rank, .dtype = x.dtype};
    bool seen[MEMMODEL_MAX_RANK] = {false};

    if (options->rank != x.rank)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "%d axes for a tensor with %d dimensions", options->rank,
                           x.rank);
    for (int i = 0; i < x.rank; i++) {
        int axis = 0;

        if (draft_axis(draft, options->axes[i], x.rank, &axis))
            return draft->status;
        if (seen[axis])
            return draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d stands twice", axis);
        seen[axis] = true;
        options->axes[i] = axis;
        shape.dims[i] = x.dims[axis];
    }
    return draft_output(draft, &shape);
}

const struct op_description op_permute = {
    .name = "permute",
    OPTIONS(permute_options, permute_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_permute,
};

memmodel_tensor
memmodel_network_permute(memmodel_network *network, memmodel_tensor x, int rank, const int *axes)
{
    struct permute_options options = {.size = sizeof options, .rank = rank};
    bool some = rank > 0 && rank <= MEMMODEL_MAX_RANK;

    if (network && some && !axes)
        return builder_error(builder_of(network), MEMMODEL_ERROR_INVALID_ARGUMENT, "permute", "axes is NULL");
    for (int i = 0; some && i < rank; i++)
        options.axes[i] = axes[i];
    return network_add(network, OP_PERMUTE, &x, 1, &options);
}

/* ---- expand ---- */

static memmodel_dim
expanded_dim(struct draft *draft, int axis, memmodel_dim from, memmodel_dim to)
{
    if (to == MEMMODEL_DIM_INFER)
        return from;
    if (from != 1)
        draft_require_equal(draft, axis, to, MEMMODEL_TENSOR_NONE, from, draft->inputs[0]);
    return to;
}

static int
infer_expand(struct draft *draft)
{
    const struct reshape_options *options = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), shape = {.rank = options->rank, .dtype = x.dtype};
    int new = options->rank - x.rank;

    if (new < 0)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "%d dimensions are fewer than the input's %d", options->rank,
                           x.rank);
    for (int i = 0; i < shape.rank; i++) {
        if (i < new && options->dims[i] == MEMMODEL_DIM_INFER)
            return draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d is new and cannot be kept", i);
        shape.dims[i] = i < new ? options->dims[i] : expanded_dim(draft, i, x.dims[i - new], options->dims[i]);
    }
    return draft_output(draft, &shape);
}

const struct op_description op_expand = {
    .name = "expand",
    OPTIONS(reshape_options, reshape_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_expand,
};

memmodel_tensor
memmodel_network_expand(memmodel_network *network, memmodel_tensor x, int rank, const memmodel_dim *dims)
{
    return add_reshape(network, OP_EXPAND, x, rank, dims);
}

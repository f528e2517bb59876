/*
 * Along which axis operators hand on a cut of their inputs: a rank that has a part of the heads computes that part of the
 * attention, and knows nothing of the others. What would need the other ranks' parts is refused.
 */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/tensor_axes.h"

#include <inttypes.h>
#include <string.h>

extern const struct formula_table formulas_arithmetic, formulas_elementwise;

/* ---- what goes through: the axis of the first output, or UNCUT where nothing can ---- */

/* Axes are counted from the end; what has one element there, or no such axis, is the same on each rank. */
static int
elementwise(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct tensor *output = output_of(axes, layer, 0);
    int from_end = 0;

    for (int i = 0; i < layer->input_count; i++)
        if (axis_of(axes, i) != UNCUT)
            from_end = input_of(axes, i)->rank - axis_of(axes, i);
    for (int i = 0; i < layer->input_count; i++) {
        const struct tensor *input = axes->inputs[i] < 0 ? NULL : input_of(axes, i);
        int axis = input ? input->rank - from_end : -1;

        if (axis >= 0 && axis_of(axes, i) != axis && dim_of(axes, input, axis) != 1)
            return UNCUT;
        if (axis >= 0 && axis_of(axes, i) == axis &&
            (output->rank < from_end || dim_of(axes, output, output->rank - from_end) != dim_of(axes, input, axis)))
            return UNCUT;
    }
    return output->rank - from_end;
}

/* What is the same in every element but those of the last `count` axes. */
static int
before_last(const struct tensor_axes *axes, const struct layer *layer, int count)
{
    int axis = elementwise(axes, layer);

    return axis < output_of(axes, layer, 0)->rank - count ? axis : UNCUT;
}

static int
normalized(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct memmodel_layer_norm *options = layer->options; /* rms_norm begins alike */

    return before_last(axes, layer, (int)options->axis_count);
}

static int
softmax(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct memmodel_softmax *options = layer->options;
    int along = options->axis == 0 ? -1 : options->axis, axis = axis_of(axes, 0);

    return from_start(along, input_of(axes, 0)->rank) == axis ? UNCUT : axis;
}

/* Batches of matrices; the matrices are whole. */
static int
matrices(const struct tensor_axes *axes, const struct layer *layer)
{
    return before_last(axes, layer, 2);
}

/* Queries may have more heads than keys and values: each rank has as large a part of both. */
static int
attention(const struct tensor_axes *axes, const struct layer *layer)
{
    int axis = axis_of(axes, 0);

    if (axis_of(axes, 1) != axis || axis_of(axes, 2) != axis || axis >= input_of(axes, 0)->rank - 2)
        return UNCUT;
    if (layer->input_count > 3 && axes->inputs[3] >= 0 &&
        axes_elements_before(axes, input_of(axes, 3), input_of(axes, 3)->rank - 2) > 1 && axis_of(axes, 3) != axis)
        return UNCUT;
    return axis;
}

/* All but the last axis of its input. */
static int
linear(const struct tensor_axes *axes, const struct layer *layer)
{
    (void)layer;
    return axis_of(axes, 0) == input_of(axes, 0)->rank - 1 ? UNCUT : axis_of(axes, 0);
}

static int
looked_up(const struct tensor_axes *axes, const struct layer *layer)
{
    (void)layer;
    return axis_of(axes, 0);
}

static bool
is_in(const struct formula_table *table, const char *operation)
{
    return text_find(operation, table->formulas, table->count, sizeof *table->formulas) != NULL;
}

static int
custom(const struct tensor_axes *axes, const struct layer *layer)
{
    static const struct {
        const char *name;
    } copies[] = {
        {"aten._to_copy.default"}, {"aten.clone.default"}, {"aten.contiguous.default"}, {"aten.dropout.default"},
        {"aten.dropout_.default"}, {"aten.float.default"}, {"aten.to.device"},          {"aten.to.dtype"},
        {"aten.to.dtype_layout"},  {"aten.to.other"},      {"aten.type_as.default"},
    };
    const char *operation = ((const struct memmodel_custom *)layer->options)->operation;
    int axis;

    if (!operation || layer->input_count == 0 ||
        (!is_in(&formulas_arithmetic, operation) && !is_in(&formulas_elementwise, operation) &&
         !text_find(operation, copies, sizeof copies / sizeof copies[0], sizeof copies[0])))
        return UNCUT;
    axis = elementwise(axes, layer);
    if (strstr(operation, "softmax") && attribute_axis(layer, "dim", input_of(axes, 0)->rank, -1) == axis)
        return UNCUT;
    return axis;
}

/* ---- the table ---- */

typedef int (*follow)(const struct tensor_axes *axes, const struct layer *layer);

static follow
follow_of(enum op op)
{
    static const follow rules[OP_COUNT] = {
        [OP_ACTIVATION] = elementwise, [OP_ATTENTION] = attention, [OP_BINARY] = elementwise,
        [OP_CONCAT] = axes_joined,     [OP_CUSTOM] = custom,       [OP_DROPOUT] = elementwise,
        [OP_EMBEDDING] = looked_up,    [OP_EXPAND] = elementwise,  [OP_FLATTEN] = axes_reshaped,
        [OP_LAYER_NORM] = normalized,  [OP_LINEAR] = linear,       [OP_MATMUL] = matrices,
        [OP_PERMUTE] = axes_permuted,  [OP_REDUCE] = axes_reduced, [OP_RESHAPE] = axes_reshaped,
        [OP_RMS_NORM] = normalized,    [OP_SLICE] = axes_sliced,   [OP_SOFTMAX] = softmax,
        [OP_SPLIT] = axes_split,
    };

    return rules[op];
}

static int
refuse(const struct tensor_axes *axes, const struct layer *layer, int input)
{
    return context_error(axes->context, MEMMODEL_ERROR_UNSUPPORTED, layer->name,
                         "its input \"%s\" is cut along axis %d, and %s needs all of it, or is not followed through; "
                         "parallelize what it is made of otherwise",
                         layer_of_tensor(axes->whole->network, axes->inputs[input])->name, axis_of(axes, input),
                         op_name(layer->op));
}

static int
check_share(const struct tensor_axes *axes, const struct layer *layer, int output, int axis)
{
    int64_t dim = dim_of(axes, output_of(axes, layer, output), axis);

    if (dim % axes->ranks == 0)
        return 0;
    return context_error(axes->context, MEMMODEL_ERROR_SHAPE, layer->name,
                         "axis %d: %" PRId64 " are no multiple of the %" PRId64 " ranks of the axis tp", axis, dim,
                         axes->ranks);
}

int
tensor_axes_follow(struct tensor_axes *axes, const struct layer *layer)
{
    follow rule = follow_of(layer->op);
    int cut = 0, axis, status = 0;

    while (cut < layer->input_count && axis_of(axes, cut) == UNCUT)
        cut++;
    if (cut == layer->input_count)
        return 0;
    axis = rule ? rule(axes, layer) : UNCUT;
    if (axis == UNCUT)
        return refuse(axes, layer, cut);
    for (int32_t i = 0; i < layer->output_count && !status; i++) {
        status = check_share(axes, layer, i, axis);
        axes->axes[layer->first_output + i] = (signed char)axis;
    }
    return status;
}

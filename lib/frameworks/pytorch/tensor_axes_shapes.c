/* Along which axis a cut goes through operators that move or join elements, or reduce an axis. */
#include "frameworks/pytorch/tensor_axes.h"

int64_t
axes_elements_before(const struct tensor_axes *axes, const struct tensor *tensor, int axis)
{
    int64_t elements = 1;

    for (int i = 0; i < axis; i++)
        elements *= dim_of(axes, tensor, i);
    return elements;
}

/* The axis that begins where the cut one does, or that has it in it. */
int
axes_reshaped(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct tensor *input = input_of(axes, 0), *output = output_of(axes, layer, 0);
    int axis = axis_of(axes, 0);
    int64_t before = axes_elements_before(axes, input, axis), dim = dim_of(axes, input, axis), done = 1;

    for (int i = 0; i < output->rank; i++) {
        int64_t size = dim_of(axes, output, i);

        if (size > 1 && (done == before || (done < before && done * size >= before * dim)))
            return i;
        done *= size;
    }
    return UNCUT;
}

int
axes_permuted(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct permute_options *options = layer->options;

    for (int i = 0; i < options->rank; i++)
        if (options->axes[i] == axis_of(axes, 0))
            return i;
    return UNCUT;
}

int
axes_sliced(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct memmodel_slice *options = layer->options;
    int axis = axis_of(axes, 0), along = from_start(options->axis, input_of(axes, 0)->rank);

    if (axis == along)
        return UNCUT;
    return options->squeeze && along < axis ? axis - 1 : axis;
}

int
axes_split(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct memmodel_split *options = layer->options;
    int axis = axis_of(axes, 0);

    return from_start(options->axis, input_of(axes, 0)->rank) == axis ? UNCUT : axis;
}

int
axes_joined(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct memmodel_concat *options = layer->options;
    int axis = axis_of(axes, 0);

    for (int i = 1; i < layer->input_count; i++)
        if (axis_of(axes, i) != axis)
            return UNCUT;
    return options->along_channels || from_start(options->axis, input_of(axes, 0)->rank) == axis ? UNCUT : axis;
}

int
axes_reduced(const struct tensor_axes *axes, const struct layer *layer)
{
    const struct memmodel_reduce *options = layer->options;
    int axis = axis_of(axes, 0), before = 0;

    if (options->axis_count == 0)
        return UNCUT;
    for (int i = 0; i < options->axis_count; i++) {
        int gone = from_start(options->axes[i], input_of(axes, 0)->rank);

        if (gone == axis)
            return UNCUT;
        before += gone < axis;
    }
    return options->keep_dims ? axis : axis - before;
}

/* Along which axis an operator hands on a cut of its inputs, from inside. */
#ifndef PYTORCH_TENSOR_AXES_H
#define PYTORCH_TENSOR_AXES_H

#include "frameworks/pytorch/tensor_parallel.h"

static inline const struct tensor *
input_of(const struct tensor_axes *axes, int input)
{
    return &axes->whole->network->tensors[axes->inputs[input]];
}

static inline int
axis_of(const struct tensor_axes *axes, int input)
{
    return axes->inputs[input] < 0 ? UNCUT : axes->axes[axes->inputs[input]];
}

static inline int64_t
dim_of(const struct tensor_axes *axes, const struct tensor *tensor, int axis)
{
    return binding_dim(axes->whole, tensor->dims[axis]);
}

static inline const struct tensor *
output_of(const struct tensor_axes *axes, const struct layer *layer, int output)
{
    return &axes->whole->network->tensors[layer->first_output + output];
}

static inline int
from_start(int axis, int rank)
{
    return axis < 0 ? axis + rank : axis;
}

/* Product of the dims before an axis. */
int64_t
axes_elements_before(const struct tensor_axes *axes, const struct tensor *tensor, int axis);

/* Each: the axis of the first output, or UNCUT where the cut does not go through. */

int
axes_reshaped(const struct tensor_axes *axes, const struct layer *layer);

int
axes_permuted(const struct tensor_axes *axes, const struct layer *layer);

int
axes_sliced(const struct tensor_axes *axes, const struct layer *layer);

int
axes_split(const struct tensor_axes *axes, const struct layer *layer);

int
axes_joined(const struct tensor_axes *axes, const struct layer *layer);

int
axes_reduced(const struct tensor_axes *axes, const struct layer *layer);

#endif

/* Views cost nothing; a permutation is a copy. Reductions. TensorFlow: core/kernels/reshape_op.h, transpose_op.cc. */
#include "frameworks/tensorflow/build.h"

static void
view(struct build *build, const struct layer *layer)
{
    build_output(build, layer, build_view(build, "Reshape", build_input(build, layer, 0)));
}

static void
view_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    build_gradient(build, layer, 0, build_view(build, "Reshape", gradient));
}

const struct rule tensorflow_reshape = {OP_RESHAPE, view, view_backward};
const struct rule tensorflow_flatten = {OP_FLATTEN, view, view_backward};
const struct rule tensorflow_permute = {OP_PERMUTE, build_copy, build_copy_backward};
const struct rule tensorflow_expand = {OP_EXPAND, build_copy, build_copy_backward};
const struct rule tensorflow_reduce = {OP_REDUCE, build_copy, build_copy_backward};

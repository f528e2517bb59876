/* The rules by operator. */
#include "frameworks/tensorflow/build.h"

static const struct rule *const rules[OP_COUNT] = {
    [OP_PARAMETER] = &tensorflow_parameter,
    [OP_CONV] = &tensorflow_convolution,
    [OP_CONV_TRANSPOSE] = &tensorflow_transposed,
    [OP_LINEAR] = &tensorflow_linear,
    [OP_POOL] = &tensorflow_pool,
    [OP_ADAPTIVE_POOL] = &tensorflow_adaptive_pool,
    [OP_GLOBAL_POOL] = &tensorflow_global_pool,
    [OP_BATCH_NORM] = &tensorflow_batch_norm,
    [OP_LAYER_NORM] = &tensorflow_layer_norm,
    [OP_ACTIVATION] = &tensorflow_activation,
    [OP_SOFTMAX] = &tensorflow_softmax,
    [OP_DROPOUT] = &tensorflow_dropout,
    [OP_EMBEDDING] = &tensorflow_embedding,
    [OP_UPSAMPLE] = &tensorflow_upsample,
    [OP_PAD] = &tensorflow_pad,
    [OP_CROP] = &tensorflow_crop,
    [OP_CONCAT] = &tensorflow_concat,
    [OP_SPLIT] = &tensorflow_split,
    [OP_SLICE] = &tensorflow_slice,
    [OP_RESHAPE] = &tensorflow_reshape,
    [OP_FLATTEN] = &tensorflow_flatten,
    [OP_PERMUTE] = &tensorflow_permute,
    [OP_EXPAND] = &tensorflow_expand,
    [OP_BINARY] = &tensorflow_binary,
    [OP_MATMUL] = &tensorflow_matmul,
    [OP_REDUCE] = &tensorflow_reduce,
    [OP_ATTENTION] = &tensorflow_attention,
    [OP_RECURRENT] = &tensorflow_recurrent,
    [OP_LOSS] = &tensorflow_loss,
};

const struct rule *
tensorflow_rule(enum op op)
{
    return rules[op] ? rules[op] : &tensorflow_custom;
}

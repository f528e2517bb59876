/* The operators by number, and the names of what stands in options. */
#include "network/builder.h"

#include <string.h>

static const struct op_description *const descriptions[OP_COUNT] = {
    [OP_INPUT] = &op_input,
    [OP_PARAMETER] = &op_parameter,
    [OP_CONV] = &op_conv,
    [OP_CONV_TRANSPOSE] = &op_conv_transpose,
    [OP_LINEAR] = &op_linear,
    [OP_POOL] = &op_pool,
    [OP_ADAPTIVE_POOL] = &op_adaptive_pool,
    [OP_GLOBAL_POOL] = &op_global_pool,
    [OP_BATCH_NORM] = &op_batch_norm,
    [OP_LAYER_NORM] = &op_layer_norm,
    [OP_GROUP_NORM] = &op_group_norm,
    [OP_INSTANCE_NORM] = &op_instance_norm,
    [OP_RMS_NORM] = &op_rms_norm,
    [OP_ACTIVATION] = &op_activation,
    [OP_SOFTMAX] = &op_softmax,
    [OP_DROPOUT] = &op_dropout,
    [OP_EMBEDDING] = &op_embedding,
    [OP_UPSAMPLE] = &op_upsample,
    [OP_PAD] = &op_pad,
    [OP_CROP] = &op_crop,
    [OP_CONCAT] = &op_concat,
    [OP_SPLIT] = &op_split,
    [OP_SLICE] = &op_slice,
    [OP_RESHAPE] = &op_reshape,
    [OP_FLATTEN] = &op_flatten,
    [OP_PERMUTE] = &op_permute,
    [OP_EXPAND] = &op_expand,
    [OP_BINARY] = &op_binary,
    [OP_MATMUL] = &op_matmul,
    [OP_REDUCE] = &op_reduce,
    [OP_ATTENTION] = &op_attention,
    [OP_RECURRENT] = &op_recurrent,
    [OP_LOSS] = &op_loss,
    [OP_CUSTOM] = &op_custom,
};

const struct op_description *
op_describe(enum op op)
{
    return op < OP_COUNT ? descriptions[op] : NULL;
}

const char *
op_name(enum op op)
{
    return descriptions[op]->name;
}

enum op
op_find(const char *name)
{
    int op = 0;

    while (op < OP_COUNT && strcmp(descriptions[op]->name, name) != 0)
        op++;
    return (enum op)op;
}

/* ---- names, in the order of their enumerations ---- */

const char *const activation_names[ACTIVATION_KINDS + 1] = {
    "none",    "relu", "leaky_relu", "elu",         "selu",  "gelu",     "gelu_tanh", "silu",
    "sigmoid", "tanh", "hardswish",  "hardsigmoid", "relu6", "softplus", "mish",      "prelu",
    "exp",     "log",  "sqrt",       "square",      "abs",   "negate",   NULL,
};

const char *const dtype_names[] = {
    "default", "float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool", NULL,
};

const char *const layout_names[] = {"default", "channels_first", "channels_last", NULL};

const char *const checkpoint_names[] = {"none", "non_reentrant", "reentrant", NULL};

const char *const padding_names[] = {"explicit", "valid", "same", NULL};

const char *const reduction_names[] = {"max", "mean", "sum", "min", "product", NULL};

const char *
activation_name(int kind)
{
    return kind >= 0 && kind < ACTIVATION_KINDS ? activation_names[kind] : NULL;
}

const char *
memmodel_dtype_name(int dtype)
{
    return dtype >= 0 && dtype <= MEMMODEL_DTYPE_BOOL ? dtype_names[dtype] : NULL;
}

int64_t
dtype_bytes(int dtype)
{
    static const int8_t bytes[] = {
        [MEMMODEL_DTYPE_DEFAULT] = 4, [MEMMODEL_DTYPE_FLOAT32] = 4,  [MEMMODEL_DTYPE_FLOAT64] = 8,
        [MEMMODEL_DTYPE_FLOAT16] = 2, [MEMMODEL_DTYPE_BFLOAT16] = 2, [MEMMODEL_DTYPE_INT64] = 8,
        [MEMMODEL_DTYPE_INT32] = 4,   [MEMMODEL_DTYPE_INT8] = 1,     [MEMMODEL_DTYPE_UINT8] = 1,
        [MEMMODEL_DTYPE_BOOL] = 1,    [DTYPE_COMPLEX64] = 8,
    };

    return bytes[dtype];
}

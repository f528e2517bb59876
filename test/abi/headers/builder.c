/* memmodel/builder.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/builder.h"
#include "memmodel/builder.h"

enum {
    USED = 0
        + (int)sizeof(&memmodel_network_input)
        + (int)sizeof(&memmodel_network_parameter)
        + (int)sizeof(&memmodel_network_use_storage)
        + (int)sizeof(&memmodel_network_use_parameter)
        + (int)sizeof(&memmodel_network_conv)
        + (int)sizeof(&memmodel_network_conv_transpose)
        + (int)sizeof(&memmodel_network_linear)
        + (int)sizeof(&memmodel_network_pool)
        + (int)sizeof(&memmodel_network_adaptive_pool)
        + (int)sizeof(&memmodel_network_global_pool)
        + (int)sizeof(&memmodel_network_batch_norm)
        + (int)sizeof(&memmodel_network_layer_norm)
        + (int)sizeof(&memmodel_network_group_norm)
        + (int)sizeof(&memmodel_network_instance_norm)
        + (int)sizeof(&memmodel_network_rms_norm)
        + (int)sizeof(&memmodel_network_activation)
        + (int)sizeof(&memmodel_network_softmax)
        + (int)sizeof(&memmodel_network_dropout)
        + (int)sizeof(&memmodel_network_embedding)
        + (int)sizeof(&memmodel_network_upsample)
        + (int)sizeof(&memmodel_network_pad)
        + (int)sizeof(&memmodel_network_crop)
        + (int)sizeof(&memmodel_network_concat)
        + (int)sizeof(&memmodel_network_split)
        + (int)sizeof(&memmodel_network_slice)
        + (int)sizeof(&memmodel_network_reshape)
        + (int)sizeof(&memmodel_network_flatten)
        + (int)sizeof(&memmodel_network_permute)
        + (int)sizeof(&memmodel_network_expand)
        + (int)sizeof(&memmodel_network_binary)
        + (int)sizeof(&memmodel_network_matmul)
        + (int)sizeof(&memmodel_network_reduce)
        + (int)sizeof(&memmodel_network_attention)
        + (int)sizeof(&memmodel_network_recurrent)
        + (int)sizeof(&memmodel_network_loss)
        + (int)sizeof(&memmodel_network_custom)
};

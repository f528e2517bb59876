/* memmodel/layers.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/layers.h"
#include "memmodel/layers.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_conv)
        + (int)sizeof(struct memmodel_linear)
        + (int)sizeof(struct memmodel_pool)
        + (int)sizeof(struct memmodel_adaptive_pool)
        + (int)sizeof(struct memmodel_global_pool)
        + (int)sizeof(struct memmodel_norm)
        + (int)sizeof(struct memmodel_activation)
        + (int)sizeof(struct memmodel_softmax)
        + (int)sizeof(struct memmodel_dropout)
        + (int)sizeof(struct memmodel_embedding)
        + (int)sizeof(struct memmodel_upsample)
        + (int)sizeof(struct memmodel_pad)
        + (int)sizeof(struct memmodel_concat)
        + (int)sizeof(struct memmodel_split)
        + (int)sizeof(struct memmodel_slice)
        + (int)sizeof(struct memmodel_binary)
        + (int)sizeof(struct memmodel_matmul)
        + (int)sizeof(struct memmodel_reduce)
        + (int)sizeof(struct memmodel_attention)
        + (int)sizeof(struct memmodel_recurrent)
        + (int)sizeof(struct memmodel_loss)
        + (int)sizeof(struct memmodel_custom_needs)
        + (int)sizeof(struct memmodel_custom)
        + (int)sizeof(MEMMODEL_EXPLICIT)
        + (int)sizeof(MEMMODEL_ACTIVATION_NONE)
        + (int)sizeof(MEMMODEL_MAX)
        + (int)sizeof(MEMMODEL_NEAREST)
        + (int)sizeof(MEMMODEL_PAD_CONSTANT)
        + (int)sizeof(MEMMODEL_ADD)
        + (int)sizeof(MEMMODEL_LSTM)
        + (int)sizeof(MEMMODEL_CROSS_ENTROPY)
        + (int)sizeof(MEMMODEL_REDUCE_MEAN)
};

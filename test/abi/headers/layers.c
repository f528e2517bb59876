/* memmodel/layers.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
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
        + (int)sizeof(struct memmodel_batch_norm)
        + (int)sizeof(struct memmodel_layer_norm)
        + (int)sizeof(struct memmodel_group_norm)
        + (int)sizeof(struct memmodel_instance_norm)
        + (int)sizeof(struct memmodel_rms_norm)
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
        + (int)sizeof(struct memmodel_custom_requirements)
        + (int)sizeof(struct memmodel_custom)
        + (int)sizeof(MEMMODEL_AUTO_PAD_EXPLICIT)
        + (int)sizeof(MEMMODEL_ACTIVATION_NONE)
        + (int)sizeof(MEMMODEL_POOL_MAX)
        + (int)sizeof(MEMMODEL_REDUCE_MAX)
        + (int)sizeof(MEMMODEL_INTERPOLATION_NEAREST)
        + (int)sizeof(MEMMODEL_PAD_CONSTANT)
        + (int)sizeof(MEMMODEL_BINARY_ADD)
        + (int)sizeof(MEMMODEL_RECURRENT_LSTM)
        + (int)sizeof(MEMMODEL_LOSS_CROSS_ENTROPY)
        + (int)sizeof(MEMMODEL_LOSS_REDUCTION_MEAN)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_conv of_memmodel_conv{};
    of_memmodel_conv.size = sizeof of_memmodel_conv;
    memmodel_linear of_memmodel_linear{};
    of_memmodel_linear.size = sizeof of_memmodel_linear;
    memmodel_pool of_memmodel_pool{};
    of_memmodel_pool.size = sizeof of_memmodel_pool;
    memmodel_adaptive_pool of_memmodel_adaptive_pool{};
    of_memmodel_adaptive_pool.size = sizeof of_memmodel_adaptive_pool;
    memmodel_global_pool of_memmodel_global_pool{};
    of_memmodel_global_pool.size = sizeof of_memmodel_global_pool;
    memmodel_batch_norm of_memmodel_batch_norm{};
    of_memmodel_batch_norm.size = sizeof of_memmodel_batch_norm;
    memmodel_layer_norm of_memmodel_layer_norm{};
    of_memmodel_layer_norm.size = sizeof of_memmodel_layer_norm;
    memmodel_group_norm of_memmodel_group_norm{};
    of_memmodel_group_norm.size = sizeof of_memmodel_group_norm;
    memmodel_instance_norm of_memmodel_instance_norm{};
    of_memmodel_instance_norm.size = sizeof of_memmodel_instance_norm;
    memmodel_rms_norm of_memmodel_rms_norm{};
    of_memmodel_rms_norm.size = sizeof of_memmodel_rms_norm;
    memmodel_activation of_memmodel_activation{};
    of_memmodel_activation.size = sizeof of_memmodel_activation;
    memmodel_softmax of_memmodel_softmax{};
    of_memmodel_softmax.size = sizeof of_memmodel_softmax;
    memmodel_dropout of_memmodel_dropout{};
    of_memmodel_dropout.size = sizeof of_memmodel_dropout;
    memmodel_embedding of_memmodel_embedding{};
    of_memmodel_embedding.size = sizeof of_memmodel_embedding;
    memmodel_upsample of_memmodel_upsample{};
    of_memmodel_upsample.size = sizeof of_memmodel_upsample;
    memmodel_pad of_memmodel_pad{};
    of_memmodel_pad.size = sizeof of_memmodel_pad;
    memmodel_concat of_memmodel_concat{};
    of_memmodel_concat.size = sizeof of_memmodel_concat;
    memmodel_split of_memmodel_split{};
    of_memmodel_split.size = sizeof of_memmodel_split;
    memmodel_slice of_memmodel_slice{};
    of_memmodel_slice.size = sizeof of_memmodel_slice;
    memmodel_binary of_memmodel_binary{};
    of_memmodel_binary.size = sizeof of_memmodel_binary;
    memmodel_matmul of_memmodel_matmul{};
    of_memmodel_matmul.size = sizeof of_memmodel_matmul;
    memmodel_reduce of_memmodel_reduce{};
    of_memmodel_reduce.size = sizeof of_memmodel_reduce;
    memmodel_attention of_memmodel_attention{};
    of_memmodel_attention.size = sizeof of_memmodel_attention;
    memmodel_recurrent of_memmodel_recurrent{};
    of_memmodel_recurrent.size = sizeof of_memmodel_recurrent;
    memmodel_loss of_memmodel_loss{};
    of_memmodel_loss.size = sizeof of_memmodel_loss;
    memmodel_custom_requirements of_memmodel_custom_requirements{};
    of_memmodel_custom_requirements.size = sizeof of_memmodel_custom_requirements;
    memmodel_custom of_memmodel_custom{};
    of_memmodel_custom.size = sizeof of_memmodel_custom;
    return of_memmodel_conv.size + of_memmodel_linear.size + of_memmodel_pool.size + of_memmodel_adaptive_pool.size + of_memmodel_global_pool.size + of_memmodel_batch_norm.size + of_memmodel_layer_norm.size + of_memmodel_group_norm.size + of_memmodel_instance_norm.size + of_memmodel_rms_norm.size + of_memmodel_activation.size + of_memmodel_softmax.size + of_memmodel_dropout.size + of_memmodel_embedding.size + of_memmodel_upsample.size + of_memmodel_pad.size + of_memmodel_concat.size + of_memmodel_split.size + of_memmodel_slice.size + of_memmodel_binary.size + of_memmodel_matmul.size + of_memmodel_reduce.size + of_memmodel_attention.size + of_memmodel_recurrent.size + of_memmodel_loss.size + of_memmodel_custom_requirements.size + of_memmodel_custom.size;
}
#endif

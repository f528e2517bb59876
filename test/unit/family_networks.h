/* The smallest network of each layer family: what a sweep over all of them is made of. Each has a symbol "batch". */
#ifndef TEST_FAMILY_NETWORKS_H
#define TEST_FAMILY_NETWORKS_H

#include "check.h"

/* ---- inputs: "batch" along the first axis, but in sequences ---- */

static inline memmodel_tensor
family_image(memmodel_network *net)
{
    return memmodel_network_input(net, "image", MEMMODEL_DTYPE_FLOAT32, 4,
                                  (memmodel_dim[]){memmodel_network_symbol(net, "batch"), 4, 6, 6});
}

static inline memmodel_tensor
family_rows(memmodel_network *net)
{
    return memmodel_network_input(net, "rows", MEMMODEL_DTYPE_FLOAT32, 2,
                                  (memmodel_dim[]){memmodel_network_symbol(net, "batch"), 6});
}

static inline memmodel_tensor
family_sequence(memmodel_network *net)
{
    return memmodel_network_input(net, "sequence", MEMMODEL_DTYPE_FLOAT32, 3,
                                  (memmodel_dim[]){3, memmodel_network_symbol(net, "batch"), 4});
}

static inline memmodel_tensor
family_classes(memmodel_network *net)
{
    return memmodel_network_input(net, "classes", MEMMODEL_DTYPE_INT64, 1,
                                  (memmodel_dim[]){memmodel_network_symbol(net, "batch")});
}

/* What is behind it has a gradient to give. */
static inline memmodel_tensor
family_features(memmodel_network *net)
{
    return memmodel_network_conv(net, family_image(net), MEMMODEL_CONV(.filters = 4, .kernel = {3}));
}

/* ---- one network a family ---- */

static inline void
family_build_conv(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_conv(net, family_features(net), MEMMODEL_CONV(.filters = 8, .kernel = {3}));

    memmodel_network_conv_transpose(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {2}, .stride = {2}));
}

static inline void
family_build_linear(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_linear(net, family_rows(net), MEMMODEL_LINEAR(.units = 4));

    memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 3, .no_bias = 1, .activation = MEMMODEL_ACTIVATION_RELU));
}

static inline void
family_build_pool(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_pool(net, family_features(net), MEMMODEL_POOL(.kernel = {2}));

    x = memmodel_network_adaptive_pool(net, x,
                                       MEMMODEL_ADAPTIVE_POOL(.output_size = {2}, .kind = MEMMODEL_POOL_AVERAGE));
    memmodel_network_global_pool(net, x, NULL);
}

static inline void
family_build_norms_of_images(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_batch_norm(net, family_features(net), NULL);

    x = memmodel_network_group_norm(net, x, MEMMODEL_GROUP_NORM(.groups = 2));
    memmodel_network_instance_norm(net, x, MEMMODEL_INSTANCE_NORM(.affine = 1));
}

static inline void
family_build_norms_of_rows(memmodel_network *net)
{
    memmodel_network_rms_norm(net, memmodel_network_layer_norm(net, family_rows(net), NULL), NULL);
}

static inline void
family_build_activation(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_linear(net, family_rows(net), MEMMODEL_LINEAR(.units = 4));

    x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
    x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_PRELU));
    x = memmodel_network_dropout(net, x, NULL);
    memmodel_network_softmax(net, x, NULL);
}

static inline void
family_build_embedding(memmodel_network *net)
{
    memmodel_network_embedding(net, family_classes(net), MEMMODEL_EMBEDDING(.num_embeddings = 9, .embedding_dim = 4));
}

static inline void
family_build_resampling(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_upsample(net, family_features(net), MEMMODEL_UPSAMPLE(.scale = {2}));

    x = memmodel_network_pad(net, x, MEMMODEL_PAD(.after = {0, 0, 1, 1}, .kind = MEMMODEL_PAD_REFLECT));
    memmodel_network_crop(net, x, MEMMODEL_PAD(.before = {0, 0, 1, 1}));
}

static inline void
family_build_joining(memmodel_network *net)
{
    memmodel_tensor x = family_features(net);

    x = memmodel_network_concat(net, (memmodel_tensor[]){x, x}, 2, MEMMODEL_CONCAT(.along_channels = 1));
    x = memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = 2, .axis = 1));
    memmodel_network_slice(net, memmodel_network_layer_output(net, x, 1),
                           MEMMODEL_SLICE(.axis = 1, .stop = 1, .squeeze = 1));
}

static inline void
family_build_movement(memmodel_network *net)
{
    memmodel_dim batch = memmodel_network_symbol(net, "batch");
    memmodel_tensor x = memmodel_network_linear(net, family_rows(net), MEMMODEL_LINEAR(.units = 6));

    x = memmodel_network_reshape(net, x, 3, (memmodel_dim[]){batch, 2, 3});
    x = memmodel_network_permute(net, x, 3, (int[]){0, 2, 1});
    x = memmodel_network_flatten(net, x, 1, 2);
    x = memmodel_network_reshape(net, x, 3, (memmodel_dim[]){batch, 6, 1});
    memmodel_network_expand(net, x, 3, (memmodel_dim[]){batch, 6, 5});
}

static inline void
family_build_arithmetic(memmodel_network *net)
{
    memmodel_dim batch = memmodel_network_symbol(net, "batch");
    memmodel_tensor a = memmodel_network_parameter(net, "a", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){1, 6}, 1), x;

    x = memmodel_network_binary(net, family_rows(net), a, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_MULTIPLY));
    x = memmodel_network_matmul(net, x, a, MEMMODEL_MATMUL(.transpose_b = 1));
    x = memmodel_network_expand(net, x, 2, (memmodel_dim[]){batch, 4});
    memmodel_network_reduce(net, x, MEMMODEL_REDUCE(.axes = {1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_SUM));
}

static inline void
family_build_attention(memmodel_network *net)
{
    memmodel_dim batch = memmodel_network_symbol(net, "batch");
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){batch, 3, 8});

    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 8));
    x = memmodel_network_reshape(net, x, 4, (memmodel_dim[]){batch, 3, 2, 4});
    x = memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
    memmodel_network_attention(net, x, x, x, MEMMODEL_TENSOR_NONE, NULL);
}

static inline void
family_build_lstm(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_recurrent(net, family_sequence(net), MEMMODEL_RECURRENT(.hidden_size = 4));

    memmodel_network_recurrent(net, x, MEMMODEL_RECURRENT(.hidden_size = 4, .projection_size = 2, .bidirectional = 1));
}

static inline void
family_build_gru(memmodel_network *net)
{
    memmodel_network_recurrent(
        net, family_sequence(net),
        MEMMODEL_RECURRENT(.hidden_size = 4, .kind = MEMMODEL_RECURRENT_GRU, .layer_count = 2, .dropout = 0.5));
}

static inline void
family_build_rnn(memmodel_network *net)
{
    memmodel_network_recurrent(net, family_sequence(net),
                               MEMMODEL_RECURRENT(.hidden_size = 4, .kind = MEMMODEL_RECURRENT_RNN_RELU, .no_bias = 1));
}

static inline void
family_build_loss(memmodel_network *net)
{
    memmodel_tensor classes = family_classes(net);
    memmodel_tensor x = memmodel_network_linear(net, family_rows(net), MEMMODEL_LINEAR(.units = 3));

    memmodel_network_loss(net, x, classes, NULL);
}

static inline int
family_keep_64_bytes(void *user, const struct memmodel_shape *inputs, size_t count,
                     struct memmodel_custom_requirements *needs)
{
    (void)user;
    (void)inputs;
    (void)count;
    needs->saved_bytes = 64;
    return 0;
}

static inline void
family_build_custom(memmodel_network *net)
{
    struct memmodel_shape shape = {.dims = {memmodel_network_symbol(net, "batch"), 6}, .rank = 2};
    memmodel_tensor x = family_rows(net);

    memmodel_network_push_scope(net, "own");
    x = memmodel_network_custom(
        net, &x, 1, MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .parameter_count = 8, .saved_bytes = 64));
    x = memmodel_network_custom(net, &x, 1,
                                MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .operation = "aten.exp.default"));
    memmodel_network_pop_scope(net);
    memmodel_network_mark_output(net, x);
}

static inline void
family_build_custom_with_a_rule(memmodel_network *net)
{
    struct memmodel_shape shape = {.dims = {memmodel_network_symbol(net, "batch"), 6}, .rank = 2};
    memmodel_tensor x = family_rows(net);

    memmodel_network_custom(net, &x, 1,
                            MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .callback = family_keep_64_bytes));
}

static const struct family {
    const char *name;
    void (*build)(memmodel_network *net);
} families[] = {
    {"convolution", family_build_conv},
    {"linear", family_build_linear},
    {"pooling", family_build_pool},
    {"normalization of images", family_build_norms_of_images},
    {"normalization of rows", family_build_norms_of_rows},
    {"activation", family_build_activation},
    {"embedding", family_build_embedding},
    {"resampling", family_build_resampling},
    {"joining", family_build_joining},
    {"movement", family_build_movement},
    {"arithmetic", family_build_arithmetic},
    {"attention", family_build_attention},
    {"lstm", family_build_lstm},
    {"gru", family_build_gru},
    {"rnn", family_build_rnn},
    {"loss", family_build_loss},
    {"custom", family_build_custom},
    {"custom with a rule", family_build_custom_with_a_rule},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

#endif

/*
 * Simulated steps against recorded ones, event by event: small networks that between them use every family of layers.
 * The same networks in PyTorch, and how they were recorded: test/frameworks/record_families.py (2.13.0 CPU, AVX2).
 */
#include "differ.h"

typedef memmodel_tensor tensor;

static tensor
activation(memmodel_network *net, tensor x, int kind, int in_place)
{
    return memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = kind, .in_place = in_place));
}

static tensor
binary(memmodel_network *net, int kind, tensor a, tensor b)
{
    return memmodel_network_binary(net, a, b, MEMMODEL_BINARY(.kind = kind));
}

static tensor
add_in_place(memmodel_network *net, tensor a, tensor b)
{
    return memmodel_network_binary(net, a, b, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_ADD, .in_place = 1));
}

static tensor
linear(memmodel_network *net, tensor x, int64_t units)
{
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = units));
}

static tensor
floats(memmodel_network *net, int rank, const int64_t *dims)
{
    return memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, rank, dims);
}

static tensor
indices(memmodel_network *net, const char *name, int rank, const int64_t *dims)
{
    return memmodel_network_input(net, name, MEMMODEL_DTYPE_INT64, rank, dims);
}

static void
loss(memmodel_network *net, tensor x, tensor target, int kind)
{
    memmodel_network_mark_output(net, x);
    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = kind));
}

static void
mean_squared_error(memmodel_network *net, tensor x, int rank, const int64_t *dims)
{
    loss(net, x, memmodel_network_input(net, "target", MEMMODEL_DTYPE_FLOAT32, rank, dims),
         MEMMODEL_LOSS_MEAN_SQUARED_ERROR);
}

static void
cross_entropy(memmodel_network *net, tensor x, int64_t batch)
{
    loss(net, x, indices(net, "target", 1, &batch), MEMMODEL_LOSS_CROSS_ENTROPY);
}

/* ---- a decoder block ---- */

static tensor
heads_of(memmodel_network *net, tensor x)
{
    x = memmodel_network_reshape(net, x, 4, (int64_t[]){4, 24, 4, 8});
    return memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
}

static tensor
self_attention(memmodel_network *net, tensor x)
{
    tensor qkv = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 96));
    tensor q = memmodel_network_split(net, qkv, MEMMODEL_SPLIT(.parts = 3, .axis = 2));
    tensor k = memmodel_network_layer_output(net, q, 1), v = memmodel_network_layer_output(net, q, 2);

    q = heads_of(net, q);
    k = heads_of(net, k);
    v = heads_of(net, v);
    x = memmodel_network_attention(net, q, k, v, MEMMODEL_TENSOR_NONE, MEMMODEL_ATTENTION(.causal = 1));
    x = memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
    x = memmodel_network_reshape(net, x, 3, (int64_t[]){4, 24, 32});
    return linear(net, x, 32);
}

static void
decoder(memmodel_network *net)
{
    tensor x = indices(net, "x", 2, (int64_t[]){4, 24}), h;
    tensor positions = memmodel_network_parameter(net, "positions", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){24, 32}, 1);

    x = memmodel_network_embedding(net, x, MEMMODEL_EMBEDDING(.num_embeddings = 200, .embedding_dim = 32));
    h = binary(net, MEMMODEL_BINARY_ADD, x, positions);
    x = self_attention(net, memmodel_network_layer_norm(net, h, NULL));
    h = binary(net, MEMMODEL_BINARY_ADD, h, x);
    x = linear(net, memmodel_network_layer_norm(net, h, NULL), 128);
    x = linear(net, activation(net, x, MEMMODEL_ACTIVATION_GELU, 0), 32);
    x = memmodel_network_layer_norm(net, binary(net, MEMMODEL_BINARY_ADD, h, x), NULL);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 200, .no_bias = 1));
    cross_entropy(net, memmodel_network_reshape(net, x, 2, (int64_t[]){96, 200}), 96);
}

/* ---- a residual block ---- */

static tensor
conv_norm(memmodel_network *net, tensor x, int64_t filters, int64_t kernel, int64_t stride)
{
    int64_t pad = kernel / 2;

    x = memmodel_network_conv(
        net, x,
        MEMMODEL_CONV(.filters = filters, .kernel = {kernel}, .stride = {stride}, .padding = {pad, pad}, .no_bias = 1));
    return memmodel_network_batch_norm(net, x, NULL);
}

static void
residual(memmodel_network *net)
{
    tensor x = floats(net, 4, (int64_t[]){4, 3, 64, 64}), h;

    x = activation(net, conv_norm(net, x, 16, 3, 1), MEMMODEL_ACTIVATION_RELU, 1);
    h = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {3}, .stride = {2}, .padding = {1, 1}));
    x = activation(net, conv_norm(net, h, 32, 3, 2), MEMMODEL_ACTIVATION_RELU, 1);
    x = conv_norm(net, x, 32, 3, 1);
    h = conv_norm(net, h, 32, 1, 2);
    x = activation(net, add_in_place(net, x, h), MEMMODEL_ACTIVATION_RELU, 1);
    x = memmodel_network_adaptive_pool(net, x,
                                       MEMMODEL_ADAPTIVE_POOL(.output_size = {1}, .kind = MEMMODEL_POOL_AVERAGE));
    cross_entropy(net, linear(net, memmodel_network_flatten(net, x, 1, -1), 10), 4);
}

/* ---- recurrent layers: `x, h = layer(x)` keeps h to the end ---- */

static void
recurrent(memmodel_network *net, const struct memmodel_recurrent *options)
{
    tensor x = indices(net, "x", 2, (int64_t[]){5, 15}), last, states = MEMMODEL_TENSOR_NONE;

    x = memmodel_network_embedding(net, x, MEMMODEL_EMBEDDING(.num_embeddings = 100, .embedding_dim = 16));
    x = memmodel_network_recurrent(net, x, options);
    last = memmodel_network_layer_output(net, x, 1);
    if (options->kind == MEMMODEL_RECURRENT_LSTM)
        states = memmodel_network_layer_output(net, x, 2);
    x = memmodel_network_slice(net, x, MEMMODEL_SLICE(.axis = 1, .start = 14, .stop = 15, .squeeze = 1));
    x = linear(net, x, 5);
    memmodel_network_end_lifetime(net, last);
    if (states >= 0)
        memmodel_network_end_lifetime(net, states);
    cross_entropy(net, x, 5);
}

static void
lstm(memmodel_network *net)
{
    recurrent(net, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_LSTM, .hidden_size = 24, .layer_count = 2,
                                      .bidirectional = 1, .batch_first = 1));
}

static void
gru(memmodel_network *net)
{
    recurrent(net, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_GRU, .hidden_size = 24, .layer_count = 2,
                                      .bidirectional = 1, .batch_first = 1));
}

static void
rnn(memmodel_network *net)
{
    recurrent(net, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_RNN_TANH, .hidden_size = 24, .batch_first = 1));
}

/* ---- activations ---- */

static const int with_in_place_form[] = {
    MEMMODEL_ACTIVATION_RELU,        MEMMODEL_ACTIVATION_LEAKY_RELU, MEMMODEL_ACTIVATION_ELU,
    MEMMODEL_ACTIVATION_SELU,        MEMMODEL_ACTIVATION_SILU,       MEMMODEL_ACTIVATION_HARDSWISH,
    MEMMODEL_ACTIVATION_HARDSIGMOID, MEMMODEL_ACTIVATION_RELU6,      MEMMODEL_ACTIVATION_MISH,
};
static const int without[] = {
    MEMMODEL_ACTIVATION_GELU,     MEMMODEL_ACTIVATION_GELU_TANH, MEMMODEL_ACTIVATION_SIGMOID, MEMMODEL_ACTIVATION_TANH,
    MEMMODEL_ACTIVATION_SOFTPLUS, MEMMODEL_ACTIVATION_EXP,       MEMMODEL_ACTIVATION_LOG,     MEMMODEL_ACTIVATION_SQRT,
    MEMMODEL_ACTIVATION_SQUARE,   MEMMODEL_ACTIVATION_ABS,       MEMMODEL_ACTIVATION_NEGATE,
};
static const int64_t rows[] = {4, 8, 100};

enum { FORMS = sizeof with_in_place_form / sizeof(int), OTHERS = sizeof without / sizeof(int) };

static tensor
pointwise_conv(memmodel_network *net, tensor x, int64_t filters)
{
    return memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = filters, .kernel = {1}));
}

static void
activations(memmodel_network *net)
{
    tensor x = pointwise_conv(net, floats(net, 3, rows), 8);

    for (int i = 0; i < FORMS; i++)
        x = activation(net, x, with_in_place_form[i], 0);
    for (int i = 0; i < OTHERS; i++)
        x = activation(net, x, without[i], 0);
    x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_PRELU));
    x = memmodel_network_activation(net, x,
                                    MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_PRELU, .single_parameter = 1));
    x = memmodel_network_softmax(net, x, NULL);
    x = memmodel_network_softmax(net, x, MEMMODEL_SOFTMAX(.logarithmic = 1));
    mean_squared_error(net, x, 3, rows);
}

static void
activations_in_place(memmodel_network *net)
{
    tensor x = floats(net, 3, rows);

    for (int i = 0; i < FORMS; i++)
        x = activation(net, pointwise_conv(net, x, 8), with_in_place_form[i], 1);
    mean_squared_error(net, x, 3, rows);
}

/* ---- norms ---- */

static void
norms(memmodel_network *net)
{
    tensor x = floats(net, 4, (int64_t[]){4, 3, 16, 16});

    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 16, .kernel = {3}));
    x = memmodel_network_group_norm(net, x, MEMMODEL_GROUP_NORM(.groups = 4));
    x = memmodel_network_instance_norm(net, x, MEMMODEL_INSTANCE_NORM(.affine = 1));
    x = memmodel_network_instance_norm(net, x, NULL);
    x = memmodel_network_batch_norm(net, x, MEMMODEL_BATCH_NORM(.no_affine = 1));
    x = memmodel_network_batch_norm(net, x, MEMMODEL_BATCH_NORM(.no_running_stats = 1));
    x = memmodel_network_layer_norm(net, x, MEMMODEL_LAYER_NORM(.axis_count = 2));
    x = memmodel_network_rms_norm(net, x, NULL);
    x = memmodel_network_batch_norm(net, memmodel_network_flatten(net, x, 1, -1), NULL);
    mean_squared_error(net, linear(net, x, 8), 2, (int64_t[]){4, 8});
}

/* ---- pooling, resampling, padding ---- */

static tensor
resampled(memmodel_network *net, tensor x)
{
    x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}, .kind = MEMMODEL_POOL_AVERAGE));
    x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {3}, .stride = {1}, .padding = {1, 1}));
    x = memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}));
    x = memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}, .kind = MEMMODEL_INTERPOLATION_LINEAR));
    x = memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {3}, .kind = MEMMODEL_INTERPOLATION_CUBIC));
    x = memmodel_network_adaptive_pool(net, x,
                                       MEMMODEL_ADAPTIVE_POOL(.output_size = {5}, .kind = MEMMODEL_POOL_AVERAGE));
    return memmodel_network_adaptive_pool(net, x,
                                          MEMMODEL_ADAPTIVE_POOL(.output_size = {4}, .kind = MEMMODEL_POOL_MAX));
}

static tensor
padded(memmodel_network *net, tensor x, int mode)
{
    return memmodel_network_pad(net, x, MEMMODEL_PAD(.before = {0, 0, 1, 1}, .after = {0, 0, 1, 1}, .kind = mode));
}

static void
pools(memmodel_network *net)
{
    tensor x = floats(net, 4, (int64_t[]){2, 3, 16, 16});

    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 8, .kernel = {3}, .padding = {1, 1}));
    x = resampled(net, x);
    x = padded(net, x, MEMMODEL_PAD_REFLECT);
    x = padded(net, x, MEMMODEL_PAD_REPLICATE);
    x = padded(net, x, MEMMODEL_PAD_CONSTANT);
    x = memmodel_network_dropout(net, x, MEMMODEL_DROPOUT(.rate = 0.3));
    x = memmodel_network_dropout(net, x, MEMMODEL_DROPOUT(.rate = 0.3, .channelwise = 1));
    x = memmodel_network_crop(net, x, MEMMODEL_PAD(.before = {0, 0, 1, 2}, .after = {0, 0, 1, 2}));
    x = memmodel_network_global_pool(net, x, MEMMODEL_GLOBAL_POOL(.kind = MEMMODEL_POOL_AVERAGE));
    mean_squared_error(net, linear(net, x, 4), 2, (int64_t[]){2, 4});
}

static void
volumes(memmodel_network *net)
{
    tensor x = floats(net, 5, (int64_t[]){2, 1, 12, 12, 12});

    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {3}, .padding = {1, 1, 1}));
    x = memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}, .kind = MEMMODEL_INTERPOLATION_LINEAR));
    x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}, .kind = MEMMODEL_POOL_AVERAGE));
    x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}));
    x = memmodel_network_reduce(net, x,
                                MEMMODEL_REDUCE(.axes = {2, 3, 4}, .axis_count = 3, .kind = MEMMODEL_REDUCE_MAX));
    mean_squared_error(net, linear(net, x, 4), 2, (int64_t[]){2, 4});
}

/* ---- arithmetic and products ---- */

static void
arithmetic(memmodel_network *net)
{
    tensor row = memmodel_network_parameter(net, "row", MEMMODEL_DTYPE_FLOAT32, 1, (int64_t[]){32}, 1);
    tensor column = memmodel_network_parameter(net, "column", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){8, 1}, 1);
    tensor given = floats(net, 2, (int64_t[]){8, 16}), h = linear(net, given, 32), x = linear(net, given, 32);

    x = binary(net, MEMMODEL_BINARY_SUBTRACT, x, h);
    x = binary(net, MEMMODEL_BINARY_MULTIPLY, x, h);
    x = binary(net, MEMMODEL_BINARY_DIVIDE, x, row);
    x = binary(net, MEMMODEL_BINARY_MAXIMUM, x, h);
    x = binary(net, MEMMODEL_BINARY_MINIMUM, x, column);
    x = memmodel_network_binary(net, x, h, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_MULTIPLY, .in_place = 1));
    x = binary(net, MEMMODEL_BINARY_ADD, x, row);
    x = binary(net, MEMMODEL_BINARY_SUBTRACT, x, column);
    x = add_in_place(net, x, row);
    x = memmodel_network_concat(net, (tensor[]){x, x}, 2, MEMMODEL_CONCAT(.axis = 1));
    x = memmodel_network_permute(net, x, 2, (int[]){1, 0});
    x = memmodel_network_reduce(net, x, MEMMODEL_REDUCE(.axes = {1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_SUM));
    x = memmodel_network_expand(net, x, 2, (int64_t[]){3, 64});
    mean_squared_error(net, x, 2, (int64_t[]){3, 64});
}

static void
products(memmodel_network *net)
{
    tensor weight = memmodel_network_parameter(net, "weight", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){16, 24}, 1);
    tensor left = memmodel_network_parameter(net, "left", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){6, 10}, 1), h;
    tensor x = memmodel_network_matmul(net, floats(net, 3, (int64_t[]){4, 10, 16}), weight, NULL);

    x = memmodel_network_matmul(net, left, x, NULL);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 24, .no_bias = 1));
    h = memmodel_network_permute(net, x, 3, (int[]){0, 2, 1});
    h = memmodel_network_matmul(net, x, h, NULL);
    x = memmodel_network_matmul(net, h, x, NULL);
    x = memmodel_network_reshape(net, x, 4, (int64_t[]){4, 6, 3, 8});
    x = memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
    x = memmodel_network_attention(net, x, x, x, MEMMODEL_TENSOR_NONE, MEMMODEL_ATTENTION(.dropout = 0.1));
    x = memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
    x = memmodel_network_reshape(net, x, 2, (int64_t[]){4, 144});
    mean_squared_error(net, x, 2, (int64_t[]){4, 144});
}

/* ---- losses over 40,000 numbers: parallel sums begin at 32,768 ---- */

static void
loss_network(memmodel_network *net, int kind)
{
    tensor x = pointwise_conv(net, floats(net, 3, (int64_t[]){4, 2, 1000}), 10);

    if (kind == MEMMODEL_LOSS_BINARY_CROSS_ENTROPY)
        x = activation(net, x, MEMMODEL_ACTIVATION_SIGMOID, 0);
    loss(net, x, memmodel_network_input(net, "target", MEMMODEL_DTYPE_FLOAT32, 3, (int64_t[]){4, 10, 1000}), kind);
}

static void
class_loss_network(memmodel_network *net, int kind)
{
    tensor x = pointwise_conv(net, floats(net, 3, (int64_t[]){4, 3, 1000}), 10);

    loss(net, x, indices(net, "target", 2, (int64_t[]){4, 1000}), kind);
}

#define LOSS_NETWORK(name, network, kind)                                                                              \
    static void name(memmodel_network *net)                                                                            \
    {                                                                                                                  \
        network(net, kind);                                                                                            \
    }

LOSS_NETWORK(loss_dice, loss_network, MEMMODEL_LOSS_DICE)
LOSS_NETWORK(loss_nll, class_loss_network, MEMMODEL_LOSS_NEGATIVE_LOG_LIKELIHOOD)
LOSS_NETWORK(loss_cross_entropy_2d, class_loss_network, MEMMODEL_LOSS_CROSS_ENTROPY)
LOSS_NETWORK(loss_mse_loss, loss_network, MEMMODEL_LOSS_MEAN_SQUARED_ERROR)
LOSS_NETWORK(loss_l1_loss, loss_network, MEMMODEL_LOSS_MEAN_ABSOLUTE_ERROR)
LOSS_NETWORK(loss_smooth_l1_loss, loss_network, MEMMODEL_LOSS_SMOOTH_L1)
LOSS_NETWORK(loss_binary_cross_entropy, loss_network, MEMMODEL_LOSS_BINARY_CROSS_ENTROPY)
LOSS_NETWORK(loss_binary_cross_entropy_with_logits, loss_network, MEMMODEL_LOSS_BINARY_CROSS_ENTROPY_WITH_LOGITS)
LOSS_NETWORK(loss_kl_div, loss_network, MEMMODEL_LOSS_KL_DIVERGENCE)

/* ---- the test ---- */

/* One test a network: a name, the optimizer it was recorded with, and the call that builds it. */
static const struct family {
    const char *name, *optimizer;
    void (*build)(memmodel_network *net);
} families[] = {
    {"decoder", "adamw", decoder},
    {"residual", "momentum", residual},
    {"lstm", "adam", lstm},
    {"gru", "adam", gru},
    {"rnn", "sgd", rnn},
    {"activations", "sgd", activations},
    {"activations_in_place", "sgd", activations_in_place},
    {"norms", "adam", norms},
    {"pools", "sgd", pools},
    {"volumes", "sgd", volumes},
    {"arithmetic", "sgd", arithmetic},
    {"products", "sgd", products},
    {"loss_dice", "sgd", loss_dice},
    {"loss_nll", "sgd", loss_nll},
    {"loss_cross_entropy_2d", "sgd", loss_cross_entropy_2d},
    {"loss_mse_loss", "sgd", loss_mse_loss},
    {"loss_l1_loss", "sgd", loss_l1_loss},
    {"loss_smooth_l1_loss", "sgd", loss_smooth_l1_loss},
    {"loss_binary_cross_entropy", "sgd", loss_binary_cross_entropy},
    {"loss_binary_cross_entropy_with_logits", "sgd", loss_binary_cross_entropy_with_logits},
    {"loss_kl_div", "sgd", loss_kl_div},
};

enum { FAMILIES = sizeof families / sizeof families[0] };

static void
build_family(memmodel_network *net, const void *row)
{
    ((const struct family *)row)->build(net);
}

static void
is_recorded_and_simulated_alike(void **state)
{
    const struct family *family = *state;
    struct memmodel_job job = recorded_job("avx2", family->optimizer);

    assert_recorded_alike("pytorch_families", family->name, &job, build_family, family);
}

int
main(void)
{
    return run_table(families, FAMILIES, sizeof families[0], is_recorded_and_simulated_alike);
}

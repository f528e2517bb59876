/*
 * Simulated steps against recorded ones on another machine: classic networks, trained with PyTorch 2.13.0 on a
 * processor with AVX-512 (test/data/pytorch_avx512/README.md). Scopes are calls of modules, as Python made them.
 */
#include "differ.h"

typedef memmodel_tensor tensor;

static tensor
relu(memmodel_network *net, tensor x, int in_place)
{
    return memmodel_network_activation(net, x,
                                       MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU, .in_place = in_place));
}

static tensor
conv(memmodel_network *net, tensor x, int64_t filters, int64_t kernel, int64_t stride, int bias)
{
    int64_t pad = kernel / 2;

    return memmodel_network_conv(net, x,
                                 MEMMODEL_CONV(.filters = filters, .kernel = {kernel}, .stride = {stride},
                                               .padding = {pad, pad, pad}, .no_bias = !bias));
}

static tensor
conv_norm(memmodel_network *net, tensor x, int64_t filters, int64_t kernel, int64_t stride)
{
    return memmodel_network_batch_norm(net, conv(net, x, filters, kernel, stride, 0), NULL);
}

static tensor
max_pool(memmodel_network *net, tensor x)
{
    return memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}));
}

static tensor
linear(memmodel_network *net, tensor x, int64_t units)
{
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = units));
}

static tensor
add(memmodel_network *net, tensor a, tensor b, int in_place)
{
    return memmodel_network_binary(net, a, b, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_ADD, .in_place = in_place));
}

/* ---- networks ---- */

/* Two convolutions as one nn.Sequential. */
static tensor
double_conv(memmodel_network *net, tensor x, int64_t filters)
{
    memmodel_network_push_scope(net, "double");
    for (int i = 0; i < 2; i++)
        x = relu(net, memmodel_network_batch_norm(net, conv(net, x, filters, 3, 1, 1), NULL), 1);
    memmodel_network_pop_scope(net);
    return x;
}

/* x = up(x); x = block(torch.cat([x, skip])): the name x holds what went up until the block returns. */
static tensor
decode(memmodel_network *net, tensor x, tensor skip, int64_t filters)
{
    tensor up =
        memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}, .kind = MEMMODEL_INTERPOLATION_LINEAR));

    x = memmodel_network_concat(net, (tensor[]){up, skip}, 2, MEMMODEL_CONCAT(.along_channels = 1));
    x = double_conv(net, x, filters);
    memmodel_network_end_lifetime(net, up);
    return x;
}

/* The names a, b and c hold their tensors until forward returns. */
static tensor
unet(memmodel_network *net, tensor x)
{
    tensor a = double_conv(net, x, 16), b = double_conv(net, max_pool(net, a), 32);
    tensor c = double_conv(net, max_pool(net, b), 64);

    x = decode(net, c, b, 32);
    x = decode(net, x, a, 16);
    x = conv(net, x, 3, 1, 1, 1);
    memmodel_network_end_lifetime(net, a);
    memmodel_network_end_lifetime(net, b);
    memmodel_network_end_lifetime(net, c);
    return x;
}

static tensor
vgg(memmodel_network *net, tensor x)
{
    static const int filters[] = {16, 16, 0, 32, 32, 0, 64, 0}; /* 0: pooling */

    for (int i = 0; i < 8; i++)
        x = filters[i] ? relu(net, conv(net, x, filters[i], 3, 1, 1), 1) : max_pool(net, x);
    x = memmodel_network_flatten(net, x, 1, -1);
    memmodel_network_push_scope(net, "classifier");
    x = memmodel_network_dropout(net, relu(net, linear(net, x, 128), 1), NULL);
    x = linear(net, x, 10);
    memmodel_network_pop_scope(net);
    return x;
}

static tensor
autoencoder(memmodel_network *net, tensor x)
{
    memmodel_network_push_scope(net, "encoder");
    x = relu(net, conv(net, x, 16, 3, 2, 1), 0);
    x = relu(net, conv(net, x, 32, 3, 2, 1), 0);
    memmodel_network_pop_scope(net);
    memmodel_network_push_scope(net, "decoder");
    for (int filters = 16; filters >= 3; filters = filters == 16 ? 3 : 0) {
        x = memmodel_network_conv_transpose(
            net, x, MEMMODEL_CONV(.filters = filters, .kernel = {4}, .stride = {2}, .padding = {1, 1}));
        x = filters == 16
                ? relu(net, x, 0)
                : memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_SIGMOID));
    }
    memmodel_network_pop_scope(net);
    return x;
}

static tensor
basic_block(memmodel_network *net, tensor x, int64_t filters, int64_t stride, bool shortcut)
{
    tensor identity = x;

    memmodel_network_push_scope(net, "block");
    x = relu(net, conv_norm(net, x, filters, 3, stride), 1);
    x = conv_norm(net, x, filters, 3, 1);
    if (shortcut)
        identity = conv_norm(net, identity, filters, 1, stride);
    x = relu(net, add(net, x, identity, 1), 1);
    memmodel_network_end_lifetime(net, identity);
    memmodel_network_pop_scope(net);
    return x;
}

static tensor
bottleneck(memmodel_network *net, tensor x, int64_t filters, int64_t stride, bool shortcut)
{
    tensor identity = x;

    memmodel_network_push_scope(net, "block");
    x = relu(net, conv_norm(net, x, filters, 1, 1), 0);
    x = relu(net, conv_norm(net, x, filters, 3, stride), 0);
    x = conv_norm(net, x, 4 * filters, 1, 1);
    if (shortcut)
        identity = conv_norm(net, identity, 4 * filters, 1, stride);
    x = relu(net, add(net, x, identity, 0), 0);
    memmodel_network_pop_scope(net);
    return x;
}

static tensor
resnet_stem(memmodel_network *net, tensor x)
{
    x = relu(net, conv_norm(net, x, 16, 7, 2), 1);
    return memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {3}, .stride = {2}, .padding = {1, 1}));
}

static tensor
resnet_head(memmodel_network *net, tensor x)
{
    x = memmodel_network_adaptive_pool(net, x,
                                       MEMMODEL_ADAPTIVE_POOL(.output_size = {1}, .kind = MEMMODEL_POOL_AVERAGE));
    return linear(net, memmodel_network_flatten(net, x, 1, -1), 10);
}

static tensor
resnet_basic(memmodel_network *net, tensor x)
{
    x = basic_block(net, resnet_stem(net, x), 16, 1, false);
    x = basic_block(net, x, 32, 2, true);
    return resnet_head(net, basic_block(net, x, 32, 1, false));
}

static tensor
resnet_bottle(memmodel_network *net, tensor x)
{
    x = bottleneck(net, resnet_stem(net, x), 8, 1, true);
    x = bottleneck(net, x, 16, 2, true);
    return resnet_head(net, bottleneck(net, x, 16, 1, false));
}

static tensor
dense_layer(memmodel_network *net, tensor x)
{
    tensor new;

    memmodel_network_push_scope(net, "dense");
    new = conv(net, relu(net, memmodel_network_batch_norm(net, x, NULL), 0), 12, 3, 1, 0);
    x = memmodel_network_concat(net, (tensor[]){x, new}, 2, MEMMODEL_CONCAT(.along_channels = 1));
    memmodel_network_pop_scope(net);
    return x;
}

static tensor
transition(memmodel_network *net, tensor x, int64_t filters)
{
    memmodel_network_push_scope(net, "transition");
    x = conv(net, relu(net, memmodel_network_batch_norm(net, x, NULL), 0), filters, 1, 1, 1);
    x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}, .kind = MEMMODEL_POOL_AVERAGE));
    memmodel_network_pop_scope(net);
    return x;
}

static tensor
densenet(memmodel_network *net, tensor x)
{
    x = conv(net, x, 16, 3, 1, 1);
    memmodel_network_push_scope(net, "body");
    for (int64_t block = 0, channels = 16; block < 2; block++) {
        for (int i = 0; i < 3; i++)
            x = dense_layer(net, x);
        channels = (channels + 3 * 12) / 2;
        x = transition(net, x, channels);
    }
    memmodel_network_pop_scope(net);
    return resnet_head(net, relu(net, memmodel_network_batch_norm(net, x, NULL), 0));
}

static tensor
block3d(memmodel_network *net, tensor x, int64_t filters, int64_t stride)
{
    tensor y, identity = x;

    memmodel_network_push_scope(net, "block");
    y = relu(net, conv_norm(net, x, filters, 3, stride), 0);
    y = conv_norm(net, y, filters, 3, 1);
    if (stride > 1)
        identity = conv(net, x, filters, 1, stride, 1);
    x = add(net, y, identity, 0);
    x = relu(net, x, 0);
    memmodel_network_end_lifetime(net, y);
    memmodel_network_pop_scope(net);
    return x;
}

static tensor
res3d(memmodel_network *net, tensor x)
{
    x = conv(net, x, 8, 3, 1, 1);
    memmodel_network_push_scope(net, "blocks");
    x = block3d(net, x, 8, 1);
    x = block3d(net, x, 16, 2);
    x = block3d(net, x, 32, 2);
    memmodel_network_pop_scope(net);
    x = memmodel_network_global_pool(net, x, MEMMODEL_GLOBAL_POOL(.kind = MEMMODEL_POOL_AVERAGE));
    return linear(net, x, 4);
}

/* ---- losses ---- */

static void
cross_entropy(memmodel_network *net, tensor y)
{
    struct memmodel_shape shape;
    tensor target;

    memmodel_network_get_shape(net, y, &shape);
    target = memmodel_network_input(net, "class", MEMMODEL_DTYPE_INT64, 1, shape.dims);
    memmodel_network_loss(net, y, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_CROSS_ENTROPY));
}

static void
mean_squared_error(memmodel_network *net, tensor y)
{
    struct memmodel_shape shape;
    tensor target;

    memmodel_network_get_shape(net, y, &shape);
    target = memmodel_network_input(net, "target", MEMMODEL_DTYPE_FLOAT32, shape.rank, shape.dims);
    memmodel_network_loss(net, y, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_MEAN_SQUARED_ERROR));
}

/* y.pow(2).mean() */
static void
mean_square(memmodel_network *net, tensor y)
{
    y = memmodel_network_activation(net, y, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_SQUARE));
    memmodel_network_reduce(net, y, MEMMODEL_REDUCE(.kind = MEMMODEL_REDUCE_MEAN));
}

/* ---- the tests ---- */

static const struct run {
    const char *name, *optimizer;
    tensor (*model)(memmodel_network *net, tensor x);
    void (*loss)(memmodel_network *net, tensor y);
    int rank;
    int64_t input[5];
} runs[] = {
    {"unet_2_adam_sq", "adam", unet, mean_square, 4, {2, 1, 48, 48}},
    {"unet_3_momentum_mse", "momentum", unet, mean_squared_error, 4, {3, 1, 48, 48}},
    {"unet_4_sgd_mse", "sgd", unet, mean_squared_error, 4, {4, 1, 48, 48}},
    {"vgg_8_sgd_ce", "sgd", vgg, cross_entropy, 4, {8, 3, 32, 32}},
    {"vgg_16_adam_ce", "adam", vgg, cross_entropy, 4, {16, 3, 32, 32}},
    {"autoenc_8_adam_mse", "adam", autoencoder, mean_squared_error, 4, {8, 3, 32, 32}},
    {"autoenc_16_adamw_sq", "adamw", autoencoder, mean_square, 4, {16, 3, 32, 32}},
    {"resnet_basic_4_momentum_ce", "momentum", resnet_basic, cross_entropy, 4, {4, 3, 64, 64}},
    {"resnet_bottle_3_sgd_sq", "sgd", resnet_bottle, mean_square, 4, {3, 3, 64, 64}},
    {"resnet_bottle_8_adamw_ce", "adamw", resnet_bottle, cross_entropy, 4, {8, 3, 64, 64}},
    {"densenet_4_adam_ce", "adam", densenet, cross_entropy, 4, {4, 3, 32, 32}},
    {"res3d_2_adamw_ce", "adamw", res3d, cross_entropy, 5, {2, 1, 16, 16, 16}},
};

enum { RUNS = sizeof runs / sizeof runs[0] };

static void
build_run(memmodel_network *net, const void *row)
{
    const struct run *run = row;
    tensor y = run->model(net, memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, run->rank, run->input));

    memmodel_network_mark_output(net, y);
    run->loss(net, y);
}

static void
is_recorded_and_simulated_alike(void **state)
{
    const struct run *run = *state;
    struct memmodel_job job = recorded_job("avx512", run->optimizer);

    assert_recorded_alike("pytorch_avx512", run->name, &job, build_run, run);
}

int
main(void)
{
    return run_table(runs, RUNS, sizeof runs[0], is_recorded_and_simulated_alike);
}

/* Ready-made networks: each reads like the PyTorch module that it mirrors, its scopes are that module's calls. */
#include "networks.h"

#include <stdio.h>

enum { NAME_BYTES = 32, MOST_LEVELS = 16 };

/* ---- shared ---- */

/* A layer made by printf from a name and a number, such as "pool.3"; valid until the next call with the same buffer. */
static const char *
numbered(char buffer[NAME_BYTES], const char *name, int number)
{
    snprintf(buffer, NAME_BYTES, "%s%d", name, number);
    return buffer;
}

static void
push_numbered(memmodel_network *net, const char *name, int number)
{
    char buffer[NAME_BYTES];

    memmodel_network_push_scope(net, numbered(buffer, name, number));
}

static memmodel_tensor
relu(memmodel_network *net, memmodel_tensor x, const char *name, bool in_place)
{
    return memmodel_network_activation(
        net, x, MEMMODEL_ACTIVATION(.name = name, .kind = MEMMODEL_ACTIVATION_RELU, .in_place = in_place));
}

/* [batch, channels, ...] in the network's layout; the spatial dimensions are called by the names given */
static memmodel_tensor
picture(memmodel_network *net, const char *name, int spatial, const char *const *edges, int64_t channels,
        bool channels_last)
{
    memmodel_dim dims[5] = {memmodel_network_symbol(net, "batch")};

    for (int i = 0; i < spatial; i++)
        dims[channels_last ? 1 + i : 2 + i] = memmodel_network_symbol(net, edges[i]);
    dims[channels_last ? 1 + spatial : 1] = channels;
    return memmodel_network_input(net, name, MEMMODEL_DTYPE_FLOAT32, 2 + spatial, dims);
}

/* The same with all edges equal. */
static memmodel_tensor
image(memmodel_network *net, const char *name, int spatial, int64_t channels, bool channels_last)
{
    return picture(net, name, spatial, (const char *[]){"dim", "dim", "dim"}, channels, channels_last);
}

/* Begins a network; the batch is its first symbol. */
static int
begin(memmodel_context *context, memmodel_network **net)
{
    int status = memmodel_network_new(context, net);

    if (status == 0)
        memmodel_network_symbol(*net, "batch");
    return status;
}

/* Hands a finished network over, or lets go of one that could not be built. */
static int
finish(memmodel_network *net, memmodel_tensor output, memmodel_network **network)
{
    int status;

    memmodel_network_mark_output(net, output);
    status = memmodel_network_status(net);
    if (status)
        memmodel_network_unref(net);
    else
        *network = net;
    return status;
}

/* ---- 3D U-Net ---- */

static memmodel_tensor
convolution_block(memmodel_network *net, const struct unet3d *unet, memmodel_tensor x, int64_t filters)
{
    char name[NAME_BYTES];

    for (int i = 0; i < 2; i++) {
        x = memmodel_network_conv(net, x,
                                  MEMMODEL_CONV(.name = numbered(name, "convolution", i), .filters = filters,
                                                .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
        if (!unet->no_batch_norm)
            x = memmodel_network_batch_norm(net, x, MEMMODEL_BATCH_NORM(.name = numbered(name, "norm", i)));
        x = relu(net, x, numbered(name, "relu", i), false);
    }
    memmodel_network_pop_scope(net);
    return x;
}

static memmodel_tensor
upward(memmodel_network *net, const struct unet3d *unet, memmodel_tensor x, int64_t filters, int step)
{
    char name[NAME_BYTES];

    numbered(name, "up.", step);
    if (unet->upsampling)
        return memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.name = name, .scale = {2}));
    return memmodel_network_conv_transpose(
        net, x, MEMMODEL_CONV(.name = name, .filters = filters, .kernel = {2}, .stride = {2}));
}

static memmodel_tensor
encode(memmodel_network *net, const struct unet3d *unet, memmodel_tensor x, memmodel_tensor *skips)
{
    char name[NAME_BYTES];

    for (int level = 0; level < unet->depth; level++) {
        push_numbered(net, "encoder.", level);
        x = skips[level] = convolution_block(net, unet, x, unet->filters << level);
        x = memmodel_network_pool(net, x, MEMMODEL_POOL(.name = numbered(name, "pool.", level), .kernel = {2}));
    }
    memmodel_network_push_scope(net, "bottleneck");
    return convolution_block(net, unet, x, unet->filters << unet->depth);
}

static memmodel_tensor
decode(memmodel_network *net, const struct unet3d *unet, memmodel_tensor x, const memmodel_tensor *skips)
{
    char name[NAME_BYTES];

    for (int level = unet->depth - 1, step = 0; level >= 0; level--, step++) {
        x = upward(net, unet, x, unet->filters << level, step);
        x = memmodel_network_concat(net, (memmodel_tensor[]){x, skips[level]}, 2,
                                    MEMMODEL_CONCAT(.name = numbered(name, "concat.", step), .along_channels = 1));
        push_numbered(net, "decoder.", step);
        x = convolution_block(net, unet, x, unet->filters << level);
    }
    return x;
}

static memmodel_tensor
predict_mask(memmodel_network *net, const struct unet3d *unet, memmodel_tensor x)
{
    int32_t fused = unet->fused_mask ? MEMMODEL_ACTIVATION_SIGMOID : MEMMODEL_ACTIVATION_NONE;

    x = memmodel_network_conv(
        net, x, MEMMODEL_CONV(.name = "prediction", .filters = unet->classes, .kernel = {1}, .activation = fused));
    if (unet->fused_mask)
        return x;
    return memmodel_network_activation(net, x,
                                       MEMMODEL_ACTIVATION(.name = "mask", .kind = MEMMODEL_ACTIVATION_SIGMOID));
}

static struct unet3d
unet3d_defaults(const struct unet3d *options)
{
    struct unet3d unet = *options;

    unet.filters = unet.filters ? unet.filters : 16;
    unet.depth = unet.depth ? unet.depth : 4;
    unet.channels = unet.channels ? unet.channels : 1;
    unet.classes = unet.classes ? unet.classes : 1;
    return unet;
}

static memmodel_tensor
volume(memmodel_network *net, const struct unet3d *unet, const char *name, int64_t channels)
{
    if (!unet->box)
        return image(net, name, 3, channels, unet->channels_last);
    return picture(net, name, 3, (const char *[]){"height", "width", "depth"}, channels, unet->channels_last);
}

int
network_unet3d(memmodel_context *context, const struct unet3d *options, memmodel_network **network)
{
    struct unet3d unet = unet3d_defaults(options);
    memmodel_network *net;
    memmodel_tensor skips[MOST_LEVELS], x, target;
    int status;

    if (unet.depth < 0 || unet.depth > MOST_LEVELS || unet.filters < 0 || unet.filters > 1 << 20)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = begin(context, &net);
    if (status)
        return status;
    if (unet.channels_last)
        memmodel_network_set_layout(net, MEMMODEL_LAYOUT_CHANNELS_LAST);
    x = volume(net, &unet, "image", unet.channels);
    x = encode(net, &unet, x, skips);
    x = decode(net, &unet, x, skips);
    x = predict_mask(net, &unet, x);
    if (unet.loss) {
        memmodel_network_mark_output(net, x); /* y = model(x) stays bound beside loss = f(y, target) */
        target = volume(net, &unet, "target", unet.classes);
        x = memmodel_network_loss(net, x, target,
                                  MEMMODEL_LOSS(.name = "loss", .kind = MEMMODEL_LOSS_BINARY_CROSS_ENTROPY));
    }
    return finish(net, x, network);
}

/* ---- the small image classifier ---- */

/* A layer's ReLU, fused with it or of its own. */
static memmodel_tensor
own_relu(memmodel_network *net, const struct cnn50 *cnn, memmodel_tensor x, const char *name)
{
    return cnn->separate_activations ? relu(net, x, name, false) : x;
}

static memmodel_tensor
cnn50_layers(memmodel_network *net, const struct cnn50 *cnn, memmodel_tensor x)
{
    int32_t fused = cnn->separate_activations ? MEMMODEL_ACTIVATION_NONE : MEMMODEL_ACTIVATION_RELU;
    char name[NAME_BYTES];

    for (int i = 0; i < 2; i++) {
        x = memmodel_network_conv(net, x,
                                  MEMMODEL_CONV(.name = numbered(name, "convolution", i), .filters = 32 << i,
                                                .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME,
                                                .activation = fused));
        x = own_relu(net, cnn, x, numbered(name, "relu", i));
        x = memmodel_network_pool(net, x, MEMMODEL_POOL(.name = numbered(name, "pool", i), .kernel = {2}));
    }
    x = memmodel_network_flatten(net, x, 1, -1);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "dense", .units = 500, .activation = fused));
    x = own_relu(net, cnn, x, "relu2");
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "logits", .units = 10));
}

int
network_cnn50(memmodel_context *context, const struct cnn50 *options, memmodel_network **network)
{
    memmodel_network *net;
    memmodel_dim batch;
    memmodel_tensor x, target;
    int status = begin(context, &net);

    if (status)
        return status;
    batch = memmodel_network_symbol(net, "batch");
    x = memmodel_network_input(net, "image", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){batch, 3, 50, 50});
    x = cnn50_layers(net, options, x);
    if (options->loss) {
        memmodel_network_mark_output(net, x); /* y = model(x) stays bound beside loss = f(y, target) */
        target = memmodel_network_input(net, "target", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){batch});
        x = memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.name = "loss"));
    }
    return finish(net, x, network);
}

/* ---- VGG-16: torchvision.models.vgg16 ---- */

static memmodel_tensor
vgg16_features(memmodel_network *net, memmodel_tensor x)
{
    static const int filters[] = {64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0};
    char name[NAME_BYTES];
    int number = 0; /* of the layer in torch.nn.Sequential */

    memmodel_network_push_scope(net, "features");
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        numbered(name, "", number++);
        if (filters[i] == 0) {
            x = memmodel_network_pool(net, x, MEMMODEL_POOL(.name = name, .kernel = {2}));
            continue;
        }
        x = memmodel_network_conv(net, x,
                                  MEMMODEL_CONV(.name = name, .filters = filters[i], .kernel = {3}, .padding = {1, 1}));
        x = relu(net, x, numbered(name, "", number++), true);
    }
    memmodel_network_pop_scope(net);
    return x;
}

static memmodel_tensor
vgg16_classifier(memmodel_network *net, memmodel_tensor x)
{
    memmodel_network_push_scope(net, "classifier");
    for (int i = 0; i < 2; i++) {
        x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 4096));
        x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU, .in_place = 1));
        x = memmodel_network_dropout(net, x, NULL);
    }
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 1000));
    memmodel_network_pop_scope(net);
    return x;
}

int
network_vgg16(memmodel_context *context, memmodel_network **network)
{
    memmodel_network *net;
    memmodel_tensor x;
    int status = begin(context, &net);

    if (status)
        return status;
    x = image(net, "image", 2, 3, false);
    x = vgg16_features(net, x);
    x = memmodel_network_adaptive_pool(
        net, x, MEMMODEL_ADAPTIVE_POOL(.name = "avgpool", .output_size = {7}, .kind = MEMMODEL_POOL_AVERAGE));
    x = memmodel_network_flatten(net, x, 1, -1);
    return finish(net, vgg16_classifier(net, x), network);
}

/* ---- ResNet-50: torchvision.models.resnet50 ---- */

static memmodel_tensor
conv_norm(memmodel_network *net, memmodel_tensor x, int64_t filters, int64_t kernel, int64_t stride)
{
    x = memmodel_network_conv(net, x,
                              MEMMODEL_CONV(.filters = filters, .kernel = {kernel}, .stride = {stride},
                                            .padding = {kernel / 2, kernel / 2}, .no_bias = 1));
    return memmodel_network_batch_norm(net, x, NULL);
}

static memmodel_tensor
relu_in_place(memmodel_network *net, memmodel_tensor x)
{
    return memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU, .in_place = 1));
}

/* `reshaped`: the first block of a stage, whose shortcut is a convolution. */
static memmodel_tensor
bottleneck(memmodel_network *net, memmodel_tensor x, int64_t width, int64_t stride, bool reshaped)
{
    memmodel_tensor identity = x;

    x = relu_in_place(net, conv_norm(net, x, width, 1, 1));
    x = relu_in_place(net, conv_norm(net, x, width, 3, stride));
    x = conv_norm(net, x, 4 * width, 1, 1);
    if (reshaped) {
        memmodel_network_push_scope(net, "downsample");
        identity = conv_norm(net, identity, 4 * width, 1, stride);
        memmodel_network_pop_scope(net);
    }
    x = memmodel_network_binary(net, x, identity, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_ADD, .in_place = 1));
    return relu_in_place(net, x);
}

static memmodel_tensor
resnet50_stages(memmodel_network *net, memmodel_tensor x)
{
    static const int blocks[] = {3, 4, 6, 3};

    for (int stage = 0; stage < 4; stage++) {
        push_numbered(net, "layer", stage + 1);
        for (int block = 0; block < blocks[stage]; block++) {
            push_numbered(net, "", block);
            x = bottleneck(net, x, 64 << stage, stage > 0 && block == 0 ? 2 : 1, block == 0);
            memmodel_network_pop_scope(net);
        }
        memmodel_network_pop_scope(net);
    }
    return x;
}

int
network_resnet50(memmodel_context *context, memmodel_network **network)
{
    memmodel_network *net;
    memmodel_tensor x;
    int status = begin(context, &net);

    if (status)
        return status;
    x = image(net, "image", 2, 3, false);
    x = relu_in_place(net, conv_norm(net, x, 64, 7, 2));
    x = memmodel_network_pool(net, x,
                              MEMMODEL_POOL(.name = "maxpool", .kernel = {3}, .stride = {2}, .padding = {1, 1}));
    x = resnet50_stages(net, x);
    x = memmodel_network_global_pool(
        net, x, MEMMODEL_GLOBAL_POOL(.name = "avgpool", .kind = MEMMODEL_POOL_AVERAGE, .keep_dims = 1));
    x = memmodel_network_flatten(net, x, 1, -1);
    return finish(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "fc", .units = 1000)), network);
}

/* ---- MobileNetV2: torchvision.models.mobilenet_v2 ---- */

static memmodel_tensor
conv_norm_relu6(memmodel_network *net, memmodel_tensor x, int64_t filters, int64_t kernel, int64_t stride,
                int64_t groups)
{
    x = memmodel_network_conv(net, x,
                              MEMMODEL_CONV(.filters = filters, .kernel = {kernel}, .stride = {stride},
                                            .padding = {kernel / 2, kernel / 2}, .groups = groups, .no_bias = 1));
    x = memmodel_network_batch_norm(net, x, NULL);
    return memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU6, .in_place = 1));
}

/* `expansion` times as many channels in between, each convolved by itself. */
static memmodel_tensor
inverted_residual(memmodel_network *net, memmodel_tensor x, int64_t in, int64_t out, int64_t stride, int64_t expansion)
{
    memmodel_tensor y = x;

    if (expansion != 1)
        y = conv_norm_relu6(net, y, in * expansion, 1, 1, 1);
    y = conv_norm_relu6(net, y, in * expansion, 3, stride, in * expansion);
    y = conv_norm(net, y, out, 1, 1);
    return stride == 1 && in == out ? memmodel_network_binary(net, x, y, NULL) : y;
}

static memmodel_tensor
mobilenet_features(memmodel_network *net, memmodel_tensor x)
{
    static const struct {
        int expansion, channels, blocks, stride;
    } stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                  {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    int number = 1;
    int64_t channels = 32;

    x = conv_norm_relu6(net, x, channels, 3, 2, 1);
    for (size_t stage = 0; stage < sizeof stages / sizeof stages[0]; stage++)
        for (int block = 0; block < stages[stage].blocks; block++) {
            push_numbered(net, "features.", number++);
            x = inverted_residual(net, x, channels, stages[stage].channels, block ? 1 : stages[stage].stride,
                                  stages[stage].expansion);
            memmodel_network_pop_scope(net);
            channels = stages[stage].channels;
        }
    return conv_norm_relu6(net, x, 1280, 1, 1, 1);
}

int
network_mobilenet(memmodel_context *context, memmodel_network **network)
{
    memmodel_network *net;
    memmodel_tensor x;
    int status = begin(context, &net);

    if (status)
        return status;
    x = mobilenet_features(net, image(net, "image", 2, 3, false));
    x = memmodel_network_global_pool(net, x, MEMMODEL_GLOBAL_POOL(.name = "avgpool", .kind = MEMMODEL_POOL_AVERAGE));
    x = memmodel_network_dropout(net, x, MEMMODEL_DROPOUT(.rate = 0.2));
    return finish(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "classifier", .units = 1000)), network);
}

/* ---- GPT-2: transformers.models.gpt2 ---- */

/* [batch, length, width] as [batch, heads, length, width / heads] */
static memmodel_tensor
split_heads(memmodel_network *net, const struct gpt2 *gpt, memmodel_tensor x)
{
    memmodel_dim batch = memmodel_network_symbol(net, "batch"), length = memmodel_network_symbol(net, "length");

    x = memmodel_network_reshape(net, x, 4, (memmodel_dim[]){batch, length, gpt->heads, gpt->width / gpt->heads});
    return memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
}

static memmodel_tensor
attend(memmodel_network *net, const struct gpt2 *gpt, memmodel_tensor x)
{
    memmodel_tensor parts, heads[3];

    memmodel_network_push_scope(net, "attn");
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "c_attn", .units = 3 * gpt->width));
    parts = memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = 3, .axis = -1));
    for (int i = 0; i < 3; i++)
        heads[i] = split_heads(net, gpt, memmodel_network_layer_output(net, parts, i));
    x = memmodel_network_attention(net, heads[0], heads[1], heads[2], MEMMODEL_TENSOR_NONE,
                                   MEMMODEL_ATTENTION(.dropout = 0.1, .causal = 1));
    x = memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
    x = memmodel_network_flatten(net, x, 2, 3);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "c_proj", .units = gpt->width));
    x = memmodel_network_dropout(net, x, MEMMODEL_DROPOUT(.rate = 0.1));
    memmodel_network_pop_scope(net);
    return x;
}

static memmodel_tensor
feed_forward(memmodel_network *net, const struct gpt2 *gpt, memmodel_tensor x)
{
    memmodel_network_push_scope(net, "mlp");
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "c_fc", .units = 4 * gpt->width));
    x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.name = "act", .kind = MEMMODEL_ACTIVATION_GELU_TANH));
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "c_proj", .units = gpt->width));
    x = memmodel_network_dropout(net, x, MEMMODEL_DROPOUT(.rate = 0.1));
    memmodel_network_pop_scope(net);
    return x;
}

static memmodel_tensor
gpt2_block(memmodel_network *net, const struct gpt2 *gpt, memmodel_tensor x)
{
    memmodel_tensor y = memmodel_network_layer_norm(net, x, MEMMODEL_LAYER_NORM(.name = "ln_1"));

    x = memmodel_network_binary(net, attend(net, gpt, y), x, NULL);
    y = memmodel_network_layer_norm(net, x, MEMMODEL_LAYER_NORM(.name = "ln_2"));
    return memmodel_network_binary(net, x, feed_forward(net, gpt, y), NULL);
}

static memmodel_tensor
gpt2_embed(memmodel_network *net, const struct gpt2 *gpt)
{
    memmodel_dim batch = memmodel_network_symbol(net, "batch"), length = memmodel_network_symbol(net, "length");
    memmodel_tensor tokens =
        memmodel_network_input(net, "tokens", MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){batch, length});
    memmodel_tensor places =
        memmodel_network_input(net, "positions", MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){1, length});

    tokens = memmodel_network_embedding(
        net, tokens, MEMMODEL_EMBEDDING(.name = "wte", .num_embeddings = gpt->vocabulary, .embedding_dim = gpt->width));
    places = memmodel_network_embedding(
        net, places, MEMMODEL_EMBEDDING(.name = "wpe", .num_embeddings = gpt->positions, .embedding_dim = gpt->width));
    tokens = memmodel_network_binary(net, tokens, places, NULL);
    return memmodel_network_dropout(net, tokens, MEMMODEL_DROPOUT(.rate = 0.1));
}

static struct gpt2
gpt2_defaults(const struct gpt2 *options)
{
    struct gpt2 gpt = *options;

    gpt.vocabulary = gpt.vocabulary ? gpt.vocabulary : 50257;
    gpt.positions = gpt.positions ? gpt.positions : 1024;
    gpt.width = gpt.width ? gpt.width : 768;
    gpt.heads = gpt.heads ? gpt.heads : 12;
    gpt.layers = gpt.layers ? gpt.layers : 12;
    return gpt;
}

int
network_gpt2(memmodel_context *context, const struct gpt2 *options, memmodel_network **network)
{
    struct gpt2 gpt = gpt2_defaults(options);
    memmodel_network *net;
    memmodel_tensor x;
    int status;

    if (gpt.width < 1 || gpt.width > 1 << 20 || gpt.heads < 1 || gpt.width % gpt.heads)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = begin(context, &net);
    if (status)
        return status;
    x = gpt2_embed(net, &gpt);
    for (int i = 0; i < gpt.layers; i++) {
        push_numbered(net, "h.", i);
        x = gpt2_block(net, &gpt, x);
        memmodel_network_pop_scope(net);
    }
    x = memmodel_network_layer_norm(net, x, MEMMODEL_LAYER_NORM(.name = "ln_f"));
    x = memmodel_network_linear(
        net, x, MEMMODEL_LINEAR(.name = "lm_head", .units = gpt.vocabulary, .no_bias = 1, .tied_to = "wte"));
    return finish(net, x, network);
}

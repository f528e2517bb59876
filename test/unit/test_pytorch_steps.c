/*
 * Simulated steps against recorded ones, event by event: the 3D U-Net and the small image classifier as they were
 * trained by test/frameworks/record_steps.py (PyTorch 2.13.0 CPU, AVX2; see test/data/pytorch_steps/README.md).
 */
#include "differ.h"

/* ---- the networks, as test/frameworks/networks.py has them ---- */

static memmodel_tensor
relu(memmodel_network *net, memmodel_tensor x)
{
    return memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
}

static memmodel_tensor
convolution_block(memmodel_network *net, memmodel_tensor x, int64_t filters)
{
    memmodel_network_push_scope(net, "block");
    for (int i = 0; i < 2; i++) {
        x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = filters, .kernel = {3}, .padding = {1, 1, 1}));
        x = memmodel_network_batch_norm(net, x, NULL);
        x = relu(net, x);
    }
    memmodel_network_pop_scope(net);
    return x;
}

static memmodel_tensor
up(memmodel_network *net, memmodel_tensor x, int64_t filters, bool upsampling)
{
    if (upsampling)
        return memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}));
    return memmodel_network_conv_transpose(net, x, MEMMODEL_CONV(.filters = filters, .kernel = {2}, .stride = {2}));
}

static memmodel_tensor
unet3d(memmodel_network *net, memmodel_tensor x, int64_t filters, bool upsampling)
{
    enum { DEPTH = 4 };
    memmodel_tensor skips[DEPTH];

    for (int level = 0; level < DEPTH; level++) {
        x = skips[level] = convolution_block(net, x, filters << level);
        x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}));
    }
    x = convolution_block(net, x, filters << DEPTH);
    for (int level = DEPTH - 1; level >= 0; level--) {
        x = up(net, x, filters << level, upsampling);
        x = memmodel_network_concat(net, (memmodel_tensor[]){x, skips[level]}, 2, MEMMODEL_CONCAT(.along_channels = 1));
        x = convolution_block(net, x, filters << level);
    }
    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 1, .kernel = {1}));
    return memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_SIGMOID));
}

static memmodel_tensor
cnn(memmodel_network *net, memmodel_tensor x)
{
    for (int64_t filters = 32; filters <= 64; filters *= 2) {
        x = memmodel_network_conv(net, x,
                                  MEMMODEL_CONV(.filters = filters, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
        x = relu(net, x);
        x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}));
    }
    x = memmodel_network_flatten(net, x, 1, -1);
    x = relu(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 500)));
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 10));
}

/* ---- the cases ---- */

struct unet_case {
    int64_t filters, voxels, batch;
    const char *optimizer; /* NULL: inference */
    bool upsampling;
    int threads;
};

/* The target is there in inference too, as an input that nothing reads. */
static memmodel_network *
unet_network(memmodel_context *context, const struct unet_case *c)
{
    int64_t dims[] = {c->batch, 1, c->voxels, c->voxels, c->voxels};
    memmodel_network *net;
    memmodel_tensor x, target;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "image", MEMMODEL_DTYPE_FLOAT32, 5, dims);
    target = memmodel_network_input(net, "mask", MEMMODEL_DTYPE_FLOAT32, 5, dims);
    x = unet3d(net, x, c->filters, c->upsampling);
    if (c->optimizer)
        memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_BINARY_CROSS_ENTROPY));
    else
        memmodel_network_mark_output(net, x);
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

static memmodel_network *
cnn_network(memmodel_context *context, int64_t batch, const char *optimizer)
{
    memmodel_network *net;
    memmodel_tensor x, target;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "image", MEMMODEL_DTYPE_FLOAT32, 4, (int64_t[]){batch, 3, 50, 50});
    target = memmodel_network_input(net, "class", MEMMODEL_DTYPE_INT64, 1, &batch);
    x = cnn(net, x);
    if (optimizer)
        memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_CROSS_ENTROPY));
    else
        memmodel_network_mark_output(net, x);
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

static struct memmodel_job
job_of(const char *optimizer, int threads)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job),
        .framework = "pytorch",
        .device = "cpu",
        .isa = "avx2",
        .optimizer = optimizer ? optimizer : "none",
        .mode = !optimizer,
        .steps = 3,
        .intra_op_threads = threads ? threads : 2,
    };
}

static void
check(memmodel_context *context, memmodel_network *net, struct memmodel_job job, bool registered_in_order,
      const char *name)
{
    char path[256];
    memmodel_trace *simulated = simulated_trace(context, net, NULL, &job), *recorded;

    snprintf(path, sizeof path, "pytorch_steps/%s", name);
    recorded = read_recording(context, path);
    assert_same_steps(simulated, recorded, registered_in_order, name);
    memmodel_trace_unref(simulated);
    memmodel_trace_unref(recorded);
    memmodel_network_unref(net);
}

/* nn.ModuleList registers all up-convolutions before all decoder blocks, the network calls them in turn. */
static void
check_unet(memmodel_context *context, struct unet_case c)
{
    char name[128];

    snprintf(name, sizeof name, "unet3d_f%d_v%d_b%d_%s%s%s", (int)c.filters, (int)c.voxels, (int)c.batch,
             c.optimizer ? c.optimizer : "inference", c.upsampling ? "_upsampling" : "", c.threads == 1 ? "_t1" : "");
    check(context, unet_network(context, &c), job_of(c.optimizer, c.threads), false, name);
}

static void
check_cnn(memmodel_context *context, int64_t batch, const char *optimizer, int threads)
{
    char name[128];

    snprintf(name, sizeof name, "cnn_b%d_%s%s", (int)batch, optimizer ? optimizer : "inference",
             threads == 1 ? "_t1" : "");
    check(context, cnn_network(context, batch, optimizer), job_of(optimizer, threads), true, name);
}

/* ---- tests ---- */

static void
unet_of_every_size_is_recorded_and_simulated_alike(void **state)
{
    for (int64_t filters = 8; filters <= 16; filters += 8)
        for (int64_t voxels = 32; voxels <= 48; voxels += 16)
            for (int64_t batch = 2; batch <= 8; batch += 6)
                check_unet(*state, (struct unet_case){filters, voxels, batch, "adam", false, 2});
}

static void
unet_with_every_optimizer_is_recorded_and_simulated_alike(void **state)
{
    check_unet(*state, (struct unet_case){8, 32, 2, "sgd", false, 2});
    check_unet(*state, (struct unet_case){8, 32, 2, "momentum", false, 2});
    check_unet(*state, (struct unet_case){8, 32, 2, "adamw", false, 2});
}

static void
unet_with_an_upsampling_decoder_is_recorded_and_simulated_alike(void **state)
{
    check_unet(*state, (struct unet_case){8, 32, 2, "adam", true, 2});
}

static void
unet_on_one_thread_is_recorded_and_simulated_alike(void **state)
{
    check_unet(*state, (struct unet_case){8, 32, 2, "adam", false, 1});
}

static void
unet_in_inference_is_recorded_and_simulated_alike(void **state)
{
    check_unet(*state, (struct unet_case){8, 32, 2, NULL, false, 2});
}

static void
cnn_is_recorded_and_simulated_alike(void **state)
{
    check_cnn(*state, 64, "sgd", 2);
    check_cnn(*state, 64, "momentum", 2);
    check_cnn(*state, 64, "adam", 2);
    check_cnn(*state, 64, "adamw", 2);
    check_cnn(*state, 64, NULL, 2);
    check_cnn(*state, 16, "adam", 2);
    check_cnn(*state, 64, "adam", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(unet_of_every_size_is_recorded_and_simulated_alike),
        WITH_CONTEXT(unet_with_every_optimizer_is_recorded_and_simulated_alike),
        WITH_CONTEXT(unet_with_an_upsampling_decoder_is_recorded_and_simulated_alike),
        WITH_CONTEXT(unet_on_one_thread_is_recorded_and_simulated_alike),
        WITH_CONTEXT(unet_in_inference_is_recorded_and_simulated_alike),
        WITH_CONTEXT(cnn_is_recorded_and_simulated_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

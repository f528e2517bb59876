/* How inputs and parameters lie in memory: strides, and storages that several of them share. */
#include "allocations.h"
#include "check.h"

#include <string.h>

enum { ROWS = 256, WIDTH = 64, INNER = 16 };

static struct memmodel_job
job_of(const char *optimizer)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job), .isa = "avx2", .intra_op_threads = 2, .optimizer = optimizer};
}

static memmodel_tensor
parameter(memmodel_network *net, const char *name, int rank, const memmodel_dim *dims)
{
    return memmodel_network_parameter(net, name, MEMMODEL_DTYPE_FLOAT32, rank, dims, 1);
}

static memmodel_tensor
linear(memmodel_network *net, memmodel_tensor x, memmodel_tensor weight, memmodel_tensor bias, int64_t units)
{
    memmodel_network_use_parameter(net, "weight", weight);
    memmodel_network_use_parameter(net, "bias", bias);
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = units));
}

/* linear 64 -> 16, relu, linear 16 -> 64, mean squared error; `lie` says how the target lies in memory. */
static int
autoencoder(memmodel_context *context, void (*lie)(memmodel_network *net, memmodel_tensor x),
            memmodel_network **network)
{
    memmodel_network *net;
    memmodel_tensor parameters[4], x, y, target;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    parameters[0] = parameter(net, "0.weight", 2, (memmodel_dim[]){INNER, WIDTH});
    parameters[1] = parameter(net, "0.bias", 1, (memmodel_dim[]){INNER});
    parameters[2] = parameter(net, "2.weight", 2, (memmodel_dim[]){WIDTH, INNER});
    parameters[3] = parameter(net, "2.bias", 1, (memmodel_dim[]){WIDTH});
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){ROWS, WIDTH});
    lie(net, x);
    target = memmodel_network_input(net, "target", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){ROWS, WIDTH});
    y = linear(net, x, parameters[0], parameters[1], INNER);
    y = memmodel_network_activation(net, y, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    y = linear(net, y, parameters[2], parameters[3], WIDTH);
    memmodel_network_loss(net, y, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_MEAN_SQUARED_ERROR));
    *network = net;
    return memmodel_network_status(net);
}

static void
of_its_own(memmodel_network *net, memmodel_tensor x)
{
    (void)net;
    (void)x;
}

static void
as_the_input(memmodel_network *net, memmodel_tensor x)
{
    memmodel_network_use_storage(net, x, 0, NULL);
}

static void
one_row_again_and_again(memmodel_network *net, memmodel_tensor x)
{
    (void)x;
    memmodel_network_use_storage(net, MEMMODEL_TENSOR_NONE, 2, (memmodel_dim[]){0, 1});
}

static void
assert_first_peak(const memmodel_network *network, const char *optimizer, int64_t peak)
{
    struct memmodel_job job = job_of(optimizer);
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_step_peak(report, 0), peak);
    memmodel_report_unref(report);
}

static memmodel_network *
autoencoder_of(memmodel_context *context, void (*lie)(memmodel_network *net, memmodel_tensor x))
{
    memmodel_network *network;

    assert_int_equal(autoencoder(context, lie, &network), 0);
    return network;
}

/* Recorded with PyTorch 2.13.0 on CPU, two threads, SGD with momentum: live bytes at the peak of the first step. */
static void
what_shares_a_storage_counts_once(void **state)
{
    memmodel_network *network = autoencoder_of(*state, of_its_own);

    assert_first_peak(network, "sgd(momentum=0.9)", 373316);
    memmodel_network_unref(network);
    network = autoencoder_of(*state, as_the_input); /* F.mse_loss(model(x), x) */
    assert_first_peak(network, "sgd(momentum=0.9)", 307780);
    memmodel_network_unref(network);
}

/* ROWS * WIDTH elements of WIDTH in memory: x.expand(256, 64) of a row. */
static void
a_storage_is_what_strides_reach_over(void **state)
{
    memmodel_network *network = autoencoder_of(*state, one_row_again_and_again);

    assert_first_peak(network, "sgd(momentum=0.9)", 373316 - 4 * (ROWS - 1) * WIDTH);
    memmodel_network_unref(network);
}

static void
strides_and_storages_are_kept_as_json(void **state)
{
    void (*const ways[])(memmodel_network *, memmodel_tensor) = {as_the_input, one_row_again_and_again};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        memmodel_network *network = autoencoder_of(*state, ways[i]), *again;
        struct memmodel_job job = job_of("sgd");
        memmodel_report *report;
        char *text;

        assert_int_equal(memmodel_network_to_json(network, NULL, &text), 0);
        assert_int_equal(memmodel_network_from_json(*state, "again", text, strlen(text), &again), 0);
        assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
        assert_first_peak(again, "sgd", memmodel_report_step_peak(report, 0));
        memmodel_report_unref(report);
        memmodel_free(text);
        memmodel_network_unref(network);
        memmodel_network_unref(again);
    }
}

/* x.contiguous() of [2, 3, 16, 16] floats is x itself, and with the strides of torch.channels_last a copy. */
static void
channels_last_is_followed(void **state)
{
    static const int64_t row_major[] = {768, 256, 16, 1}, channels_last[] = {768, 1, 48, 3};
    int64_t peaks[2];

    for (int last = 0; last < 2; last++) {
        struct memmodel_job job = job_of("none");
        struct memmodel_report_result peak = {.size = sizeof peak};
        memmodel_network *net;
        memmodel_report *report;
        memmodel_tensor x;

        job.mode = 1;
        job.steps = 1;
        assert_int_equal(memmodel_network_new(*state, &net), 0);
        assert_int_equal(memmodel_network_use_storage(net, MEMMODEL_TENSOR_NONE, 4, last ? channels_last : row_major),
                         0);
        x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){2, 3, 16, 16});
        memmodel_network_custom(
            net, &x, 1,
            MEMMODEL_CUSTOM(.operation = "aten.contiguous.default", .output_count = 1,
                            .outputs = &(struct memmodel_shape){{2, 3, 16, 16}, 4, MEMMODEL_DTYPE_FLOAT32}));
        assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
        assert_int_equal(memmodel_report_get_result(report, &peak), 0);
        peaks[last] = peak.live;
        memmodel_report_unref(report);
        memmodel_network_unref(net);
    }
    assert_int_equal(peaks[0], 6144);
    assert_int_equal(peaks[1], 2 * 6144);
}

static void
wrong_strides_and_storages_are_refused(void **state)
{
    memmodel_network *net;
    memmodel_tensor x, small, weight;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){4, 8});
    small = memmodel_network_input(net, "small", MEMMODEL_DTYPE_FLOAT32, 1, (memmodel_dim[]){8});
    assert_int_equal(memmodel_network_use_storage(net, MEMMODEL_TENSOR_NONE, 1, (memmodel_dim[]){1}), 0);
    assert_error(*state, memmodel_network_input(net, "y", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){4, 8}),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "strides of 1 dimensions, the tensor has 2");
    memmodel_network_clear_error(net);
    assert_int_equal(memmodel_network_use_storage(net, small, 0, NULL), 0);
    assert_error(*state, memmodel_network_input(net, "y", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){4, 8}),
                 MEMMODEL_ERROR_SHAPE, "128 bytes of \"small\", which has 32");
    memmodel_network_clear_error(net);
    assert_int_equal(memmodel_network_use_storage(net, x, 0, NULL), 0);
    assert_error(*state, parameter(net, "w", 1, (memmodel_dim[]){8}), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "no tensor of parameters");
    memmodel_network_clear_error(net);
    weight = parameter(net, "weight", 1, (memmodel_dim[]){8});
    assert_int_equal(memmodel_network_use_storage(net, weight, 0, NULL), 0);
    weight = parameter(net, "tied", 1, (memmodel_dim[]){8});
    assert_int_equal(memmodel_network_use_storage(net, weight, 0, NULL), 0);
    assert_error(*state, parameter(net, "again", 1, (memmodel_dim[]){8}), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "\"tied\" has no storage of its own, it lies in \"weight\"");
    memmodel_network_clear_error(net);
    assert_int_equal(memmodel_network_use_storage(net, x, 0, NULL), 0);
    assert_error(*state, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 3)), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "which must come next");
    memmodel_network_clear_error(net);
    assert_int_equal(memmodel_network_use_storage(net, MEMMODEL_TENSOR_NONE, 2, (memmodel_dim[]){INT64_MAX, 1}), 0);
    assert_error(*state, memmodel_network_input(net, "y", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){4, 8}),
                 MEMMODEL_ERROR_OVERFLOW, "63 bits");
    memmodel_network_unref(net);
}

static int
estimate_shared(memmodel_context *context)
{
    struct memmodel_job job = job_of("sgd");
    memmodel_network *network = NULL;
    memmodel_report *report = NULL;
    int status = autoencoder(context, as_the_input, &network);

    if (!status)
        status = memmodel_estimate(network, &job, NULL, &report);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
    return status;
}

static void
estimating_survives_failing_allocations(void **state)
{
    (void)state;
    assert_survives_failing_allocations(estimate_shared);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(what_shares_a_storage_counts_once),      WITH_CONTEXT(a_storage_is_what_strides_reach_over),
        WITH_CONTEXT(strides_and_storages_are_kept_as_json),  WITH_CONTEXT(channels_last_is_followed),
        WITH_CONTEXT(wrong_strides_and_storages_are_refused), WITH_CONTEXT(estimating_survives_failing_allocations),
    };

    return cmocka_run_group_tests_name("storages", tests, NULL, NULL);
}

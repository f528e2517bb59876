/*
 * torch.autocast("cpu", torch.bfloat16): what is cast, how long the casts of parameters live, and what is refused. Whole
 * models and single operators are held against recordings elsewhere (test_pytorch_operators.c,
 * test/frameworks/compare_models.py).
 */
#include "allocations.h"
#include "differ.h"

enum { BATCH = 6, WIDTH = 16, UNITS = 32, HALF = 2, FLOAT = 4 };

static struct memmodel_job
job_of(const char *isa)
{
    struct memmodel_job job = {.size = sizeof job, .isa = isa, .optimizer = "sgd", .precision = "bfloat16"};

    job_complete(&job);
    return job;
}

static memmodel_tensor
image_of(memmodel_network *net, int64_t width)
{
    return memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, width});
}

static memmodel_network *
network_of(memmodel_context *context)
{
    memmodel_network *net;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    return net;
}

/* ---- allocations of a simulated step ---- */

static int
allocations_of(const memmodel_trace *trace, int64_t bytes, enum memmodel_phase phase)
{
    int found = 0;

    for (size_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];

        found += !event->release && event->step == 1 && event->phase == (int)phase &&
                 trace->blocks[event->block].bytes == bytes;
    }
    return found;
}

/* x and both parameters are cast for the product, the gradients of weight and bias back for the parameters. */
static void
a_linear_layer_computes_in_bfloat16_and_trains_in_float32(void **state)
{
    memmodel_network *net = network_of(*state);
    struct memmodel_job job = job_of("avx2");
    memmodel_trace *trace;

    memmodel_network_linear(net, image_of(net, WIDTH), MEMMODEL_LINEAR(.units = UNITS));
    trace = simulated_trace(*state, net, NULL, &job);
    assert_int_equal(allocations_of(trace, HALF * BATCH * WIDTH, MEMMODEL_PHASE_FORWARD), 1);
    assert_int_equal(allocations_of(trace, HALF * WIDTH * UNITS, MEMMODEL_PHASE_FORWARD), 1);
    assert_int_equal(allocations_of(trace, HALF * UNITS, MEMMODEL_PHASE_FORWARD), 1);
    assert_int_equal(allocations_of(trace, HALF * BATCH * UNITS, MEMMODEL_PHASE_FORWARD), 1);
    assert_int_equal(allocations_of(trace, HALF * WIDTH * UNITS, MEMMODEL_PHASE_BACKWARD), 1);
    assert_int_equal(allocations_of(trace, FLOAT * WIDTH * UNITS, MEMMODEL_PHASE_BACKWARD), 1);
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
}

/* The weight of both calls is cast once: the cast is kept until the context ends. */
static void
a_parameter_used_twice_is_cast_once(void **state)
{
    memmodel_network *net = network_of(*state);
    struct memmodel_job job = job_of("avx2");
    memmodel_tensor weight, x;
    memmodel_trace *trace;

    weight = memmodel_network_parameter(net, "w", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){WIDTH, WIDTH}, 1);
    x = memmodel_network_matmul(net, image_of(net, WIDTH), weight, NULL);
    memmodel_network_matmul(net, x, weight, NULL);
    trace = simulated_trace(*state, net, NULL, &job);
    assert_int_equal(allocations_of(trace, HALF * WIDTH * WIDTH, MEMMODEL_PHASE_FORWARD), 1);
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
}

/* A frozen weight needs no gradient, and so is cast anew at each use. */
static void
a_frozen_parameter_is_cast_at_each_use(void **state)
{
    memmodel_network *net = network_of(*state);
    struct memmodel_job job = job_of("avx2");
    memmodel_tensor weight, x;
    memmodel_trace *trace;

    weight = memmodel_network_parameter(net, "w", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){WIDTH, WIDTH}, 0);
    x = memmodel_network_matmul(net, image_of(net, WIDTH), weight, NULL);
    memmodel_network_matmul(net, x, weight, NULL);
    job.mode = 1;
    trace = simulated_trace(*state, net, NULL, &job);
    assert_int_equal(allocations_of(trace, HALF * WIDTH * WIDTH, MEMMODEL_PHASE_FORWARD), 2);
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
}

/* A squared error is in the list of float32: its input in bfloat16 is cast up. */
static void
a_loss_is_computed_in_float32(void **state)
{
    memmodel_network *net = network_of(*state);
    struct memmodel_job job = job_of("avx2");
    memmodel_tensor x = memmodel_network_linear(net, image_of(net, WIDTH), MEMMODEL_LINEAR(.units = UNITS)), target;
    memmodel_trace *trace;

    target = memmodel_network_input(net, "t", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, UNITS});
    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_MEAN_SQUARED_ERROR));
    trace = simulated_trace(*state, net, NULL, &job);
    assert_int_equal(allocations_of(trace, FLOAT * BATCH * UNITS, MEMMODEL_PHASE_FORWARD), 3); /* cast, loss, square */
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
}

/* ---- refusals ---- */

static void
expect_refused(memmodel_context *context, memmodel_network *net, const struct memmodel_job *job, const char *part)
{
    struct simulation simulation = {0};
    struct binding binding;

    assert_int_equal(binding_new(context, net, NULL, &binding), 0);
    assert_error(context, pytorch_simulate(context, &binding, job, &simulation), MEMMODEL_ERROR_UNSUPPORTED, part);
    binding_release(context, &binding);
    memmodel_network_unref(net);
}

/*
 * What oneDNN takes for an LSTM of bfloat16 [length, batch, input, hidden] with AVX-512, as PyTorch 2.13 was recorded:
 * workspace, both weights and scratchpad; both weights, their gradients, that of the biases and scratchpad.
 */
static const struct {
    int64_t sizes[4];
    int threads;
    int64_t forward[4], backward[6];
} recorded_lstms[] = {
    {{5, 3, 8, 16}, 2, {28672, 2048, 4096, 17224}, {4096, 4096, 2048, 4096, 256, 18552}},
    {{7, 2, 40, 96}, 2, {69632, 30720, 73728, 17224}, {49152, 73728, 61440, 147456, 1536, 18648}},
    {{6, 1, 64, 64}, 2, {28672, 32768, 32768, 21320}, {32768, 32768, 69632, 69632, 1024, 19128}},
    {{3, 5, 33, 20}, 2, {40960, 8704, 5120, 17224}, {10240, 5120, 10560, 6400, 320, 19252}},
    {{35, 3, 96, 96}, 2, {450560, 73728, 73728, 21480}, {73728, 73728, 147456, 147456, 1536, 19896}},
    {{9, 2, 128, 256}, 2, {229376, 262144, 524288, 25416}, {262144, 524288, 532480, 1064960, 4096, 23736}},
    {{2, 3, 1, 7}, 2, {28672, 512, 2048, 17224}, {2048, 2048, 112, 896, 112, 18424}},
    {{7, 2, 40, 96}, 1, {69632, 30720, 73728, 17144}, {49152, 73728, 61440, 147456, 1536, 18320}},
    {{35, 1, 16, 32}, 1, {69632, 4096, 8192, 33528}, {8192, 8192, 8192, 16384, 512, 17968}},
    {{5, 3, 96, 96}, 4, {81920, 73728, 73728, 21800}, {73728, 73728, 147456, 147456, 1536, 20808}},
    {{6, 1, 64, 64}, 4, {28672, 32768, 32768, 21480}, {32768, 32768, 69632, 69632, 1024, 20808}},
};

/* Whether the bytes are allocated one after the other. */
static bool
has_allocations(const memmodel_trace *trace, enum memmodel_phase phase, const int64_t *bytes, int count)
{
    int found = 0;

    for (size_t i = 0; i < trace->event_count && found < count; i++) {
        const struct trace_event *event = &trace->events[i];

        if (event->step != 1 || event->phase != (int)phase)
            continue;
        found = !event->release && trace->blocks[event->block].bytes == bytes[found] ? found + 1 : 0;
    }
    return found == count;
}

static void
an_lstm_of_bfloat16_takes_what_was_recorded(void **state)
{
    for (size_t i = 0; i < sizeof recorded_lstms / sizeof *recorded_lstms; i++) {
        const int64_t *sizes = recorded_lstms[i].sizes;
        memmodel_network *net = network_of(*state);
        memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 3, sizes);
        struct memmodel_job job = job_of("avx512");
        memmodel_trace *trace;

        job.intra_op_threads = recorded_lstms[i].threads;
        memmodel_network_recurrent(net, x,
                                   MEMMODEL_RECURRENT(.hidden_size = sizes[3], .kind = MEMMODEL_RECURRENT_LSTM));
        trace = simulated_trace(*state, net, NULL, &job);
        assert_true(has_allocations(trace, MEMMODEL_PHASE_FORWARD, recorded_lstms[i].forward, 4));
        assert_true(has_allocations(trace, MEMMODEL_PHASE_BACKWARD, recorded_lstms[i].backward, 6));
        memmodel_trace_unref(trace);
        memmodel_network_unref(net);
    }
}

/* As PyTorch does: "could not create a primitive descriptor for the LSTM forward propagation primitive". */
static void
an_lstm_needs_avx512(void **state)
{
    memmodel_network *net = network_of(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 3, (int64_t[]){5, BATCH, WIDTH});
    struct memmodel_job job = job_of("avx2");

    memmodel_network_recurrent(net, x, MEMMODEL_RECURRENT(.hidden_size = UNITS, .kind = MEMMODEL_RECURRENT_LSTM));
    expect_refused(*state, net, &job, "AVX-512");
}

static void
a_precision_that_a_cpu_has_not_is_refused_by_name(void **state)
{
    memmodel_network *net = network_of(*state);
    struct memmodel_job job = job_of("avx2");

    memmodel_network_linear(net, image_of(net, WIDTH), MEMMODEL_LINEAR(.units = UNITS));
    job.precision = "float16";
    expect_refused(*state, net, &job, "float16");
}

/* ---- memory ---- */

static int
train(memmodel_context *context)
{
    struct memmodel_job job = {.size = sizeof job, .isa = "avx2", .optimizer = "adam", .precision = "bfloat16"};
    memmodel_tensor x, target, skip;
    memmodel_network *net;
    memmodel_report *report = NULL;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (int64_t[]){2, 4, 6, 6});
    target = memmodel_network_input(net, "t", MEMMODEL_DTYPE_INT64, 1, (int64_t[]){2});
    skip =
        memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    x = memmodel_network_batch_norm(net, skip, NULL);
    x = memmodel_network_concat(net, (memmodel_tensor[]){x, skip}, 2, MEMMODEL_CONCAT(.along_channels = 1));
    x = memmodel_network_global_pool(net, x, NULL);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 3));
    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_CROSS_ENTROPY));
    status = memmodel_network_status(net);
    if (status == 0)
        status = memmodel_estimate(net, &job, NULL, &report);
    if (status == 0)
        memmodel_report_unref(report);
    memmodel_network_unref(net);
    return status;
}

static void
memory_may_run_out_anywhere(void **state)
{
    (void)state;
    assert_survives_failing_allocations(train);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_linear_layer_computes_in_bfloat16_and_trains_in_float32),
        WITH_CONTEXT(a_parameter_used_twice_is_cast_once),
        WITH_CONTEXT(a_frozen_parameter_is_cast_at_each_use),
        WITH_CONTEXT(a_loss_is_computed_in_float32),
        WITH_CONTEXT(an_lstm_of_bfloat16_takes_what_was_recorded),
        WITH_CONTEXT(an_lstm_needs_avx512),
        WITH_CONTEXT(a_precision_that_a_cpu_has_not_is_refused_by_name),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

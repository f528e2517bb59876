/* Recurrent layers whose sequences are empty, long, or longer than an int counts. */
#include "check.h"

enum { FEATURES = 4, UNITS = 5 };

/* A layer by its options on x of [length, batch, features]; a length of 0 is the symbol "length". */
static memmodel_network *
network_of(memmodel_context *context, memmodel_dim length, memmodel_dim batch, const struct memmodel_recurrent *options)
{
    memmodel_network *net;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    if (length == 0)
        length = memmodel_network_symbol(net, "length");
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){length, batch, FEATURES});
    memmodel_network_mark_output(net, memmodel_network_recurrent(net, x, options));
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

static int
estimate_of(const memmodel_network *net, const char *framework, int64_t length, struct memmodel_report_result *peak)
{
    struct memmodel_symbol_value symbol = {"length", length};
    struct memmodel_job job = {
        .size = sizeof job, .framework = framework, .mode = 1, .symbols = &symbol, .symbol_count = 1};
    memmodel_report *report;
    int status = memmodel_estimate(net, &job, NULL, &report);

    if (status)
        return status;
    peak->size = sizeof *peak;
    status = memmodel_report_get_result(report, peak);
    memmodel_report_unref(report);
    return status;
}

/* PyTorch 2.13: "Expected sequence length to be larger than 0 in RNN", of every kind. */
static void
a_sequence_of_length_0_is_refused(void **state)
{
    for (int kind = MEMMODEL_RECURRENT_LSTM; kind <= MEMMODEL_RECURRENT_RNN_RELU; kind++) {
        memmodel_network *net;
        memmodel_tensor x;

        assert_int_equal(memmodel_network_new(*state, &net), 0);
        x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){0, 2, FEATURES});
        x = memmodel_network_recurrent(net, x, MEMMODEL_RECURRENT(.kind = kind, .hidden_size = UNITS, .name = "cell"));
        assert_error(*state, memmodel_network_status(net), MEMMODEL_ERROR_SHAPE, "length 0");
        memmodel_network_unref(net);
    }
}

static void
an_operator_by_name_refuses_a_sequence_of_length_0(void **state)
{
    static const struct memmodel_shape outputs[] = {{.dims = {0, 2, UNITS}, .rank = 3},
                                                    {.dims = {1, 2, UNITS}, .rank = 3}};
    static const memmodel_dim inputs[][3] = {{0, 2, FEATURES},   {1, 2, UNITS}, {3 * UNITS, FEATURES},
                                             {3 * UNITS, UNITS}, {3 * UNITS},   {3 * UNITS}};
    static const int ranks[] = {3, 3, 2, 2, 1, 1};
    static const char *const names[] = {"x", "hidden", "weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    struct memmodel_job job = {.size = sizeof job};
    memmodel_tensor tensors[6];
    memmodel_network *net;
    memmodel_report *report;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    for (int i = 0; i < 6; i++)
        tensors[i] = memmodel_network_input(net, names[i], MEMMODEL_DTYPE_FLOAT32, ranks[i], inputs[i]);
    memmodel_network_custom(net, tensors, 6,
                            MEMMODEL_CUSTOM(.outputs = outputs, .output_count = 2, .operation = "aten.gru.input"));
    assert_int_equal(memmodel_network_status(net), 0);
    assert_error(*state, memmodel_estimate(net, &job, NULL, &report), MEMMODEL_ERROR_SHAPE, "length 0");
    memmodel_network_unref(net);
}

/* torch.nn.GRU(4, 5)(torch.zeros(3, 0, 4)) is a tensor of shape (3, 0, 5): only the weights have bytes. */
static void
an_empty_batch_holds_nothing_but_the_weights(void **state)
{
    memmodel_network *net = network_of(
        *state, 3, 0, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_GRU, .hidden_size = UNITS, .name = "cell"));
    struct memmodel_job job = {.size = sizeof job, .optimizer = "none"};
    struct memmodel_report_result peak = {.size = sizeof peak};
    int64_t weights = (3 * UNITS * (FEATURES + UNITS) + 2 * 3 * UNITS) * (int64_t)sizeof(float);
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    assert_true(peak.live >= weights && peak.live <= 3 * weights);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
}

/* Both lengths are 0 or 1 when cut to 32 bits. */
static void
lengths_beyond_32_bits_are_not_cut(void **state)
{
    static const char *const frameworks[] = {"pytorch", "tensorflow", "onnxruntime", "textbook"};
    static const int64_t lengths[] = {INT64_C(1) << 32, (INT64_C(1) << 32) + 1};
    memmodel_network *net =
        network_of(*state, 0, 2, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_GRU, .hidden_size = UNITS));

    for (size_t i = 0; i < sizeof frameworks / sizeof frameworks[0]; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            struct memmodel_report_result peak;
            int status = estimate_of(net, frameworks[i], lengths[k], &peak);

            assert_true(status == 0 || status == MEMMODEL_ERROR_OVERFLOW || status == MEMMODEL_ERROR_LIMIT);
            if (status == 0) /* the input and its first output at least */
                assert_true(peak.live >= lengths[k] * 2 * (FEATURES + UNITS) * (int64_t)sizeof(float));
        }
    memmodel_network_unref(net);
}

/*
 * Of each step of each sequence, from the equations of Hochreiter and Schmidhuber (1997) with a projection (Sak and
 * others 2014): four gates of weights times the input and the output before, and the projection.
 */
static void
multiplications_are_those_of_the_gates(void **state)
{
    enum { LENGTH = 7, BATCH = 3, PROJECTED = 2 };
    memmodel_network *net = network_of(
        *state, LENGTH, BATCH,
        MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_LSTM, .hidden_size = UNITS, .projection_size = PROJECTED));
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook", .mode = 1};
    struct memmodel_report_layer total = {.size = sizeof total};
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_total(report, &total), 0);
    assert_int_equal(total.multiply_adds, LENGTH * BATCH * (4 * UNITS * (FEATURES + PROJECTED) + PROJECTED * UNITS));
    memmodel_report_unref(report);
    memmodel_network_unref(net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_sequence_of_length_0_is_refused),
        WITH_CONTEXT(an_operator_by_name_refuses_a_sequence_of_length_0),
        WITH_CONTEXT(an_empty_batch_holds_nothing_but_the_weights),
        WITH_CONTEXT(multiplications_are_those_of_the_gates),
        LONG_WITH_CONTEXT(lengths_beyond_32_bits_are_not_cut),
    };

    return cmocka_run_group_tests_name("recurrent layers", tests, NULL, NULL);
}

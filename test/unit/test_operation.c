/* Operators by a framework's own name, and layers that use parameters declared before them. */
#include "check.h"

#include <stdbool.h>

#define SCALAR (&(struct memmodel_shape){.dtype = MEMMODEL_DTYPE_FLOAT32})

/* x [6, 8] by a weight [4, 8], then an operator of the name `operation` with a number, summed by a loss. */
static memmodel_network *
network_with(memmodel_context *context, const char *operation, const char *attributes)
{
    struct memmodel_shape shape = {.dims = {6, 4}, .rank = 2, .dtype = MEMMODEL_DTYPE_FLOAT32};
    memmodel_network *net;
    memmodel_tensor weight, x, classes;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    weight = memmodel_network_parameter(net, "table", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){4, 8}, 1);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){6, 8});
    classes = memmodel_network_input(net, "classes", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){6});
    assert_int_equal(memmodel_network_use_parameter(net, "weight", weight), 0);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 4, .no_bias = 1));
    x = memmodel_network_custom(
        net, (memmodel_tensor[]){x, MEMMODEL_TENSOR_NONE}, 2,
        MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .operation = operation, .attributes = attributes));
    memmodel_network_loss(net, x, classes, NULL);
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

static memmodel_report *
report_of(memmodel_context *context, memmodel_network *net)
{
    struct memmodel_job job = {.size = sizeof job, .optimizer = "sgd"};
    memmodel_report *report;

    if (memmodel_estimate(net, &job, NULL, &report))
        fail_msg("%s", memmodel_context_error(context)->message);
    return report;
}

static int64_t
live_peak(const memmodel_report *report)
{
    struct memmodel_report_result peak = {.size = sizeof peak};

    memmodel_report_get_result(report, &peak);
    return peak.live;
}

static void
a_name_with_a_rule_is_run_by_it(void **state)
{
    memmodel_network *net = network_with(*state, "aten.mul.Tensor", "other=2.0");
    memmodel_report *report = report_of(*state, net);

    assert_int_equal(memmodel_report_unmodelled_count(report), 0);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
}

/* torch.stft: hop_length is n_fft / 4 unless given. x of [2, 100] has 1 + (100 - 16) / 4 frames of 9 frequencies. */
static int64_t
peak_of_spectrum(memmodel_context *context, const char *attributes)
{
    struct memmodel_shape shape = {.dims = {2, 9, 22, 2}, .rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32};
    memmodel_report *report;
    memmodel_network *net;
    memmodel_tensor x;
    int64_t peak;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){2, 100});
    memmodel_network_custom(net, (memmodel_tensor[]){x, MEMMODEL_TENSOR_NONE}, 2,
                            MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .operation = "aten.stft.default",
                                            .attributes = attributes));
    report = report_of(context, net);
    assert_int_equal(memmodel_report_unmodelled_count(report), 0);
    peak = live_peak(report);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
    return peak;
}

static void
frames_of_a_spectrum_lie_a_quarter_apart_unless_told(void **state)
{
    int64_t given = peak_of_spectrum(*state, "n_fft=16 hop_length=4");

    assert_int_equal(peak_of_spectrum(*state, "n_fft=16"), given);
    assert_true(peak_of_spectrum(*state, "n_fft=16 hop_length=64") < given);
}

/* The name outlives the network that it was given to. */
static void
a_name_without_a_rule_is_unmodelled_with_the_bytes_of_its_outputs(void **state)
{
    memmodel_network *net = network_with(*state, "aten.none_such.default", NULL);
    memmodel_report *report = report_of(*state, net);
    struct memmodel_report_unmodelled unmodelled = {.size = sizeof unmodelled};

    memmodel_network_unref(net);
    assert_int_equal(memmodel_report_unmodelled_count(report), 1);
    assert_int_equal(memmodel_report_get_unmodelled(report, 0, &unmodelled), 0);
    assert_string_equal(unmodelled.op, "aten.none_such.default");
    assert_int_equal(unmodelled.bytes, 6 * 4 * 4);
    assert_int_equal(memmodel_report_get_unmodelled(report, 1, &unmodelled), MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_report_unref(report);
}

static void
json_keeps_operation_attributes_and_parameters(void **state)
{
    memmodel_network *net = network_with(*state, "aten.mul.Tensor", "other=2.0"), *again;
    char *text, *other;

    assert_int_equal(memmodel_network_to_json(net, NULL, &text), 0);
    assert_int_equal(memmodel_network_from_json(*state, "text", text, strlen(text), &again), 0);
    assert_int_equal(memmodel_network_to_json(again, NULL, &other), 0);
    assert_string_equal(text, other);
    assert_non_null(strstr(text, "aten.mul.Tensor"));
    assert_non_null(strstr(text, "other=2.0"));
    assert_non_null(strstr(text, "\"table\""));
    memmodel_free(text);
    memmodel_free(other);
    memmodel_network_unref(net);
    memmodel_network_unref(again);
}

/* A linear with a bias, its parameters its own or declared before it. */
static int64_t
peak_of_linear(memmodel_context *context, bool declared, int trainable)
{
    memmodel_network *net;
    memmodel_tensor parameters[2], x, classes;
    memmodel_report *report;
    int64_t peak;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    if (declared) {
        parameters[0] = memmodel_network_parameter(net, "w", 0, 2, (memmodel_dim[]){100, 200}, trainable);
        parameters[1] = memmodel_network_parameter(net, "b", 0, 1, (memmodel_dim[]){100}, 1);
    }
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){1, 200});
    classes = memmodel_network_input(net, "classes", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){1});
    if (declared) {
        memmodel_network_use_parameter(net, "bias", parameters[1]);
        memmodel_network_use_parameter(net, "weight", parameters[0]);
    }
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 100));
    memmodel_network_loss(net, x, classes, NULL);
    assert_int_equal(memmodel_network_status(net), 0);
    report = report_of(context, net);
    peak = live_peak(report);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
    return peak;
}

static void
declared_parameters_weigh_what_own_ones_weigh(void **state)
{
    assert_int_equal(peak_of_linear(*state, true, 1), peak_of_linear(*state, false, 1));
}

/* The gradient of the weight, 100 x 200 floats, is not made; what then stands at the peak is some vectors of 100. */
static void
a_frozen_parameter_gets_no_gradient(void **state)
{
    assert_true(peak_of_linear(*state, false, 1) - peak_of_linear(*state, true, 0) >= 100 * 190 * 4);
}

static void
what_does_not_fit_is_refused(void **state)
{
    memmodel_network *net;
    memmodel_tensor x, weight;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    weight = memmodel_network_parameter(net, "w", 0, 2, (memmodel_dim[]){3, 5}, 1);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){2, 4});
    assert_error(*state, memmodel_network_use_parameter(net, "weight", x), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "no tensor of parameters");
    memmodel_network_clear_error(net);
    memmodel_network_use_parameter(net, "weight", weight);
    assert_error(*state, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 3)), MEMMODEL_ERROR_SHAPE,
                 "\"w\" has not the shape of its weight");
    memmodel_network_clear_error(net);
    memmodel_network_use_parameter(net, "kernel", weight);
    assert_error(*state, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 3)), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "linear has no parameter \"kernel\"");
    memmodel_network_clear_error(net);
    assert_true(memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 3)) >= 0);
    assert_error(*state,
                 memmodel_network_custom(
                     net, &x, 1, MEMMODEL_CUSTOM(.outputs = SCALAR, .output_count = 1, .operation = "caf\303\251")),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "printable ASCII");
    memmodel_network_unref(net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_name_with_a_rule_is_run_by_it),
        WITH_CONTEXT(frames_of_a_spectrum_lie_a_quarter_apart_unless_told),
        WITH_CONTEXT(a_name_without_a_rule_is_unmodelled_with_the_bytes_of_its_outputs),
        WITH_CONTEXT(json_keeps_operation_attributes_and_parameters),
        WITH_CONTEXT(declared_parameters_weigh_what_own_ones_weigh),
        WITH_CONTEXT(a_frozen_parameter_gets_no_gradient),
        WITH_CONTEXT(what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests_name("operators by name", tests, NULL, NULL);
}

/* Every activation has a row in the table of each framework: what is missing there is estimated by its outputs, or not at all. */
#include "check.h"

#include "network/network.h"

static memmodel_network *
network_with(memmodel_context *context, int kind)
{
    memmodel_network *net;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){2, 4, 16, 16});
    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {1}));
    x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = kind));
    memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {1}));
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

static void
assert_every_activation_is_ruled(memmodel_context *context, const char *framework, int mode)
{
    struct memmodel_job job = {.size = sizeof job, .framework = framework, .mode = mode};

    for (int kind = MEMMODEL_ACTIVATION_RELU; kind < ACTIVATION_KINDS; kind++) {
        memmodel_network *net = network_with(context, kind);
        memmodel_report *report;

        assert_non_null(activation_name(kind));
        if (memmodel_estimate(net, &job, context, &report))
            fail_msg("%s: %s", activation_name(kind), memmodel_context_error(context)->message);
        if (memmodel_report_unmodelled_count(report) > 0)
            fail_msg("%s has no rule in %s", activation_name(kind), framework);
        memmodel_report_unref(report);
        memmodel_network_unref(net);
    }
}

static void
every_activation_has_a_rule_in_pytorch(void **state)
{
    assert_every_activation_is_ruled(*state, "pytorch", MEMMODEL_MODE_TRAINING);
}

static void
every_activation_has_a_rule_in_tensorflow(void **state)
{
    assert_every_activation_is_ruled(*state, "tensorflow", MEMMODEL_MODE_TRAINING);
}

static void
every_activation_has_a_rule_in_onnxruntime(void **state)
{
    assert_every_activation_is_ruled(*state, "onnxruntime", MEMMODEL_MODE_INFERENCE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_activation_has_a_rule_in_pytorch, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(every_activation_has_a_rule_in_tensorflow, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(every_activation_has_a_rule_in_onnxruntime, context_setup, context_teardown),
    };

    return cmocka_run_group_tests_name("activations", tests, NULL, NULL);
}

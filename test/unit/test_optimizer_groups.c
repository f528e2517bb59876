/* Optimizers that have some of the parameters, and groups of parameters with options of their own. */
#include "allocations.h"
#include "check.h"

#include <string.h>

/* x [8, 16] -> body.0: linear 32, relu -> body.2: linear 32 -> head: linear 4 -> cross entropy */
enum { BATCH = 8, HEAD_BYTES = 4 * (32 * 4 + 4), BODY_BYTES = 4 * (16 * 32 + 32 + 32 * 32 + 32) };

static int
build(memmodel_context *context, memmodel_network **network)
{
    memmodel_network *net;
    memmodel_tensor x, target;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, 16});
    target = memmodel_network_input(net, "class", MEMMODEL_DTYPE_INT64, 1, (int64_t[]){BATCH});
    memmodel_network_push_scope(net, "body");
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "0", .units = 32));
    x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.name = "1", .kind = MEMMODEL_ACTIVATION_RELU));
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "2", .units = 32));
    memmodel_network_pop_scope(net);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "head", .units = 4));
    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.name = "loss", .kind = MEMMODEL_LOSS_CROSS_ENTROPY));
    *network = net;
    return memmodel_network_status(net);
}

static struct memmodel_job
job_of(const char *optimizer)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job), .isa = "avx2", .intra_op_threads = 1, .optimizer = optimizer};
}

static int
estimate(memmodel_context *context, const struct memmodel_job *job, memmodel_report **report)
{
    memmodel_network *network = NULL;
    int status = build(context, &network);

    if (!status)
        status = memmodel_estimate(network, job, NULL, report);
    memmodel_network_unref(network);
    return status;
}

static memmodel_report *
report_of(memmodel_context *context, const char *optimizer)
{
    struct memmodel_job job = job_of(optimizer);
    memmodel_report *report;

    assert_int_equal(estimate(context, &job, &report), 0);
    return report;
}

static void
assert_peaks(memmodel_context *context, const char *optimizer, int64_t first, int64_t second)
{
    memmodel_report *report = report_of(context, optimizer);

    assert_int_equal(memmodel_report_step_peak(report, 0), first);
    assert_int_equal(memmodel_report_step_peak(report, 1), second);
    assert_int_equal(memmodel_report_step_peak(report, 2), second);
    memmodel_report_unref(report);
}

/* Live bytes at the peak of each step as PyTorch 2.13.0's profiler counts them on CPU for this network and loop. */

static void
gradients_of_parameters_that_no_group_has_stay(void **state)
{
    assert_peaks(*state, "adam", 36776, 36776);         /* Adam([*body.parameters(), *head.parameters()]) */
    assert_peaks(*state, "adam: head.*", 16664, 22928); /* Adam(head.parameters()) */
    assert_peaks(*state, "adam:head.weight , head.bias", 16664, 22928);
}

static void
each_group_has_options_of_its_own(void **state)
{
    assert_peaks(*state, "sgd(momentum=0.9)", 21492, 22520);
    /* SGD([{"params": head.parameters(), "momentum": 0.9}, {"params": body.parameters()}]) */
    assert_peaks(*state, "sgd(momentum=0.9): head.*; sgd: body.*", 15592, 16120);
}

static void
a_group_without_names_has_what_is_left(void **state)
{
    assert_peaks(*state, "momentum: head.*; sgd", 15592, 16120);
    assert_peaks(*state, "sgd; momentum: head.*", 15592, 15592); /* none is left for the second */
}

static void
a_name_that_no_parameter_has_is_reported(void **state)
{
    struct memmodel_job job = job_of("adam: haed.*");
    memmodel_report *report;

    assert_error(*state, estimate(*state, &job, &report), MEMMODEL_ERROR_INVALID_ARGUMENT, "\"haed.*\"");
    assert_error(*state, estimate(*state, &job, &report), MEMMODEL_ERROR_INVALID_ARGUMENT, "\"body.0.weight\"");
    job.optimizer = "adam: head.*; sg: body.*";
    assert_error(*state, estimate(*state, &job, &report), MEMMODEL_ERROR_UNSUPPORTED, "sgd");
}

static void
the_textbook_counts_slots_of_each_group(void **state)
{
    struct memmodel_job job = job_of("adam: head.*; momentum: body.0.*");
    memmodel_report *report;
    int64_t first = 4 * (16 * 32 + 32);

    job.framework = "textbook";
    assert_int_equal(estimate(*state, &job, &report), 0);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 2 * HEAD_BYTES + first);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_GRADIENTS), HEAD_BYTES + BODY_BYTES);
    memmodel_report_unref(report);
}

static int
estimate_groups(memmodel_context *context)
{
    struct memmodel_job job = job_of("adam(foreach): head.*; sgd(momentum=0.9): body.2.weight");
    memmodel_report *report = NULL;
    int status = estimate(context, &job, &report);

    memmodel_report_unref(report);
    return status;
}

static void
estimating_survives_failing_allocations(void **state)
{
    (void)state;
    assert_survives_failing_allocations(estimate_groups);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(gradients_of_parameters_that_no_group_has_stay),
        WITH_CONTEXT(each_group_has_options_of_its_own),
        WITH_CONTEXT(a_group_without_names_has_what_is_left),
        WITH_CONTEXT(a_name_that_no_parameter_has_is_reported),
        WITH_CONTEXT(the_textbook_counts_slots_of_each_group),
        WITH_CONTEXT(estimating_survives_failing_allocations),
    };

    return cmocka_run_group_tests_name("optimizer groups", tests, NULL, NULL);
}

/* Bytes of the process: PyTorch's on a CPU is its base and the heap of malloc, checked against real trainings. */
#include "check.h"
#include "networks.h"

#include <math.h>
#include <stdlib.h>

static memmodel_report *
estimate_unet(memmodel_context *context, int64_t dim, int64_t batch)
{
    const struct memmodel_symbol_value symbols[] = {{"dim", dim}, {"batch", batch}};
    struct memmodel_job job = {.size = sizeof job,
                               .framework = "pytorch",
                               .optimizer = "adam",
                               .isa = "avx2",
                               .intra_op_threads = 2,
                               .symbols = symbols,
                               .symbol_count = 2};
    memmodel_network *network;
    memmodel_report *report;

    assert_int_equal(network_unet3d(context, &(struct unet3d){.loss = true}, &network), 0);
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    memmodel_network_unref(network);
    return report;
}

static struct memmodel_report_result
peak_of(const memmodel_report *report)
{
    struct memmodel_report_result peak = {.size = sizeof peak};

    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    return peak;
}

static int64_t
heap_of(const memmodel_report *report)
{
    struct memmodel_replay_options options = {
        .size = sizeof options, .allocator = "glibc", .allocator_settings = "alignment:64"};
    struct memmodel_replay_result summary = {.size = sizeof summary};
    memmodel_replay *replay;

    assert_int_equal(memmodel_trace_replay(memmodel_report_trace(report), &options, NULL, &replay), 0);
    assert_int_equal(memmodel_replay_get_result(replay, &summary), 0);
    memmodel_replay_unref(replay);
    return summary.peak_resident;
}

/* The base is the same in both. */
static void
the_process_grows_by_what_malloc_keeps_resident(void **state)
{
    memmodel_report *small = estimate_unet(*state, 32, 2), *large = estimate_unet(*state, 48, 4);
    struct memmodel_report_result less = peak_of(small), more = peak_of(large);

    assert_int_equal(more.process - less.process, heap_of(large) - heap_of(small));
    assert_true(heap_of(large) > more.reserved);
    assert_int_equal(more.reserved, more.live);
    memmodel_report_unref(small);
    memmodel_report_unref(large);
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* 20 real trainings, each a process of its own. A batch of one takes kernels that hold more; it is the worst. */
static void
processes_of_real_trainings_are_met_within_seven_percent_in_the_median(void **state)
{
    double errors[64];
    memmodel_samples *samples;
    size_t rows;

    assert_int_equal(
        memmodel_samples_load(*state, TEST_DATA "/../../examples/case-study/data/torch_samples.csv", &samples), 0);
    rows = memmodel_samples_row_count(samples);
    assert_int_equal(rows, 20);
    for (size_t i = 0; i < rows; i++) {
        double measured = memmodel_samples_column(samples, "peak_bytes")[i];
        memmodel_report *report = estimate_unet(*state, (int64_t)memmodel_samples_column(samples, "dim")[i],
                                                (int64_t)memmodel_samples_column(samples, "batch")[i]);

        errors[i] = fabs((double)peak_of(report).process / measured - 1);
        memmodel_report_unref(report);
    }
    qsort(errors, rows, sizeof *errors, compare);
    assert_true(errors[rows / 2] < 0.07);
    assert_true(errors[rows - 1] < 0.22);
    memmodel_samples_unref(samples);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_process_grows_by_what_malloc_keeps_resident),
        WITH_CONTEXT(processes_of_real_trainings_are_met_within_seven_percent_in_the_median),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

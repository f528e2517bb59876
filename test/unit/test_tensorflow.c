/*
 * Keras' model.fit on TensorFlow, CPU: the process's high-water mark against runs that were measured, and how the rules
 * behave. Tables: examples/case-study/data/keras_samples.csv, test/data/keras_networks.
 */
#include "check.h"
#include "networks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GRID TEST_DATA "/../../examples/case-study/data/keras_samples.csv"
#define OTHERS TEST_DATA "/keras_networks/"

enum { MAX_POINTS = 64, NAME_BYTES = 32, LINE_BYTES = 256, PATH_BYTES = 512 };

/* Runs of one point of a network. */
struct point {
    char network[NAME_BYTES];
    int64_t dim, batch; /* dim 0: the network has none */
    double peak;        /* sum of the runs */
    int runs;
};

struct table {
    struct point points[MAX_POINTS];
    int count;
};

static void
add_run(struct table *table, const struct point *run)
{
    for (int i = 0; i < table->count; i++) {
        struct point *point = &table->points[i];

        if (strcmp(point->network, run->network) == 0 && point->dim == run->dim && point->batch == run->batch) {
            point->peak += run->peak;
            point->runs++;
            return;
        }
    }
    assert_true(table->count < MAX_POINTS);
    table->points[table->count++] = *run;
}

/* A row of either table; false for comments, the header, and runs that were killed. */
static bool
read_row(const char *line, struct point *run)
{
    long long dim = 0, batch;

    *run = (struct point){.network = "unet3d", .runs = 1};
    if (sscanf(line, "%lld,%lld,16,keras,%lf,%*f,ok", &dim, &batch, &run->peak) != 3 || !strstr(line, ",ok")) {
        dim = 0;
        if (sscanf(line, "%31[a-z0-9],%lld,%*d,%lf", run->network, &batch, &run->peak) != 3)
            return false;
    }
    run->dim = dim;
    run->batch = batch;
    return true;
}

static void
read_table(const char *path, struct table *table)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES];
    struct point run;

    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (read_row(line, &run))
            add_run(table, &run);
    fclose(file);
}

/* ---- what is predicted ---- */

static struct memmodel_job
job_of(const struct memmodel_symbol_value *symbols, size_t count)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job),
        .framework = "tensorflow",
        .isa = "avx2", /* of the machine of the tables */
        .symbols = symbols,
        .symbol_count = count,
    };
}

static memmodel_network *
network_of(memmodel_context *context, const struct point *point)
{
    struct unet3d unet = {.channels_last = true, .fused_mask = true, .loss = true};
    char path[PATH_BYTES];
    memmodel_network *network;

    if (point->dim) {
        assert_int_equal(network_unet3d(context, &unet, &network), 0);
        return network;
    }
    snprintf(path, sizeof path, OTHERS "%s.json", point->network);
    assert_int_equal(memmodel_network_load(context, path, &network), 0);
    return network;
}

static struct memmodel_report_result
peak_of(memmodel_network *network, const struct memmodel_job *job)
{
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, job, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    memmodel_report_unref(report);
    return peak;
}

/* Relative error against the mean of the runs. */
static double
error_of(memmodel_context *context, const struct point *point)
{
    struct memmodel_symbol_value symbols[] = {{"batch", point->batch}, {"dim", point->dim}};
    struct memmodel_job job = job_of(symbols, point->dim ? 2 : 1);
    memmodel_network *network = network_of(context, point);
    double error = (double)peak_of(network, &job).process / (point->peak / point->runs) - 1;

    memmodel_network_unref(network);
    return fabs(error);
}

static int
compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void
the_peak_of_measured_processes_is_within_8_percent_and_2_in_the_median(void **state)
{
    struct table table = {.count = 0};
    double errors[MAX_POINTS];

    read_table(GRID, &table);
    read_table(OTHERS "samples.csv", &table);
    assert_int_equal(table.count, 37 + 18);
    for (int i = 0; i < table.count; i++)
        errors[i] = error_of(*state, &table.points[i]);
    qsort(errors, (size_t)table.count, sizeof errors[0], compare);
    assert_true(errors[table.count / 2] <= 0.02);
    assert_true(errors[table.count - 1] <= 0.08);
}

/* ---- two convolutions of 32 channels on 96 x 96, in a batch of 8: each tensor has 9,437,184 bytes ---- */

enum { TENSOR_BYTES = 8 * 96 * 96 * 32 * 4 };

static memmodel_network *
two_convolutions(memmodel_context *context)
{
    memmodel_network *net;
    memmodel_tensor x, y;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    memmodel_network_set_layout(net, MEMMODEL_LAYOUT_CHANNELS_LAST);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){8, 96, 96, 32});
    y = memmodel_network_input(net, "y", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){8, 96, 96, 32});
    for (int i = 0; i < 2; i++)
        x = memmodel_network_conv(net, x,
                                  MEMMODEL_CONV(.filters = 32, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME,
                                                .activation = MEMMODEL_ACTIVATION_RELU));
    memmodel_network_loss(net, x, y, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_MEAN_SQUARED_ERROR));
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

/* Two regions of 16 MiB, each given whole to an array's copy, then 32 and 64 MiB: TensorFlow 2.21's own list. */
static void
regions_are_those_of_the_real_pool(void **state)
{
    memmodel_network *net = two_convolutions(*state);
    struct memmodel_job job = job_of(NULL, 0);
    int64_t reserved = peak_of(net, &job).reserved, small = reserved - ((16 + 16 + 32 + 64) << 20);

    assert_in_range(small, 1, 1 << 20);
    memmodel_network_unref(net);
}

/*
 * An operator that needs two tensors for itself runs when its small input is there, and the large one before is gone.
 */
static void
an_operator_waits_for_its_input(void **state)
{
    struct memmodel_shape small = {.rank = 1, .dtype = MEMMODEL_DTYPE_FLOAT32, .dims = {8}};
    struct memmodel_job job = job_of(NULL, 0);
    memmodel_network *net;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    memmodel_network_set_layout(net, MEMMODEL_LAYOUT_CHANNELS_LAST);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){8, 96, 96, 1});
    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 32, .kernel = {1}));
    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 1, .kernel = {1}));
    memmodel_network_custom(
        net, &x, 1, MEMMODEL_CUSTOM(.outputs = &small, .output_count = 1, .forward_workspace_bytes = 2 * TENSOR_BYTES));
    job.mode = 1;
    assert_in_range(peak_of(net, &job).live, 2 * TENSOR_BYTES, 2 * TENSOR_BYTES + TENSOR_BYTES / 2);
    memmodel_network_unref(net);
}

/* In inference: the array and its copy stay, each convolution needs input and output, and its ReLU nothing. */
static void
activations_are_written_over_their_input(void **state)
{
    memmodel_network *net = two_convolutions(*state);
    struct memmodel_job job = job_of(NULL, 0);
    int64_t live;

    job.mode = 1;
    live = peak_of(net, &job).live;
    assert_in_range(live, 4 * TENSOR_BYTES, 6 * TENSOR_BYTES);
    memmodel_network_unref(net);
}

/* Most live bytes of a step of so many convolutions, each followed by hard swish. */
static int64_t
live_of_hard_swishes(memmodel_context *context, int blocks)
{
    struct memmodel_job job = job_of(NULL, 0);
    memmodel_network *net;
    memmodel_tensor x, y;
    int64_t live;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    memmodel_network_set_layout(net, MEMMODEL_LAYOUT_CHANNELS_LAST);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){8, 96, 96, 32});
    y = memmodel_network_input(net, "y", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){8, 96, 96, 32});
    for (int i = 0; i < blocks; i++) {
        x = memmodel_network_conv(net, x,
                                  MEMMODEL_CONV(.filters = 32, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
        x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_HARDSWISH));
    }
    memmodel_network_loss(net, x, y, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_MEAN_SQUARED_ERROR));
    live = peak_of(net, &job).live;
    memmodel_network_unref(net);
    return live;
}

/* Keras writes x relu6(x + 3) / 6: x, the bounded sum, the quotient and what the next convolution reads. */
static void
a_hard_swish_keeps_four_tensors(void **state)
{
    int64_t two_more = live_of_hard_swishes(*state, 6) - live_of_hard_swishes(*state, 4);

    assert_in_range(two_more, 8 * TENSOR_BYTES - TENSOR_BYTES / 2, 8 * TENSOR_BYTES + TENSOR_BYTES / 2);
}

static void
a_known_base_takes_the_place_of_the_profile(void **state)
{
    memmodel_network *net = two_convolutions(*state);
    struct memmodel_job job = job_of(NULL, 0);
    int64_t peak;

    job.base_bytes = 600000000;
    peak = peak_of(net, &job).process;
    job.base_bytes += 1000;
    assert_int_equal(peak_of(net, &job).process, peak + 1000);
    assert_in_range(peak, job.base_bytes, 800000000);
    memmodel_network_unref(net);
}

static void
the_same_job_gives_the_same_bytes(void **state)
{
    memmodel_network *net = two_convolutions(*state);
    struct memmodel_job job = job_of(NULL, 0);
    struct memmodel_report_result first = peak_of(net, &job), second = peak_of(net, &job);

    assert_same_results(&first, &second);
    memmodel_network_unref(net);
}

static void
what_has_no_rule_is_refused(void **state)
{
    memmodel_network *net = two_convolutions(*state);
    struct memmodel_job job = job_of(NULL, 0);
    memmodel_report *report = NULL;

    job.optimizer = "adafactor";
    assert_error(*state, memmodel_estimate(net, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED,
                 "no rule for this optimizer");
    job.optimizer = "adam";
    job.isa = "sse";
    assert_error(*state, memmodel_estimate(net, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED,
                 "known are avx2, avx512");
    job.isa = "avx2";
    job.base_bytes = -1;
    assert_error(*state, memmodel_estimate(net, &job, NULL, &report), MEMMODEL_ERROR_INVALID_ARGUMENT, "negative");
    assert_null(report);
    memmodel_network_unref(net);
}

/* ---- what the library takes itself ---- */

static memmodel_network *
recurrent_layer(memmodel_context *context, int64_t length)
{
    memmodel_network *network;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){length, 2, 8});
    memmodel_network_mark_output(network, memmodel_network_recurrent(network, x, MEMMODEL_RECURRENT(.hidden_size = 4)));
    assert_int_equal(memmodel_network_status(network), 0);
    return network;
}

/* The mean is of 45 orders; one at a time is kept, with its graph: a few times what the report has in the end. */
static void
orders_of_execution_are_not_kept(void **state)
{
    memmodel_network *net = recurrent_layer(*state, 300);
    struct memmodel_job job = job_of(NULL, 0);
    int64_t used, peak;
    memmodel_context *context;
    memmodel_report *report;

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    assert_int_equal(memmodel_estimate(net, &job, context, &report), 0);
    memmodel_context_memory(context, &used, &peak);
    assert_true(peak < 6 * used);
    memmodel_report_unref(report);
    memmodel_context_unref(context);
    memmodel_network_unref(net);
}

/* Of a million time steps, of which each takes several operations of a hundred bytes. */
static void
a_graph_is_work_before_it_runs(void **state)
{
    const struct memmodel_limits limits = {.size = sizeof limits, .nodes = 10000};
    memmodel_network *net = recurrent_layer(*state, 1000000);
    struct memmodel_job job = job_of(NULL, 0);
    memmodel_context *context;
    memmodel_report *report;
    int64_t peak;

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    assert_int_equal(memmodel_context_set_limits(context, &limits), 0);
    assert_error(context, memmodel_estimate(net, &job, context, &report), MEMMODEL_ERROR_LIMIT, "nodes");
    memmodel_context_memory(context, NULL, &peak);
    assert_true(peak < 20000000);
    memmodel_context_unref(context);
    memmodel_network_unref(net);
}

/* ---- memory that fails ---- */

struct failing {
    int left;  /* allocations that succeed; those after them fail */
    int taken; /* blocks that were not given back */
};

static void *
failing_reallocate(void *user, void *block, size_t bytes)
{
    struct failing *failing = user;
    void *new = failing->left-- > 0 ? realloc(block, bytes) : NULL;

    failing->taken += new && !block;
    return new;
}

static void *
failing_allocate(void *user, size_t bytes)
{
    return failing_reallocate(user, NULL, bytes);
}

static void
failing_release(void *user, void *block)
{
    ((struct failing *)user)->taken -= block != NULL;
    free(block);
}

static int
estimate_with(struct failing *failing, int allocations, const memmodel_network *net)
{
    struct memmodel_allocator allocator = {sizeof allocator, failing_allocate, failing_reallocate, failing_release,
                                           failing};
    struct memmodel_job job = job_of(NULL, 0);
    memmodel_report *report = NULL;
    memmodel_context *context;
    int status;

    failing->left = 1 << 20;
    assert_int_equal(memmodel_context_new(&allocator, &context), 0);
    failing->left = allocations;
    status = memmodel_estimate(net, &job, context, &report);
    memmodel_report_unref(report);
    memmodel_context_unref(context);
    return status;
}

static void
without_memory_nothing_is_left_behind(void **state)
{
    memmodel_network *net = two_convolutions(*state);
    struct failing failing = {0, 0};
    int allocations = 0, status;

    do {
        status = estimate_with(&failing, allocations, net);
        assert_true(status == 0 || status == MEMMODEL_ERROR_NO_MEMORY);
        assert_int_equal(failing.taken, 0);
        allocations += 1 + allocations / 16;
    } while (status);
    assert_true(allocations > 50);
    memmodel_network_unref(net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_UNIT_TEST(the_peak_of_measured_processes_is_within_8_percent_and_2_in_the_median),
        cmocka_unit_test(regions_are_those_of_the_real_pool),
        cmocka_unit_test(an_operator_waits_for_its_input),
        cmocka_unit_test(activations_are_written_over_their_input),
        cmocka_unit_test(a_hard_swish_keeps_four_tensors),
        cmocka_unit_test(a_known_base_takes_the_place_of_the_profile),
        cmocka_unit_test(the_same_job_gives_the_same_bytes),
        cmocka_unit_test(what_has_no_rule_is_refused),
        cmocka_unit_test(orders_of_execution_are_not_kept),
        cmocka_unit_test(a_graph_is_work_before_it_runs),
        cmocka_unit_test(without_memory_nothing_is_left_behind),
    };

    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}

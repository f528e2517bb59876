/*
 * Single layers and whole networks on TensorFlow's CPU back end: the tensors of a training step against TensorFlow's
 * own log of its allocations, and the processes on a machine with AVX-512. Recorded: test/data/keras_steps.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS_DATA TEST_DATA "/keras_steps/"

enum { MOST_ROWS = 64, NAME_BYTES = 32, LINE_BYTES = 1024, PATH_BYTES = 512, POOL_FROM = 262144 };

/* One recorded run. */
struct row {
    char network[NAME_BYTES], optimizer[NAME_BYTES], allocations[LINE_BYTES];
    long long batch, process, live;
    int steps;
};

struct table {
    struct row rows[MOST_ROWS];
    int count;
};

static void
read_table(struct table *table)
{
    FILE *file = fopen(STEPS_DATA "allocations.csv", "r");
    char line[LINE_BYTES];

    assert_non_null(file);
    table->count = 0;
    while (fgets(line, sizeof line, file)) {
        struct row *row = &table->rows[table->count];

        assert_true(table->count < MOST_ROWS);
        table->count += sscanf(line, "%31[a-z0-9_],%lld,%31[a-z],%d,%lld,%lld,%1023[0-9: ]", row->network, &row->batch,
                               row->optimizer, &row->steps, &row->process, &row->live, row->allocations) == 7;
    }
    fclose(file);
}

static memmodel_report *
predicted(memmodel_context *context, const struct row *row)
{
    struct memmodel_symbol_value batch = {"batch", row->batch};
    struct memmodel_job job = {
        .size = sizeof job,
        .framework = "tensorflow",
        .optimizer = row->optimizer,
        .isa = "avx512", /* of the recordings' machine */
        .steps = row->steps,
        .symbols = &batch,
        .symbol_count = 1,
    };
    memmodel_network *network;
    memmodel_report *report;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, STEPS_DATA "%s.json", row->network);
    assert_int_equal(memmodel_network_load(context, path, &network), 0);
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    memmodel_network_unref(network);
    return report;
}

/* ---- allocations of the last step ---- */

static int
count_predicted(const memmodel_trace *trace, int step, int64_t bytes)
{
    struct memmodel_trace_event event = {.size = sizeof event};
    int count = 0;

    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        assert_int_equal(memmodel_trace_get_event(trace, i, &event), 0);
        count += event.step == step && event.bytes >= POOL_FROM && (bytes == 0 || event.bytes == bytes);
    }
    return count;
}

/* Recorded allocations, and how many of them, size by size, are predicted, too. */
static void
compare_step(memmodel_context *context, const struct row *row, int *recorded, int *same, int *all)
{
    memmodel_report *report = predicted(context, row);
    const memmodel_trace *trace = memmodel_report_trace(report);
    const char *text = row->allocations;
    long long bytes;
    int count, read;

    *recorded = *same = 0;
    *all = count_predicted(trace, row->steps, 0);
    for (; sscanf(text, "%lld:%d%n", &bytes, &count, &read) == 2; text += read) {
        int found = count_predicted(trace, row->steps, bytes);

        *recorded += count;
        *same += found < count ? found : count;
    }
    memmodel_report_unref(report);
}

/* A sum or an update is in place or not by what another thread does at that moment. */
static void
layers_allocate_what_tensorflow_logged(void **state)
{
    static struct table table;
    int recorded_sum = 0, same_sum = 0;

    read_table(&table);
    for (int i = 0; i < table.count; i++) {
        const struct row *row = &table.rows[i];
        int recorded, same, all, max = strcmp(row->network, "layer_mha") == 0 ? 14 : 2;

        if (strncmp(row->network, "layer_", strlen("layer_")) != 0)
            continue;
        compare_step(*state, row, &recorded, &same, &all);
        if (recorded - same > max || all - same > max)
            fail_msg("%s: %d allocations recorded, %d predicted, %d the same", row->network, recorded, all, same);
        recorded_sum += recorded;
        same_sum += same;
    }
    assert_true(recorded_sum > 400);
    assert_true(same_sum >= recorded_sum * 94 / 100);
}

/* ---- processes ---- */

static int
compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void
processes_with_avx512_are_within_5_percent_and_2_in_the_median(void **state)
{
    static struct table table;
    double errors[MOST_ROWS];
    size_t count = 0;

    read_table(&table);
    for (int i = 0; i < table.count; i++) {
        struct memmodel_report_result peak = {.size = sizeof peak};
        memmodel_report *report;

        if (table.rows[i].process == 0)
            continue;
        report = predicted(*state, &table.rows[i]);
        assert_int_equal(memmodel_report_get_result(report, &peak), 0);
        errors[count++] = fabs((double)peak.process / (double)table.rows[i].process - 1);
        memmodel_report_unref(report);
    }
    assert_int_equal(count, 16);
    qsort(errors, count, sizeof errors[0], compare);
    assert_true(errors[count / 2] <= 0.02);
    assert_true(errors[count - 1] <= 0.05);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_allocate_what_tensorflow_logged),
        cmocka_unit_test(processes_with_avx512_are_within_5_percent_and_2_in_the_median),
    };

    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}

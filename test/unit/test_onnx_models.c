/*
 * Exported models against onnxruntime itself: test/data/onnxruntime/arena.json has what its arena held while they ran
 * on AVX2, without graph optimization and with all of it, by test/frameworks/onnx/record.py.
 */
#include "check.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_SYMBOLS = 4 };

/* Buffers in use at a time in so many runs, without the weights and the caller's inputs. */
static int64_t
predicted(memmodel_context *context, const char *name, const char *optimization, int32_t runs, const json_t *values)
{
    struct memmodel_symbol_value symbols[MAX_SYMBOLS];
    struct memmodel_job job = {.size = sizeof job,
                               .framework = "onnxruntime",
                               .isa = "avx2",
                               .symbols = symbols,
                               .mode = 1,
                               .steps = runs,
                               .intra_op_threads = 1,
                               .graph_optimization = optimization};
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_network *network;
    memmodel_report *report;
    const char *symbol;
    char path[512];
    json_t *value;

    snprintf(path, sizeof path, "%s/onnxruntime/%s.onnx", TEST_DATA, name);
    if (memmodel_network_load_onnx(context, path, NULL, &network))
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    json_object_foreach ((json_t *)values, symbol, value)
        symbols[job.symbol_count++] = (struct memmodel_symbol_value){symbol, json_integer_value(value)};
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    memmodel_report_get_result(report, &peak);
    peak.live -= memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_PARAMETERS);
    peak.live -= memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_INPUTS);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
    return peak.live;
}

/* The arena rounds each buffer up to 256 bytes; the small ones that shapes are computed in are not counted. */
static double
error_of(int64_t ours, int64_t measured)
{
    return fabs((double)(ours - measured)) / (double)measured;
}

struct held {
    const char *level, *optimization; /* as the file calls it, as a job does */
    const char *what;                 /* is recorded */
    int32_t runs;
    double max, usual; /* error of each model, and of all but `exceptions` */
    size_t exceptions;
};

static void
hold_peaks(memmodel_context *context, const struct held *held)
{
    json_error_t error;
    json_t *recorded = json_load_file(TEST_DATA "/onnxruntime/arena.json", 0, &error), *entry;
    size_t count = 0, usual = 0;
    const char *name;

    assert_non_null(recorded);
    json_object_foreach (json_object_get(recorded, "models"), name, entry) {
        int64_t measured = json_integer_value(json_object_get(json_object_get(entry, held->level), held->what));
        int64_t ours = predicted(context, name, held->optimization, held->runs, json_object_get(entry, "values"));

        if (error_of(ours, measured) > held->max)
            fail_msg("%s, %s: %lld bytes, measured %lld", name, held->level, (long long)ours, (long long)measured);
        usual += error_of(ours, measured) < held->usual;
        count++;
    }
    json_decref(recorded);
    assert_true(count >= 25);
    assert_true(usual + held->exceptions >= count);
}

/* One is off by a buffer where the graph is as its file says it: a BERT of constant length. */

static void
the_peak_of_exported_models_is_that_of_onnxruntime(void **state)
{
    hold_peaks(*state, &(struct held){"none", "disable", "live", 1, 0.03, 0.0035, 1});
}

static void
the_peak_with_basic_graph_optimization_is_that_of_onnxruntime(void **state)
{
    hold_peaks(*state, &(struct held){"basic", "basic", "live", 1, 0.0035, 0.0035, 0});
}

static void
the_peak_with_extended_graph_optimization_is_that_of_onnxruntime(void **state)
{
    hold_peaks(*state, &(struct held){"extended", "extended", "live", 1, 0.0035, 0.0035, 0});
}

static void
the_peak_with_all_graph_optimization_is_that_of_onnxruntime(void **state)
{
    hold_peaks(*state, &(struct held){"all", "all", "live", 1, 0.0035, 0.0035, 0});
}

/* Small tensors of shapes are not counted; between the others they may break a gap of the block that would do. */
static void
later_runs_take_one_block(void **state)
{
    hold_peaks(*state, &(struct held){"all", "all", "later_live", 2, 0.065, 0.002, 6});
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_peak_of_exported_models_is_that_of_onnxruntime),
        WITH_CONTEXT(the_peak_with_basic_graph_optimization_is_that_of_onnxruntime),
        WITH_CONTEXT(the_peak_with_extended_graph_optimization_is_that_of_onnxruntime),
        WITH_CONTEXT(the_peak_with_all_graph_optimization_is_that_of_onnxruntime),
        WITH_CONTEXT(later_runs_take_one_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

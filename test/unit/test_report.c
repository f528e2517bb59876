/* Reports and what fits: sums that must agree, answers that can be checked by hand, and errors that say what to do. */
#include "check.h"
#include "networks.h"

#include <jansson.h>

static const struct memmodel_symbol_value voxels_32[] = {{"batch", 2}, {"dim", 32}};

/* *state: a 3D U-Net of 8 filters with its loss. */
struct fixture {
    memmodel_context *context;
    memmodel_network *network;
};

static int
setup(void **state)
{
    struct fixture *fixture = test_calloc(1, sizeof *fixture);

    *state = fixture;
    return memmodel_context_new(NULL, &fixture->context) ||
           network_unet3d(fixture->context, &(struct unet3d){.filters = 8, .loss = true}, &fixture->network);
}

static int
teardown(void **state)
{
    struct fixture *fixture = *state;

    memmodel_network_unref(fixture->network);
    memmodel_context_unref(fixture->context);
    test_free(fixture);
    return 0;
}

static struct memmodel_job
job_of(const char *framework, const struct memmodel_symbol_value *symbols, size_t count)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job), .framework = framework, .symbols = symbols, .symbol_count = count};
}

static struct memmodel_report_result
result_of(const memmodel_report *report)
{
    struct memmodel_report_result result = {.size = sizeof result};

    assert_int_equal(memmodel_report_get_result(report, &result), 0);
    return result;
}

static int64_t
live_peak(const memmodel_report *report)
{
    return result_of(report).live;
}

static void
categories_add_up_to_the_peak(void **state)
{
    static const char *const frameworks[] = {"pytorch", "textbook"};
    struct fixture *fixture = *state;

    for (size_t i = 0; i < 2; i++) {
        struct memmodel_job job = job_of(frameworks[i], voxels_32, 2);
        memmodel_report *report;
        int64_t sum = 0;

        assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
        for (int category = 0; memmodel_category_name(category); category++)
            sum += memmodel_report_category_bytes(report, category);
        assert_int_equal(sum, live_peak(report));
        memmodel_report_unref(report);
    }
}

static void
layers_add_up_to_the_peak(void **state)
{
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("pytorch", voxels_32, 2);
    struct memmodel_report_layer layer = {.size = sizeof layer};
    memmodel_report *report;
    int64_t sum = 0;

    assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
    for (size_t i = 0; memmodel_report_get_layer(report, i, &layer) == 0; i++)
        sum += layer.peak_bytes;
    memmodel_report_get_total(report, &layer);
    assert_int_equal(layer.peak_bytes, live_peak(report));
    assert_true(sum <= live_peak(report) && sum > live_peak(report) * 99 / 100);
    memmodel_report_unref(report);
}

static void
later_steps_hold_the_optimizer_state_of_the_first(void **state)
{
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("pytorch", voxels_32, 2);
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
    assert_int_equal(result_of(report).step_count, 3);
    /* Adam keeps two numbers a trained parameter: 2 * 4 * 1,413,241 bytes, and a step counter of 4 bytes a tensor */
    assert_true(memmodel_report_step_peak(report, 1) - memmodel_report_step_peak(report, 0) > 2 * 4 * 1413241 - 1);
    assert_int_equal(memmodel_report_step_peak(report, 1), memmodel_report_step_peak(report, 2));
    assert_int_equal(memmodel_report_step_peak(report, 3), MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_report_unref(report);
}

static struct memmodel_report_result
peak_at(const memmodel_network *network, struct memmodel_job job, int64_t batch)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", batch}, {"dim", 32}};
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_report *report;

    job.symbols = symbols;
    job.symbol_count = 2;
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    memmodel_report_unref(report);
    return peak;
}

static int64_t
live_of(const struct memmodel_report_result *peak)
{
    return peak->live;
}

static int64_t
reserved_of(const struct memmodel_report_result *peak)
{
    return peak->reserved;
}

static int64_t
process_of(const struct memmodel_report_result *peak)
{
    return peak->process;
}

/* What is asked for, and the bytes that are to be within the budget. On a GPU the process is reserved and context. */
static const struct limited {
    const char *framework, *gpu;
    int32_t asked, metric;
    int64_t (*bytes)(const struct memmodel_report_result *peak);
} limited[] = {
    {"pytorch", NULL, MEMMODEL_METRIC_DEFAULT, MEMMODEL_METRIC_PROCESS, process_of},
    {"pytorch", NULL, MEMMODEL_METRIC_LIVE, MEMMODEL_METRIC_LIVE, live_of},
    {"pytorch", "a100", MEMMODEL_METRIC_DEFAULT, MEMMODEL_METRIC_PROCESS, process_of},
    {"pytorch", "a100", MEMMODEL_METRIC_RESERVED, MEMMODEL_METRIC_RESERVED, reserved_of},
    {"textbook", NULL, MEMMODEL_METRIC_DEFAULT, MEMMODEL_METRIC_LIVE, live_of},
};

static void
the_largest_batch_fits_and_the_next_does_not(void **state)
{
    static const struct memmodel_symbol_value dim_only[] = {{"dim", 32}};
    const int64_t budget = INT64_C(1) << 30;
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof limited / sizeof limited[0]; i++) {
        struct memmodel_job job = job_of(limited[i].framework, dim_only, 1);
        struct memmodel_report_result within, beyond;
        int64_t largest = -1;

        job.gpu = limited[i].gpu;
        job.metric = limited[i].asked;
        job.budget = budget;
        assert_int_equal(memmodel_estimate_max(fixture->network, &job, "batch", NULL, &largest), 0);
        assert_true(largest > 1);
        within = peak_at(fixture->network, job, largest);
        beyond = peak_at(fixture->network, job, largest + 1);
        assert_true(limited[i].bytes(&within) <= budget);
        assert_true(limited[i].bytes(&beyond) > budget);
    }
}

static void
a_report_names_the_bytes_that_a_budget_limits(void **state)
{
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof limited / sizeof limited[0]; i++) {
        struct memmodel_job job = job_of(limited[i].framework, voxels_32, 2);
        memmodel_report *report;
        char *text;

        job.gpu = limited[i].gpu;
        job.metric = limited[i].asked;
        assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
        assert_int_equal(result_of(report).metric, limited[i].metric);
        assert_int_equal(memmodel_report_to_json(report, fixture->context, &text), 0);
        assert_non_null(strstr(text, limited[i].metric == MEMMODEL_METRIC_PROCESS    ? "\"metric\": \"process\""
                                     : limited[i].metric == MEMMODEL_METRIC_RESERVED ? "\"metric\": \"reserved\""
                                                                                     : "\"metric\": \"live\""));
        memmodel_free(text);
        memmodel_report_unref(report);
    }
    assert_int_equal(memmodel_metric_default(NULL), MEMMODEL_METRIC_PROCESS);
}

/* Pools that double their regions; the heap and the exact allocator grow with what is asked for. */
static void
bytes_of_pools_grow_in_jumps(void **state)
{
    static const struct {
        const char *framework;
        int metric, jumps;
    } rows[] = {
        {"tensorflow", MEMMODEL_METRIC_PROCESS, 1}, {"onnxruntime", MEMMODEL_METRIC_DEFAULT, 1},
        {"onnxruntime", MEMMODEL_METRIC_LIVE, 0},   {"pytorch", MEMMODEL_METRIC_PROCESS, 0},
        {"textbook", MEMMODEL_METRIC_DEFAULT, 0},   {"abacus", MEMMODEL_METRIC_PROCESS, 0},
        {NULL, MEMMODEL_METRIC_PROCESS, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(memmodel_metric_grows_in_jumps(rows[i].framework, rows[i].metric), rows[i].jumps);
}

static void
the_largest_edge_is_one_that_can_be_built(void **state)
{
    static const struct memmodel_symbol_value batch_only[] = {{"batch", 1}};
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("textbook", batch_only, 1);
    int64_t largest = -1;

    job.budget = INT64_C(1) << 30;
    assert_int_equal(memmodel_estimate_max(fixture->network, &job, "dim", NULL, &largest), 0);
    assert_true(largest >= 16 && largest % 16 == 0);
}

/*
 * n in 4 and in 6 equal parts, 8 bytes each: 125 would fit into 1000 bytes, of multiples of 12 it is 120. Into 2^63 - 1 bytes
 * fit 2^60 - 1, of multiples of 12 it is 2^60 - 4.
 */
static void
the_largest_value_meets_every_constraint_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook", .textbook_rule = "forward"};
    memmodel_network *network;
    memmodel_tensor x;
    int64_t largest;

    assert_int_equal(memmodel_network_new(fixture->context, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2,
                               (memmodel_dim[]){memmodel_network_symbol(network, "n"), 2});
    memmodel_network_split(network, x, MEMMODEL_SPLIT(.parts = 4));
    memmodel_network_split(network, x, MEMMODEL_SPLIT(.parts = 6));
    job.budget = 1000;
    assert_int_equal(memmodel_estimate_max(network, &job, "n", NULL, &largest), 0);
    assert_int_equal(largest, 120);
    job.budget = INT64_MAX;
    assert_int_equal(memmodel_estimate_max(network, &job, "n", NULL, &largest), 0);
    assert_int_equal(largest, (INT64_C(1) << 60) - 4);
    memmodel_network_unref(network);
}

static void
nothing_fits_into_nothing(void **state)
{
    static const struct memmodel_symbol_value dim_only[] = {{"dim", 32}};
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("textbook", dim_only, 1);
    int64_t largest = -1;

    job.budget = 1000;
    assert_int_equal(memmodel_estimate_max(fixture->network, &job, "batch", NULL, &largest), 0);
    assert_int_equal(largest, 0);
}

static void
assert_row_is(const struct memmodel_estimate_row *row, const memmodel_report *report)
{
    struct memmodel_report_result result = result_of(report);

    assert_int_equal(row->peak, result.live);
    assert_int_equal(row->peak_low, result.peak_low);
    assert_int_equal(row->peak_high, result.peak_high);
    assert_int_equal(row->interval_runs, result.interval_runs);
    assert_int_equal(row->verdict, result.verdict);
}

/* Of the last symbol of `symbols`, whose values these are. */
static void
assert_scan_is_estimates(const memmodel_network *network, struct memmodel_job job,
                         struct memmodel_symbol_value *symbols, size_t count, const int64_t values[3])
{
    struct memmodel_estimate_row rows[3];

    job.metric = MEMMODEL_METRIC_LIVE;
    job.symbols = symbols;
    job.symbol_count = count - 1;
    assert_int_equal(memmodel_estimate_many(network, &job, symbols[count - 1].name, values, 3, NULL, rows), 0);
    job.symbol_count = count;
    for (int i = 0; i < 3; i++) {
        memmodel_report *report;

        symbols[count - 1].value = values[i];
        assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
        assert_row_is(&rows[i], report);
        memmodel_report_unref(report);
    }
}

static void
a_scan_tells_each_value_as_an_estimate_does(void **state)
{
    static const char *const optimizers[] = {"adam", "radam", "adam(foreach)"};
    struct memmodel_symbol_value symbols[] = {{"dim", 32}, {"batch", 1}};
    struct fixture *fixture = *state;

    for (size_t i = 0; i < 3; i++) {
        struct memmodel_job job = job_of("pytorch", NULL, 0);

        job.optimizer = optimizers[i];
        job.steps = 8;
        assert_scan_is_estimates(fixture->network, job, symbols, 2, (const int64_t[]){3, 1, 700});
    }
}

/* Budgets on both sides of the interval of 3, and in it: between its ends lie all of these. */
static void
a_scan_gives_each_value_the_verdict_of_an_estimate(void **state)
{
    struct memmodel_symbol_value symbols[] = {{"dim", 32}, {"batch", 3}};
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("pytorch", symbols, 2);
    struct memmodel_report_result three;
    memmodel_report *report;

    job.gpu = "h100";
    job.metric = MEMMODEL_METRIC_LIVE;
    assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
    three = result_of(report);
    memmodel_report_unref(report);
    assert_true(three.interval_runs > 0 && three.peak_low < three.peak_high);
    for (int i = 0; i < 4; i++) {
        const int64_t budgets[] = {three.peak_low - 1, three.peak_low, three.peak_high - 1, three.peak_high};

        job.budget = budgets[i];
        job.safety_percent = 0;
        assert_scan_is_estimates(fixture->network, job, symbols, 2, (const int64_t[]){3, 1, 700});
        job.safety_percent = 10;
        assert_scan_is_estimates(fixture->network, job, symbols, 2, (const int64_t[]){3, 1, 700});
    }
}

static void
a_scan_follows_parameters_that_depend_on_the_symbol(void **state)
{
    struct memmodel_symbol_value symbols[] = {{"width", 1}};
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("pytorch", NULL, 0);
    memmodel_network *network;
    memmodel_dim width;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(fixture->context, &network), 0);
    width = memmodel_network_symbol(network, "width");
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){2, width});
    memmodel_network_mark_output(network, memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 64)));
    job.optimizer = "adam";
    assert_scan_is_estimates(network, job, symbols, 1, (const int64_t[]){64, 512, 16});
    memmodel_network_unref(network);
}

static void
a_scan_passes_over_values_that_cannot_be_built(void **state)
{
    static const struct memmodel_symbol_value batch_only[] = {{"batch", 1}};
    const int64_t values[] = {32, 33, 0};
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("textbook", batch_only, 1);
    struct memmodel_estimate_row rows[3] = {{.peak = 7}};

    job.budget = INT64_MAX;
    assert_error(fixture->context, memmodel_estimate_many(fixture->network, &job, "dim", values, 3, NULL, rows),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "values");
    assert_int_equal(rows[0].peak, 7);
    assert_int_equal(memmodel_estimate_many(fixture->network, &job, "dim", values, 2, NULL, rows), 0);
    assert_true(rows[0].peak > 0);
    assert_int_equal(rows[0].verdict, MEMMODEL_VERDICT_FITS);
    assert_int_equal(rows[1].peak, -1);
    assert_int_equal(rows[1].verdict, MEMMODEL_VERDICT_NONE);
    assert_int_equal(memmodel_estimate_many(fixture->network, &job, "dim", NULL, 0, NULL, NULL), 0);
}

/* ---- errors ---- */

static void
a_symbol_without_a_value_is_named(void **state)
{
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("textbook", voxels_32, 1);
    memmodel_report *report = NULL;

    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report), MEMMODEL_ERROR_UNBOUND,
                 "dim");
    assert_null(report);
}

static void
unknown_names_are_refused_by_name(void **state)
{
    static const struct memmodel_symbol_value odd[] = {{"batch", 2}, {"dim", 32}, {"width", 3}};
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("textbook", odd, 3);
    memmodel_report *report = NULL;
    int64_t largest = -1;

    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report), MEMMODEL_ERROR_NOT_FOUND,
                 "width");
    job = job_of("caffe", voxels_32, 2);
    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED,
                 "caffe");
    job = job_of("pytorch", voxels_32, 2);
    job.optimizer = "lion";
    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED,
                 "lion");
    job = job_of("textbook", voxels_32, 2);
    job.textbook_rule = "half";
    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED,
                 "half");
    job = job_of("textbook", voxels_32, 2);
    job.precision = "bfloat16";
    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED,
                 "precision");
    job.precision = NULL;
    job.gradient_accumulation = -1;
    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "gradient_accumulation");
    job.gradient_accumulation = 0;
    job.budget = 1;
    assert_error(fixture->context, memmodel_estimate_max(fixture->network, &job, "width", NULL, &largest),
                 MEMMODEL_ERROR_NOT_FOUND, "width");
    job.symbol_count = 0; /* those that have no value are not the first thing to say */
    job.budget = 1;
    assert_error(fixture->context, memmodel_estimate_max(fixture->network, &job, "bach", NULL, &largest),
                 MEMMODEL_ERROR_NOT_FOUND, "bach");
    assert_int_equal(largest, -1);
}

static int64_t
peak_on(const memmodel_network *network, const char *isa)
{
    struct memmodel_job job = job_of("pytorch", voxels_32, 2);
    memmodel_report *report;
    int64_t bytes;

    job.isa = isa;
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    bytes = live_peak(report);
    memmodel_report_unref(report);
    return bytes;
}

static void
the_native_isa_is_one_of_those_with_rules(void **state)
{
    struct fixture *fixture = *state;
    int64_t native = peak_on(fixture->network, "native");

    assert_true(native == peak_on(fixture->network, "avx2") || native == peak_on(fixture->network, "avx512") ||
                native == peak_on(fixture->network, "amx"));
}

static void
sizes_beyond_63_bits_overflow_and_say_where(void **state)
{
    static const struct memmodel_symbol_value huge[] = {{"batch", INT64_C(1) << 50}, {"dim", 4096}};
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("textbook", huge, 2);
    memmodel_report *report = NULL;

    assert_error(fixture->context, memmodel_estimate(fixture->network, &job, NULL, &report), MEMMODEL_ERROR_OVERFLOW,
                 "");
    assert_string_not_equal(memmodel_context_error(fixture->context)->object, "");
}

static void
a_struct_of_a_newer_caller_is_refused_only_if_it_asks_for_more(void **state)
{
    struct fixture *fixture = *state;
    struct {
        struct memmodel_job known;
        int64_t later;
    } newer = {.known = job_of("textbook", voxels_32, 2)};
    memmodel_report *report;

    newer.known.size = sizeof newer;
    assert_int_equal(memmodel_estimate(fixture->network, &newer.known, NULL, &report), 0);
    memmodel_report_unref(report);
    newer.later = 1;
    assert_error(fixture->context, memmodel_estimate(fixture->network, &newer.known, NULL, &report),
                 MEMMODEL_ERROR_STRUCT_SIZE, "memmodel_job");
}

/* ---- JSON ---- */

static void
json_has_what_its_format_promises(void **state)
{
    struct fixture *fixture = *state;
    struct memmodel_job job = job_of("pytorch", voxels_32, 2);
    memmodel_report *report;
    char *text;
    json_t *root;

    assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_to_json(report, fixture->context, &text), 0);
    root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "peak"), "live")), live_peak(report));
    assert_int_equal(json_integer_value(json_object_get(root, "parameter_count")), 1414713);
    assert_int_equal(json_array_size(json_object_get(root, "layers")), memmodel_report_layer_count(report));
    assert_int_equal(json_object_size(json_object_get(root, "categories")), MEMMODEL_CATEGORY_RUNTIME + 1);
    assert_string_equal(json_string_value(json_object_get(root, "assumptions")), "dim is a multiple of 16");
    json_decref(root);
    memmodel_free(text);
    memmodel_report_unref(report);
}

/* ---- the peak alone ---- */

static void
assert_has_peak_alone(const memmodel_report *report)
{
    assert_int_equal(result_of(report).step_count, 0);
    assert_string_equal(result_of(report).peak_location, "");
    assert_int_equal(memmodel_report_layer_count(report), 0);
    assert_int_equal(memmodel_report_formula_count(report), 0);
    assert_int_equal(memmodel_report_category_bytes(report, 0), 0);
    assert_null(memmodel_report_trace(report));
}

static void
the_peak_alone_is_that_of_the_whole_report(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 2}, {"dim", 32}};
    const struct memmodel_job jobs[] = {
        {.metric = MEMMODEL_METRIC_LIVE},
        {.metric = MEMMODEL_METRIC_RESERVED},
        {.metric = MEMMODEL_METRIC_PROCESS, .budget = INT64_C(1) << 29},
        {.framework = "textbook"},
        {.framework = "tensorflow"},
        {.metric = MEMMODEL_METRIC_LIVE, .gpu = "h100"},
        {.gpu = "h100"},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        struct memmodel_job job = jobs[i];
        struct memmodel_report_result whole, alone;
        memmodel_report *report;

        job.size = sizeof job;
        job.symbols = symbols;
        job.symbol_count = 2;
        assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
        whole = result_of(report);
        memmodel_report_unref(report);
        job.peak_only = 1;
        assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
        alone = result_of(report);
        assert_has_peak_alone(report);
        memmodel_report_unref(report);
        assert_int_equal(alone.metric, whole.metric);
        if (whole.metric == MEMMODEL_METRIC_LIVE)
            assert_int_equal(alone.live, whole.live);
        if (whole.metric == MEMMODEL_METRIC_RESERVED)
            assert_int_equal(alone.reserved, whole.reserved);
        if (whole.metric == MEMMODEL_METRIC_PROCESS)
            assert_int_equal(alone.process, whole.process);
        assert_int_equal(alone.verdict, whole.verdict);
        assert_int_equal(alone.headroom, whole.headroom);
        assert_int_equal(alone.peak_low, whole.peak_low);
        assert_int_equal(alone.peak_high, whole.peak_high);
    }
}

static void
a_report_of_the_peak_alone_is_written_as_any_other(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 2}, {"dim", 32}};
    struct memmodel_job job = {.size = sizeof job, .symbols = symbols, .symbol_count = 2, .peak_only = 1};
    struct fixture *fixture = *state;
    memmodel_report *report;
    char *text;

    assert_int_equal(memmodel_estimate(fixture->network, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_to_json(report, fixture->context, &text), 0);
    memmodel_free(text);
    assert_int_equal(memmodel_report_to_html(report, fixture->context, &text), 0);
    memmodel_free(text);
    memmodel_report_unref(report);
    job.peak_only = 2;
    assert_int_equal(memmodel_estimate(fixture->network, &job, fixture->context, &report),
                     MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(memmodel_context_error(fixture->context)->object, "peak_only");
}

/* ---- where the peak is ---- */

/* The only memory is a temporary of 4000 bytes and what goes in and out: the peak is within the operator. */
static void
the_location_of_the_peak_names_the_operator(void **state)
{
    static const struct {
        const char *operation, *reported;
    } cases[] = {{"my.scan", "scan (my.scan), forward pass of step 1"},
                 {NULL, "scan (custom), forward pass of step 1"}};
    struct fixture *fixture = *state;
    struct memmodel_job job = {.size = sizeof job, .mode = 1, .steps = 1};
    struct memmodel_shape shape = {.dims = {4}, .rank = 1};

    for (size_t i = 0; i < 2; i++) {
        memmodel_network *network;
        memmodel_report *report;
        memmodel_tensor x;

        assert_int_equal(memmodel_network_new(fixture->context, &network), 0);
        x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 1, (memmodel_dim[]){4});
        memmodel_network_custom(network, &x, 1,
                                MEMMODEL_CUSTOM(.name = "scan", .operation = cases[i].operation, .outputs = &shape,
                                                .output_count = 1, .forward_workspace_bytes = 4000));
        assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
        assert_string_equal(result_of(report).peak_location, cases[i].reported);
        memmodel_report_unref(report);
        memmodel_network_unref(network);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(categories_add_up_to_the_peak, setup, teardown),
        cmocka_unit_test_setup_teardown(layers_add_up_to_the_peak, setup, teardown),
        cmocka_unit_test_setup_teardown(later_steps_hold_the_optimizer_state_of_the_first, setup, teardown),
        cmocka_unit_test_setup_teardown(the_largest_batch_fits_and_the_next_does_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_report_names_the_bytes_that_a_budget_limits, setup, teardown),
        cmocka_unit_test(bytes_of_pools_grow_in_jumps),
        cmocka_unit_test_setup_teardown(the_largest_edge_is_one_that_can_be_built, setup, teardown),
        cmocka_unit_test_setup_teardown(the_largest_value_meets_every_constraint_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_fits_into_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_scan_tells_each_value_as_an_estimate_does, setup, teardown),
        cmocka_unit_test_setup_teardown(a_scan_gives_each_value_the_verdict_of_an_estimate, setup, teardown),
        cmocka_unit_test_setup_teardown(a_scan_follows_parameters_that_depend_on_the_symbol, setup, teardown),
        cmocka_unit_test_setup_teardown(a_scan_passes_over_values_that_cannot_be_built, setup, teardown),
        cmocka_unit_test_setup_teardown(a_symbol_without_a_value_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_names_are_refused_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(the_native_isa_is_one_of_those_with_rules, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes_beyond_63_bits_overflow_and_say_where, setup, teardown),
        cmocka_unit_test_setup_teardown(a_struct_of_a_newer_caller_is_refused_only_if_it_asks_for_more, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(json_has_what_its_format_promises, setup, teardown),
        cmocka_unit_test_setup_teardown(the_peak_alone_is_that_of_the_whole_report, setup, teardown),
        cmocka_unit_test_setup_teardown(a_report_of_the_peak_alone_is_written_as_any_other, setup, teardown),
        cmocka_unit_test_setup_teardown(the_location_of_the_peak_names_the_operator, setup, teardown),
    };

    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

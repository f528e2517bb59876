/* What if: each change must be what the changed job's own estimate says. */
#include "check.h"
#include "networks.h"

#include <string.h>

static const struct memmodel_symbol_value voxels_32[] = {{"batch", 4}, {"dim", 32}};

/* A 3D U-Net of 8 filters with its loss; the caller drops it. */
static memmodel_network *
small_unet(memmodel_context *context)
{
    memmodel_network *network;

    assert_int_equal(network_unet3d(context, &(struct unet3d){.filters = 8, .loss = true}, &network), 0);
    return network;
}

static struct memmodel_job
training(const char *framework)
{
    return (struct memmodel_job){.size = sizeof(struct memmodel_job),
                                 .framework = framework,
                                 .symbols = voxels_32,
                                 .symbol_count = 2,
                                 .metric = MEMMODEL_METRIC_LIVE};
}

static int64_t
live_peak(const memmodel_network *network, const struct memmodel_job *job)
{
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, job, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    memmodel_report_unref(report);
    return peak.live;
}

static memmodel_report *
what_if(const memmodel_network *network, const struct memmodel_job *job)
{
    memmodel_report *report;

    assert_int_equal(memmodel_estimate_what_if(network, job, NULL, &report), 0);
    return report;
}

/* False if the report has no change of that name. */
static bool
find_change(const memmodel_report *report, const char *name, struct memmodel_report_change *change)
{
    *change = (struct memmodel_report_change){.size = sizeof *change};
    for (size_t i = 0; i < memmodel_report_change_count(report); i++) {
        assert_int_equal(memmodel_report_get_change(report, i, change), 0);
        if (strcmp(change->name, name) == 0)
            return true;
    }
    return false;
}

static void
assert_change_is_the_estimate_of(const memmodel_network *network, const struct memmodel_job *job, const char *name,
                                 const struct memmodel_job *changed)
{
    memmodel_report *report = what_if(network, job);
    struct memmodel_report_change change;

    assert_true(find_change(report, name, &change));
    assert_int_equal(change.live, live_peak(network, changed));
    assert_int_equal(change.saving, live_peak(network, job) - change.live);
    memmodel_report_unref(report);
}

static void
half_the_batch_is_estimated_in_full(void **state)
{
    static const struct memmodel_symbol_value halved[] = {{"batch", 2}, {"dim", 32}};
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch"), changed = training("pytorch");

    changed.symbols = halved;
    assert_change_is_the_estimate_of(network, &job, "batch 2", &changed);
    memmodel_network_unref(network);
}

static void
a_batch_of_two_is_halved(void **state)
{
    static const struct memmodel_symbol_value two[] = {{"batch", 2}, {"dim", 32}}, one[] = {{"batch", 1}, {"dim", 32}};
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch"), changed = training("pytorch");

    job.symbols = two;
    changed.symbols = one;
    assert_change_is_the_estimate_of(network, &job, "batch 1", &changed);
    memmodel_network_unref(network);
}

static void
another_optimizer_and_inference_are_estimated_in_full(void **state)
{
    static const char *const frameworks[] = {"pytorch", "textbook"};
    memmodel_network *network = small_unet(*state);

    for (size_t i = 0; i < 2; i++) {
        struct memmodel_job job = training(frameworks[i]), changed = training(frameworks[i]);

        changed.optimizer = "sgd";
        assert_change_is_the_estimate_of(network, &job, "optimizer sgd", &changed);
        changed.optimizer = NULL;
        changed.mode = 1;
        assert_change_is_the_estimate_of(network, &job, "inference", &changed);
    }
    memmodel_network_unref(network);
}

static void
halves_of_the_batch_may_be_accumulated(void **state)
{
    static const struct memmodel_symbol_value halved[] = {{"batch", 2}, {"dim", 32}};
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch"), changed = training("pytorch");

    changed.symbols = halved;
    changed.gradient_accumulation = 2;
    assert_change_is_the_estimate_of(network, &job, "batch 2, gradient accumulation 2", &changed);
    memmodel_network_unref(network);
}

static void
lower_precision_and_released_gradients_are_estimated_in_full(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch"), changed = training("pytorch");

    job.keep_gradients = changed.keep_gradients = 1;
    changed.precision = "bfloat16";
    assert_change_is_the_estimate_of(network, &job, "precision bfloat16", &changed);
    changed.precision = NULL;
    changed.keep_gradients = 0;
    assert_change_is_the_estimate_of(network, &job, "zero_grad(set_to_none=True)", &changed);
    memmodel_network_unref(network);
}

static memmodel_tensor
wide_block(memmodel_network *network, const char *name, memmodel_tensor x)
{
    memmodel_network_push_scope(network, name);
    x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 512));
    x = memmodel_network_activation(network, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
    x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 16));
    memmodel_network_pop_scope(network);
    return x;
}

/* Two layers of an encoder, two of a decoder, and a head that is called like none of them. */
static memmodel_network *
network_of_blocks(memmodel_context *context)
{
    memmodel_network *network;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){256, 16});
    x = wide_block(network, "encoder.layer.0", x);
    x = wide_block(network, "encoder.layer.1", x);
    x = wide_block(network, "decoder.layer.10", x);
    x = wide_block(network, "decoder.layer.11", x);
    wide_block(network, "head", x);
    return network;
}

static void
repeated_blocks_may_be_checkpointed(void **state)
{
    static const char name[] = "checkpoint encoder.layer.*, decoder.layer.*";
    memmodel_network *network = network_of_blocks(*state);
    struct memmodel_job job = {.size = sizeof job, .metric = MEMMODEL_METRIC_LIVE}, changed = job;
    memmodel_report *report;
    struct memmodel_report_change change;

    changed.checkpoint = "encoder.layer.*, decoder.layer.*";
    assert_change_is_the_estimate_of(network, &job, name, &changed);
    report = what_if(network, &job);
    assert_true(find_change(report, name, &change));
    assert_true(change.saving > 0);
    memmodel_report_unref(report);
    report = what_if(network, &changed);
    assert_false(find_change(report, name, &change));
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* Adam keeps two numbers of 4 bytes a trained parameter, momentum one: 2 * 4 * p and 4 * p bytes, p = 1,413,241. */
static void
the_textbook_saves_the_slots_of_an_optimizer(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("textbook");
    memmodel_report *report = what_if(network, &job);
    struct memmodel_report_change change;

    assert_true(find_change(report, "optimizer sgd", &change));
    assert_int_equal(change.saving, 2 * 4 * 1413241);
    assert_true(find_change(report, "optimizer momentum", &change));
    assert_int_equal(change.saving, 4 * 1413241);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
what_saves_most_comes_first(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch");
    memmodel_report *report = what_if(network, &job);
    struct memmodel_report_change change = {.size = sizeof change};
    int64_t before = INT64_MAX;

    assert_true(memmodel_report_change_count(report) >= 4);
    for (size_t i = 0; i < memmodel_report_change_count(report); i++) {
        assert_int_equal(memmodel_report_get_change(report, i, &change), 0);
        assert_true(change.saving <= before);
        before = change.saving;
    }
    assert_int_equal(memmodel_report_get_change(report, memmodel_report_change_count(report), &change),
                     MEMMODEL_ERROR_INVALID_ARGUMENT);
    change.size = 1;
    assert_int_equal(memmodel_report_get_change(report, 0, &change), MEMMODEL_ERROR_STRUCT_SIZE);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
savings_are_of_the_process_by_default(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch");
    struct memmodel_report_result peak = {.size = sizeof peak};
    struct memmodel_report_change change;
    memmodel_report *report;

    job.metric = MEMMODEL_METRIC_DEFAULT;
    report = what_if(network, &job);
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    assert_true(find_change(report, "inference", &change));
    assert_int_equal(change.saving, peak.process - change.process);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* The textbook counts no process: what a change saves of it is not known. */
static void
nothing_is_advised_where_the_metric_is_not_modelled(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("textbook");
    memmodel_report *report;

    job.metric = MEMMODEL_METRIC_PROCESS;
    report = what_if(network, &job);
    assert_int_equal(memmodel_report_change_count(report), 0);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
what_does_not_change_the_job_is_left_out(void **state)
{
    static const struct memmodel_symbol_value one[] = {{"batch", 1}, {"dim", 32}};
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch");
    memmodel_report *report;

    job.symbols = one;
    job.mode = 1;
    job.precision = "bfloat16";
    report = what_if(network, &job);
    assert_int_equal(memmodel_report_change_count(report), 0);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* Halves of the batch are taken apart and put together in pairs: 5 is not allowed, but 10 is. */
static void
a_batch_that_cannot_be_halved_is_left_out(void **state)
{
    memmodel_network *network;
    memmodel_dim batch, pairs;
    memmodel_tensor x;
    struct memmodel_symbol_value ten = {"images", 10};
    struct memmodel_job job = {.size = sizeof job, .symbols = &ten, .symbol_count = 1};
    struct memmodel_report_change change;
    memmodel_report *report;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    batch = memmodel_network_symbol(network, "images");
    pairs = memmodel_network_expression(network, "images / 2");
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){batch, 8});
    memmodel_network_linear(network, memmodel_network_reshape(network, x, 2, (memmodel_dim[]){pairs, 16}),
                            MEMMODEL_LINEAR(.units = 4));
    report = what_if(network, &job);
    assert_false(find_change(report, "images 5", &change));
    assert_true(find_change(report, "inference", &change));
    memmodel_report_unref(report);

    ten.value = 12;
    report = what_if(network, &job);
    assert_true(find_change(report, "images 6", &change));
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
an_optimizer_of_groups_is_not_exchanged(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch");
    struct memmodel_report_change change = {.size = sizeof change};
    memmodel_report *report;

    job.optimizer = "adam: *.weight";
    report = what_if(network, &job);
    assert_false(find_change(report, "optimizer sgd", &change));
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
an_estimate_alone_has_no_changes(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch");
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_change_count(report), 0);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static struct memmodel_report_result
result_within(const memmodel_network *network, struct memmodel_job job, int64_t budget)
{
    static memmodel_report *kept; /* what the result points to */
    struct memmodel_report_result result = {.size = sizeof result};

    job.budget = budget;
    memmodel_report_unref(kept);
    kept = budget ? what_if(network, &job) : NULL;
    if (budget)
        assert_int_equal(memmodel_report_get_result(kept, &result), 0);
    return result;
}

/* Of a job that does not fit, each number is that of a search or of an estimate of its own. */
static void
a_job_that_does_not_fit_is_told_what_would(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch");
    int64_t peak = live_peak(network, &job), max;
    struct memmodel_report_result result = result_within(network, job, peak - 1);
    struct memmodel_report_change change;
    memmodel_report *report = what_if(network, &job);
    char words[64];

    job.budget = peak - 1;
    assert_int_equal(memmodel_estimate_max(network, &job, "batch", NULL, &max), 0);
    assert_in_range(max, 1, 3);
    assert_int_equal(result.max_batch, max);
    snprintf(words, sizeof words, "; largest batch that fits: %d; ", (int)max);
    assert_non_null(strstr(result.summary, words));
    /* gradients are released already: the next in cost are batches in two parts, which this network can be trained in */
    assert_string_equal(result.cheapest_change, "batch 2, gradient accumulation 2");
    assert_non_null(strstr(result.summary, "cheapest change that makes it fit: batch 2, gradient accumulation 2"));
    assert_true(find_change(report, result.cheapest_change, &change) && change.live <= peak - 1);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
    result_within(NULL, job, 0);
}

static void
what_nothing_makes_fit_is_told(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_report_result result = result_within(network, training("pytorch"), 1000);

    assert_int_equal(result.max_batch, 0);
    assert_string_equal(result.cheapest_change, "");
    assert_non_null(strstr(result.summary, " of 1000 B (live bytes), does not fit, "));
    assert_non_null(strstr(result.summary, " over; no batch fits; no single change makes it fit"));
    memmodel_network_unref(network);
    result_within(NULL, training("pytorch"), 0);
}

static void
a_job_that_fits_needs_no_change(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training("pytorch");
    struct memmodel_report_result result = result_within(network, job, 2 * live_peak(network, &job));

    assert_int_equal(result.max_batch, -1);
    assert_string_equal(result.cheapest_change, "");
    assert_non_null(strstr(result.summary, ", fits with "));
    assert_null(strstr(result.summary, ";"));
    memmodel_network_unref(network);
    result_within(NULL, job, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(half_the_batch_is_estimated_in_full),
        WITH_CONTEXT(a_batch_of_two_is_halved),
        WITH_CONTEXT(halves_of_the_batch_may_be_accumulated),
        WITH_CONTEXT(lower_precision_and_released_gradients_are_estimated_in_full),
        WITH_CONTEXT(repeated_blocks_may_be_checkpointed),
        WITH_CONTEXT(another_optimizer_and_inference_are_estimated_in_full),
        WITH_CONTEXT(the_textbook_saves_the_slots_of_an_optimizer),
        WITH_CONTEXT(what_saves_most_comes_first),
        WITH_CONTEXT(savings_are_of_the_process_by_default),
        WITH_CONTEXT(nothing_is_advised_where_the_metric_is_not_modelled),
        WITH_CONTEXT(what_does_not_change_the_job_is_left_out),
        WITH_CONTEXT(a_batch_that_cannot_be_halved_is_left_out),
        WITH_CONTEXT(an_optimizer_of_groups_is_not_exchanged),
        WITH_CONTEXT(an_estimate_alone_has_no_changes),
        WITH_CONTEXT(a_job_that_does_not_fit_is_told_what_would),
        WITH_CONTEXT(what_nothing_makes_fit_is_told),
        WITH_CONTEXT(a_job_that_fits_needs_no_change),
    };

    return cmocka_run_group_tests_name("what if", tests, NULL, NULL);
}

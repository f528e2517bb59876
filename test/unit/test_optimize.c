/* memmodel_optimization: its steps against what the library says of each on its own. */
#include "allocations.h"
#include "check.h"
#include "networks.h"

#include <math.h>
#include <stdio.h>

/* ---- networks and jobs ---- */

static const struct memmodel_symbol_value tokens[] = {{"batch", 8}, {"length", 64}};
static const struct memmodel_symbol_value voxels[] = {{"batch", 4}, {"dim", 32}};

static memmodel_network *
small_gpt2(memmodel_context *context)
{
    const struct gpt2 options = {.vocabulary = 100, .positions = 64, .width = 64, .heads = 4, .layers = 4};
    memmodel_network *network;

    assert_int_equal(network_gpt2(context, &options, &network), 0);
    return network;
}

static memmodel_network *
small_unet(memmodel_context *context)
{
    memmodel_network *network;

    assert_int_equal(network_unet3d(context, &(struct unet3d){.filters = 8}, &network), 0);
    return network;
}

/* What its blocks keep, mostly five times their input, can be computed again. */
static memmodel_network *
three_blocks(memmodel_context *context)
{
    static const char *const names[] = {"first", "second", "third"};
    memmodel_network *network;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2,
                               (memmodel_dim[]){memmodel_network_symbol(network, "batch"), 100});
    for (int i = 0; i < 3; i++) {
        memmodel_network_push_scope(network, names[i]);
        x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 500));
        x = memmodel_network_activation(network, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_TANH));
        x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 100));
        memmodel_network_pop_scope(network);
    }
    assert_int_equal(memmodel_network_status(network), 0);
    return network;
}

static struct memmodel_job
job_of(const struct memmodel_symbol_value *symbols, int32_t inference)
{
    return (struct memmodel_job){.size = sizeof(struct memmodel_job),
                                 .symbols = symbols,
                                 .symbol_count = 2,
                                 .mode = inference,
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

/* ---- budgets ---- */

static memmodel_optimization *
budget_of(const memmodel_network *network, const struct memmodel_job *job, int64_t bytes)
{
    struct memmodel_job within = *job;
    memmodel_optimization *budget;

    within.budget = bytes;
    assert_int_equal(memmodel_optimize(network, &within, NULL, &budget), 0);
    return budget;
}

static struct memmodel_optimization_result
result_of(const memmodel_optimization *budget)
{
    struct memmodel_optimization_result result = {.size = sizeof result};

    assert_int_equal(memmodel_optimization_get_result(budget, &result), 0);
    return result;
}

static struct memmodel_optimization_step
step_of(const memmodel_optimization *budget, size_t index)
{
    struct memmodel_optimization_step step = {.size = sizeof step};

    assert_int_equal(memmodel_optimization_get_step(budget, index, &step), 0);
    return step;
}

static struct memmodel_optimization_step
last_step(const memmodel_optimization *budget)
{
    return step_of(budget, memmodel_optimization_step_count(budget) - 1);
}

static const char *
recomputed_by(const memmodel_optimization *budget)
{
    for (size_t i = 0; i < memmodel_optimization_step_count(budget); i++)
        if (step_of(budget, i).technique == MEMMODEL_TECHNIQUE_RECOMPUTE)
            return step_of(budget, i).detail;
    fail_msg("no step computes anything again");
    return NULL;
}

/* ---- training ---- */

static void
plenty_needs_nothing_to_be_done(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = job_of(tokens, 0);
    memmodel_optimization *budget = budget_of(network, &job, INT64_MAX);

    assert_int_equal(memmodel_optimization_step_count(budget), 1);
    assert_int_equal(step_of(budget, 0).technique, MEMMODEL_TECHNIQUE_NO_REUSE);
    assert_true(step_of(budget, 0).peak > live_peak(network, &job));
    assert_int_equal(result_of(budget).verdict, MEMMODEL_VERDICT_FITS);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
a_training_that_fits_by_reuse_needs_no_more(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = job_of(tokens, 0);
    int64_t live = live_peak(network, &job);
    memmodel_optimization *budget = budget_of(network, &job, live);

    assert_int_equal(memmodel_optimization_step_count(budget), 2);
    assert_int_equal(last_step(budget).technique, MEMMODEL_TECHNIQUE_REUSE);
    assert_int_equal(last_step(budget).peak, live);
    assert_string_equal(result_of(budget).checkpoint, "");
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
a_training_is_recomputed_before_its_batch_shrinks(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_job job = job_of(tokens, 0);
    int64_t live = live_peak(network, &job), bytes = live - live / 10;
    memmodel_optimization *budget = budget_of(network, &job, bytes);
    struct memmodel_optimization_result result = result_of(budget);

    assert_int_equal(last_step(budget).technique, MEMMODEL_TECHNIQUE_RECOMPUTE);
    assert_int_equal(last_step(budget).applied, 1);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_FITS);
    assert_int_equal(result.batch, 8);
    assert_true(result.peak <= bytes && result.overhead > 0 && result.overhead < 0.34);
    job.checkpoint = result.checkpoint;
    assert_int_equal(live_peak(network, &job), result.peak);
    assert_non_null(strstr(result_of(budget).summary, result.checkpoint));
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
the_largest_batch_is_what_remains(void **state)
{
    struct memmodel_symbol_value symbols[] = {{"batch", 64}, {"length", 64}};
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_job job = job_of(tokens, 0);
    int64_t bytes = live_peak(network, &job);
    struct memmodel_optimization_result result;
    memmodel_optimization *budget;

    job.symbols = symbols;
    budget = budget_of(network, &job, bytes);
    result = result_of(budget);
    assert_int_equal(last_step(budget).technique, MEMMODEL_TECHNIQUE_BATCH);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_FITS);
    assert_true(result.batch > 8 && result.batch < 64); /* 8 fit without recomputation */
    symbols[0].value = result.batch;
    job.checkpoint = result.checkpoint;
    assert_int_equal(live_peak(network, &job), result.peak);
    memmodel_optimization_unref(budget);
    job.checkpoint = NULL;
    symbols[0].value = result.batch + 1;
    budget = budget_of(network, &job, bytes);
    assert_true(result_of(budget).batch <= result.batch);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

/* The budget is what a batch of 800 needs with as much computed again as there is. */
static void
a_smaller_batch_that_needs_as_much_recomputed_tells_of_the_batch_only(void **state)
{
    struct memmodel_symbol_value symbols[] = {{"batch", 6400}};
    memmodel_network *network = three_blocks(*state);
    struct memmodel_job job = job_of(tokens, 0);
    memmodel_optimization *min, *budget;
    int64_t bytes;

    job.symbols = symbols;
    job.symbol_count = 1;
    min = budget_of(network, &job, 1000);
    job.checkpoint = recomputed_by(min);
    symbols[0].value = 800;
    bytes = live_peak(network, &job);
    symbols[0].value = 6400;
    job.checkpoint = NULL;
    budget = budget_of(network, &job, bytes);
    assert_string_equal(recomputed_by(budget), recomputed_by(min));
    assert_int_equal(result_of(budget).peak, bytes);
    assert_string_equal(last_step(budget).detail, "batch=800");
    memmodel_optimization_unref(min);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
a_budget_of_six_gibibytes_is_called_so(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = job_of(tokens, 0);
    memmodel_optimization *budget = budget_of(network, &job, INT64_C(6) << 30);

    assert_non_null(strstr(result_of(budget).summary, "within 6 GiB of live bytes."));
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

/* 329,000,000 bytes of interpreter and libraries (process_base.py) leave nothing of 300,000,000. */
static void
a_training_is_brought_within_what_its_process_may_take(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_job job = job_of(tokens, 0);
    memmodel_optimization *budget;

    job.metric = MEMMODEL_METRIC_DEFAULT;
    budget = budget_of(network, &job, 300000000);
    assert_int_equal(result_of(budget).verdict, MEMMODEL_VERDICT_EXCEEDS);
    assert_int_equal(result_of(budget).metric, MEMMODEL_METRIC_PROCESS);
    assert_true(result_of(budget).peak > 329000000);
    assert_non_null(strstr(result_of(budget).summary, "of process bytes, and nothing else"));
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
what_nothing_helps_is_said_to_be_so(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = job_of(tokens, 0);
    memmodel_optimization *budget = budget_of(network, &job, 1000);
    struct memmodel_optimization_result result = result_of(budget);

    assert_int_equal(result.verdict, MEMMODEL_VERDICT_EXCEEDS);
    assert_int_equal(result.batch, 1);
    assert_true(result.peak > 1000);
    assert_non_null(strstr(result_of(budget).summary, "more than 1000 B"));
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
other_frameworks_go_without_recomputation(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_job job = job_of(tokens, 0);
    memmodel_optimization *budget;

    job.framework = "textbook";
    budget = budget_of(network, &job, live_peak(network, &job) - 1);
    for (size_t i = 0; i < memmodel_optimization_step_count(budget); i++)
        if (step_of(budget, i).technique == MEMMODEL_TECHNIQUE_RECOMPUTE)
            assert_int_equal(step_of(budget, i).applied, 0);
    assert_int_equal(last_step(budget).technique, MEMMODEL_TECHNIQUE_BATCH);
    assert_int_equal(result_of(budget).verdict, MEMMODEL_VERDICT_FITS);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
what_cannot_be_done_is_reported_with_its_reason(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_job job = job_of(tokens, 0);
    memmodel_optimization *budget;

    job.framework = "textbook";
    budget = budget_of(network, &job, live_peak(network, &job) - 1);
    assert_non_null(strstr(result_of(budget).summary, "only steps of pytorch are simulated with it"));
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

/* ---- inference ---- */

static struct memmodel_schedule_result
summary_of(const memmodel_network *network, const struct memmodel_job *job)
{
    const struct memmodel_schedule_options how = {
        .size = sizeof how, .symbols = job->symbols, .symbol_count = job->symbol_count};
    struct memmodel_schedule_result summary = {.size = sizeof summary};
    memmodel_schedule *schedule;

    assert_int_equal(memmodel_network_schedule(network, &how, NULL, &schedule), 0);
    assert_int_equal(memmodel_schedule_get_result(schedule, &summary), 0);
    memmodel_schedule_unref(schedule);
    return summary;
}

static void
an_inference_with_plenty_reuses_nothing(void **state)
{
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = job_of(voxels, 1);
    memmodel_optimization *budget = budget_of(network, &job, INT64_MAX);

    assert_int_equal(memmodel_optimization_step_count(budget), 1);
    assert_int_equal(step_of(budget, 0).technique, MEMMODEL_TECHNIQUE_NO_REUSE);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

/* A plan in the built order needs more than the best one, which is the budget: there is nothing to cut. */
static void
an_inference_that_fits_in_another_order_is_not_cut(void **state)
{
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = job_of(voxels, 1);
    struct memmodel_schedule_result summary = summary_of(network, &job);
    memmodel_optimization *budget = budget_of(network, &job, summary.peak + summary.parameter_bytes);

    assert_int_equal(result_of(budget).verdict, 1);
    for (size_t i = 0; i < memmodel_optimization_step_count(budget); i++)
        assert_int_not_equal(step_of(budget, i).technique, MEMMODEL_TECHNIQUE_TILE);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
an_inference_has_the_bytes_of_its_plan_and_its_weights(void **state)
{
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = job_of(voxels, 1);
    struct memmodel_schedule_result summary = summary_of(network, &job);
    memmodel_optimization *budget = budget_of(network, &job, summary.peak_program_order + summary.parameter_bytes);

    assert_int_equal(memmodel_optimization_step_count(budget), 2);
    assert_int_equal(step_of(budget, 0).peak, summary.tensor_bytes + summary.parameter_bytes);
    assert_int_equal(step_of(budget, 1).peak, summary.peak_program_order + summary.parameter_bytes);
    assert_int_equal(result_of(budget).verdict, MEMMODEL_VERDICT_FITS);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
a_volume_is_cut_into_tiles_before_its_batch_shrinks(void **state)
{
    static const struct memmodel_symbol_value large[] = {{"batch", 1}, {"dim", 512}};
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = job_of(large, 1);
    struct memmodel_schedule_result summary = summary_of(network, &job);
    int64_t bytes = summary.peak / 2 + summary.parameter_bytes;
    memmodel_optimization *budget = budget_of(network, &job, bytes);

    assert_int_equal(last_step(budget).technique, MEMMODEL_TECHNIQUE_TILE);
    assert_int_equal(last_step(budget).applied, 1);
    assert_int_equal(result_of(budget).verdict, MEMMODEL_VERDICT_FITS);
    assert_true(result_of(budget).peak <= bytes && result_of(budget).overhead > 0);
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
an_inference_that_cannot_be_cut_has_a_smaller_batch(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_symbol_value fewer[] = {{"batch", 3}, {"length", 64}};
    struct memmodel_job job = job_of(fewer, 1);
    struct memmodel_schedule_result of_three = summary_of(network, &job);
    memmodel_optimization *budget;

    job.symbols = tokens;
    budget = budget_of(network, &job, of_three.peak + of_three.parameter_bytes);
    assert_int_equal(last_step(budget).technique, MEMMODEL_TECHNIQUE_BATCH);
    assert_int_equal(result_of(budget).batch, 3);
    assert_int_equal(result_of(budget).peak, of_three.peak + of_three.parameter_bytes);
    assert_string_equal(last_step(budget).detail, "batch=3");
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

/* ---- asking wrongly, and memory ---- */

static void
wrong_questions_are_refused(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_job job = job_of(tokens, 0);
    struct memmodel_optimization_step step = {.size = sizeof step};
    memmodel_optimization *budget = NULL;

    job.budget = 0;
    assert_error(*state, memmodel_optimize(network, &job, NULL, &budget), MEMMODEL_ERROR_INVALID_ARGUMENT, "budget");
    job.budget = 1;
    assert_int_equal(memmodel_optimize(NULL, &job, NULL, &budget), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_optimize(network, NULL, NULL, &budget), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_null(budget);
    budget = budget_of(network, &job, INT64_MAX);
    assert_error(*state, memmodel_optimization_get_step(budget, 1, &step), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "no step 1");
    memmodel_optimization_unref(budget);
    memmodel_network_unref(network);
}

static void
every_means_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(memmodel_technique_name(MEMMODEL_TECHNIQUE_NO_REUSE), "no reuse");
    assert_string_equal(memmodel_technique_name(MEMMODEL_TECHNIQUE_BATCH), "batch");
    assert_null(memmodel_technique_name(-1));
    assert_null(memmodel_technique_name(MEMMODEL_TECHNIQUE_BATCH + 1));
}

static int
make_smaller(memmodel_context *context)
{
    const struct gpt2 options = {.vocabulary = 10, .positions = 8, .width = 8, .heads = 2, .layers = 1};
    static const struct memmodel_symbol_value small[] = {{"batch", 2}, {"length", 8}};
    struct memmodel_job job = job_of(small, 0);
    memmodel_network *network;
    memmodel_optimization *budget;
    int status = network_gpt2(context, &options, &network);

    if (status)
        return status;
    for (job.mode = 0; job.mode < 2 && !status; job.mode++) {
        job.budget = 1000;
        status = memmodel_optimize(network, &job, NULL, &budget);
        if (!status)
            memmodel_optimization_unref(budget);
    }
    memmodel_network_unref(network);
    return status;
}

static void
a_failing_allocation_anywhere_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    assert_survives_failing_allocations(make_smaller);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(plenty_needs_nothing_to_be_done),
        WITH_CONTEXT(a_training_that_fits_by_reuse_needs_no_more),
        WITH_CONTEXT(a_training_is_recomputed_before_its_batch_shrinks),
        LONG_WITH_CONTEXT(the_largest_batch_is_what_remains),
        WITH_CONTEXT(a_smaller_batch_that_needs_as_much_recomputed_tells_of_the_batch_only),
        WITH_CONTEXT(a_budget_of_six_gibibytes_is_called_so),
        LONG_WITH_CONTEXT(a_training_is_brought_within_what_its_process_may_take),
        LONG_WITH_CONTEXT(what_nothing_helps_is_said_to_be_so),
        WITH_CONTEXT(other_frameworks_go_without_recomputation),
        WITH_CONTEXT(what_cannot_be_done_is_reported_with_its_reason),
        WITH_CONTEXT(an_inference_with_plenty_reuses_nothing),
        WITH_CONTEXT(an_inference_that_fits_in_another_order_is_not_cut),
        WITH_CONTEXT(an_inference_has_the_bytes_of_its_plan_and_its_weights),
        WITH_CONTEXT(a_volume_is_cut_into_tiles_before_its_batch_shrinks),
        WITH_CONTEXT(an_inference_that_cannot_be_cut_has_a_smaller_batch),
        WITH_CONTEXT(wrong_questions_are_refused),
        WITH_CONTEXT(every_means_has_a_name),
        LONG_WITH_CONTEXT(a_failing_allocation_anywhere_is_reported_and_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

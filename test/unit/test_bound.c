/* Upper bounds: what each rule says, what it rests on, and how often measurements stay below. */
#include "fitted.h"
#include "near.h"

#include <stdio.h>

/* ---- models whose bounds are known ---- */

/* y = 2 x on x from 1 to 10, with `bound` as what its bound is made from. */
static memmodel_model *
model_with(memmodel_context *context, const char *bound)
{
    memmodel_model *model;
    char text[2000];

    snprintf(
        text, sizeof text,
        "{\"format\": \"memmodel-model\", \"version\": 1, \"target\": \"y\", \"formula\": \"2*x\",\n"
        "\"inputs\": [{\"name\": \"x\", \"min\": 1, \"max\": 10}], \"terms\": [{\"coefficient\": 2.0, \"term\": \"x\"}],\n"
        "\"scores\": {\"sample_count\": 4, \"training_mape\": 0.1, \"loo_mape\": 0.1},\n"
        "\"bound\": {\"dof\": 3, %s}}",
        bound);
    if (memmodel_model_from_json(context, "model", text, strlen(text), &model))
        fail_msg("%s", memmodel_context_error(context)->message);
    return model;
}

static struct memmodel_prediction
predict_by(const memmodel_model *model, double x, int32_t rule, double level)
{
    struct memmodel_prediction prediction = {.size = sizeof prediction};

    assert_int_equal(memmodel_model_predict(model, &x, by_method(rule, level), &prediction), 0);
    return prediction;
}

#define OLD "\"sigma\": 0.1, \"leverage\": [[0.5]], \"ratios\": [0.9, 1.0, 1.1, 1.2]"

/* Of four points the third smallest ratio stands for 3/5 and the greatest for 4/5: more they cannot say. 0.7 is midway. */
static void
the_held_out_ratio_has_the_rank_of_the_level(void **state)
{
    static const struct {
        double level, ratio, attained;
    } cases[] = {{0.5, 1.05, 0.5}, {0.6, 1.1, 0.6}, {0.7, 1.15, 0.7}, {0.95, 1.2, 0.8}, {0.99, 1.2, 0.8}};
    memmodel_model *model = model_with(*state, OLD);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memmodel_prediction prediction = predict_by(model, 5, MEMMODEL_BOUND_METHOD_CONFORMAL, cases[i].level);

        assert_near(prediction.upper, 10 * cases[i].ratio, 1e-12);
        assert_near(prediction.distribution_free_level, cases[i].attained, 1e-12);
        assert_int_equal(prediction.calibration_count, 4);
        assert_int_equal(prediction.method, MEMMODEL_BOUND_METHOD_CONFORMAL);
    }
    memmodel_model_unref(model);
}

/* t of three degrees of freedom at 0.95 is 2.353363; L u = 0.5 x / (2 x), its square 1/16. */
static void
students_bound_has_the_leverage_of_the_point(void **state)
{
    memmodel_model *model = model_with(*state, OLD);
    struct memmodel_prediction prediction = predict_by(model, 5, MEMMODEL_BOUND_METHOD_STUDENT_T, 0.95);

    assert_near(prediction.upper, 10 * (1 + 2.353363435 * 0.1 * sqrt(1 + 1.0 / 16)), 1e-7);
    assert_int_equal(prediction.method, MEMMODEL_BOUND_METHOD_STUDENT_T);
    memmodel_model_unref(model);
}

static void
the_default_is_the_larger_rule_and_says_which(void **state)
{
    memmodel_model *model = model_with(*state, OLD);
    struct memmodel_prediction high = predict_by(model, 5, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95),
                               low = predict_by(model, 5, MEMMODEL_BOUND_METHOD_DEFAULT, 0.5),
                               plain = {.size = sizeof plain};

    assert_int_equal(high.method, MEMMODEL_BOUND_METHOD_STUDENT_T);
    assert_int_equal(low.method, MEMMODEL_BOUND_METHOD_CONFORMAL);
    assert_true(high.upper == predict_by(model, 5, MEMMODEL_BOUND_METHOD_STUDENT_T, 0.95).upper);
    assert_true(low.upper == predict_by(model, 5, MEMMODEL_BOUND_METHOD_CONFORMAL, 0.5).upper);
    assert_int_equal(memmodel_model_predict(model, (double[]){5}, NULL, &plain), 0);
    assert_true(plain.upper == high.upper && plain.method == high.method && plain.calibration_count == 4);
    memmodel_model_unref(model);
}

static void
there_are_no_other_methods(void **state)
{
    memmodel_model *model = model_with(*state, OLD);
    struct memmodel_prediction prediction = {.size = sizeof prediction, .upper = -1};
    double x = 5;

    assert_int_equal(memmodel_model_predict(model, &x, by_method(3, 0.95), &prediction),
                     MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_model_predict(model, &x, by_method(-1, 0.95), &prediction),
                     MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_model_predict(model, &x, by_method(MEMMODEL_BOUND_METHOD_CONFORMAL, 1.5), &prediction),
                     MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_true(prediction.upper == -1);
    assert_int_equal(predict_by(model, 100, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).extrapolated, 1);
    memmodel_model_unref(model);
}

/* Two ratios are of one point, two of points of their own: three points, and rank 0.5 (4 + 1) 3 / 4 = 1.875 among them, of
   which the first two ratios are 1. */
static void
repeated_measurements_share_their_point(void **state)
{
    memmodel_model *model = model_with(*state, OLD ", \"repeats\": [2, 2, 1, 1]");
    struct memmodel_prediction prediction = predict_by(model, 5, MEMMODEL_BOUND_METHOD_CONFORMAL, 0.5);

    assert_int_equal(prediction.calibration_count, 3);
    assert_near(prediction.upper, 10 * (1.0 + 0.875 * 0.1), 1e-12);
    assert_near(prediction.distribution_free_level, 1.875 / 4, 1e-12);
    assert_near(predict_by(model, 5, MEMMODEL_BOUND_METHOD_CONFORMAL, 0.95).distribution_free_level, 0.75, 1e-12);
    memmodel_model_unref(model);
}

/* What stands beside "bound" in the same file. */
#define ALTERNATIVES(list) "}, \"alternatives\": [" list "], \"noise\": {\"deviation\": 0.1, \"dof\": 1"
#define SQUARE "[{\"coefficient\": 0.1, \"term\": \"x^2\"}, {\"coefficient\": 1, \"term\": \"1\"}]"

/*
 * The samples end at 10. Where the formula 2 x says 40 at 20, 0.1 x^2 + 1 says 41, and 1.5 x less; below the samples, at 0.5,
 * the formula says 1 and the square 1.025. The bound is t 0.1 sqrt(1 + h) above, with a leverage h of 1/16 as anywhere.
 */
static void
beyond_the_samples_a_bound_is_above_all_that_the_formula_may_be(void **state)
{
    static const struct {
        double x, greatest;
    } cases[] = {{0.5, 1}, {5, 10}, {10, 20}, {20, 41}, {30, 91}};
    const double margin = 1 + 2.353363435 * 0.1 * sqrt(1 + 1.0 / 16);
    memmodel_model *model = model_with(*state, OLD ALTERNATIVES(SQUARE ", [{\"coefficient\": 1.5, \"term\": \"x\"}]")),
                   *back = written_and_read(*state, model);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memmodel_prediction prediction = predict_by(model, cases[i].x, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95);

        assert_near(prediction.value, 2 * cases[i].x, 1e-12);
        assert_near(prediction.upper, cases[i].greatest * margin, 1e-7);
        assert_true(predict_by(back, cases[i].x, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).upper == prediction.upper);
    }
    memmodel_model_unref(back);
    memmodel_model_unref(model);
}

#define VARIANCE ", \"variance\": {\"slope\": 12, \"sigma\": 0.05}"

/* The leverage is that of 0.5 x / (2 x), 1/16, anywhere, so that errors are sqrt(1 + 12/16) times as large as where it is 0. */
static void
where_the_leverage_is_greater_the_bound_is_wider(void **state)
{
    memmodel_model *model = model_with(*state, OLD VARIANCE), *back = written_and_read(*state, model);
    struct memmodel_prediction prediction = predict_by(model, 5, MEMMODEL_BOUND_METHOD_CONFORMAL, 0.95);

    assert_near(prediction.upper, 10 * (1 + 0.2 * sqrt(1.75)), 1e-12);
    assert_near(predict_by(model, 5, MEMMODEL_BOUND_METHOD_STUDENT_T, 0.95).upper,
                10 * (1 + 2.353363435 * 0.05 * sqrt(1.75) * sqrt(1 + 1.0 / 16)), 1e-7);
    assert_true(predict_by(model, 5, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).upper == prediction.upper);
    assert_true(predict_by(back, 7, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).upper ==
                predict_by(model, 7, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).upper);
    memmodel_model_unref(back);
    memmodel_model_unref(model);
}

static void
broken_bounds_are_refused(void **state)
{
    static const struct {
        const char *bound, *message;
    } cases[] = {
        {OLD ", \"repeats\": [1, 1]", "a number for each ratio"},
        {OLD ", \"repeats\": [1, 1, 1, 0]", "count from 1"},
        {OLD ", \"repeats\": 3", "a number for each ratio"},
        {OLD ", \"variance\": {\"slope\": -1, \"sigma\": 1}", "slope"},
        {OLD ", \"variance\": {\"slope\": 1, \"sigma\": -1}", "sigma"},
        {OLD ", \"variance\": {\"slope\": 1}", "sigma"},
        {OLD ", \"variance\": 5", "object"},
        {OLD ", \"wide\": 5", "wide"},
        {OLD ALTERNATIVES(""), "1 to 6"},
        {OLD ALTERNATIVES("[]"), "1 to 32 terms"},
        {OLD ALTERNATIVES("5"), "1 to 32 terms"},
        {OLD ALTERNATIVES("[5]"), "object"},
        {OLD ALTERNATIVES("[{\"coefficient\": -1, \"term\": \"x\"}]"), "coefficient"},
        {OLD ALTERNATIVES("[{\"coefficient\": 1, \"term\": \"z\"}]"), "no input"},
        {OLD ALTERNATIVES(SQUARE ", " SQUARE ", " SQUARE ", " SQUARE ", " SQUARE ", " SQUARE ", " SQUARE), "1 to 6"},
    };
    memmodel_model *model = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2000];

        snprintf(text, sizeof text,
                 "{\"format\": \"memmodel-model\", \"version\": 1, \"target\": \"y\", \"formula\": \"2*x\",\n"
                 "\"inputs\": [{\"name\": \"x\", \"min\": 1, \"max\": 10}],\n"
                 "\"terms\": [{\"coefficient\": 2.0, \"term\": \"x\"}],\n"
                 "\"scores\": {\"sample_count\": 4, \"training_mape\": 0.1, \"loo_mape\": 0.1},\n"
                 "\"bound\": {\"dof\": 3, %s}}",
                 cases[i].bound);
        assert_error(*state, memmodel_model_from_json(*state, "m", text, strlen(text), &model), MEMMODEL_ERROR_PARSE,
                     cases[i].message);
        assert_null(model);
    }
}

/* ---- fitted models ---- */

static double
upper_by(const memmodel_model *model, double dim, double batch, int32_t rule)
{
    struct memmodel_prediction prediction = {.size = sizeof prediction};

    assert_int_equal(memmodel_model_predict(model, (double[]){dim, batch}, by_method(rule, 0.95), &prediction), 0);
    return prediction.upper;
}

static void
every_fit_has_every_rule(void **state)
{
    static const struct memmodel_fit_options fits[] = {
        {.size = sizeof fits[0]},
        {.size = sizeof fits[0], .loss = MEMMODEL_FIT_LOSS_SQUARED},
        {.size = sizeof fits[0], .basis = MEMMODEL_FIT_BASIS_GENERAL, .loss = MEMMODEL_FIT_LOSS_RELATIVE},
    };
    memmodel_samples *samples = network_samples(*state, 0.02, 1);

    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        memmodel_model *model = fit(samples, &fits[i]);
        double value = memmodel_model_evaluate(model, (double[]){64, 4});

        for (int32_t rule = MEMMODEL_BOUND_METHOD_DEFAULT; rule <= MEMMODEL_BOUND_METHOD_STUDENT_T; rule++) {
            double upper = upper_by(model, 64, 4, rule);

            assert_true(upper >= value && isfinite(upper));
            if (i == 0)
                assert_true(upper > 1.005 * value && upper < 1.08 * value);
        }
        memmodel_model_unref(model);
    }
    memmodel_samples_unref(samples);
}

/* ---- how often measurements stay below ---- */

struct count {
    size_t below, measured;
};

static void
count_below(const memmodel_model *model, const memmodel_samples *samples, struct count *counted)
{
    const double *target = memmodel_samples_column(samples, memmodel_model_target(model));

    for (size_t i = 0; i < memmodel_samples_row_count(samples); i++) {
        struct memmodel_prediction prediction = {.size = sizeof prediction};
        double inputs[16];

        for (size_t k = 0; k < memmodel_model_input_count(model); k++)
            inputs[k] = memmodel_samples_column(samples, input_of(model, k).name)[i];
        assert_int_equal(memmodel_model_predict(model, inputs, NULL, &prediction), 0);
        counted->below += target[i] <= prediction.upper;
        counted->measured++;
    }
}

/* Splits of 70 % to 30 %. */
static double
coverage(memmodel_context *context, const char *path, const struct memmodel_fit_options *options, uint64_t splits)
{
    struct count counted = {0, 0};
    memmodel_samples *samples, *training, *test;

    if (memmodel_samples_load(context, path, &samples))
        fail_msg("%s", memmodel_context_error(context)->message);
    for (uint64_t seed = 0; seed < splits; seed++) {
        memmodel_model *model;

        assert_int_equal(memmodel_samples_split(samples, 0.7, seed, NULL, &training, &test), 0);
        model = fit(training, options);
        count_below(model, test, &counted);
        memmodel_model_unref(model);
        memmodel_samples_unref(training);
        memmodel_samples_unref(test);
    }
    memmodel_samples_unref(samples);
    return (double)counted.below / (double)counted.measured;
}

/* test/bench/regression/coverage.py asks more tables, and longer. */
static void
about_95_percent_of_what_was_measured_lies_below_the_bound(void **state)
{
    static const char *const inputs[] = {"dim", "batch"};
    static const struct memmodel_fit_options options = {
        .size = sizeof options, .target = "peak_bytes", .inputs = inputs, .input_count = 2};
    double keras = coverage(*state, CASE_STUDY "/keras_samples.csv", &options, 12),
           torch = coverage(*state, CASE_STUDY "/torch_samples.csv", &options, 160);

    print_message("keras %.3f, torch %.3f\n", keras, torch);
    assert_true(keras > 0.92 && keras < 0.985);
    assert_true(torch > 0.92 && torch < 0.985);
}

/* Formulas that the samples cannot distinguish part there. */
static void
outside_the_samples_the_bound_widens_the_more_the_farther(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    double before = 1;

    for (double dim = 112; dim <= 896; dim *= 2) {
        double ratio =
            upper_by(model, dim, 4, MEMMODEL_BOUND_METHOD_DEFAULT) / memmodel_model_evaluate(model, (double[]){dim, 4});

        assert_true(ratio > before);
        before = ratio;
    }
    memmodel_model_unref(model);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_held_out_ratio_has_the_rank_of_the_level),
        WITH_CONTEXT(students_bound_has_the_leverage_of_the_point),
        WITH_CONTEXT(the_default_is_the_larger_rule_and_says_which),
        WITH_CONTEXT(there_are_no_other_methods),
        WITH_CONTEXT(beyond_the_samples_a_bound_is_above_all_that_the_formula_may_be),
        WITH_CONTEXT(outside_the_samples_the_bound_widens_the_more_the_farther),
        WITH_CONTEXT(repeated_measurements_share_their_point),
        WITH_CONTEXT(where_the_leverage_is_greater_the_bound_is_wider),
        WITH_CONTEXT(broken_bounds_are_refused),
        WITH_CONTEXT(every_fit_has_every_rule),
        LONG_WITH_CONTEXT(about_95_percent_of_what_was_measured_lies_below_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
a_model_of_before_has_no_other_rules(void **state)
{
    memmodel_model *model = model_with(*state, OLD);
    struct memmodel_prediction prediction = {.size = sizeof prediction, .upper = -1};
    double x = 5;

    assert_int_equal(
        memmodel_model_predict(model, &x, by_method(MEMMODEL_BOUND_METHOD_EXTRAPOLATION, 0.95), &prediction),
        MEMMODEL_ERROR_UNSUPPORTED);
    assert_int_equal(
        memmodel_model_predict(model, &x, by_method(MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS, 0.95), &prediction),
        MEMMODEL_ERROR_UNSUPPORTED);
    assert_int_equal(memmodel_model_predict(model, &x, by_method(5, 0.95), &prediction),
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

/* What three formulas say at 10, each times the ratio of the row it did not see: 22.05, 22 and 22.54. */
static void
jackknife_takes_the_rank_among_what_all_formulas_say(void **state)
{
    memmodel_model *model = model_with(
        *state,
        "\"sigma\": 0.1, \"leverage\": [[0.5]], \"ratios\": [0.98, 1.0, 1.05], \"left_out\": {\"terms\": [\"x\"], "
        "\"formulas\": [{\"coefficients\": [2.1], \"ratios\": [1.05]}, {\"coefficients\": [2.2], \"ratios\": "
        "[1.0]}, {\"coefficients\": [2.3], \"ratios\": [0.98]}]}");

    assert_near(predict_by(model, 10, MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS, 0.95).upper, 22.54, 1e-12);
    assert_near(predict_by(model, 10, MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS, 0.5).upper, 22.05, 1e-12);
    assert_near(predict_by(model, 10, MEMMODEL_BOUND_METHOD_CONFORMAL, 0.95).upper, 21, 1e-12);
    memmodel_model_unref(model);
}

/* At 20 the square, which the formula does not have, weighs 400 / 40 = 10 and is known to 0.2 of an error: h is 4. */
static void
outside_the_samples_all_terms_count(void **state)
{
    memmodel_model *model =
        model_with(*state, OLD ", \"wide\": {\"terms\": [\"x\", \"x^2\"], \"leverage\": [[0.0], [0.0, 0.2]]}");
    struct memmodel_prediction outside = predict_by(model, 20, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95);

    assert_int_equal(outside.method, MEMMODEL_BOUND_METHOD_EXTRAPOLATION);
    assert_true(outside.extrapolated);
    assert_near(outside.upper, 40 * (1 + 2.353363435 * 0.1 * sqrt(1 + 4)), 1e-7);
    assert_int_equal(predict_by(model, 10, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).method,
                     MEMMODEL_BOUND_METHOD_STUDENT_T);
    memmodel_model_unref(model);
}

/* y = 2 x on x from 1 to 10, and where x is greater as at 10; a plane through the samples has the slope `slope`. */
static memmodel_model *
model_with_plane(memmodel_context *context, const char *slope)
{
    memmodel_model *model;
    char text[2000];

    snprintf(text, sizeof text,
             "{\"format\": \"memmodel-model\", \"version\": 2, \"target\": \"y\", \"formula\": \"2*x\",\n"
             "\"inputs\": [{\"name\": \"x\", \"min\": 1, \"max\": 10}],\n"
             "\"terms\": [{\"coefficient\": 2.0, \"term\": \"x\"}], \"loss\": \"squared\",\n"
             "\"response\": {\"square\": false, \"offset\": 0, \"min\": 2, \"max\": 20},\n"
             "\"scores\": {\"sample_count\": 4, \"training_error\": 0.1, \"loo_error\": 0.1, \"nested_cv_error\": 0.1, "
             "\"baseline_error\": 0.1}, \"front\": [{\"node_count\": 3, \"term_count\": 1, \"loo_error\": 0.1, "
             "\"nested_cv_error\": 0.1, \"selected\": true, \"formula\": \"2*x\"}],\n"
             "\"bound\": {\"dof\": 3, \"sigma\": 0.1, \"leverage\": [[0.0]], \"ratios\": [-0.1, 0, 0.1, 0.2],\n"
             "\"wide\": {\"terms\": [\"1\", \"x\"], \"leverage\": [[0.0], [0.0, 0.5]],\n"
             "\"coefficients\": [7, %s], \"sigma\": 0.2}}}",
             slope);
    if (memmodel_model_from_json(context, "model", text, strlen(text), &model))
        fail_msg("%s", memmodel_context_error(context)->message);
    return model;
}

/* At 14 the plane is 4 slopes above what it is at 10, known to t 0.2 (0.5 4); at 10 the bound is t 0.1 above the formula. */
static void
outside_a_formula_that_stays_the_bound_rises_with_the_plane(void **state)
{
    static const struct {
        const char *slope;
        double x, rise, distance;
    } cases[] = {{"3", 14, 12, 4}, {"3", 18, 24, 8}, {"-3", 14, 0, 4}, {"-3", 0, 3, 1}, {"3", 5, 0, 0}};
    const double t = 2.353363435;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memmodel_model *model = model_with_plane(*state, cases[i].slope);
        double x = cases[i].x, value = 2 * fmin(fmax(x, 1), 10);
        struct memmodel_prediction larger = predict_by(model, x, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95),
                                   wide = predict_by(model, x, MEMMODEL_BOUND_METHOD_EXTRAPOLATION, 0.95);

        assert_near(larger.value, value, 1e-12);
        assert_near(larger.upper, value + t * 0.1 + cases[i].rise + t * 0.2 * 0.5 * cases[i].distance, 1e-7);
        assert_true(wide.upper == larger.upper);
        assert_int_equal(larger.method,
                         cases[i].distance > 0 ? MEMMODEL_BOUND_METHOD_EXTRAPOLATION : MEMMODEL_BOUND_METHOD_STUDENT_T);
        memmodel_model_unref(model);
    }
}

/* From 5 on the target stays. Whether it does beyond 10 nobody knows: a straight line through all of it has the slope 1.5. */
static void
beyond_a_fitted_bend_the_bound_goes_on(void **state)
{
    static const struct memmodel_fit_options squared = {.size = sizeof squared, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    static const char *const columns[] = {"x", "y"};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 3;

    assert_int_equal(memmodel_samples_new(*state, columns, 2, &samples), 0);
    for (int i = 0; i < 60; i++) {
        double x = i / 6.0;

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){x, 3 * fmin(x, 5) + random_error(&seed)}), 0);
    }
    model = fit(samples, &squared);
    for (double x = 10; x < 20; x += 0.5) {
        struct memmodel_prediction prediction = predict_by(model, x, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95);

        assert_near(prediction.value, 15, 1);
        assert_true(prediction.upper > 15 + 1.2 * (x - 10));
    }
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

#define SPREAD(open) ", \"spread\": {\"growth\": 3, \"sigma\": 0.05, \"open\": " open "}"
#define OPEN "{\"terms\": [\"1\"], \"leverage\": [[10]]}"

/* At 5 the constant is a share of 1/10, its leverage 1, and errors are sqrt(1 + 3) times as large; at 10 sqrt(1 + 3/4). */
static void
where_more_is_left_open_the_bound_is_wider(void **state)
{
    memmodel_model *model = model_with(*state, OLD SPREAD(OPEN)), *back = written_and_read(*state, model);
    struct memmodel_prediction prediction = predict_by(model, 5, MEMMODEL_BOUND_METHOD_CONFORMAL, 0.95);

    assert_near(prediction.upper, 10 * (1 + 0.2 * 2), 1e-12);
    assert_near(predict_by(model, 10, MEMMODEL_BOUND_METHOD_CONFORMAL, 0.95).upper, 20 * (1 + 0.2 * sqrt(1.75)), 1e-12);
    assert_near(predict_by(model, 5, MEMMODEL_BOUND_METHOD_STUDENT_T, 0.95).upper,
                10 * (1 + 2.353363435 * 0.05 * 2 * sqrt(1 + 1.0 / 16)), 1e-7);
    assert_true(predict_by(model, 5, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).upper == prediction.upper);
    assert_true(predict_by(back, 7, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).upper ==
                predict_by(model, 7, MEMMODEL_BOUND_METHOD_DEFAULT, 0.95).upper);
    memmodel_model_unref(back);
    memmodel_model_unref(model);
}

/* The bound over the prediction of a fit to a network's bytes, 30 % more of them where the work is least. */
static void
margins(memmodel_context *context, double error, double *corner, double *middle)
{
    memmodel_samples *samples = network_samples(context, error, 7), *changed;
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    struct memmodel_fit_options options = {.size = sizeof options};
    struct memmodel_prediction prediction;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &changed), 0);
    for (size_t row = 0; row < DIMS * BATCHES; row++) {
        double dim = memmodel_samples_column(samples, "dim")[row],
               batch = memmodel_samples_column(samples, "batch")[row],
               bytes = memmodel_samples_column(samples, "peak_bytes")[row];

        assert_int_equal(memmodel_samples_add_row(
                             changed, (double[]){dim, batch, bytes * (batch == 1 && dim < 64 && error == 0 ? 1.3 : 1)}),
                         0);
    }
    model = fit(changed, &options);
    prediction = predict(model, 32, 1, 0.95);
    *corner = prediction.upper / prediction.value;
    prediction = predict(model, 80, 4, 0.95);
    *middle = prediction.upper / prediction.value;
    memmodel_model_unref(model);
    memmodel_samples_unref(changed);
    memmodel_samples_unref(samples);
}

/* Bytes that are the same in every run: what is not known lies at the edge. Where runs differ, it lies everywhere. */
static void
a_bound_is_wide_where_the_samples_tell_little(void **state)
{
    double corner, middle;

    margins(*state, 0, &corner, &middle);
    print_message("exact: corner %.3f, middle %.3f\n", corner, middle);
    assert_true(corner - 1 > 2 * (middle - 1));
    margins(*state, 0.05, &corner, &middle);
    print_message("noise: corner %.3f, middle %.3f\n", corner, middle);
    assert_true(corner - 1 < 1.3 * (middle - 1));
}

static void
broken_bounds_are_refused(void **state)
{
#define LEFT_OUT(terms, formulas) OLD ", \"left_out\": {\"terms\": " terms ", \"formulas\": [" formulas "]}"
    static const struct {
        const char *bound, *message;
    } cases[] = {
        {OLD ", \"repeats\": [1, 1]", "a number for each ratio"},
        {OLD ", \"repeats\": [1, 1, 1, 0]", "count from 1"},
        {OLD ", \"repeats\": 3", "a number for each ratio"},
        {OLD ", \"wide\": {\"terms\": [\"x\", \"z\"], \"leverage\": [[1], [1, 2]]}", "which is no input"},
        {OLD ", \"wide\": {\"terms\": [\"x\"], \"leverage\": [[1], [1, 2]]}", "one row for each term"},
        {OLD ", \"wide\": {\"terms\": [], \"leverage\": []}", "1 to 32"},
        {OLD ", \"wide\": {\"terms\": [5], \"leverage\": [[1]]}", "expected a term"},
        {OLD ", \"wide\": 5", "object"},
        {OLD ", \"wide\": {\"terms\": [\"x\"], \"leverage\": [[1]], \"coefficients\": [1, 2], \"sigma\": 1}",
         "one number for each term"},
        {OLD ", \"wide\": {\"terms\": [\"x\"], \"leverage\": [[1]], \"coefficients\": [1]}", "sigma"},
        {OLD ", \"wide\": {\"terms\": [\"x\"], \"leverage\": [[1]], \"coefficients\": [1], \"sigma\": -1}", "sigma"},
        {OLD ", \"spread\": {\"growth\": -1, \"sigma\": 1, \"open\": " OPEN "}", "growth"},
        {OLD ", \"spread\": {\"growth\": 1, \"sigma\": -1, \"open\": " OPEN "}", "sigma"},
        {OLD ", \"spread\": {\"growth\": 1, \"sigma\": 1}", "terms without a plane"},
        {OLD SPREAD("5"), "object"},
        {OLD SPREAD("{\"terms\": [\"x\"], \"leverage\": [[1]], \"coefficients\": [1], \"sigma\": 1}"),
         "terms without a plane"},
        {LEFT_OUT("[\"x\"]", "{\"coefficients\": [1], \"ratios\": [1, 1, 1]}"), "fewer ratios"},
        {LEFT_OUT("[\"x\"]", "{\"coefficients\": [1], \"ratios\": [1, 1, 1, 1, 1]}"), "1 to 4"},
        {LEFT_OUT("[\"x\"]", "{\"coefficients\": [1], \"ratios\": [1, 1, 1, 1]}, {\"coefficients\": [1], "
                             "\"ratios\": [1]}"),
         "more ratios"},
        {LEFT_OUT("[\"x\"]", "{\"coefficients\": [1, 2], \"ratios\": [1, 1, 1, 1]}"), "one number for each term"},
        {LEFT_OUT("[\"x\"]", "{\"coefficients\": [1], \"ratios\": [1, 1, 1, 0.5]}"), "rising"},
        {LEFT_OUT("[\"x\"]", "{\"coefficients\": [1], \"ratios\": [1, 1, 1, 1], \"offsets\": 1}"), "offsets"},
        {LEFT_OUT("[\"log(x\"]", "{\"coefficients\": [1], \"ratios\": [1, 1, 1, 1]}"), "not a term"},
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

        for (int32_t rule = MEMMODEL_BOUND_METHOD_DEFAULT; rule <= MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS; rule++) {
            double upper = upper_by(model, 64, 4, rule);

            assert_true(upper >= value && isfinite(upper));
            if (i == 0)
                assert_true(upper > 1.005 * value && upper < 1.08 * value);
        }
        memmodel_model_unref(model);
    }
    memmodel_samples_unref(samples);
}

/*
 * A constant c, fitted to 10 measurements of 0.9 and 10 of 1.1 for the least sum of (1 - c u)^2, u = 1 / measurement. A row that
 * is left out is off by 1 - leverage less than Student's bound is to say of a new one, which has sqrt(1 + leverage) for that.
 */
static void
the_leverage_of_a_row_held_out_is_not_counted_twice(void **state)
{
    static const struct memmodel_fit_options constant = {.size = sizeof constant, .basis = MEMMODEL_FIT_BASIS_USER};
    static const char *const columns[] = {"x", "y"};
    const double u[] = {1 / 0.9, 1 / 1.1}, t = 1.729132812;
    double sum = 10 * (u[0] + u[1]), squares = 10 * (u[0] * u[0] + u[1] * u[1]), errors = 0, c = sum / squares;
    struct memmodel_prediction prediction;
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(*state, columns, 2, &samples), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){i + 1, i % 2 ? 1.1 : 0.9}), 0);
    model = fit(samples, &constant);
    for (int i = 0; i < 2; i++) {
        double without = (sum - u[i]) / (squares - u[i] * u[i]), error = 1 / (u[i] * without) - 1;

        errors += 10 * error * error * (1 - u[i] * u[i] / squares);
    }
    prediction = predict_by(model, 5, MEMMODEL_BOUND_METHOD_STUDENT_T, 0.95);
    assert_near(prediction.value, c, 1e-12);
    assert_near(prediction.upper, c * (1 + t * sqrt(errors / 20) * sqrt(1 + 1 / (c * c * squares))), 1e-8);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* The formula goes on as it is; that another term might set in, nobody can rule out. */
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
    assert_true(before > 1.1);
    memmodel_model_unref(model);
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
           torch = coverage(*state, CASE_STUDY "/torch_samples.csv", &options, 40);

    print_message("keras %.3f, torch %.3f\n", keras, torch);
    assert_true(keras > 0.92 && keras < 0.985);
    assert_true(torch > 0.92 && torch < 0.985);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_held_out_ratio_has_the_rank_of_the_level),
        WITH_CONTEXT(students_bound_has_the_leverage_of_the_point),
        WITH_CONTEXT(the_default_is_the_larger_rule_and_says_which),
        WITH_CONTEXT(a_model_of_before_has_no_other_rules),
        WITH_CONTEXT(repeated_measurements_share_their_point),
        WITH_CONTEXT(jackknife_takes_the_rank_among_what_all_formulas_say),
        WITH_CONTEXT(outside_the_samples_all_terms_count),
        WITH_CONTEXT(outside_a_formula_that_stays_the_bound_rises_with_the_plane),
        WITH_CONTEXT(beyond_a_fitted_bend_the_bound_goes_on),
        WITH_CONTEXT(where_more_is_left_open_the_bound_is_wider),
        WITH_CONTEXT(a_bound_is_wide_where_the_samples_tell_little),
        WITH_CONTEXT(broken_bounds_are_refused),
        WITH_CONTEXT(every_fit_has_every_rule),
        WITH_CONTEXT(the_leverage_of_a_row_held_out_is_not_counted_twice),
        WITH_CONTEXT(outside_the_samples_the_bound_widens_the_more_the_farther),
        LONG_WITH_CONTEXT(about_95_percent_of_what_was_measured_lies_below_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fits that search for formulas of any shape under squared errors: what is found, watched, stopped and gone on with. */
#include "fitted.h"
#include "near.h"
#include "watched.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is found ---- */

/* Columns x, z, y: y by `shape`, times an error. */
static memmodel_samples *
shape_samples(memmodel_context *context, double (*shape)(double, double), double error, size_t rows)
{
    static const char *const columns[] = {"x", "z", "y"};
    memmodel_samples *samples;
    uint64_t seed = 11;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < rows; i++) {
        double x = 3 + 2 * random_error(&seed), z = 3 + 2 * random_error(&seed);
        double y = shape(x, z) * (1 + error * random_error(&seed));

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){x, z, y}), 0);
    }
    return samples;
}

static double
quotient(double x, double z)
{
    return 2 + 3 * x / (z + 2.5);
}

static double
line(double x, double z)
{
    return 2 * x + z;
}

static char *
fit_to_json(const memmodel_samples *samples, int32_t search, int64_t evaluations, int32_t threads)
{
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = search,
                                           .threads = threads,
                                           .max_evaluations = evaluations,
                                           .seed = 5};
    memmodel_model *model = fit(samples, &options);
    char *text;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    memmodel_model_unref(model);
    return text;
}

static double
ratio(double x, double z)
{
    return x / z;
}

/* Terms have it as well, and alone would stay near the samples: x and z were 1 to 5. */
static void
a_law_goes_on_beyond_the_samples_even_if_terms_have_it(void **state)
{
    memmodel_samples *samples = shape_samples(*state, ratio, 0, 60);
    struct memmodel_fit_options options = {
        .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 20000};
    memmodel_model *model = fit(samples, &options);

    assert_near(memmodel_model_evaluate(model, (double[]){8, 0.5}), 16, 1e-12);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static double
over_logarithm(double x, double z)
{
    return x / log(x + z);
}

/* The logarithm is no zero where its argument stays above 1. */
static void
a_law_over_a_logarithm_is_found(void **state)
{
    memmodel_samples *samples = shape_samples(*state, over_logarithm, 0, 30);
    char *text = fit_to_json(samples, 1, 0, 1);
    memmodel_model *model;

    assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &model), 0);
    assert_near(memmodel_model_evaluate(model, (double[]){1.75, 4.5}), over_logarithm(1.75, 4.5), 1e-12);
    memmodel_model_unref(model);
    memmodel_free(text);
    memmodel_samples_unref(samples);
}

static void
a_quotient_with_a_number_in_it_is_found_and_survives_its_file(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0, 30);
    char *text = fit_to_json(samples, 1, 100000, 1);
    struct memmodel_prediction prediction = {.size = sizeof prediction};
    memmodel_model *model;

    assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &model), 0);
    assert_near(memmodel_model_evaluate(model, (double[]){1.75, 4.5}), quotient(1.75, 4.5), 1e-12);
    assert_int_equal(memmodel_model_predict(model, (double[]){1.75, 4.5}, NULL, &prediction), 0);
    assert_true(prediction.upper >= prediction.value && prediction.upper < prediction.value * 1.000001);
    memmodel_model_unref(model);
    memmodel_free(text);
    memmodel_samples_unref(samples);
}

static double
third(double x, double z)
{
    return 1 + 2 * x / (z + 1.0 / 3);
}

/* 2 x / (z + 1 / 3) is 6 x / (3 z + 1): no digit of what is no decimal, and none of what rounding leaves. */
static void
a_third_in_a_law_is_written_as_one(void **state)
{
    struct memmodel_fit_options options = {
        .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 100000};
    memmodel_samples *samples = shape_samples(*state, third, 0, 30);
    memmodel_model *model = fit(samples, &options);
    const char *text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);

    assert_string_equal(text, "6*x/(3*z + 1) + 1");
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* Of a sum, where x - z says more of the quotient than x / z before the number is in it. */
static void
a_number_is_put_into_what_stands_beside_the_best_feature(void **state)
{
    static const char *const columns[] = {"x", "z", "w", "y"};
    struct memmodel_fit_options options = {
        .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 200000};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 8;
    const char *text;

    assert_int_equal(memmodel_samples_new(*state, columns, 4, &samples), 0);
    for (int i = 0; i < 60; i++) {
        double x = 3 + 2 * random_error(&seed), z = 3 + 2 * random_error(&seed), w = 3 + 2 * random_error(&seed);
        double y = x / (z + 2.5) + w + 0.05 * random_error(&seed);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){x, z, w, y}), 0);
    }
    model = fit(samples, &options);
    text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);
    assert_non_null(strstr(text, "*x/("));
    assert_near(memmodel_model_evaluate(model, (double[]){2, 2, 2}), 2 + 2 / 4.5, 0.02);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static double
tangled(double x, double z)
{
    return x / (1 + z) / sqrt(x + z) + log(x + 3 * z) / (2 + x * z);
}

/* A reader meets the parts of a term in another order than the search did. */
static void
every_searched_formula_is_read_back_as_it_was_written(void **state)
{
    for (int64_t seed = 0; seed < 4; seed++) {
        memmodel_samples *samples = shape_samples(*state, seed % 2 ? tangled : quotient, seed < 2 ? 0 : 0.001, 60);
        struct memmodel_fit_options options = {.size = sizeof options,
                                               .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                               .search = 1,
                                               .max_evaluations = 20000,
                                               .seed = seed};
        memmodel_model *model = fit(samples, &options), *back;
        char *text, *again;

        assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
        assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &back), 0);
        assert_int_equal(memmodel_model_to_json(back, NULL, &again), 0);
        assert_string_equal(text, again);
        assert_true(memmodel_model_evaluate(model, (double[]){2, 3}) ==
                    memmodel_model_evaluate(back, (double[]){2, 3}));
        memmodel_free(text);
        memmodel_free(again);
        memmodel_model_unref(model);
        memmodel_model_unref(back);
        memmodel_samples_unref(samples);
    }
}

static double
share(double x, double z)
{
    return x / (x + z);
}

/* With a number before x or z it is nearer to what was measured, if only by chance. */
static void
a_law_is_found_without_numbers_that_noise_would_have(void **state)
{
    memmodel_samples *samples = shape_samples(*state, share, 0.01, 40);
    struct memmodel_fit_options options = {
        .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 3000};
    memmodel_model *model = fit(samples, &options);

    assert_non_null(strstr(memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT), "*x/(x + z)"));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
a_line_stays_a_line_however_hard_is_searched(void **state)
{
    memmodel_samples *samples = shape_samples(*state, line, 0.1, 40);
    struct memmodel_fit_options terms = {.size = sizeof terms, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    struct memmodel_fit_options all = {
        .size = sizeof all, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 40000};
    memmodel_model *before = fit(samples, &terms), *after = fit(samples, &all);

    assert_true(memmodel_model_evaluate(before, (double[]){2, 3}) == memmodel_model_evaluate(after, (double[]){2, 3}));
    memmodel_model_unref(before);
    memmodel_model_unref(after);
    memmodel_samples_unref(samples);
}

static void
the_same_seed_gives_the_same_bytes_on_any_number_of_threads(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0.01, 30);
    char *one = fit_to_json(samples, 1, 30000, 1);

    for (int32_t threads = 2; threads <= 8; threads += 3) { /* fewer than islands, and more */
        char *several = fit_to_json(samples, 1, 30000, threads);

        assert_string_equal(one, several);
        memmodel_free(several);
    }
    memmodel_free(one);
    memmodel_samples_unref(samples);
}

/* Every fourth row is three times the law, and weighs next to nothing if `weight` is given. */
static double
error_among_wild_rows(memmodel_context *context, const char *weight)
{
    static const char *const columns[] = {"x", "z", "w", "y"}, *const inputs[] = {"x", "z"};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .target = "y",
                                           .inputs = inputs,
                                           .input_count = 2,
                                           .weight_column = weight,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = 1,
                                           .max_evaluations = 40000};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 11;
    double error;

    assert_int_equal(memmodel_samples_new(context, columns, 4, &samples), 0);
    for (size_t i = 0; i < 40; i++) {
        double x = 3 + 2 * random_error(&seed), z = 3 + 2 * random_error(&seed);
        bool wild = i % 4 == 0;

        assert_int_equal(
            memmodel_samples_add_row(samples, (double[]){x, z, wild ? 1e-9 : 1, (wild ? 3 : 1) * quotient(x, z)}), 0);
    }
    model = fit(samples, &options);
    error = fabs(memmodel_model_evaluate(model, (double[]){3.5, 2.5}) / quotient(3.5, 2.5) - 1);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return error;
}

static void
a_search_weighs_rows_as_asked(void **state)
{
    assert_true(error_among_wild_rows(*state, NULL) > 0.05);
    assert_true(error_among_wild_rows(*state, "w") < 0.001);
}

static void
less_than_nothing_cannot_be_tried(void **state)
{
    memmodel_samples *samples = shape_samples(*state, line, 0.1, 12);
    struct memmodel_fit_options options = {.size = sizeof options, .search = 1, .max_evaluations = -1};
    memmodel_model *model;

    assert_error(*state, memmodel_fit(samples, &options, NULL, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "evaluations");
    memmodel_samples_unref(samples);
}

/* Tables that leave little to search, or nearly leave the numbers that there are. */
static void
tables_at_the_limits_are_searched_or_refused(void **state)
{
    static const double sizes[] = {1e-300, 1e-30, 1, 1e30, 1e130};
    static const char *const columns[] = {"x", "z", "y"};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t rows = 4; rows <= 12; rows += 4) {
            struct memmodel_fit_options options = {
                .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 10000};
            memmodel_samples *samples;
            memmodel_model *model;

            assert_int_equal(memmodel_samples_new(*state, columns, 3, &samples), 0);
            for (size_t row = 0; row < rows; row++)
                assert_int_equal(
                    memmodel_samples_add_row(samples, (double[]){sizes[i] * (double)(row + 1), 2 * (double)row - 7,
                                                                 sizes[i] * (double)(row % 3)}),
                    0);
            if (memmodel_fit(samples, &options, NULL, &model) == 0) {
                assert_true(isfinite(memmodel_model_evaluate(model, (double[]){sizes[i] * 2, 1})));
                memmodel_model_unref(model);
            }
            memmodel_samples_unref(samples);
        }
}

/* ---- watching ---- */

static void
a_search_is_watched_and_stopped(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0.01, 30);
    struct watch watch = {.stop_at = 3};
    struct memmodel_fit_options options = {
        .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 40000};
    memmodel_model *model;

    assert_int_equal(watched_fit(*state, samples, &options, &watch, &model), MEMMODEL_ERROR_CANCELLED);
    assert_int_equal(watch.calls, 3);
    assert_true(watch.done > 0);
    memmodel_samples_unref(samples);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_law_goes_on_beyond_the_samples_even_if_terms_have_it),
        LONG_WITH_CONTEXT(a_law_over_a_logarithm_is_found),
        LONG_WITH_CONTEXT(a_quotient_with_a_number_in_it_is_found_and_survives_its_file),
        WITH_CONTEXT(a_third_in_a_law_is_written_as_one),
        LONG_WITH_CONTEXT(a_number_is_put_into_what_stands_beside_the_best_feature),
        LONG_WITH_CONTEXT(every_searched_formula_is_read_back_as_it_was_written),
        WITH_CONTEXT(a_law_is_found_without_numbers_that_noise_would_have),
        WITH_CONTEXT(a_line_stays_a_line_however_hard_is_searched),
        LONG_WITH_CONTEXT(the_same_seed_gives_the_same_bytes_on_any_number_of_threads),
        LONG_WITH_CONTEXT(a_search_weighs_rows_as_asked),
        WITH_CONTEXT(less_than_nothing_cannot_be_tried),
        LONG_WITH_CONTEXT(tables_at_the_limits_are_searched_or_refused),
        WITH_CONTEXT(a_search_is_watched_and_stopped),
    };

    return cmocka_run_group_tests_name("tree fits", tests, NULL, NULL);
}

/* Searches for formulas of any shape: under every loss, beside change points, with weights, and on any number of threads. */
#include "fitted.h"
#include "near.h"
#include "watched.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 40, WILD_EVERY = 13 };

static double
law(double x, double z)
{
    return 20 * x / ((x + z) * (x + z));
}

/* Columns x, z, weight and y, errors of so much; every so many rows y is `wild` times as large. */
static memmodel_samples *
law_samples(memmodel_context *context, double (*shape)(double, double), double error, double wild, double wild_weight)
{
    static const char *const columns[] = {"x", "z", "weight", "y"};
    memmodel_samples *samples;
    uint64_t seed = 11;

    assert_int_equal(memmodel_samples_new(context, columns, 4, &samples), 0);
    for (size_t i = 0; i < ROWS; i++) {
        double x = 4 + 3 * random_error(&seed), z = 4 + 3 * random_error(&seed);
        double y = shape(x, z) * (1 + error * random_error(&seed));
        bool is_wild = i % WILD_EVERY == 5;

        assert_int_equal(
            memmodel_samples_add_row(samples, (double[]){x, z, is_wild ? wild_weight : 1, is_wild ? wild * y : y}), 0);
    }
    return samples;
}

static const char *const inputs[] = {"x", "z"};

static struct memmodel_fit_options
searching(int32_t loss)
{
    return (struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                         .target = "y",
                                         .inputs = inputs,
                                         .input_count = 2,
                                         .loss = loss,
                                         .basis = MEMMODEL_FIT_BASIS_GENERAL,
                                         .search = 1,
                                         .max_evaluations = 40000};
}

static double
worst_error(const memmodel_model *model)
{
    double worst = 0;

    for (double x = 2; x <= 6; x += 0.5)
        for (double z = 2; z <= 6; z += 0.5)
            worst = fmax(worst, fabs(memmodel_model_evaluate(model, (double[]){x, z}) / law(x, z) - 1));
    return worst;
}

static double
error_of_fit(const memmodel_samples *samples, struct memmodel_fit_options options)
{
    memmodel_model *model = fit(samples, &options);
    struct memmodel_model_scores scores = {.size = sizeof scores};
    double worst = worst_error(model);

    assert_int_equal(memmodel_model_get_scores(model, &scores), 0);
    assert_int_equal(scores.loss, options.loss);
    assert_int_equal(scores.certified, 1);
    memmodel_model_unref(model);
    return worst;
}

/* Rows of next to no weight say five times as much. No sum of five terms comes near the law. */
static void
a_law_is_found_under_every_loss_and_weighed_rows(void **state)
{
    memmodel_samples *samples = law_samples(*state, law, 0.002, 5, 1e-9);

    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_PINBALL; loss++) {
        struct memmodel_fit_options options = searching(loss);
        double worst;

        options.weight_column = "weight";
        worst = error_of_fit(samples, options);
        if (!(worst < 0.01))
            fail_msg("loss %d: off by %g", loss, worst);
        options.search = 0;
        options.max_terms = 5;
        assert_true(error_of_fit(samples, options) > 0.02);
    }
    memmodel_samples_unref(samples);
}

/* Three of forty rows say five times as much: absolute errors ask most rows, squares ask these. */
static void
wild_rows_do_not_hide_a_law_from_absolute_errors(void **state)
{
    memmodel_samples *samples = law_samples(*state, law, 0.002, 5, 1);
    static const int32_t absolute[] = {MEMMODEL_FIT_LOSS_MAPE, MEMMODEL_FIT_LOSS_ABSOLUTE};
    struct memmodel_fit_options options;

    for (size_t i = 0; i < sizeof absolute / sizeof absolute[0]; i++) {
        options = searching(absolute[i]);
        options.max_evaluations = 24000;
        assert_true(error_of_fit(samples, options) < 0.01);
    }
    options.loss = MEMMODEL_FIT_LOSS_SQUARED;
    assert_true(error_of_fit(samples, options) > 0.05);
    memmodel_samples_unref(samples);
}

static double
jump(double x, double z)
{
    return 40 + 3 * z + (x < 7 ? 0 : 25);
}

/* On a grid, so that the step lies between two levels; of so many levels that few are knots of hinges. */
static memmodel_samples *
jump_samples(memmodel_context *context)
{
    static const char *const columns[] = {"x", "z", "y"};
    memmodel_samples *samples;
    uint64_t seed = 2;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (int x = 1; x <= 12; x++)
        for (int z = 1; z <= 4; z++)
            assert_int_equal(
                memmodel_samples_add_row(samples, (double[]){x, z, jump(x, z) + 0.1 * random_error(&seed)}), 0);
    return samples;
}

/* No tree has steps: the change point that terms have stays the better formula. */
static void
a_change_point_stands_against_what_is_searched(void **state)
{
    memmodel_samples *samples = jump_samples(*state);
    struct memmodel_fit_options options = searching(MEMMODEL_FIT_LOSS_SQUARED);
    memmodel_model *model;
    const char *text;

    options.change_points = 1;
    model = fit(samples, &options);
    text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);
    assert_non_null(strstr(text, "equal"));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    samples = law_samples(*state, law, 0, 1, 1);
    assert_true(error_of_fit(samples, options) < 1e-6);
    memmodel_samples_unref(samples);
}

static char *
fit_to_json(const memmodel_samples *samples, int32_t loss, int32_t threads)
{
    struct memmodel_fit_options options = searching(loss);
    memmodel_model *model;
    char *text;

    options.search = 1;
    options.max_evaluations = 20000;
    options.threads = threads;
    model = fit(samples, &options);
    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    memmodel_model_unref(model);
    return text;
}

static void
threads_change_no_byte_under_any_loss(void **state)
{
    static const int32_t losses[] = {MEMMODEL_FIT_LOSS_MAPE, MEMMODEL_FIT_LOSS_LOG_RATIO};
    memmodel_samples *samples = law_samples(*state, law, 0.01, 3, 1);

    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        char *one = fit_to_json(samples, losses[i], 1), *many = fit_to_json(samples, losses[i], 3);

        assert_string_equal(one, many);
        memmodel_free(many);
        memmodel_free(one);
    }
    memmodel_samples_unref(samples);
}

/* ---- bounds ---- */

static int64_t
tried_by(memmodel_context *context, const memmodel_samples *samples, int64_t evaluations)
{
    struct memmodel_fit_options options = searching(MEMMODEL_FIT_LOSS_SQUARED);
    struct watch watch = {.done = -1};
    memmodel_model *model;

    options.max_evaluations = evaluations;
    assert_int_equal(watched_fit(context, samples, &options, &watch, &model), 0);
    memmodel_model_unref(model);
    return watch.done;
}

/* The last steps of a stage may come on top: the numbers of a formula are fitted to an end. */
static void
no_more_formulas_are_tried_than_asked_for(void **state)
{
    memmodel_samples *samples = law_samples(*state, law, 0.05, 5, 1);

    for (int64_t asked = 1; asked <= 100000; asked *= 10) {
        int64_t tried = tried_by(*state, samples, asked);

        if (!(tried >= 0 && tried <= asked + asked / 10 + 200))
            fail_msg("%lld formulas for %lld", (long long)tried, (long long)asked);
    }
    memmodel_samples_unref(samples);
}

/*
 * 24 rows of 10 + 4 a + 3 b, a and b in 1 to 3, errors of up to 4. The errors of trees are raised by what the best of
 * thousands gains by chance: few are better than the constant then, as sums of terms are.
 */
static void
a_search_leaves_no_less_than_terms_of_noisy_rows(void **state)
{
    static const char *const columns[] = {"a", "b", "y"};
    const struct memmodel_fit_options options = {
        .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 4000};

    for (uint64_t table = 1; table <= 5; table++) {
        memmodel_samples *samples;
        memmodel_model *model;
        uint64_t seed = table;

        assert_int_equal(memmodel_samples_new(*state, columns, 3, &samples), 0);
        for (int i = 0; i < 24; i++) {
            double a = 2 + random_error(&seed), b = 2 + random_error(&seed), error = 4 * random_error(&seed);

            assert_int_equal(memmodel_samples_add_row(samples, (double[]){a, b, 10 + 4 * a + 3 * b + error}), 0);
        }
        model = fit(samples, &options);
        assert_true(memmodel_model_evaluate(model, (double[]){3, 3}) -
                        memmodel_model_evaluate(model, (double[]){1, 1}) >
                    14 / 2.0); /* half the law's */
        memmodel_model_unref(model);
        memmodel_samples_unref(samples);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_WITH_CONTEXT(a_law_is_found_under_every_loss_and_weighed_rows),
        LONG_WITH_CONTEXT(wild_rows_do_not_hide_a_law_from_absolute_errors),
        WITH_CONTEXT(a_change_point_stands_against_what_is_searched),
        LONG_WITH_CONTEXT(threads_change_no_byte_under_any_loss),
        LONG_WITH_CONTEXT(no_more_formulas_are_tried_than_asked_for),
        WITH_CONTEXT(a_search_leaves_no_less_than_terms_of_noisy_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

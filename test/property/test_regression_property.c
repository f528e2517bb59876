/* What holds for every fit, tried on tables of random formulas, grids, errors and repetitions. */
#include "../unit/asked.h"
#include "../unit/near.h"

#include <math.h>

enum { TABLES = 20, MOST_ROWS = 40, POINTS = 20 };

/* SplitMix64, as a number in [0, 1) */
static double
draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Rows of two inputs and a target: a random formula with an error of up to 5 %. */
struct rows {
    size_t count;
    double values[MOST_ROWS][3];
};

static void
draw_rows(uint64_t seed, struct rows *rows)
{
    double c0 = draw(&seed) * 1e9, c1 = draw(&seed) * 1e3, c2 = draw(&seed) * 1e5, error = draw(&seed) * 0.05;

    rows->count = 8 + (size_t)(draw(&seed) * (MOST_ROWS - 8));
    for (size_t i = 0; i < rows->count; i++) {
        double dim = 8 * floor(2 + draw(&seed) * 16), batch = exp2(floor(draw(&seed) * 6));
        double y = 1 + c0 + c1 * batch * dim * dim * dim + c2 * dim * dim;

        rows->values[i][0] = dim;
        rows->values[i][1] = batch;
        rows->values[i][2] = y * (1 + error * (2 * draw(&seed) - 1));
    }
}

/*
 * The fit to these rows of at most so many terms, 0: or of several moments; NULL if the draw was one that cannot be fitted, such as
 * one with a single batch.
 */
static memmodel_model *
fit_terms(memmodel_context *context, const struct rows *rows, int32_t max_terms)
{
    static const char *const columns[] = {"dim", "batch", "y"}, *const inputs[] = {"dim", "batch"};
    struct memmodel_fit_options options = {.size = sizeof options, .target = "y", .inputs = inputs, .input_count = 2};
    memmodel_samples *samples;
    memmodel_model *model = NULL;
    int status;

    options.max_terms = max_terms;
    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < rows->count; i++)
        assert_int_equal(memmodel_samples_add_row(samples, rows->values[i]), 0);
    status = memmodel_fit(samples, &options, NULL, &model);
    if (status)
        assert_int_equal(status, MEMMODEL_ERROR_DATA);
    memmodel_samples_unref(samples);
    return model;
}

static memmodel_model *
fit_rows(memmodel_context *context, const struct rows *rows)
{
    return fit_terms(context, rows, 0);
}

static struct memmodel_prediction
predict(const memmodel_model *model, const double *point, double level)
{
    struct memmodel_prediction prediction = {.size = sizeof prediction};

    assert_int_equal(memmodel_model_predict(model, point, at_level(level), &prediction), 0);
    return prediction;
}

/* Calls `check` with a fit to each table and a point of its own for each call. */
static void
for_every_table(memmodel_context *context,
                void (*check)(memmodel_context *, const struct rows *, const memmodel_model *, const double *point))
{
    size_t fitted = 0;

    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        uint64_t point_seed = 1000 + seed;
        struct rows rows;
        memmodel_model *model;

        draw_rows(seed, &rows);
        model = fit_rows(context, &rows);
        if (!model)
            continue;
        fitted++;
        for (int i = 0; i < POINTS; i++) {
            double dim = floor(10 + draw(&point_seed) * 400), batch = floor(1 + draw(&point_seed) * 100);

            check(context, &rows, model, (double[]){dim, batch});
        }
        memmodel_model_unref(model);
    }
    assert_true(fitted > TABLES / 2);
}

/* ---- properties ---- */

static void
check_bound(memmodel_context *context, const struct rows *rows, const memmodel_model *model, const double *point)
{
    struct memmodel_prediction likely = predict(model, point, 0.6), safe = predict(model, point, 0.99);

    (void)context;
    (void)rows;
    assert_true(isfinite(safe.upper) && safe.value > 0);
    assert_true(likely.upper >= likely.value && safe.upper >= likely.upper);
    assert_true(safe.extrapolated == likely.extrapolated);
}

static void
bounds_are_finite_above_the_prediction_and_rise_with_the_level(void **state)
{
    for_every_table(*state, check_bound);
}

static void
check_solution(memmodel_context *context, const struct rows *rows, const memmodel_model *model, const double *point)
{
    double at[2] = {point[0], 0};
    int64_t largest;

    (void)context;
    (void)rows;
    assert_int_equal(memmodel_model_predict_max(model, at, "batch", NULL, 1e11, NULL, &largest), 0);
    at[1] = (double)largest;
    if (largest > 0)
        assert_true(predict(model, at, 0.95).upper <= 1e11);
    at[1] = (double)(largest + 1);
    if (largest < INT64_C(1) << 53)
        assert_true(predict(model, at, 0.95).upper > 1e11);
}

static void
the_largest_value_fits_and_the_next_does_not(void **state)
{
    for_every_table(*state, check_solution);
}

enum { SUMS_ALONE = 4 }; /* terms: as many as without a limit, but no formulas of several moments */

/* Fits to rows, and to the same rows in units that are 2^30 times as large: by what factor predictions and bounds differ then. */
static void
check_units(memmodel_context *context, int32_t max_terms, double tolerance)
{
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        double point[] = {100, 5};
        struct rows rows;
        memmodel_model *model, *scaled;

        draw_rows(seed, &rows);
        model = fit_terms(context, &rows, max_terms);
        for (size_t i = 0; i < rows.count; i++)
            rows.values[i][2] *= 0x1p-30;
        scaled = fit_terms(context, &rows, max_terms);
        assert_true((model == NULL) == (scaled == NULL));
        if (!model)
            continue;
        assert_near(predict(scaled, point, 0.95).value * 0x1p30 / predict(model, point, 0.95).value, 1, tolerance);
        assert_near(predict(scaled, point, 0.95).upper * 0x1p30 / predict(model, point, 0.95).upper, 1, tolerance);
        memmodel_model_unref(model);
        memmodel_model_unref(scaled);
    }
}

/* A power of two changes no bit of a number but its exponent, and relative errors not at all. */
static void
a_target_in_other_units_gives_the_same_formula_in_these_units(void **state)
{
    check_units(*state, SUMS_ALONE, 0);
}

/*
 * Numbers of several moments that follow noise are written with nine decimal digits, which other units round elsewhere. Those of
 * few digits to base two keep their bits (test_regimes.c).
 */
static void
a_formula_of_moments_in_other_units_is_the_same_to_nine_digits(void **state)
{
    check_units(*state, 0, 1e-8);
}

static void
a_model_read_back_predicts_the_same_bits(void **state)
{
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        double point[] = {77, 3};
        struct rows rows;
        memmodel_model *model, *back;
        char *text;

        draw_rows(seed, &rows);
        model = fit_rows(*state, &rows);
        if (!model)
            continue;
        assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
        assert_int_equal(memmodel_model_from_json(*state, "m", text, strlen(text), &back), 0);
        assert_true(predict(model, point, 0.9).value == predict(back, point, 0.9).value);
        assert_true(predict(model, point, 0.9).upper == predict(back, point, 0.9).upper);
        memmodel_free(text);
        memmodel_model_unref(model);
        memmodel_model_unref(back);
    }
}

static void
rows_in_another_order_give_the_same_prediction(void **state)
{
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        double point[] = {64, 8};
        struct rows rows, turned;
        memmodel_model *model, *again;

        draw_rows(seed, &rows);
        turned.count = rows.count;
        for (size_t i = 0; i < rows.count; i++)
            memcpy(turned.values[i], rows.values[rows.count - 1 - i], sizeof turned.values[i]);
        model = fit_rows(*state, &rows);
        again = fit_rows(*state, &turned);
        if (model)
            assert_near(predict(again, point, 0.95).value / predict(model, point, 0.95).value, 1, 1e-8);
        memmodel_model_unref(model);
        memmodel_model_unref(again);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(bounds_are_finite_above_the_prediction_and_rise_with_the_level),
        WITH_CONTEXT(the_largest_value_fits_and_the_next_does_not),
        WITH_CONTEXT(a_target_in_other_units_gives_the_same_formula_in_these_units),
        WITH_CONTEXT(a_formula_of_moments_in_other_units_is_the_same_to_nine_digits),
        WITH_CONTEXT(a_model_read_back_predicts_the_same_bits),
        WITH_CONTEXT(rows_in_another_order_give_the_same_prediction),
    };

    return cmocka_run_group_tests_name("regression properties", tests, NULL, NULL);
}

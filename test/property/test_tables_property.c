/* What holds for every fit to a table of any kind, tried on random ones: of a curve, a product, steps and noise. */
#include "../unit/asked.h"
#include "../unit/near.h"

#include <math.h>
#include <stdbool.h>

enum { TABLES = 25, INPUTS = 3, MOST_ROWS = 60, POINTS = 40, WILD_TABLES = 180 };

/* SplitMix64, as a number in [0, 1) */
static double
draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

struct rows {
    size_t count;
    double values[MOST_ROWS][INPUTS + 1];
};

/* Two inputs of any sign, in steps or not, and one of few levels; a law of random coefficients, and noise. */
static void
draw_rows(uint64_t seed, struct rows *rows)
{
    double c[4], step = draw(&seed) < 0.5 ? 0 : 0.25, noise = draw(&seed);

    for (size_t k = 0; k < 4; k++)
        c[k] = draw(&seed) < 0.4 ? 0 : 10 * draw(&seed) - 5;
    rows->count = 6 + (size_t)(draw(&seed) * (MOST_ROWS - 6));
    for (size_t i = 0; i < rows->count; i++) {
        double a = 4 * draw(&seed) - 1, b = 3 * draw(&seed), level = floor(4 * draw(&seed));

        a = step > 0 ? step * floor(a / step) : a;
        rows->values[i][0] = a;
        rows->values[i][1] = b;
        rows->values[i][2] = level;
        rows->values[i][3] =
            c[0] + c[1] * a * b + c[2] * fmax(b - 1, 0) + c[3] * (level == 2) + noise * (2 * draw(&seed) - 1);
    }
}

/* The fit; NULL if the draw was one that cannot be fitted, such as one with a single level. */
static memmodel_model *
fit_rows(memmodel_context *context, const struct rows *rows, double unit)
{
    static const char *const columns[] = {"a", "b", "level", "y"}, *const inputs[] = {"a", "b", "level"};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .target = "y",
                                           .inputs = inputs,
                                           .input_count = INPUTS,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED};
    memmodel_samples *samples;
    memmodel_model *model = NULL;
    int status;

    assert_int_equal(memmodel_samples_new(context, columns, INPUTS + 1, &samples), 0);
    for (size_t i = 0; i < rows->count; i++) {
        const double *row = rows->values[i];

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){row[0], row[1], row[2], row[3] * unit}), 0);
    }
    status = memmodel_fit(samples, &options, NULL, &model);
    if (status)
        assert_int_equal(status, MEMMODEL_ERROR_DATA);
    memmodel_samples_unref(samples);
    return model;
}

/* Inside the samples and beyond. */
static void
draw_point(uint64_t *seed, double *point)
{
    for (size_t i = 0; i < INPUTS; i++)
        point[i] = 8 * draw(seed) - 2;
}

/* Numbers of a unit 16 times as small are 16 times as large, bit for bit: so is every prediction. */
static void
the_unit_of_the_target_does_not_matter(void **state)
{
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        uint64_t points = seed;
        struct rows rows;
        memmodel_model *model, *scaled;

        draw_rows(seed, &rows);
        model = fit_rows(*state, &rows, 1);
        scaled = fit_rows(*state, &rows, 16);
        assert_true(!model == !scaled);
        for (size_t i = 0; model && i < POINTS; i++) {
            double point[INPUTS];

            draw_point(&points, point);
            assert_true(memmodel_model_evaluate(scaled, point) == 16 * memmodel_model_evaluate(model, point));
        }
        memmodel_model_unref(model);
        memmodel_model_unref(scaled);
    }
}

static void
the_order_of_the_rows_does_not_matter(void **state)
{
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        struct rows rows, turned;
        memmodel_model *model, *again;
        char *json, *same;

        draw_rows(seed, &rows);
        turned.count = rows.count;
        for (size_t i = 0; i < rows.count; i++)
            memcpy(turned.values[i], rows.values[rows.count - 1 - i], sizeof turned.values[i]);
        model = fit_rows(*state, &rows, 1);
        again = fit_rows(*state, &turned, 1);
        if (!model)
            continue;
        assert_int_equal(memmodel_model_to_json(model, NULL, &json), 0);
        assert_int_equal(memmodel_model_to_json(again, NULL, &same), 0);
        assert_string_equal(json, same);
        memmodel_free(json);
        memmodel_free(same);
        memmodel_model_unref(model);
        memmodel_model_unref(again);
    }
}

static void
what_is_chosen_is_no_worse_than_the_mean_on_rows_held_out(void **state)
{
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        struct memmodel_model_scores scores = {.size = sizeof scores};
        struct rows rows;
        memmodel_model *model;

        draw_rows(seed, &rows);
        model = fit_rows(*state, &rows, 1);
        if (!model)
            continue;
        assert_int_equal(memmodel_model_get_scores(model, &scores), 0);
        assert_true(scores.nested_cv_error <= scores.baseline_error);
        memmodel_model_unref(model);
    }
}

static void
bounds_lie_above_the_prediction_and_rise_with_the_level(void **state)
{
    static const double levels[] = {0.5, 0.8, 0.9, 0.95, 0.99};

    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        uint64_t points = seed;
        struct rows rows;
        memmodel_model *model;

        draw_rows(seed, &rows);
        model = fit_rows(*state, &rows, 1);
        for (size_t i = 0; model && i < POINTS; i++) {
            double point[INPUTS], before = -INFINITY;

            draw_point(&points, point);
            for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++) {
                struct memmodel_prediction prediction = {.size = sizeof prediction};

                assert_int_equal(memmodel_model_predict(model, point, at_level(levels[k]), &prediction), 0);
                assert_true(isfinite(prediction.upper) && prediction.upper >= prediction.value);
                assert_true(prediction.upper >= before);
                before = prediction.upper;
            }
        }
        memmodel_model_unref(model);
    }
}

/* Few rows, some a hundred times what the others say, of a product or of what rises a millionfold; all above 0. */
static void
draw_wild_rows(uint64_t seed, struct rows *rows)
{
    bool steep = draw(&seed) < 0.4;
    double power = floor(5 * draw(&seed)) - 2, base = draw(&seed);

    rows->count = 5 + (size_t)(draw(&seed) * 12);
    for (size_t i = 0; i < rows->count; i++) {
        double a = exp2(floor(8 * draw(&seed))), b = 6 * draw(&seed) - 3, level = floor(3 * draw(&seed));
        double wild = draw(&seed) < 0.1 ? 100 : 1;

        rows->values[i][0] = a;
        rows->values[i][1] = b;
        rows->values[i][2] = level;
        rows->values[i][3] = wild * (steep ? exp(10 * b) : base + fabs(b) * pow(a, power));
    }
}

/* Whatever the loss, and whatever the terms are chosen from: at least the mean is a formula. */
static void
every_fit_can_be_written_and_read(void **state)
{
    static const char *const columns[] = {"a", "b", "level", "y"};

    for (uint64_t seed = 1; seed <= WILD_TABLES; seed++) {
        const struct memmodel_fit_options options = {.size = sizeof options,
                                                     .basis = seed % 2 ? MEMMODEL_FIT_BASIS_GENERAL
                                                                       : MEMMODEL_FIT_BASIS_POSYNOMIAL,
                                                     .loss = MEMMODEL_FIT_LOSS_RELATIVE + (int32_t)(seed / 2 % 6)};
        struct rows rows;
        memmodel_samples *samples;
        memmodel_model *model;

        draw_wild_rows(seed, &rows);
        assert_int_equal(memmodel_samples_new(*state, columns, INPUTS + 1, &samples), 0);
        for (size_t i = 0; i < rows.count; i++)
            assert_int_equal(memmodel_samples_add_row(samples, rows.values[i]), 0);
        if (memmodel_fit(samples, &options, NULL, &model))
            fail_msg("table %d: %s", (int)seed, memmodel_context_error(*state)->message);
        memmodel_model_unref(written_and_read(*state, model));
        memmodel_model_unref(model);
        memmodel_samples_unref(samples);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_unit_of_the_target_does_not_matter),
        WITH_CONTEXT(the_order_of_the_rows_does_not_matter),
        WITH_CONTEXT(what_is_chosen_is_no_worse_than_the_mean_on_rows_held_out),
        WITH_CONTEXT(bounds_lie_above_the_prediction_and_rise_with_the_level),
        WITH_CONTEXT(every_fit_can_be_written_and_read),
    };

    return cmocka_run_group_tests_name("properties of fits to tables of any kind", tests, NULL, NULL);
}

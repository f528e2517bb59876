/* Which of the formulas that were found becomes the model. */
#include "allocations.h"
#include "fitted.h"
#include "near.h"

#include <math.h>

static const char *const columns[] = {"a", "b", "y"};

/* 24 rows of two inputs in 1 to 3; `law` says y, an error of +-`error` is added. */
static memmodel_samples *
table(memmodel_context *context, double (*law)(double a, double b), double error, uint64_t seed)
{
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (int i = 0; i < 24; i++) {
        double a = 2 + random_error(&seed), b = 2 + random_error(&seed);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){a, b, law(a, b) + error * random_error(&seed)}),
                         0);
    }
    return samples;
}

static memmodel_model *
fit_by(memmodel_context *context, double (*law)(double a, double b), double error, uint64_t seed, int32_t loss,
       int32_t selection)
{
    memmodel_samples *samples = table(context, law, error, seed);
    struct memmodel_fit_options options = {.size = sizeof options, .loss = loss, .selection = selection};
    memmodel_model *model = fit(samples, &options);

    memmodel_samples_unref(samples);
    return model;
}

/* Index of the chosen formula on the front, and it. */
static struct memmodel_model_front_entry
chosen_of(const memmodel_model *model)
{
    struct memmodel_model_front_entry entry = {.size = sizeof entry};

    for (size_t i = 0; i < memmodel_model_front_count(model); i++) {
        assert_int_equal(memmodel_model_get_front_entry(model, i, &entry), 0);
        if (entry.selected)
            return entry;
    }
    fail_msg("nothing was chosen");
    return entry;
}

static double
nothing(double a, double b)
{
    (void)a;
    (void)b;
    return 10;
}

static double
plane(double a, double b)
{
    return 10 + 4 * a + 3 * b;
}

static double
curve(double a, double b)
{
    return 10 + 4 * a * a * a + 3 * a * b;
}

/* Without errors both rules find the law; the next smaller formulas miss it by far. */
static void
a_law_that_is_there_is_found_by_both_rules(void **state)
{
    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_SQUARED; loss++)
        for (int32_t rule = MEMMODEL_FIT_SELECTION_DEFAULT; rule <= MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH; rule++) {
            memmodel_model *model = fit_by(*state, plane, 0, 3, loss, rule);

            assert_near(memmodel_model_evaluate(model, (double[]){1.5, 2.5}), plane(1.5, 2.5), 1e-9);
            memmodel_model_unref(model);
        }
}

/* Of 10 tables of noise a rule that takes the least error makes up a formula for most. */
static void
noise_has_the_mean_for_a_formula_by_the_standard_error(void **state)
{
    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_SQUARED; loss++) {
        int means = 0;

        for (uint64_t seed = 1; seed <= 10; seed++) {
            memmodel_model *model = fit_by(*state, nothing, 1, seed, loss, MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR);

            means += chosen_of(model).term_count == 1;
            memmodel_model_unref(model);
        }
        assert_true(means >= 7);
    }
}

/* A plane with errors: curves that follow it as well are hardly ever better by more than an error. */
static void
a_plane_is_not_bent_by_noise(void **state)
{
    int straight = 0;

    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_SQUARED; loss++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            memmodel_model *model = fit_by(*state, plane, 1, seed, loss, MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR);

            straight += chosen_of(model).node_count <= 9; /* c + c*a + c*b */
            memmodel_model_unref(model);
        }
    assert_true(straight >= 8);
}

/* The smaller error must be worth the size: no smaller formula on the front lies within an error of the least one. */
static void
the_formula_by_the_standard_error_is_never_larger_than_that_of_the_least_error(void **state)
{
    int smaller = 0;

    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_SQUARED; loss++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            memmodel_model *model = fit_by(*state, curve, 4, seed, loss, MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR);
            struct memmodel_model_front_entry min = {.size = sizeof min}, chosen = chosen_of(model);

            assert_int_equal(memmodel_model_get_front_entry(model, memmodel_model_front_count(model) - 1, &min), 0);
            smaller += chosen.node_count < min.node_count;
            assert_true(chosen.node_count > 1); /* the law is far above the noise */
            memmodel_model_unref(model);
        }
    assert_true(smaller > 0);
}

static void
the_rules_differ(void **state)
{
    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_SQUARED; loss++) {
        int differ = 0;

        for (uint64_t seed = 1; seed <= 10; seed++) {
            memmodel_model *smallest = fit_by(*state, curve, 6, seed, loss, MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR);
            memmodel_model *shortest = fit_by(*state, curve, 6, seed, loss, MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH);

            differ += chosen_of(smallest).node_count != chosen_of(shortest).node_count;
            memmodel_model_unref(smallest);
            memmodel_model_unref(shortest);
        }
        assert_true(differ > 0);
    }
}

/* What each of 4 x 4 kinds of rows has: no sum of fewer than 16 terms has all of these. */
static const double kinds[4][4] = {{3, 14, 15, 9}, {26, 5, 35, 8}, {97, 93, 23, 84}, {62, 64, 33, 83}};

static void
a_sum_is_as_long_as_rows_held_out_ask_for(void **state)
{
    static const char *const names[] = {"a", "b", "c", "y"};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 5;

    assert_int_equal(memmodel_samples_new(*state, names, 4, &samples), 0);
    for (int i = 0; i < 96; i++)
        assert_int_equal(memmodel_samples_add_row(
                             samples, (double[]){i % 4, i / 4 % 4, random_error(&seed), kinds[i % 4][i / 4 % 4]}),
                         0);
    model = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                        .loss = MEMMODEL_FIT_LOSS_SQUARED});
    for (int i = 0; i < 16; i++)
        assert_near(memmodel_model_evaluate(model, (double[]){i % 4, i / 4}), kinds[i % 4][i / 4], 1e-6);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
a_rule_that_is_none_is_refused(void **state)
{
    memmodel_samples *samples = table(*state, plane, 0, 1);
    struct memmodel_fit_options options = {.size = sizeof options, .selection = 3};
    memmodel_model *model = NULL;

    assert_int_equal(memmodel_fit(samples, &options, NULL, &model), MEMMODEL_ERROR_INVALID_ARGUMENT);
    options = (struct memmodel_fit_options){.size = sizeof options, .reserved_3 = 1};
    assert_int_equal(memmodel_fit(samples, &options, NULL, &model), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_null(model);
    memmodel_samples_unref(samples);
}

static int
fit_general_by_standard_error(memmodel_context *context)
{
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .selection = MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR};
    memmodel_samples *samples;
    memmodel_model *model;
    int status = memmodel_samples_new(context, columns, 3, &samples);

    if (status)
        return status;
    for (int i = 0; !status && i < 12; i++)
        status = memmodel_samples_add_row(samples, (double[]){i, i % 5, 3 * i + (i % 3)});
    if (!status)
        status = memmodel_fit(samples, &options, NULL, &model);
    if (!status)
        memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return status;
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failing_allocations(fit_general_by_standard_error);
}

static memmodel_model *
fit_rows(memmodel_context *context, const double (*rows)[3], size_t count, int32_t loss)
{
    const struct memmodel_fit_options options = {.size = sizeof options, .loss = loss};
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(memmodel_samples_add_row(samples, rows[i]), 0);
    model = fit(samples, &options);
    memmodel_samples_unref(samples);
    return model;
}

/*
 * The line of all rows has a coefficient above 0 that is none without one of them: it is the line without it, no
 * failure.
 */
static void
a_line_is_shorter_where_rows_held_out_were_all_that_showed_a_term(void **state)
{
    static const double rows[][3] = {{6.0, 14.1, 15.2},  {3.0, 8.2, 8.7},     {1.7, 35.4, 34.8},  {17.7, 28.4, 81.0},
                                     {22.6, 22.7, 77.7}, {1.1, 34.7, 35.9},   {1.7, 21.2, 23.6},  {36.4, 1.9, 3.7},
                                     {7.2, 1.1, 2.1},    {40.4, 24.4, 228.9}, {15.1, 10.4, 17.9}, {1.6, 1.6, 2.5},
                                     {11.5, 14.3, 20.0}};

    memmodel_model_unref(fit_rows(*state, rows, sizeof rows / sizeof rows[0], MEMMODEL_FIT_LOSS_DEFAULT));
}

/*
 * The line through these rows is no worse on rows held out than what was chosen, but falls below 0 where `b` is least:
 * that it is positive cannot be proven. The fit goes on with what there is.
 */
static void
a_line_that_cannot_be_proven_does_not_stand_in(void **state)
{
    static const double rows[][3] = {{8, -3, 24}, {8, -3, 25}, {4, -1, 4}, {1, 3, 60}, {4, -3, 240},
                                     {4, -1, 4},  {1, 3, 4},   {1, 2, 3},  {8, 2, 16}};
    memmodel_model *model = fit_rows(*state, rows, sizeof rows / sizeof rows[0], MEMMODEL_FIT_LOSS_DEFAULT);

    assert_true(memmodel_model_evaluate(model, (double[]){4, -1}) > 0);
    memmodel_model_unref(model);
}

/*
 * 2 a b but for one row, where `b` is 0: of all sums a*b alone errs least on the first table, of maxima of sums one of
 * the second, and both say that nothing was measured there.
 */
static void
no_formula_is_0_where_something_was_measured(void **state)
{
    static const double tables[][9][3] = {
        {{3, 0, 30},
         {2, 1, 3.6},
         {3, 1, 5.4},
         {2, 2, 8},
         {4, 1, 8.8},
         {4, 1, 8.8},
         {3, 4, 26},
         {1, 1, 1.8},
         {1, 2, 4.4}},
        {{3, 0, 30},
         {3, 4, 21.61},
         {1, 2, 3.61},
         {2, 4, 16.01},
         {3, 2, 12.01},
         {3, 1, 5.41},
         {1, 4, 8.01},
         {2, 2, 8.81},
         {1, 4, 7.21}},
    };
    static const int32_t losses[] = {MEMMODEL_FIT_LOSS_RELATIVE, MEMMODEL_FIT_LOSS_MAPE, MEMMODEL_FIT_LOSS_LOG_RATIO,
                                     MEMMODEL_FIT_LOSS_ABSOLUTE};

    for (size_t i = 0; i < 2 * sizeof losses / sizeof losses[0]; i++) {
        memmodel_model *model = fit_rows(*state, tables[i % 2], 9, losses[i / 2]);

        assert_true(memmodel_model_evaluate(model, (double[]){3, 0}) > 0);
        memmodel_model_unref(model);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_law_that_is_there_is_found_by_both_rules),
        WITH_CONTEXT(noise_has_the_mean_for_a_formula_by_the_standard_error),
        WITH_CONTEXT(a_plane_is_not_bent_by_noise),
        WITH_CONTEXT(a_sum_is_as_long_as_rows_held_out_ask_for),
        WITH_CONTEXT(the_formula_by_the_standard_error_is_never_larger_than_that_of_the_least_error),
        LONG_WITH_CONTEXT(the_rules_differ),
        WITH_CONTEXT(a_rule_that_is_none_is_refused),
        LONG_UNIT_TEST(every_allocation_may_fail),
        WITH_CONTEXT(a_line_that_cannot_be_proven_does_not_stand_in),
        WITH_CONTEXT(no_formula_is_0_where_something_was_measured),
        WITH_CONTEXT(a_line_is_shorter_where_rows_held_out_were_all_that_showed_a_term),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What fits make small, and how they measure it: losses, weights, repeated measurements. */
#include "allocations.h"
#include "fitted.h"
#include "near.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static struct memmodel_model_scores
scores_of(const memmodel_model *model)
{
    struct memmodel_model_scores scores = {.size = sizeof scores};

    assert_int_equal(memmodel_model_get_scores(model, &scores), 0);
    return scores;
}

/* ---- repeated measurements ---- */

static const char repeated[] = "x,y\n1,10\n1,12\n2,20\n2,20\n3,33\n3,27\n4,40\n5,50\n6,60\n";

/*
 * Of three points with two measurements each. In the unit: distances from the means 1, 1, 0, 0, 3, 3; their squares make
 * 20, and 20 / 3 is the square of the noise. Relative: 1/11, 0 and 3/30, twice each.
 */
static void
noise_is_the_spread_of_repeated_measurements(void **state)
{
    memmodel_samples *samples = parse(*state, repeated);
    memmodel_model *relative = fit(samples, NULL);
    memmodel_model *squared = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                                          .loss = MEMMODEL_FIT_LOSS_SQUARED});

    assert_near(scores_of(relative).noise, sqrt((2 / 121.0 + 2 / 100.0) / 3), 1e-12);
    assert_int_equal(scores_of(relative).noise_dof, 3);
    assert_near(scores_of(squared).noise, sqrt(20.0 / 3), 1e-12);
    assert_int_equal(scores_of(squared).noise_dof, 3);
    memmodel_model_unref(relative);
    memmodel_model_unref(squared);
    memmodel_samples_unref(samples);
}

static void
without_repeats_there_is_no_noise_to_tell(void **state)
{
    memmodel_model *model = network_model(*state, 0.01);
    char *text;

    assert_true(isnan(scores_of(model).noise));
    assert_int_equal(scores_of(model).noise_dof, 0);
    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    assert_null(strstr(text, "noise"));
    memmodel_free(text);
    memmodel_model_unref(model);
}

static void
noise_is_kept_in_the_file(void **state)
{
    memmodel_samples *samples = parse(*state, repeated);
    memmodel_model *model = fit(samples, NULL), *read = written_and_read(*state, model);

    assert_true(scores_of(read).noise == scores_of(model).noise);
    assert_int_equal(scores_of(read).noise_dof, 3);
    memmodel_model_unref(read);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* A weight of 4 halves the error that a row has: so does the noise then count. */
static void
noise_is_that_of_a_row_of_weight_one(void **state)
{
    memmodel_samples *samples = parse(*state, "x,y,w\n1,10,4\n1,12,4\n2,20,1\n2,26,1\n3,30,1\n4,40,1\n5,50,1\n");
    memmodel_model *model = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                                        .weight_column = "w",
                                                                        .loss = MEMMODEL_FIT_LOSS_SQUARED});

    /* weights of mean 1: 28/13 and 7/13; squares of distances 1 and 9, twice each */
    assert_near(scores_of(model).noise, sqrt((2 * 28 / 13.0 + 2 * 9 * 7 / 13.0) / 2), 1e-12);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
note_suspicion(void *user, const char *line)
{
    *(bool *)user |= strstr(line, "a term is missing") != NULL;
}

/* Every point twice: with an error of 1 %, and of none but by a mode that switches at odd batches. */
static void
an_error_of_many_times_the_noise_is_reported(void **state)
{
    for (int switched = 0; switched < 2; switched++) {
        static const char *const columns[] = {"x", "y"};
        memmodel_samples *samples;
        bool suspicion = false;
        uint64_t seed = 3;

        memmodel_context_set_log(*state, note_suspicion, &suspicion);
        assert_int_equal(memmodel_samples_new(*state, columns, 2, &samples), 0);
        for (int i = 0; i < 40; i++) {
            double x = 1 + i / 2, error = 0.01 * random_error(&seed);

            assert_int_equal(
                memmodel_samples_add_row(
                    samples, (double[]){x, (100 + x) * (1 + error) * (1 + 0.3 * switched * (i / 2 % 3 == 0))}),
                0);
        }
        memmodel_model_unref(fit(samples, NULL));
        assert_int_equal(suspicion, switched);
        memmodel_samples_unref(samples);
        memmodel_context_set_log(*state, NULL, NULL);
    }
}

/*
 * Pairs of measurements 1 % apart: a noise of 0.7 %. Beside them stands one point alone that is 30 % above: as one of 17
 * rows its 23 % alone are 0.23 / sqrt(17) = 5.6 % of error, the others less than a third of that.
 */
static void
an_error_of_the_first_row_alone_is_reported(void **state)
{
    static const char *const columns[] = {"x", "y"};
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 1};
    memmodel_samples *samples;
    bool suspicion = false;

    memmodel_context_set_log(*state, note_suspicion, &suspicion);
    assert_int_equal(memmodel_samples_new(*state, columns, 2, &samples), 0);
    assert_int_equal(memmodel_samples_add_row(samples, (double[]){1, 130}), 0);
    for (int i = 0; i < 16; i++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){2 + i / 2, i % 2 ? 99.5 : 100.5}), 0);
    memmodel_model_unref(fit(samples, &options));
    assert_true(suspicion);
    memmodel_samples_unref(samples);
}

/*
 * Two measurements of each of eight points that agree with each other and with no formula: left out row by row the
 * error of a formula through most points would be small. Left out point by point it is that of the points.
 */
static void
points_are_left_out_whole(void **state)
{
    memmodel_samples *once = parse(*state, "x,y\n1,10\n2,14\n3,11\n4,18\n5,12\n6,20\n7,15\n8,24\n");
    memmodel_samples *twice = parse(*state, "x,y\n1,10\n2,14\n3,11\n4,18\n5,12\n6,20\n7,15\n8,24\n"
                                            "1,10\n2,14\n3,11\n4,18\n5,12\n6,20\n7,15\n8,24\n");
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 1};
    memmodel_model *single = fit(once, &options), *doubled = fit(twice, &options);

    assert_near(scores_of(doubled).loo_mape, scores_of(single).loo_mape, 1e-9);
    memmodel_model_unref(single);
    memmodel_model_unref(doubled);
    memmodel_samples_unref(once);
    memmodel_samples_unref(twice);
}

/* ---- losses ---- */

/* x counts the rows; the only term is a constant, unless one is given. */
static memmodel_model *
fit_column(memmodel_context *context, const double *y, size_t count, struct memmodel_fit_options options)
{
    static const char *const columns[] = {"x", "y"};
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, columns, 2, &samples), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){(double)i, y[i]}), 0);
    options.size = sizeof options;
    model = fit(samples, &options);
    memmodel_samples_unref(samples);
    return model;
}

static double
constant_of(memmodel_context *context, const double *y, size_t count, struct memmodel_fit_options options)
{
    memmodel_model *model;
    double value;

    options.basis = MEMMODEL_FIT_BASIS_USER;
    model = fit_column(context, y, count, options);
    value = memmodel_model_evaluate(model, (double[]){1});
    memmodel_model_unref(model);
    return value;
}

/*
 * Of a constant c: sum |1 - c / y| is least at the median with weights 1 / y, which are 1, 1/2, 1/3, 1/4, 1/100 here; the
 * squared logarithms at the geometric mean; absolute errors at the median; the pinball loss of 3/4 at the 7th of 9.
 */
static void
the_best_constant_is_that_of_the_textbook(void **state)
{
    static const double skewed[] = {1, 2, 3, 4, 100}, powers[] = {1, 2, 4, 8, 16};
    static const double nine[] = {9, 1, 8, 2, 70, 3, 6, 4, 5};

    assert_near(constant_of(*state, skewed, 5, (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_MAPE}), 2, 1e-6);
    assert_near(constant_of(*state, powers, 5, (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_LOG_RATIO}), 4,
                1e-6);
    assert_near(constant_of(*state, skewed, 5, (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_ABSOLUTE}), 3,
                1e-6);
    assert_near(constant_of(*state, nine, 9,
                            (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_PINBALL, .quantile = 0.75}),
                8, 1e-6);
}

/* A line of least absolute errors goes through two points: none through any two of them is better. */
static void
a_line_of_least_absolute_errors_is_found(void **state)
{
    enum { COUNT = 15 };
    uint64_t seed = 9;

    for (int repeat = 0; repeat < 10; repeat++) {
        static const char *const terms[] = {"x"};
        double y[COUNT], best = INFINITY, sum = 0;
        memmodel_model *model;

        for (int i = 0; i < COUNT; i++)
            y[i] = 50 + 10 * i + 10 * random_error(&seed) + (i % 6 == 0 ? 40 * random_error(&seed) : 0);
        for (int i = 0; i < COUNT; i++)
            for (int j = i + 1; j < COUNT; j++) {
                double slope = (y[j] - y[i]) / (j - i), error = 0;

                for (int k = 0; k < COUNT; k++)
                    error += fabs(y[k] - y[i] - slope * (k - i));
                best = fmin(best, error);
            }
        model = fit_column(
            *state, y, COUNT,
            (struct memmodel_fit_options){
                .loss = MEMMODEL_FIT_LOSS_ABSOLUTE, .basis = MEMMODEL_FIT_BASIS_USER, .terms = terms, .term_count = 1});
        for (int k = 0; k < COUNT; k++)
            sum += fabs(y[k] - memmodel_model_evaluate(model, (double[]){k}));
        assert_int_equal(scores_of(model).term_count, 2);
        assert_true(sum >= best * (1 - 1e-9) && sum <= best * (1 + 1e-6));
        memmodel_model_unref(model);
    }
}

/* A row of weight 3 is one that is there three times. */
static void
weights_count_under_every_loss(void **state)
{
    static const char weighted[] = "x,y,w\n1,10,1\n2,14,3\n3,18,1\n4,19,1\n5,40,2\n6,31,1\n7,33,1\n";
    static const char written_out[] = "x,y\n1,10\n2,14\n2,14\n2,14\n3,18\n4,19\n5,40\n5,40\n6,31\n7,33\n";
    static const char *const terms[] = {"x"};
    memmodel_samples *short_table = parse(*state, weighted), *long_table = parse(*state, written_out);

    for (int32_t loss = MEMMODEL_FIT_LOSS_MAPE; loss <= MEMMODEL_FIT_LOSS_PINBALL; loss++) {
        struct memmodel_fit_options options = {
            .size = sizeof options,
            .loss = loss,
            .basis = MEMMODEL_FIT_BASIS_USER,
            .quantile = loss == MEMMODEL_FIT_LOSS_PINBALL ? 0.65 : 0, /* unique: 10 rows have no row at it */
            .terms = terms,
            .term_count = 1};
        memmodel_model *expanded = fit(long_table, &options), *model;

        options.weight_column = "w";
        model = fit(short_table, &options);
        for (int x = 1; x < 8; x++)
            assert_near(memmodel_model_evaluate(model, (double[]){x}), memmodel_model_evaluate(expanded, (double[]){x}),
                        1e-4);
        memmodel_model_unref(model);
        memmodel_model_unref(expanded);
    }
    memmodel_samples_unref(short_table);
    memmodel_samples_unref(long_table);
}

/* Weights beside which the largest and the smallest numbers that there are stand: what counts is their ratio. */
static void
weights_may_be_of_any_size(void **state)
{
    static const char *const tables[] = {"x,y,w\n1,10,1\n2,14,2\n3,18,1\n4,19,1\n5,40,1\n",
                                         "x,y,w\n1,10,8e307\n2,14,16e307\n3,18,8e307\n4,19,8e307\n5,40,8e307\n",
                                         "x,y,w\n1,10,2e-310\n2,14,4e-310\n3,18,2e-310\n4,19,2e-310\n5,40,2e-310\n"};
    double first = 0;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        memmodel_samples *samples = parse(*state, tables[i]);
        memmodel_model *model = fit(
            samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options), .weight_column = "w"});
        double value = memmodel_model_evaluate(model, (double[]){3});

        first = i == 0 ? value : first;
        assert_near(value, first, 1e-12);
        memmodel_model_unref(model);
        memmodel_samples_unref(samples);
    }
}

static char *
json_by(const memmodel_samples *samples, int32_t loss)
{
    memmodel_model *model =
        fit(samples, &(struct memmodel_fit_options){
                         .size = sizeof(struct memmodel_fit_options), .loss = loss, .weight_column = "weight"});
    char *text;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    memmodel_model_unref(model);
    return text;
}

static void
under_every_loss_the_order_of_the_rows_does_not_matter(void **state)
{
    static const char *const columns[] = {"x", "z", "weight", "y"};
    enum { ROWS = 30 };
    memmodel_samples *samples, *shuffled, *none;

    assert_int_equal(memmodel_samples_new(*state, columns, 4, &samples), 0);
    for (int i = 0; i < ROWS; i++) {
        double x = 1 + i % 5, z = 1 + i / 10 * 1.7, error = 1 + 0.05 * (i * 7 % 11 - 5);

        assert_int_equal(
            memmodel_samples_add_row(samples, (double[]){x, z, 0.1 + i * 3 % 7, (20 + 3 * x * z + x * x) * error}), 0);
    }
    assert_int_equal(memmodel_samples_split(samples, 1, 1, NULL, &shuffled, &none), 0);
    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_PINBALL; loss++) {
        char *text = json_by(samples, loss), *again = json_by(shuffled, loss);

        assert_string_equal(text, again);
        memmodel_free(text);
        memmodel_free(again);
    }
    memmodel_samples_unref(samples);
    memmodel_samples_unref(shuffled);
    memmodel_samples_unref(none);
}

/* Every seventh measurement is five times too large: the mean follows, absolute errors do not. */
static void
wild_measurements_do_not_move_a_fit_of_absolute_relative_errors(void **state)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    memmodel_samples *samples;
    memmodel_model *mape, *relative;
    uint64_t seed = 2;
    bool moved = false;

    assert_int_equal(memmodel_samples_new(*state, columns, 3, &samples), 0);
    for (size_t i = 0; i < DIMS * BATCHES; i++) {
        double dim = dims[i / BATCHES], batch = batches[i % BATCHES];
        double bytes = network_bytes(dim, batch) * (1 + 0.005 * random_error(&seed)) * (i % 7 == 3 ? 5 : 1);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){dim, batch, bytes}), 0);
    }
    mape = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                       .loss = MEMMODEL_FIT_LOSS_MAPE});
    relative = fit(samples, NULL);
    for (size_t i = 0; i < DIMS * BATCHES; i++) {
        double point[] = {dims[i / BATCHES], batches[i % BATCHES]}, bytes = network_bytes(point[0], point[1]);

        assert_near(memmodel_model_evaluate(mape, point) / bytes, 1, 0.02);
        moved |= fabs(memmodel_model_evaluate(relative, point) / bytes - 1) > 0.02;
    }
    assert_true(moved);
    memmodel_model_unref(mape);
    memmodel_model_unref(relative);
    memmodel_samples_unref(samples);
}

/* Any sign, with a curve, and one row in eight wild. */
static void
absolute_errors_of_any_sign_find_the_curve_among_wild_rows(void **state)
{
    enum { COUNT = 64 };
    double y[COUNT];
    memmodel_model *model;
    uint64_t seed = 4;

    for (int i = 0; i < COUNT; i++)
        y[i] = -50 + 0.25 * i * i + random_error(&seed) + (i % 8 == 5 ? 800 : 0);
    model = fit_column(
        *state, y, COUNT,
        (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_ABSOLUTE, .basis = MEMMODEL_FIT_BASIS_GENERAL});
    for (int i = 0; i < COUNT; i++)
        assert_near(memmodel_model_evaluate(model, (double[]){i}), -50 + 0.25 * i * i, 8);
    assert_int_equal(scores_of(model).loss, MEMMODEL_FIT_LOSS_ABSOLUTE);
    memmodel_model_unref(model);
}

/* Nine in ten of the measurements lie below a formula for the quantile 0.9. */
static void
a_quantile_has_its_share_of_the_measurements_below(void **state)
{
    enum { COUNT = 100 };

    for (int32_t basis = MEMMODEL_FIT_BASIS_POSYNOMIAL; basis <= MEMMODEL_FIT_BASIS_GENERAL;
         basis += MEMMODEL_FIT_BASIS_GENERAL) {
        double y[COUNT];
        memmodel_model *model;
        uint64_t seed = 6;
        int below = 0;

        for (int i = 0; i < COUNT; i++)
            y[i] = (100 + 3 * i) * (1 + 0.3 * random_error(&seed));
        model = fit_column(
            *state, y, COUNT,
            (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_PINBALL, .quantile = 0.9, .basis = basis});
        for (int i = 0; i < COUNT; i++)
            below += y[i] <= memmodel_model_evaluate(model, (double[]){i}) * (1 + 1e-9);
        assert_in_range(below, 86, 94);
        memmodel_model_unref(model);
    }
}

static void
a_file_keeps_the_loss_and_its_errors(void **state)
{
    for (int32_t basis = MEMMODEL_FIT_BASIS_POSYNOMIAL; basis <= MEMMODEL_FIT_BASIS_GENERAL;
         basis += MEMMODEL_FIT_BASIS_GENERAL) {
        memmodel_samples *samples = network_samples(*state, 0.05, 3);
        memmodel_model *model = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                                            .loss = MEMMODEL_FIT_LOSS_PINBALL,
                                                                            .quantile = 0.8,
                                                                            .basis = basis}),
                       *read;
        char *text, *again;

        assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
        assert_non_null(strstr(text, "\"quantile\": 0.8"));
        assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &read), 0);
        assert_int_equal(scores_of(read).loss, MEMMODEL_FIT_LOSS_PINBALL);
        assert_true(scores_of(read).nested_cv_error == scores_of(model).nested_cv_error);
        assert_true(scores_of(read).nested_cv_error > 0);
        assert_int_equal(memmodel_model_to_json(read, NULL, &again), 0);
        assert_string_equal(again, text);
        memmodel_free(text);
        memmodel_free(again);
        memmodel_model_unref(model);
        memmodel_model_unref(read);
        memmodel_samples_unref(samples);
    }
}

/* ---- what is refused ---- */

static void
a_target_that_a_loss_cannot_take_is_named_with_its_row(void **state)
{
    static const char zero[] = "x,y\n1,1\n2,2\n3,0\n4,5\n5,6\n", negative[] = "x,y\n1,1\n2,-2\n3,4\n4,5\n5,6\n";

    refuse_fit(parse(*state, zero), (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_MAPE}, MEMMODEL_ERROR_DATA,
               "is 0 in row 3; relative errors need");
    refuse_fit(parse(*state, negative),
               (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_LOG_RATIO, .basis = MEMMODEL_FIT_BASIS_GENERAL},
               MEMMODEL_ERROR_DATA, "is -2 in row 2; relative errors need");
    refuse_fit(parse(*state, negative), (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_ABSOLUTE},
               MEMMODEL_ERROR_DATA, "is -2 in row 2; a sum of positive terms");
}

static void
a_quantile_is_above_0_and_below_1(void **state)
{
    static const char table[] = "x,y\n1,1\n2,2\n3,3\n4,5\n5,6\n";
    static const double wrong[] = {1, -0.1, 1.5, NAN, INFINITY};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refuse_fit(parse(*state, table),
                   (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_PINBALL, .quantile = wrong[i]},
                   MEMMODEL_ERROR_INVALID_ARGUMENT, "quantile is");
    refuse_fit(parse(*state, table), (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_MAPE, .quantile = 0.5},
               MEMMODEL_ERROR_INVALID_ARGUMENT, "quantile is");
}

static void
numbers_out_of_any_range_are_named_with_their_row(void **state)
{
    static const char large[] = "x,y\n1,1\n2,2\n3e300,3\n4,5\n5,6\n",
                      small[] = "x,y\n1e-300,1\n3e-300,2\n2e-300,3\n0,5\n";
    static const char tiny_target[] = "x,y\n1,1e-300\n2,3e-300\n3,2e-300\n4,1e-300\n";
    static const char huge_target[] = "x,y\n1,1e300\n2,3e300\n3,2e300\n4,1e300\n";
    static const char *const x[] = {"x"};

    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_PINBALL; loss++) {
        refuse_fit(parse(*state, large), (struct memmodel_fit_options){.loss = loss, .inputs = x, .input_count = 1},
                   MEMMODEL_ERROR_DATA, "is 3e+300 in row 3");
        refuse_fit(parse(*state, small), (struct memmodel_fit_options){.loss = loss, .inputs = x, .input_count = 1},
                   MEMMODEL_ERROR_DATA, "is 3e-300 in row 2");
        refuse_fit(parse(*state, huge_target), (struct memmodel_fit_options){.loss = loss}, MEMMODEL_ERROR_DATA,
                   "is 1e+300 in row 1");
        refuse_fit(parse(*state, tiny_target), (struct memmodel_fit_options){.loss = loss}, MEMMODEL_ERROR_DATA,
                   loss == MEMMODEL_FIT_LOSS_SQUARED ? "3e-300 of row 2" : "is 1e-300 in row 1");
    }
}

static void
an_input_of_one_level_is_refused_under_every_loss(void **state)
{
    static const char table[] = "x,y\n7,1\n7,2\n7,3\n7,5\n7,6\n";
    static const char *const x[] = {"x"};

    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_PINBALL; loss++)
        refuse_fit(parse(*state, table), (struct memmodel_fit_options){.loss = loss, .inputs = x, .input_count = 1},
                   MEMMODEL_ERROR_DATA, "is constant");
}

/* b = 2 a + 1 and c = a + b: any of them tells the others. */
static void
inputs_that_tell_each_other_disturb_no_loss(void **state)
{
    static const char *const columns[] = {"a", "b", "c", "y"};
    memmodel_samples *samples;
    uint64_t seed = 21;

    assert_int_equal(memmodel_samples_new(*state, columns, 4, &samples), 0);
    for (int a = 1; a <= 14; a++)
        assert_int_equal(memmodel_samples_add_row(
                             samples, (double[]){a, 2 * a + 1, 3 * a + 1, 5 + 7 * a + 0.01 * random_error(&seed)}),
                         0);
    for (int32_t basis = MEMMODEL_FIT_BASIS_POSYNOMIAL; basis <= MEMMODEL_FIT_BASIS_GENERAL;
         basis += MEMMODEL_FIT_BASIS_GENERAL)
        for (int32_t loss = MEMMODEL_FIT_LOSS_MAPE; loss <= MEMMODEL_FIT_LOSS_PINBALL; loss++) {
            memmodel_model *model =
                fit(samples, &(struct memmodel_fit_options){
                                 .size = sizeof(struct memmodel_fit_options), .loss = loss, .basis = basis});

            assert_near(memmodel_model_evaluate(model, (double[]){10, 21, 31}), 75, 0.2);
            memmodel_model_unref(model);
        }
    memmodel_samples_unref(samples);
}

/* The file of a model with `to` in place of `from` is refused, for that reason. */
static void
refuse_file(memmodel_context *context, const char *text, const char *from, const char *to, const char *reason)
{
    const char *place = strstr(text, from);
    char *changed = malloc(strlen(text) + strlen(to) + 1);
    memmodel_model *model = NULL;

    assert_non_null(place);
    assert_non_null(changed);
    memcpy(changed, text, (size_t)(place - text));
    strcpy(changed + (place - text), to);
    strcat(changed, place + strlen(from));
    assert_error(context, memmodel_model_from_json(context, "model", changed, strlen(changed), &model),
                 MEMMODEL_ERROR_PARSE, reason);
    assert_null(model);
    free(changed);
}

static void
members_of_a_file_that_no_fit_writes_are_refused(void **state)
{
    memmodel_samples *samples = parse(*state, repeated);
    memmodel_model *model = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                                        .loss = MEMMODEL_FIT_LOSS_PINBALL,
                                                                        .quantile = 0.5});
    char *text;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    refuse_file(*state, text, "\"quantile\": 0.5", "\"quantile\": 1.5", "above 0 and below 1");
    refuse_file(*state, text, "\"quantile\": 0.5", "\"quantile\": 0", "above 0 and below 1");
    refuse_file(*state, text, "\"quantile\": 0.5,", "", "quantile");
    refuse_file(*state, text, "\"pinball\"", "\"median\"", "no such loss");
    refuse_file(*state, text, "\"deviation\": ", "\"deviation\": -", "deviation");
    refuse_file(*state, text, "\"certified\": true", "\"certified\": 1", "certified");
    refuse_file(*state, text, "\"nested_cv_error\": ", "\"nested_cv_error\": -", "nested_cv_error");
    memmodel_free(text);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* ---- memory that runs out ---- */

static int
fit_and_write(const memmodel_samples *samples, struct memmodel_fit_options options)
{
    memmodel_model *model;
    char *text;
    int status;

    options.size = sizeof options;
    options.max_terms = 1;
    options.max_exponent = 1;
    options.integer_exponents = 1;
    status = memmodel_fit(samples, &options, NULL, &model);
    if (status)
        return status;
    status = memmodel_model_to_json(model, NULL, &text);
    if (!status)
        memmodel_free(text);
    memmodel_model_unref(model);
    return status;
}

static int
fit_all_ways(memmodel_context *context)
{
    static const char *const columns[] = {"x", "y"}, *const rising[] = {"x"}, *const units[] = {"y=B", "x=1"};
    const struct memmodel_fit_options positive = {.loss = MEMMODEL_FIT_LOSS_MAPE,
                                                  .basis = MEMMODEL_FIT_BASIS_USER,
                                                  .terms = rising,
                                                  .term_count = 1,
                                                  .change_points = 1,
                                                  .units = units,
                                                  .unit_count = 2};
    const struct memmodel_fit_options general = {.loss = MEMMODEL_FIT_LOSS_ABSOLUTE,
                                                 .basis = MEMMODEL_FIT_BASIS_GENERAL,
                                                 .increasing = rising,
                                                 .increasing_count = 1};
    memmodel_samples *samples;
    int status = memmodel_samples_new(context, columns, 2, &samples);

    if (status)
        return status;
    for (int i = 1; !status && i < 7; i++)
        status = memmodel_samples_add_row(samples, (double[]){1 + i % 4, 10 + i % 4 + i % 3});
    if (!status)
        status = fit_and_write(samples, positive);
    if (!status)
        status = fit_and_write(samples, general);
    memmodel_samples_unref(samples);
    return status;
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failing_allocations(fit_all_ways);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(noise_is_the_spread_of_repeated_measurements),
        WITH_CONTEXT(without_repeats_there_is_no_noise_to_tell),
        WITH_CONTEXT(noise_is_kept_in_the_file),
        WITH_CONTEXT(noise_is_that_of_a_row_of_weight_one),
        LONG_WITH_CONTEXT(an_error_of_many_times_the_noise_is_reported),
        WITH_CONTEXT(an_error_of_the_first_row_alone_is_reported),
        WITH_CONTEXT(points_are_left_out_whole),
        WITH_CONTEXT(the_best_constant_is_that_of_the_textbook),
        WITH_CONTEXT(a_line_of_least_absolute_errors_is_found),
        WITH_CONTEXT(weights_count_under_every_loss),
        WITH_CONTEXT(weights_may_be_of_any_size),
        LONG_WITH_CONTEXT(under_every_loss_the_order_of_the_rows_does_not_matter),
        LONG_WITH_CONTEXT(wild_measurements_do_not_move_a_fit_of_absolute_relative_errors),
        WITH_CONTEXT(absolute_errors_of_any_sign_find_the_curve_among_wild_rows),
        LONG_WITH_CONTEXT(a_quantile_has_its_share_of_the_measurements_below),
        LONG_WITH_CONTEXT(a_file_keeps_the_loss_and_its_errors),
        WITH_CONTEXT(a_target_that_a_loss_cannot_take_is_named_with_its_row),
        WITH_CONTEXT(a_quantile_is_above_0_and_below_1),
        WITH_CONTEXT(numbers_out_of_any_range_are_named_with_their_row),
        WITH_CONTEXT(an_input_of_one_level_is_refused_under_every_loss),
        LONG_WITH_CONTEXT(inputs_that_tell_each_other_disturb_no_loss),
        WITH_CONTEXT(members_of_a_file_that_no_fit_writes_are_refused),
        LONG_UNIT_TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

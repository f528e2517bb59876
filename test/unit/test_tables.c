/* Fits to tables of any kind: squared errors, coefficients of any sign. */
#include "fitted.h"
#include "near.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 60 };

/* `a` in tenths from 1, `b` a level of 0, 1, 3 and 4, `c` in hundredths from -3 on; none follows from the others. */
struct row {
    double a, b, c, noise;
};

static struct row
row_at(size_t i, uint64_t *seed)
{
    return (struct row){
        .a = 1 + (double)(i * 7 % 60) / 10,
        .b = (double)(i * i % 6),
        .c = -3 + (double)(i * 41 % 601) / 100,
        .noise = random_error(seed),
    };
}

typedef double (*law)(const struct row *row);

static memmodel_samples *
table_of(memmodel_context *context, law y, uint64_t seed)
{
    static const char *const columns[] = {"a", "b", "c", "y"};
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, columns, 4, &samples), 0);
    for (size_t i = 0; i < ROWS; i++) {
        struct row row = row_at(i, &seed);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){row.a, row.b, row.c, y(&row)}), 0);
    }
    return samples;
}

static memmodel_model *
fit_squared(const memmodel_samples *samples)
{
    return fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                       .loss = MEMMODEL_FIT_LOSS_SQUARED});
}

static memmodel_model *
fit_law(memmodel_context *context, law y, uint64_t seed)
{
    memmodel_samples *samples = table_of(context, y, seed);
    memmodel_model *model = fit_squared(samples);

    memmodel_samples_unref(samples);
    return model;
}

static struct memmodel_model_scores
scores_of(const memmodel_model *model)
{
    struct memmodel_model_scores scores = {.size = sizeof scores};

    assert_int_equal(memmodel_model_get_scores(model, &scores), 0);
    return scores;
}

/* ---- what is found ---- */

static double
straight(const struct row *row)
{
    return 2 + 3 * row->a - 1.5 * row->c;
}

static double
step(const struct row *row)
{
    return -4 + 7 * (row->b == 3) + row->a;
}

static double
hinge(const struct row *row)
{
    return 10 - 2 * fmax(row->b - 1, 0) * row->a;
}

static double
quotient(const struct row *row)
{
    return 5 * row->c / row->a - 1;
}

static double
root(const struct row *row)
{
    return pow(1 + 2 * row->a, 2);
}

/* The laws are sums of terms that the libraries have, so nothing but rounding is left; at (1.5, 4, 2). */
static void
planted_formulas_are_found(void **state)
{
    static const struct {
        law y;
        const char *part;
    } cases[] = {
        {straight, "*c"}, {step, "equal(b, 3)"}, {hinge, "max(0, b - 1)"}, {quotient, "/a"}, {root, "4*a^2"},
    };
    static const struct row point = {.a = 1.5, .b = 4, .c = 2};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memmodel_model *model = fit_law(*state, cases[i].y, 1);
        const char *text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);

        assert_near(memmodel_model_evaluate(model, (double[]){1.5, 4, 2}), cases[i].y(&point), 1e-9);
        assert_true(scores_of(model).nested_cv_error < 1e-9);
        assert_true(scores_of(model).term_count <= 3);
        if (!strstr(text, cases[i].part) || strstr(text, "e-"))
            fail_msg("%s has no %s, or more", text, cases[i].part);
        memmodel_model_unref(model);
    }
}

/* factor a + constant, with least squares' 4.999999999999999 and 1.9e-15 rounded away. */
static void
assert_line(memmodel_context *context, int32_t loss, double factor, double constant, const char *expected)
{
    const struct memmodel_fit_options options = {.size = sizeof options, .loss = loss};
    memmodel_samples *samples;
    memmodel_model *model;
    const char *text;

    assert_int_equal(memmodel_samples_new(context, (const char *[]){"a", "y"}, 2, &samples), 0);
    for (int i = 1; i <= 12; i++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){i, factor * i + constant}), 0);
    model = fit(samples, &options);
    text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);
    assert_string_equal(text, expected);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
what_is_met_exactly_has_few_digits(void **state)
{
    assert_line(*state, MEMMODEL_FIT_LOSS_RELATIVE, 5, 7, "5*a + 7");
    assert_line(*state, MEMMODEL_FIT_LOSS_RELATIVE, 0.1, 0.3, "0.1*a + 0.3");
    assert_line(*state, MEMMODEL_FIT_LOSS_SQUARED, 5, 7, "5*a + 7");
    assert_line(*state, MEMMODEL_FIT_LOSS_SQUARED, 10, 0, "10*a");
    assert_line(*state, MEMMODEL_FIT_LOSS_SQUARED, 0, 42, "42");
}

static double
noisy(const struct row *row)
{
    return 20 + 4 * row->a - 3 * row->c + 2 * row->noise;
}

/* Noise evenly in +-2 has a root mean square of 2 / sqrt(3) = 1.155. */
enum { MANY = 20 };

/* With a little of each input, none can be left out. */
static void
the_sum_of_twenty_inputs_is_found(void **state)
{
    static const char *const columns[MANY + 1] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
                                                  "l", "m", "n", "o", "p", "q", "r", "s", "t", "y"};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 3;

    assert_int_equal(memmodel_samples_new(*state, columns, MANY + 1, &samples), 0);
    for (size_t i = 0; i < 4 * MANY; i++) {
        double row[MANY + 1] = {0};

        for (size_t j = 0; j < MANY; j++) {
            row[j] = random_error(&seed);
            row[MANY] += (double)(j + 1) * row[j];
        }
        assert_int_equal(memmodel_samples_add_row(samples, row), 0);
    }
    model = fit_squared(samples);
    assert_true(scores_of(model).nested_cv_error < 1e-9);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
held_out_error_is_about_the_noise(void **state)
{
    memmodel_model *model = fit_law(*state, noisy, 3);
    struct memmodel_model_scores scores = scores_of(model);

    assert_int_equal(scores.loss, MEMMODEL_FIT_LOSS_SQUARED);
    assert_int_equal(scores.term_count, 3);
    assert_true(isnan(scores.loo_mape));
    assert_near(scores.nested_cv_error, 1.155, 0.25);
    assert_true(scores.training_error < scores.loo_error);
    assert_true(scores.baseline_error > 4 * scores.nested_cv_error);
    memmodel_model_unref(model);
}

static double
noise_alone(const struct row *row)
{
    return 100 + row->noise;
}

/* A choice among hundreds of terms always finds one that follows noise: it must be refused, nearly always. */
static void
of_noise_the_mean_remains(void **state)
{
    size_t constants = 0;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        memmodel_model *model = fit_law(*state, noise_alone, seed);

        constants += scores_of(model).term_count == 1;
        memmodel_model_unref(model);
    }
    assert_true(constants >= 18);
}

static double
always_seven(const struct row *row)
{
    (void)row;
    return -7;
}

static void
a_target_that_never_changes_is_its_value(void **state)
{
    memmodel_model *model = fit_law(*state, always_seven, 1);

    assert_int_equal(scores_of(model).term_count, 1);
    assert_near(memmodel_model_evaluate(model, (double[]){3, 1, 0}), -7, 1e-12);
    memmodel_model_unref(model);
}

/* ---- the same for the same table ---- */

static char *
json_of(memmodel_context *context, const memmodel_samples *samples)
{
    memmodel_model *model = fit_squared(samples);
    char *text;

    (void)context;
    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    memmodel_model_unref(model);
    return text;
}

static void
the_order_of_the_rows_does_not_matter(void **state)
{
    memmodel_samples *samples = table_of(*state, noisy, 5), *shuffled, *none;
    char *json, *again;

    assert_int_equal(memmodel_samples_split(samples, 1, 1, NULL, &shuffled, &none), 0);
    json = json_of(*state, samples);
    again = json_of(*state, shuffled);
    assert_string_equal(json, again);
    memmodel_free(json);
    memmodel_free(again);
    memmodel_samples_unref(samples);
    memmodel_samples_unref(shuffled);
    memmodel_samples_unref(none);
}

static void
a_model_is_the_same_after_writing_and_reading(void **state)
{
    static const law laws[] = {noisy, root, hinge};

    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        memmodel_model *model = fit_law(*state, laws[i], 7), *read;
        char *json, *again;

        assert_int_equal(memmodel_model_to_json(model, NULL, &json), 0);
        assert_int_equal(memmodel_model_from_json(*state, "model", json, strlen(json), &read), 0);
        assert_int_equal(memmodel_model_to_json(read, NULL, &again), 0);
        assert_string_equal(json, again);
        assert_true(memmodel_model_evaluate(model, (double[]){9, 2, 1}) ==
                    memmodel_model_evaluate(read, (double[]){9, 2, 1}));
        memmodel_free(json);
        memmodel_free(again);
        memmodel_model_unref(model);
        memmodel_model_unref(read);
    }
}

/* ---- predictions ---- */

/* At the greatest `a`, and 100 beyond. */
static void
curves_end_where_the_samples_do_and_lines_go_on(void **state)
{
    static const struct {
        law y;
        double beyond;
    } cases[] = {{straight, 300}, {hinge, 0}, {root, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memmodel_model *model = fit_law(*state, cases[i].y, 1);
        struct memmodel_prediction inside = {.size = sizeof inside}, beyond = {.size = sizeof beyond};
        double max = input_of(model, 0).max;

        assert_int_equal(memmodel_model_predict(model, (double[]){max, 3, 0}, at_level(0.9), &inside), 0);
        assert_int_equal(memmodel_model_predict(model, (double[]){max + 100, 3, 0}, at_level(0.9), &beyond), 0);
        assert_near(beyond.value - inside.value, cases[i].beyond, 1e-9);
        assert_int_equal(inside.extrapolated, 0);
        assert_int_equal(beyond.extrapolated, 1);
        assert_true(isnan(memmodel_model_evaluate(model, (double[]){(double)NAN, 3, 0})));
        memmodel_model_unref(model);
    }
}

static void
assert_limits(memmodel_context *context, const char *csv, double min_expected, double max_expected)
{
    memmodel_samples *samples = parse(context, csv);
    memmodel_model *model = fit_squared(samples);
    double min, max;

    assert_int_equal(memmodel_model_output_range(model, &min, &max), 1);
    assert_near(min, min_expected, 1e-12);
    assert_near(max, max_expected, 1e-12);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* A tenth of their range beyond, on either side; not beyond zero where they are positive, or negative. */
static void
predictions_of_curves_stay_near_the_measurements(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    double min, max;

    assert_limits(*state, "x,y\n1,-4\n2,-1\n3,4\n4,11\n5,20\n6,31\n7,44\n8,59\n9,76\n", -12, 84);
    assert_limits(*state, "x,y\n1,1\n2,4\n3,9\n4,16\n5,25\n6,36\n7,49\n8,64\n9,81\n", 0, 89);
    assert_limits(*state, "x,y\n1,-1\n2,-4\n3,-9\n4,-16\n5,-25\n6,-36\n7,-49\n8,-64\n9,-81\n", -89, 0);
    assert_int_equal(memmodel_model_output_range(model, &min, &max), 0);
    assert_true(isinf(min) && isinf(max));
    memmodel_model_unref(model);
}

static void
many_points_give_the_same_bits_as_one(void **state)
{
    static const law laws[] = {noisy, root};
    enum { POINTS = 300 };
    double columns[3][POINTS], results[POINTS];
    uint64_t seed = 1;

    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < 3; j++)
            columns[j][i] = 10 * random_error(&seed);
    columns[1][17] = (double)NAN;
    columns[0][200] = (double)INFINITY;
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
        memmodel_model *model = fit_law(*state, laws[k], 1);

        memmodel_model_evaluate_many(model, (const double *[]){columns[0], columns[1], columns[2]}, 1, POINTS, results);
        for (size_t i = 0; i < POINTS; i++) {
            double one = memmodel_model_evaluate(model, (double[]){columns[0][i], columns[1][i], columns[2][i]});

            assert_memory_equal(&one, &results[i], sizeof one);
        }
        memmodel_model_unref(model);
    }
}

/* Of new measurements with the same noise, about 95 % must lie below the bound of that level. */
static void
bounds_hold_for_new_measurements(void **state)
{
    memmodel_model *model = fit_law(*state, noisy, 11);
    struct memmodel_prediction prediction = {.size = sizeof prediction};
    size_t below = 0, points = 2000;
    uint64_t seed = 99;

    for (size_t i = 0; i < points; i++) {
        struct row row = row_at(i, &seed);

        assert_int_equal(memmodel_model_predict(model, (double[]){row.a, row.b, row.c}, NULL, &prediction), 0);
        assert_true(prediction.upper >= prediction.value);
        below += noisy(&row) <= prediction.upper;
    }
    assert_true((double)below / (double)points >= 0.92);
    assert_true(prediction.upper - prediction.value < 3); /* the noise reaches 2 */
    memmodel_model_unref(model);
}

/* y = x^2, from 1 to 8: what lies beyond is not known. */
static void
solving_stays_inside_the_domain_of_a_curve(void **state)
{
    memmodel_samples *samples = parse(*state, "x,y\n1,1\n2,4\n3,9\n4,16\n5,25\n6,36\n7,49\n8,64\n");
    memmodel_model *model = fit_squared(samples);
    int64_t largest;

    assert_int_equal(memmodel_model_predict_max(model, (double[]){0}, "x", at_level(0.9), 30, NULL, &largest), 0);
    assert_int_equal(largest, 5);
    assert_int_equal(memmodel_model_predict_max(model, (double[]){0}, "x", at_level(0.9), 1e6, NULL, &largest), 0);
    assert_int_equal(largest, 8);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* ---- the front ---- */

static void
the_front_falls_in_error_as_it_grows_in_size(void **state)
{
    memmodel_model *model = fit_law(*state, noisy, 13);
    struct memmodel_model_front_entry before = {.node_count = 0, .nested_cv_error = INFINITY};
    size_t count = memmodel_model_front_count(model), chosen = 0;
    const char *text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);

    assert_true(count >= 3);
    for (size_t i = 0; i < count; i++) {
        struct memmodel_model_front_entry entry = {.size = sizeof entry};

        assert_int_equal(memmodel_model_get_front_entry(model, i, &entry), 0);
        assert_true(entry.node_count > before.node_count);
        assert_true(entry.nested_cv_error < before.nested_cv_error || entry.selected);
        if (entry.selected) {
            assert_string_equal(front_formula(model, i), text);
            assert_near(entry.nested_cv_error, scores_of(model).nested_cv_error, 0);
            chosen++;
        }
        before = entry;
    }
    assert_int_equal(chosen, 1);
    assert_null(front_formula(model, count));
    assert_int_equal(
        memmodel_model_get_front_entry(model, count, &(struct memmodel_model_front_entry){.size = sizeof before}),
        MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_model_unref(model);
}

/* ---- options ---- */

static void
given_terms_are_all_there_is(void **state)
{
    static const char *const terms[] = {"a*c", "c"};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .terms = terms,
                                           .term_count = 2,
                                           .basis = MEMMODEL_FIT_BASIS_USER,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED};
    memmodel_samples *samples = table_of(*state, noisy, 1);
    memmodel_model *model = fit(samples, &options);
    const char *text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);

    assert_non_null(strstr(text, "*c"));
    assert_null(strstr(text, "b"));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static double
growth(const struct row *row)
{
    return (50 + 10 * row->a - 5 * row->c) * (1 + 0.02 * row->noise);
}

static void
the_general_basis_may_make_relative_errors_small(void **state)
{
    struct memmodel_fit_options options = {
        .size = sizeof options, .basis = MEMMODEL_FIT_BASIS_GENERAL, .loss = MEMMODEL_FIT_LOSS_RELATIVE};
    memmodel_samples *samples = table_of(*state, growth, 1);
    memmodel_model *model = fit(samples, &options);
    struct memmodel_prediction prediction = {.size = sizeof prediction};

    assert_int_equal(scores_of(model).loss, MEMMODEL_FIT_LOSS_RELATIVE);
    assert_near(scores_of(model).nested_cv_error, 0.02 / sqrt(3), 0.004);
    assert_int_equal(memmodel_model_predict(model, (double[]){3, 2, 1}, NULL, &prediction), 0);
    assert_near(prediction.value / 75, 1, 0.01);
    assert_near(prediction.upper / 75, 1.02, 0.015);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* The model of a relative fit with the general basis. */
static void
assert_written_and_read(memmodel_context *context, const double (*rows)[3], size_t count)
{
    const struct memmodel_fit_options options = {
        .size = sizeof options, .basis = MEMMODEL_FIT_BASIS_GENERAL, .loss = MEMMODEL_FIT_LOSS_RELATIVE};
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, (const char *[]){"a", "b", "y"}, 3, &samples), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(memmodel_samples_add_row(samples, rows[i]), 0);
    model = fit(samples, &options);
    memmodel_model_unref(written_and_read(context, model));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/*
 * A row held out of the first table is predicted as 0, of which no measurement is a multiple. Beside the least of the
 * second the others count nothing in relative errors: nothing but itself says anything about it.
 */
static void
relative_errors_without_end_are_written(void **state)
{
    static const double zero[][3] = {{2, 3, 1}, {2, 1, 1}, {6, 3, 72}, {3, 4, 18}, {1, 4, 1}, {6, 4, 108}, {2, 4, 4}};
    double steep[8][3];

    assert_written_and_read(*state, zero, sizeof zero / sizeof zero[0]);
    for (size_t i = 0; i < 8; i++) {
        steep[i][0] = (double)(i + 1);
        steep[i][1] = 0;
        steep[i][2] = pow(1e12, (double)(i + 1));
    }
    assert_written_and_read(*state, (const double(*)[3])steep, 8);
}

static void
most_terms_is_kept(void **state)
{
    memmodel_samples *samples = table_of(*state, noisy, 1);
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 1, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    memmodel_model *model = fit(samples, &options);

    assert_int_equal(scores_of(model).term_count, 2);
    memmodel_model_unref(model);
    options.max_terms = 31;
    memmodel_model_unref(fit(samples, &options));
    options.max_terms = 32;
    assert_error(*state, memmodel_fit(samples, &options, NULL, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "1 to 31");
    memmodel_samples_unref(samples);
}

/* Of seven terms, none of which the others can stand in for. */
static double
manifold(const struct row *row)
{
    return row->a * row->a - 9 * row->a + 4 * row->c + 7 * (row->b == 3) - 5 * (row->b == 1) + 3 * row->a * row->c +
           2 * row->c * row->c + 0.5 * row->noise;
}

/* Root mean square error at points that were not measured. */
static double
error_elsewhere(const memmodel_model *model, law y)
{
    uint64_t seed = 1;
    double squares = 0;

    for (size_t i = ROWS; i < 5 * ROWS; i++) {
        struct row row = row_at(i, &seed);
        double error;

        row.noise = 0;
        error = memmodel_model_evaluate(model, (double[]){row.a, row.b, row.c}) - y(&row);
        squares += error * error / (4 * ROWS);
    }
    return sqrt(squares);
}

/* Five terms are off by 2.8 elsewhere. */
static void
as_many_terms_as_pay_are_taken(void **state)
{
    memmodel_model *model = fit_law(*state, manifold, 5);

    assert_true(scores_of(model).term_count > 6);
    assert_true(error_elsewhere(model, manifold) < 1.2);
    memmodel_model_unref(model);
}

/* ---- tables that nobody wants ---- */

static void
what_squared_errors_cannot_do_is_said(void **state)
{
    memmodel_samples *zero = parse(*state, "x,y\n1,1\n2,3\n3,0\n4,5\n5,6\n");
    memmodel_samples *huge = parse(*state, "x,y\n1,1\n2,3\n3,2\n4,5e200\n5,6\n");
    struct memmodel_fit_options options = {.size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    memmodel_model *model;

    assert_error(*state, memmodel_fit(zero, NULL, NULL, &model), MEMMODEL_ERROR_DATA, "row 3");
    assert_error(*state, memmodel_fit(zero, NULL, NULL, &model), MEMMODEL_ERROR_DATA, "y");
    assert_error(*state, memmodel_fit(zero, NULL, NULL, &model), MEMMODEL_ERROR_DATA, "squared");
    assert_error(*state, memmodel_fit(huge, &options, NULL, &model), MEMMODEL_ERROR_DATA, "row 4");
    options.loss = MEMMODEL_FIT_LOSS_PINBALL + 1;
    assert_error(*state, memmodel_fit(zero, &options, NULL, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "loss");
    memmodel_samples_unref(zero);
    memmodel_samples_unref(huge);
}

/* Columns that overflow when squared or divided by, that repeat each other but for a factor, or have two levels. */
static void
awkward_columns_do_no_harm(void **state)
{
    static const char *const columns[] = {"x", "twice", "tiny", "huge", "nearly_constant", "level", "y"};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 1;

    assert_int_equal(memmodel_samples_new(*state, columns, 7, &samples), 0);
    for (size_t i = 0; i < 40; i++) {
        double x = (double)i, level = (double)(i % 2);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){x, 2 * x, 1e-300 * (1 + (double)(i * 7 % 40)),
                                                                      1e300 * (1 + (double)(i * 3 % 40)),
                                                                      1e9 + 1e-7 * (double)(i % 5), level,
                                                                      1 - 3 * x + level + 0.01 * random_error(&seed)}),
                         0);
    }
    model = fit_squared(samples);
    assert_near(memmodel_model_evaluate(model, (double[]){20, 40, 1e-300, 1e300, 1e9, 0}), -59, 0.05);
    assert_true(isfinite(scores_of(model).nested_cv_error));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
four_rows_are_enough(void **state)
{
    memmodel_samples *samples = parse(*state, "x,y\n1,-1\n2,-2\n3,-3\n4,-4.1\n");
    memmodel_model *model = fit_squared(samples);

    assert_true(isfinite(memmodel_model_evaluate(model, (double[]){2.5})));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(planted_formulas_are_found),
        WITH_CONTEXT(what_is_met_exactly_has_few_digits),
        WITH_CONTEXT(the_sum_of_twenty_inputs_is_found),
        WITH_CONTEXT(held_out_error_is_about_the_noise),
        WITH_CONTEXT(of_noise_the_mean_remains),
        WITH_CONTEXT(a_target_that_never_changes_is_its_value),
        WITH_CONTEXT(the_order_of_the_rows_does_not_matter),
        WITH_CONTEXT(a_model_is_the_same_after_writing_and_reading),
        WITH_CONTEXT(curves_end_where_the_samples_do_and_lines_go_on),
        WITH_CONTEXT(predictions_of_curves_stay_near_the_measurements),
        WITH_CONTEXT(many_points_give_the_same_bits_as_one),
        WITH_CONTEXT(bounds_hold_for_new_measurements),
        WITH_CONTEXT(solving_stays_inside_the_domain_of_a_curve),
        WITH_CONTEXT(the_front_falls_in_error_as_it_grows_in_size),
        WITH_CONTEXT(given_terms_are_all_there_is),
        WITH_CONTEXT(the_general_basis_may_make_relative_errors_small),
        WITH_CONTEXT(relative_errors_without_end_are_written),
        WITH_CONTEXT(most_terms_is_kept),
        WITH_CONTEXT(as_many_terms_as_pay_are_taken),
        WITH_CONTEXT(what_squared_errors_cannot_do_is_said),
        WITH_CONTEXT(awkward_columns_do_no_harm),
        WITH_CONTEXT(four_rows_are_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

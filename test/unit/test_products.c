/* Products of powers and small trees, sums, what they are made of, islands, and the digits of numbers. */
#include "fitted.h"
#include "near.h"

#include "regression/linear/decimal.h"
#include "regression/search/evolve.h"
#include "regression/prove/structure.h"
#include "regression/search/product.h"
#include "regression/search/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, INPUTS = 3, FEATURES = 3000 };

/* A table of three inputs between 1 and 4 and a target, and all that a search for it needs. */
struct bench {
    struct workspace workspace;
    double columns[INPUTS][ROWS], target[ROWS], ones[ROWS];
    const double *inputs[INPUTS];
    struct aim aim;
    struct library library;
    struct products products;
    struct fitter fitter;
    struct archive archive;
};

static void
bench_new(memmodel_context *context, double (*law)(double x, double y, double z), struct bench *bench)
{
    uint64_t seed = 5;

    *bench = (struct bench){.aim = {bench->target, bench->ones, ROWS, 1e-24}};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < INPUTS; j++)
            bench->columns[j][i] = 2.5 + 1.5 * random_error(&seed);
        bench->target[i] = law(bench->columns[0][i], bench->columns[1][i], bench->columns[2][i]);
        bench->ones[i] = 1;
    }
    for (size_t j = 0; j < INPUTS; j++)
        bench->inputs[j] = bench->columns[j];
    bench->workspace = WORKSPACE_INIT(context);
    assert_int_equal(library_new(&bench->workspace, ROWS, bench->inputs, INPUTS, NULL, FEATURES, &bench->library), 0);
    assert_int_equal(
        products_new(&bench->workspace, ROWS, bench->inputs, INPUTS, NULL, &bench->library, &bench->products), 0);
    bench->fitter = fitter_new(&bench->workspace, ROWS, bench->inputs, INPUTS, NULL);
    assert_int_equal(bench->workspace.status, 0);
    bench->fitter.aim = &bench->aim;
}

/* Squared error of the best formula over that of a constant. */
static double
error_of_products(memmodel_context *context, double (*law)(double x, double y, double z))
{
    static struct bench bench;
    struct formula constant = {.count = 0};
    double error;

    bench_new(context, law, &bench);
    products_search(&bench.products, &bench.fitter, &bench.archive);
    assert_true(formula_fit_linear(&bench.fitter, &constant));
    error = archive_best(&bench.archive, ARCHIVE_MAX_NODES)->error / constant.error;
    workspace_release(&bench.workspace);
    return error;
}

static double
powers_and_length(double x, double y, double z)
{
    return 0.3 * x * x / sqrt(y) / (x * x + z * z);
}

static double
wave(double x, double y, double z)
{
    return -7 * x * cos(y * z) / y;
}

static double
decay(double x, double y, double z)
{
    return 2 * sqrt(x) * exp(-0.7 * y / z);
}

static double
one_more(double x, double y, double z)
{
    return x + 0.4 * y * tanh(y) / (z * z);
}

static void
products_of_powers_and_trees_are_found(void **state)
{
    assert_true(error_of_products(*state, powers_and_length) < 1e-18);
    assert_true(error_of_products(*state, wave) < 1e-18);
    assert_true(error_of_products(*state, decay) < 1e-18);
    assert_true(error_of_products(*state, one_more) < 1e-18);
}

/* ---- sums ---- */

static double
waves(double x, double y, double z)
{
    return 0.5 * sin(x - y) - 2 * tanh(z);
}

static double
shifted(double x, double y, double z)
{
    return 3 * x / (y + 1.3) + 2 * z;
}

static double
error_of_sums(memmodel_context *context, double (*law)(double x, double y, double z), const struct structure *structure)
{
    static struct bench bench;
    struct formula constant = {.count = 0};
    double error;

    bench_new(context, law, &bench);
    bench.fitter.structure = structure;
    assert_int_equal(sums_search(&bench.library, &bench.fitter, &bench.archive), 0);
    archive_polish(&bench.fitter, 1, &bench.archive);
    assert_true(formula_fit_linear(&bench.fitter, &constant));
    error = archive_best(&bench.archive, ARCHIVE_MAX_NODES)->error / constant.error;
    workspace_release(&bench.workspace);
    return error;
}

static void
sums_of_waves_and_of_trees_with_a_number_are_found(void **state)
{
    const struct structure whole = {.integer_exponents = true};

    assert_true(error_of_sums(*state, waves, NULL) < 1e-18);
    assert_true(error_of_sums(*state, waves, &whole) > 1e-9);
    assert_true(error_of_sums(*state, shifted, NULL) < 1e-18);
}

/* ---- the library ---- */

/* Whether the two are one but for a factor and a constant. */
static bool
say_the_same(const double *a, const double *b)
{
    double scale = (b[1] - b[0]) / (a[1] - a[0]);

    for (size_t i = 2; i < ROWS; i++)
        if (!(fabs(b[i] - b[0] - scale * (a[i] - a[0])) < 1e-9 * (fabs(b[i]) + fabs(b[0]))))
            return false;
    return true;
}

/* x y and (x + y)^2 - x^2 - y^2, sqrt(x) sqrt(y) and sqrt(x y), x - y and y - x are features once. */
static void
trees_that_say_the_same_are_listed_once(void **state)
{
    static struct bench bench;

    bench_new(*state, wave, &bench);
    assert_true(bench.library.count > 300);
    for (size_t i = 0; i < 300; i++)
        for (size_t j = 0; j < i; j++)
            assert_false(
                say_the_same(matrix_column(&bench.library.values, i), matrix_column(&bench.library.values, j)));
    workspace_release(&bench.workspace);
}

/* ---- islands ---- */

static double
tangled(double x, double y, double z)
{
    return x / (1 + z) / sqrt(x + y) + log(x + 3 * z) / (2 + x * y);
}

/* What generations and migrations make; how many formulas were tried. */
static size_t
breed_on_threads(struct bench *bench, size_t threads, struct archive *archive)
{
    struct world world = world_new(&bench->workspace, ROWS, bench->inputs, INPUTS, NULL, threads);
    size_t tried;

    assert_int_equal(bench->workspace.status, 0);
    assert_int_equal(world_begin(&world, &bench->aim, 7, NULL), 0);
    tried = world_tried(&world);
    for (int i = 0; i < 3; i++)
        assert_int_equal(world_advance(&world, 2), 0);
    world_report(&world, archive);
    assert_true(world_tried(&world) > 2 * tried);
    tried = world_tried(&world);
    world_release(&world);
    return tried;
}

static void
islands_breed_the_same_on_any_number_of_threads(void **state)
{
    static struct bench bench;
    static struct archive one, many;

    bench_new(*state, tangled, &bench);
    for (size_t threads = 2; threads <= 8; threads += 3) { /* fewer than islands, and more */
        memset(&one, 0, sizeof one);
        memset(&many, 0, sizeof many);
        assert_int_equal(breed_on_threads(&bench, 1, &one), breed_on_threads(&bench, threads, &many));
        for (size_t i = 0; i <= ARCHIVE_MAX_NODES; i++) {
            assert_int_equal(one.formulas[i].count, many.formulas[i].count);
            assert_true(one.formulas[i].count == 0 || one.formulas[i].error == many.formulas[i].error);
        }
    }
    workspace_release(&bench.workspace);
}

/* ---- digits ---- */

/* Greatest number of digits of a coefficient of the formula that is found for c + 3 a / (b + 2.5), times errors. */
static int
max_digits(memmodel_context *context, double constant, double error)
{
    static const char *const columns[] = {"a", "b", "y"};
    struct memmodel_fit_options options = {
        .size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 100000};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 3;
    char *text;
    int max = 0;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (int i = 0; i < 40; i++) {
        double a = 5 + 4 * random_error(&seed), b = 3 + 2 * random_error(&seed);

        assert_int_equal(
            memmodel_samples_add_row(
                samples, (double[]){a, b, (constant + 3 * a / (b + 2.5)) * (1 + error * random_error(&seed))}),
            0);
    }
    model = fit(samples, &options);
    assert_near(memmodel_model_evaluate(model, (double[]){5, 3}), constant + 15 / 5.5, 1e-9 + error);
    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    for (char *at = text; (at = strstr(at, "\"coefficient\":")) != NULL; at++) {
        double coefficient = strtod(at + strlen("\"coefficient\":"), NULL);
        int digits = 1;

        while (decimal_rounded(coefficient, digits) != coefficient && digits < 17)
            digits++;
        max = digits > max ? digits : max;
    }
    memmodel_free(text);
    assert_true(constant != 0 || !strstr(memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT),
                                         " 0")); /* a constant that is nothing is not written */
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return max;
}

/*
 * Errors of 1 % evenly are of 0.58 %: of 40 rows a coefficient is known to one part in a thousand at best, and a
 * hundredth of the standard error of the squared errors is spent by a sixth of that: four digits.
 */
static void
coefficients_have_the_digits_that_the_data_know(void **state)
{
    assert_true(max_digits(*state, 2, 0.01) <= 4);
    assert_true(max_digits(*state, 2, 0) <= 2);
    assert_true(max_digits(*state, 0, 0) <= 2);
}

static void
numbers_are_rounded_to_digits(void **state)
{
    (void)state;
    assert_true(decimal_rounded(0.123456, 2) == 0.12);
    assert_true(decimal_rounded(-9.96, 2) == -10);
    assert_true(decimal_rounded(45678, 1) == 50000);
    assert_true(decimal_rounded(45678, 3) == 45700);
    assert_true(decimal_rounded(0.00099951, 3) == 0.001);
    assert_true(decimal_rounded(0, 3) == 0);
}

/* ---- what is known of units and powers ---- */

static double
drag(double a, double b)
{
    return 0.7 * a * a / (b + 0.6 * a);
}

/* Greatest relative error of a search on rows a, b, y = drag(a, b). */
static double
worst_error(memmodel_context *context, const char *const *units, size_t unit_count, int integer_exponents)
{
    static const char *const columns[] = {"a", "b", "y"};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = 1,
                                           .max_evaluations = 100000,
                                           .units = units,
                                           .unit_count = unit_count,
                                           .integer_exponents = integer_exponents};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 9;
    double worst = 0;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (int i = 0; i < 40; i++) {
        double a = 5 + 4 * random_error(&seed), b = 3 + 2 * random_error(&seed);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){a, b, drag(a, b)}), 0);
    }
    options.target = "y";
    model = fit(samples, &options);
    for (double a = 2; a < 8; a += 0.5)
        worst = fmax(worst, fabs(memmodel_model_evaluate(model, (double[]){a, 3}) / drag(a, 3) - 1));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return worst;
}

static void
searched_formulas_keep_to_units_and_powers(void **state)
{
    const char *const like[] = {"a=m", "b=m", "y=m"}, *const unlike[] = {"a=m", "b=s", "y=m"};

    assert_true(worst_error(*state, NULL, 0, 0) < 1e-6);
    assert_true(worst_error(*state, like, 3, 1) < 1e-6);
    assert_true(worst_error(*state, unlike, 3, 0) > 1e-3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(products_of_powers_and_trees_are_found),
        WITH_CONTEXT(numbers_are_rounded_to_digits),
        WITH_CONTEXT(islands_breed_the_same_on_any_number_of_threads),
        WITH_CONTEXT(sums_of_waves_and_of_trees_with_a_number_are_found),
        WITH_CONTEXT(trees_that_say_the_same_are_listed_once),
        LONG_WITH_CONTEXT(coefficients_have_the_digits_that_the_data_know),
        WITH_CONTEXT(searched_formulas_keep_to_units_and_powers),
    };

    return cmocka_run_group_tests_name("products", tests, NULL, NULL);
}

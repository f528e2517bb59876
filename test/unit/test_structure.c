/* What is proven of formulas, and what is known of them beforehand. */
#include "fitted.h"
#include "near.h"

#include "expression/expression.h"

#include <math.h>
#include <stdbool.h>

/* ---- ranges of programs ---- */

struct ranges {
    bool defined;
    struct expression_range value, slope;
};

/* Of a formula in x and y, with its slope along x. */
static struct ranges
ranges_of(memmodel_context *context, const char *text, double x_least, double x_most, double y_least, double y_most)
{
    const double lower[] = {x_least, y_least}, upper[] = {x_most, y_most};
    struct expression_program *program;
    struct expression_pool *pool;
    struct ranges ranges;
    expression formula;

    assert_int_equal(expression_pool_new(context, &pool), 0);
    assert_true(expression_symbol(pool, "x") >= 0 && expression_symbol(pool, "y") >= 0);
    formula = expression_parse(pool, "formula", text);
    assert_int_equal(expression_compile(pool, &formula, 1, &program), 0);
    ranges.defined = expression_program_range(program, lower, upper, 0, &ranges.value, &ranges.slope);
    expression_program_free(program);
    expression_pool_free(pool);
    return ranges;
}

static void
ranges_of_simple_formulas_are_those_worked_out_by_hand(void **state)
{
    struct ranges ranges = ranges_of(*state, "x*y - 3*x", 1, 2, 4, 6);

    /* x y in [4, 12], -3 x in [-6, -3] */
    assert_true(ranges.defined);
    assert_near(ranges.value.least, -2, 1e-15);
    assert_near(ranges.value.greatest, 9, 1e-15);
    assert_near(ranges.slope.least, 1, 1e-14);
    assert_near(ranges.slope.greatest, 3, 1e-14);
    ranges = ranges_of(*state, "x^2", -1, 3, 0, 0);
    assert_near(ranges.value.least, 0, 0);
    assert_near(ranges.value.greatest, 9, 0);
}

static void
a_pole_a_logarithm_of_zero_and_a_root_below_zero_have_no_range(void **state)
{
    assert_false(ranges_of(*state, "1/(x - 3)", 1, 5, 0, 0).defined);
    assert_true(ranges_of(*state, "1/(x - 3)", 3.5, 5, 0, 0).defined);
    assert_false(ranges_of(*state, "log(x)", 0, 5, 0, 0).defined);
    assert_true(ranges_of(*state, "log(x)", 0.1, 5, 0, 0).defined);
    assert_false(ranges_of(*state, "sqrt(x - y)", 1, 5, 0, 2).defined);
    assert_true(ranges_of(*state, "sqrt(x - y)", 2, 5, 0, 2).defined);
    assert_false(ranges_of(*state, "x^8*y^8", 1, 1e20, 1, 1e20).defined);
}

/* Steps have no derivative, but slopes: upward ones none below 0. */
static void
a_step_has_slopes_of_its_direction(void **state)
{
    struct ranges up = ranges_of(*state, "equal(max(x, 3), x)", 1, 5, 0, 0);
    struct ranges down = ranges_of(*state, "equal(min(x, 3), x)", 1, 5, 0, 0);
    struct ranges beyond = ranges_of(*state, "equal(max(x, 3), x)", 3, 5, 0, 0);
    struct ranges needle = ranges_of(*state, "equal(x, 3)", 1, 5, 0, 0);

    assert_true(up.slope.least >= 0 && isinf(up.slope.greatest));
    assert_true(down.slope.greatest <= 0 && isinf(down.slope.least));
    assert_true(beyond.value.least == 1 && beyond.slope.greatest == 0);
    assert_true(isinf(needle.slope.least) && isinf(needle.slope.greatest));
}

/* Formulas of every operation at random points: no value and no slope between two points may lie outside. */
static void
every_value_and_every_slope_lies_in_its_range(void **state)
{
    static const char *const formulas[] = {
        "x*y - y^2/x + 3",
        "sqrt(x)*log(y + 1)",
        "max(x - 2, 0)*y - min(x, y)",
        "x^(1/3)/y - x^(5/7)",
        "floor(x)*y - floor((x + y)/3)",
        "equal(max(x, 5/2), x)*y - x*equal(min(x, 3), x)",
        "1/(x + y^2) - log(x)^2",
        "(x - y)^3 - 2*(x - y)^2",
    };
    uint64_t seed = 5;

    for (size_t f = 0; f < sizeof formulas / sizeof formulas[0]; f++) {
        struct expression_program *program;
        struct expression_pool *pool;
        expression formula;

        assert_int_equal(expression_pool_new(*state, &pool), 0);
        assert_true(expression_symbol(pool, "x") >= 0 && expression_symbol(pool, "y") >= 0);
        formula = expression_parse(pool, "formula", formulas[f]);
        assert_int_equal(expression_compile(pool, &formula, 1, &program), 0);
        for (int i = 0; i < 2000; i++) {
            double lower[2], upper[2], first[2], second[2], y1, y2, slope;
            struct expression_range value, slopes;

            for (int k = 0; k < 2; k++) {
                lower[k] = 2 + 1.9 * random_error(&seed);
                upper[k] = lower[k] + 2 + 2 * random_error(&seed);
                first[k] = lower[k] + (upper[k] - lower[k]) * (1 + random_error(&seed)) / 2;
                second[k] = first[k];
            }
            second[0] = lower[0] + (upper[0] - lower[0]) * (1 + random_error(&seed)) / 2;
            assert_true(expression_program_range(program, lower, upper, 0, &value, &slopes));
            expression_program_run(program, first, &y1);
            expression_program_run(program, second, &y2);
            assert_true(y1 >= value.least && y1 <= value.greatest);
            slope = (y2 - y1) / (second[0] - first[0]);
            if (fabs(second[0] - first[0]) > 1e-3) /* else rounding is larger */
                assert_true(slope >= slopes.least - 1e-9 && slope <= slopes.greatest + 1e-9);
        }
        expression_program_free(program);
        expression_pool_free(pool);
    }
}

/* ---- certificates ---- */

static int
certified(const memmodel_model *model)
{
    struct memmodel_model_scores scores = {.size = sizeof scores};

    assert_int_equal(memmodel_model_scores(model, &scores), 0);
    return scores.certified;
}

static void
a_fitted_formula_is_certified_and_its_file_too(void **state)
{
    memmodel_model *model = network_model(*state, 0.01), *read;
    char *text;

    assert_int_equal(certified(model), 1);
    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    assert_non_null(strstr(text, "\"certified\": true"));
    assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &read), 0);
    assert_int_equal(certified(read), 1);
    memmodel_model_unref(read);
    memmodel_model_unref(model);
    memmodel_free(*state, text);
}

/* y = 100 + 1 / (x - 3.5)^2, measured at whole numbers: the term fits exactly, and has a pole that no sample shows. */
static memmodel_samples *
pole_samples(memmodel_context *context)
{
    static const char *const columns[] = {"x", "y"};
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, columns, 2, &samples), 0);
    for (int x = 0; x <= 9; x++)
        assert_int_equal(memmodel_samples_add(samples, (double[]){x, 100 + 40 / ((x - 3.5) * (x - 3.5))}), 0);
    return samples;
}

static void
fit_pole(void **state, int32_t loss, const char *term, bool offered)
{
    memmodel_samples *samples = pole_samples(*state);
    const char *const terms[] = {term};
    memmodel_model *model =
        fit(samples, &(struct memmodel_fit_options){
                         .size = sizeof(struct memmodel_fit_options), .loss = loss, .terms = terms, .term_count = 1});
    char *text = formula(*state, model, MEMMODEL_TEXT);

    assert_int_equal(certified(model), 1);
    assert_int_equal(strstr(text, "^(-2)") != NULL || strstr(text, "1/") != NULL, offered);
    memmodel_free(*state, text);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* Just as good a term without the pole is taken: the sample at 3.5 that would show it is not there. */
static void
a_formula_with_a_pole_between_the_samples_is_not_returned(void **state)
{
    static const int32_t losses[] = {MEMMODEL_FIT_LOSS_RELATIVE, MEMMODEL_FIT_LOSS_SQUARED};

    for (size_t i = 0; i < 2; i++) {
        fit_pole(state, losses[i], "1/(x - 7/2)^2", false);
        fit_pole(state, losses[i], "1/max((x - 7/2)^2, 1/5)", true);
    }
}

static void
a_file_that_claims_a_certificate_for_a_pole_is_refused(void **state)
{
    memmodel_model *model = network_model(*state, 0.01), *read = NULL;
    char *text, *place;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    /* the domain of `dim` from 32 on becomes one from -2 on; powers stay finite, but the formula is negative there */
    place = strstr(text, "\"least\": 32.0");
    assert_non_null(place);
    memcpy(place, "\"least\":-99.0", strlen("\"least\":-99.0"));
    assert_error(*state, memmodel_model_from_json(*state, "model", text, strlen(text), &read), MEMMODEL_ERROR_PARSE,
                 "cannot be certified");
    memmodel_model_unref(model);
    memmodel_free(*state, text);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, context_setup, context_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(ranges_of_simple_formulas_are_those_worked_out_by_hand),
        WITH_CONTEXT(a_pole_a_logarithm_of_zero_and_a_root_below_zero_have_no_range),
        WITH_CONTEXT(a_step_has_slopes_of_its_direction),
        WITH_CONTEXT(every_value_and_every_slope_lies_in_its_range),
        WITH_CONTEXT(a_fitted_formula_is_certified_and_its_file_too),
        WITH_CONTEXT(a_formula_with_a_pole_between_the_samples_is_not_returned),
        WITH_CONTEXT(a_file_that_claims_a_certificate_for_a_pole_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

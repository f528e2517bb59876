/* Peaks that are the greatest of several regimes of a step. */
#include "allocations.h"
#include "fitted.h"
#include "near.h"

#include "regression/linear/decimal.h"

#include <math.h>

/* Weights with what an optimizer keeps of them, and the work of the widest layers. They cross within the table. */
static double
weights_regime(void)
{
    return 2000000004;
}

static double
layers_regime(double dim, double batch)
{
    return 100000000 + 4000 * batch * dim * dim * dim;
}

static double
max(double dim, double batch)
{
    return fmax(weights_regime(), layers_regime(dim, batch));
}

/* Every fifth row is `factor` times as large. */
static memmodel_samples *
table(memmodel_context *context, double (*bytes)(double dim, double batch), double factor)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < DIMS * BATCHES; i++) {
        double dim = dims[i / BATCHES], batch = batches[i % BATCHES];
        double peak = bytes(dim, batch) * (i % 5 == 2 ? factor : 1);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){dim, batch, peak}), 0);
    }
    return samples;
}

static memmodel_model *
fit_table(memmodel_context *context, double (*bytes)(double dim, double batch), double factor,
          const struct memmodel_fit_options *options)
{
    memmodel_samples *samples = table(context, bytes, factor);
    memmodel_model *model = fit(samples, options);

    memmodel_samples_unref(samples);
    return model;
}

static void
assert_says(const memmodel_model *model, double dim, double batch, double bytes)
{
    assert_near(memmodel_model_evaluate(model, (double[]){dim, batch}) / bytes, 1, 1e-6);
}

static void
the_greatest_of_two_regimes_is_found_and_goes_on(void **state)
{
    memmodel_model *model = fit_table(*state, max, 1, NULL);

    assert_says(model, 40, 1, weights_regime());
    assert_says(model, 72, 1, max(72, 1));
    assert_says(model, 80, 1, max(80, 1));
    assert_says(model, 104, 12, layers_regime(104, 12));
    assert_says(model, 256, 64, layers_regime(256, 64));
    memmodel_model_unref(model);
}

/* The second is the greater one at two rows: batch 1 and 2 of dim 32. Bends meet these, too, and miss the others a little. */
static double
hardly_two(double dim, double batch)
{
    return fmax(30 * dim * dim * batch + 27000, 878 * dim * batch + 33000);
}

static void
of_two_that_are_as_good_the_exact_and_shorter_one_is_taken(void **state)
{
    memmodel_model *model = fit_table(*state, hardly_two, 1, NULL);

    assert_says(model, 112, 16, hardly_two(112, 16));
    assert_says(model, 256, 64, hardly_two(256, 64));
    memmodel_model_unref(model);
}

/* 20016 length batch + 66958436 up to 202.97 of length * batch, from there on the other one. */
static double
two_lines(double length, double batch)
{
    return fmax(20016 * length * batch + 66958436, 130872 * length * batch + 44458300);
}

/* No row lies between 128 and 256, so that bends at both meet all rows; but at 96 * 2 they are 4 % off. */
static void
of_two_that_meet_all_rows_the_shorter_one_is_taken(void **state)
{
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(*state, (const char *[]){"length", "batch", "peak_bytes"}, 3, &samples), 0);
    for (int length = 16; length <= 128; length *= 2)
        for (int batch = 1; batch <= 32; batch *= 2)
            assert_int_equal(memmodel_samples_add_row(samples, (double[]){length, batch, two_lines(length, batch)}), 0);
    model = fit(samples, NULL);
    assert_says(model, 96, 2, two_lines(96, 2));
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
a_formula_that_most_rows_meet_is_not_moved_by_the_others(void **state)
{
    memmodel_model *model = fit_table(*state, layers_regime, 0.8, NULL);

    assert_says(model, 104, 12, layers_regime(104, 12));
    assert_says(model, 256, 64, layers_regime(256, 64));
    memmodel_model_unref(model);
}

static void
noisy_rows_are_no_regimes(void **state)
{
    memmodel_model *model = network_model(*state, 0.03);
    const char *text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);

    assert_null(strstr(text, "max(16"));
    assert_null(strstr(text, ", max("));
    assert_null(strstr(text, "batch, "));
    memmodel_model_unref(model);
}

static void
a_limit_of_terms_holds(void **state)
{
    const struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 1};
    memmodel_model *model = fit_table(*state, max, 1, &options);
    const char *text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);

    assert_non_null(strchr(text, '+'));
    assert_ptr_equal(strchr(text, '+'), strrchr(text, '+')); /* a term and the constant */
    memmodel_model_unref(model);
}

static void
assert_same_bounds(const memmodel_model *model, const memmodel_model *other, const double *inputs)
{
    static const double levels[] = {0.73, 0.9, 0.95, 0.99};

    for (int32_t rule = MEMMODEL_BOUND_METHOD_DEFAULT; rule <= MEMMODEL_BOUND_METHOD_STUDENT_T; rule++)
        for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
            struct memmodel_prediction fresh = {.size = sizeof fresh}, again = {.size = sizeof again};

            assert_int_equal(memmodel_model_predict(model, inputs, by_method(rule, levels[i]), &fresh), 0);
            assert_int_equal(memmodel_model_predict(other, inputs, by_method(rule, levels[i]), &again), 0);
            assert_true(fresh.value == again.value);
            assert_true(fresh.upper == again.upper);
        }
}

static void
assert_file_says_the_same(memmodel_context *context, double (*bytes)(double dim, double batch), double factor)
{
    memmodel_model *model = fit_table(context, bytes, factor, NULL), *read;
    char *text, *again;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    assert_int_equal(memmodel_model_from_json(context, "model", text, strlen(text), &read), 0);
    assert_int_equal(memmodel_model_to_json(read, NULL, &again), 0);
    assert_string_equal(text, again);
    for (double dim = 32; dim < 300; dim += 13)
        for (double batch = 1; batch < 40; batch *= 3)
            assert_same_bounds(model, read, (double[]){dim, batch});
    memmodel_free(text);
    memmodel_free(again);
    memmodel_model_unref(read);
    memmodel_model_unref(model);
}

static void
a_bound_of_regimes_covers_their_rows(void **state)
{
    memmodel_model *model = fit_table(*state, max, 0.99, NULL);

    for (size_t i = 0; i < DIMS * BATCHES; i++) {
        double dim = dims[i / BATCHES], batch = batches[i % BATCHES];
        struct memmodel_prediction prediction = predict(model, dim, batch, 0.95);

        assert_true(prediction.upper >= max(dim, batch) * (i % 5 == 2 ? 0.99 : 0.999999));
        assert_true(prediction.upper < 1.2 * max(dim, batch));
    }
    memmodel_model_unref(model);
}

/* Thirds have no end of digits: as written, both regimes are less than they are by 1e-9. */
static double
thirds(double dim, double batch)
{
    return fmax(1e9, 1e8 + 4000 * batch * dim * dim * dim) / 3;
}

static void
a_bound_is_one_of_the_formula_with_the_digits_it_has(void **state)
{
    memmodel_model *model = fit_table(*state, thirds, 1, NULL);

    for (size_t i = 0; i < DIMS * BATCHES; i++) {
        const double inputs[] = {dims[i / BATCHES], batches[i % BATCHES]};
        struct memmodel_prediction prediction = {.size = sizeof prediction};

        assert_int_equal(
            memmodel_model_predict(model, inputs, by_method(MEMMODEL_BOUND_METHOD_CONFORMAL, 0.95), &prediction), 0);
        assert_true(prediction.value < thirds(inputs[0], inputs[1]) * (1 - 1e-11));
        assert_true(prediction.upper > thirds(inputs[0], inputs[1]) * (1 - 1e-11));
        assert_true(prediction.upper < thirds(inputs[0], inputs[1]) * (1 + 1e-7));
    }
    memmodel_model_unref(model);
}

static double
late(double dim, double batch)
{
    return fmax(1.5e10, layers_regime(dim, batch));
}

/* Regimes of many terms, each of which a file has in the order in which it is read. */
static double
many_terms(double dim, double batch)
{
    return fmax(weights_regime() / 7 + batch * 1234567.89 + dim * 3456.789,
                layers_regime(dim, batch) / 3 + dim * dim * batch * 98765.4321);
}

static void
a_file_of_regimes_says_the_same_and_has_the_same_bounds(void **state)
{
    assert_file_says_the_same(*state, max, 1.001);
    assert_file_says_the_same(*state, max, 0.97);
    assert_file_says_the_same(*state, late, 1.1);
    assert_file_says_the_same(*state, many_terms, 1.05);
}

/* 2000000004 bytes have 29 digits to base two, 4000 have 7: in GiB as in bytes. */
static double
gibibytes(double dim, double batch)
{
    return max(dim, batch) * 0x1p-30;
}

static void
an_exact_formula_is_the_same_to_the_bit_in_other_units(void **state)
{
    memmodel_model *bytes = fit_table(*state, max, 1, NULL), *units = fit_table(*state, gibibytes, 1, NULL);

    for (double dim = 32; dim < 300; dim += 31)
        for (double batch = 1; batch < 40; batch += 3) {
            const double inputs[] = {dim, batch};
            struct memmodel_prediction one = {.size = sizeof one}, other = {.size = sizeof other};

            assert_int_equal(memmodel_model_predict(bytes, inputs, NULL, &one), 0);
            assert_int_equal(memmodel_model_predict(units, inputs, NULL, &other), 0);
            assert_true(one.value == max(dim, batch));
            assert_true(other.value * 0x1p30 == one.value);
            assert_true(other.upper * 0x1p30 == one.upper);
        }
    memmodel_model_unref(bytes);
    memmodel_model_unref(units);
}

static void
numbers_of_few_digits_to_base_two_are_found_near_a_number(void **state)
{
    struct rational exact = {0, 0};

    (void)state;
    assert_true(binary_near(2000000005.0001, 0.01, 0.5, &exact));
    assert_true(exact.numerator == 2000000005 && exact.denominator == 1);
    assert_true(binary_near(0.3750001, 1e-6, 1e-3, &exact));
    assert_true(exact.numerator == 3 && exact.denominator == 8);
    assert_true(binary_near(3 * 0x1p50, 1, 4, &exact));
    assert_true(exact.numerator == INT64_C(3) << 50 && exact.denominator == 1);
    assert_false(binary_near(1.0 / 3, 1e-9, 1e-7, &exact)); /* its digits do not end */
    assert_false(binary_near(0x1p70, 1, 4, &exact));
    assert_false(binary_near(0x1p-70, 0x1p-80, 0x1p-75, &exact));
}

static void
numbers_are_rounded_to_the_digits_asked(void **state)
{
    (void)state;
    assert_true(decimal_rounded(123456789.4, 9) == 123456789);
    assert_true(decimal_rounded(0.0123456, 3) == 0.0123);
    assert_true(decimal_rounded(987654, 1) == 1000000);
    assert_true(decimal_rounded(0, 5) == 0);
}

static int
fit_regimes(memmodel_context *context)
{
    static const char *const columns[] = {"x", "y"};
    memmodel_samples *samples;
    memmodel_model *model;
    int status = memmodel_samples_new(context, columns, 2, &samples);

    if (status)
        return status;
    for (int i = 1; !status && i <= 12; i++)
        status = memmodel_samples_add_row(samples, (double[]){i, fmax(1000 + 7 * i, 300 + 200 * i)});
    if (!status)
        status = memmodel_fit(samples, NULL, NULL, &model);
    if (!status)
        memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return status;
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failing_allocations(fit_regimes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_greatest_of_two_regimes_is_found_and_goes_on),
        WITH_CONTEXT(of_two_that_are_as_good_the_exact_and_shorter_one_is_taken),
        WITH_CONTEXT(of_two_that_meet_all_rows_the_shorter_one_is_taken),
        WITH_CONTEXT(a_formula_that_most_rows_meet_is_not_moved_by_the_others),
        WITH_CONTEXT(noisy_rows_are_no_regimes),
        WITH_CONTEXT(a_limit_of_terms_holds),
        WITH_CONTEXT(a_bound_of_regimes_covers_their_rows),
        WITH_CONTEXT(a_bound_is_one_of_the_formula_with_the_digits_it_has),
        WITH_CONTEXT(a_file_of_regimes_says_the_same_and_has_the_same_bounds),
        WITH_CONTEXT(an_exact_formula_is_the_same_to_the_bit_in_other_units),
        cmocka_unit_test(numbers_of_few_digits_to_base_two_are_found_near_a_number),
        cmocka_unit_test(numbers_are_rounded_to_the_digits_asked),
        LONG_UNIT_TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

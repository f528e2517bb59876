/* Peaks that are the greatest of several moments of a step. */
#include "allocations.h"
#include "fitted.h"
#include "near.h"

#include "regression/decimal.h"

#include <math.h>

/* Weights with what an optimizer keeps of them, and the work of the widest layers. They cross within the table. */
static double
weights_moment(void)
{
    return 2000000004;
}

static double
layers_moment(double dim, double batch)
{
    return 100000000 + 4000 * batch * dim * dim * dim;
}

static double
greatest(double dim, double batch)
{
    return fmax(weights_moment(), layers_moment(dim, batch));
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

        assert_int_equal(memmodel_samples_add(samples, (double[]){dim, batch, peak}), 0);
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
the_greatest_of_two_moments_is_found_and_goes_on(void **state)
{
    memmodel_model *model = fit_table(*state, greatest, 1, NULL);

    assert_says(model, 40, 1, weights_moment());
    assert_says(model, 72, 1, greatest(72, 1));
    assert_says(model, 80, 1, greatest(80, 1));
    assert_says(model, 104, 12, layers_moment(104, 12));
    assert_says(model, 256, 64, layers_moment(256, 64));
    memmodel_model_unref(model);
}

static void
a_formula_that_most_rows_meet_is_not_moved_by_the_others(void **state)
{
    memmodel_model *model = fit_table(*state, layers_moment, 0.8, NULL);

    assert_says(model, 104, 12, layers_moment(104, 12));
    assert_says(model, 256, 64, layers_moment(256, 64));
    memmodel_model_unref(model);
}

static void
noisy_rows_are_no_moments(void **state)
{
    memmodel_model *model = network_model(*state, 0.03);
    char *text = formula(*state, model, MEMMODEL_TEXT);

    assert_null(strstr(text, "max(16"));
    assert_null(strstr(text, ", max("));
    assert_null(strstr(text, "batch, "));
    memmodel_free(*state, text);
    memmodel_model_unref(model);
}

static void
a_limit_of_terms_holds(void **state)
{
    const struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 1};
    memmodel_model *model = fit_table(*state, greatest, 1, &options);
    char *text = formula(*state, model, MEMMODEL_TEXT);

    assert_non_null(strchr(text, '+'));
    assert_ptr_equal(strchr(text, '+'), strrchr(text, '+')); /* a term and the constant */
    memmodel_free(*state, text);
    memmodel_model_unref(model);
}

static void
a_file_of_moments_says_the_same(void **state)
{
    memmodel_model *model = fit_table(*state, greatest, 1.001, NULL), *read;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &read), 0);
    for (double dim = 32; dim < 300; dim += 13)
        assert_true(memmodel_model_evaluate(model, (double[]){dim, 3}) ==
                    memmodel_model_evaluate(read, (double[]){dim, 3}));
    memmodel_free(*state, text);
    memmodel_model_unref(read);
    memmodel_model_unref(model);
}

static void
a_bound_of_moments_covers_their_rows(void **state)
{
    memmodel_model *model = fit_table(*state, greatest, 0.99, NULL);

    for (size_t i = 0; i < DIMS * BATCHES; i++) {
        double dim = dims[i / BATCHES], batch = batches[i % BATCHES];
        struct memmodel_prediction prediction = predict(model, dim, batch, 0.95);

        assert_true(prediction.upper >= greatest(dim, batch) * (i % 5 == 2 ? 0.99 : 0.999999));
        assert_true(prediction.upper < 1.2 * greatest(dim, batch));
    }
    memmodel_model_unref(model);
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
fit_moments(memmodel_context *context)
{
    static const char *const columns[] = {"x", "y"};
    memmodel_samples *samples;
    memmodel_model *model;
    int status = memmodel_samples_new(context, columns, 2, &samples);

    if (status)
        return status;
    for (int i = 1; !status && i <= 12; i++)
        status = memmodel_samples_add(samples, (double[]){i, fmax(1000 + 7 * i, 300 + 200 * i)});
    if (!status)
        status = memmodel_fit(samples, NULL, &model);
    if (!status)
        memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return status;
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failing_allocations(fit_moments);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, context_setup, context_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_greatest_of_two_moments_is_found_and_goes_on),
        WITH_CONTEXT(a_formula_that_most_rows_meet_is_not_moved_by_the_others),
        WITH_CONTEXT(noisy_rows_are_no_moments),
        WITH_CONTEXT(a_limit_of_terms_holds),
        WITH_CONTEXT(a_file_of_moments_says_the_same),
        WITH_CONTEXT(a_bound_of_moments_covers_their_rows),
        cmocka_unit_test(numbers_are_rounded_to_the_digits_asked),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

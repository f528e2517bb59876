/* A model as a plain C function: its numbers, its life, and hosts that know nothing but the pointer. */
#include "fitted.h"
#include "near.h"

#include <pthread.h>
#include <stdlib.h>

static memmodel_function *
function_of(memmodel_context *context, memmodel_model *model, double level)
{
    memmodel_function *function;

    if (memmodel_function_new(context, model, level, &function))
        fail_msg("%s", memmodel_context_error(context)->message);
    return function;
}

static void
it_has_the_bits_of_the_model(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    memmodel_function *function = function_of(*state, model, 0);
    memmodel_formula_function pointer = memmodel_function_pointer(function);

    for (int i = 0; i < 1000; i++) {
        double point[] = {16 + i * 0.37, 1 + (i * 7 % 64) * 0.9};

        assert_true(pointer(point) == memmodel_model_evaluate(model, point));
    }
    memmodel_function_unref(function);
    memmodel_model_unref(model);
}

static void
at_a_level_it_has_the_bits_of_the_upper_bound(void **state)
{
    static const double levels[] = {0.5, 0.95, 0.999};
    memmodel_model *model = network_model(*state, 0.02);

    for (size_t k = 0; k < 3; k++) {
        memmodel_function *function = function_of(*state, model, levels[k]);
        memmodel_formula_function bound = memmodel_function_pointer(function);

        for (int i = 0; i < 200; i++) {
            double point[] = {16 + i, 1 + i * 7 % 64};

            assert_true(bound(point) == predict(model, point[0], point[1], levels[k]).upper);
        }
        assert_true(isnan(bound((double[]){64, 2.5}))); /* the batch was whole */
        memmodel_function_unref(function);
    }
    memmodel_model_unref(model);
}

static void
a_level_without_bounds_is_refused(void **state)
{
    static const double levels[] = {-0.5, 0.1, 0.4999, 0.9991, 1, NAN};
    memmodel_model *model = network_model(*state, 0.02);
    memmodel_function *function = NULL;

    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++)
        assert_error(*state, memmodel_function_new(*state, model, levels[k], &function),
                     MEMMODEL_ERROR_INVALID_ARGUMENT, "level");
    assert_null(function);
    memmodel_model_unref(model);
}

static void
it_keeps_what_it_needs(void **state)
{
    memmodel_context *context;
    memmodel_model *model;
    memmodel_function *function;
    double expected, point[] = {64, 4};

    (void)state;
    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    model = network_model(context, 0.02);
    expected = memmodel_model_evaluate(model, point);
    function = function_of(context, model, 0);
    memmodel_model_unref(model);
    memmodel_context_unref(context);
    assert_ptr_equal(memmodel_function_ref(function), function);
    memmodel_function_unref(function);
    assert_true(memmodel_function_pointer(function)(point) == expected);
    memmodel_function_unref(function);
    memmodel_function_unref(NULL);
}

enum { MANY = 2000, THREADS = 4 };

static void
many_at_once_are_distinguished(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    memmodel_function **functions = calloc(MANY, sizeof *functions);
    double point[] = {200, 20}, last = 0;

    assert_non_null(functions);
    for (int i = 0; i < MANY; i++)
        functions[i] = function_of(*state, model, 0.5 + 0.499 * i / MANY);
    for (int i = 0; i < MANY; i++) {
        double bound = memmodel_function_pointer(functions[i])(point);

        assert_true(bound == predict(model, point[0], point[1], 0.5 + 0.499 * i / MANY).upper);
        assert_true(bound >= last);
        last = bound;
    }
    for (int i = 0; i < MANY; i++)
        memmodel_function_unref(functions[i]);
    free(functions);
    memmodel_model_unref(model);
}

/* A host: it integrates any function of two variables, and has no place for a model. */
static double
sum_over_a_grid(memmodel_formula_function function)
{
    double sum = 0;

    for (int dim = 32; dim < 132; dim++)
        for (int batch = 1; batch <= 100; batch++)
            sum += function((double[]){dim, batch});
    return sum;
}

struct visit {
    memmodel_formula_function function;
    double sum;
};

static void *
visit(void *user)
{
    struct visit *visit = user;

    visit->sum = sum_over_a_grid(visit->function);
    return NULL;
}

static void
threads_may_call_it_at_the_same_time(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    memmodel_function *function = function_of(*state, model, 0);
    struct visit visits[THREADS];
    pthread_t threads[THREADS];
    double sum = 0;

    for (int dim = 32; dim < 132; dim++)
        for (int batch = 1; batch <= 100; batch++)
            sum += memmodel_model_evaluate(model, (double[]){dim, batch});
    for (int i = 0; i < THREADS; i++) {
        visits[i] = (struct visit){.function = memmodel_function_pointer(function)};
        assert_int_equal(pthread_create(&threads[i], NULL, visit, &visits[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(visits[i].sum == sum);
    }
    memmodel_function_unref(function);
    memmodel_model_unref(model);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(it_has_the_bits_of_the_model),         WITH_CONTEXT(at_a_level_it_has_the_bits_of_the_upper_bound),
        WITH_CONTEXT(a_level_without_bounds_is_refused),    WITH_CONTEXT(many_at_once_are_distinguished),
        WITH_CONTEXT(threads_may_call_it_at_the_same_time), cmocka_unit_test(it_keeps_what_it_needs),
    };

    return cmocka_run_group_tests_name("function", tests, NULL, NULL);
}

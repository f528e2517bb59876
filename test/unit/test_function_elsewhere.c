/* A model as a plain C function in a library that was built without libffi: built with closure_none.c. */
#include "fitted.h"

static void
a_function_is_not_supported_and_says_why(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    memmodel_function *function = NULL;

    assert_error(*state, memmodel_function_new(*state, model, 0, &function), MEMMODEL_ERROR_UNSUPPORTED,
                 "this library was built without libffi");
    assert_null(function);
    memmodel_model_unref(model);
}

static void
a_level_is_checked_first(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    memmodel_function *function = NULL;

    assert_error(*state, memmodel_function_new(*state, model, 2, &function), MEMMODEL_ERROR_INVALID_ARGUMENT, "level");
    memmodel_model_unref(model);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_function_is_not_supported_and_says_why),
        WITH_CONTEXT(a_level_is_checked_first),
    };

    return cmocka_run_group_tests_name("function elsewhere", tests, NULL, NULL);
}

/* The monitor on a system whose processes the library cannot read: built with process_none.c. */
#include "check.h"

static void
a_monitor_says_that_it_is_not_supported(void **state)
{
    memmodel_monitor *monitor = NULL;

    assert_error(*state, memmodel_monitor_new(*state, 1, NULL, &monitor), MEMMODEL_ERROR_UNSUPPORTED, "Linux");
    assert_null(monitor);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_monitor_says_that_it_is_not_supported),
    };

    return cmocka_run_group_tests_name("monitor elsewhere", tests, NULL, NULL);
}

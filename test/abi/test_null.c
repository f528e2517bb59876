/*
 * NULL for each pointer of each public function and 77 for each number of an enum, the other arguments being good: they
 * are refused by what the call returns, or, where NULL is documented, it is allowed. The table of calls is made from the
 * API's description, so that none is forgotten.
 *
 * Each call runs in a process of its own: one that crashes is reported like any other.
 */
#include "fixture.h"

#include <math.h>
#include <stdbool.h>
#include <sys/wait.h>

/* A struct with its size and what the call needs to succeed. */
static void *
valid_struct(const char *call, size_t size)
{
    static max_align_t rooms[2][64]; /* a call takes two at most */
    static int taken;
    void *room = rooms[taken++ % 2];

    memset(room, 0, sizeof rooms[0]);
    assert_true(size <= sizeof rooms[0]);
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        if (strcmp(valid[i].call, call) == 0)
            memcpy(room, valid[i].options, size);
    memcpy(room, &size, sizeof size);
    return room;
}

struct null_call {
    const char *function, *parameter;
    bool (*holds)(struct fixture *f);
};

#include "null_table.h"

static bool
holds_in_a_process_of_its_own(const struct null_call *call, struct fixture *f)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(call->holds(f) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void
null_and_77_are_refused_unless_they_are_documented(void **state)
{
    struct fixture *f = *state;
    int wrong = 0;

    new_network(f);
    for (size_t i = 0; i < sizeof null_calls / sizeof null_calls[0]; i++) {
        if (holds_in_a_process_of_its_own(&null_calls[i], f))
            continue;
        print_error("%s: NULL or 77 for `%s`\n", null_calls[i].function, null_calls[i].parameter);
        wrong++;
    }
    end_network(f);
    assert_int_equal(wrong, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(null_and_77_are_refused_unless_they_are_documented)};

    return cmocka_run_group_tests_name("NULL", tests, fixture_setup, fixture_teardown);
}

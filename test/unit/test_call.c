/* Calls as Python writes them, read without being evaluated. */
#include "base/call.h"
#include "check.h"

static void
assert_part(const struct text_part *part, const char *text)
{
    assert_int_equal(part->length, strlen(text));
    assert_memory_equal(part->text, text, part->length);
}

static void
a_call_has_a_name_and_arguments_in_their_order(void **state)
{
    struct call_argument argument;
    struct call_text call;

    (void)state;
    assert_true(call_read(" fsdp( layers.*, (a|b), reshard = False ) ", &call));
    assert_part(&call.name, "fsdp");
    assert_true(call_next(&call, &argument));
    assert_part(&argument.key, "");
    assert_part(&argument.value, "layers.*");
    assert_true(call_next(&call, &argument));
    assert_part(&argument.value, "(a|b)");
    assert_true(call_next(&call, &argument));
    assert_part(&argument.key, "reshard");
    assert_part(&argument.value, "False");
    assert_false(call_next(&call, &argument));
}

static void
a_name_alone_is_a_call_without_arguments(void **state)
{
    struct call_argument argument;
    struct call_text call;

    (void)state;
    assert_true(call_read("ddp", &call));
    assert_part(&call.name, "ddp");
    assert_false(call_next(&call, &argument));
    assert_true(call_read("ddp()", &call));
    assert_false(call_next(&call, &argument));
}

static void
commas_within_parentheses_separate_no_arguments(void **state)
{
    struct call_argument argument;
    struct call_text call;

    (void)state;
    assert_true(call_read("f(g(a, b=1), c)", &call));
    assert_true(call_next(&call, &argument));
    assert_part(&argument.value, "g(a, b=1)");
    assert_true(call_next(&call, &argument));
    assert_part(&argument.value, "c");
}

static void
what_is_no_call_is_refused(void **state)
{
    static const char *const wrong[] = {"", "  ", "(a)", "f(a", "f(a) b", "f(a))", "f)a(", "f((a)", "f(a)(b)"};
    struct call_text call;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(call_read(wrong[i], &call));
}

static void
values_are_flags_and_numbers_as_python_has_them(void **state)
{
    const struct text_part yes = {"True", 4}, no = {"False", 5}, one = {"1", 1}, half = {"0.5)", 3};
    double number = 0;
    bool on = false;

    (void)state;
    assert_true(text_part_flag(&yes, &on) && on);
    assert_true(text_part_flag(&no, &on) && !on);
    assert_false(text_part_flag(&one, &on));
    assert_true(text_part_number(&half, &number));
    assert_true(number == 0.5);
    assert_false(text_part_number(&yes, &number));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_a_name_and_arguments_in_their_order),
        cmocka_unit_test(a_name_alone_is_a_call_without_arguments),
        cmocka_unit_test(commas_within_parentheses_separate_no_arguments),
        cmocka_unit_test(what_is_no_call_is_refused),
        cmocka_unit_test(values_are_flags_and_numbers_as_python_has_them),
    };

    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}

/* What every unit test includes: cmocka in its required order, and a context. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memmodel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka setup and teardown: *state is a memmodel_context. */
static inline int
context_setup(void **state)
{
    return memmodel_context_new(NULL, (memmodel_context **)state);
}

static inline int
context_teardown(void **state)
{
    memmodel_context_unref(*state);
    return 0;
}

/* The last message of a context's log, of which NOTE_BYTES at most are kept; a memmodel_log_callback. */
enum { NOTE_BYTES = 256 };

static inline void
keep_note(void *note, const char *message)
{
    snprintf(note, NOTE_BYTES, "%s", message);
}

/* The model after it was written and read. */
static inline memmodel_model *
written_and_read(memmodel_context *context, const memmodel_model *model)
{
    memmodel_model *read = NULL;
    char *text = NULL;

    if (memmodel_model_to_json(model, NULL, &text) ||
        memmodel_model_from_json(context, "model", text, strlen(text), &read))
        fail_msg("%s", memmodel_context_error(context)->message);
    memmodel_free(text);
    return read;
}

/* The bytes of two reports, whose texts may be gone. */
static inline void
assert_same_results(const struct memmodel_report_result *a, const struct memmodel_report_result *b)
{
    assert_int_equal(a->live, b->live);
    assert_int_equal(a->reserved, b->reserved);
    assert_int_equal(a->process, b->process);
}

/* A test of cmocka's whose state is a context of its own. */
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, context_setup, context_teardown)

static inline void
left_out(void **state)
{
    (void)state;
    skip();
}

/* For a case that takes a quarter of a second or more: `./run unit` leaves it to `./run test`. */
#define LONG(test) (getenv("MEMMODEL_QUICK") ? left_out : (test))
#define LONG_WITH_CONTEXT(test)                                                                                        \
    {                                                                                                                  \
#test, LONG(test), context_setup, context_teardown, NULL                                                       \
    }
#define LONG_UNIT_TEST(test)                                                                                           \
    {                                                                                                                  \
#test, LONG(test), NULL, NULL, NULL                                                                            \
    }

/* The status, and that the message of the context's last error has `part` in it. */
static inline void
assert_error(const memmodel_context *context, int status, int expected, const char *part)
{
    assert_int_equal(status, expected);
    assert_int_equal(memmodel_context_error(context)->status, expected);
    if (!strstr(memmodel_context_error(context)->message, part) &&
        !strstr(memmodel_context_error(context)->object, part))
        fail_msg("the message \"%s\" (%s) does not say \"%s\"", memmodel_context_error(context)->message,
                 memmodel_context_error(context)->object, part);
}

#endif

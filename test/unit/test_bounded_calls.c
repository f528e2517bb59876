/*
 * Every public call that takes a network, or what came of one, with a network of each layer family: in a thread with 64
 * KiB of stack, cancelled, and with too little memory. And what is nested deeper than a reader goes, in the same
 * thread.
 */
#define FAMILY_FILE "test_bounded_calls.file"

#include "family_uses.h"
#include "little_stack.h"

#include "expression/expression.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- networks ---- */

struct work {
    int (*run)(const struct subject *subject);
    const struct subject *subject;
};

static int
run_work(const void *argument)
{
    const struct work *work = argument;

    return work->run(work->subject);
}

static int
run_on(int (*run)(const struct subject *subject), const struct subject *subject)
{
    return run_on_little_stack(run_work, &(struct work){run, subject});
}

static void
make_subject(struct subject *subject, const struct family *family)
{
    subject->family = family;
    assert_int_equal(memmodel_context_new(NULL, &subject->context), 0);
    assert_int_equal(memmodel_network_new(subject->context, &subject->net), 0);
    family->build(subject->net);
    if (memmodel_estimate(subject->net, JOB(.steps = 1), NULL, &subject->report))
        fail_msg("%s: %s", family->name, memmodel_context_error(subject->context)->message);
}

static void
release_subject(struct subject *subject)
{
    int64_t used;

    memmodel_report_unref(subject->report);
    memmodel_network_unref(subject->net);
    memmodel_context_memory(subject->context, &used, NULL);
    assert_int_equal(used, 0);
    memmodel_context_unref(subject->context);
}

static void
takes_64_kib_of_stack(void **state)
{
    const struct use *use = *state;

    for (size_t i = 0; i < FAMILIES; i++) {
        struct subject subject;
        int status;

        make_subject(&subject, &families[i]);
        status = run_on(use->use, &subject);
        if (status && status != MEMMODEL_ERROR_UNSUPPORTED)
            fail_msg("%s: %s", families[i].name, memmodel_context_error(subject.context)->message);
        release_subject(&subject);
    }
}

/* Builder calls are short, and do not look. */
static bool
is_short(const struct use *use)
{
    return use->use == build || use->use == print_a_dim;
}

static void
ends_when_cancelled_and_serves_again(void **state)
{
    const struct use *use = *state;

    for (size_t i = 0; i < FAMILIES && !is_short(use); i++) {
        struct subject subject;
        int status;

        make_subject(&subject, &families[i]);
        memmodel_context_cancel(subject.context);
        status = use->use(&subject);
        if (status != MEMMODEL_ERROR_CANCELLED)
            fail_msg("%s: status %d", families[i].name, status);
        status = use->use(&subject);
        if (status && status != MEMMODEL_ERROR_UNSUPPORTED)
            fail_msg("%s: %s", families[i].name, memmodel_context_error(subject.context)->message);
        release_subject(&subject);
    }
}

static void
limit_memory(memmodel_context *context, int64_t bytes)
{
    struct memmodel_limits limits = {.size = sizeof limits, .memory_bytes = bytes};

    assert_int_equal(memmodel_context_set_limits(context, &limits), 0);
}

/* With ever more memory beyond what is in use, until it is enough. */
static void
ends_at_the_limit_of_memory_and_says_so(void **state)
{
    const struct use *use = *state;

    for (size_t i = 0; i < FAMILIES; i++) {
        struct subject subject;
        int64_t used, more = 16, now;
        int status;

        make_subject(&subject, &families[i]);
        memmodel_context_memory(subject.context, &used, NULL);
        for (;; more += more / 4) {
            limit_memory(subject.context, used + more);
            status = use->use(&subject);
            memmodel_context_memory(subject.context, &now, NULL);
            assert_int_equal(now, used);
            if (status != MEMMODEL_ERROR_LIMIT)
                break;
            assert_error(subject.context, status, MEMMODEL_ERROR_LIMIT, "memory_bytes");
        }
        if (status && status != MEMMODEL_ERROR_UNSUPPORTED)
            fail_msg("%s: %s with %d bytes more", families[i].name, memmodel_context_error(subject.context)->message,
                     (int)more);
        release_subject(&subject);
    }
}

/* ---- what is nested ---- */

enum { NESTED_BYTES = 200000 };

static char *
nested(const char *begin, char what)
{
    char *text = malloc(NESTED_BYTES + 1);

    assert_non_null(text);
    memset(text, what, NESTED_BYTES);
    memcpy(text, begin, strlen(begin));
    text[NESTED_BYTES] = '\0';
    return text;
}

static int
read_nested_network(const struct subject *subject)
{
    memmodel_network *network;
    char *text = nested("", '[');
    int status = memmodel_network_from_json(subject->context, "text", text, NESTED_BYTES, &network);

    free(text);
    return status;
}

static int
read_nested_model(const struct subject *subject)
{
    memmodel_model *model;
    char *text = nested("{\"format\":", '[');
    int status = memmodel_model_from_json(subject->context, "text", text, NESTED_BYTES, &model);

    free(text);
    return status;
}

static int
read_nested_expression(const struct subject *subject)
{
    memmodel_network *network;
    char *text = nested("", '(');
    int status = memmodel_network_new(subject->context, &network);

    text[60000] = '\0'; /* longer ones are refused for that */
    if (!status) {
        memmodel_network_expression(network, text);
        status = memmodel_network_status(network);
        memmodel_network_unref(network);
    }
    free(text);
    return status;
}

static void
what_is_nested_too_deep_is_refused_with_its_place(void **state)
{
    const struct subject subject = {.context = *state};

    assert_error(*state, run_on(read_nested_network, &subject), MEMMODEL_ERROR_PARSE, "128 deep");
    assert_int_equal(memmodel_context_error(*state)->column, 129);
    assert_error(*state, run_on(read_nested_model, &subject), MEMMODEL_ERROR_PARSE, "128 deep");
    assert_error(*state, run_on(read_nested_expression, &subject), MEMMODEL_ERROR_PARSE, "100 deep");
}

/* As deep as the builder goes: written, read and written again. */
static int
nest_scopes(const struct subject *subject)
{
    memmodel_network *network;
    int status = memmodel_network_new(subject->context, &network), depth = 0;
    struct subject own = *subject;

    while (!status && depth < 60) {
        status = memmodel_network_push_scope(network, "scope");
        depth++;
    }
    if (!status) {
        family_build_linear(network);
        own.net = network;
        status = write_and_read(&own);
    }
    memmodel_network_unref(network);
    return status;
}

static void
scopes_as_deep_as_they_may_be_are_written_and_read(void **state)
{
    const struct subject subject = {.context = *state};

    if (run_on(nest_scopes, &subject))
        fail_msg("%s", memmodel_context_error(*state)->message);
}

/* Functions within functions until the library refuses: printed, evaluated, differentiated and bounded. */
static int
nest_functions(const struct subject *subject)
{
    struct text text = TEXT_INIT(subject->context);
    const double one = 1;
    double min, max;
    struct expression_pool *pool;
    expression next, e;

    assert_int_equal(expression_pool_new(subject->context, &pool), 0);
    next = e = expression_symbol(pool, "x");
    for (; next >= 0; next = expression_apply(pool, OPCODE_TANH, e))
        e = next;
    expression_print(pool, e, EXPRESSION_C, &text);
    expression_evaluate(pool, e, &one);
    expression_bound(pool, e, &one, &one, &min, &max);
    next = expression_apply(pool, OPCODE_TANH, e);
    text_release(&text);
    expression_pool_free(pool);
    return next;
}

static void
functions_nested_too_deep_are_refused(void **state)
{
    const struct subject subject = {.context = *state};

    assert_error(*state, run_on(nest_functions, &subject), MEMMODEL_ERROR_OVERFLOW, "nested more than");
}

/* ---- all of them ---- */

int
main(void)
{
    struct CMUnitTest tests[3 * USES + 3];
    size_t count = 0;

    for (size_t i = 0; i < USES; i++) {
        void *use = (void *)(uintptr_t)&uses[i];

        tests[count++] = (struct CMUnitTest){uses[i].name, takes_64_kib_of_stack, NULL, NULL, use};
        tests[count++] = (struct CMUnitTest){uses[i].name, ends_when_cancelled_and_serves_again, NULL, NULL, use};
        tests[count++] = (struct CMUnitTest){uses[i].name, ends_at_the_limit_of_memory_and_says_so, NULL, NULL, use};
    }
    tests[count++] = (struct CMUnitTest)WITH_CONTEXT(what_is_nested_too_deep_is_refused_with_its_place);
    tests[count++] = (struct CMUnitTest)WITH_CONTEXT(scopes_as_deep_as_they_may_be_are_written_and_read);
    tests[count++] = (struct CMUnitTest)WITH_CONTEXT(functions_nested_too_deep_are_refused);
    return _cmocka_run_group_tests("calls within limits", tests, count, NULL, NULL);
}

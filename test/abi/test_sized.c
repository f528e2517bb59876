/*
 * Programs that know shorter or longer structs than this library: for every call that takes a struct which begins with
 * its size. The table of calls is made from the API's description, so that none is forgotten.
 *
 * A caller's struct ends where readable memory ends: one byte too much is a crash.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "sized.h"

#include "sized_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    LIMIT = 4096,         /* doc/internals/abi.md: no struct is longer */
    TOO_LONG = LIMIT + 8, /* and aligned as structs are */
    NEWER = 64,           /* bytes of a newer caller's struct that this library does not know */
    UNTOUCHED = 0xa5,
};

/* The struct that a caller of today hands over. */
static void
fill_valid(const struct call *call, unsigned char *options)
{
    memset(options, 0, call->size);
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        if (!strcmp(valid[i].call, call->name))
            memcpy(options, valid[i].options, call->size);
    memcpy(options, &call->size, sizeof call->size);
}

/* ---- a struct at the end of readable memory ---- */

static size_t
page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* `size` bytes behind which nothing can be read or written. */
static unsigned char *
guarded(size_t size)
{
    size_t room = 2 * page_size();
    unsigned char *start = mmap(NULL, room + page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(start, MAP_FAILED);
    assert_return_code(mprotect(start + room, page_size(), PROT_NONE), 0);
    return start + room - size;
}

static void
guarded_free(unsigned char *block, size_t size)
{
    size_t room = 2 * page_size();

    munmap(block + size - room, room + page_size());
}

/* ---- what a call with options did ---- */

struct outcome {
    int64_t status;
    char *text; /* the network, the report and the model after the call */
};

static void
write_text(FILE *file, char *text)
{
    fputs(text, file);
    memmodel_free(text);
}

static void
write_made(struct fixture *f, FILE *file)
{
    char *text;

    int status = memmodel_network_to_json(f->network, NULL, &text);

    if (status) /* the network's first error, as any call on it says */
        fprintf(file, "%d", status);
    else
        write_text(file, text);
    if (f->new_report) {
        assert_int_equal(memmodel_report_to_json(f->new_report, f->context, &text), 0);
        write_text(file, text);
    }
    if (f->new_model) {
        assert_int_equal(memmodel_model_to_json(f->new_model, NULL, &text), 0);
        write_text(file, text);
    }
    for (size_t i = 0; f->new_samples && i < memmodel_samples_row_count(f->new_samples); i++)
        fprintf(file, "%g,", memmodel_samples_column(f->new_samples, "batch")[i]);
    if (f->new_serving) {
        struct memmodel_serving_result serving = {.size = sizeof serving};

        memmodel_serving_get_result(f->new_serving, &serving);
        fprintf(file, "%lld tokens,", (long long)serving.token_count);
    }
    fprintf(file, "%lld", (long long)f->number);
}

static void
drop_made(struct fixture *f)
{
    memmodel_context_unref(f->new_context);
    memmodel_network_unref(f->new_network);
    memmodel_report_unref(f->new_report);
    memmodel_replay_unref(f->new_replay);
    memmodel_schedule_unref(f->new_schedule);
    memmodel_tiling_unref(f->new_tiling);
    memmodel_optimization_unref(f->new_optimization);
    memmodel_model_unref(f->new_model);
    memmodel_samples_unref(f->new_samples);
    memmodel_monitor_unref(f->new_monitor);
    memmodel_recomputation_unref(f->new_recomputation);
    memmodel_device_unref(f->new_device);
    memmodel_recording_unref(f->new_recording);
    memmodel_serving_unref(f->new_serving);
    f->new_serving = NULL;
    f->new_recording = NULL;
    f->new_context = NULL;
    f->new_network = NULL;
    f->new_report = NULL;
    f->new_replay = NULL;
    f->new_schedule = NULL;
    f->new_tiling = NULL;
    f->new_optimization = NULL;
    f->new_model = NULL;
    f->new_samples = NULL;
    f->new_monitor = NULL;
    f->new_recomputation = NULL;
    f->new_device = NULL;
    f->number = 0;
}

static void
release_made(struct fixture *f)
{
    drop_made(f);
    end_network(f);
}

/* The first `given` bytes of `options` and zeros up to `size`, which the struct says it has; also if it has not. */
static struct outcome
outcome_of(struct fixture *f, const struct call *call, const unsigned char *options, size_t given, size_t size)
{
    size_t room = size > given && size <= LIMIT ? size : given;
    unsigned char *block = guarded(room);
    struct outcome outcome = {0};
    size_t length;
    FILE *file = open_memstream(&outcome.text, &length);

    memcpy(block, options, given);
    memcpy(block, &size, sizeof size);
    new_network(f);
    memmodel_recording_unref(f->recording);
    new_recording(f);
    outcome.status = call->run(f, block);
    write_made(f, file);
    fclose(file);
    release_made(f);
    guarded_free(block, room);
    return outcome;
}

static void
assert_same(const struct call *call, const char *what, struct outcome *a, struct outcome *b)
{
    if (a->status != b->status || strcmp(a->text, b->text) != 0)
        fail_msg("%s: %s: status %lld, not %lld, or another result:\n%s\n%s", call->name, what, (long long)a->status,
                 (long long)b->status, a->text, b->text);
    free(a->text);
    free(b->text);
}

static void
assert_refused(struct fixture *f, const struct call *call, const char *what, const unsigned char *options, size_t given,
               size_t size)
{
    struct outcome outcome = outcome_of(f, call, options, given, size);

    if (outcome.status != MEMMODEL_ERROR_STRUCT_SIZE)
        fail_msg("%s: %s: status %lld", call->name, what, (long long)outcome.status);
    free(outcome.text);
}

/* ---- options ---- */

static void
with_options(struct fixture *f, void (*body)(struct fixture *f, const struct call *call, unsigned char *options))
{
    for (size_t i = 0; i < sizeof options_calls / sizeof options_calls[0]; i++) {
        unsigned char *options = calloc(1, 2 * LIMIT);

        fill_valid(&options_calls[i], options);
        body(f, &options_calls[i], options);
        free(options);
    }
}

static void
check_today(struct fixture *f, const struct call *call, unsigned char *options)
{
    struct outcome outcome = outcome_of(f, call, options, call->size, call->size);

    if (outcome.status < 0)
        fail_msg("%s fails with %lld (%s): give it a row in `valid`", call->name, (long long)outcome.status,
                 memmodel_context_error(f->context)->message);
    free(outcome.text);
}

static void
every_call_succeeds_with_the_options_of_today(void **state)
{
    with_options(*state, check_today);
}

/* An older caller's struct ends before some field: as if this field and those behind were zero. */
static void
check_older(struct fixture *f, const struct call *call, unsigned char *options)
{
    for (size_t i = 0; i < call->field_count; i++) {
        size_t known = call->fields[i].offset;
        struct outcome older, zeros;

        if (known % call->alignment != 0) /* where no struct can end */
            continue;
        older = outcome_of(f, call, options, known, known);
        zeros = outcome_of(f, call, options, known, call->size);
        assert_same(call, call->fields[i].name, &older, &zeros);
    }
}

static void
fields_an_older_caller_does_not_know_are_zero(void **state)
{
    with_options(*state, check_older);
}

static void
check_newer(struct fixture *f, const struct call *call, unsigned char *options)
{
    struct outcome today = outcome_of(f, call, options, call->size, call->size);
    struct outcome newer = outcome_of(f, call, options, call->size, call->size + NEWER);
    struct outcome longest = outcome_of(f, call, options, call->size, LIMIT);
    struct outcome again = outcome_of(f, call, options, call->size, call->size);

    assert_same(call, "unknown fields that are zero", &newer, &today);
    assert_same(call, "as many unknown fields as there may be", &longest, &again);
}

static void
a_newer_caller_who_leaves_unknown_fields_zero_is_served(void **state)
{
    with_options(*state, check_newer);
}

static void
check_tail(struct fixture *f, const struct call *call, unsigned char *options)
{
    size_t last = call->size + NEWER - 1;

    options[call->size] = 1;
    assert_refused(f, call, "first unknown byte set", options, call->size + NEWER, call->size + NEWER);
    options[call->size] = 0;
    options[last] = 1;
    assert_refused(f, call, "last unknown byte set", options, call->size + NEWER, call->size + NEWER);
}

static void
a_newer_caller_who_sets_an_unknown_field_is_refused(void **state)
{
    with_options(*state, check_tail);
}

static void
check_absurd(struct fixture *f, const struct call *call, unsigned char *options)
{
    assert_refused(f, call, "no size", options, call->size, 0);
    assert_refused(f, call, "less than the size itself", options, call->size, sizeof(size_t) - 1);
    assert_refused(f, call, "above the limit", options, TOO_LONG, TOO_LONG);
    assert_refused(f, call, "a size that was never set", options, call->size, SIZE_MAX);
}

static void
an_absurd_size_of_options_is_refused(void **state)
{
    with_options(*state, check_absurd);
}

static void
a_reserved_field_that_is_set_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof options_calls / sizeof options_calls[0]; i++) {
        const struct call *call = &options_calls[i];
        unsigned char *options = calloc(1, call->size);

        fill_valid(call, options);
        for (size_t j = 0; j < call->field_count; j++) {
            struct outcome outcome;

            if (strcmp(call->fields[j].name, "reserved") != 0)
                continue;
            options[call->fields[j].offset] = 1;
            outcome = outcome_of(*state, call, options, call->size, call->size);
            if (outcome.status != MEMMODEL_ERROR_INVALID_ARGUMENT)
                fail_msg("%s: status %lld", call->name, (long long)outcome.status);
            free(outcome.text);
        }
        free(options);
    }
}

static void
check_choice(struct fixture *f, const struct call *call, const struct field *field, int32_t number)
{
    unsigned char *options = calloc(1, call->size);
    const struct memmodel_error *error = memmodel_context_error(f->context);
    struct outcome outcome;

    fill_valid(call, options);
    memcpy(options + field->offset, &number, sizeof number);
    outcome = outcome_of(f, call, options, call->size, call->size);
    if (outcome.status != MEMMODEL_ERROR_INVALID_ARGUMENT)
        fail_msg("%s: %s = %d: status %lld", call->name, field->name, number, (long long)outcome.status);
    if (call->says && (!strstr(error->message, field->name) || !strstr(error->message, "0 (")))
        fail_msg("%s: \"%s\" does not say what %s may be", call->name, error->message, field->name);
    free(outcome.text);
    free(options);
}

static void
a_number_that_stands_for_nothing_is_refused_with_what_it_may_be(void **state)
{
    for (size_t i = 0; i < sizeof options_calls / sizeof options_calls[0]; i++)
        for (size_t j = 0; j < options_calls[i].field_count; j++) {
            const struct field *field = &options_calls[i].fields[j];

            if (!field->is_choice)
                continue;
            check_choice(*state, &options_calls[i], field, 77);
            check_choice(*state, &options_calls[i], field, -1);
        }
}

/* ---- results ---- */

/* A result filled by the library, for a caller whose struct has `size` bytes. */
static unsigned char *
result_of(struct fixture *f, const struct call *call, size_t size)
{
    unsigned char *block = guarded(size);

    memset(block, UNTOUCHED, size);
    memcpy(block, &size, sizeof size);
    if (call->run(f, block))
        fail_msg("%s fails with a struct of %zu bytes", call->name, size);
    drop_made(f);
    assert_memory_equal(block, &size, sizeof size);
    return block;
}

static void
assert_fields(const struct call *call, const unsigned char *result, const unsigned char *today, size_t known)
{
    for (size_t i = 0; i < call->field_count; i++) {
        const struct field *field = &call->fields[i];

        if (field->offset + field->size <= known &&
            memcmp(result + field->offset, today + field->offset, field->size) != 0)
            fail_msg("%s: %s differs for a struct of %zu bytes", call->name, field->name, known);
    }
}

static void
an_older_caller_gets_the_fields_it_knows(void **state)
{
    for (size_t i = 0; i < sizeof result_calls / sizeof result_calls[0]; i++) {
        const struct call *call = &result_calls[i];
        unsigned char *today = result_of(*state, call, call->size);

        for (size_t j = 0; j < call->field_count; j++) {
            size_t known = call->fields[j].offset;
            unsigned char *result;

            if (known % call->alignment != 0)
                continue;
            result = result_of(*state, call, known);
            assert_fields(call, result, today, known);
            guarded_free(result, known);
        }
        guarded_free(today, call->size);
    }
}

static void
a_newer_caller_gets_zeros_behind_the_known_fields(void **state)
{
    static const unsigned char zeros[NEWER];

    for (size_t i = 0; i < sizeof result_calls / sizeof result_calls[0]; i++) {
        const struct call *call = &result_calls[i];
        unsigned char *today = result_of(*state, call, call->size);
        unsigned char *result = result_of(*state, call, call->size + NEWER);
        unsigned char *longest = result_of(*state, call, LIMIT);

        assert_fields(call, result, today, call->size);
        assert_fields(call, longest, today, call->size);
        assert_memory_equal(result + call->size, zeros, NEWER);
        guarded_free(result, call->size + NEWER);
        guarded_free(longest, LIMIT);
        guarded_free(today, call->size);
    }
}

static void
assert_result_refused(struct fixture *f, const struct call *call, size_t room, size_t size)
{
    unsigned char *block = guarded(room);
    int64_t status;

    memset(block, UNTOUCHED, room);
    memcpy(block, &size, sizeof size);
    status = call->run(f, block);
    if (status != MEMMODEL_ERROR_STRUCT_SIZE)
        fail_msg("%s: status %lld for a size of %zu", call->name, (long long)status, size);
    for (size_t i = sizeof size; i < room; i++)
        assert_int_equal(block[i], UNTOUCHED);
    guarded_free(block, room);
}

static void
an_absurd_size_of_a_result_is_refused_and_nothing_written(void **state)
{
    for (size_t i = 0; i < sizeof result_calls / sizeof result_calls[0]; i++) {
        const struct call *call = &result_calls[i];

        assert_result_refused(*state, call, call->size, 0);
        assert_result_refused(*state, call, call->size, sizeof(size_t) - 1);
        assert_result_refused(*state, call, TOO_LONG, TOO_LONG);
        assert_result_refused(*state, call, call->size, SIZE_MAX);
    }
}

static int
note_size(void *user, const struct memmodel_shape *inputs, size_t count, struct memmodel_custom_requirements *needs)
{
    (void)inputs;
    (void)count;
    memcpy(user, &needs->size, sizeof needs->size);
    return 0;
}

static void
the_library_says_how_long_its_own_structs_are(void **state)
{
    struct fixture *f = *state;
    struct memmodel_job own = job;
    size_t needs = 0;

    assert_int_equal(memmodel_context_error(f->context)->size, sizeof(struct memmodel_error));

    own.size = sizeof own;
    new_network(f);
    assert_true(memmodel_network_custom(
                    f->network, &f->square, 1,
                    MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .callback = note_size, .user = &needs)) >= 0);
    assert_int_equal(memmodel_estimate(f->network, &own, NULL, &f->new_report), 0);
    release_made(f);
    assert_int_equal(needs, sizeof(struct memmodel_custom_requirements));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_succeeds_with_the_options_of_today),
        cmocka_unit_test(fields_an_older_caller_does_not_know_are_zero),
        cmocka_unit_test(a_newer_caller_who_leaves_unknown_fields_zero_is_served),
        cmocka_unit_test(a_newer_caller_who_sets_an_unknown_field_is_refused),
        cmocka_unit_test(an_absurd_size_of_options_is_refused),
        cmocka_unit_test(a_reserved_field_that_is_set_is_refused),
        cmocka_unit_test(a_number_that_stands_for_nothing_is_refused_with_what_it_may_be),
        cmocka_unit_test(an_older_caller_gets_the_fields_it_knows),
        cmocka_unit_test(a_newer_caller_gets_zeros_behind_the_known_fields),
        cmocka_unit_test(an_absurd_size_of_a_result_is_refused_and_nothing_written),
        cmocka_unit_test(the_library_says_how_long_its_own_structs_are),
    };

    return cmocka_run_group_tests_name("sized structs", tests, fixture_setup, fixture_teardown);
}

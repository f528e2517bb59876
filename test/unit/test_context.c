/* The context: memory hook, errors, options, JSON positions. */
#include "check.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/json.h"
#include "base/spares.h"
#include "base/text.h"

#include <limits.h>

static void
products_that_do_not_fit_are_refused(void **state)
{
    int64_t result = 7;

    (void)state;
    assert_false(checked_multiply(INT64_MAX, 2, &result));
    assert_false(checked_multiply(INT64_MIN, -1, &result));
    assert_false(checked_multiply(-1, INT64_MIN, &result));
    assert_false(checked_multiply((int64_t)1 << 32, (int64_t)1 << 31, &result));
    assert_false(checked_add(INT64_MAX, 1, &result));
    assert_false(checked_subtract(INT64_MIN, 1, &result));
    assert_int_equal(result, 7);
    assert_true(checked_multiply((int64_t)1 << 31, (int64_t)1 << 31, &result));
    assert_int_equal(result, (int64_t)1 << 62);
    assert_true(checked_multiply(-((int64_t)1 << 32), (int64_t)1 << 31, &result));
    assert_true(result == INT64_MIN);
}

static void
quotients_round_towards_the_named_side(void **state)
{
    (void)state;
    assert_int_equal(floor_divide(-1, 2), -1);
    assert_int_equal(floor_divide(7, 2), 3);
    assert_int_equal(ceil_divide(7, 2), 4);
    assert_int_equal(ceil_divide(-7, 2), -3);
}

static void
numbers_survive_printing_and_reading(void **state)
{
    static const double numbers[] = {0.1, 1.0 / 3, 1e300, -2.5e-308, 123456789.0, 5e-324};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct text text = TEXT_INIT(*state);
        double back = 0;

        text_append_double(&text, numbers[i]);
        assert_true(parse_double(text.bytes, &back));
        assert_true(back == numbers[i]);
        text_release(&text);
    }
}

static void
words_and_leftovers_are_no_numbers(void **state)
{
    static const char *const texts[] = {"", "x", "1x", "nan", "inf", "0x10", " 1", "1e999", "--1"};
    double number = 0;
    int64_t integer = 0;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(parse_double(texts[i], &number));
        assert_false(parse_int64(texts[i], &integer));
    }
    assert_false(parse_int64("9223372036854775808", &integer));
    assert_true(parse_int64("-9223372036854775808", &integer));
    assert_true(integer == INT64_MIN);
}

#if defined(__x86_64__)

/* Bits of the answers: Intel's Software Developer's Manual, volume 2, CPUID, and volume 1, 13.3. */
enum {
    FMA = 1 << 12,
    OSXSAVE = 1 << 27,
    AVX = 1 << 28,
    AVX2 = 1 << 5,
    AVX512F = 1 << 16,
    AVX512DQ = 1 << 17,
    SSE_STATE = 1 << 1,
    AVX_STATE = 1 << 2,
    AVX512_STATE = 7 << 5,
};

static void
vectors_are_as_wide_as_processor_and_system_allow(void **state)
{
    const uint32_t old = SSE_STATE, usual = SSE_STATE | AVX_STATE, wide = SSE_STATE | AVX_STATE | AVX512_STATE;
    const uint32_t all = OSXSAVE | AVX | FMA;
    const struct {
        struct cpu_answers answers;
        enum cpu_vectors vectors;
    } processors[] = {
        {{0, 0, 0}, CPU_VECTORS_128},                               /* Nehalem */
        {{OSXSAVE | AVX, 0, usual}, CPU_VECTORS_128},               /* Sandy Bridge */
        {{all, 0, usual}, CPU_VECTORS_128},                         /* Piledriver: FMA, but no AVX2 */
        {{OSXSAVE | AVX, AVX2, usual}, CPU_VECTORS_128},            /* AVX2 without FMA */
        {{all, AVX2, usual}, CPU_VECTORS_256},                      /* Haswell */
        {{all, AVX2, old}, CPU_VECTORS_128},                        /* Haswell, of a system that saves 128 bits */
        {{AVX | FMA, AVX2, 0}, CPU_VECTORS_128},                    /* and of one that saves by other means */
        {{all, AVX2 | AVX512F, wide}, CPU_VECTORS_256},             /* Knights Landing: no DQ */
        {{all, AVX2 | AVX512F | AVX512DQ, wide}, CPU_VECTORS_512},  /* Skylake-SP */
        {{all, AVX2 | AVX512F | AVX512DQ, usual}, CPU_VECTORS_256}, /* of a system that saves 256 bits */
    };

    (void)state;
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++)
        assert_int_equal(cpu_vectors_of(&processors[i].answers), processors[i].vectors);
}

/* An older Linux does not know of tiles, and elsewhere there is no such file: then there is nothing to compare. */
static void
tiles_are_there_where_linux_names_them(void **state)
{
    char line[8192] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");

    (void)state;
    while (file && fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0)
        line[0] = '\0';
    if (file)
        fclose(file);
    if (strstr(line, " amx_tile") && cpu_vectors() == CPU_VECTORS_512)
        assert_true(cpu_has_tiles());
    if (line[0] && !strstr(line, " avx512f"))
        assert_false(cpu_has_tiles());
}

#endif

static bool
matches(const char *pattern, const char *text)
{
    return text_matches(pattern, strlen(pattern), text);
}

/* As the shell's: `*` is any letters, none included, `?` is one. */
static void
patterns_are_those_of_a_shell(void **state)
{
    (void)state;
    assert_true(matches("a*c", "abbc") && matches("a*c", "ac") && matches("a?c", "abc") && matches("ab**", "ab"));
    assert_true(matches("*ab*c", "aababxc")); /* what the first * stands for grows until the rest fits */
    assert_false(matches("a*c", "acb") || matches("a?c", "ac") || matches("ab", "abc") || matches("", "a"));
    assert_true(text_matches("ab*", 2, "ab")); /* of the pattern "ab", what stands behind is none of it */
    assert_false(text_matches("ab*", 2, "abc"));
}

struct example_options {
    size_t size;
    int64_t first, second;
};

static void
older_and_newer_option_structs_are_understood(void **state)
{
    struct example_options own, given = {.size = sizeof given, .first = 1, .second = 2};
    struct {
        struct example_options known;
        int64_t later;
    } newer = {.known = {.size = sizeof newer, .first = 3, .second = 4}};

    assert_int_equal(options_copy(*state, "example_options", NULL, &own, sizeof own), 0);
    assert_int_equal(own.first, 0);
    given.size = offsetof(struct example_options, second);
    assert_int_equal(options_copy(*state, "example_options", &given, &own, sizeof own), 0);
    assert_int_equal(own.first, 1);
    assert_int_equal(own.second, 0);
    assert_int_equal(options_copy(*state, "example_options", &newer, &own, sizeof own), 0);
    assert_int_equal(own.second, 4);
    newer.later = 1;
    assert_error(*state, options_copy(*state, "example_options", &newer, &own, sizeof own), MEMMODEL_ERROR_STRUCT_SIZE,
                 "example_options");
    given.size = 0;
    assert_error(*state, options_copy(*state, "example_options", &given, &own, sizeof own), MEMMODEL_ERROR_STRUCT_SIZE,
                 "sizeof");
}

static void
older_and_newer_callers_get_results_up_to_their_size(void **state)
{
    const struct example_options own = {.size = sizeof own, .first = 1, .second = 2};
    struct example_options older = {.size = offsetof(struct example_options, second), .second = 7};
    struct {
        struct example_options known;
        int64_t later;
    } newer = {.known = {.size = sizeof newer}, .later = 7};

    (void)state;
    assert_int_equal(result_copy(&own, sizeof own, &older), 0);
    assert_int_equal(older.first, 1);
    assert_int_equal(older.second, 7);
    assert_int_equal(result_copy(&own, sizeof own, &newer), 0);
    assert_int_equal(newer.known.second, 2);
    assert_int_equal(newer.later, 0);
    older.size = 1;
    assert_int_equal(result_copy(&own, sizeof own, &older), MEMMODEL_ERROR_STRUCT_SIZE);
}

static void
wrong_json_is_refused_with_line_and_column(void **state)
{
    static const char text[] = "{\"format\": \"x\",\n \"list\": [1,\n  {\"width\": \"seven\"}]}";
    struct json_document document;
    const json_t *list = NULL;
    int64_t width;

    assert_error(*state, json_document_parse(&document, *state, "f.json", "{\n \"a\": }", 9), MEMMODEL_ERROR_PARSE, "");
    assert_int_equal(memmodel_context_error(*state)->line, 2);

    assert_int_equal(json_document_parse(&document, *state, "f.json", text, sizeof text - 1), 0);
    assert_int_equal(json_get_array(&document, document.root, "list", &list), 0);
    assert_error(*state, json_get_int64(&document, json_array_get(list, 1), "width", &width), MEMMODEL_ERROR_PARSE,
                 "width");
    assert_int_equal(memmodel_context_error(*state)->line, 3);
    assert_int_equal(memmodel_context_error(*state)->column, 13);
    assert_error(*state, json_check_format(&document, "y", 1), MEMMODEL_ERROR_PARSE, "expected \"y\"");
    json_document_release(&document);
}

/* ---- large blocks that are kept ---- */

enum { LARGE = 64 << 10 };

static void
a_large_block_is_kept_for_who_wants_as_many_bytes(void **state)
{
    char block, other;
    struct spares spares;

    (void)state;
    spares_start(&spares, true);
    if (!spares.keeps)
        skip();
    assert_null(spares_take(&spares, LARGE));
    assert_null(spares_give(&spares, &block, LARGE));
    assert_null(spares_take(&spares, LARGE - 1));
    assert_ptr_equal(spares_take(&spares, LARGE), &block);
    assert_null(spares_take(&spares, LARGE));
    assert_ptr_equal(spares_give(&spares, &other, 100), &other);
    assert_null(spares_take_any(&spares));

    spares_start(&spares, false);
    assert_ptr_equal(spares_give(&spares, &block, LARGE), &block);
}

static void
few_blocks_of_few_bytes_are_kept(void **state)
{
    char blocks[SPARES + 1];
    struct spares spares;

    (void)state;
    spares_start(&spares, true);
    if (!spares.keeps)
        skip();
    for (int i = 0; i < SPARES; i++)
        assert_null(spares_give(&spares, &blocks[i], LARGE));
    assert_ptr_equal(spares_give(&spares, &blocks[SPARES], LARGE), &blocks[0]); /* the oldest goes */
    for (int i = 0; i < SPARES; i++)
        assert_non_null(spares_take_any(&spares));
    assert_int_equal(atomic_load(&spares.bytes), 0);
    for (int i = 0; i < 8; i++) /* 8 MiB in all */
        assert_null(spares_give(&spares, &blocks[i], 1 << 20));
    assert_ptr_equal(spares_give(&spares, &blocks[8], 1 << 20), &blocks[8]);
}

static void
what_moves_into_a_kept_block_is_what_it_was(void **state)
{
    unsigned char *bytes = memory_allocate(*state, LARGE);
    int64_t used;

    assert_non_null(bytes);
    for (int i = 0; i < LARGE; i++)
        bytes[i] = (unsigned char)(i % 251);
    memory_release(*state, memory_allocate(*state, 2 * LARGE));
    bytes = memory_reallocate(*state, bytes, 2 * LARGE);
    assert_non_null(bytes);
    for (int i = 0; i < LARGE; i++)
        assert_int_equal(bytes[i], i % 251);
    memmodel_context_memory(*state, &used, NULL);
    assert_in_range(used, 2 * LARGE, 2 * LARGE + 100);
    memory_release(*state, bytes);
}

static void
every_status_has_a_name_and_a_meaning(void **state)
{
    (void)state;
    for (int status = MEMMODEL_ERROR_CALLBACK; status <= 0; status++) {
        assert_string_not_equal(memmodel_status_name(status), "unknown status");
        assert_string_not_equal(memmodel_status_message(status), "unknown status");
    }
    assert_string_equal(memmodel_status_name(12345), "unknown status");
}

/* Numbers that are no enumerator, beside those that are. */
static void
what_is_no_enumerator_has_no_name(void **state)
{
    static const struct {
        const char *(*name)(int);
        int last;
    } enums[] = {
        {memmodel_metric_name, MEMMODEL_METRIC_PROCESS},
        {memmodel_verdict_name, MEMMODEL_VERDICT_UNCERTAIN},
        {memmodel_mode_name, MEMMODEL_MODE_FORWARD},
        {memmodel_fit_loss_name, MEMMODEL_FIT_LOSS_PINBALL},
        {memmodel_bound_method_name, MEMMODEL_BOUND_METHOD_STUDENT_T},
        {memmodel_block_state_name, MEMMODEL_BLOCK_STATE_PENDING_FREE},
        {memmodel_chain_operation_name, MEMMODEL_CHAIN_OPERATION_BACKWARD},
        {memmodel_category_name, MEMMODEL_CATEGORY_RUNTIME},
        {memmodel_phase_name, MEMMODEL_PHASE_OPTIMIZER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++) {
        assert_non_null(enums[i].name(0));
        assert_non_null(enums[i].name(enums[i].last));
        assert_null(enums[i].name(-1));
        assert_null(enums[i].name(enums[i].last + 1));
        assert_null(enums[i].name(INT_MAX));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_that_do_not_fit_are_refused),
        cmocka_unit_test(quotients_round_towards_the_named_side),
        WITH_CONTEXT(numbers_survive_printing_and_reading),
        cmocka_unit_test(words_and_leftovers_are_no_numbers),
#if defined(__x86_64__)
        cmocka_unit_test(vectors_are_as_wide_as_processor_and_system_allow),
        cmocka_unit_test(tiles_are_there_where_linux_names_them),
#endif
        cmocka_unit_test(patterns_are_those_of_a_shell),
        WITH_CONTEXT(older_and_newer_option_structs_are_understood),
        cmocka_unit_test(older_and_newer_callers_get_results_up_to_their_size),
        WITH_CONTEXT(wrong_json_is_refused_with_line_and_column),
        cmocka_unit_test(a_large_block_is_kept_for_who_wants_as_many_bytes),
        cmocka_unit_test(few_blocks_of_few_bytes_are_kept),
        WITH_CONTEXT(what_moves_into_a_kept_block_is_what_it_was),
        cmocka_unit_test(every_status_has_a_name_and_a_meaning),
        cmocka_unit_test(what_is_no_enumerator_has_no_name),
    };

    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}

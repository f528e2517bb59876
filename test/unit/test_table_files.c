/* Tables in files: compressed by gzip, and without a line that names the columns. */
#include "allocations.h"

#include <unistd.h>

static char path[64];

static const char *const names[] = {"batch", "peak_bytes"};

/* printf 'batch,peak_bytes\n1,100\n2,200\n' | gzip -n9, of gzip 1.12 */
static const unsigned char table[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0x4a,
                                      0x2c, 0x49, 0xce, 0xd0, 0x29, 0x48, 0x4d, 0xcc, 0x8e, 0x4f, 0xaa, 0x2c,
                                      0x49, 0x2d, 0xe6, 0x32, 0xd4, 0x31, 0x34, 0x30, 0xe0, 0x32, 0xd2, 0x31,
                                      0x02, 0x92, 0x00, 0x86, 0x74, 0x94, 0x88, 0x1d, 0x00, 0x00, 0x00};
/* printf '4,400\n' | gzip -n9 */
static const unsigned char row[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x33, 0xd1, 0x31,
                                    0x31, 0x30, 0xe0, 0x02, 0x00, 0x96, 0x73, 0xa9, 0x4e, 0x06, 0x00, 0x00, 0x00};

static int
begin(void **state)
{
    strcpy(path, "/tmp/memmodel-table-XXXXXX");
    close(mkstemp(path));
    return context_setup(state);
}

static int
end(void **state)
{
    unlink(path);
    return context_teardown(state);
}

static void
add_bytes(const void *bytes, size_t length)
{
    FILE *file = fopen(path, "ab");

    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void
add_text(const char *text)
{
    add_bytes(text, strlen(text));
}

/* The table in the file: as many rows, the last one of them so. Gives it back. */
static void
assert_table(memmodel_samples *samples, size_t rows, double batch, double bytes)
{
    assert_int_equal(memmodel_samples_row_count(samples), rows);
    assert_true(memmodel_samples_column(samples, "batch")[rows - 1] == batch);
    assert_true(memmodel_samples_column(samples, "peak_bytes")[rows - 1] == bytes);
    memmodel_samples_unref(samples);
}

/* ---- compressed by gzip ---- */

#if defined(MEMMODEL_ZLIB)
static void
a_compressed_table_is_read_as_what_it_holds(void **state)
{
    memmodel_samples *samples;

    add_bytes(table, sizeof table);
    assert_int_equal(memmodel_samples_load(*state, path, &samples), 0);
    assert_table(samples, 2, 2, 200);
}

/* As `cat a.gz b.gz` makes them. */
static void
what_was_compressed_in_parts_is_one_text(void **state)
{
    memmodel_samples *samples;

    add_bytes(table, sizeof table);
    add_bytes(row, sizeof row);
    assert_int_equal(memmodel_samples_load(*state, path, &samples), 0);
    assert_table(samples, 3, 4, 400);
}

static void
a_file_that_is_cut_off_anywhere_is_refused(void **state)
{
    memmodel_samples *samples;

    for (size_t length = 3; length < sizeof table; length++) {
        assert_int_equal(truncate(path, 0), 0);
        add_bytes(table, length);
        assert_error(*state, memmodel_samples_load(*state, path, &samples), MEMMODEL_ERROR_PARSE, "cut off");
        assert_string_equal(memmodel_context_error(*state)->object, path);
    }
}

/* RFC 1952: flags that are reserved, a check sum and a length at the end; the compressed blocks are checked by that sum. */
static void
a_damaged_file_is_refused(void **state)
{
    static const size_t places[] = {3, 20, 30, sizeof table - 8, sizeof table - 1};
    memmodel_samples *samples;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        unsigned char damaged[sizeof table];

        memcpy(damaged, table, sizeof table);
        damaged[places[i]] ^= 0xff;
        assert_int_equal(truncate(path, 0), 0);
        add_bytes(damaged, sizeof damaged);
        assert_error(*state, memmodel_samples_load(*state, path, &samples), MEMMODEL_ERROR_PARSE, "compressed by gzip");
    }
}

static void
other_bytes_behind_the_compressed_ones_are_refused(void **state)
{
    memmodel_samples *samples;

    add_bytes(table, sizeof table);
    add_text("3,300\n");
    assert_error(*state, memmodel_samples_load(*state, path, &samples), MEMMODEL_ERROR_PARSE, "other bytes follow");
}

/* A megabyte of comments is a thousand bytes in the file. */
static void
a_small_file_that_holds_much_is_stopped_by_the_limit(void **state)
{
    struct memmodel_limits limits = {.size = sizeof limits, .input_bytes = 100000};
    memmodel_samples *samples;
    char command[160];

    snprintf(command, sizeof command, "head -c 1000000 /dev/zero | tr '\\0' '#' | gzip -n9 > %s", path);
    if (system(command) != 0)
        skip();
    assert_int_equal(memmodel_context_set_limits(*state, &limits), 0);
    assert_error(*state, memmodel_samples_load(*state, path, &samples), MEMMODEL_ERROR_LIMIT, "input_bytes");
}

static int
load_compressed(memmodel_context *context)
{
    memmodel_samples *samples;
    int status = memmodel_samples_load(context, path, &samples);

    if (!status)
        memmodel_samples_unref(samples);
    return status;
}

static void
reading_compressed_tables_survives_failing_allocations(void **state)
{
    (void)state;
    add_bytes(table, sizeof table);
    add_bytes(row, sizeof row);
    assert_survives_failing_allocations(load_compressed);
}
#else
static void
a_library_without_zlib_says_how_to_decompress(void **state)
{
    memmodel_samples *samples;

    add_bytes(table, sizeof table);
    assert_error(*state, memmodel_samples_load(*state, path, &samples), MEMMODEL_ERROR_PARSE, "gunzip -k /tmp/");
}
#endif

static void
no_row_is_added_to_a_compressed_table(void **state)
{
    add_bytes(table, sizeof table);
    assert_error(*state, memmodel_samples_append_to_file(*state, path, names, (const char *const[]){"3", "300"}, 2),
                 MEMMODEL_ERROR_PARSE, "compressed by gzip");
}

/* ---- without names ---- */

static void
the_first_line_is_a_row_where_the_columns_are_named(void **state)
{
    memmodel_samples *samples;

    add_text("# measured\n1;100\n2;200\n");
    assert_int_equal(memmodel_samples_load_rows(*state, path, names, 2, &samples), 0);
    assert_string_equal(memmodel_samples_column_name(samples, 1), "peak_bytes");
    assert_true(memmodel_samples_column(samples, "batch")[0] == 1);
    assert_table(samples, 2, 2, 200);
}

static void
names_that_do_not_fit_the_rows_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *text, *part;
        int line;
    } files[] = {{"\n1\n2\n", "1 fields", 2},
                 {"1,2,3\n", "3 fields", 1},
                 {"1,2\n3\n", "1 fields in a table of 2", 2},
                 {"# c\nbatch,peak_bytes\n1,100\n", "has the names of the columns already", 2},
                 {"# nothing\n", "no rows", 2}};
    memmodel_samples *samples;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(truncate(path, 0), 0);
        add_text(files[i].text);
        assert_error(*state, memmodel_samples_load_rows(*state, path, names, 2, &samples), MEMMODEL_ERROR_PARSE,
                     files[i].part);
        assert_int_equal(memmodel_context_error(*state)->line, files[i].line);
    }
}

static void
names_are_checked_before_the_file_is_opened(void **state)
{
    memmodel_samples *samples;

    assert_error(*state, memmodel_samples_load_rows(*state, "/nowhere", (const char *const[]){"a", ""}, 2, &samples),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "column 2 has no name");
    assert_error(*state, memmodel_samples_load_rows(*state, "/nowhere", (const char *const[]){"a", "a"}, 2, &samples),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "the same name");
    assert_error(*state, memmodel_samples_load_rows(*state, "/nowhere", names, 0, &samples),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "1 to 4096");
    assert_error(*state, memmodel_samples_load_rows(*state, "/nowhere", names, 2, &samples), MEMMODEL_ERROR_IO,
                 "/nowhere");
}

static int
load_rows(memmodel_context *context)
{
    memmodel_samples *samples;
    int status = memmodel_samples_load_rows(context, path, names, 2, &samples);

    if (!status)
        memmodel_samples_unref(samples);
    return status;
}

static void
reading_rows_survives_failing_allocations(void **state)
{
    (void)state;
    add_text("1,100\n2,200\n");
    assert_survives_failing_allocations(load_rows);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(MEMMODEL_ZLIB)
        WITH_FILE(a_compressed_table_is_read_as_what_it_holds),
        WITH_FILE(what_was_compressed_in_parts_is_one_text),
        WITH_FILE(a_file_that_is_cut_off_anywhere_is_refused),
        WITH_FILE(a_damaged_file_is_refused),
        WITH_FILE(other_bytes_behind_the_compressed_ones_are_refused),
        WITH_FILE(a_small_file_that_holds_much_is_stopped_by_the_limit),
        WITH_FILE(reading_compressed_tables_survives_failing_allocations),
#else
        WITH_FILE(a_library_without_zlib_says_how_to_decompress),
#endif
        WITH_FILE(no_row_is_added_to_a_compressed_table),
        WITH_FILE(the_first_line_is_a_row_where_the_columns_are_named),
        WITH_FILE(names_that_do_not_fit_the_rows_are_refused_with_their_line),
        WITH_FILE(names_are_checked_before_the_file_is_opened),
        WITH_FILE(reading_rows_survives_failing_allocations),
    };

    return cmocka_run_group_tests_name("table_files", tests, NULL, NULL);
}

/* Tables of samples: CSV in and out, rows, filters, the random order. */
#include "allocations.h"
#include "base/shuffle.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static memmodel_samples *
parsed(memmodel_context *context, const char *text)
{
    memmodel_samples *samples = NULL;

    assert_int_equal(memmodel_samples_from_csv(context, "t.csv", text, strlen(text), &samples), 0);
    return samples;
}

static void
assert_number(const memmodel_samples *samples, const char *column, size_t row, double expected)
{
    const double *numbers = memmodel_samples_column(samples, column);

    assert_non_null(numbers);
    assert_true(row < memmodel_samples_row_count(samples));
    assert_true(isnan(expected) ? isnan(numbers[row]) : numbers[row] == expected);
}

/* Refused at this line and column, with a message that has `part` in it, and nothing made. */
static void
assert_refused(memmodel_context *context, const char *text, size_t length, int line, int column, const char *part)
{
    memmodel_samples *samples = NULL;

    assert_error(context, memmodel_samples_from_csv(context, "t.csv", text, length, &samples), MEMMODEL_ERROR_PARSE,
                 part);
    assert_null(samples);
    assert_int_equal(memmodel_context_error(context)->line, line);
    assert_int_equal(memmodel_context_error(context)->column, column);
    assert_string_equal(memmodel_context_error(context)->object, "t.csv");
}

static void
a_table_has_named_columns_and_rows(void **state)
{
    memmodel_samples *samples = parsed(*state, "# measured\ndim,batch,peak\n32,1,1e9\n48,2,2.5e9\n");

    assert_int_equal(memmodel_samples_row_count(samples), 2);
    assert_int_equal(memmodel_samples_column_count(samples), 3);
    assert_string_equal(memmodel_samples_column_name(samples, 1), "batch");
    assert_null(memmodel_samples_column_name(samples, 3));
    assert_number(samples, "peak", 1, 2.5e9);
    memmodel_samples_unref(samples);
}

/* What the last field that is not like the others is said to be. */
static memmodel_samples *
parsed_with_note(memmodel_context *context, const char *text, char note[NOTE_BYTES])
{
    memmodel_samples *samples;

    note[0] = '\0';
    memmodel_context_set_log(context, keep_note, note);
    samples = parsed(context, text);
    memmodel_context_set_log(context, NULL, NULL);
    return samples;
}

/* A failed measurement that reads "nan" made text of a column of numbers: the next to last was the target then. */
static void
a_field_that_is_no_number_is_missing_and_named(void **state)
{
    static const char *const fields[] = {"nan", "OOM", "much", "0x10"};

    for (size_t i = 0; i < 4; i++) {
        char text[256], note[NOTE_BYTES], expected[NOTE_BYTES];
        memmodel_samples *samples;

        snprintf(text, sizeof text, "dim,peak\n32,1e9\n48,%s\n64,4e9\n", fields[i]);
        snprintf(expected, sizeof expected, "line 3, column \"peak\": \"%s\" is no number and is taken as missing",
                 fields[i]);
        samples = parsed_with_note(*state, text, note);
        assert_string_equal(note, expected);
        assert_true(isnan(memmodel_samples_column(samples, "peak")[1]));
        assert_number(samples, "peak", 2, 4e9);
        assert_string_equal(memmodel_samples_text(samples, "peak", 1), fields[i]);
        assert_null(memmodel_samples_text(samples, "dim", 1));
        memmodel_samples_unref(samples);
    }
}

static void
words_for_numbers_that_are_not_there_make_no_text(void **state)
{
    char note[NOTE_BYTES];
    memmodel_samples *samples = parsed_with_note(*state, "peak,b\n1e9,x\nOOM,1\nOOM,y\nnan,z\n", note);

    assert_number(samples, "peak", 0, 1e9);
    assert_string_equal(note, "column \"b\" is text: of 4 fields only 1 are numbers");
    memmodel_samples_unref(samples);
}

static void
units_are_read_from_names(void **state)
{
    static const struct {
        const char *name, *unit;
    } columns[] = {{"peak_MiB", "MiB"}, {"mem (GB)", "GB"},   {"rss [kib]", "KiB"}, {"peak_bytes", "bytes"},
                   {"bytes", "bytes"},  {"max rss kb", "kB"}, {"used_B", "bytes"},  {"batch", NULL},
                   {"matrix_b", NULL},  {"B", NULL},          {"comb", NULL},       {"peak MiB/s", NULL}};

    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        char text[64];
        memmodel_samples *samples;
        const char *unit;

        snprintf(text, sizeof text, "%s\n1\n", columns[i].name);
        samples = parsed(*state, text);
        unit = memmodel_samples_unit(samples, columns[i].name);
        if (columns[i].unit)
            assert_string_equal(unit, columns[i].unit);
        else
            assert_null(unit);
        memmodel_samples_unref(samples);
    }
}

/* 1.5 GiB are 1536 MiB; 1.5 GB are 1,500,000,000 bytes. */
static void
sizes_with_units_are_read_in_that_of_their_column(void **state)
{
    char note[NOTE_BYTES];
    memmodel_samples *samples = parsed_with_note(
        *state, "peak_MiB,mem,n,bytes\n1.5 GiB,1.5 GB,\"908,136,448\",1\n100,2KiB,2,2\n200,512M,3,\"1,5\"\n", note);

    assert_string_equal(note, "line 4, column \"bytes\": \"1,5\" is no number of bytes and is taken as missing");
    assert_number(samples, "peak_MiB", 0, 1536);
    assert_number(samples, "peak_MiB", 1, 100);
    assert_number(samples, "mem", 0, 1.5e9);
    assert_number(samples, "mem", 1, 2048);
    assert_number(samples, "mem", 2, 512 * 1048576.0);
    assert_string_equal(memmodel_samples_unit(samples, "mem"), "bytes");
    assert_number(samples, "n", 0, 908136448);
    assert_null(memmodel_samples_unit(samples, "n"));
    memmodel_samples_unref(samples);
}

/* Beside "0,846" a GiB of "1,184" is 1.184, not 1184: a fit to such a table was a thousand times too large. */
static void
decimal_commas_are_no_commas_between_thousands(void **state)
{
    char note[NOTE_BYTES];
    memmodel_samples *samples = parsed_with_note(
        *state,
        "n,peak_GiB,mem\n1,\"0,846\",\"1,5 GiB\"\n2,1.5,2 GiB\n3,2.5,3 GiB\n4,\"1,184\",\"1,234 GiB\"\n"
        "5,4.5,4 GiB\n",
        note);

    assert_string_equal(note, "line 5, column \"mem\": \"1,234 GiB\" is no number of bytes and is taken as missing");
    for (size_t row = 0; row < 4; row += 3) {
        assert_number(samples, "peak_GiB", row, NAN);
        assert_number(samples, "mem", row, NAN);
    }
    assert_number(samples, "peak_GiB", 1, 1.5);
    memmodel_samples_unref(samples);
    samples = parsed_with_note(*state, "peak_GiB\n\"0,846\"\n\"1,184\"\n\"2,160\"\n", note);
    assert_null(memmodel_samples_column(samples, "peak_GiB"));
    memmodel_samples_unref(samples);
    assert_string_equal(note,
                        "column \"peak_GiB\" has decimal commas, as in \"0,846\": no number with a comma is read; "
                        "write points");
}

/* Of a table in which all numbers are written alike, one note tells how, not one a row. */
static void
what_all_fields_are_like_is_reported_once(void **state)
{
    char note[NOTE_BYTES];
    memmodel_samples *samples = parsed_with_note(*state, "bytes\n\"908,136,448\"\n\"1,271,603,200\"\n77\n", note);

    assert_string_equal(note, "column \"bytes\" has commas between thousands, as in \"908,136,448\"");
    assert_number(samples, "bytes", 1, 1271603200);
    memmodel_samples_unref(samples);
    samples = parsed_with_note(*state, "peak_MiB\n866.1 MiB\n1212.7 MiB\n", note);
    assert_string_equal(note, "");
    assert_number(samples, "peak_MiB", 1, 1212.7);
    memmodel_samples_unref(samples);
}

/* Nobody knows what 5 is where the others say bytes, nor a GiB where the others are bare numbers. */
static void
sizes_that_cannot_be_compared_are_missing_and_named(void **state)
{
    char note[NOTE_BYTES];
    memmodel_samples *samples = parsed_with_note(*state, "mem\n1GB\n2GB\n5\n", note);

    assert_string_equal(note, "line 4, column \"mem\": \"5\" is no number of bytes and is taken as missing");
    assert_true(isnan(memmodel_samples_column(samples, "mem")[2]));
    memmodel_samples_unref(samples);
    samples = parsed_with_note(*state, "mem\n1\n2\n5 GB\n", note);
    assert_string_equal(note, "line 4, column \"mem\": \"5 GB\" is no number and is taken as missing");
    memmodel_samples_unref(samples);
}

static void
windows_line_ends_a_byte_order_mark_and_blanks_are_no_part_of_a_field(void **state)
{
    memmodel_samples *samples = parsed(*state, "\xEF\xBB\xBF"
                                               "a , b\r\n1, 2\r\n\r\n   \r\n  # note\r\n3,\t4 ");

    assert_int_equal(memmodel_samples_row_count(samples), 2);
    assert_number(samples, "a", 1, 3);
    assert_number(samples, "b", 1, 4);
    memmodel_samples_unref(samples);
}

static void
quotes_hold_commas_lines_and_quotes(void **state)
{
    memmodel_samples *samples = parsed(*state, "\"name, long\",x\n\"two\nlines\",1\n\"say \"\"hi\"\"\",2\n");
    memmodel_samples *found;

    assert_string_equal(memmodel_samples_column_name(samples, 0), "name, long");
    assert_int_equal(memmodel_samples_filter(samples, "name, long", "say \"hi\"", NULL, &found), 0);
    assert_int_equal(memmodel_samples_row_count(found), 1);
    assert_number(found, "x", 0, 2);
    memmodel_samples_unref(found);
    assert_int_equal(memmodel_samples_filter(samples, "name, long", "two\nlines", NULL, &found), 0);
    assert_number(found, "x", 0, 1);
    memmodel_samples_unref(found);
    memmodel_samples_unref(samples);
}

static void
an_empty_field_is_missing(void **state)
{
    memmodel_samples *samples = parsed(*state, "a,b\n1,\n,2\n\"\",3\n"), *missing;

    assert_number(samples, "a", 1, NAN);
    assert_number(samples, "b", 0, NAN);
    assert_int_equal(memmodel_samples_filter(samples, "a", "", NULL, &missing), 0);
    assert_int_equal(memmodel_samples_row_count(missing), 2);
    memmodel_samples_unref(missing);
    memmodel_samples_unref(samples);
}

static void
a_column_with_a_word_is_text_and_says_where(void **state)
{
    memmodel_samples *samples = parsed(*state, "# c\na,b\n1,1\n2,x\n3,y\n");

    assert_non_null(memmodel_samples_column(samples, "a"));
    assert_null(memmodel_samples_column(samples, "b"));
    assert_int_equal(memmodel_context_error(*state)->status, MEMMODEL_ERROR_DATA);
    assert_int_equal(memmodel_context_error(*state)->line, 4);
    assert_null(memmodel_samples_column(samples, "c"));
    assert_int_equal(memmodel_context_error(*state)->status, MEMMODEL_ERROR_NOT_FOUND);
    assert_error(*state, memmodel_samples_add_row(samples, (double[]){1, 2}), MEMMODEL_ERROR_INVALID_ARGUMENT, "text");
    memmodel_samples_unref(samples);
}

static void
broken_files_are_refused_with_line_and_column(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *part;
    } broken[] = {
        {"", 1, 1, "names"},
        {"# only a comment\n", 2, 1, "names"},
        {"a,b,a\n1,2,3\n", 1, 5, "same name"},
        {"a,,c\n", 1, 3, "no name"},
        {"a,b\n1,2\n1,2,3\n", 3, 5, "3 fields in a table of 2"},
        {"a,b\n1\n", 2, 1, "1 fields in a table of 2"},
        {"a,b\n1,\"2\n3", 2, 3, "never closed"},
        {"a,b\n1,\"2\"x\n", 2, 6, "after the closing quote"},
        {"a,b\n1,x\"2\"\n", 2, 4, "quote inside"},
    };

    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        assert_refused(*state, broken[i].text, strlen(broken[i].text), broken[i].line, broken[i].column,
                       broken[i].part);
    assert_refused(*state, "a,b\n1,\0\n", 8, 2, 3, "zero byte");
    assert_refused(*state, "a,b\n1,\"\0\"\n", 10, 2, 4, "zero byte");
}

static void
too_many_columns_are_refused(void **state)
{
    enum { COLUMNS = 5000 };
    char text[2 * COLUMNS];

    for (size_t i = 0; i < COLUMNS; i++)
        memcpy(text + 2 * i, "a,", 2);
    assert_refused(*state, text, sizeof text, 1, 2 * 4096 + 1, "4096");
}

/*
 * Each prefix of a valid file, and the file with each byte changed to each of some nasty ones: an answer or a clear
 * error.
 */
static void
damaged_files_never_crash(void **state)
{
    static const char text[] = "# c\r\n\"a\"\"b\",c\r\n1,\"x\ny\"\r\n , 2.5e3\n";
    static const char nasty[] = {'"', ',', '\n', '\r', '#', '\0', ' ', (char)0xFF, '9'};
    char damaged[sizeof text];
    memmodel_samples *samples = NULL;

    for (size_t at = 0; at < sizeof text; at++)
        for (size_t with = 0; with < sizeof nasty; with++) {
            size_t length = with == 0 ? at : sizeof text - 1;
            int status;

            memcpy(damaged, text, sizeof text);
            damaged[at] = nasty[with];
            status = memmodel_samples_from_csv(*state, "t.csv", damaged, length, &samples);
            assert_true(status == 0 || (status == MEMMODEL_ERROR_PARSE && memmodel_context_error(*state)->line > 0));
            if (!status)
                memmodel_samples_unref(samples);
        }
}

static void
a_written_table_reads_back_the_same(void **state)
{
    static const char text[] = "\"#first\",name,x\n,\" led by a blank\",0.1\n\"3\",\"a,\"\"b\"\"\nc\",\n4,,1e+300\n";
    char path[] = "/tmp/memmodel-samples-XXXXXX", again[sizeof text + 16];
    memmodel_samples *samples = parsed(*state, text), *back;
    FILE *file;
    size_t length;

    close(mkstemp(path));
    assert_int_equal(memmodel_samples_save(samples, path), 0);
    assert_int_equal(memmodel_samples_load(*state, path, &back), 0);
    assert_int_equal(memmodel_samples_row_count(back), 3);
    assert_number(back, "#first", 0, NAN);
    assert_number(back, "#first", 1, 3);
    assert_number(back, "x", 2, 1e300);
    assert_int_equal(memmodel_samples_save(back, path), 0);
    file = fopen(path, "rb");
    length = fread(again, 1, sizeof again, file);
    fclose(file);
    again[length] = '\0';
    assert_string_equal(again, "\"#first\",name,x\n,\" led by a blank\",0.1\n3,\"a,\"\"b\"\"\nc\",\n4,,1e+300\n");
    memmodel_samples_unref(back);
    memmodel_samples_unref(samples);
    remove(path);
}

static void
a_missing_number_survives_alone_on_its_line(void **state)
{
    char path[] = "/tmp/memmodel-samples-XXXXXX";
    memmodel_samples *samples, *back;

    close(mkstemp(path));
    assert_int_equal(memmodel_samples_new(*state, (const char *[]){"x"}, 1, &samples), 0);
    assert_int_equal(memmodel_samples_add_row(samples, (double[]){NAN}), 0);
    assert_int_equal(memmodel_samples_save(samples, path), 0);
    assert_int_equal(memmodel_samples_load(*state, path, &back), 0);
    assert_int_equal(memmodel_samples_row_count(back), 1);
    assert_number(back, "x", 0, NAN);
    memmodel_samples_unref(back);
    memmodel_samples_unref(samples);
    remove(path);
}

static void
files_that_cannot_be_read_or_written_are_named(void **state)
{
    memmodel_samples *samples = NULL;

    assert_error(*state, memmodel_samples_load(*state, "/nowhere/t.csv", &samples), MEMMODEL_ERROR_IO,
                 "/nowhere/t.csv");
    assert_null(samples);
    samples = parsed(*state, "a\n1\n");
    assert_error(*state, memmodel_samples_save(samples, "/nowhere/t.csv"), MEMMODEL_ERROR_IO, "/nowhere/t.csv");
    memmodel_samples_unref(samples);
}

static void
names_are_checked(void **state)
{
    memmodel_samples *samples = NULL;

    assert_error(*state, memmodel_samples_new(*state, (const char *[]){"a", "a"}, 2, &samples),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "same name");
    assert_error(*state, memmodel_samples_new(*state, (const char *[]){"a", ""}, 2, &samples),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "no name");
    assert_error(*state, memmodel_samples_new(*state, NULL, 0, &samples), MEMMODEL_ERROR_INVALID_ARGUMENT, "columns");
    assert_null(samples);
}

static void
infinite_values_are_refused_and_leave_the_table_alone(void **state)
{
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(*state, (const char *[]){"a", "b"}, 2, &samples), 0);
    assert_non_null(memmodel_samples_column(samples, "a"));
    assert_int_equal(memmodel_samples_add_row(samples, (double[]){1, NAN}), 0);
    assert_error(*state, memmodel_samples_add_row(samples, (double[]){1, -INFINITY}), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "b");
    assert_int_equal(memmodel_samples_row_count(samples), 1);
    memmodel_samples_unref(samples);
}

static void
rows_are_selected_in_the_given_order(void **state)
{
    memmodel_samples *samples = parsed(*state, "a,t\n1,x\n2,y\n3,z\n"), *selected, *found;

    assert_int_equal(memmodel_samples_select(samples, (size_t[]){2, 0, 2}, 3, NULL, &selected), 0);
    assert_int_equal(memmodel_samples_row_count(selected), 3);
    assert_number(selected, "a", 0, 3);
    assert_number(selected, "a", 1, 1);
    assert_int_equal(memmodel_samples_filter(selected, "t", "z", NULL, &found), 0);
    assert_int_equal(memmodel_samples_row_count(found), 2);
    memmodel_samples_unref(found);
    memmodel_samples_unref(selected);
    selected = NULL;
    assert_error(*state, memmodel_samples_select(samples, (size_t[]){3}, 1, NULL, &selected),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "no row 3");
    assert_null(selected);
    memmodel_samples_unref(samples);
}

static void
of_many_columns_eight_are_named(void **state)
{
    memmodel_samples *samples = parsed(*state, "a,b,c,d,e,f,g,h,i\n1,2,3,4,5,6,7,8,9\n");

    assert_null(memmodel_samples_column(samples, "z"));
    assert_string_equal(memmodel_context_error(*state)->message,
                        "no column of the table; it has a, b, c, d, e, f, g, h, ...");
    memmodel_samples_unref(samples);
}

static void
a_filter_compares_numbers_as_numbers(void **state)
{
    memmodel_samples *samples = parsed(*state, "filters,status\n16,ok\n16.0,oom\n8,ok\n"), *found;

    assert_int_equal(memmodel_samples_filter(samples, "filters", "1.6e1", NULL, &found), 0);
    assert_int_equal(memmodel_samples_row_count(found), 2);
    memmodel_samples_unref(found);
    assert_int_equal(memmodel_samples_filter(samples, "status", "okay", NULL, &found), 0);
    assert_int_equal(memmodel_samples_row_count(found), 0);
    memmodel_samples_unref(found);
    assert_error(*state, memmodel_samples_filter(samples, "stat", "ok", NULL, &found), MEMMODEL_ERROR_NOT_FOUND,
                 "stat");
    assert_string_equal(memmodel_context_error(*state)->message, "no column of the table; it has filters, status");
    memmodel_samples_unref(samples);
}

/*
 * SplitMix64 from state 0 draws E220A8397B1DCDAF, 6E789E6AA1B965F4, 06C45D188009454F, F88BB8A8724C81EC (the first
 * outputs of the reference implementation, https://prng.di.unimi.it/splitmix64.c). Modulo 5, 4, 3, 2 these are 0, 0,
 * 1, 0: 01234 -> 41230 -> 31240 -> 32140 -> 23140.
 */
/* Rows that have their numbers in a column. */
static memmodel_samples *
numbered_rows(memmodel_context *context, size_t count)
{
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, (const char *const[]){"row"}, 1, &samples), 0);
    for (size_t row = 0; row < count; row++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){(double)row}), 0);
    return samples;
}

static void
a_split_has_the_documented_order(void **state)
{
    static const double expected[] = {2, 3, 1, 4, 0};
    memmodel_samples *samples = numbered_rows(*state, 5), *train, *test;

    assert_int_equal(memmodel_samples_split(samples, 0.7, 0, NULL, &train, &test), 0);
    assert_int_equal(memmodel_samples_row_count(train), 3);
    assert_int_equal(memmodel_samples_row_count(test), 2);
    assert_memory_equal(memmodel_samples_column(train, "row"), expected, 3 * sizeof expected[0]);
    assert_memory_equal(memmodel_samples_column(test, "row"), expected + 3, 2 * sizeof expected[0]);
    memmodel_samples_unref(train);
    memmodel_samples_unref(test);
    memmodel_samples_unref(samples);
}

static void
a_fraction_of_the_rows_is_rounded_down(void **state)
{
    static const struct {
        size_t rows;
        double fraction;
        size_t trained;
    } cases[] = {{90, 0.7, 63}, {10, 0.7, 7}, {5, 0.7, 3}, {3, 0, 0}, {3, 1, 3}, {0, 0.5, 0}, {1, 0.99, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memmodel_samples *samples = numbered_rows(*state, cases[i].rows), *train, *test;

        assert_int_equal(memmodel_samples_split(samples, cases[i].fraction, 1, NULL, &train, &test), 0);
        assert_int_equal(memmodel_samples_row_count(train), cases[i].trained);
        assert_int_equal(memmodel_samples_row_count(test), cases[i].rows - cases[i].trained);
        memmodel_samples_unref(train);
        memmodel_samples_unref(test);
        memmodel_samples_unref(samples);
    }
}

static void
a_fraction_that_is_none_is_refused(void **state)
{
    static const double fractions[] = {-0.1, 1.1, NAN};
    memmodel_samples *samples = numbered_rows(*state, 5), *train = NULL, *test = NULL;

    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++)
        assert_error(*state, memmodel_samples_split(samples, fractions[i], 0, *state, &train, &test),
                     MEMMODEL_ERROR_INVALID_ARGUMENT, "0 to 1");
    assert_true(!train && !test);
    memmodel_samples_unref(samples);
}

/* Of 6000 orders of three rows, each of the six should come about 1000 times: 5 standard deviations are 145. */
static void
each_order_is_equally_likely(void **state)
{
    int times[27] = {0};
    size_t rows[3];

    (void)state;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        shuffle_numbers(seed * 977, 3, rows);
        times[9 * rows[0] + 3 * rows[1] + rows[2]]++;
    }
    for (size_t order = 0; order < 27; order++)
        assert_true(times[order] == 0 || (times[order] > 855 && times[order] < 1145));
}

/* ---- memory that runs out ---- */

static char swept[] = "/tmp/memmodel-samples-XXXXXX";

static int
use_tables(memmodel_context *context)
{
    static const char text[] = "a,t\n1,x\n2,\"y\"\n";
    memmodel_samples *samples, *filtered;
    int status = memmodel_samples_from_csv(context, "t.csv", text, sizeof text - 1, &samples);

    if (status)
        return status;
    status = memmodel_samples_filter(samples, "t", "x", NULL, &filtered);
    if (!status) {
        status = memmodel_samples_save(filtered, swept);
        memmodel_samples_unref(filtered);
    }
    memmodel_samples_unref(samples);
    return status;
}

static int
add_rows(memmodel_context *context)
{
    memmodel_samples *samples;
    int status = memmodel_samples_new(context, (const char *[]){"a", "b"}, 2, &samples);

    if (status)
        return status;
    for (int row = 0; !status && row < 100; row++)
        status = memmodel_samples_add_row(samples, (double[]){row, -row});
    memmodel_samples_unref(samples);
    return status;
}

static void
tables_survive_failing_allocations(void **state)
{
    const int file = mkstemp(swept);

    (void)state;
    assert_true(file >= 0);
    close(file);
    assert_survives_failing_allocations(use_tables);
    assert_survives_failing_allocations(add_rows);
    remove(swept);
}

/* As spreadsheets write where the comma is that of decimals, and as they copy. A comma in the first line is what it was. */
static void
semicolons_and_tabs_may_be_between_fields(void **state)
{
    static const struct {
        const char *text;
        size_t columns;
    } tables[] = {
        {"# a; comment\na;b\n1;2\n3;4\n", 2}, {"a\tb\n1\t2\n3\t4\n", 2},
        {"a ; \"b;c\"\n1 ; 2\n3;4\n", 2},     {"a;b,c\n1,2\n3,4\n", 2},
        {"\"a,b\";c\n1;2\n3;4\n", 2},         {"a\n1\n3\n", 1},
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        memmodel_samples *samples;

        assert_int_equal(memmodel_samples_from_csv(*state, "table", tables[i].text, strlen(tables[i].text), &samples),
                         0);
        assert_int_equal(memmodel_samples_column_count(samples), tables[i].columns);
        assert_int_equal(memmodel_samples_row_count(samples), 2);
        assert_true(memmodel_samples_column(samples, memmodel_samples_column_name(samples, 0))[1] == 3);
        memmodel_samples_unref(samples);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_table_has_named_columns_and_rows),
        WITH_CONTEXT(windows_line_ends_a_byte_order_mark_and_blanks_are_no_part_of_a_field),
        WITH_CONTEXT(quotes_hold_commas_lines_and_quotes),
        WITH_CONTEXT(an_empty_field_is_missing),
        WITH_CONTEXT(a_column_with_a_word_is_text_and_says_where),
        WITH_CONTEXT(broken_files_are_refused_with_line_and_column),
        WITH_CONTEXT(too_many_columns_are_refused),
        WITH_CONTEXT(damaged_files_never_crash),
        WITH_CONTEXT(a_written_table_reads_back_the_same),
        WITH_CONTEXT(a_missing_number_survives_alone_on_its_line),
        WITH_CONTEXT(files_that_cannot_be_read_or_written_are_named),
        WITH_CONTEXT(names_are_checked),
        WITH_CONTEXT(infinite_values_are_refused_and_leave_the_table_alone),
        WITH_CONTEXT(a_field_that_is_no_number_is_missing_and_named),
        WITH_CONTEXT(words_for_numbers_that_are_not_there_make_no_text),
        WITH_CONTEXT(units_are_read_from_names),
        WITH_CONTEXT(sizes_with_units_are_read_in_that_of_their_column),
        WITH_CONTEXT(decimal_commas_are_no_commas_between_thousands),
        WITH_CONTEXT(what_all_fields_are_like_is_reported_once),
        WITH_CONTEXT(sizes_that_cannot_be_compared_are_missing_and_named),
        WITH_CONTEXT(rows_are_selected_in_the_given_order),
        WITH_CONTEXT(of_many_columns_eight_are_named),
        WITH_CONTEXT(a_filter_compares_numbers_as_numbers),
        WITH_CONTEXT(a_split_has_the_documented_order),
        WITH_CONTEXT(a_fraction_of_the_rows_is_rounded_down),
        WITH_CONTEXT(a_fraction_that_is_none_is_refused),
        cmocka_unit_test(each_order_is_equally_likely),
        cmocka_unit_test(tables_survive_failing_allocations),
        WITH_CONTEXT(semicolons_and_tabs_may_be_between_fields),
    };

    return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}

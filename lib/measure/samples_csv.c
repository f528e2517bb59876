/* Tables of samples as CSV files: doc/guide/formats.md describes them. */
#include "base/file.h"
#include "base/text.h"
#include "base/csv.h"
#include "measure/samples.h"

#include <math.h>
#include <string.h>

/* ---- reading ---- */

static int
check_header(const struct csv *csv)
{
    if (csv->count > SAMPLES_MAX_COLUMNS)
        return csv_error(csv, SAMPLES_MAX_COLUMNS, "more than %d columns", SAMPLES_MAX_COLUMNS);
    for (size_t i = 0; i < csv->count; i++) {
        if (!csv_text(csv, i)[0])
            return csv_error(csv, i, "column %zu has no name", i + 1);
        for (size_t j = 0; j < i; j++)
            if (strcmp(csv_text(csv, i), csv_text(csv, j)) == 0)
                return csv_error(csv, i, "columns %zu and %zu have the same name, \"%s\"", j + 1, i + 1,
                                 csv_text(csv, i));
    }
    return 0;
}

/* What the columns are called, where no line says so. */
struct given_names {
    const char *const *names;
    size_t count;
    memmodel_samples **samples;
};

static bool
is_row_of_names(const struct csv *csv, const struct given_names *given)
{
    for (size_t i = 0; i < csv->count; i++)
        if (strcmp(csv_text(csv, i), given->names[i]) != 0)
            return false;
    return true;
}

static int
check_first_row(const struct csv *csv, const struct given_names *given)
{
    if (csv->count != given->count)
        return csv_error(csv, csv->count < given->count ? csv->count - 1 : given->count,
                         "%zu fields, and %zu columns are named", csv->count, given->count);
    if (is_row_of_names(csv, given))
        return csv_error(csv, 0, "this line has the names of the columns already: do not give them");
    return 0;
}

/* The first line is a row: it is looked at, and left to be read again. */
static int
name_columns(struct csv *csv, const struct given_names *given, memmodel_samples **samples)
{
    const char *first = csv->next;
    int status = csv_read_row(csv);

    if (status == 0)
        return context_error_at(csv->context, MEMMODEL_ERROR_PARSE, csv->name, csv->line, 1, "there are no rows");
    if (status == 1)
        status = check_first_row(csv, given);
    csv->next = first;
    csv->line = csv->column = 1;
    return status ? status : memmodel_samples_new(csv->context, given->names, given->count, samples);
}

static int
read_header(struct csv *csv, memmodel_samples **samples)
{
    const char **names;
    int status = csv_read_row(csv);

    if (status == 0)
        return context_error_at(csv->context, MEMMODEL_ERROR_PARSE, csv->name, csv->line, 1,
                                "there is no line with the names of the columns");
    if (status < 0 || (status = check_header(csv)) != 0)
        return status;
    names = memory_allocate_zeroed(csv->context, csv->count, sizeof *names);
    if (!names)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < csv->count; i++)
        names[i] = csv_text(csv, i);
    status = memmodel_samples_new(csv->context, names, csv->count, samples);
    memory_release(csv->context, names);
    return status;
}

/* While reading, each column keeps its texts: only after the last row it is known what most of a column are. */
static int
read_row(const struct csv *csv, memmodel_samples *samples)
{
    size_t row = samples->row_count;

    for (size_t i = 0; i < csv->count; i++) {
        samples->columns[i].texts[row] = arena_copy_text(&samples->arena, csv_text(csv, i));
        if (!samples->columns[i].texts[row])
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    samples->row_count++;
    return 0;
}

/* The line of each row, too. */
struct lines {
    int *numbers;
    size_t capacity;
};

static int
read_rows(struct csv *csv, memmodel_samples *samples, struct lines *lines)
{
    int status;

    for (size_t i = 0; i < samples->column_count; i++)
        samples->columns[i].has_texts = true;
    while ((status = csv_read_row(csv)) == 1) {
        if (csv->count != samples->column_count)
            return csv_error(csv, csv->count < samples->column_count ? csv->count - 1 : samples->column_count,
                             "%zu fields in a table of %zu columns", csv->count, samples->column_count);
        status = samples_reserve(samples, samples->row_count + 1);
        if (!status)
            status = array_reserve(samples->context, &lines->numbers, &lines->capacity, samples->row_count + 1,
                                   sizeof *lines->numbers);
        if (status)
            return status;
        lines->numbers[samples->row_count] = csv->fields[0].line;
        status = read_row(csv, samples);
        if (status)
            return status;
    }
    return status;
}

/* `given` is NULL where the first line names the columns. */
static int
parse_table(memmodel_context *context, const char *name, const char *text, size_t length,
            const struct given_names *given, memmodel_samples **samples)
{
    struct lines lines = {NULL, 0};
    memmodel_samples *new = NULL;
    struct csv csv;
    int status;

    csv_open(&csv, context, name, text, length);
    status = given ? name_columns(&csv, given, &new) : read_header(&csv, &new);
    if (!status)
        status = read_rows(&csv, new, &lines);
    csv_close(&csv);
    if (status) {
        memmodel_samples_unref(new);
    } else {
        samples_type_columns(new, lines.numbers);
        *samples = new;
    }
    memory_release(context, lines.numbers);
    return status;
}

static int
parse(memmodel_context *context, const char *name, const char *text, size_t length, void *samples)
{
    return parse_table(context, name, text, length, NULL, samples);
}

static int
parse_rows(memmodel_context *context, const char *name, const char *text, size_t length, void *given)
{
    return parse_table(context, name, text, length, given, ((const struct given_names *)given)->samples);
}

int
memmodel_samples_from_csv(memmodel_context *context, const char *name, const char *text, size_t length,
                          memmodel_samples **samples)
{
    return file_parse_text(context, name, text, length, parse, samples);
}

int
memmodel_samples_load(memmodel_context *context, const char *path, memmodel_samples **samples)
{
    return file_parse(context, path, parse, samples);
}

int
memmodel_samples_load_rows(memmodel_context *context, const char *path, const char *const *columns, size_t count,
                           memmodel_samples **samples)
{
    struct given_names given = {.names = columns, .count = count, .samples = samples};
    int status;

    if (!context || !path || !columns || !samples)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = samples_check_names(context, columns, count);
    return status ? status : file_parse(context, path, parse_rows, &given);
}

/* ---- writing ---- */

/* A missing number is an empty field; alone on its line it is "", since empty lines are skipped. */
static void
append_field(struct text *text, const memmodel_samples *samples, const struct samples_column *column, size_t row)
{
    bool missing = column->has_texts ? !column->texts[row][0] : isnan(column->numbers[row]);

    if (missing)
        text_append(text, samples->column_count == 1 ? "\"\"" : "");
    else if (column->has_texts)
        csv_append(text, column->texts[row]);
    else
        text_append_double(text, column->numbers[row]);
}

static void
append_table(struct text *text, const memmodel_samples *samples)
{
    size_t last = samples->column_count - 1;

    for (size_t i = 0; i <= last; i++) {
        csv_append(text, samples->columns[i].name);
        text_append(text, i < last ? "," : "\n");
    }
    for (size_t row = 0; row < samples->row_count; row++)
        for (size_t i = 0; i <= last; i++) {
            append_field(text, samples, &samples->columns[i], row);
            text_append(text, i < last ? "," : "\n");
        }
}

static int
csv_of_samples(const void *samples, memmodel_context *context, char **csv)
{
    struct text text = TEXT_INIT(context);

    append_table(&text, samples);
    return text_finish_to(&text, csv);
}

int
memmodel_samples_save(const memmodel_samples *samples, const char *path)
{
    return file_save(samples, samples ? samples->context : NULL, csv_of_samples, path);
}

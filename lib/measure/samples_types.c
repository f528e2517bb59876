/*
 * What the columns of a table are: numbers or text, by what most of their fields are, and of sizes the unit. Fields
 * that are not like the others are named.
 */
#include "base/quantity.h"
#include "base/text.h"
#include "measure/samples.h"

#include <math.h>
#include <string.h>

/* Fields that say what a column is of: neither empty nor a word for a number that is not there. */
struct counts {
    size_t numbers, quantities, texts; /* numbers without a unit, those with one, and others */
    const char *grouped, *decimal; /* the first with commas between thousands, and the first with a comma of decimals */
    size_t grouped_count;
};

static bool
is_grouped(const char *text)
{
    double number;

    return parse_grouped(text, &number);
}

static bool
is_number(const char *text, double *number)
{
    return parse_double(text, number) || parse_grouped(text, number);
}

/* The first field with a comma of decimals; NULL: there is none. */
static const char *
find_decimal(const memmodel_samples *samples, const struct samples_column *column)
{
    for (size_t row = 0; row < samples->row_count; row++)
        if (has_decimal_comma(column->texts[row]))
            return column->texts[row];
    return NULL;
}

/* Beside "0,846" nobody knows whether "1,184" is a little more than 1, or than 1000. */
static void
count_field(const char *text, struct counts *counts)
{
    double number;

    if (counts->decimal && strchr(text, ','))
        counts->texts++;
    else if (is_number(text, &number))
        counts->numbers++;
    else if (parse_quantity(text, &number))
        counts->quantities++;
    else
        counts->texts++;
    if (!is_grouped(text))
        return;
    counts->grouped_count++;
    if (!counts->grouped)
        counts->grouped = text;
}

static struct counts
count_fields(const memmodel_samples *samples, const struct samples_column *column)
{
    struct counts counts = {.decimal = find_decimal(samples, column)};

    for (size_t row = 0; row < samples->row_count; row++) {
        const char *text = column->texts[row];

        if (text[0] && !is_missing_word(text) && !is_out_of_memory_word(text))
            count_field(text, &counts);
    }
    return counts;
}

/* How the numbers of a column are to be read. */
struct reading {
    const struct byte_unit *unit; /* that they are in; NULL: not known */
    bool bare;                    /* numbers without a unit are in it */
    bool grouped;                 /* most of them have commas between thousands */
    bool decimal;                 /* some have a comma of decimals: what one means is not known */
};

static struct reading
find_reading(const struct samples_column *column, const struct counts *counts)
{
    struct reading reading = {.unit = byte_unit_of_name(column->name), .bare = true};

    if (!reading.unit && counts->quantities > counts->numbers) {
        reading.unit = byte_unit_find("bytes");
        reading.bare = false;
    }
    reading.grouped = 2 * counts->grouped_count > counts->numbers;
    reading.decimal = counts->decimal != NULL;
    return reading;
}

/* False for what is not of the column's kind; then nobody knows the number. */
static bool
read_field(const char *text, const struct reading *reading, double *number)
{
    double bytes;

    *number = NAN;
    if (reading->decimal && strchr(text, ','))
        return false;
    if (parse_quantity(text, &bytes)) {
        if (reading->unit)
            *number = bytes / reading->unit->bytes;
        return reading->unit != NULL;
    }
    if (!reading->bare || !is_number(text, &bytes))
        return false;
    *number = bytes;
    return true;
}

static void
report_field(const memmodel_samples *samples, const struct samples_column *column, int line, const char *text,
             double number)
{
    const char *unit = column->unit ? column->unit : "", *blank = column->unit ? " " : "";

    if (isnan(number))
        context_log(samples->context, "line %d, column \"%s\": \"%s\" is no number%s%s and is taken as missing", line,
                    column->name, text, column->unit ? " of " : "", unit);
    else
        context_log(samples->context, "line %d, column \"%s\": \"%s\" is read as %.15g%s%s", line, column->name, text,
                    number, blank, unit);
}

static void
report_column(const memmodel_samples *samples, const struct samples_column *column, const struct counts *counts,
              const struct reading *reading)
{
    if (reading->unit && !reading->bare)
        context_log(samples->context, "column \"%s\" has sizes with units: they are read as bytes", column->name);
    if (reading->grouped && !reading->decimal)
        context_log(samples->context, "column \"%s\" has commas between thousands, as in \"%s\"", column->name,
                    counts->grouped);
}

/* Whether a field is empty or a number without commas and units. */
static bool
is_plain(const char *text)
{
    double number;

    return !text[0] || parse_double(text, &number);
}

/* Whether a field that was read is written as most numbers of the column are, or as its name says. */
static bool
is_usual(const char *text, const struct reading *reading)
{
    double number;

    if (!reading->bare)
        return !is_number(text, &number);
    return is_plain(text) || (reading->grouped && is_grouped(text)) ||
           (reading->unit && quantity_unit(text) == reading->unit);
}

static void
read_numbers(const memmodel_samples *samples, struct samples_column *column, const struct reading *reading,
             const int *lines)
{
    bool plain = true;

    for (size_t row = 0; row < samples->row_count; row++) {
        const char *text = column->texts[row];
        bool known = !text[0] || read_field(text, reading, &column->numbers[row]);

        if (!text[0])
            column->numbers[row] = NAN;
        plain &= reading->bare && is_plain(text);
        if (!known && column->line == 0)
            column->line = lines[row];
        if (!known || !is_usual(text, reading))
            report_field(samples, column, lines[row], text, column->numbers[row]);
    }
    if (!plain)
        return;
    memory_release(samples->context, column->texts);
    column->texts = NULL;
    column->text_capacity = 0;
    column->has_texts = false;
}

static bool
is_empty(const memmodel_samples *samples, const struct samples_column *column)
{
    size_t row = 0;

    while (row < samples->row_count && !column->texts[row][0])
        row++;
    return row == samples->row_count;
}

static void
leave_as_text(const memmodel_samples *samples, struct samples_column *column, const struct counts *counts,
              const int *lines)
{
    column->is_text = true;
    for (size_t row = 0; row < samples->row_count; row++) {
        double number;
        bool known = parse_double(column->texts[row], &number);

        column->numbers[row] = known ? number : (double)NAN;
        if (!known && column->texts[row][0] && column->line == 0)
            column->line = lines[row];
    }
    if (counts->numbers + counts->quantities > 0)
        context_log(samples->context, "column \"%s\" is text: of %zu fields only %zu are numbers", column->name,
                    counts->numbers + counts->quantities + counts->texts, counts->numbers + counts->quantities);
}

void
samples_type_columns(memmodel_samples *samples, const int *lines)
{
    for (size_t i = 0; i < samples->column_count; i++) {
        struct samples_column *column = &samples->columns[i];
        const struct counts counts = count_fields(samples, column);
        const struct reading reading = find_reading(column, &counts);

        if (counts.decimal)
            context_log(samples->context,
                        "column \"%s\" has decimal commas, as in \"%s\": no number with a comma is read; write points",
                        column->name, counts.decimal);
        if (counts.texts >= counts.numbers + counts.quantities && !is_empty(samples, column)) {
            leave_as_text(samples, column, &counts, lines);
            continue;
        }
        column->unit = reading.unit ? reading.unit->name : NULL;
        report_column(samples, column, &counts, &reading);
        read_numbers(samples, column, &reading, lines);
    }
}

/* Tables of samples: columns of numbers and of texts, and new tables from some of their rows. */
#include "measure/samples.h"
#include "base/environment.h"
#include "base/quantity.h"
#include "base/shuffle.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- tables ---- */

int
samples_check_names(memmodel_context *context, const char *const *names, size_t count)
{
    if (count == 0 || count > SAMPLES_MAX_COLUMNS)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "columns",
                             "a table has 1 to %d columns, not %zu", SAMPLES_MAX_COLUMNS, count);
    for (size_t i = 0; i < count; i++) {
        if (!names[i] || !names[i][0])
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "columns", "column %zu has no name", i + 1);
        for (size_t j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, names[i],
                                     "columns %zu and %zu have the same name", j + 1, i + 1);
    }
    return 0;
}

static int
name_columns(memmodel_samples *samples, const char *const *names)
{
    const struct byte_unit *unit;

    for (size_t i = 0; i < samples->column_count; i++) {
        samples->columns[i].name = arena_copy_text(&samples->arena, names[i]);
        if (!samples->columns[i].name)
            return MEMMODEL_ERROR_NO_MEMORY;
        unit = byte_unit_of_name(names[i]);
        samples->columns[i].unit = unit ? unit->name : NULL;
    }
    return 0;
}

int
memmodel_samples_new(memmodel_context *context, const char *const *columns, size_t count, memmodel_samples **samples)
{
    memmodel_samples *new;
    int status;

    if (!context || !columns || !samples)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = samples_check_names(context, columns, count);
    if (status)
        return status;
    new = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(context);
    new->arena = ARENA_INIT(context);
    new->columns = memory_allocate_zeroed(context, count, sizeof *new->columns);
    new->column_count = new->columns ? count : 0;
    if (!new->columns || name_columns(new, columns)) {
        memmodel_samples_unref(new);
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    }
    *samples = new;
    return 0;
}

DEFINE_REF(memmodel_samples)

void
memmodel_samples_unref(memmodel_samples *samples)
{
    memmodel_context *context;

    if (!samples || atomic_fetch_sub(&samples->references, 1) != 1)
        return;
    context = samples->context;
    for (size_t i = 0; i < samples->column_count; i++) {
        memory_release(context, samples->columns[i].numbers);
        memory_release(context, samples->columns[i].texts);
    }
    memory_release(context, samples->columns);
    arena_release(&samples->arena);
    memory_release(context, samples);
    memmodel_context_unref(context);
}

/* ---- rows ---- */

int
samples_reserve(memmodel_samples *samples, size_t rows)
{
    int status = 0;

    for (size_t i = 0; i < samples->column_count && !status; i++) {
        struct samples_column *column = &samples->columns[i];

        status =
            array_reserve(samples->context, &column->numbers, &column->number_capacity, rows, sizeof *column->numbers);
        if (!status && column->has_texts)
            status =
                array_reserve(samples->context, &column->texts, &column->text_capacity, rows, sizeof *column->texts);
    }
    return status;
}

/* In the row behind the last, as text too where the column keeps texts. */
static int
add_number(memmodel_samples *samples, struct samples_column *column, double number)
{
    struct text text = TEXT_INIT(samples->context);

    column->numbers[samples->row_count] = number;
    if (!column->has_texts)
        return 0;
    text_append(&text, "");
    if (!isnan(number))
        text_append_double(&text, number);
    column->texts[samples->row_count] = text.failed ? NULL : arena_copy_text(&samples->arena, text.bytes);
    text_release(&text);
    return column->texts[samples->row_count] ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

int
memmodel_samples_add_row(memmodel_samples *samples, const double *values)
{
    int status;

    if (!samples || !values)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < samples->column_count; i++) {
        if (samples->columns[i].is_text)
            return context_error(samples->context, MEMMODEL_ERROR_INVALID_ARGUMENT, samples->columns[i].name,
                                 "holds text; rows of numbers cannot be added to this table");
        if (isinf(values[i]))
            return context_error(samples->context, MEMMODEL_ERROR_INVALID_ARGUMENT, samples->columns[i].name,
                                 "is infinite; NaN means missing");
    }
    status = samples_reserve(samples, samples->row_count + 1);
    for (size_t i = 0; i < samples->column_count && !status; i++)
        status = add_number(samples, &samples->columns[i], values[i]);
    samples->row_count += !status;
    return context_status(samples->context, status);
}

/* ---- tables from some of the rows ---- */

/* An empty table with the same columns. */
static int
new_like(const memmodel_samples *samples, memmodel_context *context, memmodel_samples **like)
{
    const char **names = memory_allocate_zeroed(context, samples->column_count, sizeof *names);
    int status;

    if (!names)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < samples->column_count; i++)
        names[i] = samples->columns[i].name;
    status = memmodel_samples_new(context, names, samples->column_count, like);
    memory_release(context, names);
    for (size_t i = 0; !status && i < samples->column_count; i++) {
        (*like)->columns[i].has_texts = samples->columns[i].has_texts;
        (*like)->columns[i].is_text = samples->columns[i].is_text;
        (*like)->columns[i].unit = samples->columns[i].unit;
        (*like)->columns[i].line = samples->columns[i].line;
    }
    return status;
}

/* Copies a row after the last one of `to`, which has the same columns and room for it. */
static int
copy_row(memmodel_samples *to, const memmodel_samples *from, size_t row)
{
    for (size_t i = 0; i < from->column_count; i++) {
        to->columns[i].numbers[to->row_count] = from->columns[i].numbers[row];
        if (!from->columns[i].has_texts)
            continue;
        to->columns[i].texts[to->row_count] = arena_copy_text(&to->arena, from->columns[i].texts[row]);
        if (!to->columns[i].texts[to->row_count])
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    to->row_count++;
    return 0;
}

static int
select_rows(const memmodel_samples *samples, const size_t *rows, size_t count, memmodel_context *context,
            memmodel_samples **selected)
{
    memmodel_samples *new;
    int status;

    for (size_t i = 0; i < count; i++)
        if (rows[i] >= samples->row_count)
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "rows",
                                 "there is no row %zu; the table has %zu", rows[i], samples->row_count);
    status = new_like(samples, context, &new);
    if (status)
        return status;
    status = samples_reserve(new, count);
    for (size_t i = 0; !status && i < count; i++)
        status = copy_row(new, samples, rows[i]);
    if (status) {
        memmodel_samples_unref(new);
        return status;
    }
    *selected = new;
    return 0;
}

int
memmodel_samples_select(const memmodel_samples *samples, const size_t *rows, size_t count, memmodel_context *context,
                        memmodel_samples **selected)
{
    int status;

    if (!samples || (count && !rows) || !selected)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : samples->context;
    status = context_begin(context);
    return context_end(context, status ? status : select_rows(samples, rows, count, context, selected));
}

enum { max_columns_named = 8 };

static int
unknown_column(const memmodel_samples *samples, const char *name, memmodel_context *context)
{
    struct text names = TEXT_INIT(context);
    size_t named = samples->column_count < max_columns_named ? samples->column_count : max_columns_named;
    int status;

    for (size_t i = 0; i < named; i++)
        text_printf(&names, "%s%s", i ? ", " : "", samples->columns[i].name);
    if (named < samples->column_count)
        text_append(&names, ", ...");
    status = context_error(context, MEMMODEL_ERROR_NOT_FOUND, name, "no column of the table; it has %s",
                           names.length ? names.bytes : "none");
    text_release(&names);
    return status;
}

static bool
reads(const struct samples_column *column, size_t row, const char *value)
{
    double number;

    if (column->has_texts && strcmp(column->texts[row], value) == 0)
        return true;
    if (value[0] == '\0')
        return !column->has_texts && isnan(column->numbers[row]);
    return parse_double(value, &number) && column->numbers[row] == number;
}

static int
filter(const memmodel_samples *samples, const char *column, const char *value, memmodel_context *context,
       memmodel_samples **filtered)
{
    OWN_ENVIRONMENT;
    const struct samples_column *found;
    size_t *rows, count = 0;
    int status;

    found = samples_find(samples, column);
    if (!found)
        return unknown_column(samples, column, context);
    rows = memory_allocate_zeroed(context, samples->row_count + 1, sizeof *rows);
    if (!rows)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t row = 0; row < samples->row_count; row++)
        if (reads(found, row, value))
            rows[count++] = row;
    status = select_rows(samples, rows, count, context, filtered);
    memory_release(context, rows);
    return status;
}

int
memmodel_samples_filter(const memmodel_samples *samples, const char *column, const char *value,
                        memmodel_context *context, memmodel_samples **filtered)
{
    int status;

    if (!samples || !column || !value || !filtered)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : samples->context;
    status = context_begin(context);
    return context_end(context, status ? status : filter(samples, column, value, context, filtered));
}

/* ---- training and test rows ---- */

/* So many of the rows, rounded down: 0.7 of 90 is 63, though their product is a bit less. */
static size_t
training_rows(double fraction, size_t rows)
{
    return (size_t)(fraction * (double)rows * (1 + 4 * DBL_EPSILON));
}

static int
split(const memmodel_samples *samples, double fraction, uint64_t seed, memmodel_context *context,
      memmodel_samples *parts[2])
{
    size_t *order = memory_allocate_zeroed(context, samples->row_count + 1, sizeof *order);
    size_t trained = training_rows(fraction, samples->row_count);
    int status;

    if (!order)
        return MEMMODEL_ERROR_NO_MEMORY;
    shuffle_numbers(seed, samples->row_count, order);
    status = select_rows(samples, order, trained, context, &parts[0]);
    if (!status) {
        status = select_rows(samples, order + trained, samples->row_count - trained, context, &parts[1]);
        if (status)
            memmodel_samples_unref(parts[0]);
    }
    memory_release(context, order);
    return status;
}

int
memmodel_samples_split(const memmodel_samples *samples, double fraction, uint64_t seed, memmodel_context *context,
                       memmodel_samples **train, memmodel_samples **test)
{
    memmodel_samples *parts[2];
    int status;

    if (!samples || !train || !test)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : samples->context;
    if (!(fraction >= 0 && fraction <= 1))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "fraction", "must be 0 to 1, not %g", fraction);
    status = context_begin(context);
    if (!status)
        status = split(samples, fraction, seed, context, parts);
    if (!status) {
        *train = parts[0];
        *test = parts[1];
    }
    return context_end(context, status);
}

/* ---- what is in a table ---- */

const struct samples_column *
samples_find(const memmodel_samples *samples, const char *name)
{
    for (size_t i = 0; i < samples->column_count; i++)
        if (strcmp(samples->columns[i].name, name) == 0)
            return &samples->columns[i];
    return NULL;
}

size_t
memmodel_samples_row_count(const memmodel_samples *samples)
{
    return samples ? samples->row_count : 0;
}

size_t
memmodel_samples_column_count(const memmodel_samples *samples)
{
    return samples ? samples->column_count : 0;
}

const char *
memmodel_samples_column_name(const memmodel_samples *samples, size_t column)
{
    if (!samples)
        return NULL;
    return column < samples->column_count ? samples->columns[column].name : NULL;
}

/* A table without rows has no array yet, but its columns are there all the same. */
static const double no_numbers[1];

static const double *
numbers_of(const struct samples_column *column)
{
    return column->numbers ? column->numbers : no_numbers;
}

const double *
samples_numbers(const memmodel_samples *samples, const char *name)
{
    const struct samples_column *column = samples_find(samples, name);

    return column && !column->is_text ? numbers_of(column) : NULL;
}

int
samples_need_numbers(const memmodel_samples *samples, const char *name, memmodel_context *context,
                     const double **numbers)
{
    const struct samples_column *column = samples_find(samples, name);

    if (!column)
        return unknown_column(samples, name, context);
    if (column->is_text)
        return context_error_at(context, MEMMODEL_ERROR_DATA, name, column->line, 0,
                                "most of the column is text: line %d of the table is the first with no finite number "
                                "there",
                                column->line);
    *numbers = numbers_of(column);
    return 0;
}

const double *
memmodel_samples_column(const memmodel_samples *samples, const char *name)
{
    const double *numbers;

    return samples && name && !samples_need_numbers(samples, name, samples->context, &numbers) ? numbers : NULL;
}

const char *
memmodel_samples_unit(const memmodel_samples *samples, const char *name)
{
    const struct samples_column *column = samples && name ? samples_find(samples, name) : NULL;

    return column ? column->unit : NULL;
}

const char *
memmodel_samples_text(const memmodel_samples *samples, const char *name, size_t row)
{
    const struct samples_column *column = samples && name ? samples_find(samples, name) : NULL;

    return column && column->has_texts && row < samples->row_count ? column->texts[row] : NULL;
}

/* Tables of samples: columns of numbers and of texts, and new tables from some of their rows. */
#include "measure/samples.h"
#include "base/environment.h"
#include "base/quantity.h"
#include "base/splitmix.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* ---- tables ---- */

int
samples_check_names(memmodel_context *context, const char *const *names, size_t count)
{
    if (count == 0 || count > SAMPLES_MOST_COLUMNS)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "columns",
                             "a table has 1 to %d columns, not %zu", SAMPLES_MOST_COLUMNS, count);
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
            return MEMMODEL_ERROR_NOMEM;
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
        return context_status(context, MEMMODEL_ERROR_NOMEM);
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(context);
    new->arena = ARENA_INIT(context);
    new->columns = memory_allocate_zeroed(context, count, sizeof *new->columns);
    new->column_count = new->columns ? count : 0;
    if (!new->columns || name_columns(new, columns)) {
        memmodel_samples_unref(new);
        return context_status(context, MEMMODEL_ERROR_NOMEM);
    }
    *samples = new;
    return 0;
}

memmodel_samples *
memmodel_samples_ref(memmodel_samples *samples)
{
    if (samples)
        atomic_fetch_add(&samples->references, 1);
    return samples;
}

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
    return column->texts[samples->row_count] ? 0 : MEMMODEL_ERROR_NOMEM;
}

int
memmodel_samples_add(memmodel_samples *samples, const double *values)
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
new_like(const memmodel_samples *samples, memmodel_samples **like)
{
    const char **names = memory_allocate_zeroed(samples->context, samples->column_count, sizeof *names);
    int status;

    if (!names)
        return MEMMODEL_ERROR_NOMEM;
    for (size_t i = 0; i < samples->column_count; i++)
        names[i] = samples->columns[i].name;
    status = memmodel_samples_new(samples->context, names, samples->column_count, like);
    memory_release(samples->context, names);
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
            return MEMMODEL_ERROR_NOMEM;
    }
    to->row_count++;
    return 0;
}

static int
select_rows(const memmodel_samples *samples, const size_t *rows, size_t count, memmodel_samples **selected)
{
    memmodel_samples *new;
    int status;

    for (size_t i = 0; i < count; i++)
        if (rows[i] >= samples->row_count)
            return context_error(samples->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "rows",
                                 "there is no row %zu; the table has %zu", rows[i], samples->row_count);
    status = new_like(samples, &new);
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
memmodel_samples_select(const memmodel_samples *samples, const size_t *rows, size_t count, memmodel_samples **selected)
{
    int status;

    if (!samples || (count && !rows) || !selected)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(samples->context);
    return context_end(samples->context, status ? status : select_rows(samples, rows, count, selected));
}

enum { most_columns_told = 8 };

static int
unknown_column(const memmodel_samples *samples, const char *name)
{
    struct text names = TEXT_INIT(samples->context);
    size_t told = samples->column_count < most_columns_told ? samples->column_count : most_columns_told;
    int status;

    for (size_t i = 0; i < told; i++)
        text_printf(&names, "%s%s", i ? ", " : "", samples->columns[i].name);
    if (told < samples->column_count)
        text_append(&names, ", ...");
    status = context_error(samples->context, MEMMODEL_ERROR_UNKNOWN_SYMBOL, name, "no column of the table; it has %s",
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
filter(const memmodel_samples *samples, const char *column, const char *value, memmodel_samples **filtered)
{
    OWN_ENVIRONMENT;
    const struct samples_column *found;
    size_t *rows, count = 0;
    int status;

    found = samples_find(samples, column);
    if (!found)
        return unknown_column(samples, column);
    rows = memory_allocate_zeroed(samples->context, samples->row_count + 1, sizeof *rows);
    if (!rows)
        return MEMMODEL_ERROR_NOMEM;
    for (size_t row = 0; row < samples->row_count; row++)
        if (reads(found, row, value))
            rows[count++] = row;
    status = memmodel_samples_select(samples, rows, count, filtered);
    memory_release(samples->context, rows);
    return status;
}

int
memmodel_samples_filter(const memmodel_samples *samples, const char *column, const char *value,
                        memmodel_samples **filtered)
{
    int status;

    if (!samples || !column || !value || !filtered)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(samples->context);
    return context_end(samples->context, status ? status : filter(samples, column, value, filtered));
}

/* ---- the same random order everywhere ---- */

/* Each of 0 .. limit - 1 equally likely: a draw from the incomplete last round of them is drawn again. */
static uint64_t
random_below(uint64_t *state, uint64_t limit)
{
    uint64_t incomplete = (UINT64_MAX % limit + 1) % limit, draw;

    do
        draw = splitmix(*state += SPLITMIX_STEP);
    while (draw > UINT64_MAX - incomplete);
    return draw % limit;
}

void
memmodel_samples_shuffle(uint64_t seed, size_t count, size_t *rows)
{
    if (!rows)
        return;
    for (size_t i = 0; i < count; i++)
        rows[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)random_below(&seed, i), row = rows[i - 1];

        rows[i - 1] = rows[other];
        rows[other] = row;
    }
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

memmodel_context *
memmodel_samples_context(const memmodel_samples *samples)
{
    return samples ? samples->context : NULL;
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

const double *
memmodel_samples_column(const memmodel_samples *samples, const char *name)
{
    const struct samples_column *column;

    if (!samples || !name)
        return NULL;
    column = samples_find(samples, name);
    if (!column) {
        unknown_column(samples, name);
        return NULL;
    }
    if (column->is_text) {
        context_error_at(samples->context, MEMMODEL_ERROR_DATA, name, column->line, 0,
                         "most of the column is text: line %d of the table is the first with no finite number there",
                         column->line);
        return NULL;
    }
    return column->numbers ? column->numbers : no_numbers;
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

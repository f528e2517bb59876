/* Tables on a terminal. */
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *
copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

static bool
reserve_row(struct table *table)
{
    size_t needed = (table->rows + 1) * table->columns;
    char **moved;

    if (needed <= table->capacity)
        return true;
    moved = realloc(table->cells, 2 * needed * sizeof *moved);
    if (!moved)
        return false;
    table->cells = moved;
    table->capacity = 2 * needed;
    return true;
}

void
table_add(struct table *table, const char *const *cells)
{
    if (table->failed || !reserve_row(table)) {
        table->failed = true;
        return;
    }
    for (size_t i = 0; i < table->columns; i++) {
        char *cell = copy_text(cells[i]);

        table->failed = table->failed || !cell;
        table->cells[table->rows * table->columns + i] = cell;
    }
    table->rows++;
}

void
table_start(struct table *table, const char *const *heads, size_t columns)
{
    const char *names[TABLE_COLUMNS];

    *table = (struct table){.columns = columns};
    for (size_t i = 0; i < columns; i++) {
        table->to_the_left[i] = heads[i][0] == '<';
        names[i] = heads[i] + (heads[i][0] == '<');
    }
    table_add(table, names);
}

/* Columns of a terminal that a text in UTF-8 takes. */
static size_t
width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void
print_padding(FILE *to, size_t count)
{
    for (; count; count--)
        fputc(' ', to);
}

static void
print_row(const struct table *table, size_t row, const size_t *widths, FILE *to)
{
    char *const *cells = table->cells + row * table->columns;

    for (size_t i = 0; i < table->columns; i++) {
        size_t padding = widths[i] - width_of(cells[i]);
        bool last = i + 1 == table->columns;

        if (!table->to_the_left[i])
            print_padding(to, padding);
        fputs(cells[i], to);
        if (table->to_the_left[i] && !last)
            print_padding(to, padding);
        fputs(last ? "\n" : "  ", to);
    }
}

static void
print_rows(const struct table *table, FILE *to)
{
    size_t widths[TABLE_COLUMNS] = {0};

    for (size_t i = 0; i < table->rows * table->columns; i++) {
        size_t width = width_of(table->cells[i]);

        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (size_t row = 0; row < table->rows; row++)
        print_row(table, row, widths, to);
}

bool
table_print(struct table *table, FILE *to)
{
    if (!table->failed)
        print_rows(table, to);
    for (size_t i = 0; i < table->rows * table->columns; i++)
        free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
    return !table->failed;
}

const char *
format_count(int64_t number, char text[NUMBER_BYTES])
{
    char digits[NUMBER_BYTES];
    int length = snprintf(digits, sizeof digits, "%" PRId64, number), at = 0;
    int sign = number < 0;

    for (int i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

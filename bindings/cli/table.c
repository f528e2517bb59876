/* Tables on a terminal. */
#include "table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, ELLIPSIS = 3, MIN_WIDTH = 8 };

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

/* `count` characters of a text in UTF-8 from `text` on: where they end. */
static const char *
skip_characters(const char *text, size_t count)
{
    for (; *text && count; count--)
        do
            text++;
        while (((unsigned char)*text & 0xc0) == 0x80);
    return text;
}

/* Both ends of a text that is wider than `width`, "..." between them. */
static void
print_shortened(const char *text, size_t width, FILE *to)
{
    size_t kept = width - ELLIPSIS, front = kept / 2;
    const char *end = skip_characters(text, front), *rest = skip_characters(text, width_of(text) - (kept - front));

    fprintf(to, "%.*s...%s", (int)(end - text), text, rest);
}

/* ---- names of modules: their numbers stay ---- */

enum { MAX_NAME = 256 };

static size_t
part_length(const char *part)
{
    return strcspn(part, ".");
}

/* What of a part may go: all before the number that it is or ends in. */
static size_t
letter_count(const char *part)
{
    size_t length = part_length(part);

    while (length > 0 && isdigit((unsigned char)part[length - 1]))
        length--;
    return length;
}

/* The part with most letters, and more than two; NULL: there is none. */
static char *
longest_part(char *name)
{
    char *longest = NULL;

    for (char *part = name; *part; part += part_length(part) + (part[part_length(part)] == '.'))
        if (letter_count(part) > 2 && (!longest || letter_count(part) > letter_count(longest)))
            longest = part;
    return longest;
}

/* A letter less, with "~" for those that went. */
static void
shorten_part(char *part)
{
    size_t length = letter_count(part);

    memmove(part + length - 1, part + length, strlen(part + length) + 1);
    part[length - 2] = '~';
}

/* "encoder.block.0.layer.1.linear_32" as "enc~.blo~.0.lay~.1.lin~32"; false if it is no such name, or too long. */
static bool
shorten_name(const char *text, size_t width, char name[MAX_NAME])
{
    if (!strchr(text, '.') || strchr(text, ' ') || strlen(text) >= MAX_NAME || strlen(text) != width_of(text))
        return false;
    strcpy(name, text);
    while (strlen(name) > width) {
        char *part = longest_part(name);

        if (!part)
            return false;
        shorten_part(part);
    }
    return true;
}

static void
print_cell(const char *cell, size_t width, bool to_the_left, bool last, FILE *to)
{
    char name[MAX_NAME];
    size_t wide = width_of(cell), padding = wide < width ? width - wide : 0;

    if (!to_the_left)
        print_padding(to, padding);
    if (wide > width && shorten_name(cell, width, name))
        fputs(name, to);
    else if (wide > width)
        print_shortened(cell, width, to);
    else
        fputs(cell, to);
    if (to_the_left && !last)
        print_padding(to, padding);
    fputs(last ? "\n" : "  ", to);
}

static void
find_widths(const struct table *table, size_t *widths)
{
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        size_t width = width_of(table->cells[i]);

        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
}

static size_t
sum_of(const struct table *table, const size_t *widths)
{
    size_t sum = GAP * (table->columns - 1);

    for (size_t i = 0; i < table->columns; i++)
        sum += widths[i];
    return sum;
}

/* The widest text is shortened, again and again, until the table fits or no text is left that could. */
static void
fit_widths(const struct table *table, size_t *widths)
{
    for (size_t sum = sum_of(table, widths); table->max && sum > table->max; sum--) {
        size_t widest = table->columns;

        for (size_t i = 0; i < table->columns; i++)
            if (table->to_the_left[i] && widths[i] > MIN_WIDTH &&
                (widest == table->columns || widths[i] > widths[widest]))
                widest = i;
        if (widest == table->columns)
            return;
        widths[widest]--;
    }
}

static void
print_rows(const struct table *table, FILE *to)
{
    size_t widths[TABLE_COLUMNS] = {0};

    find_widths(table, widths);
    fit_widths(table, widths);
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        size_t column = i % table->columns;

        print_cell(table->cells[i], widths[column], table->to_the_left[column], column + 1 == table->columns, to);
    }
}

bool
table_fits(const struct table *table)
{
    size_t widths[TABLE_COLUMNS] = {0};

    if (table->failed || !table->max)
        return true;
    find_widths(table, widths);
    return sum_of(table, widths) <= table->max;
}

void
table_clear(struct table *table)
{
    for (size_t i = 0; i < table->rows * table->columns; i++)
        free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
}

bool
table_print(struct table *table, FILE *to)
{
    if (!table->failed)
        print_rows(table, to);
    table_clear(table);
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

const char *
format_short(int64_t number, char text[NUMBER_BYTES])
{
    static const char units[] = " kMGTPE";
    double rest = (double)number;
    size_t unit = 0;

    while (rest >= 999.5 && units[unit + 1]) {
        rest /= 1000;
        unit++;
    }
    if (unit)
        snprintf(text, NUMBER_BYTES, "%.*f %c", rest < 9.995 ? 2 : rest < 99.95 ? 1 : 0, rest, units[unit]);
    else
        snprintf(text, NUMBER_BYTES, "%" PRId64, number);
    return text;
}

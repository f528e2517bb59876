/*
 * Comma-separated values. Source: RFC 4180; besides, lines starting with '#' are comments, empty lines are skipped,
 * lines may end with "\n" alone, a byte order mark is skipped, and blanks around a field do not belong to it. Where the first
 * line has no comma, semicolons or tabs are between fields.
 */
#include "base/csv.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";

/* The end of a line, or of the text. */
static const char *
end_of_line(const char *line, const char *end)
{
    while (line < end && *line != '\n')
        line++;
    return line;
}

/* Outside of quotes. */
static bool
line_has(const char *line, const char *end, char wanted)
{
    bool quoted = false;

    for (; line < end; line++) {
        quoted ^= *line == '"';
        if (!quoted && *line == wanted)
            return true;
    }
    return false;
}

/* A comma, unless the first line has none but semicolons, as where the comma is that of decimals, or tabs. */
static char
separator_of(const char *text, const char *end)
{
    const char *line = text;

    while (line < end && (*line == '#' || *line == '\n' || *line == '\r')) {
        line = end_of_line(line, end);
        line += line < end;
    }
    end = end_of_line(line, end);
    if (line_has(line, end, ','))
        return ',';
    return line_has(line, end, ';') ? ';' : line_has(line, end, '\t') ? '\t' : ',';
}

void
csv_open(struct csv *csv, memmodel_context *context, const char *name, const char *text, size_t length)
{
    *csv = (struct csv){.context = context,
                        .name = name,
                        .next = text,
                        .end = length ? text + length : text,
                        .line = 1,
                        .column = 1,
                        .characters = TEXT_INIT(context)};
    if (length >= strlen(BYTE_ORDER_MARK) && memcmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        csv->next += strlen(BYTE_ORDER_MARK);
    csv->separator = separator_of(csv->next, csv->end);
}

void
csv_close(struct csv *csv)
{
    text_release(&csv->characters);
    memory_release(csv->context, csv->fields);
    csv->fields = NULL;
    csv->count = csv->capacity = 0;
}

const char *
csv_text(const struct csv *csv, size_t field)
{
    return csv->characters.bytes + csv->fields[field].start;
}

int
csv_error(const struct csv *csv, size_t field, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    context_error_list(csv->context, MEMMODEL_ERROR_PARSE, csv->name, csv->fields[field].line,
                       csv->fields[field].column, format, arguments);
    va_end(arguments);
    return MEMMODEL_ERROR_PARSE;
}

/* ---- characters ---- */

static int
error_here(const struct csv *csv, const char *message)
{
    return context_error_at(csv->context, MEMMODEL_ERROR_PARSE, csv->name, csv->line, csv->column, "%s", message);
}

static bool
at_end(const struct csv *csv)
{
    return csv->next == csv->end;
}

static bool
at(const struct csv *csv, char wanted)
{
    return !at_end(csv) && *csv->next == wanted;
}

/* Length of the line's end here: 1 or 2 characters, or 0 if the line goes on. */
static size_t
line_end(const struct csv *csv)
{
    if (at(csv, '\n'))
        return 1;
    return at(csv, '\r') && csv->end - csv->next > 1 && csv->next[1] == '\n' ? 2 : 0;
}

/* Columns count bytes; both counts stop at the largest int. */
static void
advance(struct csv *csv)
{
    bool new_line = *csv->next++ == '\n';

    if (new_line && csv->line < INT_MAX)
        csv->line++;
    csv->column = new_line ? 1 : csv->column < INT_MAX ? csv->column + 1 : csv->column;
}

static void
skip_line_end(struct csv *csv)
{
    for (size_t length = line_end(csv); length > 0; length--)
        advance(csv);
}

static void
skip_blanks(struct csv *csv)
{
    while (at(csv, ' ') || (at(csv, '\t') && csv->separator != '\t'))
        advance(csv);
}

static void
skip_comment(struct csv *csv)
{
    while (!at_end(csv) && !at(csv, '\n'))
        advance(csv);
    skip_line_end(csv);
}

/* ---- fields ---- */

static int
read_quoted(struct csv *csv)
{
    struct csv start = *csv;

    for (advance(csv); !at_end(csv); advance(csv)) {
        if (at(csv, '\0'))
            return error_here(csv, "a zero byte does not belong into a text");
        if (at(csv, '"')) {
            advance(csv);
            if (!at(csv, '"'))
                return 0;
        }
        text_append_bytes(&csv->characters, csv->next, 1);
    }
    return error_here(&start, "this quote is never closed");
}

static int
read_plain(struct csv *csv)
{
    const char *start = csv->next, *last = start;

    for (; !at_end(csv) && !at(csv, csv->separator) && !line_end(csv); advance(csv)) {
        if (at(csv, '"'))
            return error_here(csv, "a quote inside a field: put the whole field in quotes, and this one twice");
        if (at(csv, '\0'))
            return error_here(csv, "a zero byte does not belong into a text");
        if (*csv->next != ' ' && *csv->next != '\t')
            last = csv->next + 1;
    }
    text_append_bytes(&csv->characters, start, (size_t)(last - start));
    return 0;
}

static int
read_field(struct csv *csv)
{
    int status = array_reserve(csv->context, &csv->fields, &csv->capacity, csv->count + 1, sizeof *csv->fields);

    if (status)
        return status;
    skip_blanks(csv);
    csv->fields[csv->count++] =
        (struct csv_field){.start = csv->characters.length, .line = csv->line, .column = csv->column};
    status = at(csv, '"') ? read_quoted(csv) : read_plain(csv);
    if (status)
        return status;
    skip_blanks(csv);
    if (!at_end(csv) && !at(csv, csv->separator) && !line_end(csv))
        return error_here(csv, "expected a comma or the end of the line after the closing quote");
    text_append_bytes(&csv->characters, "", 1);
    return csv->characters.failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
}

/* ---- rows ---- */

static void
skip_to_row(struct csv *csv)
{
    for (;;) {
        skip_blanks(csv);
        if (at(csv, '#'))
            skip_comment(csv);
        else if (line_end(csv))
            skip_line_end(csv);
        else
            return;
    }
}

int
csv_read_row(struct csv *csv)
{
    int status;

    skip_to_row(csv);
    csv->count = 0;
    csv->characters.length = 0;
    if (at_end(csv))
        return 0;
    status = context_check(csv->context, 1);
    while (!status && (status = read_field(csv)) == 0 && at(csv, csv->separator)) {
        advance(csv);
        status = context_check(csv->context, 1);
    }
    skip_line_end(csv);
    return status ? status : 1;
}

void
csv_append(struct text *text, const char *field)
{
    size_t length = strlen(field);
    bool blanks = length > 0 && (strchr(" \t", field[0]) || strchr(" \t", field[length - 1]));

    if (blanks || field[0] == '#' || strpbrk(field, ",;\t\"\r\n"))
        csv_append_quoted(text, field);
    else
        text_append(text, field);
}

void
csv_append_quoted(struct text *text, const char *field)
{
    text_append(text, "\"");
    for (; *field; field++)
        text_append_bytes(text, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    text_append(text, "\"");
}

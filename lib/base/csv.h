/* Comma-separated values (RFC 4180), row by row, with the line and column of each field. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/text.h"

/* One field of the row that was read last; its text lies in csv->characters from `start` on, ended by a zero. */
struct csv_field {
    size_t start;
    int line, column; /* from 1 */
};

struct csv {
    memmodel_context *context;
    const char *name; /* of the text in errors */
    const char *next, *end;
    int line, column;
    char separator;
    struct text characters;
    struct csv_field *fields;
    size_t count, capacity;
};

/* Begins to read a text whose length the context allows: its caller has asked. To be closed. */
void
csv_open(struct csv *csv, memmodel_context *context, const char *name, const char *text, size_t length);

void
csv_close(struct csv *csv);

/* Next row that is neither empty nor a comment. 1, 0 at the end, MEMMODEL_ERROR_PARSE or MEMMODEL_ERROR_NO_MEMORY. */
int
csv_read_row(struct csv *csv);

const char *
csv_text(const struct csv *csv, size_t field);

/* Sets MEMMODEL_ERROR_PARSE at a field of the row and returns it. */
int
csv_error(const struct csv *csv, size_t field, const char *format, ...) BASE_PRINTF(3, 4);

/* Appends a field, in quotes where it needs them. */
void
csv_append(struct text *text, const char *field);

void
csv_append_quoted(struct text *text, const char *field);

#endif

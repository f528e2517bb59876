/*
 * Tables on a terminal: columns as wide as their widest cell, text to the left, numbers to the right. Numbers are
 * never shortened.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 12 };

struct table {
    size_t columns, rows, capacity;
    bool to_the_left[TABLE_COLUMNS];
    char **cells; /* rows * columns */
    bool failed;  /* a row could not be kept: table_print() says so */
    size_t max;   /* columns of the terminal to keep to by shortening texts in their middle; 0: any number */
};

/* `heads`: one name a column, those that begin with '<' to the left. */
void
table_start(struct table *table, const char *const *heads, size_t columns);

/* Cells of the next row, copied; there are table->columns of them. */
void
table_add(struct table *table, const char *const *cells);

/* Whether it keeps to its columns as it is. */
bool
table_fits(const struct table *table);

void
table_clear(struct table *table);

/* Prints and releases. False if memory had run out, and nothing was printed. */
bool
table_print(struct table *table, FILE *to);

enum { NUMBER_BYTES = 40 };

/* 5650801 as "5,650,801"; to `text`, which it returns. */
const char *
format_count(int64_t number, char text[NUMBER_BYTES]);

/* 5650801 as "5.65 M"; to `text`, which it returns. */
const char *
format_short(int64_t number, char text[NUMBER_BYTES]);

#endif

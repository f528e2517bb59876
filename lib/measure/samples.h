/* A table of samples from the inside. */
#ifndef MEASURE_SAMPLES_H
#define MEASURE_SAMPLES_H

#include "base/arena.h"
#include "memmodel/samples.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { SAMPLES_MAX_COLUMNS = 4096 };

/* A column holds a number for each row, NaN where missing, and if a field is more than a number, a text as well. */
struct samples_column {
    const char *name;
    double *numbers;
    const char **texts; /* only where has_texts */
    size_t number_capacity, text_capacity;
    bool has_texts;
    bool is_text;     /* most fields are no numbers: there are none to be used */
    const char *unit; /* of the numbers, such as "MiB"; NULL: not known */
    int line;         /* where the first field stands that is no number; 0 if there is none */
};

struct memmodel_samples {
    atomic_int references;
    memmodel_context *context;
    struct arena arena; /* names and texts */
    struct samples_column *columns;
    size_t column_count, row_count;
};

/* Names of columns that a table can have: 0 or MEMMODEL_ERROR_INVALID_ARGUMENT. */
int
samples_check_names(memmodel_context *context, const char *const *names, size_t count);

/* The column of that name, or NULL. */
const struct samples_column *
samples_find(const memmodel_samples *samples, const char *name);

/* Numbers of a column; NULL if there is none of that name or it holds text. Says nothing on any context. */
const double *
samples_numbers(const memmodel_samples *samples, const char *name);

/* The same; else MEMMODEL_ERROR_NOT_FOUND or MEMMODEL_ERROR_DATA. The table is only read: any thread may. */
int
samples_need_numbers(const memmodel_samples *samples, const char *name, memmodel_context *context,
                     const double **numbers);

/* Decides between numbers and text by what most fields of a column are. `lines` has the line of each row. */
void
samples_type_columns(memmodel_samples *samples, const int *lines);

/* Makes room for `rows` rows in each column. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
samples_reserve(memmodel_samples *samples, size_t rows);

#endif

/*
 * A row appended to any file is refused with a reason, and the file is as it was; or the file, if it was a table, is one
 * with that row.
 */
#include "fuzz.h"

#include <stdio.h>
#include <unistd.h>

static const char *const made_up[] = {"a", "b"};

static void
write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
}

static void
expect_unchanged(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "rb");

    for (size_t i = 0; i < size; i++)
        if (!file || fgetc(file) != data[i])
            abort();
    if (fgetc(file) != EOF)
        abort();
    fclose(file);
}

static size_t
rows_of(memmodel_context *context, const char *path)
{
    memmodel_samples *samples;
    size_t rows;

    if (memmodel_samples_load(context, path, &samples))
        abort();
    rows = memmodel_samples_row_count(samples);
    memmodel_samples_unref(samples);
    return rows;
}

/* Twice: only the first may have found an unfinished row, which then is gone. */
static void
append_to_table(memmodel_context *context, const char *path, const memmodel_samples *table, const char *const *columns,
                const char *const *values)
{
    size_t count = memmodel_samples_column_count(table), before = memmodel_samples_row_count(table), after;

    after = rows_of(context, path);
    if (after != before && after != before + 1)
        abort();
    if (memmodel_samples_append_to_file(context, path, columns, values, count) || rows_of(context, path) != after + 1)
        abort();
}

static int
append(memmodel_context *context, const char *path, const memmodel_samples *table)
{
    size_t count = table ? memmodel_samples_column_count(table) : 2;
    const char **columns = calloc(count, sizeof *columns), **values = calloc(count, sizeof *values);
    int status;

    if (!columns || !values)
        abort();
    for (size_t i = 0; i < count; i++) {
        columns[i] = table ? memmodel_samples_column_name(table, i) : made_up[i];
        values[i] = i % 2 ? "16" : "a \"b\", c";
    }
    status = memmodel_samples_append_to_file(context, path, columns, values, count);
    expect_explained(context, status);
    if (!status && table)
        append_to_table(context, path, table, columns, values);
    free(columns);
    free(values);
    return status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    memmodel_context *context;
    memmodel_samples *table = NULL;

    snprintf(path, sizeof path, "/tmp/memmodel-fuzz-append-%ld", (long)getpid());
    write_file(path, data, size);
    if (memmodel_context_new(NULL, &context))
        abort();
    if (memmodel_samples_load(context, path, &table))
        table = NULL;
    if (append(context, path, table))
        expect_unchanged(path, data, size);
    memmodel_samples_unref(table);
    memmodel_context_unref(context);
    remove(path);
    return 0;
}

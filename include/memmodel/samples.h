/* Tables of measurements: named numeric columns, one row a measurement. */
#ifndef MEMMODEL_SAMPLES_H
#define MEMMODEL_SAMPLES_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A table of samples. @since 0.1 */
typedef struct memmodel_samples memmodel_samples;

/**
 * Make an empty table.
 *
 * @param[in]  context  the table keeps a reference
 * @param[in]  columns  `count` different names, copied. @length count
 * @param[in]  count    1 to 4096
 * @param[out] samples  new table with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (empty or repeated name), MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_new(memmodel_context *context, const char *const *columns, size_t count, memmodel_samples **samples);

/**
 * Read a table from CSV: lines starting with '#' are comments, the first other line names the columns, fields are
 * separated by commas and may be quoted with '"'. A column most of whose fields are finite numbers is numeric (empty
 * means missing), with what sizes are read in: "1.2 GiB", "908,136,448" and names such as "peak_MiB" or "mem (GB)". Its
 * other fields are missing, and the log names each with its line, its column and what stands there. Any other column is
 * text, for memmodel_samples_filter(), and cannot be fitted. A file compressed by gzip is read as what it holds.
 * doc/guide/formats.md has the details.
 *
 * @param[in]  context  the table keeps a reference
 * @param[in]  path     file to read
 * @param[out] samples  new table with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE (line and column say where),
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_load(memmodel_context *context, const char *path, memmodel_samples **samples);

/**
 * As memmodel_samples_load(), of a file without a line that names the columns: its first line is a row.
 *
 * @param[in]  context  the table keeps a reference
 * @param[in]  path     file to read
 * @param[in]  columns  different names, of all columns in their order. @length count
 * @param[in]  count    1 to 4096
 * @param[out] samples  new table with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (empty or repeated name), MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE (line and
 *          column say where; also a first line with just these names), MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_load_rows(memmodel_context *context, const char *path, const char *const *columns, size_t count,
                           memmodel_samples **samples);

/**
 * As memmodel_samples_load(), from memory.
 *
 * @param[in]  context  the table keeps a reference
 * @param[in]  name     what to call the text in errors
 * @param[in]  text     `length` characters. @length length
 * @param[in]  length   of `text`
 * @param[out] samples  new table with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_from_csv(memmodel_context *context, const char *name, const char *text, size_t length,
                          memmodel_samples **samples);

/**
 * Write the table as CSV, atomically: a reader sees the old file or the new one.
 *
 * @param[in] samples  table
 * @param[in] path     file to write
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_save(const memmodel_samples *samples, const char *path);

/**
 * Add a row to a CSV file, which is made with its header if it is not there. Many processes and threads may do so at
 * the same time: no row is lost and none is torn, not even when a writer is killed, whose unfinished line the next one
 * cuts off. The file's columns are found by name, in any order; it has to have exactly those of the row.
 *
 * Values are texts as they stand in the file: "64", "1.5e9", "ok"; NULL and "" are missing. With `values` NULL no row
 * is written, but the file is made or checked: to know before a long run that its row can be added.
 *
 * @param[in] context  takes the error
 * @param[in] path     file to write
 * @param[in] columns  different names without line breaks. @length count
 * @param[in] values   without line breaks. @length count @nullable
 * @param[in] count    1 to 4096
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (empty or repeated name, a line break), MEMMODEL_ERROR_NOT_FOUND (the
 *          file has no such column), MEMMODEL_ERROR_DATA (the file has a column that the row lacks),
 *          MEMMODEL_ERROR_PARSE (the file is no table), MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @blocking
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_samples_append_to_file(memmodel_context *context, const char *path, const char *const *columns,
                                const char *const *values, size_t count);

/**
 * Add a row. Tables with columns of text cannot take rows this way.
 *
 * @param[in] samples  table
 * @param[in] values   one per column; NaN means missing. @length memmodel_samples_column_count(samples)
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (infinite value, text column), MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_add_row(memmodel_samples *samples, const double *values);

/**
 * A new table with the rows whose column `column` reads `value`: as text, or as the same number. "" finds missing ones.
 *
 * @param[in]  samples   table, only read
 * @param[in]  column    name of a column
 * @param[in]  value     such as "ok" or "16"
 * @param[in]  context   limits, memory and errors of this call; NULL: the table's own. @nullable
 * @param[out] filtered  new table with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOT_FOUND, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the table is only read
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_filter(const memmodel_samples *samples, const char *column, const char *value,
                        memmodel_context *context, memmodel_samples **filtered);

/**
 * A new table with some of the rows, in the given order.
 *
 * @param[in]  samples   table, only read
 * @param[in]  rows      `count` row numbers from 0. @length count
 * @param[in]  count     number of rows wanted
 * @param[in]  context   limits, memory and errors of this call; NULL: the table's own. @nullable
 * @param[out] selected  new table with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no such row), MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the table is only read
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_select(const memmodel_samples *samples, const size_t *rows, size_t count, memmodel_context *context,
                        memmodel_samples **selected);

/**
 * Two new tables with the rows of this one in a random order: the first for training, the others for testing. The same
 * for the same seed and number of rows, on every machine: the generator is SplitMix64 with `seed` as its state; for i =
 * rows - 1 down to 1, row i changes places with row (draw modulo i + 1), where draws that would favour small numbers,
 * those above the last multiple of i + 1 below 2^64, are drawn again.
 *
 * @param[in]  samples   table, only read
 * @param[in]  fraction  how many of the rows are for training, 0 to 1, such as 0.7; rounded down to whole rows
 * @param[in]  seed      any number
 * @param[in]  context   limits, memory and errors of this call; NULL: the table's own. @nullable
 * @param[out] train     new table with one reference, untouched on error. @transfer full
 * @param[out] test      new table with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (a fraction that is none), MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the table is only read
 * @since 0.1
 */
MEMMODEL_API int
memmodel_samples_split(const memmodel_samples *samples, double fraction, uint64_t seed, memmodel_context *context,
                       memmodel_samples **train, memmodel_samples **test);

/**
 * Number of rows.
 *
 * @param[in] samples  table
 * @returns rows
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_samples_row_count(const memmodel_samples *samples);

/**
 * Number of columns, those of text included.
 *
 * @param[in] samples  table
 * @returns columns
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_samples_column_count(const memmodel_samples *samples);

/**
 * Name of a column.
 *
 * @param[in] samples  table
 * @param[in] column   from 0
 * @returns the name, owned by the table; NULL if there is no such column. @transfer none @nullable
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_samples_column_name(const memmodel_samples *samples, size_t column);

/**
 * Numbers of a column.
 *
 * @param[in] samples  table
 * @param[in] name     name of a column
 * @returns one number per row, NaN where missing, owned by the table and valid until it changes; NULL if there is no
 *          such column or it holds text. The context's error then is MEMMODEL_ERROR_NOT_FOUND, or
 *          MEMMODEL_ERROR_DATA with the line of the first field that is no number.
 *          @length memmodel_samples_row_count(samples) @transfer none @nullable
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API const double *
memmodel_samples_column(const memmodel_samples *samples, const char *name);

/**
 * Unit of sizes in a numeric column: that of its name, or "bytes" where most of its fields had units of their own.
 * @param[in] samples  table
 * @param[in] name     name of a column
 * @returns such as "MiB", "GB" or "bytes", a static string; NULL if none is known, or there is no such column.
 *          @transfer none @nullable
 * @threads the context's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API const char *
memmodel_samples_unit(const memmodel_samples *samples, const char *name);

/**
 * A field as it stands in the file.
 * @param[in] samples  table
 * @param[in] name     name of a column
 * @param[in] row      from 0
 * @returns the text, "" where it is missing, owned by the table; NULL where a column holds nothing but plain numbers,
 *          and if there is no such column or row. @transfer none @nullable
 * @threads the context's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API const char *
memmodel_samples_text(const memmodel_samples *samples, const char *name, size_t row);

/** Take one more reference. @param[in] samples  not NULL @returns `samples` @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_samples *
memmodel_samples_ref(memmodel_samples *samples);

/** Drop one reference. @param[in] samples  may be NULL @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_samples_unref(memmodel_samples *samples);

#ifdef __cplusplus
}
#endif

#endif

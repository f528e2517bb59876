/* Buffers as CSV: MiniMalloc's columns (github.com/google/minimalloc) and what they lack; doc/guide/formats.md. */
#include "base/environment.h"
#include "base/checked.h"
#include "base/csv.h"
#include "base/file.h"
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum column { ID, LOWER, UPPER, SIZE, ALIGNMENT, OFFSET, GAPS, SHARES, COLUMNS };

static const char *const column_names[COLUMNS] = {"id",        "lower",  "upper", "size",
                                                  "alignment", "offset", "gaps",  "shares"};

struct reader {
    struct csv csv;
    memmodel_plan *plan;
    size_t places[COLUMNS]; /* column of the file, SIZE_MAX: none */
};

/* ---- the table as it was ---- */

static const char *const *
copy_row(memmodel_plan *plan, const struct csv *csv)
{
    const char **fields = arena_allocate(&plan->arena, (csv->count + 1) * sizeof *fields);

    for (size_t i = 0; fields && i < csv->count; i++) {
        fields[i] = arena_copy_text(&plan->arena, csv_text(csv, i));
        if (!fields[i])
            return NULL;
    }
    return fields;
}

static int
keep_row(memmodel_plan *plan, const struct csv *csv)
{
    struct plan_table *table = plan->table;
    struct plan_row row = {copy_row(plan, csv), csv->fields[0].line};
    int status =
        array_reserve(plan->context, &table->rows, &table->row_capacity, table->row_count + 1, sizeof *table->rows);

    if (status || !row.fields)
        return MEMMODEL_ERROR_NO_MEMORY;
    table->rows[table->row_count++] = row;
    return 0;
}

void
plan_table_release(memmodel_plan *plan)
{
    if (plan->table)
        memory_release(plan->context, plan->table->rows);
    memory_release(plan->context, plan->table);
}

/* ---- reading ---- */

static int
find_columns(struct reader *reader)
{
    const struct csv *csv = &reader->csv;

    for (int k = 0; k < COLUMNS; k++) {
        reader->places[k] = SIZE_MAX;
        for (size_t i = 0; i < csv->count; i++) {
            if (strcmp(csv_text(csv, i), column_names[k]) != 0)
                continue;
            if (reader->places[k] != SIZE_MAX)
                return csv_error(csv, i, "there is a column \"%s\" already", column_names[k]);
            reader->places[k] = i;
        }
        if (k <= SIZE && reader->places[k] == SIZE_MAX)
            return csv_error(csv, 0, "there is no column \"%s\"; needed are id, lower, upper and size",
                             column_names[k]);
    }
    return 0;
}

static int
read_header(struct reader *reader)
{
    memmodel_plan *plan = reader->plan;
    int status = csv_read_row(&reader->csv);

    if (status == 0)
        return context_error_at(plan->context, MEMMODEL_ERROR_PARSE, reader->csv.name, reader->csv.line, 1,
                                "there is no line with the names of the columns");
    if (status > 0)
        status = find_columns(reader);
    if (status)
        return status;
    plan->table = memory_allocate_zeroed(plan->context, 1, sizeof *plan->table);
    if (!plan->table)
        return MEMMODEL_ERROR_NO_MEMORY;
    plan->table->column_count = reader->csv.count;
    plan->table->offset = reader->places[OFFSET] == SIZE_MAX ? reader->csv.count : reader->places[OFFSET];
    plan->table->columns = copy_row(plan, &reader->csv);
    return plan->table->columns ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* Text of a field, "" where there is no such column. */
static const char *
field(const struct reader *reader, enum column column)
{
    return reader->places[column] == SIZE_MAX ? "" : csv_text(&reader->csv, reader->places[column]);
}

static int
read_number(const struct reader *reader, enum column column, int64_t *number)
{
    const char *text = field(reader, column);

    if (!text[0] && column > SIZE)
        return 0;
    if (parse_int64(text, number))
        return 0;
    return csv_error(&reader->csv, reader->places[column], "\"%s\" is no whole number for the column %s", text,
                     column_names[column]);
}

/* The library's own message, with the place in the file. */
static int
error_of_row(const struct reader *reader, enum column column)
{
    const struct memmodel_error *error = memmodel_context_error(reader->plan->context);
    const struct csv *csv = &reader->csv;
    size_t place = reader->places[reader->places[column] == SIZE_MAX ? ID : column];
    char message[256];

    snprintf(message, sizeof message, "%s: %s", error->object, error->message);
    return context_error_at(csv->context, error->status, csv->name, csv->fields[place].line, csv->fields[place].column,
                            "%s", message);
}

/* The digits at *text, which it moves past them. */
static bool
take_number(const char **text, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(*text, &end, 10);
    if (end == *text || errno)
        return false;
    *text = end;
    return true;
}

/* "7-9 12-16" */
static int
read_gaps(struct reader *reader, size_t buffer)
{
    const char *text = field(reader, GAPS);

    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        int64_t begin, end;

        if (!take_number(&text, &begin) || *text++ != '-' || !take_number(&text, &end) || (*text && *text != ' '))
            return csv_error(&reader->csv, reader->places[GAPS], "\"%s\" is no list of gaps such as \"7-9 12-16\"",
                             field(reader, GAPS));
        if (memmodel_plan_add_gap(reader->plan, buffer, begin, end))
            return error_of_row(reader, GAPS);
    }
    return 0;
}

static int
read_row(struct reader *reader)
{
    struct memmodel_plan_buffer buffer = {.size = sizeof buffer, .name = field(reader, ID)};
    int status = 0;

    if (reader->csv.count != reader->plan->table->column_count)
        return csv_error(&reader->csv, reader->csv.count - 1, "%zu fields in a table of %zu columns", reader->csv.count,
                         reader->plan->table->column_count);
    buffer.fixed = field(reader, OFFSET)[0] != '\0';
    if ((status = read_number(reader, LOWER, &buffer.lower)) || (status = read_number(reader, UPPER, &buffer.upper)) ||
        (status = read_number(reader, SIZE, &buffer.bytes)) ||
        (status = read_number(reader, ALIGNMENT, &buffer.alignment)) ||
        (status = read_number(reader, OFFSET, &buffer.offset)))
        return status;
    status = memmodel_plan_add_buffer(reader->plan, &buffer);
    if (status)
        return error_of_row(reader, SIZE);
    status = read_gaps(reader, reader->plan->count - 1);
    return status ? status : keep_row(reader->plan, &reader->csv);
}

/* ---- ids ---- */

struct named {
    const char *name;
    size_t buffer;
};

static int
by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static int
compare_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* The buffers sorted by their names; NULL: no memory. */
static struct named *
sorted_names(const memmodel_plan *plan)
{
    struct named *names = memory_allocate_zeroed(plan->context, plan->count, sizeof *names);

    for (size_t i = 0; names && i < plan->count; i++)
        names[i] = (struct named){plan->buffers[i].name, i};
    if (names)
        qsort(names, plan->count, sizeof *names, by_name);
    return names;
}

/* The second of two that have the same name, NULL if there are none. */
static const struct named *
find_twin(const struct named *names, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (names[i].name[0] && strcmp(names[i].name, names[i - 1].name) == 0)
            return &names[i];
    return NULL;
}

static int
check_ids(const struct reader *reader, const struct named *names)
{
    const struct plan_row *rows = reader->plan->table->rows;
    const struct named *twin = find_twin(names, reader->plan->count);

    if (!twin)
        return 0;
    return context_error_at(reader->csv.context, MEMMODEL_ERROR_PARSE, reader->csv.name, rows[twin->buffer].line, 1,
                            "there is a buffer \"%s\" already, on line %d", twin->name, rows[twin[-1].buffer].line);
}

/* ---- shared memory ---- */

/* "b3" or "b3+4096"; false if there is no such buffer. */
static bool
find_base(const struct named *names, size_t count, const char *text, size_t *base, int64_t *displacement)
{
    char name[256];
    struct named key = {name, 0};
    const struct named *found;
    char *plus;

    *displacement = 0;
    snprintf(name, sizeof name, "%s", text);
    found = bsearch(&key, names, count, sizeof *names, compare_name);
    plus = strrchr(name, '+');
    if (!found && plus && parse_int64(plus + 1, displacement)) {
        *plus = '\0';
        found = bsearch(&key, names, count, sizeof *names, compare_name);
    }
    if (found)
        *base = found->buffer;
    return found != NULL;
}

static int
share_row(const memmodel_plan *plan, const struct reader *reader, size_t row, const struct named *names)
{
    const char *text = plan->table->rows[row].fields[reader->places[SHARES]];
    size_t base;
    int64_t displacement;

    if (!text[0])
        return 0;
    if (!find_base(names, plan->count, text, &base, &displacement))
        return context_error_at(plan->context, MEMMODEL_ERROR_PARSE, reader->csv.name, plan->table->rows[row].line, 1,
                                "buffer %s shares the memory of \"%s\", which is no buffer", plan->buffers[row].name,
                                text);
    return memmodel_plan_add_alias(reader->plan, row, base, displacement);
}

/* What holds between rows: ids differ, and memory is shared with one of them. */
static int
join_rows(const struct reader *reader)
{
    const memmodel_plan *plan = reader->plan;
    struct named *names = sorted_names(plan);
    int status = names ? check_ids(reader, names) : MEMMODEL_ERROR_NO_MEMORY;

    for (size_t i = 0; i < plan->count && !status && reader->places[SHARES] != SIZE_MAX; i++)
        status = share_row(plan, reader, i, names);
    memory_release(plan->context, names);
    return status;
}

/* ---- the whole ---- */

static int
read_all(struct reader *reader)
{
    int row, status = read_header(reader);

    if (status)
        return status;
    while (!status && (row = csv_read_row(&reader->csv)) != 0)
        status = row < 0 ? row : read_row(reader);
    if (!status && !reader->plan->count)
        return context_error_at(reader->csv.context, MEMMODEL_ERROR_PARSE, reader->csv.name, reader->csv.line, 1,
                                "there are no buffers");
    return status ? status : join_rows(reader);
}

static int
parse(memmodel_context *context, const char *name, const char *text, size_t length, void *plan)
{
    struct reader reader = {0};
    int status;

    status = memmodel_plan_new(context, &reader.plan);
    if (status)
        return status;
    csv_open(&reader.csv, context, name, text, length);
    status = read_all(&reader);
    csv_close(&reader.csv);
    if (status)
        memmodel_plan_unref(reader.plan);
    else
        *(memmodel_plan **)plan = reader.plan;
    return status;
}

int
memmodel_plan_from_csv(memmodel_context *context, const char *name, const char *text, size_t length,
                       memmodel_plan **plan)
{
    return file_parse_text(context, name, text, length, parse, plan);
}

int
memmodel_plan_load(memmodel_context *context, const char *path, memmodel_plan **plan)
{
    return file_parse(context, path, parse, plan);
}

/* ---- writing ---- */

static void
write_offset(struct text *text, const memmodel_plan *plan, size_t buffer)
{
    text_printf(text, "%" PRId64, plan->offsets[buffer]);
}

/* The file's own fields; buffers that were added since have none. */
static void
write_fields(struct text *text, const memmodel_plan *plan, size_t buffer)
{
    const struct plan_table *table = plan->table;

    for (size_t i = 0; i < table->column_count; i++) {
        text_append(text, i ? "," : "");
        if (i == table->offset)
            write_offset(text, plan, buffer);
        else
            csv_append(text, table->rows[buffer].fields[i]);
    }
    if (table->offset == table->column_count) {
        text_append(text, ",");
        write_offset(text, plan, buffer);
    }
    text_append(text, "\n");
}

static void
write_table(struct text *text, const memmodel_plan *plan)
{
    const struct plan_table *table = plan->table;

    for (size_t i = 0; i < table->column_count; i++) {
        text_append(text, i ? "," : "");
        csv_append(text, table->columns[i]);
    }
    text_append(text, table->offset == table->column_count ? ",offset\n" : "\n");
    for (size_t i = 0; i < plan->count; i++)
        write_fields(text, plan, i);
}

static void
write_id(struct text *text, const memmodel_plan *plan, size_t buffer)
{
    if (plan->buffers[buffer].name[0])
        csv_append(text, plan->buffers[buffer].name);
    else
        text_printf(text, "%zu", buffer);
}

static void
write_buffer(struct text *text, const memmodel_plan *plan, size_t index)
{
    const struct plan_buffer *buffer = &plan->buffers[index];

    write_id(text, plan, index);
    text_printf(text, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", buffer->begin, buffer->end, buffer->bytes,
                buffer->alignment);
    for (const struct plan_gap *gap = buffer->gaps; gap; gap = gap->next)
        text_printf(text, "%s%" PRId64 "-%" PRId64, gap == buffer->gaps ? "" : " ", gap->begin, gap->end);
    text_append(text, ",");
    if (buffer->base != index) {
        write_id(text, plan, buffer->base);
        text_printf(text, "+%" PRId64, buffer->displacement);
    }
    text_append(text, ",");
    write_offset(text, plan, index);
    text_append(text, "\n");
}

static void
write_buffers(struct text *text, const memmodel_plan *plan)
{
    text_append(text, "id,lower,upper,size,alignment,gaps,shares,offset\n");
    for (size_t i = 0; i < plan->count; i++)
        write_buffer(text, plan, i);
}

/* A file whose ids are not one buffer's each could not be read again. */
static int
check_names(const memmodel_plan *plan, const char *path)
{
    struct named *names = sorted_names(plan);
    const struct named *twin = names ? find_twin(names, plan->count) : NULL;
    int status = names ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    if (twin)
        status = context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, path,
                               "buffers %zu and %zu are both called \"%s\"; in a file each needs a name of its own",
                               twin[-1].buffer, twin->buffer, twin->name);
    memory_release(plan->context, names);
    return status;
}

static int
write_file(const memmodel_plan *plan, const char *path)
{
    OWN_ENVIRONMENT;
    struct text text;
    int status;

    if (!plan->offsets)
        return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, path, "the plan is not solved");
    status = check_names(plan, path);
    if (status)
        return status;
    text = TEXT_INIT(plan->context);
    if (plan->table && plan->table->row_count == plan->count)
        write_table(&text, plan);
    else
        write_buffers(&text, plan);
    status = text.failed ? MEMMODEL_ERROR_NO_MEMORY : file_write(plan->context, path, text.bytes, text.length);
    text_release(&text);
    return status;
}

int
memmodel_plan_save(const memmodel_plan *plan, const char *path)
{
    int status;

    if (!plan || !path)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(plan->context);
    return context_end(plan->context, status ? status : write_file(plan, path));
}

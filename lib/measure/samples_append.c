/*
 * One more row of a CSV file, whole or not at all, whoever else is appending.
 *
 * A row is one write() at the file's end under flock(). A writer that is killed in the middle of it leaves a line that
 * shows: it does not end, and since the last field of each row is in quotes, it is no row either (only where the text of
 * that field has quotes itself may a part of it look like the whole). The next writer cuts it off. A last line that is a
 * row is somebody's who does not end lines, and gets its end.
 */
#define _DEFAULT_SOURCE /* flock() */

#include "base/environment.h"
#include "base/text.h"
#include "base/csv.h"
#include "base/gzip.h"
#include "measure/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct append {
    memmodel_context *context;
    const char *path;
    const char *const *columns;
    const char *const *values; /* NULL: no row */
    size_t count;
    int file; /* open, locked */
    char *old;
    size_t length; /* of `old` */
    size_t kept;   /* of that; the rest is a line that was never finished */
    size_t *order; /* field i of the file is column order[i]; NULL: the file has no header yet */
};

static int
io_error(const struct append *append, const char *what)
{
    return context_error(append->context, MEMMODEL_ERROR_IO, append->path, "cannot %s: %s", what, strerror(errno));
}

/* ---- the file, locked ---- */

/* Another process may have put a new file in the place of the one that was opened. */
static bool
still_named(const struct append *append)
{
    struct stat opened, named;

    return fstat(append->file, &opened) == 0 && stat(append->path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static bool
lock(int file)
{
    while (flock(file, LOCK_EX) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

static int
open_locked(struct append *append)
{
    for (;;) {
        append->file = open(append->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (append->file < 0)
            return io_error(append, "open");
        if (!lock(append->file))
            return io_error(append, "lock");
        if (still_named(append))
            return 0;
        close(append->file);
    }
}

static int
read_old(struct append *append)
{
    struct stat about;
    ssize_t got = 1;

    if (fstat(append->file, &about) != 0)
        return io_error(append, "read");
    if (context_check_input(append->context, append->path, (int64_t)about.st_size))
        return MEMMODEL_ERROR_LIMIT;
    append->old = memory_allocate(append->context, (size_t)about.st_size + 1);
    if (!append->old)
        return MEMMODEL_ERROR_NO_MEMORY;
    while (got > 0 && append->length < (size_t)about.st_size) {
        got = pread(append->file, append->old + append->length, (size_t)about.st_size - append->length,
                    (off_t)append->length);
        append->length += got > 0 ? (size_t)got : 0;
    }
    append->kept = append->length;
    return got < 0 ? io_error(append, "read") : 0;
}

/* ---- what the file has ---- */

static bool
has_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->count; i++)
        if (strcmp(csv_text(csv, i), name) == 0)
            return true;
    return false;
}

static int
match_column(struct append *append, const char *name, size_t *column)
{
    for (size_t i = 0; i < append->count; i++) {
        if (strcmp(append->columns[i], name) == 0) {
            *column = i;
            return 0;
        }
    }
    return context_error(append->context, MEMMODEL_ERROR_DATA, name, "%s has this column, but the new row lacks it",
                         append->path);
}

static int
match_columns(struct append *append, const struct csv *csv)
{
    int status = 0;

    if (csv->separator != ',')
        return csv_error(csv, 0, "rows are added to tables with commas; this one has semicolons or tabs");
    for (size_t i = 0; i < append->count; i++)
        if (!has_column(csv, append->columns[i]))
            return context_error(append->context, MEMMODEL_ERROR_NOT_FOUND, append->columns[i], "%s has no such column",
                                 append->path);
    append->order = memory_allocate_zeroed(append->context, csv->count, sizeof *append->order);
    if (!append->order)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < csv->count && !status; i++)
        status = match_column(append, csv_text(csv, i), &append->order[i]);
    if (!status && csv->count != append->count)
        status = csv_error(csv, append->count, "there are columns of the same name");
    return status;
}

/* Where the last line begins, and its number. */
static size_t
last_line(const struct append *append, int *number)
{
    size_t start = 0;

    *number = 1;
    for (size_t i = 0; i < append->length; i++) {
        if (append->old[i] == '\n') {
            start = i + 1;
            ++*number;
        }
    }
    return start;
}

/* A row that stops behind a comma had a last field, in quotes, to come. */
static bool
is_whole_row(const struct append *append, const struct csv *csv)
{
    return csv->count == append->count && !(csv->next == csv->end && csv->end[-1] == ',');
}

/* The rows of a file that does not end with its line: an unfinished one at its end is not kept. */
static int
check_end(struct append *append, struct csv *csv)
{
    int status, number;
    size_t start = last_line(append, &number);

    while ((status = csv_read_row(csv)) == 1 && is_whole_row(append, csv))
        continue;
    if (status == 0 || status_ends_call(status))
        return status;
    if (csv->fields[0].line != number)
        return status < 0 ? status : csv_error(csv, 0, "this row is not one of %zu columns", append->count);
    append->kept = start;
    context_log(append->context, "%s: line %d was never finished, and is left out", append->path, number);
    return 0;
}

static int
check_old(struct append *append)
{
    struct csv csv;
    int status;

    if (gzip_is_compressed(append->old, append->length))
        return context_error(append->context, MEMMODEL_ERROR_PARSE, append->path,
                             "is compressed by gzip: no row can be added to it");
    csv_open(&csv, append->context, append->path, append->old, append->length);
    status = csv_read_row(&csv);
    if (status == 1) {
        status = match_columns(append, &csv);
        if (!status && append->old[append->length - 1] != '\n')
            status = check_end(append, &csv);
    }
    csv_close(&csv);
    return status;
}

/* ---- what is added ---- */

static void
add_header(const struct append *append, struct text *text)
{
    for (size_t i = 0; i < append->count; i++) {
        csv_append(text, append->columns[i]);
        text_append(text, i + 1 < append->count ? "," : "\n");
    }
}

static void
add_row(const struct append *append, struct text *text)
{
    for (size_t i = 0; i < append->count; i++) {
        const char *value = append->values[append->order ? append->order[i] : i];
        bool last = i + 1 == append->count;

        (last ? csv_append_quoted : csv_append)(text, value ? value : "");
        text_append(text, last ? "\n" : ",");
    }
}

/* A header that a killed writer has left half written is the beginning of this one. */
static bool
is_unfinished_header(const struct append *append, const struct text *header)
{
    return append->length > 0 && append->length < header->length &&
           memcmp(append->old, header->bytes, append->length) == 0;
}

/* What the file lacks, after its old text, cut to what is kept of it. */
static int
compose(struct append *append, struct text *text)
{
    struct text header = TEXT_INIT(append->context);
    int status = 0;

    add_header(append, &header);
    if (header.failed)
        status = MEMMODEL_ERROR_NO_MEMORY;
    else if (is_unfinished_header(append, &header))
        append->kept = 0;
    else if (append->length)
        status = check_old(append);
    if (!status && append->kept > 0 && append->old[append->kept - 1] != '\n')
        text_append(text, "\n");
    if (!status && !append->order)
        text_append_bytes(text, header.bytes, header.length);
    if (!status && append->values)
        add_row(append, text);
    text_release(&header);
    return !status && text->failed ? MEMMODEL_ERROR_NO_MEMORY : status;
}

static int
write_at_end(const struct append *append, const struct text *text)
{
    ssize_t written;
    bool undone;
    int error;

    if (append->kept < append->length && ftruncate(append->file, (off_t)append->kept) != 0)
        return io_error(append, "cut off an unfinished line");
    do
        written = write(append->file, text->bytes, text->length);
    while (written < 0 && errno == EINTR);
    if (written >= 0 && (size_t)written == text->length)
        return 0;
    error = written < 0 ? errno : ENOSPC; /* what else lets a file take a part of a row */
    undone = written <= 0 || ftruncate(append->file, (off_t)append->kept) == 0;
    errno = error;
    return io_error(append, undone ? "write" : "write all of a row");
}

/* ---- all of it ---- */

static int
check_lines(const struct append *append)
{
    for (size_t i = 0; i < append->count; i++)
        if (strpbrk(append->columns[i], "\r\n") ||
            (append->values && append->values[i] && strpbrk(append->values[i], "\r\n")))
            return context_error(append->context, MEMMODEL_ERROR_INVALID_ARGUMENT, append->columns[i],
                                 "a row is one line; there is a line break in this column");
    return 0;
}

static int
append_row(memmodel_context *context, const char *path, const char *const *columns, const char *const *values,
           size_t count)
{
    OWN_ENVIRONMENT;
    struct append append = {
        .context = context, .path = path, .columns = columns, .values = values, .count = count, .file = -1};
    struct text text;
    int status;

    text = TEXT_INIT(context);
    status = samples_check_names(context, columns, count);
    if (!status)
        status = check_lines(&append);
    if (!status)
        status = open_locked(&append);
    if (!status)
        status = read_old(&append);
    if (!status)
        status = compose(&append, &text);
    if (!status && text.length)
        status = write_at_end(&append, &text);
    if (append.file >= 0)
        close(append.file); /* gives the lock back */
    text_release(&text);
    memory_release(context, append.old);
    memory_release(context, append.order);
    return status;
}

int
memmodel_samples_append_to_file(memmodel_context *context, const char *path, const char *const *columns,
                                const char *const *values, size_t count)
{
    int status;

    if (!context || !path || !columns)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    return context_end(context, status ? status : append_row(context, path, columns, values, count));
}

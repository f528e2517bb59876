/* Whole files, in and out. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "base/file.h"
#include "base/environment.h"
#include "base/gzip.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ATTEMPTS = 1000, BLOCK_BYTES = 65536, WAIT_MILLISECONDS = 20 };

/* ---- in ---- */

static int
io_error(memmodel_context *context, const char *path, const char *what)
{
    return context_error(context, MEMMODEL_ERROR_IO, path, "cannot %s: %s", what, strerror(errno));
}

bool
file_is_there(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

int
file_open(memmodel_context *context, const char *path, int *file, int64_t *size)
{
    /* without waiting for the writer of a pipe: who waits looks at the limits meanwhile */
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat about;

    if (opened < 0)
        return io_error(context, path, "open");
    if (fstat(opened, &about) != 0) {
        io_error(context, path, "read");
        close(opened);
        return MEMMODEL_ERROR_IO;
    }
    *file = opened;
    *size = S_ISREG(about.st_mode) ? (int64_t)about.st_size : -1;
    return 0;
}

struct reading {
    memmodel_context *context;
    const char *path;
    int file;
    char *bytes;
    size_t length, capacity;
};

/* Until the writer of a pipe has written or has gone. */
static int
wait_for_writer(const struct reading *reading)
{
    struct pollfd pipe = {.fd = reading->file, .events = POLLIN};
    int status = 0, ready = 0;

    while (!status && ready == 0) {
        status = context_look(reading->context, 1);
        ready = poll(&pipe, 1, WAIT_MILLISECONDS);
        if (ready < 0 && errno == EINTR)
            ready = 0;
    }
    return !status && ready < 0 ? io_error(reading->context, reading->path, "read") : status;
}

/* The next bytes; *got 0 at the end. */
static int
read_block(struct reading *reading, ssize_t *got)
{
    size_t room = reading->length + BLOCK_BYTES;

    if (reading->length + 1 >= reading->capacity &&
        array_reserve(reading->context, &reading->bytes, &reading->capacity, room, 1))
        return MEMMODEL_ERROR_NO_MEMORY;
    room = reading->capacity - reading->length - 1;
    *got = read(reading->file, reading->bytes + reading->length, room < BLOCK_BYTES ? room : BLOCK_BYTES);
    if (*got >= 0) {
        reading->length += (size_t)*got;
        return context_check(reading->context, 1);
    }
    if (errno == EAGAIN || errno == EINTR) {
        *got = 1;
        return wait_for_writer(reading);
    }
    return io_error(reading->context, reading->path, "read");
}

static int
read_all(struct reading *reading, int64_t size)
{
    int status = context_check_input(reading->context, reading->path, size);
    ssize_t got = 1;

    if (!status && size > 0) {
        reading->capacity = (size_t)size + 2; /* one is read beyond the end, and one is the zero */
        reading->bytes = memory_allocate(reading->context, reading->capacity);
        status = reading->bytes ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    }
    if (!status && size < 0)
        status = wait_for_writer(reading);
    while (!status && got > 0) {
        status = read_block(reading, &got);
        if (!status)
            status = context_check_input(reading->context, reading->path, (int64_t)reading->length);
    }
    return status;
}

/*
 * Whole file in memory, terminated by a zero byte that `length` does not count: memory_release() it. Files, pipes and
 * devices of any size; within a bounded call it ends where the limits say. 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY,
 * MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED.
 */
static int
file_read(memmodel_context *context, const char *path, char **bytes, size_t *length)
{
    struct reading reading = {.context = context, .path = path};
    int64_t size;
    int status = file_open(context, path, &reading.file, &size);

    if (status)
        return status;
    status = read_all(&reading, size);
    close(reading.file);
    if (status) {
        memory_release(context, reading.bytes);
        return status;
    }
    reading.bytes[reading.length] = '\0';
    *bytes = reading.bytes;
    *length = reading.length;
    return 0;
}

/* ---- out ---- */

static int
write_stream(FILE *file, const char *bytes, size_t length)
{
    bool complete = fwrite(bytes, 1, length, file) == length;

    return fclose(file) != 0 || !complete ? (errno ? errno : EIO) : 0;
}

int
file_parse_text(memmodel_context *context, const char *name, const char *text, size_t length, file_parser parse,
                void *made)
{
    OWN_ENVIRONMENT;
    int status;

    if (!context || !name || (length && !text) || !made)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    if (!status)
        status = context_check_input(context, name, length > SIZE_MAX / 2 ? INT64_MAX : (int64_t)length);
    return context_end(context, status ? status : parse(context, name, text, length, made));
}

/* In place of the bytes of a file compressed by gzip what they hold. */
static int
expand_file(memmodel_context *context, const char *path, char **bytes, size_t *length)
{
    char *text;
    int status;

    if (!gzip_is_compressed(*bytes, *length))
        return 0;
    status = gzip_expand(context, path, *bytes, *length, &text, length);
    if (status)
        return status;
    memory_release(context, *bytes);
    *bytes = text;
    return 0;
}

static int
read_and_parse(memmodel_context *context, const char *path, file_parser parse, void *made)
{
    char *text;
    size_t length;
    int status = file_read(context, path, &text, &length);

    if (status)
        return status;
    status = expand_file(context, path, &text, &length);
    if (!status)
        status = parse(context, path, text, length, made);
    memory_release(context, text);
    return status;
}

int
file_parse(memmodel_context *context, const char *path, file_parser parse, void *made)
{
    OWN_ENVIRONMENT;
    int status;

    if (!context || !path || !made)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    return context_end(context, status ? status : read_and_parse(context, path, parse, made));
}

/*
 * A new file beside `path`, which nobody else writes: of those who write `path` at the same time, each has its own.
 * NULL with errno. memory_release() the name, which is NULL if there is no memory for it.
 */
static FILE *
create_beside(memmodel_context *context, const char *path, char **name)
{
    FILE *file = NULL;

    errno = EEXIST;
    for (int attempt = 0; !file && errno == EEXIST && attempt < MAX_ATTEMPTS; attempt++) {
        struct text beside = TEXT_INIT(context);

        if (attempt)
            memory_release(context, *name);
        text_printf(&beside, "%s.%d.part", path, attempt);
        *name = text_finish(&beside);
        if (!*name)
            return NULL;
        file = fopen(*name, "wbx");
    }
    return file;
}

static int
write_beside(memmodel_context *context, const char *path, const char *bytes, size_t length)
{
    char *temporary = NULL;
    FILE *file = create_beside(context, path, &temporary);
    int error = file ? write_stream(file, bytes, length) : errno;

    if (!temporary)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (!error && rename(temporary, path) != 0)
        error = errno;
    if (error && file)
        remove(temporary);
    memory_release(context, temporary);
    return error ? context_error(context, MEMMODEL_ERROR_IO, path, "cannot write: %s", strerror(error)) : 0;
}

/* Into what is there and is no file: a device or a pipe, such as /dev/null. */
static int
write_into(memmodel_context *context, const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    int error = file ? write_stream(file, bytes, length) : errno;

    return error ? context_error(context, MEMMODEL_ERROR_IO, path, "cannot write: %s", strerror(error)) : 0;
}

int
file_write(memmodel_context *context, const char *path, const char *bytes, size_t length)
{
    char target[PATH_MAX];
    struct stat there;

    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return write_into(context, path, bytes, length);
    return write_beside(context, realpath(path, target) ? target : path, bytes, length);
}

int
file_hand_out(const void *object, memmodel_context *context, file_writer write, char **text)
{
    OWN_ENVIRONMENT;
    int status;

    if (!object || !context || !text)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    if (!status)
        status = write(object, context, text);
    if (!status)
        memory_hand_out(context, *text);
    return context_end(context, status);
}

static int
write_and_save(const void *object, memmodel_context *context, file_writer write, const char *path)
{
    char *text;
    int status = write(object, context, &text);

    if (status)
        return status;
    status = file_write(context, path, text, strlen(text));
    memory_release(context, text);
    return status;
}

int
file_save(const void *object, memmodel_context *context, file_writer write, const char *path)
{
    OWN_ENVIRONMENT;
    int status;

    if (!object || !context || !path)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    return context_end(context, status ? status : write_and_save(object, context, write, path));
}

/* Text that grows, numbers in and out without the locale, and whole files. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "base/text.h"
#include "base/checked.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NUMBER_BYTES = 64, MOST_ATTEMPTS = 1000 };

static bool
text_reserve(struct text *text, size_t more)
{
    if (text->failed || more > SIZE_MAX - text->length - 1) {
        text->failed = true;
        return false;
    }
    text->failed =
        array_reserve(text->context, &text->bytes, &text->capacity, text->length + more + 1, sizeof *text->bytes) != 0;
    return !text->failed;
}

void
text_append_bytes(struct text *text, const char *bytes, size_t length)
{
    if (!text_reserve(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void
text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

void
text_printf(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    int length;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        text->failed = true;
    else if (text_reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void
text_append_xml(struct text *text, const char *string)
{
    for (; *string; string++) {
        if (*string == '<' || *string == '>' || *string == '&' || *string == '"' || (unsigned char)*string < ' ')
            text_printf(text, "&#%d;", (unsigned char)*string < ' ' ? ' ' : *string);
        else
            text_append_bytes(text, string, 1);
    }
}

void
text_append_json(struct text *text, const char *string)
{
    text_append(text, "\"");
    while (*string) {
        size_t plain = 0;

        while ((unsigned char)string[plain] >= 0x20 && !strchr("\"\\<", string[plain]))
            plain++;
        text_append_bytes(text, string, plain);
        string += plain;
        if (*string)
            text_printf(text, "\\u%04x", (unsigned char)*string++);
    }
    text_append(text, "\"");
}

static void
swap_decimal_point(char *number, char from, char to)
{
    char *point = strchr(number, from);

    if (point)
        *point = to;
}

static char
locale_point(void)
{
    return localeconv()->decimal_point[0];
}

void
text_append_double(struct text *text, double number)
{
    char digits[NUMBER_BYTES];

    for (int precision = DBL_DIG; precision <= DBL_DECIMAL_DIG; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    swap_decimal_point(digits, locale_point(), '.');
    text_append(text, digits);
}

void
text_append_quantity(struct text *text, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    char digits[NUMBER_BYTES];
    size_t unit = 0;

    for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        bytes /= 1024;
    snprintf(digits, sizeof digits, "%.4g", bytes);
    swap_decimal_point(digits, locale_point(), '.');
    text_printf(text, "%s %s", digits, units[unit]);
}

void
text_append_attribute(struct text *text, const char *name, double number)
{
    text_printf(text, " %s=\"", name);
    text_append_double(text, round(100 * number) / 100);
    text_append(text, "\"");
}

char *
text_finish(struct text *text)
{
    char *bytes;

    text_reserve(text, 0);
    if (text->failed) {
        text_release(text);
        return NULL;
    }
    bytes = text->bytes;
    bytes[text->length] = '\0';
    *text = TEXT_INIT(text->context);
    return bytes;
}

void
text_release(struct text *text)
{
    memory_release(text->context, text->bytes);
    *text = TEXT_INIT(text->context);
}

bool
parse_double(const char *text, double *number)
{
    char digits[NUMBER_BYTES], *end;
    double value;

    /* strtod also takes hexadecimal, "inf", "nan" and leading blanks; a number in a file is none of these */
    if (strlen(text) >= sizeof digits || text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
        return false;
    snprintf(digits, sizeof digits, "%s", text);
    swap_decimal_point(digits, '.', locale_point());
    value = strtod(digits, &end);
    if (end == digits || *end != '\0' || !isfinite(value))
        return false;
    *number = value;
    return true;
}

bool
parse_int64(const char *text, int64_t *number)
{
    bool negative = text[0] == '-';
    const char *digit = text + (negative || text[0] == '+');
    int64_t value = 0;

    if (*digit == '\0')
        return false;
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || !checked_multiply(value, 10, &value) ||
            !checked_add(value, negative ? '0' - *digit : *digit - '0', &value))
            return false;
    }
    *number = value;
    return true;
}

/* ---- files ---- */

static int
read_stream(memmodel_context *context, FILE *file, const char *path, struct text *text)
{
    char block[16384];
    size_t count;

    while ((count = fread(block, 1, sizeof block, file)) > 0)
        text_append_bytes(text, block, count);
    if (ferror(file))
        return context_error(context, MEMMODEL_ERROR_IO, path, "cannot read: %s", strerror(errno));
    return text->failed ? MEMMODEL_ERROR_NOMEM : 0;
}

int
file_read(memmodel_context *context, const char *path, char **bytes, size_t *length)
{
    struct text text = TEXT_INIT(context);
    FILE *file = fopen(path, "rb");
    size_t count;
    char *read;
    int status;

    if (!file)
        return context_error(context, MEMMODEL_ERROR_IO, path, "cannot open: %s", strerror(errno));
    status = read_stream(context, file, path, &text);
    fclose(file);
    count = text.length;
    read = status ? NULL : text_finish(&text);
    if (!read) {
        text_release(&text);
        return status ? status : MEMMODEL_ERROR_NOMEM;
    }
    *bytes = read;
    *length = count;
    return 0;
}

static int
write_stream(FILE *file, const char *bytes, size_t length)
{
    bool complete = fwrite(bytes, 1, length, file) == length;

    return fclose(file) != 0 || !complete ? (errno ? errno : EIO) : 0;
}

/*
 * A new file beside `path`, which nobody else writes: of those who write `path` at the same time, each has its own. NULL
 * with errno. memory_release() the name, which is NULL if there is no memory for it.
 */
static FILE *
create_beside(memmodel_context *context, const char *path, char **name)
{
    FILE *file = NULL;

    errno = EEXIST;
    for (int attempt = 0; !file && errno == EEXIST && attempt < MOST_ATTEMPTS; attempt++) {
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
        return MEMMODEL_ERROR_NOMEM;
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

bool
text_matches(const char *pattern, size_t length, const char *text)
{
    size_t at = 0, after_star = SIZE_MAX;
    const char *from = text;

    while (*text) {
        if (at < length && pattern[at] == '*') {
            after_star = ++at;
            from = text;
        } else if (at < length && (pattern[at] == '?' || pattern[at] == *text)) {
            at++;
            text++;
        } else if (after_star == SIZE_MAX) {
            return false;
        } else {
            at = after_star;
            text = ++from;
        }
    }
    while (at < length && pattern[at] == '*')
        at++;
    return at == length;
}

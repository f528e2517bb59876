/* Text that grows, and numbers in and out without the locale. */
#include "base/text.h"
#include "base/checked.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

static bool
fail(struct text *text)
{
    context_error(text->context, MEMMODEL_ERROR_NO_MEMORY, NULL, "out of memory: a text is too long");
    text->failed = true;
    return false;
}

static bool
text_reserve(struct text *text, size_t more)
{
    if (text->failed)
        return false;
    if (more > SIZE_MAX - text->length - 1)
        return fail(text);
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
    enum { USUAL_BYTES = 64 };
    va_list arguments, again;
    int length;

    if (!text_reserve(text, USUAL_BYTES))
        return;
    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(text->bytes + text->length, text->capacity - text->length, format, arguments);
    va_end(arguments);
    if (length < 0)
        fail(text);
    else if ((size_t)length < text->capacity - text->length)
        text->length += (size_t)length;
    else if (text_reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    } else if (text->bytes)
        text->bytes[text->length] = '\0';
    va_end(again);
}

void
text_append_unsigned(struct text *text, uint64_t number)
{
    char digits[NUMBER_BYTES], *first = digits + sizeof digits;

    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    text_append_bytes(text, first, (size_t)(digits + sizeof digits - first));
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

bool
text_spend(struct text *text, int64_t nodes)
{
    if (context_check(text->context, nodes))
        text->failed = true;
    return !text->failed;
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

int
text_finish_to(struct text *text, char **to)
{
    char *finished = text_finish(text);

    if (!finished)
        return MEMMODEL_ERROR_NO_MEMORY;
    *to = finished;
    return 0;
}

int
text_hand_out(struct text *text, char **to)
{
    memmodel_context *context = text->context;
    int status = text_finish_to(text, to);

    if (!status)
        memory_hand_out(context, *to);
    return status;
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

uint32_t
text_hash(const char *text)
{
    uint32_t hash = 2166136261u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static int
compare_names(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

const void *
text_find(const char *name, const void *rows, size_t count, size_t size)
{
    return bsearch(name, rows, count, size, compare_names);
}

int
text_character_bytes(const char *string)
{
    const unsigned char *text = (const unsigned char *)string;
    static const struct {
        unsigned char mask, lead, min_second, max_second;
        int bytes;
    } forms[] = {
        /* Unicode Standard, table 3-7: the second byte excludes overlong forms, surrogates and beyond 10FFFF */
        {0xff, 0xe0, 0xa0, 0xbf, 3}, {0xff, 0xed, 0x80, 0x9f, 3}, {0xff, 0xf0, 0x90, 0xbf, 4},
        {0xff, 0xf4, 0x80, 0x8f, 4}, {0xe0, 0xc0, 0x80, 0xbf, 2}, {0xf0, 0xe0, 0x80, 0xbf, 3},
        {0xfc, 0xf0, 0x80, 0xbf, 4},
    };

    if (text[0] < 0x80)
        return text[0] >= 0x20 && text[0] != 0x7f;
    for (size_t i = text[0] == 0xc0 || text[0] == 0xc1 ? 7 : 0; i < 7; i++) {
        if ((text[0] & forms[i].mask) != forms[i].lead)
            continue;
        if (text[1] < forms[i].min_second || text[1] > forms[i].max_second)
            return 0;
        for (int k = 2; k < forms[i].bytes; k++)
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].bytes;
    }
    return 0;
}

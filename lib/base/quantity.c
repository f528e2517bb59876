#include "base/quantity.h"

#include "base/context.h"
#include "base/environment.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { UNIT_BYTES = 8, NUMBER_BYTES = 64 };

/* The first of each size is the name that is printed. */
static const struct byte_unit units[] = {
    {"bytes", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"PiB", 0x1p50}, {"kB", 1e3},
    {"MB", 1e6},  {"GB", 1e9},     {"TB", 1e12},    {"PB", 1e15},    {"byte", 1},     {"B", 1},
};

/* As in the tool's options, "512M", and in Kubernetes', "16Gi". */
static const struct byte_unit letters[] = {
    {"K", 0x1p10},  {"M", 0x1p20},  {"G", 0x1p30},  {"T", 0x1p40},  {"P", 0x1p50},
    {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50},
};

enum { UNITS = sizeof units / sizeof units[0], LETTERS = sizeof letters / sizeof letters[0] };

const struct byte_unit *
byte_unit_find(const char *name)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strcasecmp(units[i].name, name) == 0)
            return units[i].bytes > 1 ? &units[i] : &units[0];
    return NULL;
}

const struct byte_unit *
byte_unit_of_name(const char *name)
{
    size_t length = strlen(name), start;
    char unit[UNIT_BYTES];

    if (length > 0 && (name[length - 1] == ')' || name[length - 1] == ']'))
        length--;
    for (start = length; start > 0 && isalpha((unsigned char)name[start - 1]); start--)
        continue;
    if (length - start < (start ? 1 : 2) || length - start >= sizeof unit ||
        (start && !strchr("_- ([", name[start - 1])))
        return NULL;
    memcpy(unit, name + start, length - start);
    unit[length - start] = '\0';
    return strcmp(unit, "b") == 0 ? NULL : byte_unit_find(unit); /* a bit, or just a letter */
}

static double
letter_bytes(const char *name)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (strcasecmp(letters[i].name, name) == 0)
            return letters[i].bytes;
    return 0;
}

/* Copies the number in front of `end`, without the blanks between them. */
static bool
parse_front(const char *text, const char *end, double *number)
{
    char front[NUMBER_BYTES];
    size_t length = (size_t)(end - text);

    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (length >= sizeof front)
        return false;
    memcpy(front, text, length);
    front[length] = '\0';
    return parse_double(front, number) || parse_grouped(front, number);
}

/* The letters at the end. */
static const char *
last_word(const char *text)
{
    const char *name = text + strlen(text);

    while (name > text && isalpha((unsigned char)name[-1]))
        name--;
    return name;
}

const struct byte_unit *
quantity_unit(const char *text)
{
    return byte_unit_find(last_word(text));
}

bool
parse_quantity(const char *text, double *bytes)
{
    const char *name = last_word(text);
    const struct byte_unit *unit;
    double size, number;

    if (!name[0])
        return false;
    unit = byte_unit_find(name);
    size = unit ? unit->bytes : letter_bytes(name);
    if (size == 0 || !parse_front(text, name, &number))
        return false;
    *bytes = number * size;
    return true;
}

bool
parse_grouped(const char *text, double *number)
{
    char digits[NUMBER_BYTES];
    size_t length = 0, group = strspn(text + (*text == '-'), "0123456789");
    const char *at = text + (*text == '-') + group;

    if (group < 1 || group > 3 || *at != ',' || at[-(ptrdiff_t)group] == '0' || strlen(text) >= sizeof digits)
        return false;
    while (*at == ',') {
        if (strspn(at + 1, "0123456789") != 3)
            return false;
        at += 4;
    }
    if (*at != '\0' && *at != '.')
        return false;
    for (at = text; *at; at++)
        if (*at != ',')
            digits[length++] = *at;
    digits[length] = '\0';
    return parse_double(digits, number);
}

bool
has_decimal_comma(const char *text)
{
    const char *comma = text + (*text == '-') + strspn(text + (*text == '-'), "0123456789");
    size_t length = *comma == ',' ? strspn(comma + 1, "0123456789") : 0;
    const char *end = comma + 1 + length;
    char front[NUMBER_BYTES];
    double number;

    if (length == 0 || end + strspn(end, " ") != last_word(text) || (size_t)(end - text) >= sizeof front)
        return false;
    memcpy(front, text, (size_t)(end - text));
    front[end - text] = '\0';
    return !parse_grouped(front, &number);
}

static bool
is_one_of(const char *text, const char *const *words)
{
    while (*words && strcasecmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

bool
is_missing_word(const char *text)
{
    static const char *const words[] = {"nan", "na", "n/a", "null", "none", "-", NULL};

    return is_one_of(text, words);
}

bool
is_success_word(const char *text)
{
    static const char *const words[] = {"ok",      "done",      "complete",   "completed", "finished",
                                        "success", "succeeded", "successful", "passed",    NULL};

    return is_one_of(text, words);
}

bool
is_out_of_memory_word(const char *text)
{
    static const char *const words[] = {"oom", "out_of_memory", "oomkilled", "oom-kill", "killed", NULL};
    static const char phrase[] = "out of memory";

    for (const char *at = text; *at; at++)
        if (strncasecmp(at, phrase, sizeof phrase - 1) == 0)
            return true;
    return is_one_of(text, words);
}

/* ---- sizes of which all is a size ---- */

enum { SMALLEST_BARE = 1024 };

/* "16" would be bytes, fewer than anything takes: GiB are meant, or MiB. */
static int
without_unit(memmodel_context *context, const char *text)
{
    return context_error(context, MEMMODEL_ERROR_PARSE, NULL,
                         "'%.60s' has no unit; write %.60sGiB, or %.60sB for bytes", text, text, text);
}

/* The number of bytes that a text stands for; -1: it is none. */
static double
size_of(const char *text)
{
    double number;

    if (text[strspn(text, "0123456789.,")] == '\0' && (parse_double(text, &number) || parse_grouped(text, &number)))
        return number;
    if (text[0] != '.' && !is_digit(text[0]))
        return -1;
    return parse_quantity(text, &number) ? number : -1;
}

static int
parse_size(memmodel_context *context, const char *text, int64_t *bytes)
{
    double number = size_of(text);

    if (number < 0)
        return context_error(context, MEMMODEL_ERROR_PARSE, NULL,
                             "'%.60s' is no size such as 16GiB, 14GB, 512M or 1000000", text);
    if (number > 0 && number < SMALLEST_BARE && is_digit(text[strlen(text) - 1]))
        return without_unit(context, text);
    if (number >= 0x1p63)
        return context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL, "'%.60s' does not fit in 63 bits", text);
    *bytes = (int64_t)floor(number);
    return 0;
}

int
memmodel_context_parse_bytes(memmodel_context *context, const char *text, int64_t *bytes)
{
    OWN_ENVIRONMENT;
    char trimmed[NUMBER_BYTES];
    size_t blanks, length;

    if (!context || !text || !bytes)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    blanks = strspn(text, " ");
    length = strlen(text + blanks);
    while (length > 0 && text[blanks + length - 1] == ' ')
        length--;
    if (length >= sizeof trimmed)
        length = 0;
    memcpy(trimmed, text + blanks, length);
    trimmed[length] = '\0';
    return context_status(context, parse_size(context, trimmed, bytes));
}

/* JSON in and out through jansson, with the line and column of what is wrong. */
#include "base/json.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- where a value stands in the text ---- */

/* Walks the text and the values read from it side by side. jansson has accepted the text, so its syntax is right. */
struct locator {
    const char *at;
    int line, column;
    const json_t *wanted;
    const char *key; /* of the wanted member of `wanted`; NULL: `wanted` itself */
    bool found;
};

static void
advance(struct locator *locator)
{
    if (*locator->at == '\n') {
        locator->line++;
        locator->column = 1;
    } else if (((unsigned char)*locator->at & 0xc0) != 0x80) {
        locator->column++;
    }
    locator->at++;
}

static void
skip_blanks(struct locator *locator)
{
    while (*locator->at && strchr(" \t\r\n,:", *locator->at))
        advance(locator);
}

static void
skip_string(struct locator *locator)
{
    advance(locator);
    while (*locator->at && *locator->at != '"') {
        if (*locator->at == '\\')
            advance(locator);
        advance(locator);
    }
    advance(locator);
}

static void
skip_scalar(struct locator *locator)
{
    if (*locator->at == '"') {
        skip_string(locator);
        return;
    }
    while (*locator->at && !strchr(" \t\r\n,:]}", *locator->at))
        advance(locator);
}

static void
locate(struct locator *locator, const json_t *value);

/* Behind the end of an object or array, unless what is wanted lies in it. */
static void
leave(struct locator *locator)
{
    if (locator->found)
        return;
    skip_blanks(locator);
    advance(locator);
}

static void
locate_members(struct locator *locator, const json_t *object)
{
    const char *key;
    json_t *member;

    advance(locator);
    /* jansson keeps the order of the text, and the parser has refused duplicate keys */
    json_object_foreach ((json_t *)object, key, member) {
        skip_blanks(locator);
        skip_string(locator);
        if (object == locator->wanted && strcmp(key, locator->key) == 0) {
            skip_blanks(locator);
            locator->found = true;
            return;
        }
        locate(locator, member);
        if (locator->found)
            return;
    }
    leave(locator);
}

static void
locate_items(struct locator *locator, const json_t *array)
{
    size_t index;
    json_t *item;

    advance(locator);
    json_array_foreach (array, index, item)
        if (!locator->found)
            locate(locator, item);
    leave(locator);
}

static void
locate(struct locator *locator, const json_t *value)
{
    skip_blanks(locator);
    if (value == locator->wanted && !locator->key)
        locator->found = true;
    else if (json_is_object(value))
        locate_members(locator, value);
    else if (json_is_array(value))
        locate_items(locator, value);
    else
        skip_scalar(locator);
}

/* `key` NULL: the value itself. */
static int
error_at(const struct json_document *document, const json_t *value, const char *key, int status, const char *format,
         va_list arguments)
{
    struct locator locator = {.at = document->text, .line = 1, .column = 1, .wanted = value, .key = key};

    locate(&locator, document->root);
    return context_error_list(document->context, status, document->name, locator.line, locator.column, format,
                              arguments);
}

int
json_error_at(const struct json_document *document, const json_t *value, int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    error_at(document, value, NULL, status, format, arguments);
    va_end(arguments);
    return status;
}

int
json_error_at_member(const struct json_document *document, const json_t *object, const char *key, int status,
                     const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    error_at(document, object, json_object_get(object, key) ? key : NULL, status, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- before reading: how deep it is, and how much memory it takes ---- */

/*
 * Memory of jansson 2.14 on 64 bits, with what malloc() adds: an object has 8 buckets at first, a member an entry of
 * its own and its share of more buckets, an array 8 places at first, twice as many as it needs at most and, while they
 * double, the old ones. A string has its characters and a header.
 */
enum { OBJECT_BYTES = 240, MEMBER_BYTES = 136, ARRAY_BYTES = 144, VALUE_BYTES = 72 };

struct outline {
    const char *too_deep; /* the bracket that is; NULL: none */
    size_t objects, members, arrays, values;
};

/* Its closing quote, or the text's last character. */
static const char *
end_of_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at : end - 1;
}

/* Right for JSON; of anything else it may count too much or too little, and jansson takes less. */
static struct outline
outline_of(const char *text, size_t length)
{
    struct outline outline = {.values = 1};
    const char *end = text + length;
    int depth = 0;

    for (const char *at = text; at < end; at++) {
        bool opens = *at == '[' || *at == '{';

        if (*at == '"') {
            at = end_of_string(at, end);
            continue;
        }
        if (opens && depth++ == JSON_MAX_DEPTH && !outline.too_deep)
            outline.too_deep = at;
        else if (*at == ']' || *at == '}')
            depth--;
        outline.values += opens || *at == ',';
        outline.arrays += *at == '[';
        outline.objects += *at == '{';
        outline.members += *at == ':';
    }
    return outline;
}

/* Of a place that no value has. */
static int
error_at_character(const struct json_document *document, const char *at, const char *message)
{
    struct locator locator = {.at = document->text, .line = 1, .column = 1};

    while (locator.at < at)
        advance(&locator);
    return context_error_at(document->context, MEMMODEL_ERROR_PARSE, document->name, locator.line, locator.column, "%s",
                            message);
}

/* Charges the context's account; nothing if this fails. */
static int
admit(struct json_document *document)
{
    struct outline outline = outline_of(document->text, document->length);
    size_t charge = document->length;
    int status;

    if (outline.too_deep)
        return error_at_character(document, outline.too_deep, "arrays and objects are nested more than 128 deep");
    charge += outline.objects * OBJECT_BYTES + outline.members * MEMBER_BYTES + outline.arrays * ARRAY_BYTES +
              outline.values * VALUE_BYTES;
    status = memory_charge(document->context, charge);
    document->charge = status ? 0 : charge;
    return status;
}

/* ---- reading ---- */

enum { NODES_A_PIECE = 8 }; /* jansson takes a KiB at a time */

/* A text as jansson takes it: a piece at a time, with a look at the context's limits before each. */
struct pieces {
    memmodel_context *context;
    const char *text;
    size_t left;
    int status;
};

static size_t
next_piece(void *buffer, size_t length, void *data)
{
    struct pieces *pieces = data;
    size_t taken = pieces->left < length ? pieces->left : length;

    pieces->status = context_check(pieces->context, NODES_A_PIECE);
    if (pieces->status)
        return (size_t)-1;
    memcpy(buffer, pieces->text, taken);
    pieces->text += taken;
    pieces->left -= taken;
    return taken;
}

int
json_document_parse(struct json_document *document, memmodel_context *context, const char *name, const char *text,
                    size_t length)
{
    struct pieces pieces;
    json_error_t error;
    int status;

    *document = (struct json_document){.context = context, .name = name, .text = text, .length = length};
    status = admit(document);
    if (status)
        return status;
    pieces = (struct pieces){.context = context, .text = text, .left = length};
    document->root = json_load_callback(next_piece, &pieces, JSON_REJECT_DUPLICATES, &error);
    if (document->root)
        return 0;
    json_document_release(document);
    if (pieces.status)
        return pieces.status;
    if (json_error_code(&error) == json_error_out_of_memory)
        return context_error(context, MEMMODEL_ERROR_NO_MEMORY, name, "out of memory while reading JSON");
    return context_error_at(context, MEMMODEL_ERROR_PARSE, name, error.line, error.column, "%s", error.text);
}

void
json_document_release(struct json_document *document)
{
    json_decref(document->root);
    document->root = NULL;
    memory_discharge(document->context, document->charge);
    document->charge = 0;
}

static int
get(const struct json_document *document, const json_t *object, const char *key, const json_t **value)
{
    if (!json_is_object(object))
        return json_error_at(document, object, MEMMODEL_ERROR_PARSE, "expected an object with \"%s\"", key);
    *value = json_object_get(object, key);
    if (!*value)
        return json_error_at(document, object, MEMMODEL_ERROR_PARSE, "\"%s\" is missing", key);
    return 0;
}

static int
expected(const struct json_document *document, const json_t *object, const char *key, const char *type)
{
    return json_error_at_member(document, object, key, MEMMODEL_ERROR_PARSE, "\"%s\" must be %s", key, type);
}

int
json_get_string(const struct json_document *document, const json_t *object, const char *key, const char **out)
{
    const json_t *value = NULL;
    int status = get(document, object, key, &value);

    if (status)
        return status;
    if (!json_is_string(value))
        return expected(document, object, key, "a string");
    *out = json_string_value(value);
    return 0;
}

int
json_get_int64(const struct json_document *document, const json_t *object, const char *key, int64_t *out)
{
    const json_t *value = NULL;
    int status = get(document, object, key, &value);

    if (status)
        return status;
    if (!json_is_integer(value))
        return expected(document, object, key, "an integer");
    *out = (int64_t)json_integer_value(value);
    return 0;
}

int
json_get_double(const struct json_document *document, const json_t *object, const char *key, double *out)
{
    const json_t *value = NULL;
    int status = get(document, object, key, &value);

    if (status)
        return status;
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return expected(document, object, key, "a finite number");
    *out = json_number_value(value);
    return 0;
}

int
json_get_bool(const struct json_document *document, const json_t *object, const char *key, bool *out)
{
    const json_t *value = NULL;
    int status = get(document, object, key, &value);

    if (status)
        return status;
    if (!json_is_boolean(value))
        return expected(document, object, key, "true or false");
    *out = json_is_true(value);
    return 0;
}

int
json_get_array(const struct json_document *document, const json_t *object, const char *key, const json_t **out)
{
    const json_t *value = NULL;
    int status = get(document, object, key, &value);

    if (status)
        return status;
    if (!json_is_array(value))
        return expected(document, object, key, "an array");
    *out = value;
    return 0;
}

int
json_get_object(const struct json_document *document, const json_t *object, const char *key, const json_t **out)
{
    const json_t *value = NULL;
    int status = get(document, object, key, &value);

    if (status)
        return status;
    if (!json_is_object(value))
        return expected(document, object, key, "an object");
    *out = value;
    return 0;
}

static bool
is_known(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(*keys, key) == 0)
            return true;
    return false;
}

int
json_check_keys(const struct json_document *document, const json_t *object, const char *const *keys)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value)
        if (!is_known(key, keys))
            return json_error_at_member(document, object, key, MEMMODEL_ERROR_PARSE, "unknown member \"%.64s\"", key);
    return 0;
}

int
json_check_format(const struct json_document *document, const char *format, int64_t version)
{
    const char *found = "";
    int64_t number = 0;
    int status = json_get_string(document, document->root, "format", &found);

    if (!status && strcmp(found, format) != 0)
        status = json_error_at(document, json_object_get(document->root, "format"), MEMMODEL_ERROR_PARSE,
                               "format is \"%.64s\", expected \"%s\"", found, format);
    if (!status)
        status = json_get_int64(document, document->root, "version", &number);
    if (!status && (number < 1 || number > version))
        status = json_error_at(document, json_object_get(document->root, "version"),
                               number < 1 ? MEMMODEL_ERROR_PARSE : MEMMODEL_ERROR_VERSION,
                               "version %lld of the format; this library reads 1 to %lld", (long long)number,
                               (long long)version);
    return status;
}

/* ---- writing ---- */

static int
append_block(const char *bytes, size_t length, void *user)
{
    struct text *text = user;

    text_append_bytes(text, bytes, length);
    return text->failed ? -1 : 0;
}

int
json_write(memmodel_context *context, json_t *root, char **text)
{
    struct text written = TEXT_INIT(context);
    bool failed =
        !root || json_dump_callback(root, append_block, &written, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0;

    json_decref(root);
    if (failed) {
        text_release(&written);
        return memory_failed(context, "writing JSON");
    }
    text_append(&written, "\n");
    return text_finish_to(&written, text);
}

/* ---- arrays of numbers ---- */

static const char blanks[] = " \n", of_numbers[] = "0123456789+-.eE, \n";

/* The number at `at` with the fewest digits; where it ends. */
static const char *
append_short(struct text *text, const char *at)
{
    size_t length = strcspn(at, ",] \n");
    char digits[40];
    double number;

    snprintf(digits, sizeof digits, "%.*s", (int)length, at);
    if (parse_double(digits, &number) && number != 0) /* -0 would be read as the integer 0 */
        text_append_double(text, number);
    else
        text_append_bytes(text, at, length);
    return at + length;
}

/* An array of nothing but numbers, on one line; where it ends. */
static const char *
append_array(struct text *text, const char *at)
{
    text_append(text, "[");
    for (at++; *at != ']'; at += *at == ',') {
        at += strspn(at, blanks);
        at = append_short(text, at);
        at += strspn(at, blanks);
        text_append(text, *at == ',' ? ", " : "");
    }
    text_append(text, "]");
    return at + 1;
}

static const char *
append_string(struct text *text, const char *at)
{
    const char *end = at + 1;

    while (*end != '"')
        end += *end == '\\' ? 2 : 1;
    text_append_bytes(text, at, (size_t)(end + 1 - at));
    return end + 1;
}

static bool
is_array_of_numbers(const char *at)
{
    size_t length = *at == '[' ? strspn(at + 1, of_numbers) : 0;

    return length > 0 && at[1 + length] == ']';
}

int
json_write_numbers(memmodel_context *context, json_t *root, char **text)
{
    struct text written = TEXT_INIT(context);
    char *dumped = NULL;
    int status = json_write(context, root, &dumped);

    if (status)
        return status;
    for (const char *at = dumped; *at;) {
        size_t length = strcspn(at, "[\"");

        text_append_bytes(&written, at, length);
        at += length;
        if (*at == '"') {
            at = append_string(&written, at);
        } else if (is_array_of_numbers(at)) {
            at = append_array(&written, at);
        } else if (*at) {
            text_append_bytes(&written, at++, 1);
        }
    }
    memory_release(context, dumped);
    return text_finish_to(&written, text);
}

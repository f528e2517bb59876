/*
 * JSON in and out through jansson, with the line and column of what is wrong, also where the syntax is right.
 *
 * jansson's own short-lived memory comes from malloc: it has one global hook, and this library changes no global state.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/context.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A text and what was read from it. `name` (a file's path) is the object of its errors. Not owned. */
struct json_document {
    memmodel_context *context;
    const char *name, *text;
    size_t length;
    json_t *root;
    size_t charge; /* bytes on the context's account for what jansson takes of malloc() */
};

/* Arrays and objects within each other that are read: twice the scopes of a network, and what lies around them. */
enum { JSON_MAX_DEPTH = 128 };

/*
 * Reads `text`, whose length the context allows: its caller has asked. Duplicate keys are refused, and what is nested
 * deeper than JSON_MAX_DEPTH. 0, MEMMODEL_ERROR_PARSE with line and column, MEMMODEL_ERROR_NO_MEMORY,
 * MEMMODEL_ERROR_LIMIT.
 */
int
json_document_parse(struct json_document *document, memmodel_context *context, const char *name, const char *text,
                    size_t length);

void
json_document_release(struct json_document *document);

/* Sets `status` with the line and column of `value`, which is `root` or lies below it. Returns `status`. */
int
json_error_at(const struct json_document *document, const json_t *value, int status, const char *format, ...)
    BASE_PRINTF(4, 5);

/* The same for member `key` of `object`, or for `object` if it has none of that key: true, false and null are no values
 * of their own, but one of each for all documents. */
int
json_error_at_member(const struct json_document *document, const json_t *object, const char *key, int status,
                     const char *format, ...) BASE_PRINTF(5, 6);

/*
 * Member `key` of `object`, of the wanted type, into *out; MEMMODEL_ERROR_PARSE if it is missing or of another type.
 * Strings stay owned by the document.
 */
int
json_get_string(const struct json_document *document, const json_t *object, const char *key, const char **out);

int
json_get_int64(const struct json_document *document, const json_t *object, const char *key, int64_t *out);

/* Finite; an integer will do. */
int
json_get_double(const struct json_document *document, const json_t *object, const char *key, double *out);

int
json_get_bool(const struct json_document *document, const json_t *object, const char *key, bool *out);

int
json_get_array(const struct json_document *document, const json_t *object, const char *key, const json_t **out);

int
json_get_object(const struct json_document *document, const json_t *object, const char *key, const json_t **out);

/*
 * Refuses a member of `object` whose key is not in the NULL-terminated list: a misspelt key is an error, not a default.
 */
int
json_check_keys(const struct json_document *document, const json_t *object, const char *const *keys);

/*
 * Checks {"format": format, "version": n}: MEMMODEL_ERROR_PARSE for another format, MEMMODEL_ERROR_VERSION if n >
 * version.
 */
int
json_check_format(const struct json_document *document, const char *format, int64_t version);

/*
 * Text of `root`, indented by two, keys in the order they were set, ended by a newline; memory_release() it. Releases
 * `root`, which is NULL where there was no memory for it.
 */
int
json_write(memmodel_context *context, json_t *root, char **text);

/*
 * As json_write(), but arrays of numbers on one line, each with the fewest digits that are read as the same double:
 * faster to read.
 */
int
json_write_numbers(memmodel_context *context, json_t *root, char **text);

#endif

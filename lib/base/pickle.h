/*
 * Python pickles of plain data: dictionaries, lists, tuples, texts, numbers. Anything else, and above all what would
 * make Python call something, is refused with its offset. Protocols 2 to 5. Python: Lib/pickletools.py.
 *
 * A pickle may hold one list in many places, and even in itself: who walks through one counts its steps.
 */
#ifndef BASE_PICKLE_H
#define BASE_PICKLE_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum pickle_kind { PICKLE_NONE, PICKLE_BOOL, PICKLE_INTEGER, PICKLE_NUMBER, PICKLE_TEXT, PICKLE_LIST, PICKLE_DICT };

struct pickle_list;

struct pickle_value {
    enum pickle_kind kind;
    uint32_t length; /* of a text */
    union {
        int64_t integer; /* of a bool too */
        double number;
        const char *text;         /* not terminated */
        struct pickle_list *list; /* of a dictionary: keys and values in turn */
    };
};

struct pickle_list {
    struct pickle_value *items;
    size_t count, capacity;
};

struct pickle {
    memmodel_context *context;
    const char *name, *bytes; /* not owned; `name` is what errors call it */
    size_t length;
    struct arena arena;
    struct pickle_value root;
};

/* 0, MEMMODEL_ERROR_PARSE with the offset, MEMMODEL_ERROR_NO_MEMORY. */
int
pickle_parse(struct pickle *pickle, memmodel_context *context, const char *name, const char *bytes, size_t length);

void
pickle_release(struct pickle *pickle);

/* The value of a key of a dictionary; NULL if it has none, or is no dictionary. */
const struct pickle_value *
pickle_get(const struct pickle_value *dict, const char *key);

/* The list under a key, or NULL. */
const struct pickle_list *
pickle_get_list(const struct pickle_value *dict, const char *key);

/* The integer under a key, or `otherwise`. */
int64_t
pickle_get_integer(const struct pickle_value *dict, const char *key, int64_t otherwise);

bool
pickle_is_text(const struct pickle_value *value, const char *text);

/* ---- writing: protocol 2 ---- */

void
pickle_begin(struct text *out);

void
pickle_end(struct text *out);

/* Between open and close: the items of a list, or keys and values in turn of a dictionary. */
void
pickle_open(struct text *out, enum pickle_kind kind);

void
pickle_close(struct text *out, enum pickle_kind kind);

void
pickle_write_text(struct text *out, const char *text);

void
pickle_write_integer(struct text *out, int64_t number);

void
pickle_write_bool(struct text *out, bool value);

#endif

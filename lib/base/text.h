/* Text that grows, and numbers in and out without the locale. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A growing text. A failed append is remembered, so a chain of appends is checked once, by text_finish() or
 * text_failed(). Start with TEXT_INIT(context); bytes is always terminated once something was appended.
 */
struct text {
    memmodel_context *context;
    char *bytes;
    size_t length, capacity;
    bool failed;
};

#define TEXT_INIT(context_) ((struct text){.context = (context_)})

void
text_append(struct text *text, const char *string);

void
text_append_bytes(struct text *text, const char *bytes, size_t length);

void
text_printf(struct text *text, const char *format, ...) BASE_PRINTF(2, 3);

/* What "%llu" prints, many times as fast. */
void
text_append_unsigned(struct text *text, uint64_t number);

/*
 * The shortest decimal that reads back as the same double, always with '.', such as 0.1, 1e+300 or 3. Finite numbers.
 */
void
text_append_double(struct text *text, double number);

/* The string as JSON has it, with its quotes; "<" is written \u003c, so that no HTML around it can end in it. */
void
text_append_json(struct text *text, const char *string);

/* Bytes in the largest unit that they make up, with four digits, such as 1.5 GiB. */
void
text_append_quantity(struct text *text, double bytes);

/* The string as XML has it: its own characters as references. */
void
text_append_xml(struct text *text, const char *string);

/* A blank and an attribute of XML, such as x="1.25": hundredths are enough for pictures. */
void
text_append_attribute(struct text *text, const char *name, double number);

/* In loops that write: work, as context_check() counts it. False where the call is to end; the text has failed then. */
bool
text_spend(struct text *text, int64_t nodes);

/* Hands the characters over (memory_release() them), "" if nothing was appended; NULL if an append had failed. */
char *
text_finish(struct text *text);

/* The same with a status: 0, MEMMODEL_ERROR_NO_MEMORY if an append had failed, and `to` is untouched then. */
int
text_finish_to(struct text *text, char **to);

/* Hands them to the caller of the library, who gives them back with memmodel_free(). */
int
text_hand_out(struct text *text, char **to);

void
text_release(struct text *text);

/* Bytes of the UTF-8 character that a string begins with, 0 if it is none or a control character. */
int
text_character_bytes(const char *string);

/* FNV-1a */
uint32_t
text_hash(const char *text);

/* The row of that name in a table in the order of its names, which its rows of `size` bytes begin with; NULL: none. */
const void *
text_find(const char *name, const void *rows, size_t count, size_t size);

/* Of C's names, in every locale. */
static inline bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether a text is what a pattern of `length` letters says: `*` stands for any letters, `?` for one. */
bool
text_matches(const char *pattern, size_t length, const char *text);

/*
 * The whole of `text` as a finite double, integer; false if it is anything else. Decimal point is '.' in every locale.
 */
bool
parse_double(const char *text, double *number);

bool
parse_int64(const char *text, int64_t *number);

#endif

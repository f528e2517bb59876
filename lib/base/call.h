/* Calls as Python writes them: NAME, or NAME(ARGUMENT, KEY=ARGUMENT, ...). Nothing is evaluated. */
#ifndef BASE_CALL_H
#define BASE_CALL_H

#include <stdbool.h>
#include <stddef.h>

/* Letters of a text that somebody else holds. */
struct text_part {
    const char *text;
    size_t length;
};

struct call_text {
    struct text_part name;
    struct text_part rest; /* arguments that have not been read yet */
};

struct call_argument {
    struct text_part key; /* empty: it stands by its place */
    struct text_part value;
};

/* False of what is no call: without a name, with parentheses that do not close, with more behind them. */
bool
call_read(const char *text, struct call_text *call);

/* The next argument; false after the last. */
bool
call_next(struct call_text *call, struct call_argument *argument);

/* The next of what stands between `separators`, without the spaces around it; false after the last. */
bool
text_part_next(struct text_part *rest, const char *separators, struct text_part *next);

bool
text_part_is(const struct text_part *part, const char *word);

/* "True" or "False" into `on`; false of anything else. */
bool
text_part_flag(const struct text_part *part, bool *on);

/* A decimal number of at most 40 letters. */
bool
text_part_number(const struct text_part *part, double *number);

#endif

/* A text on its way to an expression. */
#ifndef EXPRESSION_PARSER_H
#define EXPRESSION_PARSER_H

#include "expression/pool.h"

enum { NAME_LIMIT = 255 };

struct parser {
    struct expression_pool *pool;
    const char *name, *text, *at;
    int depth;
    char word[NAME_LIMIT + 1]; /* the name that is being looked up: not on the stack, which nested sums share */
};

/* ---- errors: each returns the status ---- */

int
parser_error_at(const struct parser *parser, const char *where, int status, const char *message);

/* A syntax error where the parser stands. */
int
parser_error(const struct parser *parser, const char *message);

/*
 * What building said, with the place: an error of arithmetic is one of the text, unless a number or the memory ended.
 */
expression
parser_built(const struct parser *parser, const char *where, expression a);

/* ---- characters ---- */

void
parser_skip_blanks(struct parser *parser);

/* Whether the next character that is no blank is the wanted one; it is then read. */
bool
parser_accept(struct parser *parser, char wanted);

int
parser_expect(struct parser *parser, char wanted);

/* ---- numbers ---- */

/* Without a sign. */
int
parser_integer(struct parser *parser, int64_t *value);

bool
parser_at_number(const struct parser *parser);

/* With decimals and a power of ten; where parser_at_number(). */
expression
parser_number(struct parser *parser);

#endif

/* What the parser reads one by one: characters and numbers, and where its errors are. */
#include "expression/parser.h"

#include <string.h>

/* ---- errors ---- */

int
parser_error_at(const struct parser *parser, const char *where, int status, const char *message)
{
    int line = 1, column = 1;

    for (const char *at = parser->text; at < where; at++) {
        if (*at == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*at & 0xc0) != 0x80) {
            column++;
        }
    }
    return context_error_at(parser->pool->context, status, parser->name, line, column, "%s", message);
}

int
parser_error(const struct parser *parser, const char *message)
{
    return parser_error_at(parser, parser->at, MEMMODEL_ERROR_PARSE, message);
}

expression
parser_built(const struct parser *parser, const char *where, expression a)
{
    int status;

    if (a >= 0)
        return a;
    status = a == MEMMODEL_ERROR_INVALID_ARGUMENT ? MEMMODEL_ERROR_PARSE : context_status(parser->pool->context, a);
    return parser_error_at(parser, where, status, memmodel_context_error(parser->pool->context)->message);
}

/* ---- characters ---- */

void
parser_skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

bool
parser_accept(struct parser *parser, char wanted)
{
    parser_skip_blanks(parser);
    if (*parser->at != wanted)
        return false;
    parser->at++;
    return true;
}

int
parser_expect(struct parser *parser, char wanted)
{
    char message[] = "expected ' '";

    message[sizeof message - 3] = wanted;
    return parser_accept(parser, wanted) ? 0 : parser_error(parser, message);
}

/* ---- numbers ---- */

static bool
read_digits(struct parser *parser, int64_t *value, int64_t *count)
{
    for (; is_digit(*parser->at); parser->at++, ++*count)
        if (!checked_multiply(*value, 10, value) || !checked_add(*value, *parser->at - '0', value))
            return false;
    return true;
}

int
parser_integer(struct parser *parser, int64_t *value)
{
    const char *start;
    int64_t count = 0;

    parser_skip_blanks(parser);
    start = parser->at;
    *value = 0;
    if (!read_digits(parser, value, &count))
        return parser_error_at(parser, start, MEMMODEL_ERROR_OVERFLOW, "a number does not fit in 64 bits");
    return count ? 0 : parser_error(parser, "expected an integer");
}

/* "e" and a power of ten, if there is one */
static bool
read_scale(struct parser *parser, int64_t *scale)
{
    const char *digit = parser->at + 1;
    bool negative = *parser->at && *digit == '-';
    int64_t count = 0;

    *scale = 0;
    if ((*parser->at != 'e' && *parser->at != 'E') || !is_digit(digit[*digit == '-' || *digit == '+']))
        return true;
    parser->at = digit + (*digit == '-' || *digit == '+');
    if (!read_digits(parser, scale, &count))
        return false;
    *scale = negative ? -*scale : *scale;
    return true;
}

static bool
read_number(struct parser *parser, struct rational *value)
{
    int64_t digits = 0, count = 0, decimals = 0, scale;
    struct rational power;

    if (!read_digits(parser, &digits, &count))
        return false;
    if (*parser->at == '.') {
        parser->at++;
        if (!read_digits(parser, &digits, &decimals))
            return false;
    }
    return read_scale(parser, &scale) && checked_subtract(scale, decimals, &scale) &&
           (digits == 0 ? rational_make(0, 1, value)
                        : scale > -INT64_MAX && rational_power(rational_integer(10), scale, &power) &&
                              rational_multiply(rational_integer(digits), power, value));
}

bool
parser_at_number(const struct parser *parser)
{
    return is_digit(parser->at[*parser->at == '.']);
}

expression
parser_number(struct parser *parser)
{
    const char *start = parser->at;
    struct rational value;

    if (!read_number(parser, &value))
        return parser_error_at(parser, start, MEMMODEL_ERROR_OVERFLOW,
                               "a number does not fit in a fraction of 64-bit integers");
    return parser_built(parser, start, term_expression(parser->pool, value, 0));
}

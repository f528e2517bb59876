/*
 * Expressions from text, by recursive descent:
 *
 *   sum     = ["+" | "-"] product (("+" | "-") product)*
 *   product = power (("*" | "/") power)*
 *   power   = ("+" | "-")* primary ["^" exponent]
 *   primary = number | name | function "(" sum ["," sum] ")" | "(" sum ")"
 *   exponent = ["-"] integer | "(" ["-"] integer ["/" integer] ")"
 */
#include "expression/pool.h"

#include <string.h>

enum { PARSE_DEPTH = 100, TEXT_LIMIT = 65536, NAME_LIMIT = 255 };

static const struct rational one = {1, 1}, minus_one = {-1, 1};

struct parser {
    struct expression_pool *pool;
    const char *name, *text, *at;
    int depth;
};

static expression
parse_sum(struct parser *parser);

/* ---- errors ---- */

static int
error_at(const struct parser *parser, const char *where, int status, const char *message)
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

static int
syntax_error(const struct parser *parser, const char *message)
{
    return error_at(parser, parser->at, MEMMODEL_ERROR_PARSE, message);
}

/* What building said, with the place: an error of arithmetic is one of the text, unless a number or the memory ended. */
static expression
built(const struct parser *parser, const char *where, expression a)
{
    if (a >= 0)
        return a;
    return error_at(parser, where, a == MEMMODEL_ERROR_INVALID_ARGUMENT ? MEMMODEL_ERROR_PARSE : a,
                    memmodel_context_error(parser->pool->context)->message);
}

/* ---- characters ---- */

static void
skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool
accept(struct parser *parser, char wanted)
{
    skip_blanks(parser);
    if (*parser->at != wanted)
        return false;
    parser->at++;
    return true;
}

static int
expect(struct parser *parser, char wanted)
{
    char message[] = "expected ' '";

    message[sizeof message - 3] = wanted;
    return accept(parser, wanted) ? 0 : syntax_error(parser, message);
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
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

/* The integer at which the parser stands. */
static int
parse_integer(struct parser *parser, int64_t *value)
{
    const char *start;
    int64_t count = 0;

    skip_blanks(parser);
    start = parser->at;
    *value = 0;
    if (!read_digits(parser, value, &count))
        return error_at(parser, start, MEMMODEL_ERROR_OVERFLOW, "a number does not fit in 64 bits");
    return count ? 0 : syntax_error(parser, "expected an integer");
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

static expression
parse_number(struct parser *parser)
{
    const char *start = parser->at;
    struct rational value;

    if (!read_number(parser, &value))
        return error_at(parser, start, MEMMODEL_ERROR_OVERFLOW,
                        "a number does not fit in a fraction of 64-bit integers");
    return built(parser, start, term_expression(parser->pool, value, 0));
}

/* ---- functions ---- */

static expression
whole_floor(struct expression_pool *pool, expression a)
{
    return expression_floor_divide(pool, a, 1);
}

static expression
whole_ceil(struct expression_pool *pool, expression a)
{
    return expression_ceil_divide(pool, a, 1);
}

static expression
square_root(struct expression_pool *pool, expression a)
{
    return expression_power(pool, a, 1, 2);
}

static const struct {
    const char *name;
    expression (*of_one)(struct expression_pool *pool, expression a);
    expression (*of_two)(struct expression_pool *pool, expression a, expression b);
} functions[] = {
    {"floor", whole_floor, NULL}, {"ceil", whole_ceil, NULL},    {"log", expression_log, NULL},
    {"sqrt", square_root, NULL},  {"max", NULL, expression_max}, {"min", NULL, expression_min},
};

/* The function of that index, after its "(". */
static expression
parse_call(struct parser *parser, const char *start, size_t function)
{
    expression a = parse_sum(parser), b = 0;
    int status = a < 0 ? a : 0;

    if (!status && functions[function].of_two) {
        status = expect(parser, ',');
        b = status ? status : parse_sum(parser);
        status = b < 0 ? b : 0;
    }
    if (!status)
        status = expect(parser, ')');
    if (status)
        return status;
    return built(parser, start,
                 functions[function].of_one ? functions[function].of_one(parser->pool, a)
                                            : functions[function].of_two(parser->pool, a, b));
}

static expression
parse_name(struct parser *parser)
{
    const char *start = parser->at;
    char name[NAME_LIMIT + 1];
    size_t length = strspn(start, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.");

    if (length == 0)
        return syntax_error(parser, *start ? "expected a number, a name or '('" : "unexpected end");
    if (length > NAME_LIMIT)
        return syntax_error(parser, "a name is longer than 255 characters");
    memcpy(name, start, length);
    name[length] = '\0';
    parser->at += length;
    if (!accept(parser, '('))
        return built(parser, start, expression_symbol(parser->pool, name));
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(name, functions[i].name) == 0)
            return parse_call(parser, start, i);
    return error_at(parser, start, MEMMODEL_ERROR_PARSE,
                    "unknown function; known are floor, ceil, max, min, log and sqrt");
}

/* ---- operators ---- */

static expression
parse_primary(struct parser *parser)
{
    expression a;
    int status;

    skip_blanks(parser);
    if (is_digit(*parser->at) || (*parser->at == '.' && is_digit(parser->at[1])))
        return parse_number(parser);
    if (!accept(parser, '('))
        return parse_name(parser);
    a = parse_sum(parser);
    status = a < 0 ? a : expect(parser, ')');
    return status ? status : a;
}

static int
parse_exponent(struct parser *parser, int64_t *numerator, int64_t *denominator)
{
    bool parentheses = accept(parser, '('), negative = accept(parser, '-');
    int status = parse_integer(parser, numerator);

    *denominator = 1;
    if (!status && parentheses && accept(parser, '/'))
        status = parse_integer(parser, denominator);
    if (!status && parentheses)
        status = expect(parser, ')');
    *numerator = negative ? -*numerator : *numerator;
    return status;
}

/* What is divided by is raised to the negative power, so that 1 / (a + b) ^ 2 is not multiplied out before. */
static expression
parse_power(struct parser *parser, bool divides)
{
    int64_t numerator = 1, denominator = 1;
    bool negative = false;
    const char *start;
    expression a;
    int status;

    while (accept(parser, '-') || accept(parser, '+'))
        negative ^= parser->at[-1] == '-';
    a = parse_primary(parser);
    skip_blanks(parser);
    start = parser->at;
    status = a < 0 ? a : 0;
    if (!status && accept(parser, '^'))
        status = parse_exponent(parser, &numerator, &denominator);
    if (status)
        return status;
    a = built(parser, start, expression_power(parser->pool, a, divides ? -numerator : numerator, denominator));
    return a < 0 || !negative ? a : built(parser, start, expression_scale(parser->pool, a, minus_one));
}

static expression
parse_product(struct parser *parser)
{
    expression a = parse_power(parser, false);

    while (a >= 0 && (accept(parser, '*') || accept(parser, '/'))) {
        const char *sign = parser->at - 1;
        expression b = parse_power(parser, *sign == '/');

        a = b < 0 ? b : built(parser, sign, expression_multiply(parser->pool, a, b));
    }
    return a;
}

/* All terms are gathered and put in order once. */
static expression
parse_terms(struct parser *parser)
{
    const char *start = parser->at;
    expression a = parse_product(parser);
    struct sum sum;

    sum_start(&sum, parser->pool);
    sum_add(&sum, one, a);
    while (!sum.status && (accept(parser, '+') || accept(parser, '-'))) {
        const struct rational sign = parser->at[-1] == '+' ? one : minus_one;

        a = parse_product(parser);
        sum_add(&sum, sign, a);
    }
    if (a < 0) {
        sum_discard(&sum);
        return a;
    }
    return built(parser, start, sum_finish(&sum));
}

static expression
parse_sum(struct parser *parser)
{
    expression a;

    if (parser->depth == PARSE_DEPTH)
        return syntax_error(parser, "parentheses are nested more than 100 deep");
    parser->depth++;
    a = parse_terms(parser);
    parser->depth--;
    return a;
}

expression
expression_parse(struct expression_pool *pool, const char *name, const char *text)
{
    struct parser parser = {.pool = pool, .name = name, .text = text, .at = text};
    expression a;

    if (memchr(text, '\0', TEXT_LIMIT + 1) == NULL)
        return error_at(&parser, text, MEMMODEL_ERROR_PARSE, "a formula is longer than 65536 characters");
    a = parse_sum(&parser);
    skip_blanks(&parser);
    if (a >= 0 && *parser.at)
        return syntax_error(&parser, "expected an operator or the end");
    return a;
}

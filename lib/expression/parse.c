/*
 * Expressions from text, by recursive descent:
 *
 *   sum     = ["+" | "-"] product (("+" | "-") product)*
 *   product = power (("*" | "/") power)*
 *   power   = ("+" | "-")* primary ["^" exponent]
 *   primary = number | name | function "(" sum ["," sum] ")" | "(" sum ")"
 *   exponent = ["-"] integer | "(" ["-"] integer ["/" integer] ")"
 */
#include "expression/parser.h"

#include <string.h>

enum { PARSE_DEPTH = 100, TEXT_LIMIT = 65536 };

static const struct rational one = {1, 1}, minus_one = {-1, 1};

static expression
parse_sum(struct parser *parser);

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
    enum opcode function; /* without these two */
} functions[] = {
    {.name = "floor", .of_one = whole_floor},  {.name = "ceil", .of_one = whole_ceil},
    {.name = "sqrt", .of_one = square_root},   {.name = "max", .of_two = expression_max},
    {.name = "min", .of_two = expression_min}, {.name = "equal", .of_two = expression_equal},
    {.name = "log", .function = OPCODE_LOG},   {.name = "exp", .function = OPCODE_EXP},
    {.name = "sin", .function = OPCODE_SIN},   {.name = "cos", .function = OPCODE_COS},
    {.name = "tanh", .function = OPCODE_TANH},
};

static expression
build_call(struct expression_pool *pool, size_t function, expression a, expression b)
{
    if (functions[function].of_two)
        return functions[function].of_two(pool, a, b);
    return functions[function].of_one ? functions[function].of_one(pool, a)
                                      : expression_apply(pool, functions[function].function, a);
}

/* The function of that index, after its "(". */
static expression
parse_call(struct parser *parser, const char *start, size_t function)
{
    expression a = parse_sum(parser), b = 0;
    int status = a < 0 ? a : 0;

    if (!status && functions[function].of_two) {
        status = parser_expect(parser, ',');
        b = status ? status : parse_sum(parser);
        status = b < 0 ? b : 0;
    }
    if (!status)
        status = parser_expect(parser, ')');
    if (status)
        return status;
    return parser_built(parser, start, build_call(parser->pool, function, a, b));
}

static expression
parse_name(struct parser *parser)
{
    const char *start = parser->at;
    char *name = parser->word;
    size_t length = strspn(start, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.");

    if (length == 0)
        return parser_error(parser, *start ? "expected a number, a name or '('" : "unexpected end");
    if (length > NAME_LIMIT)
        return parser_error(parser, "a name is longer than 255 characters");
    memcpy(name, start, length);
    name[length] = '\0';
    parser->at += length;
    if (!parser_accept(parser, '('))
        return parser_built(parser, start, expression_symbol(parser->pool, name));
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(name, functions[i].name) == 0)
            return parse_call(parser, start, i);
    return parser_error_at(
        parser, start, MEMMODEL_ERROR_PARSE,
        "unknown function; known are floor, ceil, max, min, equal, log, exp, sin, cos, tanh and sqrt");
}

/* ---- operators ---- */

static expression
parse_primary(struct parser *parser)
{
    expression a;
    int status;

    parser_skip_blanks(parser);
    if (parser_at_number(parser))
        return parser_number(parser);
    if (!parser_accept(parser, '('))
        return parse_name(parser);
    a = parse_sum(parser);
    status = a < 0 ? a : parser_expect(parser, ')');
    return status ? status : a;
}

static int
parse_exponent(struct parser *parser, int64_t *numerator, int64_t *denominator)
{
    bool parentheses = parser_accept(parser, '('), negative = parser_accept(parser, '-');
    int status = parser_integer(parser, numerator);

    *denominator = 1;
    if (!status && parentheses && parser_accept(parser, '/'))
        status = parser_integer(parser, denominator);
    if (!status && parentheses)
        status = parser_expect(parser, ')');
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

    while (parser_accept(parser, '-') || parser_accept(parser, '+'))
        negative ^= parser->at[-1] == '-';
    a = parse_primary(parser);
    parser_skip_blanks(parser);
    start = parser->at;
    status = a < 0 ? a : 0;
    if (!status && parser_accept(parser, '^'))
        status = parse_exponent(parser, &numerator, &denominator);
    if (status)
        return status;
    a = parser_built(parser, start, expression_power(parser->pool, a, divides ? -numerator : numerator, denominator));
    return a < 0 || !negative ? a : parser_built(parser, start, expression_scale(parser->pool, a, minus_one));
}

static expression
parse_product(struct parser *parser)
{
    expression a = parse_power(parser, false);

    while (a >= 0 && (parser_accept(parser, '*') || parser_accept(parser, '/'))) {
        const char *sign = parser->at - 1;
        expression b = parse_power(parser, *sign == '/');

        a = b < 0 ? b : parser_built(parser, sign, expression_multiply(parser->pool, a, b));
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
    while (!sum.status && (parser_accept(parser, '+') || parser_accept(parser, '-'))) {
        const struct rational sign = parser->at[-1] == '+' ? one : minus_one;

        a = parse_product(parser);
        sum_add(&sum, sign, a);
    }
    if (a < 0) {
        sum_discard(&sum);
        return a;
    }
    return parser_built(parser, start, sum_finish(&sum));
}

static expression
parse_sum(struct parser *parser)
{
    expression a;

    if (parser->depth == PARSE_DEPTH)
        return parser_error(parser, "parentheses are nested more than 100 deep");
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
        return parser_error_at(&parser, text, MEMMODEL_ERROR_PARSE, "a formula is longer than 65536 characters");
    a = parse_sum(&parser);
    parser_skip_blanks(&parser);
    if (a >= 0 && *parser.at)
        return parser_error(&parser, "expected an operator or the end");
    return a;
}

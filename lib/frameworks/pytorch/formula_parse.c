/* Texts of formulas, read once in each simulation: see formula.h. */
#include "frameworks/pytorch/formula.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Part of a text. */
struct part {
    const char *begin, *end;
};

struct parser {
    struct step *step;
    int depth;
};

static const struct formula_term *
parse(struct parser *parser, struct part part);

/* ---- names ---- */

size_t
formula_name_length(const char *at)
{
    size_t length = 0;

    while (is_letter(at[length]) || is_digit(at[length]))
        length++;
    return length;
}

static struct part
trimmed(struct part part)
{
    while (part.begin < part.end && *part.begin == ' ')
        part.begin++;
    while (part.begin < part.end && part.end[-1] == ' ')
        part.end--;
    return part;
}

/* ---- signs ---- */

/* The first of `signs` outside of parentheses, or the last; NULL if there is none. */
static const char *
find_sign(struct part part, const char *signs, bool last)
{
    const char *found = NULL;
    int depth = 0;

    for (const char *at = part.begin; at < part.end && (last || !found); at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && at > part.begin && *at != ')' && strchr(signs, *at))
            found = at;
    }
    return found;
}

/* A minus behind a sign is none of its own. */
static const char *
find_sum(struct part part)
{
    const char *sign = find_sign(part, "+-", true);

    while (sign && *sign == '-') {
        const char *before = sign - 1;

        while (before > part.begin && *before == ' ')
            before--;
        if (!strchr("+-*/(<>=&", *before))
            return sign;
        sign = find_sign((struct part){part.begin, sign}, "+-", true);
    }
    return sign;
}

/* The colon of the question mark before `part`; NULL if it has none. */
static const char *
find_colon(struct part part)
{
    int depth = 0, questions = 0;

    for (const char *at = part.begin; at < part.end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth > 0)
            continue;
        if (*at == ':' && questions-- == 0)
            return at;
        questions += *at == '?';
    }
    return NULL;
}

/* ---- terms ---- */

static struct formula_term *
term_new(struct parser *parser, char kind)
{
    struct formula_term *term = step_arena_allocate(parser->step, sizeof *term);

    if (term)
        *term = (struct formula_term){.kind = kind};
    return term;
}

/* a ? b : c; "a ? b" is b or nothing. */
static const struct formula_term *
either(struct parser *parser, struct part part, const char *sign)
{
    struct formula_term *term = term_new(parser, '?');
    struct part rest = {sign + 1, part.end};
    const char *colon = find_colon(rest);

    if (!term)
        return NULL;
    term->parts[0] = parse(parser, (struct part){part.begin, sign});
    term->parts[1] = parse(parser, (struct part){rest.begin, colon ? colon : rest.end});
    term->parts[2] = colon ? parse(parser, (struct part){colon + 1, rest.end}) : NULL;
    return term;
}

/* `sign` is one character, or two that end with an equals sign. */
static const struct formula_term *
both(struct parser *parser, struct part part, const char *sign)
{
    struct formula_term *term = term_new(parser, *sign);

    if (!term)
        return NULL;
    term->parts[0] = parse(parser, (struct part){part.begin, sign});
    term->parts[1] = parse(parser, (struct part){sign + (sign[1] == '=' ? 2 : 1), part.end});
    return term;
}

static const struct formula_term *
negative(struct parser *parser, struct part part)
{
    struct formula_term *term = term_new(parser, TERM_NEGATIVE);

    if (term)
        term->parts[0] = parse(parser, (struct part){part.begin + 1, part.end});
    return term;
}

static const struct formula_term *
number(struct parser *parser, struct part part)
{
    struct formula_term *term = term_new(parser, TERM_NUMBER);
    size_t digits = strspn(part.begin, "0123456789");

    if (term)
        term->number = formula_number(strtod(part.begin, NULL), part.begin[digits] != '.');
    return term;
}

/* A name, or name(a, b). */
static const struct formula_term *
named(struct parser *parser, struct part part)
{
    size_t length = formula_name_length(part.begin);
    bool calls = part.begin + length < part.end;
    struct formula_term *term = term_new(parser, calls ? TERM_CALL : TERM_NAME);

    if (!term || length >= sizeof term->name)
        return NULL;
    memcpy(term->name, part.begin, length);
    if (!calls)
        return term;
    term->function = formula_function_find(term->name);
    if (!term->function && !formula_is_question(term->name))
        term->formula = formula_find_default(term->name);
    part = trimmed((struct part){part.begin + length + 1, part.end - 1});
    while (part.begin < part.end && term->count < FUNCTION_OPERANDS) {
        const char *comma = find_sign(part, ",", false);

        term->parts[term->count++] = parse(parser, (struct part){part.begin, comma ? comma : part.end});
        part.begin = comma ? comma + 1 : part.end;
    }
    return term;
}

static const struct formula_term *
parse_part(struct parser *parser, struct part part)
{
    const char *sign;

    if (part.begin >= part.end)
        return NULL;
    if ((sign = find_sign(part, "?", false)))
        return either(parser, part, sign);
    if ((sign = find_sign(part, "<>=!&", false)) || (sign = find_sum(part)) || (sign = find_sign(part, "*/", true)))
        return both(parser, part, sign);
    if (*part.begin == '-')
        return negative(parser, part);
    if (*part.begin == '(')
        return parse(parser, (struct part){part.begin + 1, part.end - 1});
    return is_digit(*part.begin) ? number(parser, part) : named(parser, part);
}

/* Deeper than any formula of the tables goes it is a mistake. */
static const struct formula_term *
parse(struct parser *parser, struct part part)
{
    const struct formula_term *term;

    if (parser->depth == FORMULA_DEPTH) {
        step_fail(parser->step, MEMMODEL_ERROR_UNSUPPORTED);
        return NULL;
    }
    parser->depth++;
    term = parse_part(parser, trimmed(part));
    parser->depth--;
    return term;
}

/* ---- texts ---- */

/* "name = ..." */
static const char *
assigned_to(struct part part)
{
    size_t length = formula_name_length(part.begin);
    const char *at = part.begin + length;

    while (at < part.end && *at == ' ')
        at++;
    return length > 0 && at + 1 < part.end && at[0] == '=' && at[1] != '=' ? at : NULL;
}

static struct formula_statement *
statement_new(struct step *step, const char *text, const char **end)
{
    struct formula_statement *statement = step_arena_allocate(step, sizeof *statement);
    struct parser parser = {.step = step};
    struct part all = {text, text + strlen(text)}, part;
    const char *sign = find_sign(all, ";,", false), *equals;

    if (!statement)
        return NULL;
    part = trimmed((struct part){text, sign ? sign : all.end});
    equals = assigned_to(part);
    *statement = (struct formula_statement){.name = equals ? part.begin : NULL, .ends = !sign || *sign == ';'};
    statement->length = equals ? formula_name_length(part.begin) : 0;
    statement->term = parse(&parser, (struct part){equals ? equals + 1 : part.begin, part.end});
    *end = sign ? sign + 1 : all.end;
    return statement;
}

static struct formula_text *
text_new(struct step *step, const char *text)
{
    struct formula_text *parsed = step_arena_allocate(step, sizeof *parsed);
    struct formula_statement **next;

    if (!parsed)
        return NULL;
    *parsed = (struct formula_text){.text = text};
    for (next = &parsed->first; *text && !step->status; next = &(*next)->next) {
        *next = statement_new(step, text, &text);
        if (!*next)
            return NULL;
    }
    return parsed;
}

const struct formula_statement *
formula_statements(struct step *step, const char *text)
{
    struct formula_text **slot = &step->formulas[(uintptr_t)text / sizeof(void *) % FORMULA_SLOTS], *parsed = *slot;

    while (parsed && parsed->text != text)
        parsed = parsed->next;
    if (parsed)
        return parsed->first;
    parsed = text_new(step, text);
    if (!parsed)
        return NULL;
    parsed->next = *slot;
    *slot = parsed;
    return parsed->first;
}

/* The formula as text: every term in parentheses where its own operations must come before its coefficient's. */
#include "regression/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * How a language multiplies a coefficient with a term, and whether the order of the term's own operations must be kept.
 */
static const struct language {
    const char *times;
    bool exact;
    struct {
        const char *open, *between, *close;
    } multiplied, divided; /* how a sum and its factor stand together */
} languages[] = {
    [MEMMODEL_LANGUAGE_TEXT] = {.times = "*", .multiplied = {"(", ")*", ""}, .divided = {"(", ")/", ""}},
    [MEMMODEL_LANGUAGE_C] = {.times = " * ", .exact = true},
    [MEMMODEL_LANGUAGE_PYTHON] = {.times = " * ", .exact = true},
    [MEMMODEL_LANGUAGE_LATEX] = {.times = " \\, ",
                                 .multiplied = {"\\left(", "\\right) \\, ", ""},
                                 .divided = {"\\frac{", "}{", "}"}},
    [MEMMODEL_LANGUAGE_SQL] = {.times = " * ", .exact = true},
};

static bool
is_constant(const memmodel_model *model, size_t term)
{
    int64_t value;

    return expression_is_integer(model->pool, model->terms[term], &value) && value == 1;
}

/* A sum's signs stand between blanks. In languages whose bits count, only a name or a call needs none. */
static bool
is_operation(const char *text, bool exact)
{
    if (exact)
        return strchr(" *-+/", *text);
    return strncmp(text, " + ", 3) == 0 || strncmp(text, " - ", 3) == 0;
}

/* Whether a term has an operation, outside of all parentheses, that must come before those around it. */
static bool
needs_parentheses(const char *term, bool exact)
{
    int depth = 0;

    for (const char *place = term; *place; place++) {
        depth += *place == '(' || *place == '{';
        depth -= *place == ')' || *place == '}';
        if (depth == 0 && is_operation(place, exact))
            return true;
    }
    return term[0] == '-';
}

static void
print_number(double number, int language, struct text *text)
{
    size_t start = text->length;
    const char *exponent;

    text_append_double(text, number);
    exponent = text->failed ? NULL : strchr(text->bytes + start, 'e');
    if (language == MEMMODEL_LANGUAGE_LATEX && exponent) {
        int power = (int)strtol(exponent + 1, NULL, 10);

        text->length = (size_t)(exponent - text->bytes);
        text_printf(text, " \\cdot 10^{%d}", power);
    } else if (language == MEMMODEL_LANGUAGE_SQL && !exponent) {
        text_append(text, "e0");
    } else if (language == MEMMODEL_LANGUAGE_C && !exponent && !text->failed && !strchr(text->bytes + start, '.')) {
        text_append(text, ".0"); /* an integer in C would not hold it, or divide otherwise */
    }
}

/* A formula being printed. */
struct printing {
    const memmodel_model *model;
    int language;
    size_t first;                      /* the term that has its sign with it; those of the others stand between */
    struct expression_factor left_out; /* which the terms are printed without */
};

/* In SQL a model with limits moves its inputs into them. */
static void
print_own(const struct printing *printing, expression term, struct text *text)
{
    const memmodel_model *model = printing->model;

    if (printing->language != MEMMODEL_LANGUAGE_SQL || !model_has_limits(model)) {
        expression_print_without(model->pool, term, printing->left_out, (enum expression_language)printing->language,
                                 text);
        return;
    }
    expression_print_limited(model->pool, term, model->least, model->most, text);
}

/*
 * A coefficient of 1 or -1, which nobody writes. SQL has columns of whole numbers, whose products it makes numbers
 * like others.
 */
static bool
is_silent(const struct printing *printing, size_t k)
{
    return fabs(printing->model->coefficients[k]) == 1 && !is_constant(printing->model, k) &&
           printing->language != MEMMODEL_LANGUAGE_SQL;
}

/* A constant of 0. In languages whose bits count it makes a zero of either sign a positive one. */
static bool
is_nothing(const struct printing *printing, size_t k)
{
    return printing->model->coefficients[k] == 0 && is_constant(printing->model, k) &&
           !languages[printing->language].exact;
}

static void
print_coefficient(const struct printing *printing, size_t k, struct text *text)
{
    double coefficient = printing->model->coefficients[k];

    if (!is_silent(printing, k))
        print_number(k != printing->first ? fabs(coefficient) : coefficient, printing->language, text);
    else if (k == printing->first && coefficient < 0)
        text_append(text, "-");
}

/* A formula that is one term stands alone. */
static bool
is_enclosed(const struct printing *printing, size_t k, const char *term)
{
    const memmodel_model *model = printing->model;

    if (is_silent(printing, k) && model->term_count == 1 && model->coefficients[k] > 0)
        return false;
    return needs_parentheses(term, languages[printing->language].exact);
}

static void
print_sign(const struct printing *printing, size_t k, struct text *text)
{
    if (k != printing->first)
        text_append(text, signbit(printing->model->coefficients[k]) ? " - " : " + ");
}

/* coefficient * 1, which only a term printed without its divisor can be */
static bool
is_one(const struct printing *printing, const struct text *term)
{
    return printing->left_out.atom >= 0 && !term->failed && strcmp(term->bytes, "1") == 0;
}

static void
print_term(const struct printing *printing, size_t k, struct text *text)
{
    struct text term = TEXT_INIT(text->context);
    bool parentheses;

    print_sign(printing, k, text);
    print_coefficient(printing, k, text);
    if (is_constant(printing->model, k))
        return;
    print_own(printing, printing->model->terms[k], &term);
    if (!is_one(printing, &term) || is_silent(printing, k)) {
        parentheses = !term.failed && is_enclosed(printing, k, term.bytes);
        text_append(text, is_silent(printing, k) ? "" : languages[printing->language].times);
        text_append(text, parentheses ? "(" : "");
        text_append(text, term.failed ? "" : term.bytes);
        text_append(text, parentheses ? ")" : "");
    }
    text->failed |= term.failed;
    text_release(&term);
}

/* ---- what several terms have in common, once, as people write it ---- */

/* The factor that the term may be printed without. */
static struct expression_factor
factor_of(const struct printing *printing, size_t k)
{
    if (languages[printing->language].exact)
        return no_factor;
    return expression_find_factor(printing->model->pool, printing->model->terms[k]);
}

/* How many of the terms first to end - 1 may be printed without it. */
static size_t
count_with(const struct printing *printing, struct expression_factor factor, size_t first, size_t end)
{
    size_t count = 0;

    for (size_t k = first; k < end; k++)
        count += factors_are_same(factor_of(printing, k), factor);
    return count;
}

/* The terms from k on that have the factor, without it; one alone, which is a sum, without its coefficient. */
static void
print_rest(const struct printing *printing, size_t k, struct expression_factor factor, bool alone, struct text *text)
{
    struct printing rest = *printing;

    rest.left_out = factor;
    rest.first = k;
    if (alone)
        print_own(&rest, printing->model->terms[k], text);
    for (size_t i = k; !alone && i < printing->model->term_count; i++)
        if (factors_are_same(factor_of(printing, i), factor))
            print_term(&rest, i, text);
}

static void
print_factored(const struct printing *printing, size_t k, struct expression_factor factor, struct text *text)
{
    const struct language *form = &languages[printing->language];
    bool alone = count_with(printing, factor, k, printing->model->term_count) == 1, divided = factor.numerator < 0;

    if (alone) {
        print_sign(printing, k, text);
        print_coefficient(printing, k, text);
        text_append(text, is_silent(printing, k) ? "" : form->times);
    } else if (k != printing->first) {
        text_append(text, " + ");
    }
    text_append(text, divided ? form->divided.open : form->multiplied.open);
    print_rest(printing, k, factor, alone, text);
    text_append(text, divided ? form->divided.between : form->multiplied.between);
    expression_print_factor(printing->model->pool, factor, (enum expression_language)printing->language, text);
    text_append(text, divided ? form->divided.close : form->multiplied.close);
}

static void
print_sum(const struct printing *printing, struct text *text)
{
    const memmodel_model *model = printing->model;

    for (size_t k = 0; k < model->term_count; k++) {
        struct expression_factor factor = factor_of(printing, k);
        bool factored = factor.atom >= 0 && (expression_is_sum(model->pool, model->terms[k]) ||
                                             count_with(printing, factor, 0, model->term_count) > 1);

        if ((k > 0 && is_nothing(printing, k)) || (factored && count_with(printing, factor, 0, k) > 0))
            continue;
        if (factored)
            print_factored(printing, k, factor, text);
        else
            print_term(printing, k, text);
    }
}

/* ---- SQL: symbols stand for columns ---- */

static void
print_column(const memmodel_model *model, const char *symbol, size_t length, struct text *text)
{
    size_t input = 0;

    while (strncmp(expression_symbol_name(model->pool, input), symbol, length) != 0 ||
           expression_symbol_name(model->pool, input)[length] != '\0')
        input++;
    for (const char *name = model->inputs[input].name; *name; name++)
        text_append_bytes(text, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
}

/* Symbols stand between double quotes. In their place come names of columns, whose own quotes are written twice. */
static void
print_columns(const memmodel_model *model, const char *formula, struct text *text)
{
    while (*formula) {
        size_t length = strcspn(formula, "\"");

        text_append_bytes(text, formula, length);
        formula += length;
        if (*formula == '"') {
            length = strcspn(++formula, "\"");
            text_append(text, "\"");
            print_column(model, formula, length, text);
            text_append(text, "\"");
            formula += length + 1;
        }
    }
}

static void
print_choice(const char *value, const char *comparison, double limit, struct text *text)
{
    text_printf(text, " WHEN (%s) %s ", value, comparison);
    print_number(limit, MEMMODEL_LANGUAGE_SQL, text);
    text_append(text, " THEN ");
    print_number(limit, MEMMODEL_LANGUAGE_SQL, text);
}

/* Of names of columns, within the limits of what is predicted. */
static void
print_sql(const struct printing *printing, struct text *text)
{
    const memmodel_model *model = printing->model;
    struct text symbols = TEXT_INIT(text->context), formula = TEXT_INIT(text->context);

    print_sum(printing, &symbols);
    if (!symbols.failed)
        print_columns(model, symbols.bytes, &formula);
    if (symbols.failed || formula.failed) {
        text->failed = true;
    } else if (model_has_limits(model)) {
        text_append(text, "CASE");
        print_choice(formula.bytes, "<", model->response.least, text);
        print_choice(formula.bytes, ">", model->response.most, text);
        text_printf(text, " ELSE (%s) END", formula.bytes);
    } else {
        text_append(text, formula.bytes);
    }
    text_release(&symbols);
    text_release(&formula);
}

/* ---- what a model keeps ---- */

int
model_copy_formula(const memmodel_model *model, int language, struct arena *arena, const char **copy)
{
    const struct printing printing = {.model = model, .language = language, .left_out = no_factor};
    struct text text = TEXT_INIT(model->context);

    if (language == MEMMODEL_LANGUAGE_SQL)
        print_sql(&printing, &text);
    else
        print_sum(&printing, &text);
    *copy = text.failed ? NULL : arena_copy_text(arena, text.bytes);
    text_release(&text);
    return *copy ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

int
model_keep_formulas(memmodel_model *model)
{
    int status = 0;

    for (int language = 0; !status && language < MODEL_LANGUAGES; language++)
        status = model_copy_formula(model, language, &model->arena, &model->formulas[language]);
    return status;
}

const char *
memmodel_model_formula(const memmodel_model *model, int language)
{
    return model && language >= 0 && language < MODEL_LANGUAGES ? model->formulas[language] : NULL;
}

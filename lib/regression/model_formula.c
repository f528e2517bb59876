/* The formula as text: every term in parentheses where its own operations must come before its coefficient's. */
#include "regression/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * How a language multiplies a coefficient with a term, and whether the order of the term's own operations must be kept.
 */
static const struct language {
    const char *times;
    const char *open, *close; /* of a sum that is squared */
    bool exact;
} languages[] = {
    [MEMMODEL_TEXT] = {"*", "(", ")^2", false},  [MEMMODEL_C] = {" * ", "(", ")", true},
    [MEMMODEL_PYTHON] = {" * ", "(", ")", true}, [MEMMODEL_LATEX] = {" \\, ", "\\left(", "\\right)^{2}", false},
    [EXPRESSION_SQL] = {" * ", "(", ")", true},
};

static bool
is_constant(const memmodel_model *model, size_t term)
{
    int64_t value;

    return expression_is_integer(model->pool, model->terms[term], &value) && value == 1;
}

/* A sum's signs stand between blanks. In languages whose bits count, only a name needs none. */
static bool
needs_parentheses(const char *term, bool exact)
{
    return term[0] == '-' || strstr(term, " + ") || strstr(term, " - ") || (exact && strpbrk(term, " *-+/("));
}

void
model_print_number(double number, int language, struct text *text)
{
    size_t start = text->length;
    const char *exponent;

    text_append_double(text, number);
    exponent = text->failed ? NULL : strchr(text->bytes + start, 'e');
    if (language == MEMMODEL_LATEX && exponent) {
        int power = (int)strtol(exponent + 1, NULL, 10);

        text->length = (size_t)(exponent - text->bytes);
        text_printf(text, " \\cdot 10^{%d}", power);
    } else if (language == EXPRESSION_SQL && !exponent) {
        text_append(text, "e0");
    } else if (language == MEMMODEL_C && !exponent && !text->failed && !strchr(text->bytes + start, '.')) {
        text_append(text, ".0"); /* an integer in C would not hold it, or divide otherwise */
    }
}

/* In SQL a model with limits moves its inputs into them. */
static void
print_own(const memmodel_model *model, expression term, int language, struct text *text)
{
    double least[MODEL_MOST_INPUTS], most[MODEL_MOST_INPUTS];

    if (language != EXPRESSION_SQL || !model_has_limits(model)) {
        expression_print(model->pool, term, (enum expression_language)language, text);
        return;
    }
    model_copy_domain(model, least, most);
    expression_print_limited(model->pool, term, least, most, text);
}

/* Of all terms but the first the sign stands before. */
static void
print_term(const memmodel_model *model, size_t k, int language, struct text *text)
{
    struct text term = TEXT_INIT(text->context);
    bool parentheses;

    model_print_number(k > 0 ? fabs(model->coefficients[k]) : model->coefficients[k], language, text);
    if (is_constant(model, k))
        return;
    print_own(model, model->terms[k], language, &term);
    parentheses = !term.failed && needs_parentheses(term.bytes, languages[language].exact);
    text_append(text, languages[language].times);
    text_append(text, parentheses ? "(" : "");
    text_append(text, term.failed ? "" : term.bytes);
    text_append(text, parentheses ? ")" : "");
    text->failed |= term.failed;
    text_release(&term);
}

static void
print_sum(const memmodel_model *model, int language, struct text *text)
{
    for (size_t k = 0; k < model->term_count; k++) {
        if (k > 0 && model->coefficients[k] == 0 && is_constant(model, k))
            continue;
        if (k > 0)
            text_append(text, signbit(model->coefficients[k]) ? " - " : " + ");
        print_term(model, k, language, text);
    }
}

void
model_print(const memmodel_model *model, int language, struct text *text)
{
    const struct language *form = &languages[language];

    if (!model->response.square) {
        print_sum(model, language, text);
        return;
    }
    for (int i = 0; i < 1 + form->exact; i++) { /* in languages whose bits count, a square is a product */
        text_append(text, i ? form->times : "");
        text_append(text, form->open);
        print_sum(model, language, text);
        text_append(text, form->close);
    }
    text_append(text, signbit(model->response.offset) ? " - " : " + ");
    model_print_number(fabs(model->response.offset), language, text);
}

int
memmodel_model_formula(const memmodel_model *model, int language, memmodel_context *context, char **text)
{
    struct text printed = TEXT_INIT(context);
    char *bytes;

    if (language < MEMMODEL_TEXT || language > MEMMODEL_LATEX)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%d is no enum memmodel_language",
                             language);
    model_print(model, language, &printed);
    bytes = text_finish(&printed);
    if (!bytes)
        return MEMMODEL_ERROR_NOMEM;
    *text = bytes;
    return 0;
}

/* A model as a file that needs no library: text, C, Python, LaTeX or SQL. model_json.c writes what the library reads. */
#include "base/environment.h"
#include "base/choice.h"
#include "memmodel/version.h"
#include "regression/model.h"

#include <math.h>
#include <string.h>

/* What the formula is of, and how good it is: one line in which no comment of any language ends. */
static void
print_origin(const memmodel_model *model, struct text *text)
{
    text_printf(text, "Fitted by memmodel %s to %lld samples, ", memmodel_version(), (long long)model->samples);
    if (isnan(model->errors.held_out))
        text_printf(text, "mean error on samples left out %.2f %%; ", 100 * model->loo_mape);
    else
        text_printf(text, "root mean square error on samples held out %.4g; ", model->errors.held_out);
    for (size_t i = 0; i < model->input_count; i++)
        text_printf(text, "%s%s %g to %g", i ? ", " : "", expression_symbol_name(model->pool, i),
                    model->inputs[i].least, model->inputs[i].most);
    text_append(text, ".");
}

/* predict_ and the target as an identifier */
static void
print_function_name(const memmodel_model *model, struct text *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    text_append(text, "predict_");
    for (const char *name = model->target; *name; name++)
        text_append_bytes(text, strchr(allowed, *name) ? name : "_", 1);
}

static void
print_function(const memmodel_model *model, int language, struct text *text)
{
    struct text name = TEXT_INIT(text->context), origin = TEXT_INIT(text->context);
    const char *symbols[MODEL_MOST_INPUTS];
    struct expression_function function = {.symbols = symbols, .symbol_count = model->input_count};

    print_function_name(model, &name);
    print_origin(model, &origin);
    for (size_t i = 0; i < model->input_count; i++)
        symbols[i] = expression_symbol_name(model->pool, i);
    function.name = name.bytes;
    function.comment = origin.bytes;
    if (name.failed || origin.failed)
        text->failed = true;
    else
        expression_program_print(model->value, (enum expression_language)language, &function, text);
    text_release(&name);
    text_release(&origin);
}

static void
print_text(const memmodel_model *model, int language, struct text *text)
{
    text_printf(text, "%s = ", model->target);
    model_print(model, language, text);
    text_append(text, "\n");
}

static void
print_formula(const memmodel_model *model, int language, struct text *text)
{
    model_print(model, language, text);
    text_append(text, "\n");
}

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
    model_print_number(limit, EXPRESSION_SQL, text);
    text_append(text, " THEN ");
    model_print_number(limit, EXPRESSION_SQL, text);
}

static void
print_sql(const memmodel_model *model, int language, struct text *text)
{
    struct text symbols = TEXT_INIT(text->context), formula = TEXT_INIT(text->context);

    model_print(model, language, &symbols);
    if (!symbols.failed)
        print_columns(model, symbols.bytes, &formula);
    if (symbols.failed || formula.failed) {
        text->failed = true;
    } else if (model_has_limits(model)) {
        text_append(text, "CASE");
        print_choice(formula.bytes, "<", model->response.least, text);
        print_choice(formula.bytes, ">", model->response.most, text);
        text_printf(text, " ELSE (%s) END\n", formula.bytes);
    } else {
        text_printf(text, "%s\n", formula.bytes);
    }
    text_release(&symbols);
    text_release(&formula);
}

static const struct format {
    void (*print)(const memmodel_model *model, int language, struct text *text);
    int language;
} formats[] = {
    [MEMMODEL_EXPORT_TEXT] = {print_text, EXPRESSION_TEXT},
    [MEMMODEL_EXPORT_C] = {print_function, EXPRESSION_C},
    [MEMMODEL_EXPORT_PYTHON] = {print_function, EXPRESSION_PYTHON},
    [MEMMODEL_EXPORT_LATEX] = {print_formula, EXPRESSION_LATEX},
    [MEMMODEL_EXPORT_SQL] = {print_sql, EXPRESSION_SQL},
};

static const char *const format_names[] = {"text", "c", "python", "latex", "sql", NULL};

static int
export_text(const memmodel_model *model, int format, memmodel_context *context, char **text)
{
    OWN_ENVIRONMENT;
    struct text printed;
    char *bytes;

    printed = TEXT_INIT(context);
    if (choice_check(context, NULL, "format", format, format_names))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    formats[format].print(model, formats[format].language, &printed);
    bytes = text_finish(&printed);
    if (!bytes)
        return MEMMODEL_ERROR_NOMEM;
    *text = bytes;
    return 0;
}

int
memmodel_model_export(const memmodel_model *model, int format, memmodel_context *context, char **text)
{
    int status;

    if (!model || !context || !text)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    return context_end(context, status ? status : export_text(model, format, context, text));
}

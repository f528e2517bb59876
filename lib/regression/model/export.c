/*
 * A model as a file that needs no library: text, C, Python, LaTeX or SQL. model_json.c writes what the library reads.
 */
#include "base/environment.h"
#include "base/choice.h"
#include "memmodel/version.h"
#include "regression/model/model.h"

#include <math.h>
#include <string.h>

/* What the formula is of, and how good it is: one line in which no comment of any language ends. */
static void
print_origin(const memmodel_model *model, struct text *text)
{
    text_printf(text, "Fitted by memmodel %s to %lld samples, ", memmodel_version(),
                (long long)model->scores.sample_count);
    if (isnan(model->scores.nested_cv_error))
        text_printf(text, "mean error on samples left out %.2f %%; ", 100 * model->scores.loo_mape);
    else
        text_printf(text, "root mean square error on samples held out %.4g; ", model->scores.nested_cv_error);
    for (size_t i = 0; i < model->input_count; i++)
        text_printf(text, "%s%s %g to %g", i ? ", " : "", expression_symbol_name(model->pool, i), model->least[i],
                    model->most[i]);
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
    const char *symbols[MODEL_MAX_INPUTS];
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

static int
write_code(const memmodel_model *model, int language, memmodel_context *context, char **text)
{
    OWN_ENVIRONMENT;
    static const char *const names[] = {"text", "c", "python", "latex", "sql", NULL};
    struct text printed = TEXT_INIT(context);

    if (choice_check(context, NULL, "language", language, names))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (language == MEMMODEL_LANGUAGE_C || language == MEMMODEL_LANGUAGE_PYTHON)
        print_function(model, language, &printed);
    else if (language == MEMMODEL_LANGUAGE_TEXT)
        text_printf(&printed, "%s = %s\n", model->target, model->formulas[language]);
    else
        text_printf(&printed, "%s\n", model->formulas[language]);
    return text_hand_out(&printed, text);
}

int
memmodel_model_to_code(const memmodel_model *model, int language, memmodel_context *context, char **text)
{
    int status;

    if (!model || !text)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : model->context;
    status = context_begin(context);
    return context_end(context, status ? status : write_code(model, language, context, text));
}

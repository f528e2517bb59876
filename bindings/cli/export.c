/* memmodel export: a fitted formula as C, Python, LaTeX or text. */
#include "model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct export_options {
    const char *format;
};

static const struct option options[] = {
    {"format", 'f', OPTION_TEXT, "NAME", "text (the default), c, python or latex",
     offsetof(struct export_options, format)},
    {0},
};

/* ---- each format prints a whole file around the formula ---- */

/* What the formula is of, and how good it is: one line without the marks of a comment. */
static void
print_origin(const memmodel_model *model)
{
    struct memmodel_model_scores scores = {.size = sizeof scores};

    memmodel_model_scores(model, &scores);
    printf("Fitted by memmodel %s to %lld samples, ", memmodel_version(), (long long)scores.samples);
    if (isnan(scores.held_out_error))
        printf("mean error on samples left out %.2f %%; ", 100 * scores.loo_mape);
    else
        printf("root mean square error on samples held out %.4g; ", scores.held_out_error);
    model_print_domain(stdout, model, memmodel_model_input_symbol);
}

/* The target as an identifier. */
static void
print_function_name(const memmodel_model *model)
{
    printf("predict_");
    for (const char *name = memmodel_model_target(model); *name; name++)
        putchar(isalnum((unsigned char)*name) ? *name : '_');
}

static void
print_parameters(const memmodel_model *model, const char *type)
{
    for (size_t i = 0; i < memmodel_model_input_count(model); i++)
        printf("%s%s%s", i ? ", " : "", type, memmodel_model_input_symbol(model, i));
}

/* How a language says that a number stays within limits; NaN stays NaN. */
struct style {
    const char *declaration, *end;
    void (*limit)(const char *name, double least, double most);
};

static void
limit_in_c(const char *name, double least, double most)
{
    printf("%s < %.17g ? %.17g : %s > %.17g ? %.17g : %s", name, least, least, name, most, most, name);
}

static void
limit_in_python(const char *name, double least, double most)
{
    printf("%.17g if %s < %.17g else %.17g if %s > %.17g else %s", least, name, least, most, name, most, name);
}

static const struct style c_style = {"double ", ";", limit_in_c}, python_style = {"", "", limit_in_python};

/* Of a model with limits: inputs are moved into the domain, and the value into its limits. */
static void
print_body(const memmodel_model *model, const char *formula, const struct style *style)
{
    double least, most;
    bool limits = memmodel_model_limits(model, &least, &most);

    for (size_t i = 0; limits && i < memmodel_model_input_count(model); i++) {
        const char *name = memmodel_model_input_symbol(model, i);
        double low = 0, high = 0;

        memmodel_model_domain(model, i, &low, &high);
        printf("    %s = ", name);
        style->limit(name, low, high);
        printf("%s\n", style->end);
    }
    if (!limits) {
        printf("    return %s%s\n", formula, style->end);
        return;
    }
    printf("    %sresult_ = %s%s\n    return ", style->declaration, formula, style->end);
    style->limit("result_", least, most);
    printf("%s\n", style->end);
}

static void
print_text(const memmodel_model *model, const char *formula)
{
    printf("%s = %s\n", memmodel_model_target(model), formula);
}

static void
print_c(const memmodel_model *model, const char *formula)
{
    printf("/* ");
    print_origin(model);
    printf(".\n * Without fused multiply-adds (-ffp-contract=off) it gives the same bits as libmemmodel. */\n"
           "#include <math.h>\n\ndouble\n");
    print_function_name(model);
    printf("(");
    print_parameters(model, "double ");
    printf(")\n{\n");
    print_body(model, formula, &c_style);
    printf("}\n");
}

static void
print_python(const memmodel_model *model, const char *formula)
{
    printf("import math\n\n\ndef ");
    print_function_name(model);
    printf("(");
    print_parameters(model, "");
    printf("):\n    \"\"\"");
    print_origin(model);
    printf(".\"\"\"\n");
    print_body(model, formula, &python_style);
}

static void
print_latex(const memmodel_model *model, const char *formula)
{
    (void)model;
    printf("%s\n", formula);
}

static const struct format {
    const char *name;
    int language;
    void (*print)(const memmodel_model *model, const char *formula);
} formats[] = {
    {"text", MEMMODEL_TEXT, print_text},
    {"c", MEMMODEL_C, print_c},
    {"python", MEMMODEL_PYTHON, print_python},
    {"latex", MEMMODEL_LATEX, print_latex},
};

static const struct format *
find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static int
export_model(const struct command *command, memmodel_context *context, const struct format *format, char **operands,
             int count)
{
    memmodel_model *model;
    char *formula;
    int status = model_load_operand(command, context, operands, count, &model);

    if (status)
        return status;
    status = model_formula(command, context, model, format->language, &formula);
    if (!status) {
        format->print(model, formula);
        memmodel_free(context, formula);
    }
    memmodel_model_unref(model);
    return status;
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct export_options given = {.format = "text"};
    memmodel_context *context;
    const struct format *format;
    int operands, status = options_parse(command, argc, argv, &given, &operands);

    if (status)
        return status < 0 ? EXIT_OK : status;
    format = find_format(given.format);
    if (!format)
        return usage_error(command, "--format is text, c, python or latex, not '%s'", given.format);
    if (memmodel_context_new(NULL, &context))
        return EXIT_FAILED;
    status = export_model(command, context, format, argv, operands);
    memmodel_context_unref(context);
    return status;
}

const struct command export_command = {
    .name = "export",
    .usage = "MODEL --format c|python|latex|text",
    .summary = "a fitted formula as a function in C or Python, as LaTeX or as text",
    .description = "Prints a fitted formula for use without this library. C and Python compute the same bits as "
                   "`memmodel predict`.",
    .examples = "  memmodel export model.json --format c > predict.c\n"
                "  memmodel export model.json --format latex\n",
    .options = options,
    .run = run,
};

/* memmodel export: a fitted formula as a file of another language. */
#include "limits.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>

struct export_options {
    const char *format;
};

static const struct option options[] = {
    {"format", 'f', OPTION_TEXT, "NAME", "text (the default), c, python, latex, sql or json",
     offsetof(struct export_options, format)},
    {0},
};

enum { JSON = -1 };

static const struct format {
    const char *name;
    int number; /* enum memmodel_export_format, or JSON */
} formats[] = {
    {"text", MEMMODEL_EXPORT_TEXT},   {"c", MEMMODEL_EXPORT_C},     {"python", MEMMODEL_EXPORT_PYTHON},
    {"latex", MEMMODEL_EXPORT_LATEX}, {"sql", MEMMODEL_EXPORT_SQL}, {"json", JSON},
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
    char *text;
    int status = model_load_operand(command, context, operands, count, &model);

    if (status)
        return status;
    status = format->number == JSON ? memmodel_model_to_json(model, &text)
                                    : memmodel_model_export(model, format->number, context, &text);
    if (status) {
        status = library_error(command, context);
    } else {
        fputs(text, stdout);
        memmodel_free(context, text);
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
        return usage_error(command, "--format is text, c, python, latex, sql or json, not '%s'", given.format);
    if (limits_new_context(command, &context))
        return EXIT_FAILED;
    status = export_model(command, context, format, argv, operands);
    memmodel_context_unref(context);
    return status;
}

const struct command export_command = {
    .name = "export",
    .usage = "MODEL --format c|python|latex|sql|json|text",
    .summary = "a fitted formula as a function in C or Python, as LaTeX, SQL, JSON or text",
    .description =
        "Prints a fitted formula for use without this library. C (a header) and Python compute the same bits "
        "as `memmodel predict`; SQL is an expression in the columns.",
    .examples = "  memmodel export model.json --format c > predict.h\n"
                "  memmodel export model.json --format latex\n",
    .options = options,
    .run = run,
};

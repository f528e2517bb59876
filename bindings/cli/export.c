/* memmodel export: a fitted formula as a file of another language. */
#include "model.h"

#include <string.h>

#define OTHER_FORMATS "c, python, latex, sql or json"

struct export_options {
    const char *format;
};

static const struct option options[] = {
    {"format", 0, OPTION_TEXT, "NAME", "text unless given, or " OTHER_FORMATS, offsetof(struct export_options, format)},
    {0},
};

enum { JSON = -1 };

static const struct format {
    const char *name;
    int number; /* enum memmodel_language, or JSON */
} formats[] = {
    {"text", MEMMODEL_LANGUAGE_TEXT},   {"c", MEMMODEL_LANGUAGE_C},     {"python", MEMMODEL_LANGUAGE_PYTHON},
    {"latex", MEMMODEL_LANGUAGE_LATEX}, {"sql", MEMMODEL_LANGUAGE_SQL}, {"json", JSON},
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
print_model(const struct command *command, memmodel_context *context, const struct format *format,
            const memmodel_model *model)
{
    char *text = NULL;
    int status = format->number == JSON ? memmodel_model_to_json(model, context, &text)
                                        : memmodel_model_to_code(model, format->number, context, &text);

    return command_print(command, context, status, text);
}

static int
work(const struct command *command, memmodel_context *context, void *options_given, char **operands, int count)
{
    const struct export_options *given = options_given;
    const struct format *format = find_format(given->format);
    memmodel_model *model;
    int status;

    if (!format)
        return usage_error(command, "--format is text, " OTHER_FORMATS ", not '%s'", given->format);
    status = model_load_operand(command, context, operands, count, &model);
    if (status)
        return status;
    status = print_model(command, context, format, model);
    memmodel_model_unref(model);
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
    .options_bytes = sizeof(struct export_options),
    .defaults = &(const struct export_options){.format = "text"},
    .work = work,
};

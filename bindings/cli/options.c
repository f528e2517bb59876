/* Options by a table: --name VALUE, --name=VALUE, -x VALUE, -xVALUE; `--` ends them. */
#include "command.h"
#include "limits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 64, HELP_WANTED = -1 };

/* ---- the argument of an option ---- */

static bool
store_number(const char *text, double *number)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !isfinite(value))
        return false;
    *number = value;
    return true;
}

static bool
store_integer(const char *text, int64_t *number)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return false;
    *number = value;
    return true;
}

static bool
store_text(const char *text, const char **field)
{
    *field = text;
    return true;
}

static bool
append(struct option_list *list, const char *text)
{
    const char **values = realloc(list->values, (list->count + 1) * sizeof *values);

    if (!values)
        return false;
    list->values = values;
    values[list->count++] = text;
    return true;
}

/* Where "batch=8,dim=48" goes on: at a comma before the next NAME=. NULL: nowhere. */
static char *
next_setting(char *text)
{
    char *comma = strchr(text, ',');

    for (; comma; comma = strchr(comma + 1, ',')) {
        size_t name = strcspn(comma + 1, "=,");

        if (name > 0 && comma[1 + name] == '=')
            return comma;
    }
    return NULL;
}

/* Cuts the text where it stands in argv. */
static bool
store_in_list(const struct option *option, char *text, struct option_list *list)
{
    char *comma = strcmp(option->name, "set") == 0 ? next_setting(text) : NULL;

    for (; comma; comma = next_setting(text)) {
        *comma = '\0';
        if (!append(list, text))
            return false;
        text = comma + 1;
    }
    return append(list, text);
}

static const char *
wanted(enum option_kind kind)
{
    if (kind == OPTION_COUNT)
        return "a whole number above 0";
    return kind == OPTION_INTEGER ? "a whole number" : "a number";
}

static bool
store(const struct option *option, char *text, void *options, char message[MESSAGE_BYTES])
{
    void *field = (char *)options + option->field;

    snprintf(message, MESSAGE_BYTES, "needs %s, not '%.100s'", wanted(option->kind), text);

    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return true;
    case OPTION_TEXT:
        return store_text(text, field);
    case OPTION_NUMBER:
        return store_number(text, field);
    case OPTION_INTEGER:
        return store_integer(text, field);
    case OPTION_COUNT:
        return store_integer(text, field) && *(const int64_t *)field > 0;
    case OPTION_SIZE:
        return store_integer(text, field) || parse_bytes(text, field, message);
    case OPTION_BYTES:
        return parse_bytes(text, field, message);
    case OPTION_LIST:
        return store_in_list(option, text, field);
    }
    return false;
}

/* ---- which option ---- */

static const struct option *
find_among(const struct option *options, const char *name, size_t length)
{
    for (const struct option *option = options; option->name; option++)
        if (strncmp(option->name, name, length) == 0 && option->name[length] == '\0')
            return option;
    return NULL;
}

/* One of the command's own, or of those that every command has. */
static const struct option *
find_long(const struct command *command, const char *name, size_t length)
{
    const struct option *option = find_among(command->options, name, length);

    return option ? option : find_among(limit_options, name, length);
}

static bool
is_limit(const struct option *option)
{
    return find_among(limit_options, option->name, strlen(option->name)) == option;
}

static const struct option *
find_short(const struct command *command, char letter)
{
    for (const struct option *option = command->options; option->name; option++)
        if (option->letter && option->letter == letter)
            return option;
    return NULL;
}

static int
unknown_option(const struct command *command, const char *word)
{
    const char *names[MAX_OPTIONS + 1] = {NULL}, *near = NULL;
    size_t count = 0;
    char name[64];

    for (size_t i = 0; count < MAX_OPTIONS && command->options[i].name; i++)
        names[count++] = command->options[i].name;
    for (size_t i = 0; count < MAX_OPTIONS && limit_options[i].name; i++)
        names[count++] = limit_options[i].name;
    if (word[1] == '-') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
        near = nearest_word(name, names);
    }
    if (near)
        return usage_error(command, "unknown option '%s'; did you mean '--%s'?", word, near);
    return usage_error(command, "unknown option '%s'", word);
}

/* ---- the command line ---- */

struct parser {
    const struct command *command;
    int argc, next; /* argv[next] is looked at next */
    char **argv;
    void *options;
};

/* The option that `word` names, and where its argument starts in the same word; NULL if it does not. */
static const struct option *
recognize(const struct command *command, char *word, char **attached)
{
    const struct option *option;
    size_t length;

    *attached = NULL;
    if (word[1] != '-') {
        option = find_short(command, word[1]);
        if (word[2])
            *attached = word + 2;
        return option;
    }
    length = strcspn(word + 2, "=");
    option = find_long(command, word + 2, length);
    if (word[2 + length] == '=')
        *attached = word + 2 + length + 1;
    return option;
}

static int
parse_option(struct parser *parser, char *word)
{
    const struct command *command = parser->command;
    char message[MESSAGE_BYTES], *argument;
    const struct option *option = recognize(command, word, &argument);

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help_command(stdout, command);
        return HELP_WANTED;
    }
    if (!option)
        return unknown_option(command, word);
    if (option->kind == OPTION_FLAG && argument)
        return usage_error(command, "option '--%s' takes no argument", option->name);
    if (option->kind != OPTION_FLAG && !argument) {
        if (parser->next == parser->argc)
            return usage_error(command, "option '--%s' needs an argument: %s", option->name, option->argument);
        argument = parser->argv[parser->next++];
    }
    if (!store(option, argument, is_limit(option) ? limits_given() : parser->options, message))
        return usage_error(command, "option '--%s'%s%s", option->name,
                           option->kind == OPTION_BYTES || option->kind == OPTION_SIZE ? ": " : " ", message);
    return EXIT_OK;
}

int
options_parse(const struct command *command, int argc, char **argv, void *options, int *operands)
{
    struct parser parser = {.command = command, .argc = argc, .next = 1, .argv = argv, .options = options};
    int kept = 0, status;

    while (parser.next < argc) {
        char *word = argv[parser.next++];

        if (strcmp(word, "--") == 0)
            break;
        if (word[0] == '-' && word[1]) {
            status = parse_option(&parser, word);
            if (status != EXIT_OK)
                return status;
            continue;
        }
        argv[kept++] = word;
        if (command->stops_at_operand)
            break;
    }
    while (parser.next < argc)
        argv[kept++] = argv[parser.next++];
    argv[kept] = NULL;
    *operands = kept;
    return EXIT_OK;
}

void
options_release(const struct command *command, void *options)
{
    for (const struct option *option = command->options; option->name; option++)
        if (option->kind == OPTION_LIST)
            free(((struct option_list *)(void *)((char *)options + option->field))->values);
}

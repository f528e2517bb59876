/* What the tool says about itself, generated from the tables, and what it says when something is wrong. */
#include "command.h"
#include "limits.h"

#include <stdarg.h>
#include <string.h>

enum { HELP_COLUMN = 28, HELP_END = 80, SUMMARY_COLUMN = 12, LONGEST_WORD = 63 };

/* Words from HELP_COLUMN on, where the cursor is, to the next line before HELP_END. */
static void
print_words(FILE *to, const char *text)
{
    int column = HELP_COLUMN;

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (column > HELP_COLUMN && column + 1 + length > HELP_END)
            column = fprintf(to, "\n%*s", HELP_COLUMN, "") - 1;
        else if (column > HELP_COLUMN)
            column += fprintf(to, " ");
        column += fprintf(to, "%.*s", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', to);
}

/*
 * A text that is broken at HELP_END; a new line begins with `before`. What it breaks itself goes on in the same line, but for
 * an empty line, or one that begins with a blank, which is a line of its own.
 */
static void
print_wrapped(FILE *to, const char *text, int column, const char *before)
{
    const char *blank = "";

    while (*text) {
        int length = (int)strcspn(text, " \n");
        const char *end = text + length;
        bool breaks = *end == '\n' && (end[1] == '\n' || end[1] == ' ');

        if (column + (int)strlen(blank) + length > HELP_END && length > 0) {
            column = fprintf(to, "\n%s", before) - 1;
            blank = "";
        }
        column += fprintf(to, "%s%.*s", blank, length, text);
        blank = " ";
        text = end + (*end != '\0');
        if (breaks) {
            fputc('\n', to);
            column = 0;
            blank = "";
            for (; *text == '\n'; text++)
                fputc('\n', to);
        }
    }
    fputc('\n', to);
}

/* Lines, those that are too long with a backslash where a shell goes on. */
static void
print_examples(FILE *to, const char *text)
{
    enum { ROOM = 2, BROKEN = 6 };

    while (*text) {
        int length = (int)strcspn(text, "\n"), room = HELP_END;
        const char *end = text + length;

        while (length > room) {
            int cut = room - ROOM;

            while (cut > 0 && text[cut] != ' ')
                cut--;
            if (cut <= BROKEN)
                break;
            fprintf(to, "%.*s \\\n%*s", cut, text, BROKEN, "");
            text += cut + 1;
            length -= cut + 1;
            room = HELP_END - BROKEN;
        }
        fprintf(to, "%.*s\n", length, text);
        text = end + (*end != '\0');
    }
}

static void
print_option(FILE *to, const struct option *option)
{
    char form[128];
    int width;

    snprintf(form, sizeof form, "  %c%c%s--%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
             option->letter ? ", " : "  ", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    width = fprintf(to, "%-*s", HELP_COLUMN - 1, form);
    fprintf(to, "%s%*s", width < HELP_COLUMN ? " " : "\n", width < HELP_COLUMN ? 0 : HELP_COLUMN, "");
    print_words(to, option->help);
}

static void
print_exits(FILE *to, const char *more)
{
    fprintf(to,
            "\nExit codes:\n  0    done\n  1    failed; a message on stderr says why\n"
            "  2    the command line was not understood\n%s"
            "  130  interrupted; what was printed is the best so far\n",
            more ? more : "");
}

static bool
has_option(const struct command *command, const char *name)
{
    const struct option *option = command->options;

    while (option->name && strcmp(option->name, name) != 0)
        option++;
    return option->name != NULL;
}

void
help_command(FILE *to, const struct command *command)
{
    static const struct option help = {"help", 'h', OPTION_FLAG, NULL, "show this text", 0};

    print_wrapped(to, command->usage, fprintf(to, "Usage: memmodel %s ", command->name), "    ");
    fputc('\n', to);
    print_wrapped(to, command->description, 0, "");
    fputs("\nOptions:\n", to);
    for (const struct option *option = command->options; option->name; option++)
        print_option(to, option);
    print_option(to, &help);
    fputs("\nLimits, beyond which the command fails:\n", to);
    for (const struct option *option = limit_options; option->name; option++)
        if (!has_option(command, option->name))
            print_option(to, option);
    fputs("\nExamples (in a copy of the folder share/memmodel/examples):\n", to);
    print_examples(to, command->examples);
    print_exits(to, command->exits);
}

void
help_tool(FILE *to, const struct command *const *commands)
{
    fputs("Usage: memmodel COMMAND [OPTION...] [ARGUMENT...]\n\n"
          "How much memory a deep-learning job will need, before it runs.\n\nCommands:\n",
          to);
    for (; *commands; commands++)
        print_wrapped(to, (*commands)->summary, fprintf(to, "  %-*s", SUMMARY_COLUMN, (*commands)->name),
                      "              ");
    fputs("\nOptions:\n  -h, --help     show this text; after a command, what it does, with examples\n"
          "  -V, --version  show the version\n\n"
          "memmodel completion bash (or zsh, fish) prints what that shell completes.\n",
          to);
    print_exits(to, "  3    it does not fit\n");
}

int
usage_error(const struct command *command, const char *format, ...)
{
    const char *blank = command ? " " : "", *name = command ? command->name : "";
    va_list arguments;

    fprintf(stderr, "memmodel%s%s: ", blank, name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'memmodel%s%s --help'.\n", blank, name);
    return EXIT_USAGE;
}

static void
print_place(const struct memmodel_error *error)
{
    if (!error->object[0])
        return;
    fputs(error->object, stderr);
    if (error->line > 0)
        fprintf(stderr, ":%d", error->line);
    if (error->line > 0 && error->column > 0)
        fprintf(stderr, ":%d", error->column);
    fputs(": ", stderr);
}

int
library_error(const struct command *command, const memmodel_context *context)
{
    const struct memmodel_error *error = memmodel_context_error(context);

    if (error->status == MEMMODEL_ERROR_CANCELLED)
        return EXIT_FAILED; /* by Ctrl-C, which frame.c says */
    fprintf(stderr, "memmodel %s: ", command->name);
    print_place(error);
    limits_print_message(stderr, error);
    return EXIT_FAILED;
}

static void
print_note(void *user, const char *message)
{
    const struct command *command = user;

    fprintf(stderr, "memmodel %s: note: %s\n", command->name, message);
}

void
print_notes(const struct command *command, memmodel_context *context)
{
    memmodel_context_set_log(context, print_note, (void *)(uintptr_t)command);
}

/* ---- the word that was meant ---- */

static size_t
min(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Letters to add, drop or change (Levenshtein); words longer than LONGEST_WORD are far from everything. */
static size_t
distance(const char *a, const char *b)
{
    size_t row[LONGEST_WORD + 1], length = strlen(b);

    if (strlen(a) > LONGEST_WORD || length > LONGEST_WORD)
        return LONGEST_WORD;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t above = row[j];

            row[j] = min(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[length];
}

const char *
nearest_word(const char *word, const char *const *words)
{
    size_t best = strlen(word) / 3 + 1; /* a third of the letters may be wrong, and one at least */
    const char *nearest = NULL;

    for (; *words; words++) {
        size_t far = distance(word, *words);

        if (far < best || (far == best && !nearest)) {
            best = far;
            nearest = *words;
        }
    }
    return nearest;
}

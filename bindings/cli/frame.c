/* The frame of a command: options, limits, context, work, text or file, exit code. */
#include "command.h"
#include "limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

static int
write_file(const struct command *command, const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;

    if (file && fclose(file) != 0)
        written = false;
    if (written)
        return EXIT_OK;
    fprintf(stderr, "memmodel %s: %s: %s\n", command->name, path, strerror(errno));
    return EXIT_FAILED;
}

int
command_save(const struct command *command, memmodel_context *context, int status, char *text, const char *path)
{
    int saved;

    if (status)
        return library_error(command, context);
    saved = write_file(command, path, text);
    memmodel_free(text);
    return saved;
}

int
command_print(const struct command *command, memmodel_context *context, int status, char *text)
{
    if (status)
        return library_error(command, context);
    fputs(text, stdout);
    memmodel_free(text);
    return EXIT_OK;
}

int
memory_error(const struct command *command)
{
    fprintf(stderr, "memmodel %s: out of memory\n", command->name);
    return EXIT_FAILED;
}

/* ---- the command ---- */

static void *
new_options(const struct command *command)
{
    void *options = calloc(1, command->options_bytes);

    if (options && command->defaults)
        memcpy(options, command->defaults, command->options_bytes);
    return options;
}

static int
failure(const struct command *command)
{
    return command->failure ? command->failure : EXIT_FAILED;
}

static int
work(const struct command *command, void *options, char **operands, int count)
{
    memmodel_context *context;
    int status;

    if (limits_new_context(command, &context))
        return failure(command);
    print_notes(command, context);
    status = command->work(command, context, options, operands, count);
    memmodel_context_unref(context);
    return status;
}

int
command_run(const struct command *command, int argc, char **argv)
{
    void *options = new_options(command);
    int count, status;

    if (!options) {
        memory_error(command);
        return failure(command);
    }
    status = options_parse(command, argc, argv, options, &count);
    if (status == EXIT_OK)
        status = work(command, options, argv, count);
    options_release(command, options);
    free(options);
    return status < 0 ? EXIT_OK : status;
}

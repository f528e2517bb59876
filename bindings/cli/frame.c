/* The frame of a command: options, limits, context, work, text or file, exit code. */
#include "command.h"
#include "limits.h"

#include <errno.h>
#include <signal.h>
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

/* ---- Ctrl-C: a search ends with the best that it has; a second time the tool ends at once ---- */

static memmodel_context *interrupted_context;
static volatile sig_atomic_t was_interrupted;

static void
interrupt(int signal)
{
    (void)signal;
    was_interrupted = 1;
    memmodel_context_cancel(interrupted_context);
}

static void
catch_interrupts(memmodel_context *context)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};

    interrupted_context = context;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

/* From then on Ctrl-C ends the tool, for the context may be gone; after one that was heard it does nothing, so that what is
   printed last is printed whole. */
static void
release_interrupts(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    interrupted_context = NULL;
    if (was_interrupted)
        signal(SIGINT, SIG_IGN);
}

/* What `memmodel run` starts gets the signal itself. */
static int
work(const struct command *command, void *options, char **operands, int count)
{
    memmodel_context *context;
    int status;

    if (limits_new_context(command, &context))
        return failure(command);
    print_notes(command, context);
    if (!command->stops_at_operand)
        catch_interrupts(context);
    status = command->work(command, context, options, operands, count);
    if (!command->stops_at_operand)
        release_interrupts();
    if (was_interrupted) {
        fprintf(stderr, "memmodel %s: interrupted; %s\n", command->name,
                status == EXIT_FAILED ? "there is no answer yet" : "the answer is the best so far");
        status = EXIT_INTERRUPTED;
    }
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

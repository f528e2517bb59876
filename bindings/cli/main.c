/* memmodel: the library on the command line. Each command is a file of its own; here is the list of them. */
#include "command.h"
#include "complete.h"

#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
    &estimate_command,
    &layers_command,
    &gpus_command,
    &plan_command,
    &optimize_command,
    &recompute_command,
    &generate_command,
    &serve_command,
    &run_command,
    &fit_command,
    &predict_command,
    &advise_command,
    &advise_mesh_command,
    &megatron_command,
    &campaign_command,
    &import_command,
    &scan_command,
    &export_command,
    NULL,
};

static const struct command *
find_command(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int
unknown_command(const char *name)
{
    const char *names[sizeof commands / sizeof commands[0]] = {NULL}, *near;

    for (size_t i = 0; commands[i]; i++)
        names[i] = commands[i]->name;
    near = nearest_word(name, names);
    if (near)
        return usage_error(NULL, "unknown command '%s'; did you mean '%s'?", name, near);
    return usage_error(NULL, "unknown command '%s'", name);
}

static bool
is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* An answer that could not be written, to a full disk for instance, was not given. */
static int
finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("memmodel: standard output");
    return status ? status : EXIT_FAILED;
}

static int
help(int argc, char **argv)
{
    const struct command *command = argc > 2 ? find_command(argv[2]) : NULL;

    if (argc > 2 && !command)
        return unknown_command(argv[2]);
    if (command)
        help_command(stdout, command);
    else
        help_tool(stdout, commands);
    return EXIT_OK;
}

static int
dispatch(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        help_tool(stderr, commands);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 || is_one_of(argv[1], "--help", "-h"))
        return help(argc, argv);
    if (is_one_of(argv[1], "--version", "-V")) {
        printf("memmodel %s\n", memmodel_version());
        return EXIT_OK;
    }
    if (strcmp(argv[1], "completion") == 0)
        return print_completion(commands, argc > 2 ? argv[2] : NULL);
    if (argv[1][0] == '-')
        return usage_error(NULL, "unknown option '%s'", argv[1]);
    command = find_command(argv[1]);
    return command ? command_run(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int
main(int argc, char **argv)
{
    return finish_output(dispatch(argc, argv));
}

/* memmodel completion SHELL: what a shell completes, from the tables of commands and options. */
#include "complete.h"
#include "limits.h"

#include <string.h>

/* ---- bash ---- */

static void
print_names(const struct option *options)
{
    for (const struct option *option = options; option->name; option++) {
        printf("--%s ", option->name);
        if (option->letter)
            printf("-%c ", option->letter);
    }
}

/* Cases COMMAND:OPTION of what follows an option. */
static void
print_bash_values(const struct command *command)
{
    for (const struct option *option = command->options; option->name; option++) {
        const char *values = completion_values(command, option);

        if (values && option->letter)
            printf("        %s:-%c | %s:--%s) words='%s' ;;\n", command->name, option->letter, command->name,
                   option->name, values);
        else if (values)
            printf("        %s:--%s) words='%s' ;;\n", command->name, option->name, values);
    }
}

/* A word that follows = is one of its own; files are offered where nothing else is. */
static const char bash_begin[] = "# memmodel completion bash >> ~/.bashrc\n"
                                 "_memmodel() {\n"
                                 "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                                 "    if [ \"$word\" = '=' ]; then\n"
                                 "        word=\n"
                                 "    elif [ \"$before\" = '=' ]; then\n"
                                 "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
                                 "    fi\n"
                                 "    case ${COMP_WORDS[1]}:$before in\n";
static const char bash_options[] = "    esac\n"
                                   "    case ${COMP_WORDS[1]}:$word in\n";
static const char bash_end[] = "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                               "}\n"
                               "complete -o default -F _memmodel memmodel\n";

static void
print_bash(const struct command *const *commands)
{
    fputs(bash_begin, stdout);
    for (const struct command *const *each = commands; *each; each++)
        print_bash_values(*each);
    puts("        completion:completion) words='bash zsh fish' ;;");
    fputs(bash_options, stdout);
    for (const struct command *const *each = commands; *each; each++) {
        printf("        %s:-*) words='", (*each)->name);
        print_names((*each)->options);
        print_names(limit_options);
        puts("--help' ;;");
    }
    fputs("    esac\n    if [ \"$COMP_CWORD\" -eq 1 ] || [ \"${COMP_WORDS[1]}:$COMP_CWORD\" = help:2 ]; then\n"
          "        words='",
          stdout);
    for (const struct command *const *each = commands; *each; each++)
        printf("%s ", (*each)->name);
    fputs("completion help --help --version'\n    fi\n", stdout);
    fputs(bash_end, stdout);
}

/* ---- zsh ---- */

/* A text in single quotes; `also` is set apart by a backslash where a shell means something by it. */
static void
print_quoted(const char *text, const char *also)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(also, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* --name[help]:ARGUMENT:what follows; the short form, and what may be given again, before it. */
static void
print_zsh_option(const struct command *command, const struct option *option)
{
    const char *values = completion_values(command, option), *again = option->kind == OPTION_LIST ? "*" : "";

    fputs(" \\\n                ", stdout);
    if (option->letter && *again)
        printf("'*'{-%c,--%s}'[", option->letter, option->name);
    else if (option->letter)
        printf("'(-%c --%s)'{-%c,--%s}'[", option->letter, option->name, option->letter, option->name);
    else
        printf("'%s--%s[", again, option->name);
    print_quoted(option->help, "[]:");
    putchar(']');
    if (option->argument) {
        putchar(':');
        print_quoted(option->argument, "[]:");
        printf(values ? ":(%s)" : ":_files", values);
    }
    putchar('\'');
}

static void
print_zsh_options(const struct command *command, const struct option *options)
{
    for (const struct option *option = options; option->name; option++)
        print_zsh_option(command, option);
}

static void
print_zsh(const struct command *const *commands)
{
    puts("#compdef memmodel\n# memmodel completion zsh > a folder of $fpath, as _memmodel\n_memmodel() {\n"
         "    local -a commands=(");
    for (const struct command *const *each = commands; *each; each++) {
        printf("        '%s:", (*each)->name);
        print_quoted((*each)->summary, ":");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    case ${words[2]} in");
    for (const struct command *const *each = commands; *each; each++) {
        printf("        %s)\n            _arguments '*:file:_files'", (*each)->name);
        print_zsh_options(*each, (*each)->options);
        print_zsh_options(*each, limit_options);
        puts(" ;;");
    }
    puts("    esac\n}\n_memmodel \"$@\"");
}

/* ---- fish ---- */

static void
print_fish_options(const struct command *command, const struct option *options)
{
    for (const struct option *option = options; option->name; option++) {
        const char *values = completion_values(command, option);

        printf("complete -c memmodel -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
        if (option->letter)
            printf(" -s %c", option->letter);
        if (values)
            printf(" -x -a '%s'", values);
        else if (option->argument)
            fputs(" -r", stdout);
        fputs(" -d '", stdout);
        print_quoted(option->help, "");
        puts("'");
    }
}

static void
print_fish(const struct command *const *commands)
{
    puts("# memmodel completion fish > ~/.config/fish/completions/memmodel.fish");
    for (const struct command *const *each = commands; *each; each++) {
        printf("complete -c memmodel -n __fish_use_subcommand -f -a %s -d '", (*each)->name);
        print_quoted((*each)->summary, "");
        puts("'");
        print_fish_options(*each, (*each)->options);
        print_fish_options(*each, limit_options);
    }
}

int
print_completion(const struct command *const *commands, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(const struct command *const *commands);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    for (size_t i = 0; shell && i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shells[i].shell, shell) == 0) {
            shells[i].print(commands);
            return EXIT_OK;
        }
    return usage_error(NULL, "completion for which shell? bash, zsh or fish");
}

/* memmodel completion SHELL: what a shell completes, from the tables of commands and options. */
#include "complete.h"
#include "limits.h"

#include <string.h>

static void
print_names(const struct option *options, const char *before, const char *between)
{
    for (const struct option *option = options; option->name; option++)
        printf("%s%s%s", before, option->name, between);
}

static void
print_bash(const struct command *const *commands)
{
    puts("# memmodel completion bash >> ~/.bashrc\n_memmodel() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} words=\n    case ${COMP_WORDS[1]} in");
    for (const struct command *const *each = commands; *each; each++) {
        printf("        %s) words='", (*each)->name);
        print_names((*each)->options, "--", " ");
        print_names(limit_options, "--", " ");
        puts("--help' ;;");
    }
    fputs("    esac\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='", stdout);
    for (const struct command *const *each = commands; *each; each++)
        printf("%s ", (*each)->name);
    puts("help --help --version'\n    fi\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\ncomplete -o default -F _memmodel memmodel");
}

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

static void
print_zsh_options(const struct option *options)
{
    for (const struct option *option = options; option->name; option++) {
        printf(" \\\n                '--%s[", option->name);
        print_quoted(option->help, "[]:");
        printf("]%s%s%s'", option->argument ? ":" : "", option->argument ? option->argument : "",
               option->argument ? ":_files" : "");
    }
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
        print_zsh_options((*each)->options);
        print_zsh_options(limit_options);
        puts(" ;;");
    }
    puts("    esac\n}\n_memmodel \"$@\"");
}

static void
print_fish_options(const struct option *options, const char *command)
{
    for (const struct option *option = options; option->name; option++) {
        printf("complete -c memmodel -n '__fish_seen_subcommand_from %s' -l %s", command, option->name);
        if (option->letter)
            printf(" -s %c", option->letter);
        printf("%s -d '", option->argument ? " -r" : "");
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
        print_fish_options((*each)->options, (*each)->name);
        print_fish_options(limit_options, (*each)->name);
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

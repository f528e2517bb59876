/* The tool's frame: a command is a row of text, a table of options and a function. It uses the public library only. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "memmodel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the tool returns; a command may have more of its own, listed in its `exits`. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,        /* the input was understood, but the answer could not be had */
    EXIT_USAGE = 2,         /* the command line was not understood */
    EXIT_INTERRUPTED = 130, /* Ctrl-C: what was printed is the best so far */
    EXIT_EXCEEDS = 3,       /* what was asked about does not fit in its budget; the answer says by how much */
};

/* What an option's argument is, and the type of the field that takes it. */
enum option_kind {
    OPTION_FLAG,    /* bool; no argument */
    OPTION_TEXT,    /* const char * */
    OPTION_NUMBER,  /* double */
    OPTION_INTEGER, /* int64_t */
    OPTION_COUNT,   /* int64_t, of 1 or more: 0 stands for what is not given */
    OPTION_BYTES,   /* int64_t: 16GiB, 14GB, 512M or a plain number of 1024 or more */
    OPTION_SIZE,    /* the same, or any whole number: what may be small, such as an alignment */
    OPTION_LIST,    /* struct option_list: may be given again */
};

/* Texts in the order given; they belong to argv. `values` has room for all of them: see options_parse(). */
struct option_list {
    const char **values;
    size_t count;
};

struct option {
    const char *name; /* without the dashes */
    char letter;      /* 0 if there is no short form */
    enum option_kind kind;
    const char *argument; /* name of the argument for --help; NULL for a flag */
    const char *help;
    size_t field; /* offset in the command's struct of options */
};

struct command;
struct job_call;

/* What a command does once its options are read: its exit code. `options` is its struct. */
typedef int (*command_work)(const struct command *command, memmodel_context *context, void *options, char **operands,
                            int count);

struct command {
    const char *name;
    const char *usage;            /* what follows "memmodel NAME" */
    const char *summary;          /* one line for the list of commands */
    const char *description;      /* paragraphs for its own --help */
    const char *examples;         /* lines */
    const char *exits;            /* lines about exit codes besides 0, 1 and 2; NULL for none */
    const struct option *options; /* ended by a row without a name */
    size_t options_bytes;         /* of the struct that they fill */
    const void *defaults;         /* of the options; NULL: all zero */
    bool stops_at_operand;        /* all from the first operand on is left alone: it is another command's */
    int failure;                  /* exit code without memory or a context; 0: EXIT_FAILED */
    command_work work;
    int (*answer)(struct job_call *call); /* of those whose work is job_work() */
    size_t job_options;                   /* where their options of a job are */
};

/* ---- one row a command; main.c lists them ---- */

extern const struct command advise_command, advise_mesh_command, campaign_command, estimate_command, export_command,
    fit_command, generate_command, gpus_command, import_command, layers_command, megatron_command, optimize_command,
    plan_command, predict_command, recompute_command, run_command, scan_command, serve_command;

/* ---- options.c ---- */

/*
 * Fills the struct `options` from argv[1..], and moves the operands to the front of argv: argv[0..operands-1], NULL
 * after the last. Fields that are not given keep what they had. Lists take memory: options_release(). Returns EXIT_OK;
 * EXIT_USAGE after a message and a hint on stderr; or -1 when --help was given and printed.
 */
int
options_parse(const struct command *command, int argc, char **argv, void *options, int *operands);

void
options_release(const struct command *command, void *options);

/* ---- frame.c ---- */

/* Reads the options, and does the work in a context with the limits, whose notes are printed; the exit code. */
int
command_run(const struct command *command, int argc, char **argv);

/* Prints a text that the library made, and gives it back; its error where `status` is one. EXIT_OK or EXIT_FAILED. */
int
command_print(const struct command *command, memmodel_context *context, int status, char *text);

/* The same to a file. */
int
command_save(const struct command *command, memmodel_context *context, int status, char *text, const char *path);

/* "memmodel NAME: out of memory" on stderr; returns EXIT_FAILED. */
int
memory_error(const struct command *command);

/* ---- help.c ---- */

void
help_tool(FILE *to, const struct command *const *commands);

void
help_command(FILE *to, const struct command *command);

/* "memmodel NAME: MESSAGE" and where to read more, on stderr; returns EXIT_USAGE. */
int
usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The library's own message of its last error on stderr; returns EXIT_FAILED. */
int
library_error(const struct command *command, const memmodel_context *context);

/* What the library would like to be read, such as rows left out, goes to stderr as notes. */
void
print_notes(const struct command *command, memmodel_context *context);

/* The word of the NULL-terminated list that somebody who typed `word` may have meant; NULL if none is near. */
const char *
nearest_word(const char *word, const char *const *words);

/* ---- read_table.c ---- */

/* The option of commands that read a table; what it gives, NULL unless given. */
#define COLUMNS_OPTION(field)                                                                                          \
    {                                                                                                                  \
        "columns", 0, OPTION_TEXT, "A,B,...", "names of all columns, of a table whose first line is a row", field      \
    }

/* Reads a table, "-" from standard input. EXIT_OK, EXIT_USAGE or EXIT_FAILED after a message. */
int
read_table(const struct command *command, memmodel_context *context, const char *path, const char *columns,
           memmodel_samples **samples);

/* A list of names between commas. */
struct name_list {
    char *text;
    const char **names;
    size_t count;
};

/* Splits at commas. `text` may be NULL. False without memory; release_names() in either case. */
bool
split_names(const char *text, struct name_list *list);

void
release_names(struct name_list *list);

/* ---- quantity.c ---- */

enum { MESSAGE_BYTES = 256 };

/* A size by memmodel_context_parse_bytes(); false with the reason in `message`. */
bool
parse_bytes(const char *text, int64_t *bytes, char message[MESSAGE_BYTES]);

/* "1.50 GiB"; to `text`, which it returns. */
enum { QUANTITY_BYTES = 32 };

const char *
format_bytes(int64_t bytes, char text[QUANTITY_BYTES]);

/*
 * "takes 1 GiB of 2 GiB, fits with 1 GiB left", of an enum memmodel_verdict; `headroom` is how much is left or over.
 * Of an unknown verdict only the budget and the `reason`; NULL: none is known.
 */
void
print_verdict(int32_t verdict, const char *takes, const char *budget, const char *headroom, const char *reason);

#endif

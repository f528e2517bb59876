/* Commands that the Python package memmodel does: their options are read here, as all are, and handed on to it. */
#include "package.h"
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* This tool's own path; false where nothing says it. */
static bool
find_tool(char path[PATH_BYTES])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);

    if (length <= 0)
        return false;
    path[length] = '\0';
    return true;
}

/* The tool of a wheel lies beside the Python that has its package, whether or not that one is first in PATH. */
const char *
package_python(void)
{
    static const char name[] = "python3";
    static char path[PATH_BYTES];
    const char *python = getenv("MEMMODEL_PYTHON");
    char *slash;

    if (python && *python)
        return python;
    slash = find_tool(path) ? strrchr(path, '/') : NULL;
    if (!slash || slash + sizeof name >= path + sizeof path)
        return name;
    memcpy(slash + 1, name, sizeof name);
    return access(path, X_OK) == 0 ? path : name;
}

/* ---- the words ---- */

enum { MAX_WORDS = 256, NUMBER_BYTES = 24 };

/* A command line, each word a text of its own. */
struct words {
    char *words[MAX_WORDS + 1];
    size_t count;
    bool failed; /* no memory, or too many */
};

/* `before` and `text` as one word. */
static void
add(struct words *words, const char *before, const char *text)
{
    size_t bytes = strlen(before) + strlen(text) + 1;
    char *word = words->count < MAX_WORDS ? malloc(bytes) : NULL;

    if (!word) {
        words->failed = true;
        return;
    }
    snprintf(word, bytes, "%s%s", before, text);
    words->words[words->count++] = word;
    words->words[words->count] = NULL;
}

/* "--name=", "value" */
static void
add_option(struct words *words, const struct option *option, const void *options)
{
    const void *field = (const char *)options + option->field;
    const struct option_list *list = option->kind == OPTION_LIST ? field : NULL;
    char name[64], number[NUMBER_BYTES];

    snprintf(name, sizeof name, "--%s%s", option->name, option->kind == OPTION_FLAG ? "" : "=");
    if (option->kind == OPTION_FLAG && *(const bool *)field)
        add(words, name, "");
    if (option->kind == OPTION_TEXT && *(const char *const *)field)
        add(words, name, *(const char *const *)field);
    if ((option->kind == OPTION_INTEGER || option->kind == OPTION_COUNT) && *(const int64_t *)field) {
        snprintf(number, sizeof number, "%lld", (long long)*(const int64_t *)field);
        add(words, name, number);
    }
    for (size_t i = 0; list && i < list->count; i++)
        add(words, name, list->values[i]);
}

static void
release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
}

/* ---- the call ---- */

/* What it starts in its turn is this tool, by its path. */
static void
name_tool(void)
{
    char path[PATH_BYTES];

    if (find_tool(path))
        setenv("MEMMODEL_TOOL", path, 0);
}

/*
 * Becomes the Python program; comes back only where that cannot be. Ctrl-C waits until the program has begun, which lets it
 * come: while Python starts and imports it would print where it was.
 */
static int
become(const struct command *command, const struct words *words)
{
    sigset_t interrupt;

    name_tool();
    fflush(stdout);
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, NULL);
    execvp(words->words[0], words->words);
    fprintf(stderr, "memmodel %s: %s cannot be started, which this needs (%s); MEMMODEL_PYTHON names another Python\n",
            command->name, words->words[0], strerror(errno));
    return EXIT_FAILED;
}

static int
work(const struct command *command, memmodel_context *context, void *options, char **operands, int count)
{
    struct words words = {.count = 0};
    int status, most = strcmp(command->name, "import") == 0 ? 2 : 1; /* "sacct", and its file */

    (void)context;
    if (count == 0)
        return usage_error(command, "which file? memmodel %s %s", command->name, command->usage);
    if (count > most)
        return usage_error(command, "one file at a time; '%s' is too many", operands[most]);
    add(&words, package_python(), "");
    add(&words, "-c", "");
    add(&words, PACKAGE_PROGRAM("_commands"), "");
    add(&words, command->name, "");
    for (const struct option *option = command->options; option->name; option++)
        add_option(&words, option, options);
    add(&words, "--", "");
    for (int i = 0; i < count; i++)
        add(&words, operands[i], "");
    status = words.failed ? memory_error(command) : become(command, &words);
    release(&words);
    return status;
}

/* ---- campaign ---- */

struct campaign_options {
    const char *output, *executor;
    int64_t workers;
    bool dry_run;
};

static const struct option campaign_options[] = {
    {"output", 'o', OPTION_TEXT, "SAMPLES.csv", "the table, in place of the SPEC's",
     offsetof(struct campaign_options, output)},
    {"executor", 0, OPTION_TEXT, "NAME", "processes, dask, ray, mpi or slurm, in place of the SPEC's",
     offsetof(struct campaign_options, executor)},
    {"workers", 0, OPTION_COUNT, "N", "runs at a time, in place of the SPEC's; as many as processors unless given",
     offsetof(struct campaign_options, workers)},
    {"dry-run", 0, OPTION_FLAG, NULL, "print the commands, and run none", offsetof(struct campaign_options, dry_run)},
    {0},
};

const struct command campaign_command = {
    .name = "campaign",
    .usage = "SPEC.toml",
    .summary = "measure a command at many points, here or on a cluster, into a table",
    .description = "Runs a command under `memmodel run` for each point of a grid, of a table, or of what\n"
                   "`memmodel advise` asks for, and adds a row for each to a table of samples. Points that\n"
                   "have a row are not measured again: a campaign that was stopped, in whatever way, goes\n"
                   "on when it is started again. A run that is killed for its memory is a lower limit.\n"
                   "Runs in Python: MEMMODEL_PYTHON names the one that has the package.",
    .examples = "  memmodel campaign train.toml\n"
                "  memmodel campaign train.toml --executor slurm\n"
                "  memmodel campaign train.toml --dry-run\n",
    .exits = "  130  Ctrl-C: the table has what was measured, and the same command goes on\n",
    .options = campaign_options,
    .options_bytes = sizeof(struct campaign_options),
    .work = work,
};

/* ---- scan ---- */

struct scan_options {
    const char *output, *executor;
    int64_t workers;
};

static const struct option scan_options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "the table, .csv or .parquet, in place of the SPEC's",
     offsetof(struct scan_options, output)},
    {"executor", 0, OPTION_TEXT, "NAME", "processes, dask, ray, mpi or slurm, in place of the SPEC's",
     offsetof(struct scan_options, executor)},
    {"workers", 0, OPTION_COUNT, "N", "in place of the SPEC's; as many as processors unless given",
     offsetof(struct scan_options, workers)},
    {0},
};

const struct command scan_command = {
    .name = "scan",
    .usage = "SPEC.toml",
    .summary = "what many jobs need: models by GPUs by options by sizes, into a table",
    .description = "Estimates each model with all combinations of a grid, sizes in batches, on all processors\n"
                   "or on a cluster, and writes a table, CSV or parquet.\n"
                   "Runs in Python: MEMMODEL_PYTHON names the one that has the package.",
    .examples = "  memmodel scan scan.toml\n"
                "  memmodel scan scan.toml -o scan.parquet --executor dask\n",
    .exits = "  130  Ctrl-C: the table has what was done\n",
    .options = scan_options,
    .options_bytes = sizeof(struct scan_options),
    .work = work,
};

/* ---- import ---- */

struct import_options {
    const char *output, *model, *name, *inputs, *since, *cgroup_peaks, *refit;
};

static const struct option import_options[] = {
    {"output", 'o', OPTION_TEXT, "PATH",
     "a table, or a folder with one for each model that jobs name (default samples.csv)",
     offsetof(struct import_options, output)},
    {"model", 0, OPTION_TEXT, "NAME", "only jobs of that model", offsetof(struct import_options, model)},
    {"name", 0, OPTION_TEXT, "PATTERN", "inputs are in the jobs' names: 'unet3d-{dim}-{batch}', {model} a text",
     offsetof(struct import_options, name)},
    {"since", 0, OPTION_TEXT, "TIME", "when sacct is asked: jobs since then, as it takes it (default now-7days)",
     offsetof(struct import_options, since)},
    {"cgroup-peaks", 0, OPTION_TEXT, "FILE", "lines JOB,BYTES,KILLS,LIMIT of the jobs' control groups",
     offsetof(struct import_options, cgroup_peaks)},
    {"refit", 0, OPTION_TEXT, "PATH", "fit NAME.json in that folder, or that file, anew; an alarm if it did not hold",
     offsetof(struct import_options, refit)},
    {"inputs", 0, OPTION_TEXT, "A,B,...", "of the model; all that jobs name unless given",
     offsetof(struct import_options, inputs)},
    {0},
};

const struct command import_command = {
    .name = "import",
    .usage = "sacct [FILE]",
    .summary = "finished jobs of Slurm as samples, and models fitted to them",
    .description = "Adds a row to a table for each finished job that says which model and inputs it has, in a\n"
                   "comment 'memmodel: model=unet3d dim=64 batch=4' or in its name. FILE is what sacct printed with\n"
                   "--parsable2 or --json, - standard input; without one sacct is asked. Jobs that are in the table\n"
                   "are left alone. One that ran out of memory is a lower limit.\n"
                   "Runs in Python: MEMMODEL_PYTHON names the one that has the package.",
    .examples = "  memmodel import sacct -o samples/ --refit models/\n"
                "  sacct -a --json -S now-1day | memmodel import sacct - -o unet3d.csv --model unet3d\n"
                "  memmodel import sacct jobs.txt -o unet3d.csv --name 'unet3d-{dim}-{batch}'\n",
    .exits = "  4    a model that was fitted anew had not held\n",
    .options = import_options,
    .options_bytes = sizeof(struct import_options),
    .work = work,
};

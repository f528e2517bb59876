/* Networks by a name, hf:ORG/MODEL, train.py:Net or model.keras: the Python package memmodel makes a file of each. */
#include "front.h"
#include "package.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_BESIDE_INPUTS = 24 };

static const char program[] = PACKAGE_PROGRAM("front");

bool
front_is_asked(const char *operand)
{
    const char *colon = strrchr(operand, ':');

    return strncmp(operand, "hf:", strlen("hf:")) == 0 || path_ends_with(operand, ".keras") ||
           (colon && colon - operand > 3 && strncmp(colon - 3, ".py", 3) == 0);
}

/* ---- the call ---- */

/* For as many inputs as there are. */
static const char **
new_words(const struct job_options *given)
{
    return calloc(2 * given->input.count + WORDS_BESIDE_INPUTS, sizeof(const char *));
}

static void
fill_words(const char **words, const char *python, const char *output, const char *operand,
           const struct job_options *given, const char *rank)
{
    int count = 0;

    words[count++] = python;
    words[count++] = "-c";
    words[count++] = program;
    words[count++] = output;
    words[count++] = operand;
    for (size_t i = 0; i < given->input.count; i++) {
        words[count++] = "--input";
        words[count++] = given->input.values[i];
    }
    if (given->loss) {
        words[count++] = "--loss";
        words[count++] = given->loss;
    }
    if (given->lora) {
        words[count++] = "--lora";
        words[count++] = rank;
    }
    if (given->lora_targets) {
        words[count++] = "--lora-targets";
        words[count++] = given->lora_targets;
    }
    if (given->quantization) {
        words[count++] = "--quantization";
        words[count++] = given->quantization;
    }
    if (given->compute_dtype) {
        words[count++] = "--compute-dtype";
        words[count++] = given->compute_dtype;
    }
    if (given->double_quantization)
        words[count++] = "--double-quantization";
    if (given->prepare_kbit)
        words[count++] = "--prepare-kbit";
    if (given->no_gradient_checkpointing)
        words[count++] = "--no-gradient-checkpointing";
    words[count] = NULL;
}

/* Starts it with its standard output into a pipe, whose end is *from. */
static bool
start(const char *const *words, int *from, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    bool started;

    if (pipe(ends))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    started = posix_spawnp(child, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!started)
        close(ends[0]);
    *from = ends[0];
    return started;
}

/* The whole output, cut where there is no room. */
static void
read_all(int from, char *text, size_t size)
{
    size_t length = 0;
    ssize_t got;

    while (length + 1 < size && (got = read(from, text + length, size - 1 - length)) != 0)
        if (got > 0)
            length += (size_t)got;
        else if (errno != EINTR)
            break;
    text[length] = '\0';
    close(from);
}

static int
run(const struct command *command, const char *const *words, struct front *front)
{
    int from, status = 0;
    pid_t child;

    if (!start(words, &from, &child)) {
        fprintf(stderr, "memmodel %s: %s cannot be started, which this needs; MEMMODEL_PYTHON names another Python\n",
                command->name, words[0]);
        return EXIT_FAILED;
    }
    read_all(from, front->symbols, sizeof front->symbols);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_OK : EXIT_FAILED;
}

int
front_make(const struct command *command, const char *operand, const struct job_options *given, struct front *front)
{
    const char *folder = getenv("TMPDIR");
    const char **words = new_words(given);
    char rank[32];
    int file, status;

    if (!words)
        return memory_error(command);
    snprintf(front->path, sizeof front->path, "%s/memmodel-XXXXXX", folder && *folder ? folder : "/tmp");
    file = mkstemp(front->path);
    if (file < 0) {
        fprintf(stderr, "memmodel %s: %s: %s\n", command->name, front->path, strerror(errno));
        free(words);
        return EXIT_FAILED;
    }
    close(file);
    snprintf(rank, sizeof rank, "%lld", (long long)given->lora);
    fill_words(words, package_python(), front->path, operand, given, rank);
    status = run(command, words, front);
    free(words);
    if (status)
        unlink(front->path);
    return status;
}

/* ---- sizes of the inputs ---- */

static bool
has_symbol(const struct memmodel_job *job, const char *name)
{
    for (size_t i = 0; i < job->symbol_count; i++)
        if (strcmp(job->symbols[i].name, name) == 0)
            return true;
    return false;
}

void
front_set_symbols(struct front *front, struct memmodel_symbol_value *symbols, struct memmodel_job *job)
{
    size_t count = 0;

    for (char *line = strtok(front->symbols, "\n"); line && count < FRONT_SYMBOLS; line = strtok(NULL, "\n")) {
        char *equals = strchr(line, '=');

        if (!equals)
            continue;
        *equals = '\0';
        if (has_symbol(job, line))
            continue;
        symbols[job->symbol_count].name = line;
        symbols[job->symbol_count++].value = strtoll(equals + 1, NULL, 10);
        count++;
    }
}

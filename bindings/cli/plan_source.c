/* What `memmodel plan` plans. */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what a file is ---- */

enum kind { BUFFERS, NETWORK, TRACE };

enum { HEAD_BYTES = 4096 };

static bool
ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);

    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* JSON is a network if it begins with saying so, else a recorded trace; what is no JSON is a table of buffers. */
static enum kind
kind_of_text(const char *head)
{
    if (head[strspn(head, " \t\r\n")] != '{')
        return BUFFERS;
    return strstr(head, "memmodel-network") ? NETWORK : TRACE;
}

/* What can be read only once, such as a pipe, or makes the reader wait, is not looked into. */
static bool
is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static int
find_kind(const struct command *command, const char *path, enum kind *kind)
{
    char head[HEAD_BYTES + 1];
    FILE *file;

    if (ends_with(path, ".onnx") || ends_with(path, ".csv")) {
        *kind = ends_with(path, ".csv") ? BUFFERS : NETWORK;
        return EXIT_OK;
    }
    *kind = BUFFERS;
    if (!is_file(path))
        return EXIT_OK; /* the library says what is wrong with it, if anything is */
    file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "memmodel %s: %s: %s\n", command->name, path, strerror(errno));
        return EXIT_FAILED;
    }
    head[fread(head, 1, HEAD_BYTES, file)] = '\0';
    fclose(file);
    *kind = kind_of_text(head);
    return EXIT_OK;
}

/* ---- options that only some of them have ---- */

/* An option of the job that was given; NULL: none besides --set. */
static const char *
asked_of_job(const struct job_options *job)
{
    const struct {
        const char *name;
        bool given;
    } asked[] = {
        {"framework", job->framework},
        {"rule", job->rule},
        {"device", job->device},
        {"optimizer", job->optimizer},
        {"isa", job->isa},
        {"precision", job->precision},
        {"checkpoint", job->checkpoint},
        {"gpu", job->gpu},
        {"allocator", job->allocator},
        {"optimization", job->optimization},
        {"measure", job->measure},
        {"threads", job->threads != 0},
        {"steps", job->steps != 0},
        {"base-bytes", job->base_bytes != 0},
        {"accumulate", job->accumulate != 0},
        {"inference", job->inference},
        {"keep-gradients", job->keep_gradients},
    };

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (asked[i].given)
            return asked[i].name;
    return NULL;
}

/* The same of an inference. */
static const char *
asked_of_inference(const struct plan_options *given)
{
    if (given->without.count)
        return "without";
    if (given->alignment)
        return "alignment";
    if (given->tile)
        return "tile";
    return given->parameters ? "parameters" : NULL;
}

static int
check_options(const struct command *command, const struct plan_options *given, enum kind kind)
{
    const char *job = asked_of_job(&given->job), *inference = asked_of_inference(given);

    if (kind != NETWORK && given->training)
        return usage_error(command, "--training is for networks; this file is none");
    if (kind != NETWORK && (given->job.set.count || job || inference))
        return usage_error(command, "--%s is for networks; this file is none",
                           given->job.set.count ? "set"
                           : job                ? job
                                                : inference);
    if (job && !given->training)
        return usage_error(command, "--%s needs --training: a step that is simulated", job);
    if (given->tile && (given->capacity || given->nodes || given->seconds > 0))
        return usage_error(command, "--capacity, --nodes and --seconds are not for --tile");
    if (inference && given->training)
        return usage_error(command, "--%s is not for --training", inference);
    return EXIT_OK;
}

static const struct {
    const char *name;
    uint64_t rule;
} rules[] = {
    {"fusion", MEMMODEL_SCHEDULE_FUSION},
    {"sums", MEMMODEL_SCHEDULE_SUMS},
    {"views", MEMMODEL_SCHEDULE_VIEWS},
    {"in-place", MEMMODEL_SCHEDULE_IN_PLACE},
    {"concatenation", MEMMODEL_SCHEDULE_CONCATENATION},
    {"order", MEMMODEL_SCHEDULE_ORDER},
};

static int
find_rule(const struct command *command, const char *name, uint64_t *without)
{
    const char *names[sizeof rules / sizeof rules[0] + 1] = {NULL}, *near;

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].name, name) == 0) {
            *without |= rules[i].rule;
            return EXIT_OK;
        }
        names[i] = rules[i].name;
    }
    near = nearest_word(name, names);
    if (near)
        return usage_error(command, "there is no '%s' to do without; did you mean '%s'?", name, near);
    return usage_error(command, "there is no '%s' to do without", name);
}

static int
inference_from_options(const struct command *command, const struct plan_options *given,
                       struct memmodel_symbol_value *symbols, struct memmodel_inference *how)
{
    struct memmodel_job job;
    int status = job_from_options(command, &given->job, symbols, &job);

    *how = (struct memmodel_inference){.size = sizeof *how,
                                       .symbols = symbols,
                                       .symbol_count = given->job.set.count,
                                       .alignment = given->alignment,
                                       .parameters = given->parameters};
    for (size_t i = 0; i < given->without.count && !status; i++)
        status = find_rule(command, given->without.values[i], &how->without);
    return status;
}

/* ---- sources ---- */

static int
plan_inference(const struct command *command, const struct plan_options *given, memmodel_context *context,
               struct memmodel_symbol_value *symbols, struct plan_source *source)
{
    struct memmodel_inference how;
    int status = inference_from_options(command, given, symbols, &how);

    if (status)
        return status;
    if (given->tile) {
        if (memmodel_tiling_new(source->network, &how, given->budget, &source->tiling))
            return library_error(command, context);
        source->plan = memmodel_tiling_plan(source->tiling);
        return EXIT_OK;
    }
    if (memmodel_schedule_new(source->network, &how, &source->schedule))
        return library_error(command, context);
    source->plan = memmodel_schedule_plan(source->schedule);
    return EXIT_OK;
}

static int
plan_step(const struct command *command, const struct plan_options *given, memmodel_context *context,
          struct memmodel_symbol_value *symbols, struct plan_source *source)
{
    struct memmodel_peak peak = {.size = sizeof peak};
    struct memmodel_job job;
    memmodel_report *report;
    int status = job_from_options(command, &given->job, symbols, &job);

    if (status)
        return status;
    if (memmodel_estimate(source->network, &job, &report))
        return library_error(command, context);
    memmodel_report_peak(report, &peak);
    source->reserved = peak.reserved;
    if (!memmodel_report_trace(report))
        status = usage_error(command, "the textbook has no trace that could be planned");
    else if (memmodel_plan_from_trace(memmodel_report_trace(report), &source->plan))
        status = library_error(command, context);
    memmodel_report_unref(report);
    return status;
}

static int
open_network(const struct command *command, const struct plan_options *given, memmodel_context *context,
             char **operands, struct plan_source *source)
{
    struct memmodel_symbol_value *symbols = calloc(given->job.set.count + 1, sizeof *symbols);
    int status = symbols ? job_load_network(command, context, operands, 1, &source->network) : EXIT_FAILED;

    if (!status)
        status = (given->training ? plan_step : plan_inference)(command, given, context, symbols, source);
    free(symbols);
    return status;
}

static int
open_trace(const struct command *command, memmodel_context *context, const char *path, struct plan_source *source)
{
    memmodel_trace *trace;
    int status;

    if (memmodel_trace_read(context, path, &trace))
        return library_error(command, context);
    status = memmodel_plan_from_trace(trace, &source->plan);
    memmodel_trace_unref(trace);
    return status ? library_error(command, context) : EXIT_OK;
}

int
plan_check_network(const struct command *command, const struct plan_options *given, char **operands, int count)
{
    enum kind kind = BUFFERS;
    int status;

    if (count != 1)
        return usage_error(command, "one network at a time");
    status = find_kind(command, operands[0], &kind);
    if (!status && kind != NETWORK)
        return usage_error(command, "--budget is for networks; this file is none");
    if (!status)
        status = check_options(command, given, kind);
    if (status)
        return status;
    if (given->capacity || given->nodes || given->seconds > 0 || given->output || given->picture || given->table ||
        asked_of_inference(given))
        return usage_error(command, "--budget chooses the plan itself; give it no more than the job and --json");
    return EXIT_OK;
}

int
plan_source_open(const struct command *command, const struct plan_options *given, memmodel_context *context,
                 char **operands, int count, struct plan_source *source)
{
    enum kind kind = BUFFERS;
    int status;

    *source = (struct plan_source){.reserved = -1};
    if (count != 1)
        return usage_error(command, "one table of buffers, network or trace at a time");
    status = find_kind(command, operands[0], &kind);
    if (!status)
        status = check_options(command, given, kind);
    if (status)
        return status;
    if (kind == NETWORK)
        return open_network(command, given, context, operands, source);
    if (kind == TRACE)
        return open_trace(command, context, operands[0], source);
    return memmodel_plan_read(context, operands[0], &source->plan) ? library_error(command, context) : EXIT_OK;
}

void
plan_source_close(struct plan_source *source)
{
    memmodel_schedule_unref(source->schedule);
    memmodel_tiling_unref(source->tiling);
    memmodel_plan_unref(source->plan);
    memmodel_network_unref(source->network);
}

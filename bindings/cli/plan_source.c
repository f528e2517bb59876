/* What `memmodel plan` plans. */
#include "plan.h"
#include "progress.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what a file is ---- */

enum { HEAD_BYTES = 4096 };

/* JSON is a network if it begins with saying so, else a recorded trace; what is no JSON is a table of buffers. */
static enum plan_kind
kind_of_text(const char *head)
{
    if (head[strspn(head, " \t\r\n")] != '{')
        return PLAN_BUFFERS;
    return strstr(head, "memmodel-network") ? PLAN_NETWORK : PLAN_TRACE;
}

/* What can be read only once, such as a pipe, or makes the reader wait, is not looked into. */
static bool
is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static int
find_kind(const struct command *command, const char *path, enum plan_kind *kind)
{
    char head[HEAD_BYTES + 1];
    FILE *file;

    if (path_ends_with(path, ".onnx") || path_ends_with(path, ".csv")) {
        *kind = path_ends_with(path, ".csv") ? PLAN_BUFFERS : PLAN_NETWORK;
        return EXIT_OK;
    }
    *kind = PLAN_BUFFERS;
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

/* An inference is planned, unless another mode is asked for: then a step is simulated. */
static bool
is_simulated(const struct plan_options *given)
{
    return given->job.mode && strcmp(given->job.mode, memmodel_mode_name(MEMMODEL_MODE_INFERENCE)) != 0;
}

/* An option of a job that is simulated; NULL: none was given. */
static const char *
given_of_step(const struct plan_options *given)
{
    struct job_options job = given->job;

    job.mode = NULL;
    return job_given(&job);
}

/* The same of a forward pass that is planned. */
static const char *
given_of_inference(const struct plan_options *given)
{
    if (given->disabled.count)
        return "disable";
    if (given->alignment)
        return "alignment";
    if (given->tile)
        return "tile";
    return given->include_parameters ? "include-parameters" : NULL;
}

static const char *
given_of_network(const struct plan_options *given)
{
    const char *name = job_given(&given->job);

    if (given->job.set.count)
        return "set";
    return name ? name : given_of_inference(given);
}

static int
check_tile(const struct command *command, const struct plan_options *given)
{
    if (given->max_nodes)
        return usage_error(command, "--max-nodes is not for --tile");
    return EXIT_OK;
}

static int
check_options(const struct command *command, const struct plan_options *given, enum plan_kind kind)
{
    const char *network = given_of_network(given), *step = given_of_step(given), *inference = given_of_inference(given);

    if (kind != PLAN_NETWORK && network)
        return usage_error(command, "--%s is for networks; this file is none", network);
    if (step && !is_simulated(given))
        return usage_error(command, "--%s needs --mode training: a step that is simulated", step);
    if (inference && is_simulated(given))
        return usage_error(command, "--%s is for --mode inference only", inference);
    return given->tile ? check_tile(command, given) : EXIT_OK;
}

int
plan_source_kind(const struct command *command, const struct plan_options *given, char **operands, int count,
                 enum plan_kind *kind)
{
    int status;

    if (count != 1)
        return usage_error(command, "one table of buffers, network or trace at a time");
    status = find_kind(command, operands[0], kind);
    return status ? status : check_options(command, given, *kind);
}

static const struct {
    const char *name;
    uint64_t pass;
} passes[] = {
    {"fusion", MEMMODEL_SCHEDULE_PASS_FUSION},
    {"residual-fusion", MEMMODEL_SCHEDULE_PASS_RESIDUAL_FUSION},
    {"view-aliasing", MEMMODEL_SCHEDULE_PASS_VIEW_ALIASING},
    {"in-place", MEMMODEL_SCHEDULE_PASS_IN_PLACE},
    {"concat-elimination", MEMMODEL_SCHEDULE_PASS_CONCAT_ELIMINATION},
    {"reordering", MEMMODEL_SCHEDULE_PASS_REORDERING},
};

enum { PASSES = sizeof passes / sizeof passes[0] };

static int
disable_pass(const struct command *command, const char *name, uint64_t *disabled)
{
    const char *names[PASSES + 1] = {NULL}, *near;

    for (size_t i = 0; i < PASSES; i++) {
        if (strcmp(passes[i].name, name) == 0) {
            *disabled |= passes[i].pass;
            return EXIT_OK;
        }
        names[i] = passes[i].name;
    }
    near = nearest_word(name, names);
    if (near)
        return usage_error(command, "there is no pass '%s'; did you mean '%s'?", name, near);
    return usage_error(command, "there is no pass '%s'", name);
}

/* ---- sources ---- */

static struct memmodel_plan_options
search_options(const struct plan_options *given)
{
    return (struct memmodel_plan_options){
        .size = sizeof(struct memmodel_plan_options), .budget = given->job.budget, .max_nodes = given->max_nodes};
}

static int
solve(const struct command *command, memmodel_context *context, const struct plan_options *given,
      struct plan_source *source)
{
    const struct memmodel_plan_options search = search_options(given);

    source->plan = source->buffers;
    progress_show(context);
    if (progress_clear(context, memmodel_plan_solve(source->buffers, &search)))
        return library_error(command, context);
    return EXIT_OK;
}

static int
plan_tiles(const struct job_call *call, const struct plan_options *given,
           const struct memmodel_schedule_options *options, struct plan_source *source)
{
    if (memmodel_network_tile(call->network, options, given->job.budget, call->context, &source->tiling))
        return library_error(call->command, call->context);
    source->plan = memmodel_tiling_plan(source->tiling);
    return EXIT_OK;
}

static int
plan_inference(const struct job_call *call, const struct plan_options *given, struct plan_source *source)
{
    const struct memmodel_plan_options search = search_options(given);
    struct memmodel_schedule_options options = {.size = sizeof options,
                                                .symbols = call->job.symbols,
                                                .symbol_count = call->job.symbol_count,
                                                .alignment = given->alignment,
                                                .include_parameters = given->include_parameters};
    int status = EXIT_OK;

    for (size_t i = 0; i < given->disabled.count && !status; i++)
        status = disable_pass(call->command, given->disabled.values[i], &options.disabled_passes);
    if (status)
        return status;
    if (given->tile)
        return plan_tiles(call, given, &options, source);
    options.plan = &search;
    if (memmodel_network_schedule(call->network, &options, call->context, &source->schedule))
        return library_error(call->command, call->context);
    source->plan = memmodel_schedule_plan(source->schedule);
    return EXIT_OK;
}

static int
plan_trace(const struct command *command, memmodel_context *context, const struct plan_options *given,
           const memmodel_trace *trace, struct plan_source *source)
{
    if (memmodel_plan_from_trace(context, trace, &source->buffers))
        return library_error(command, context);
    return solve(command, context, given, source);
}

static int
plan_step(const struct job_call *call, const struct plan_options *given, struct plan_source *source)
{
    struct memmodel_job job = call->job;
    const memmodel_trace *trace;

    job.budget = 0; /* it is the plan's */
    if (memmodel_estimate(call->network, &job, call->context, &source->report))
        return library_error(call->command, call->context);
    trace = memmodel_report_trace(source->report);
    if (!trace)
        return usage_error(call->command, "the textbook has no trace that could be planned");
    return plan_trace(call->command, call->context, given, trace, source);
}

int
plan_source_network(const struct job_call *call, const struct plan_options *given, struct plan_source *source)
{
    *source = (struct plan_source){0};
    return (is_simulated(given) ? plan_step : plan_inference)(call, given, source);
}

static int
plan_recorded_step(const struct command *command, memmodel_context *context, const struct plan_options *given,
                   const char *path, struct plan_source *source)
{
    memmodel_trace *trace;
    int status;

    if (memmodel_trace_load(context, path, &trace))
        return library_error(command, context);
    status = plan_trace(command, context, given, trace, source);
    memmodel_trace_unref(trace);
    return status;
}

int
plan_source_file(const struct command *command, memmodel_context *context, const struct plan_options *given,
                 const char *path, enum plan_kind kind, struct plan_source *source)
{
    *source = (struct plan_source){0};
    if (kind == PLAN_TRACE)
        return plan_recorded_step(command, context, given, path, source);
    if (memmodel_plan_load(context, path, &source->buffers))
        return library_error(command, context);
    return solve(command, context, given, source);
}

void
plan_source_close(struct plan_source *source)
{
    memmodel_schedule_unref(source->schedule);
    memmodel_tiling_unref(source->tiling);
    memmodel_plan_unref(source->buffers);
    memmodel_report_unref(source->report);
}

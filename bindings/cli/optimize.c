/* memmodel optimize: what has to be done so that a network is within so many bytes. */
#include "job.h"
#include "json.h"
#include "progress.h"

#include <inttypes.h>
#include <string.h>

struct optimize_options {
    struct job_options job;
    bool json;
};

static const struct option options[] = {
    JOB_OPTIONS(struct optimize_options),
    BUDGET_OPTIONS(struct optimize_options, "bytes that the network may take, such as 16GiB"),
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", offsetof(struct optimize_options, json)},
    {0},
};

enum { LINE_WIDTH = 100 };

/* The paragraph, broken at spaces. */
static void
print_paragraph(const char *text)
{
    int column = 0;

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (column > 0 && column + 1 + length > LINE_WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += printf("%s%.*s", column > 0 ? " " : "", length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void
print_text(const memmodel_optimization *optimization, const struct memmodel_optimization_result *result)
{
    char text[QUANTITY_BYTES];

    for (size_t i = 0; i < memmodel_optimization_step_count(optimization); i++) {
        struct memmodel_optimization_step step = {.size = sizeof step};

        memmodel_optimization_get_step(optimization, i, &step);
        printf("%-12s%12s  %s\n", memmodel_technique_name(step.technique),
               step.applied ? format_bytes(step.peak, text) : "-", step.detail);
    }
    putchar('\n');
    print_paragraph(result->summary);
    if (*result->checkpoint)
        printf("checkpoint: %s\n", result->checkpoint);
}

static void
print_step(const struct memmodel_optimization_step *step)
{
    printf("{\"technique\": \"%s\", \"applied\": %s, \"peak\": %" PRId64 ", \"overhead\": ",
           memmodel_technique_name(step->technique), step->applied ? "true" : "false", step->peak);
    print_json_number(step->overhead);
    fputs(", \"detail\": ", stdout);
    print_json_text(step->detail);
    putchar('}');
}

static void
print_json(const memmodel_optimization *optimization, const struct memmodel_optimization_result *result, int64_t budget)
{
    printf("{\"verdict\": \"%s\", \"budget\": %" PRId64 ", ", memmodel_verdict_name(result->verdict), budget);
    if (result->metric)
        printf("\"metric\": \"%s\", ", memmodel_metric_name(result->metric));
    printf("\"peak\": %" PRId64 ", \"overhead\": ", result->peak);
    print_json_number(result->overhead);
    printf(", \"batch\": %" PRId64 ", \"checkpoint\": ", result->batch);
    print_json_text(result->checkpoint);
    fputs(", \"steps\": [", stdout);
    for (size_t i = 0; i < memmodel_optimization_step_count(optimization); i++) {
        struct memmodel_optimization_step step = {.size = sizeof step};

        memmodel_optimization_get_step(optimization, i, &step);
        fputs(i ? ", " : "", stdout);
        print_step(&step);
    }
    fputs("], \"summary\": ", stdout);
    print_json_text(result->summary);
    puts("}");
}

/* ---- the answer ---- */

/* An inference is planned and not run: it has no framework. */
static int
check_options(const struct job_call *call)
{
    const struct optimize_options *given = call->options;
    struct job_options job = given->job;

    job.mode = NULL;
    if (!call->job.budget)
        return usage_error(call->command, "to how many bytes? Add a --budget, such as 16GiB");
    if (call->job.mode == MEMMODEL_MODE_INFERENCE && job_given(&job))
        return usage_error(call->command, "--%s is not for --mode inference: a forward pass that is planned",
                           job_given(&job));
    return EXIT_OK;
}

static int
answer(struct job_call *call)
{
    const struct optimize_options *given = call->options;
    struct memmodel_optimization_result result = {.size = sizeof result};
    memmodel_optimization *optimization;
    int status = check_options(call);

    if (status)
        return status;
    progress_show(call->context);
    if (progress_clear(call->context, memmodel_optimize(call->network, &call->job, call->context, &optimization)))
        return library_error(call->command, call->context);
    memmodel_optimization_get_result(optimization, &result);
    if (given->json)
        print_json(optimization, &result, call->job.budget);
    else
        print_text(optimization, &result);
    memmodel_optimization_unref(optimization);
    return result.verdict == MEMMODEL_VERDICT_FITS ? EXIT_OK : EXIT_EXCEEDS;
}

const struct command optimize_command = {
    .name = "optimize",
    .usage = "NETWORK [--set NAME=VALUE ...] [--mode inference] --budget BYTES",
    .summary = "what to do so that a network fits: reuse, another order, recomputation, tiles, a smaller batch",
    .description =
        "Tries one technique after the other until the network is within the budget, and says what each saves.\n"
        "A training is simulated: activations are recomputed, and the batch is made smaller. With\n"
        "--mode inference the forward pass is planned: memory is used again, operators run in another order, the input\n"
        "is cut into tiles.",
    .examples = "  memmodel optimize gpt2.json -s batch=64 -s length=1024 --budget 40GiB\n"
                "  memmodel optimize unet3d.json -s batch=1 -s dim=1024 --mode inference --budget 16GiB\n",
    .exits = "  3    nothing brings the network within the budget; what needs least is shown\n",
    .options = options,
    .options_bytes = sizeof(struct optimize_options),
    .work = job_work,
    .answer = answer,
    .job_options = offsetof(struct optimize_options, job),
};

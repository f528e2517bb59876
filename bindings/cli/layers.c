/* memmodel layers: the per-layer table of a network. */
#include "job.h"
#include "limits.h"

#include <stdlib.h>

struct layers_options {
    struct job_options job;
    bool json;
};

static const struct option options[] = {
    JOB_OPTIONS(struct layers_options),
    {"json", 'j', OPTION_FLAG, NULL, "the whole report as JSON", offsetof(struct layers_options, json)},
    {0},
};

static int
print_json(const struct command *command, memmodel_context *context, const memmodel_report *report)
{
    char *text;

    if (memmodel_report_to_json(report, context, &text))
        return library_error(command, context);
    fputs(text, stdout);
    memmodel_free(context, text);
    return EXIT_OK;
}

static int
print(const struct command *command, memmodel_context *context, const memmodel_network *network,
      const struct layers_options *given, struct memmodel_symbol_value *symbols)
{
    struct memmodel_job job;
    memmodel_report *report;
    int status = job_from_options(command, &given->job, symbols, &job);

    if (status)
        return status;
    if (!job.framework)
        job.framework = "textbook";
    if (memmodel_estimate(network, &job, &report))
        return library_error(command, context);
    status = given->json ? print_json(command, context, report) : job_print_layers(command, report);
    if (!status && !given->json)
        job_print_doubts(report);
    memmodel_report_unref(report);
    return status;
}

static int
with_network(const struct command *command, memmodel_context *context, const struct layers_options *given,
             char **operands, int count)
{
    struct memmodel_symbol_value *symbols = calloc(given->job.set.count + 1, sizeof *symbols);
    memmodel_network *network;
    int status = symbols ? job_load_network(command, context, operands, count, &network) : EXIT_FAILED;

    if (!status) {
        status = print(command, context, network, given, symbols);
        memmodel_network_unref(network);
    }
    free(symbols);
    return status;
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct layers_options given = {0};
    memmodel_context *context;
    int operands, status = options_parse(command, argc, argv, &given, &operands);

    if (status)
        return status < 0 ? EXIT_OK : status;
    if (limits_new_context(command, &context))
        return EXIT_FAILED;
    status = with_network(command, context, &given, argv, operands);
    memmodel_context_unref(context);
    options_release(command, &given);
    return status;
}

const struct command layers_command = {
    .name = "layers",
    .usage = "NETWORK [--set NAME=VALUE ...]",
    .summary = "what each layer makes, owns and computes",
    .description =
        "Prints a row per layer: its operator, the shape of its output, its parameters, the elements of its outputs\n"
        "(views and the targets of losses not counted) and the multiplications with addition of its forward pass.\n"
        "With --framework pytorch also the bytes that are live at the peak of a training step.",
    .examples = "  memmodel layers unet3d.json --set batch=1 --set dim=32\n"
                "  memmodel layers unet3d.json -s batch=2 -s dim=48 --framework pytorch\n",
    .options = options,
    .run = run,
};

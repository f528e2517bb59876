/* memmodel layers: the per-layer table of a network. */
#include "job.h"

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
print_json(const struct job_call *call, const memmodel_report *report)
{
    char *text = NULL;
    int status = memmodel_report_to_json(report, call->context, &text);

    return command_print(call->command, call->context, status, text);
}

static int
print_text(const struct job_call *call, const memmodel_report *report)
{
    int status = job_print_layers(call->command, report);

    if (!status)
        job_print_doubts(report);
    return status;
}

static int
answer(struct job_call *call)
{
    const struct layers_options *given = call->options;
    memmodel_report *report;
    int status;

    if (!call->job.framework)
        call->job.framework = "textbook";
    if (memmodel_estimate(call->network, &call->job, call->context, &report))
        return library_error(call->command, call->context);
    status = (given->json ? print_json : print_text)(call, report);
    memmodel_report_unref(report);
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
    .options_bytes = sizeof(struct layers_options),
    .work = job_work,
    .answer = answer,
    .job_options = offsetof(struct layers_options, job),
};

/* Any bytes read as an ONNX file are refused with a reason, or become a network that an estimate can be made of. */
#include "fuzz.h"

static void
check_estimate(memmodel_context *context, memmodel_network *network, const char *framework)
{
    struct memmodel_symbol_value values[16];
    struct memmodel_job job = {
        .size = sizeof job, .framework = framework, .symbols = values, .inference = 1, .steps = 1};
    memmodel_report *report;
    int status;

    while (job.symbol_count < memmodel_network_symbol_count(network) && job.symbol_count < 16) {
        values[job.symbol_count].name = memmodel_network_symbol_name(network, job.symbol_count);
        values[job.symbol_count++].value = 16;
    }
    status = memmodel_estimate(network, &job, &report);
    expect_explained(context, status);
    if (!status)
        memmodel_report_unref(report);
}

/* A network of custom operators can be written and read again. */
static void
check_written(memmodel_context *context, memmodel_network *network)
{
    memmodel_network *again;
    char *text;

    if (memmodel_network_to_json(network, &text))
        abort();
    if (memmodel_network_from_json(context, "written", text, strlen(text), &again))
        abort();
    memmodel_free(context, text);
    memmodel_network_unref(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    memmodel_network *network;
    int status;

    if (memmodel_context_new(NULL, &context))
        abort();
    status = memmodel_network_from_onnx(context, "input", (const char *)data, size, NULL, &network);
    expect_explained(context, status);
    if (!status) {
        check_estimate(context, network, "textbook");
        check_estimate(context, network, "pytorch");
        check_estimate(context, network, "onnxruntime");
        check_written(context, network);
        memmodel_network_unref(network);
    }
    memmodel_context_unref(context);
    return 0;
}

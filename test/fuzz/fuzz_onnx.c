/* Any bytes read as an ONNX file are refused with a reason, or become a network that an estimate can be made of. */
#include "fuzz.h"

static void
check_inference(const memmodel_context *context, const memmodel_network *network, const char *framework,
                const char *optimization)
{
    struct memmodel_job job = {.framework = framework, .mode = 1, .steps = 2, .graph_optimization = optimization};

    expect_estimate_or_reason(context, network, job);
}

/* A network of custom operators can be written and read again. */
static void
check_written(memmodel_context *context, memmodel_network *network)
{
    memmodel_network *again;
    char *text;

    if (memmodel_network_to_json(network, NULL, &text))
        abort();
    if (memmodel_network_from_json(context, "written", text, strlen(text), &again))
        abort();
    memmodel_free(text);
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
        check_inference(context, network, "textbook", NULL);
        check_inference(context, network, "pytorch", NULL);
        check_inference(context, network, "onnxruntime", "disable");
        check_inference(context, network, "onnxruntime", "all");
        check_written(context, network);
        memmodel_network_unref(network);
    }
    memmodel_context_unref(context);
    return 0;
}

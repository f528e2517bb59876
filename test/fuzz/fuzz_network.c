/* Any text read as a network is refused with a reason, or becomes a network that is written and read again the same. */
#include "fuzz.h"

static void
check_round_trip(memmodel_context *context, memmodel_network *network)
{
    memmodel_network *again;
    char *first, *second;

    if (memmodel_network_to_json(network, &first))
        abort();
    if (memmodel_network_from_json(context, "written", first, strlen(first), &again))
        abort();
    if (memmodel_network_to_json(again, &second) || strcmp(first, second) != 0)
        abort();
    memmodel_free(context, first);
    memmodel_free(context, second);
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
    status = memmodel_network_from_json(context, "input", (const char *)data, size, &network);
    expect_explained(context, status);
    if (!status) {
        check_round_trip(context, network);
        expect_estimate_or_reason(context, network, (struct memmodel_job){.framework = "textbook"});
        memmodel_network_unref(network);
    }
    memmodel_context_unref(context);
    return 0;
}

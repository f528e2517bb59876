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

/* An estimate may be refused for any reason, but not without one. */
static void
check_estimate(memmodel_context *context, memmodel_network *network)
{
    struct memmodel_symbol_value values[16];
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook", .symbols = values};
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
        check_estimate(context, network);
        memmodel_network_unref(network);
    }
    memmodel_context_unref(context);
    return 0;
}

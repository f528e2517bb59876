/* What every fuzzer includes: the entry point that libFuzzer and replay.c call. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include "memmodel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refusal must say why; a fuzzer stops the program where a contract is broken. */
static inline void
expect_explained(const memmodel_context *context, int status)
{
    const struct memmodel_error *error = memmodel_context_error(context);

    if (status < 0 && (error->status != status || !*error->message))
        abort();
}

/* The live bytes of each event are the sum of all that came up to it. */
static inline void
expect_live_follows(const memmodel_trace *trace)
{
    struct memmodel_trace_event event = {.size = sizeof event};
    int64_t live = 0;

    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        if (memmodel_trace_get_event(trace, i, &event))
            abort();
        live += event.bytes;
        if (live != event.live || live < 0)
            abort();
    }
}

/* An estimate with 16 for every symbol may be refused for any reason, but not without one. */
static inline void
expect_estimate_or_reason(const memmodel_context *context, const memmodel_network *network, struct memmodel_job job)
{
    struct memmodel_symbol_value values[16];
    memmodel_report *report;
    int status;

    job.size = sizeof job;
    job.symbols = values;
    while (job.symbol_count < memmodel_network_symbol_count(network) && job.symbol_count < 16) {
        values[job.symbol_count].name = memmodel_network_symbol_name(network, job.symbol_count);
        values[job.symbol_count++].value = 16;
    }
    status = memmodel_estimate(network, &job, NULL, &report);
    expect_explained(context, status);
    if (!status)
        memmodel_report_unref(report);
}

#endif

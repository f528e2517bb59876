/*
 * Any text read as a recorded trace is refused with a reason, or becomes a trace whose live bytes follow from its
 * events.
 */
#include "fuzz.h"
#include "trace/trace.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    memmodel_trace *trace;
    int status;

    if (memmodel_context_new(NULL, &context))
        abort();
    status = trace_parse(context, "input", (const char *)data, size, &trace);
    expect_explained(context, status);
    if (!status) {
        expect_live_follows(trace);
        memmodel_trace_unref(trace);
    }
    memmodel_context_unref(context);
    return 0;
}

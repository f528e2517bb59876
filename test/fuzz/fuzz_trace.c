/*
 * Any text read as a recorded trace is refused with a reason, or becomes a trace whose live bytes follow from its
 * events.
 */
#include "fuzz.h"
#include "trace/trace.h"

static void
check_events(const memmodel_trace *trace)
{
    struct memmodel_event event = {.size = sizeof event};
    int64_t live = 0;

    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        if (memmodel_trace_event(trace, i, &event))
            abort();
        live += event.bytes;
        if (live != event.live || live < 0)
            abort();
    }
}

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
        check_events(trace);
        memmodel_trace_unref(trace);
    }
    memmodel_context_unref(context);
    return 0;
}

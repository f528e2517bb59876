/*
 * Any bytes read as a memory snapshot are refused with a reason, or become a trace whose live bytes follow from its
 * events, and that PyTorch's allocator can be run with.
 */
#include "allocators/allocator.h"
#include "fuzz.h"
#include "trace/snapshot.h"

static void
check_replay(memmodel_trace *trace)
{
    struct memmodel_replay_options options = {
        .size = sizeof options, .allocator = "cuda_caching", .capacity = INT64_C(1) << 36};
    struct memmodel_replay_result summary = {.size = sizeof summary};
    memmodel_replay *replay;

    if (memmodel_trace_replay(trace, &options, NULL, &replay))
        abort();
    if (memmodel_replay_get_result(replay, &summary) || summary.peak_requested > summary.peak_active ||
        summary.peak_active > summary.peak_reserved)
        abort();
    memmodel_replay_unref(replay);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    memmodel_trace *trace;
    int status;

    if (memmodel_context_new(NULL, &context))
        abort();
    status = snapshot_parse(context, "input", (const char *)data, size, &trace);
    expect_explained(context, status);
    if (!status) {
        expect_live_follows(trace);
        check_replay(trace);
        memmodel_trace_unref(trace);
    }
    memmodel_context_unref(context);
    return 0;
}

/*
 * What a replay costs: a million allocations and releases, of many sizes and lifetimes, through each allocator. JSON
 * lines: events, milliseconds of the fastest and of the median replay.
 */
#define _POSIX_C_SOURCE 200809L
#include "memmodel.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = 1000000, REPLAYS = 5, LIVE = 400 };

/* A recording with up to LIVE blocks at a time, 64 sizes from 1 KiB to 48 MiB; whichever place is drawn changes hands. */
static int
write_recording(const char *path)
{
    static int64_t live[LIVE];
    uint32_t random = 1;
    FILE *file = fopen(path, "w");

    if (!file)
        return 1;
    fputs("{\"format\": 1, \"names\": [\"a\"], \"setup\": [], \"steps\": [{\"events\": [", file);
    for (int i = 0; i < EVENTS; i++) {
        int place;

        random = random * 1664525 + 1013904223;
        place = (int)((random >> 8) % LIVE);
        live[place] = live[place] > 0 ? -live[place] : (int64_t)(1024 * (random % 3 + 1)) << (random >> 20) % 15;
        fprintf(file, "%s[%lld, 0]", i ? "," : "", (long long)live[place]);
    }
    fputs("]}]}\n", file);
    return fclose(file);
}

static int
bench(memmodel_trace *trace, const char *allocator, const char *settings)
{
    struct memmodel_replay_options options = {
        .size = sizeof options, .allocator = allocator, .allocator_settings = settings};
    struct memmodel_replay_result summary = {.size = sizeof summary};
    double times[REPLAYS];

    for (int i = 0; i < REPLAYS; i++) {
        memmodel_replay *replay;
        double start = milliseconds();

        if (memmodel_trace_replay(trace, &options, NULL, &replay))
            return 1;
        times[i] = milliseconds() - start;
        memmodel_replay_get_result(replay, &summary);
        memmodel_replay_unref(replay);
    }
    qsort(times, REPLAYS, sizeof *times, compare_times);
    printf(
        "{\"bench\": \"trace\", \"allocator\": \"%s\", \"settings\": \"%s\", \"events\": %lld, \"reserved_mib\": %lld, "
        "\"fastest_ms\": %.1f, \"median_ms\": %.1f}\n",
        allocator, settings ? settings : "", (long long)summary.event_count, (long long)(summary.peak_reserved >> 20),
        times[0], times[REPLAYS / 2]);
    return 0;
}

static int
bench_all(memmodel_trace *trace)
{
    static const char *const allocators[][2] = {{"exact", NULL},
                                                {"cuda_caching", NULL},
                                                {"cuda_caching", "expandable_segments:True"},
                                                {"cuda_caching", "max_split_size_mb:32"},
                                                {"bfc", NULL},
                                                {"glibc", NULL}};
    int status = 0;

    for (size_t i = 0; !status && i < sizeof allocators / sizeof allocators[0]; i++)
        status = bench(trace, allocators[i][0], allocators[i][1]);
    return status;
}

int
main(void)
{
    char path[] = "/tmp/memmodel-bench-XXXXXX";
    int descriptor = mkstemp(path), status;
    memmodel_context *context;
    memmodel_trace *trace;

    if (descriptor < 0 || close(descriptor) || write_recording(path) || memmodel_context_new(NULL, &context))
        return 1;
    status = memmodel_trace_load(context, path, &trace);
    unlink(path);
    if (!status) {
        status = bench_all(trace);
        memmodel_trace_unref(trace);
    }
    if (status)
        fprintf(stderr, "bench_trace: %s\n", memmodel_context_error(context)->message);
    memmodel_context_unref(context);
    return status ? 1 : 0;
}

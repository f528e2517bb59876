/*
 * Traces through allocators: from the builder of traces, from memory snapshots, and back into one. The snapshots in
 * test/data/memory_snapshots were written by Python's pickle (test/frameworks/cuda_caching/snapshots.py).
 */
#include "allocations.h"
#include "allocators/allocator.h"
#include "frameworks/framework.h"
#include "base/pickle.h"
#include "trace/snapshot.h"

#include <stdio.h>
#include <unistd.h>

#define MIB (INT64_C(1) << 20)

/* +12 MiB, -12 MiB, +11 MiB, +1000 bytes. */
static memmodel_trace *
small_trace(memmodel_context *context)
{
    memmodel_trace *trace;
    int32_t layer, block;

    assert_int_equal(trace_new(context, &trace), 0);
    layer = trace_add_name(trace, "encoder.conv");
    trace_enter(trace, 1, MEMMODEL_PHASE_FORWARD, layer);
    block = trace_allocate(trace, 12 * MIB, "output", layer, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    assert_int_equal(trace_release(trace, block), 0);
    assert_true(trace_allocate(trace, 11 * MIB, "output", layer, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS) >= 0);
    assert_true(trace_allocate(trace, 1000, "mean", layer, MEMMODEL_CATEGORY_WORKSPACE) >= 0);
    return trace;
}

static memmodel_replay *
replay_of(memmodel_trace *trace, const char *allocator, const char *settings, int64_t capacity)
{
    struct memmodel_replay_options options = {
        .size = sizeof options, .allocator = allocator, .allocator_settings = settings, .capacity = capacity};
    memmodel_replay *replay;

    assert_int_equal(memmodel_trace_replay(trace, &options, NULL, &replay), 0);
    return replay;
}

static struct memmodel_replay_result
summary_of(const memmodel_replay *replay)
{
    struct memmodel_replay_result summary = {.size = sizeof summary};

    assert_int_equal(memmodel_replay_get_result(replay, &summary), 0);
    return summary;
}

static void
without_options_reserved_is_what_is_live(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    memmodel_replay *replay;

    assert_int_equal(memmodel_trace_replay(trace, NULL, NULL, &replay), 0);
    assert_int_equal(summary_of(replay).peak_reserved, 12 * MIB);
    assert_int_equal(summary_of(replay).peak_event, 0);
    assert_int_equal(summary_of(replay).peak_resident, -1);
    assert_int_equal(memmodel_replay_block_count(replay), 0);
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

/* 11 MiB out of the segment of 12: 1 MiB is not split off. 1000 bytes are 1024 of a segment of 2 MiB. */
static void
a_replay_tells_requested_allocated_and_reserved_at_each_event(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    memmodel_replay *replay = replay_of(trace, "cuda_caching", NULL, 0);
    struct memmodel_replay_usage moment = {.size = sizeof moment};

    assert_int_equal(memmodel_replay_get_usage(replay, 2, &moment), 0);
    assert_int_equal(moment.requested, 11 * MIB);
    assert_int_equal(moment.allocated, 12 * MIB);
    assert_int_equal(moment.reserved, 12 * MIB);
    assert_int_equal(memmodel_replay_get_usage(replay, 3, &moment), 0);
    assert_int_equal(moment.allocated, 12 * MIB + 1024);
    assert_int_equal(summary_of(replay).peak_allocated, 12 * MIB + 1024);
    assert_int_equal(summary_of(replay).peak_reserved, 14 * MIB);
    assert_int_equal(summary_of(replay).peak_event, 3);
    assert_int_equal(summary_of(replay).oom_event, -1);
    assert_int_equal(memmodel_replay_get_usage(replay, 4, &moment), MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

static void
a_replay_shows_the_segments_at_its_end(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    struct memmodel_replay_options options = {.size = sizeof options, .allocator = "cuda_caching", .max_events = 2};
    struct memmodel_replay_block block = {.size = sizeof block};
    memmodel_replay *replay = replay_of(trace, "cuda_caching", NULL, 0);

    assert_int_equal(memmodel_replay_block_count(replay), 3);
    assert_int_equal(memmodel_replay_get_block(replay, 0, &block), 0);
    assert_int_equal(block.requested, 11 * MIB);
    assert_int_equal(block.large, 1); /* more than 1 MiB: CUDACachingAllocator.cpp, kSmallSize */
    assert_int_equal(memmodel_replay_get_block(replay, 1, &block), 0);
    assert_int_equal(block.block, 2);
    assert_int_equal(block.bytes, 1024);
    assert_int_equal(block.requested, 1000);
    assert_int_equal(block.state, MEMMODEL_BLOCK_STATE_ALLOCATED);
    assert_int_equal(block.large, 0);
    assert_int_equal(memmodel_replay_get_block(replay, 2, &block), 0);
    assert_int_equal(block.state, MEMMODEL_BLOCK_STATE_FREE);
    assert_int_equal(block.bytes, 2 * MIB - 1024);
    assert_int_equal(memmodel_replay_get_block(replay, 3, &block), MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_replay_unref(replay);
    assert_int_equal(memmodel_trace_replay(trace, &options, NULL, &replay), 0); /* after two events: one free block */
    assert_int_equal(memmodel_replay_block_count(replay), 1);
    assert_int_equal(summary_of(replay).event_count, 2);
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

static void
a_device_that_is_full_ends_the_replay(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    memmodel_replay *replay = replay_of(trace, "cuda_caching", NULL, 13 * MIB);

    assert_int_equal(summary_of(replay).oom_event, 3);
    assert_int_equal(summary_of(replay).event_count, 4);
    assert_int_equal(summary_of(replay).retry_count, 1);
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

static void
options_that_cannot_be_are_refused(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    struct memmodel_replay_options options = {.size = sizeof options, .allocator = "jemalloc"};
    memmodel_replay *replay = NULL;

    assert_error(*state, memmodel_trace_replay(trace, &options, NULL, &replay), MEMMODEL_ERROR_UNSUPPORTED,
                 "cuda_caching");
    options = (struct memmodel_replay_options){.size = sizeof options, .capacity = -1};
    assert_error(*state, memmodel_trace_replay(trace, &options, NULL, &replay), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "capacity");
    options = (struct memmodel_replay_options){.size = sizeof options, .allocator_settings = "backend:native"};
    assert_error(*state, memmodel_trace_replay(trace, &options, NULL, &replay), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "no settings");
    options.allocator = "cuda_caching";
    options.allocator_settings = "what";
    assert_error(*state, memmodel_trace_replay(trace, &options, NULL, &replay), MEMMODEL_ERROR_PARSE,
                 "what is no option");
    assert_null(replay);
    memmodel_trace_unref(trace);
}

static void
a_framework_has_an_allocator_for_a_device(void **state)
{
    static const struct {
        const char *framework, *device;
        const struct allocator *allocator;
    } rows[] = {
        {"pytorch", "cuda", &allocator_cuda_caching},
        {"pytorch", "cpu", &allocator_exact},
        {"onnxruntime", "cpu", &allocator_onnxruntime},
        {"tensorflow", "cpu", &allocator_bfc},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct framework *framework = framework_named(rows[i].framework);
        const struct framework_memory *memory = framework_memory_on(framework, rows[i].device);

        assert_ptr_equal(allocator_find(memory->allocator), rows[i].allocator);
        assert_true(!memory->process || allocator_find(memory->process));
        assert_null(framework_memory_on(framework, "abacus"));
    }
    assert_null(framework_named("abacus"));
}

/* ---- snapshots in ---- */

static memmodel_trace *
read_snapshot(memmodel_context *context, const char *name)
{
    memmodel_trace *trace;
    char path[512];

    snprintf(path, sizeof path, "%s/memory_snapshots/%s", TEST_DATA, name);
    assert_int_equal(memmodel_trace_load(context, path, &trace), 0);
    return trace;
}

/*
 * Before: 5 MiB - 12 and 3 MiB. Then +2, -2 (another stream still uses it), +2, -3. Live in MiB, without the 12 bytes:
 * 5, 8, 10, 8, 10, 7.
 */
static void
a_snapshot_of_each_protocol_becomes_a_trace(void **state)
{
    static const char *const names[] = {"protocol_2.pickle", "protocol_3.pickle", "protocol_4.pickle",
                                        "protocol_5.pickle"};
    static const int64_t live[] = {5, 8, 10, 8, 10, 7};
    struct memmodel_trace_event event = {.size = sizeof event};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        memmodel_trace *trace = read_snapshot(*state, names[i]);

        assert_int_equal(memmodel_trace_event_count(trace), 6);
        for (size_t j = 0; j < 6; j++) {
            assert_int_equal(memmodel_trace_get_event(trace, j, &event), 0);
            assert_int_equal(event.live, live[j] * MIB - 12);
            assert_int_equal(event.step, j < 2 ? 0 : 1);
        }
        memmodel_trace_unref(trace);
    }
}

/* The recorded device had one segment of 20 MiB; 5 + 3 + 2 + 2 MiB fit, the third 2 not where the second still lies. */
static void
a_replayed_snapshot_waits_where_the_recorded_one_did(void **state)
{
    memmodel_trace *trace = read_snapshot(*state, "protocol_4.pickle");
    memmodel_replay *replay = replay_of(trace, "cuda_caching", NULL, 0);
    struct memmodel_replay_usage moment = {.size = sizeof moment};

    assert_int_equal(summary_of(replay).peak_reserved, 20 * MIB);
    assert_int_equal(memmodel_replay_get_usage(replay, 3, &moment), 0);
    assert_int_equal(moment.active - moment.allocated, 2 * MIB);
    assert_int_equal(memmodel_replay_get_usage(replay, 4, &moment), 0);
    assert_int_equal(moment.active, 12 * MIB);
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

static void
expect_refused(memmodel_context *context, const char *bytes, size_t length, const char *why)
{
    memmodel_trace *trace = NULL;

    assert_error(context, snapshot_parse(context, "snapshot", bytes, length, &trace), MEMMODEL_ERROR_PARSE, why);
    assert_null(trace);
}

/* PyTorch keeps no history unless it is asked to: {"segments": []}. */
static void
a_snapshot_without_history_is_a_trace_without_events(void **state)
{
    static const char bytes[] = "\x80\x02}X\x08\x00\x00\x00segments]s.";
    memmodel_trace *trace = NULL;

    assert_int_equal(snapshot_parse(*state, "snapshot", bytes, sizeof bytes - 1, &trace), 0);
    assert_int_equal(memmodel_trace_event_count(trace), 0);
    memmodel_trace_unref(trace);
}

static void
a_pickle_that_is_not_plain_data_is_refused_with_its_offset(void **state)
{
#define REFUSED(bytes, why) expect_refused(*state, bytes, sizeof(bytes) - 1, why)
    REFUSED("\x80\x02"
            "cos\nsystem\n",
            "byte 2: instruction 0x63 is none of plain data"); /* GLOBAL: os.system */
    REFUSED("\x80\x04\x8c\x02os\x8c\x06system\x93", "byte 14: instruction 0x93");
    REFUSED("\x80\x02}", "byte 3: the pickle has no end");
    REFUSED("\x80\x02X\xff\xff\xff\x7f", "ends in a text");
    REFUSED("\x80\x02u.", "no mark");
    REFUSED("\x80\x02(}}u.", "no list or dictionary");
    REFUSED("\x80\x02}(K\x01u.", "a key has no value");
    REFUSED("\x80\x02h\x05.", "nothing is remembered");
    REFUSED("\x80\x02}r\xff\xff\xff\xff.", "beyond any use");
    REFUSED("\x80\x02K\x01K\x02.", "does not end with one value");
    REFUSED("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", "64 bits");
    REFUSED("\x80\x02}.", "neither segments nor device_traces");
}

/* One entry of a device's history, as a pickle. */
static struct text
snapshot_with(memmodel_context *context, const char *const *what, const int64_t *address, size_t count)
{
    struct text out = TEXT_INIT(context);

    pickle_begin(&out);
    pickle_open(&out, PICKLE_DICT);
    pickle_write_text(&out, "device_traces");
    pickle_open(&out, PICKLE_LIST);
    pickle_open(&out, PICKLE_LIST);
    for (size_t i = 0; i < count; i++) {
        pickle_open(&out, PICKLE_DICT);
        pickle_write_text(&out, "action");
        pickle_write_text(&out, what[i]);
        pickle_write_text(&out, "addr");
        pickle_write_integer(&out, address[i]);
        pickle_write_text(&out, "size");
        pickle_write_integer(&out, 512);
        pickle_close(&out, PICKLE_DICT);
    }
    pickle_close(&out, PICKLE_LIST);
    pickle_close(&out, PICKLE_LIST);
    pickle_close(&out, PICKLE_DICT);
    pickle_end(&out);
    return out;
}

static void
a_history_that_cannot_be_is_refused(void **state)
{
    struct text twice =
        snapshot_with(*state, (const char *const[]){"alloc", "alloc"}, (const int64_t[]){4096, 4096}, 2);
    struct text nowhere = snapshot_with(*state, (const char *const[]){"alloc"}, (const int64_t[]){0}, 1);
    struct text again = snapshot_with(*state, (const char *const[]){"free_requested", "free_requested"},
                                      (const int64_t[]){4096, 4096}, 2);

    expect_refused(*state, twice.bytes, twice.length, "0x1000 is allocated twice");
    expect_refused(*state, nowhere.bytes, nowhere.length, "no address or no bytes in entry 0");
    expect_refused(*state, again.bytes, again.length, "");
    text_release(&twice);
    text_release(&nowhere);
    text_release(&again);
}

static void
write_entry(struct text *out, const char *key, int64_t value)
{
    pickle_write_text(out, key);
    pickle_write_integer(out, value);
}

/* One block, which is in use, fills the segment. */
static void
write_segment(struct text *out, int64_t device, int64_t address, int64_t bytes)
{
    pickle_open(out, PICKLE_DICT);
    write_entry(out, "device", device);
    write_entry(out, "address", address);
    pickle_write_text(out, "blocks");
    pickle_open(out, PICKLE_LIST);
    pickle_open(out, PICKLE_DICT);
    pickle_write_text(out, "state");
    pickle_write_text(out, "active_allocated");
    write_entry(out, "size", bytes);
    pickle_close(out, PICKLE_DICT);
    pickle_close(out, PICKLE_LIST);
    pickle_close(out, PICKLE_DICT);
}

/* Two devices hold a block each; only the second was recorded while it allocated 512 bytes more. */
static struct text
snapshot_of_two_devices(memmodel_context *context)
{
    struct text out = TEXT_INIT(context);

    pickle_begin(&out);
    pickle_open(&out, PICKLE_DICT);
    pickle_write_text(&out, "segments");
    pickle_open(&out, PICKLE_LIST);
    write_segment(&out, 0, 0x10000, 1024);
    write_segment(&out, 1, 0x20000, 2048);
    pickle_close(&out, PICKLE_LIST);
    pickle_write_text(&out, "device_traces");
    pickle_open(&out, PICKLE_LIST);
    pickle_open(&out, PICKLE_LIST);
    pickle_close(&out, PICKLE_LIST);
    pickle_open(&out, PICKLE_LIST);
    pickle_open(&out, PICKLE_DICT);
    pickle_write_text(&out, "action");
    pickle_write_text(&out, "alloc");
    write_entry(&out, "addr", 0x30000);
    write_entry(&out, "size", 512);
    pickle_close(&out, PICKLE_DICT);
    pickle_close(&out, PICKLE_LIST);
    pickle_close(&out, PICKLE_LIST);
    pickle_close(&out, PICKLE_DICT);
    pickle_end(&out);
    return out;
}

static void
what_a_device_held_before_is_that_of_the_one_with_a_history(void **state)
{
    const int64_t expected[] = {2048, 512};
    struct text snapshot = snapshot_of_two_devices(*state);
    memmodel_trace *trace;

    assert_int_equal(snapshot_parse(*state, "snapshot", snapshot.bytes, snapshot.length, &trace), 0);
    assert_int_equal(memmodel_trace_event_count(trace), 2);
    for (size_t i = 0; i < 2; i++) {
        struct memmodel_trace_event event = {.size = sizeof event};

        assert_int_equal(memmodel_trace_get_event(trace, i, &event), 0);
        assert_int_equal(event.bytes, expected[i]);
    }
    memmodel_trace_unref(trace);
    text_release(&snapshot);
}

/* ---- snapshots out ---- */

static void
a_written_replay_is_read_back_as_the_same_events(void **state)
{
    memmodel_trace *trace = read_snapshot(*state, "protocol_4.pickle"), *again;
    memmodel_replay *replay = replay_of(trace, "cuda_caching", "expandable_segments:True", 0);
    char path[] = "/tmp/memmodel-replay-XXXXXX";

    close(mkstemp(path));
    assert_int_equal(memmodel_replay_save_snapshot(replay, path), 0);
    assert_int_equal(memmodel_trace_load(*state, path, &again), 0);
    assert_int_equal(memmodel_trace_event_count(again), memmodel_trace_event_count(trace));
    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        struct memmodel_trace_event before = {.size = sizeof before}, after = {.size = sizeof after};

        assert_int_equal(memmodel_trace_get_event(trace, i, &before), 0);
        assert_int_equal(memmodel_trace_get_event(again, i, &after), 0);
        assert_int_equal(before.bytes, after.bytes);
        assert_int_equal(before.block, after.block);
    }
    unlink(path);
    memmodel_trace_unref(again);
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

/* PyTorch's _snapshot() has one history a device, in their order, and each segment says which device it is of. */
static void
segments_are_of_the_device_whose_history_is_written(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    memmodel_replay *replay = replay_of(trace, "cuda_caching", NULL, 0);
    char path[] = "/tmp/memmodel-replay-XXXXXX", bytes[8192];
    const struct pickle_list *segments, *devices;
    struct pickle pickle;
    FILE *file;
    size_t length;

    close(mkstemp(path));
    assert_int_equal(memmodel_replay_save_snapshot(replay, path), 0);
    file = fopen(path, "rb");
    length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    unlink(path);
    assert_int_equal(pickle_parse(&pickle, *state, "snapshot", bytes, length), 0);
    devices = pickle_get_list(&pickle.root, "device_traces");
    segments = pickle_get_list(&pickle.root, "segments");
    assert_int_equal(devices->count, 1);
    assert_true(segments->count > 0);
    for (size_t i = 0; i < segments->count; i++)
        assert_int_equal(pickle_get_integer(&segments->items[i], "device", -1), 0);
    pickle_release(&pickle);
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

static void
an_allocator_without_segments_writes_no_snapshot(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    memmodel_replay *replay = replay_of(trace, "exact", NULL, 0);

    assert_error(*state, memmodel_replay_save_snapshot(replay, "/tmp/never"), MEMMODEL_ERROR_UNSUPPORTED,
                 "no segments");
    assert_error(*state, memmodel_replay_save_snapshot(replay, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT, "path");
    memmodel_replay_unref(replay);
    memmodel_trace_unref(trace);
}

/* ---- memory that runs out ---- */

static char swept[] = "/tmp/memmodel-replay-XXXXXX";

static int
replay_and_write(memmodel_trace *trace)
{
    static const char *const allocators[] = {"exact", "cuda_caching", "bfc", "glibc"};
    struct memmodel_replay_options options = {.size = sizeof options, .allocator_settings = NULL};
    int status = 0;

    for (size_t i = 0; !status && i < sizeof allocators / sizeof allocators[0]; i++) {
        memmodel_replay *replay;
        bool made;

        options.allocator = allocators[i];
        options.allocator_settings = i == 1 ? "expandable_segments:True" : NULL;
        status = memmodel_trace_replay(trace, &options, NULL, &replay);
        made = !status;
        if (made && i == 1)
            status = memmodel_replay_save_snapshot(replay, swept);
        if (made)
            memmodel_replay_unref(replay);
    }
    unlink(swept);
    return status;
}

static int
read_replay_and_write(memmodel_context *context)
{
    memmodel_trace *trace;
    int status = memmodel_trace_load(context, TEST_DATA "/memory_snapshots/protocol_4.pickle", &trace);

    if (status)
        return status;
    status = replay_and_write(trace);
    memmodel_trace_unref(trace);
    return status;
}

static void
replays_survive_failing_allocations(void **state)
{
    const int file = mkstemp(swept);

    (void)state;
    assert_true(file >= 0);
    close(file);
    assert_survives_failing_allocations(read_replay_and_write);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(without_options_reserved_is_what_is_live),
        WITH_CONTEXT(a_replay_tells_requested_allocated_and_reserved_at_each_event),
        WITH_CONTEXT(a_replay_shows_the_segments_at_its_end),
        WITH_CONTEXT(a_device_that_is_full_ends_the_replay),
        WITH_CONTEXT(options_that_cannot_be_are_refused),
        WITH_CONTEXT(a_framework_has_an_allocator_for_a_device),
        WITH_CONTEXT(a_snapshot_of_each_protocol_becomes_a_trace),
        WITH_CONTEXT(a_replayed_snapshot_waits_where_the_recorded_one_did),
        WITH_CONTEXT(a_snapshot_without_history_is_a_trace_without_events),
        WITH_CONTEXT(a_pickle_that_is_not_plain_data_is_refused_with_its_offset),
        WITH_CONTEXT(a_history_that_cannot_be_is_refused),
        WITH_CONTEXT(what_a_device_held_before_is_that_of_the_one_with_a_history),
        WITH_CONTEXT(a_written_replay_is_read_back_as_the_same_events),
        WITH_CONTEXT(segments_are_of_the_device_whose_history_is_written),
        WITH_CONTEXT(an_allocator_without_segments_writes_no_snapshot),
        WITH_CONTEXT(replays_survive_failing_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

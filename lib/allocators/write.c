/*
 * A replay as PyTorch's memory snapshot (doc/guide/formats.md, "Memory snapshot"): the trace is run once more, and
 * what the allocator says that it does becomes the history of the device.
 */
#include "allocators/handle.h"
#include "base/environment.h"
#include "base/pickle.h"
#include "base/file.h"

#include <string.h>

struct writer {
    const struct memmodel_replay *replay;
    struct text out;
    struct allocator_run run;
};

static const char *const actions[] = {
    [ALLOCATOR_ALLOC] = "alloc",
    [ALLOCATOR_FREE_REQUESTED] = "free_requested",
    [ALLOCATOR_FREE_COMPLETED] = "free_completed",
    [ALLOCATOR_SEGMENT_ALLOC] = "segment_alloc",
    [ALLOCATOR_SEGMENT_FREE] = "segment_free",
    [ALLOCATOR_SEGMENT_MAP] = "segment_map",
    [ALLOCATOR_SEGMENT_UNMAP] = "segment_unmap",
    [ALLOCATOR_OUT_OF_MEMORY] = "oom",
};

/* ---- pieces ---- */

static void
write_integer(struct text *out, const char *key, int64_t number)
{
    pickle_write_text(out, key);
    pickle_write_integer(out, number);
}

static void
write_text(struct text *out, const char *key, const char *text)
{
    pickle_write_text(out, key);
    pickle_write_text(out, text);
}

/* Where the memory comes from: its layer in place of a file, what it is in place of a function, the step as a line. */
static void
write_frames(struct text *out, const struct memmodel_trace *trace, int32_t owner)
{
    pickle_write_text(out, "frames");
    pickle_open(out, PICKLE_LIST);
    if (owner >= 0) {
        const struct trace_block *block = &trace->blocks[owner];

        pickle_open(out, PICKLE_DICT);
        write_text(out, "filename", block->layer < 0 ? "" : trace->names[block->layer]);
        write_integer(out, "line", trace->events[block->allocated].step);
        write_text(out, "name", block->what);
        pickle_close(out, PICKLE_DICT);
    }
    pickle_close(out, PICKLE_LIST);
}

static void
write_pool(struct text *out)
{
    pickle_write_text(out, "segment_pool_id");
    pickle_open(out, PICKLE_LIST);
    pickle_write_integer(out, 0);
    pickle_write_integer(out, 0);
    pickle_close(out, PICKLE_LIST);
}

/* ---- the history ---- */

static void
write_entry(void *user, enum allocator_action action, int64_t address, int64_t bytes, int64_t stream)
{
    struct writer *writer = user;
    const struct memmodel_trace *trace = writer->replay->trace;
    const struct trace_event *event = &trace->events[writer->run.at.event];
    bool of_block = action == ALLOCATOR_ALLOC || (action == ALLOCATOR_FREE_REQUESTED && event->release);

    pickle_open(&writer->out, PICKLE_DICT);
    write_text(&writer->out, "action", actions[action]);
    write_integer(&writer->out, action == ALLOCATOR_OUT_OF_MEMORY ? "device_free" : "addr", address);
    write_integer(&writer->out, "size", bytes);
    write_integer(&writer->out, "stream", stream);
    write_integer(&writer->out, "time_us", writer->run.count);
    write_pool(&writer->out);
    write_frames(&writer->out, trace, of_block ? writer->run.at.block : -1);
    pickle_close(&writer->out, PICKLE_DICT);
}

static int
write_history(struct writer *writer)
{
    const struct memmodel_replay *replay = writer->replay;
    struct allocator_options options = {
        .settings = replay->settings, .capacity = replay->capacity, .observer = {write_entry, writer}};
    int status = allocator_run_new(&writer->run, replay->context, replay->allocator, &options, replay->trace);

    if (status)
        return status;
    pickle_write_text(&writer->out, "device_traces");
    pickle_open(&writer->out, PICKLE_LIST);
    pickle_open(&writer->out, PICKLE_LIST);
    while (!status && writer->run.event < (size_t)replay->summary.event_count)
        status = allocator_run_step(&writer->run);
    pickle_close(&writer->out, PICKLE_LIST);
    pickle_close(&writer->out, PICKLE_LIST);
    allocator_run_release(&writer->run);
    return status;
}

/* ---- segments ---- */

static const char *
state_name(const struct allocator_block *block)
{
    if (block->owner < 0)
        return "inactive";
    return block->active ? "active_pending_free" : "active_allocated";
}

static void
write_block(struct writer *writer, const struct allocator_block *block)
{
    pickle_open(&writer->out, PICKLE_DICT);
    write_integer(&writer->out, "address", block->address);
    write_integer(&writer->out, "size", block->bytes);
    write_integer(&writer->out, "requested_size", block->requested);
    write_text(&writer->out, "state", state_name(block));
    write_frames(&writer->out, writer->replay->trace, block->owner);
    pickle_close(&writer->out, PICKLE_DICT);
}

static void
write_sums(struct writer *writer, const struct allocator_block *blocks, size_t count)
{
    int64_t total = 0, allocated = 0, active = 0, requested = 0;

    for (size_t i = 0; i < count; i++) {
        total += blocks[i].bytes;
        requested += blocks[i].requested;
        active += blocks[i].owner >= 0 ? blocks[i].bytes : 0;
        allocated += blocks[i].owner >= 0 && !blocks[i].active ? blocks[i].bytes : 0;
    }
    write_integer(&writer->out, "total_size", total);
    write_integer(&writer->out, "allocated_size", allocated);
    write_integer(&writer->out, "active_size", active);
    write_integer(&writer->out, "requested_size", requested);
}

static void
write_segment(struct writer *writer, const struct allocator_block *blocks, size_t count)
{
    pickle_open(&writer->out, PICKLE_DICT);
    write_integer(&writer->out, "device", 0);
    write_integer(&writer->out, "address", blocks->segment);
    write_integer(&writer->out, "stream", blocks->stream);
    write_sums(writer, blocks, count);
    write_text(&writer->out, "segment_type", blocks->large ? "large" : "small");
    pickle_write_text(&writer->out, "is_expandable");
    pickle_write_bool(&writer->out, blocks->expandable);
    write_pool(&writer->out);
    write_frames(&writer->out, writer->replay->trace, -1);
    pickle_write_text(&writer->out, "blocks");
    pickle_open(&writer->out, PICKLE_LIST);
    for (size_t i = 0; i < count; i++)
        write_block(writer, &blocks[i]);
    pickle_close(&writer->out, PICKLE_LIST);
    pickle_close(&writer->out, PICKLE_DICT);
}

static void
write_segments(struct writer *writer)
{
    const struct memmodel_replay *replay = writer->replay;
    size_t first = 0;

    pickle_write_text(&writer->out, "segments");
    pickle_open(&writer->out, PICKLE_LIST);
    for (size_t i = 1; i <= replay->block_count; i++) {
        if (i < replay->block_count && replay->blocks[i].segment == replay->blocks[first].segment)
            continue;
        write_segment(writer, replay->blocks + first, i - first);
        first = i;
    }
    pickle_close(&writer->out, PICKLE_LIST);
}

/* ---- the file ---- */

static void
write_nothing_more(struct writer *writer)
{
    pickle_write_text(&writer->out, "external_annotations");
    pickle_open(&writer->out, PICKLE_LIST);
    pickle_close(&writer->out, PICKLE_LIST);
    pickle_write_text(&writer->out, "allocator_settings");
    pickle_open(&writer->out, PICKLE_DICT);
    write_text(&writer->out, "PYTORCH_CUDA_ALLOC_CONF", writer->replay->settings ? writer->replay->settings : "");
    pickle_close(&writer->out, PICKLE_DICT);
}

static int
write_file(const memmodel_replay *replay, const char *path)
{
    OWN_ENVIRONMENT;
    struct writer writer = {.replay = replay};
    int status;

    if (!path)
        return context_error(replay->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "path is needed");
    if (!replay->allocator->walk)
        return context_error(replay->context, MEMMODEL_ERROR_UNSUPPORTED, replay->allocator->name,
                             "this allocator has no segments to show");
    writer.out = TEXT_INIT(replay->context);
    pickle_begin(&writer.out);
    pickle_open(&writer.out, PICKLE_DICT);
    write_segments(&writer);
    status = write_history(&writer);
    write_nothing_more(&writer);
    pickle_close(&writer.out, PICKLE_DICT);
    pickle_end(&writer.out);
    if (!status && writer.out.failed)
        status = MEMMODEL_ERROR_NO_MEMORY;
    if (!status)
        status = file_write(replay->context, path, writer.out.bytes, writer.out.length);
    text_release(&writer.out);
    return status;
}

int
memmodel_replay_save_snapshot(const memmodel_replay *replay, const char *path)
{
    int status;

    if (!replay)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(replay->context);
    return context_end(replay->context, status ? status : write_file(replay, path));
}

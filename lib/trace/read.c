/*
 * Recordings of real steps (doc/guide/formats.md, "Trace").
 *
 * A recording knows sizes and operators, not addresses: a release is taken to be that of the youngest live block of its
 * size. So what is live, and how much, is exact; which of two blocks of one size lives longer is not known.
 */
#include "base/environment.h"
#include "base/json.h"
#include "base/file.h"
#include "trace/snapshot.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <string.h>

/* Youngest live block of each size: a hash table by bytes, and behind each block the next older one of its size. */
struct live_blocks {
    int32_t *slots; /* first block of a size + 1; 0: none was ever seen */
    int32_t *older; /* by block: block + 1 */
    int32_t *top;   /* by slot: youngest live block + 1 */
    size_t slot_count;
};

struct reader {
    struct json_document document;
    struct memmodel_trace *trace;
    struct live_blocks live;
    const json_t *names;
    int32_t *layers; /* by name: index of the trace's name */
};

/* ---- releases find their blocks ---- */

static int
live_blocks_new(memmodel_context *context, struct live_blocks *live, size_t events)
{
    size_t slots = 16;

    while (slots < 2 * events)
        slots *= 2;
    live->slot_count = slots;
    live->slots = memory_allocate_zeroed(context, slots, sizeof *live->slots);
    live->top = memory_allocate_zeroed(context, slots, sizeof *live->top);
    live->older = memory_allocate_zeroed(context, events + 1, sizeof *live->older);
    return live->slots && live->top && live->older ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static void
live_blocks_release(memmodel_context *context, struct live_blocks *live)
{
    memory_release(context, live->slots);
    memory_release(context, live->top);
    memory_release(context, live->older);
}

/* The slot of a size: where a block of that size stands, or a free one. */
static size_t
slot_of(const struct live_blocks *live, const struct trace_block *blocks, int64_t bytes)
{
    size_t slot = (size_t)((uint64_t)bytes * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (live->slot_count - 1);

    while (live->slots[slot] && blocks[live->slots[slot] - 1].bytes != bytes)
        slot = (slot + 1) & (live->slot_count - 1);
    return slot;
}

static void
push_block(struct live_blocks *live, const struct trace_block *blocks, int32_t block)
{
    size_t slot = slot_of(live, blocks, blocks[block].bytes);

    if (!live->slots[slot])
        live->slots[slot] = block + 1;
    live->older[block] = live->top[slot];
    live->top[slot] = block + 1;
}

/* -1 if no block of that size is live. */
static int32_t
pop_block(struct live_blocks *live, const struct trace_block *blocks, int64_t bytes)
{
    size_t slot = slot_of(live, blocks, bytes);
    int32_t block = live->top[slot] - 1;

    if (block >= 0)
        live->top[slot] = live->older[block];
    return block;
}

/* ---- events ---- */

/* What the profiler calls the parts of a step. */
static enum memmodel_phase
phase_of(const char *name)
{
    if (strncmp(name, "Optimizer.", strlen("Optimizer.")) == 0)
        return MEMMODEL_PHASE_OPTIMIZER;
    if (strstr(name, "Backward") || strstr(name, "AccumulateGrad") || strstr(name, "backward"))
        return MEMMODEL_PHASE_BACKWARD;
    return MEMMODEL_PHASE_FORWARD;
}

/* [bytes, name] with 0 <= name < number of names. */
static int
read_event(struct reader *reader, const json_t *item, int step)
{
    const json_t *size = json_array_get(item, 0), *name = json_array_get(item, 1);
    int64_t bytes = json_integer_value(size), index = json_integer_value(name);
    struct memmodel_trace *trace = reader->trace;
    enum memmodel_phase phase = MEMMODEL_PHASE_SETUP;
    int32_t block;

    if (!json_is_integer(size) || !json_is_integer(name) || json_array_size(item) != 2 || bytes == 0 ||
        bytes == INT64_MIN || index < 0 || (size_t)index >= json_array_size(reader->names))
        return json_error_at(&reader->document, item, MEMMODEL_ERROR_PARSE,
                             "an event is [bytes, number of a name], bytes not 0");
    if (step > 0)
        phase = phase_of(json_string_value(json_array_get(reader->names, (size_t)index)));
    trace_enter(trace, step, phase, reader->layers[index]);
    if (bytes > 0) {
        block = trace_allocate(trace, bytes, "recorded", reader->layers[index], MEMMODEL_CATEGORY_WORKSPACE);
        if (block >= 0)
            push_block(&reader->live, trace->blocks, block);
        return block < 0 ? block : 0;
    }
    block = pop_block(&reader->live, trace->blocks, -bytes);
    if (block < 0)
        return json_error_at(&reader->document, item, MEMMODEL_ERROR_PARSE, "nothing of %" PRId64 " bytes is live",
                             -bytes);
    return trace_release(trace, block);
}

static int
read_events(struct reader *reader, const json_t *events, int step)
{
    int status = 0;

    for (size_t i = 0; !status && i < json_array_size(events); i++)
        status = read_event(reader, json_array_get(events, i), step);
    return status;
}

/* ---- the document ---- */

static int
read_names(struct reader *reader)
{
    memmodel_context *context = reader->document.context;
    size_t count;
    int status = json_get_array(&reader->document, reader->document.root, "names", &reader->names);

    if (status)
        return status;
    count = json_array_size(reader->names);
    reader->layers = memory_allocate_zeroed(context, count + 1, sizeof *reader->layers);
    if (!reader->layers)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const json_t *name = json_array_get(reader->names, i);

        if (!json_is_string(name))
            return json_error_at(&reader->document, name, MEMMODEL_ERROR_PARSE, "a name is a text");
        reader->layers[i] = trace_add_name(reader->trace, json_string_value(name));
        if (reader->layers[i] < 0)
            return reader->layers[i];
    }
    return 0;
}

/* Checks that each step has its events, and counts all of them. */
static int
count_events(struct reader *reader, const json_t *setup, const json_t *steps, size_t *count)
{
    *count = json_array_size(setup);
    if (json_array_size(steps) > INT16_MAX)
        return json_error_at(&reader->document, steps, MEMMODEL_ERROR_PARSE, "more than %d steps", INT16_MAX);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *events;
        int status = json_get_array(&reader->document, json_array_get(steps, i), "events", &events);

        if (status)
            return status;
        *count += json_array_size(events);
    }
    return 0;
}

static int
read_document(struct reader *reader)
{
    enum { NEWEST = 1 };
    const json_t *setup, *steps, *root = reader->document.root;
    int64_t version;
    size_t count;
    int status = json_get_int64(&reader->document, root, "format", &version);

    if (!status && version > NEWEST)
        return json_error_at(&reader->document, root, MEMMODEL_ERROR_VERSION,
                             "format %" PRId64 "; this library reads up to %d", version, NEWEST);
    if (!status)
        status = read_names(reader);
    if (!status)
        status = json_get_array(&reader->document, root, "setup", &setup);
    if (!status)
        status = json_get_array(&reader->document, root, "steps", &steps);
    if (!status)
        status = count_events(reader, setup, steps, &count);
    if (!status)
        status = live_blocks_new(reader->document.context, &reader->live, count);
    if (!status)
        status = read_events(reader, setup, 0);
    if (!status && json_array_size(steps) > INT16_MAX)
        status = json_error_at(&reader->document, steps, MEMMODEL_ERROR_OVERFLOW, "more than %d steps", INT16_MAX);
    for (size_t i = 0; !status && i < json_array_size(steps); i++)
        status = read_events(reader, json_object_get(json_array_get(steps, i), "events"), (int)i + 1);
    return status;
}

int
trace_parse(memmodel_context *context, const char *name, const char *text, size_t length, memmodel_trace **trace)
{
    struct reader reader = {.trace = NULL};
    int status = json_document_parse(&reader.document, context, name, text, length);

    if (status)
        return status;
    status = trace_new(context, &reader.trace);
    if (!status)
        status = read_document(&reader);
    live_blocks_release(context, &reader.live);
    memory_release(context, reader.layers);
    json_document_release(&reader.document);
    return trace_hand_over(reader.trace, status, trace);
}

/* A snapshot of PyTorch's allocator, or JSON. */
static int
parse_either(memmodel_context *context, const char *name, const char *text, size_t length, void *trace)
{
    return snapshot_looks_like_one(text, length) ? snapshot_parse(context, name, text, length, trace)
                                                 : trace_parse(context, name, text, length, trace);
}

int
memmodel_trace_from_bytes(memmodel_context *context, const char *name, const void *bytes, size_t length,
                          memmodel_trace **trace)
{
    return bytes ? file_parse_text(context, name, bytes, length, parse_either, trace) : MEMMODEL_ERROR_INVALID_ARGUMENT;
}

int
memmodel_trace_load(memmodel_context *context, const char *path, memmodel_trace **trace)
{
    return file_parse(context, path, parse_either, trace);
}

/*
 * Traces for ui.perfetto.dev and chrome://tracing: the JSON of the "Trace Event Format" (Chromium project, catapult,
 * "Trace Event Format": phases C, M and X, times in microseconds).
 *
 * A trace has no clock: event number i happens at microsecond i and lasts until the next.
 */
#include "base/file.h"
#include "base/text.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <string.h>

/* Rows of slices, from the whole to its parts; the viewer shows them as threads in this order. */
enum track { TRACK_STEP = 1, TRACK_PHASE, TRACK_LAYER, TRACK_END };

static const char *const track_names[TRACK_END] = {NULL, "steps", "phases", "layers"};

struct writer {
    const struct memmodel_trace *trace;
    struct text text;
    int64_t live[MEMMODEL_MAX_CATEGORIES];
};

/* ---- names of the rows ---- */

static void
write_metadata(struct writer *writer)
{
    text_append(&writer->text, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"memmodel: one "
                               "microsecond is one allocation or release\"}}");
    for (int track = TRACK_STEP; track < TRACK_END; track++) {
        text_printf(&writer->text,
                    ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", track,
                    track_names[track]);
        text_printf(
            &writer->text,
            ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"sort_index\":%d}}", track,
            track);
    }
}

/* ---- counters ---- */

static void
write_counter(struct writer *writer, size_t event, const char *name, int64_t bytes)
{
    text_printf(&writer->text,
                ",\n{\"name\":\"%s\",\"ph\":\"C\",\"ts\":%zu,\"pid\":1,\"args\":{\"bytes\":%" PRId64 "}}", name, event,
                bytes);
}

/* The sum, and the one category that the event changes. */
static void
write_counters(struct writer *writer, size_t index)
{
    const struct trace_event *event = &writer->trace->events[index];
    const struct trace_block *block = &writer->trace->blocks[event->block];

    trace_follow(writer->trace, (int32_t)index, writer->live);
    write_counter(writer, index, "live", event->live);
    write_counter(writer, index, memmodel_category_name(block->category), writer->live[block->category]);
}

/* ---- slices: runs of events that have something in common ---- */

static bool
same_slice(enum track track, const struct trace_event *a, const struct trace_event *b)
{
    if (a->step != b->step || (track >= TRACK_PHASE && a->phase != b->phase))
        return false;
    return track < TRACK_LAYER || a->layer == b->layer;
}

static void
write_slice_name(struct writer *writer, enum track track, const struct trace_event *event)
{
    if (track == TRACK_LAYER)
        text_append_json(&writer->text, writer->trace->names[event->layer]);
    else if (track == TRACK_PHASE)
        text_append_json(&writer->text, memmodel_phase_name(event->phase));
    else
        text_printf(&writer->text, "\"step %d\"", event->step);
}

/* Events first..end-1; those of no layer have no slice in the layers' row. */
static void
write_slice(struct writer *writer, enum track track, size_t first, size_t end)
{
    const struct trace_event *event = &writer->trace->events[first];
    int64_t before, highest;

    if (track == TRACK_LAYER && event->layer < 0)
        return;
    before = first ? event[-1].live : 0;
    highest = event->live;
    for (size_t i = first; i < end; i++)
        if (writer->trace->events[i].live > highest)
            highest = writer->trace->events[i].live;
    text_append(&writer->text, ",\n{\"name\":");
    write_slice_name(writer, track, event);
    text_printf(&writer->text,
                ",\"ph\":\"X\",\"ts\":%zu,\"dur\":%zu,\"pid\":1,\"tid\":%d,\"args\":{\"peak\":%" PRId64
                ",\"change\":%" PRId64 "}}",
                first, end - first, track, highest, writer->trace->events[end - 1].live - before);
}

static void
write_slices(struct writer *writer, enum track track)
{
    const struct memmodel_trace *trace = writer->trace;
    size_t first = 0;

    for (size_t i = 1; i <= trace->event_count && text_spend(&writer->text, 1); i++) {
        if (i < trace->event_count && same_slice(track, &trace->events[i], &trace->events[first]))
            continue;
        write_slice(writer, track, first, i);
        first = i;
    }
}

static int
perfetto_of_trace(const void *object, memmodel_context *context, char **text)
{
    const memmodel_trace *trace = object;
    struct writer writer = {.trace = trace, .text = TEXT_INIT(context)};

    text_append(&writer.text, "{\"traceEvents\":[\n");
    write_metadata(&writer);
    for (int track = TRACK_STEP; trace->event_count && track < TRACK_END; track++)
        write_slices(&writer, (enum track)track);
    for (size_t i = 0; i < trace->event_count && text_spend(&writer.text, 4); i++)
        write_counters(&writer, i);
    text_append(&writer.text,
                "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"clock\":\"one microsecond is one event "
                "of the trace: an allocation or a release\"}}\n");
    return text_finish_to(&writer.text, text);
}

int
memmodel_trace_to_perfetto(const memmodel_trace *trace, memmodel_context *context, char **text)
{
    return file_hand_out(trace, context, perfetto_of_trace, text);
}

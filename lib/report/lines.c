/* Of a recorded program: what each of its lines holds at the peak, and which of them hold more with each step. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* Of those that are compared. In the one before it is made what is made once, such as optimizer states. */
enum { FIRST_STEP = 2 };

/* Of one line: what it holds more after a step than before it, in the step that is counted and at least in those before. */
struct line {
    struct memmodel_report_line row;
    int64_t more, least;
    int32_t step, steps;
};

static void
end_step(struct line *line)
{
    if (line->step > 0 && (line->steps++ == 0 || line->more < line->least))
        line->least = line->more;
}

static void
count_event(struct line *line, const struct trace_event *event, int64_t bytes)
{
    if (line->step != event->step) {
        end_step(line);
        line->step = event->step;
        line->more = 0;
    }
    line->more += event->release ? -bytes : bytes;
}

/* `last`: the last whole step. */
static void
count_events(const struct memmodel_trace *trace, int last, struct line *lines)
{
    for (size_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];
        const struct trace_block *block = &trace->blocks[event->block];

        if (block->line >= 0 && event->step >= FIRST_STEP && event->step <= last)
            count_event(&lines[block->line], event, block->bytes);
    }
    for (size_t i = 0; i < trace->name_count; i++) {
        end_step(&lines[i]);
        if (lines[i].steps > 0 && lines[i].steps == last - FIRST_STEP + 1 && lines[i].least > 0)
            lines[i].row.growth_bytes = lines[i].least;
    }
}

static void
count_blocks(const struct result *result, struct line *lines)
{
    const struct memmodel_trace *trace = result->simulation.trace;

    for (size_t i = 0; i < trace->block_count; i++) {
        const struct trace_block *block = &trace->blocks[i];

        if (block->line < 0)
            continue;
        lines[block->line].row.line = trace->names[block->line];
        lines[block->line].row.peak_bytes += result_live_at_peak(result, block);
    }
}

static int
compare_lines(const void *a, const void *b)
{
    const struct memmodel_report_line *left = a, *right = b;

    if (left->peak_bytes != right->peak_bytes)
        return left->peak_bytes < right->peak_bytes ? 1 : -1;
    if (left->growth_bytes != right->growth_bytes)
        return left->growth_bytes < right->growth_bytes ? 1 : -1;
    return strcmp(left->line, right->line);
}

int
report_add_lines(memmodel_report *report, const struct query *query, const struct result *result)
{
    const struct memmodel_trace *trace = result->simulation.trace;
    struct line *lines = memory_allocate_zeroed(query->context, trace->name_count + 1, sizeof *lines);

    report->lines = arena_allocate(&report->arena, (trace->name_count + 1) * sizeof *report->lines);
    if (!lines || !report->lines) {
        memory_release(query->context, lines);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    count_blocks(result, lines);
    count_events(trace, query->whole_steps, lines);
    for (size_t i = 0; i < trace->name_count; i++)
        if (lines[i].row.line) {
            lines[i].row.size = sizeof lines[i].row;
            report->lines[report->line_count++] = lines[i].row;
        }
    memory_release(query->context, lines);
    if (report->line_count > 0)
        qsort(report->lines, report->line_count, sizeof *report->lines, compare_lines);
    return context_check(query->context, context_nodes(trace->event_count));
}

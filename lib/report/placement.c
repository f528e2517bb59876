/*
 * The last step's blocks in one arena, as small as it can be, for a page to draw: how much of what the allocator takes
 * is there only because blocks are placed one by one.
 */
#include "base/checked.h"
#include "base/text.h"
#include "memmodel/plan.h"
#include "report/report.h"

#include <inttypes.h>

/*
 * More than a page has room for is left out, all of it, as are blocks that stand for many; nodes are few, for steps are
 * placed by the first plans.
 */
enum { MAX_BLOCKS = 4000, NODES = 100000 };

struct window {
    const struct memmodel_trace *trace;
    size_t begin; /* first event of the last step */
};

/* Whether it is in use after the window began. */
static bool
is_seen(const struct window *window, const struct trace_block *block)
{
    return block->bytes > 0 && (block->released < 0 || (size_t)block->released > window->begin);
}

static size_t
first_of_last_step(const struct memmodel_trace *trace)
{
    size_t begin = trace->event_count;

    while (begin > 0 && trace->events[begin - 1].step == trace->events[trace->event_count - 1].step)
        begin--;
    return begin;
}

static int
add_blocks(memmodel_plan *plan, const struct window *window)
{
    int status = 0;

    for (size_t i = 0; i < window->trace->block_count && !status; i++) {
        const struct trace_block *block = &window->trace->blocks[i];
        const struct memmodel_plan_buffer buffer = {
            .size = sizeof buffer,
            .bytes = block->bytes,
            .lower = max_i64(block->allocated, (int64_t)window->begin),
            .upper = block->released < 0 ? (int64_t)window->trace->event_count : block->released,
        };

        if (is_seen(window, block))
            status = memmodel_plan_add_buffer(plan, &buffer);
    }
    return status;
}

/* [from event, to event, offset, bytes, category, layer, what] */
static void
write_place(struct text *page, const struct memmodel_trace *trace, const struct trace_block *block,
            const struct memmodel_plan_buffer *place)
{
    text_printf(page, "[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,", place->lower, place->upper, place->offset,
                place->bytes, block->category);
    text_append_json(page, block->layer < 0 ? "" : trace->names[block->layer]);
    text_append(page, ",");
    text_append_json(page, block->what ? block->what : "");
    text_append(page, "]");
}

static void
write_plan(struct text *page, const struct window *window, const memmodel_plan *plan)
{
    struct memmodel_plan_result result = {.size = sizeof result};
    size_t next = 0;

    memmodel_plan_get_result(plan, &result);
    text_printf(page, ",\n\"placement\":{\"peak\":%" PRId64 ",\"lower_bound\":%" PRId64 ",\"begin\":%zu,\"end\":%zu,",
                result.peak, result.lower_bound, window->begin, window->trace->event_count);
    text_append(page, "\"places\":[");
    for (size_t i = 0; i < window->trace->block_count; i++) {
        struct memmodel_plan_buffer place = {.size = sizeof place};

        if (!is_seen(window, &window->trace->blocks[i]))
            continue;
        memmodel_plan_get_buffer(plan, next, &place);
        text_append(page, next++ ? ",\n" : "");
        write_place(page, window->trace, &window->trace->blocks[i], &place);
    }
    text_append(page, "]}");
}

int
write_placement(struct text *page, const memmodel_report *report)
{
    static const struct memmodel_plan_options options = {.size = sizeof options, .max_nodes = NODES};
    struct window window = {report->trace, 0};
    memmodel_plan *plan;
    int status;

    if (!report->trace || !report->trace->event_count || report->trace->repeat_count)
        return 0;
    window.begin = first_of_last_step(report->trace);
    status = memmodel_plan_new(page->context, &plan);
    if (status)
        return status;
    status = add_blocks(plan, &window);
    if (!status && memmodel_plan_buffer_count(plan) > 0 && memmodel_plan_buffer_count(plan) <= MAX_BLOCKS) {
        status = memmodel_plan_solve(plan, &options);
        if (!status)
            write_plan(page, &window, plan);
    }
    memmodel_plan_unref(plan);
    return status == MEMMODEL_ERROR_OVERFLOW ? 0 : status; /* more than any arena: there is no picture */
}

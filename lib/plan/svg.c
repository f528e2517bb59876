/* A plan as a picture: time across, offsets up. */
#include "base/checked.h"
#include "base/file.h"
#include "base/text.h"
#include "plan/plan.h"

#include <inttypes.h>

enum {
    WIDTH = 1120, /* of the drawing, in SVG's units */
    HEIGHT = 560,
    LEFT = 90,
    TOP = 40,
    BOTTOM = 40,
    LINES = 5, /* across, with the bytes beside them */
    HUES = 12
};

struct drawing {
    struct text text;
    const memmodel_plan *plan;
    int64_t begin, end; /* of time */
};

static double
across(const struct drawing *drawing, int64_t time)
{
    return LEFT + WIDTH * ((double)(time - drawing->begin) / (double)(drawing->end - drawing->begin));
}

static double
up(const struct drawing *drawing, int64_t offset)
{
    return TOP + HEIGHT * (1 - (double)offset / (double)drawing->plan->result.peak);
}

static void
draw_line(struct drawing *drawing, int64_t offset, const char *colour)
{
    double y = up(drawing, offset);

    text_append(&drawing->text, "<line");
    text_append_attribute(&drawing->text, "x1", LEFT);
    text_append_attribute(&drawing->text, "y1", y);
    text_append_attribute(&drawing->text, "x2", LEFT + WIDTH);
    text_append_attribute(&drawing->text, "y2", y);
    text_printf(&drawing->text, " stroke=\"%s\"/>\n<text", colour);
    text_append_attribute(&drawing->text, "x", LEFT - 6);
    text_append_attribute(&drawing->text, "y", y + 4);
    text_append(&drawing->text, " text-anchor=\"end\">");
    text_append_quantity(&drawing->text, (double)offset);
    text_append(&drawing->text, "</text>\n");
}

/* Neighbours in the list get hues that are far apart. */
static void
draw_interval(struct drawing *drawing, size_t index, int64_t begin, int64_t end)
{
    const struct plan_buffer *buffer = &drawing->plan->buffers[index];
    int64_t offset = drawing->plan->offsets[index];
    double x = across(drawing, begin), y = up(drawing, offset + buffer->bytes);

    text_append(&drawing->text, "<rect");
    text_append_attribute(&drawing->text, "x", x);
    text_append_attribute(&drawing->text, "y", y);
    text_append_attribute(&drawing->text, "width", across(drawing, end) - x);
    text_append_attribute(&drawing->text, "height", up(drawing, offset) - y);
    text_printf(&drawing->text, " fill=\"hsl(%d,55%%,%d%%)\"><title>", (int)(index * 5 % HUES) * 360 / HUES,
                60 + (int)(index / HUES % 3) * 8);
    if (buffer->name[0])
        text_append_xml(&drawing->text, buffer->name);
    else
        text_printf(&drawing->text, "%zu", index);
    text_printf(&drawing->text, ": %" PRId64 " bytes at %" PRId64 ", from %" PRId64 " to %" PRId64 "</title></rect>\n",
                buffer->bytes, offset, begin, end);
}

static void
draw_buffer(struct drawing *drawing, size_t index)
{
    const struct plan_buffer *buffer = &drawing->plan->buffers[index];
    int64_t begin = buffer->begin;

    for (const struct plan_gap *gap = buffer->gaps; gap; gap = gap->next) {
        draw_interval(drawing, index, begin, gap->begin);
        begin = gap->end;
    }
    draw_interval(drawing, index, begin, buffer->end);
}

static void
draw_frame(struct drawing *drawing)
{
    const struct memmodel_plan_result *result = &drawing->plan->result;

    text_printf(&drawing->text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\">",
                LEFT + WIDTH + 20, TOP + HEIGHT + BOTTOM, LEFT);
    text_printf(&drawing->text, "%zu buffers of ", drawing->plan->count);
    text_append_quantity(&drawing->text, (double)result->total_bytes);
    text_append(&drawing->text, " in ");
    text_append_quantity(&drawing->text, (double)result->peak);
    text_printf(&drawing->text, ": %s</text>\n<text x=\"%d\" y=\"%d\">time %" PRId64 "</text>\n",
                memmodel_search_status_name(result->status), LEFT, TOP + HEIGHT + 24, drawing->begin);
    text_printf(&drawing->text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%" PRId64 "</text>\n", LEFT + WIDTH,
                TOP + HEIGHT + 24, drawing->end);
}

static void
draw(struct drawing *drawing)
{
    const struct memmodel_plan_result *result = &drawing->plan->result;

    draw_frame(drawing);
    for (int i = 0; i <= LINES; i++)
        draw_line(drawing, result->peak / LINES * i, "#ddd");
    text_append(&drawing->text, "<g stroke=\"white\" stroke-width=\"0.3\">\n");
    for (size_t i = 0; i < drawing->plan->count && text_spend(&drawing->text, 4); i++)
        draw_buffer(drawing, i);
    text_append(&drawing->text, "</g>\n");
    draw_line(drawing, result->peak, "#c00");
    text_append(&drawing->text, "</svg>\n");
}

static int
svg_of_plan(const void *object, memmodel_context *context, char **svg)
{
    const memmodel_plan *plan = object;
    struct drawing drawing;

    if (!plan->offsets)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "the plan is not solved");
    drawing = (struct drawing){.text = TEXT_INIT(context), .plan = plan, .begin = INT64_MAX, .end = INT64_MIN};
    for (size_t i = 0; i < plan->count; i++) {
        drawing.begin = min_i64(drawing.begin, plan->buffers[i].begin);
        drawing.end = max_i64(drawing.end, plan->buffers[i].end);
    }
    draw(&drawing);
    return text_finish_to(&drawing.text, svg);
}

int
memmodel_plan_to_svg(const memmodel_plan *plan, memmodel_context *context, char **svg)
{
    return file_hand_out(plan, context || !plan ? context : plan->context, svg_of_plan, svg);
}

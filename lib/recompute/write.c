/* The curve of a search as JSON and as a picture: time that is added across, peak up. */
#include "base/checked.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "recompute/recomputation.h"

#include <inttypes.h>
#include <math.h>

enum { FORMAT_VERSION = 1 };

/* ---- JSON ---- */

/* Modules of one call of checkpoint(). */
static json_t *
group_json(const struct candidate *checkpointed)
{
    json_t *modules = json_array();

    for (size_t i = 0; i < checkpointed->module_count; i++)
        json_array_append_new(modules, json_string(checkpointed->modules[i]));
    if (!checkpointed->modules)
        json_array_append_new(modules, json_string(checkpointed->name));
    return modules;
}

static json_t *
point_json(const struct point *point)
{
    json_t *names = json_array(), *groups = json_array();

    for (size_t i = 0; i < point->count; i++) {
        json_array_append_new(names, json_string(point->checkpointed[i].name));
        json_array_append_new(groups, group_json(&point->checkpointed[i]));
    }
    return json_pack("{sI sf ss so so}", "peak", (json_int_t)point->peak, "overhead", point->overhead, "checkpoint",
                     point->checkpoint, "segments", names, "modules", groups);
}

static json_t *
curve_json(const struct curve *curve)
{
    json_t *points = json_array();

    for (size_t i = 0; i < curve->count; i++)
        json_array_append_new(points, point_json(&curve->points[i]));
    return points;
}

static int
json_of_curve(const void *object, memmodel_context *context, char **text)
{
    const memmodel_recomputation *recomputation = object;
    const struct memmodel_recomputation_result *result = &recomputation->result;
    json_t *root;

    root = json_pack("{ss si ss sI ss sb so sI sI sI sf ss si sI ss so}", "format", "memmodel-recomputation", "version",
                     FORMAT_VERSION, "metric", memmodel_metric_name(result->metric), "budget",
                     (json_int_t)recomputation->curve.budget, "verdict", memmodel_verdict_name(result->verdict),
                     "validated", recomputation->validated, "unmodelled",
                     unmodelled_json(recomputation->unmodelled, recomputation->unmodelled_count), "peak_baseline",
                     (json_int_t)result->peak_baseline, "peak", (json_int_t)result->peak, "min_peak",
                     (json_int_t)result->min_peak, "overhead", result->overhead, "checkpoint",
                     recomputation->curve.points[result->selected_point].checkpoint, "selected_point",
                     result->selected_point, "simulation_count", (json_int_t)result->simulation_count, "status",
                     memmodel_search_status_name(result->status), "curve", curve_json(&recomputation->curve));
    return json_write(context, root, text);
}

int
memmodel_recomputation_to_json(const memmodel_recomputation *recomputation, memmodel_context *context, char **text)
{
    return file_hand_out(recomputation, context || !recomputation ? context : recomputation->context, json_of_curve,
                         text);
}

/* ---- the picture ---- */

enum {
    WIDTH = 720, /* of the drawing, in SVG's units */
    HEIGHT = 420,
    LEFT = 90,
    TOP = 40,
    BOTTOM = 50,
    LINES = 5 /* across and up, with their numbers */
};

struct drawing {
    struct text text;
    const memmodel_recomputation *recomputation;
    double max_overhead;
    int64_t max_peak;
};

static double
across(const struct drawing *drawing, double overhead)
{
    return LEFT + WIDTH * (overhead / drawing->max_overhead);
}

static double
up(const struct drawing *drawing, int64_t peak)
{
    return TOP + HEIGHT * (1 - (double)peak / (double)drawing->max_peak);
}

/* Tenths of a per cent. */
static void
append_percent(struct text *text, double fraction)
{
    text_append_double(text, round(1000 * fraction) / 10);
    text_append(text, " %");
}

static void
draw_level(struct drawing *drawing, double y, const char *style)
{
    text_append(&drawing->text, "<line");
    text_append_attribute(&drawing->text, "x1", LEFT);
    text_append_attribute(&drawing->text, "y1", y);
    text_append_attribute(&drawing->text, "x2", LEFT + WIDTH);
    text_append_attribute(&drawing->text, "y2", y);
    text_printf(&drawing->text, " %s/>\n", style);
}

static void
begin_label(struct drawing *drawing, double x, double y, const char *style)
{
    text_append(&drawing->text, "<text");
    text_append_attribute(&drawing->text, "x", x);
    text_append_attribute(&drawing->text, "y", y);
    text_printf(&drawing->text, " %s>", style);
}

static void
draw_grid(struct drawing *drawing)
{
    for (int i = 0; i <= LINES; i++) {
        int64_t peak = drawing->max_peak / LINES * i;
        double y = up(drawing, peak), overhead = drawing->max_overhead / LINES * i;

        draw_level(drawing, y, "stroke=\"#ddd\"");
        begin_label(drawing, LEFT - 6, y + 4, "text-anchor=\"end\"");
        text_append_quantity(&drawing->text, (double)peak);
        text_append(&drawing->text, "</text>\n");
        begin_label(drawing, across(drawing, overhead), TOP + HEIGHT + 18, "text-anchor=\"middle\"");
        append_percent(&drawing->text, overhead);
        text_append(&drawing->text, "</text>\n");
    }
}

static void
append_place(struct drawing *drawing, double overhead, int64_t peak)
{
    text_append_double(&drawing->text, round(100 * across(drawing, overhead)) / 100);
    text_append(&drawing->text, ",");
    text_append_double(&drawing->text, round(100 * up(drawing, peak)) / 100);
    text_append(&drawing->text, " ");
}

/* Between two points only the one before it is to be had. */
static void
draw_steps(struct drawing *drawing)
{
    const struct curve *curve = &drawing->recomputation->curve;

    text_append(&drawing->text, "<polyline fill=\"none\" stroke=\"#4c72b0\" stroke-width=\"1.5\" points=\"");
    for (size_t i = 0; i < curve->count; i++) {
        if (i)
            append_place(drawing, curve->points[i].overhead, curve->points[i - 1].peak);
        append_place(drawing, curve->points[i].overhead, curve->points[i].peak);
    }
    text_append(&drawing->text, "\"/>\n");
}

static void
draw_point(struct drawing *drawing, const struct point *point, bool advised)
{
    text_append(&drawing->text, "<circle");
    text_append_attribute(&drawing->text, "cx", across(drawing, point->overhead));
    text_append_attribute(&drawing->text, "cy", up(drawing, point->peak));
    text_printf(&drawing->text, " r=\"%d\" fill=\"%s\"><title>%" PRId64 " bytes, ", advised ? 6 : 3,
                advised ? "#c44e52" : "#4c72b0", point->peak);
    append_percent(&drawing->text, point->overhead);
    text_append(&drawing->text, ": ");
    text_append_xml(&drawing->text, point->count ? point->checkpoint : "nothing wrapped");
    text_append(&drawing->text, "</title></circle>\n");
}

static void
draw_points(struct drawing *drawing)
{
    const struct curve *curve = &drawing->recomputation->curve;

    for (size_t i = 0; i < curve->count; i++)
        draw_point(drawing, &curve->points[i], (int32_t)i == drawing->recomputation->result.selected_point);
}

static void
draw_budget(struct drawing *drawing)
{
    int64_t budget = drawing->recomputation->curve.budget;
    double y = up(drawing, budget);

    if (budget == 0 || budget > drawing->max_peak)
        return;
    draw_level(drawing, y, "stroke=\"#c44e52\" stroke-dasharray=\"5 4\"");
    begin_label(drawing, LEFT + WIDTH - 4, y - 5, "text-anchor=\"end\" fill=\"#c44e52\"");
    text_append(&drawing->text, "budget</text>\n");
}

static void
draw_frame(struct drawing *drawing)
{
    const struct memmodel_recomputation_result *result = &drawing->recomputation->result;

    text_printf(&drawing->text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\">"
                "peak ",
                LEFT + WIDTH + 40, TOP + HEIGHT + BOTTOM, LEFT);
    text_append_quantity(&drawing->text, (double)result->peak_baseline);
    text_append(&drawing->text, " to ");
    text_append_quantity(&drawing->text, (double)result->peak);
    text_append(&drawing->text, ", ");
    append_percent(&drawing->text, result->overhead);
    text_append(&drawing->text, " more time</text>\n");
    text_printf(&drawing->text, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">extra time of a step</text>\n",
                LEFT + WIDTH / 2, TOP + HEIGHT + 38);
}

static void
draw(struct drawing *drawing)
{
    draw_frame(drawing);
    draw_grid(drawing);
    draw_budget(drawing);
    draw_steps(drawing);
    draw_points(drawing);
    text_append(&drawing->text, "</svg>\n");
}

static int
svg_of_curve(const void *object, memmodel_context *context, char **svg)
{
    const memmodel_recomputation *recomputation = object;
    const struct curve *curve = &recomputation->curve;
    struct drawing drawing;

    drawing = (struct drawing){.text = TEXT_INIT(context), .recomputation = recomputation};
    drawing.max_overhead =
        curve->points[curve->count - 1].overhead > 0 ? curve->points[curve->count - 1].overhead : 0.01;
    drawing.max_peak = max_i64(curve->points[0].peak, 1);
    draw(&drawing);
    return text_finish_to(&drawing.text, svg);
}

int
memmodel_recomputation_to_svg(const memmodel_recomputation *recomputation, memmodel_context *context, char **svg)
{
    return file_hand_out(recomputation, context || !recomputation ? context : recomputation->context, svg_of_curve,
                         svg);
}

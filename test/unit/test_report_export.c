/* Reports as pages for browsers, and traces for ui.perfetto.dev. */
#include "check.h"
#include "networks.h"
#include "trace/trace.h"

#include <jansson.h>
#include <string.h>

/* ---- traces ---- */

/* Live: 100, 140, 100, 170. A layer's name needs escapes. */
static memmodel_trace *
small_trace(memmodel_context *context)
{
    memmodel_trace *trace;
    int32_t layer, scratch;

    assert_int_equal(trace_new(context, &trace), 0);
    layer = trace_add_name(trace, "a \"b\\c\" </script>\n");
    trace_enter(trace, 1, MEMMODEL_PHASE_FORWARD, layer);
    assert_true(trace_allocate(trace, 100, "output", layer, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS) >= 0);
    scratch = trace_allocate(trace, 40, "columns", layer, MEMMODEL_CATEGORY_WORKSPACE);
    assert_int_equal(trace_release(trace, scratch), 0);
    trace_enter(trace, 2, MEMMODEL_PHASE_BACKWARD, -1);
    assert_true(trace_allocate(trace, 70, "gradient", -1, MEMMODEL_CATEGORY_WORKSPACE) >= 0);
    return trace;
}

static json_t *
perfetto(const memmodel_trace *trace, memmodel_context *context)
{
    json_t *root;
    char *text;

    assert_int_equal(memmodel_trace_to_perfetto(trace, context, &text), 0);
    root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    memmodel_free(text);
    return root;
}

static const char *
text_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);

    return value ? json_string_value(value) : "";
}

static int64_t
number_of(const json_t *event, const char *key)
{
    assert_true(json_is_integer(json_object_get(event, key)));
    return json_integer_value(json_object_get(event, key));
}

/* The n-th event of that phase and (unless NULL) name; NULL if there are fewer. */
static const json_t *
find_event(const json_t *root, const char *phase, const char *name, int n)
{
    const json_t *events = json_object_get(root, "traceEvents");

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);

        if (strcmp(text_of(event, "ph"), phase) == 0 && (!name || strcmp(text_of(event, "name"), name) == 0) &&
            n-- == 0)
            return event;
    }
    return NULL;
}

static int64_t
counted(const json_t *root, const char *name, int n)
{
    const json_t *event = find_event(root, "C", name, n);

    assert_non_null(event);
    return number_of(json_object_get(event, "args"), "bytes");
}

static void
counters_follow_the_live_bytes(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    json_t *root = perfetto(trace, *state);
    static const int64_t live[] = {100, 140, 100, 170};

    for (int i = 0; i < 4; i++) {
        assert_int_equal(counted(root, "live", i), live[i]);
        assert_int_equal(number_of(find_event(root, "C", "live", i), "ts"), i);
    }
    assert_int_equal(counted(root, "workspace", 0), 40);
    assert_int_equal(counted(root, "workspace", 1), 0);
    assert_int_equal(counted(root, "workspace", 2), 70);
    assert_int_equal(counted(root, "saved activations", 0), 100);
    assert_null(find_event(root, "C", "saved activations", 1));
    json_decref(root);
    memmodel_trace_unref(trace);
}

static void
assert_slice(const json_t *root, const char *name, int64_t from, int64_t length)
{
    const json_t *event = find_event(root, "X", name, 0);

    assert_non_null(event);
    assert_int_equal(number_of(event, "ts"), from);
    assert_int_equal(number_of(event, "dur"), length);
}

static void
slices_are_steps_phases_and_layers(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    json_t *root = perfetto(trace, *state);

    assert_slice(root, "step 1", 0, 3);
    assert_slice(root, "step 2", 3, 1);
    assert_slice(root, "forward pass", 0, 3);
    assert_slice(root, "backward pass", 3, 1);
    assert_slice(root, "a \"b\\c\" </script>\n", 0, 3);
    assert_null(find_event(root, "X", NULL, 5));
    json_decref(root);
    memmodel_trace_unref(trace);
}

static memmodel_report *
report_of_unet(memmodel_context *context, int steps,
               int (*estimate)(const memmodel_network *, const struct memmodel_job *, memmodel_context *,
                               memmodel_report **))
{
    static const struct memmodel_symbol_value symbols[] = {{"batch", 2}, {"dim", 32}};
    struct memmodel_job job = {.size = sizeof job, .symbols = symbols, .symbol_count = 2, .steps = steps};
    memmodel_network *network;
    memmodel_report *report;

    assert_int_equal(network_unet3d(context, &(struct unet3d){.filters = 8, .loss = true}, &network), 0);
    assert_int_equal(estimate(network, &job, NULL, &report), 0);
    memmodel_network_unref(network);
    return report;
}

/* What the format asks for: slices of a thread follow each other, and every event has its process and time. */
static void
slices_of_a_row_do_not_overlap(void **state)
{
    memmodel_report *report = report_of_unet(*state, 2, memmodel_estimate);
    json_t *root = perfetto(memmodel_report_trace(report), *state);
    const json_t *events = json_object_get(root, "traceEvents");
    int64_t ends[4] = {0};

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);

        assert_int_equal(number_of(event, "pid"), 1);
        if (strcmp(text_of(event, "ph"), "X") == 0) {
            int64_t row = number_of(event, "tid"), start = number_of(event, "ts");

            assert_in_range(row, 1, 3);
            assert_true(start >= ends[row] && number_of(event, "dur") > 0);
            ends[row] = start + number_of(event, "dur");
        }
    }
    assert_int_equal(ends[1], (int64_t)memmodel_trace_event_count(memmodel_report_trace(report)));
    json_decref(root);
    memmodel_report_unref(report);
}

static void
an_empty_trace_is_still_a_trace(void **state)
{
    memmodel_trace *trace;
    json_t *root;

    assert_int_equal(trace_new(*state, &trace), 0);
    root = perfetto(trace, *state);
    assert_null(find_event(root, "X", NULL, 0));
    json_decref(root);
    memmodel_trace_unref(trace);
}

/* ---- pages ---- */

/* The data of a page, and its length in *bytes. */
static json_t *
data_of_page(const memmodel_report *report, memmodel_context *context, size_t *bytes)
{
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    const char *from, *to;
    char *page;
    json_t *data;

    assert_int_equal(memmodel_report_to_html(report, context, &page), 0);
    *bytes = strlen(page);
    from = strstr(page, begin);
    assert_non_null(from);
    from += sizeof begin - 1;
    to = strstr(from, "</script>");
    assert_non_null(to);
    assert_null(strstr(page, "http")); /* asks for nothing from a network */
    data = json_loadb(from, (size_t)(to - from), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(data);
    memmodel_free(page);
    return data;
}

/* Most live bytes of the points of a page in a step; 0: of all. */
static int64_t
highest_moment(const json_t *data, int64_t step)
{
    const json_t *points = json_object_get(data, "points");
    int64_t max = 0;

    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        int64_t live = 0;

        if (step && json_integer_value(json_array_get(point, 1)) != step)
            continue;
        for (int category = 0; memmodel_category_name(category); category++)
            live += json_integer_value(json_array_get(point, 7 + (size_t)category));
        max = live > max ? live : max;
    }
    return max;
}

/* Field of a place: from event, to event, offset, bytes. */
static int64_t
of_place(const json_t *place, size_t field)
{
    return json_integer_value(json_array_get(place, field));
}

static bool
places_collide(const json_t *a, const json_t *b)
{
    return of_place(a, 0) < of_place(b, 1) && of_place(b, 0) < of_place(a, 1) &&
           of_place(a, 2) < of_place(b, 2) + of_place(b, 3) && of_place(b, 2) < of_place(a, 2) + of_place(a, 3);
}

static void
a_page_places_the_last_step_in_one_arena(void **state)
{
    memmodel_report *report = report_of_unet(*state, 2, memmodel_estimate);
    size_t bytes;
    json_t *data = data_of_page(report, *state, &bytes);
    const json_t *placement = json_object_get(data, "placement"), *places = json_object_get(placement, "places");
    int64_t peak = json_integer_value(json_object_get(placement, "peak"));

    assert_true(json_array_size(places) > 100);
    assert_true(peak >= highest_moment(data, 2));
    assert_true(json_integer_value(json_object_get(placement, "lower_bound")) <= peak);
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *place = json_array_get(places, i);

        assert_true(of_place(place, 2) >= 0 && of_place(place, 2) + of_place(place, 3) <= peak);
        for (size_t k = 0; k < i; k++)
            assert_false(places_collide(place, json_array_get(places, k)));
    }
    json_decref(data);
    memmodel_report_unref(report);
}

static void
a_page_holds_the_report(void **state)
{
    memmodel_report *report = report_of_unet(*state, 2, memmodel_estimate_what_if);
    size_t bytes;
    json_t *data = data_of_page(report, *state, &bytes);
    struct memmodel_report_result peak = {.size = sizeof peak};

    memmodel_report_get_result(report, &peak);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(data, "peak"), 0)), peak.live);
    assert_int_equal(json_array_size(json_object_get(data, "layers")), memmodel_report_layer_count(report));
    assert_int_equal(json_array_size(json_object_get(data, "changes")), memmodel_report_change_count(report));
    assert_int_equal(json_array_size(json_object_get(data, "formulas")), memmodel_report_formula_count(report));
    assert_string_equal(text_of(data, "peak_location"), peak.peak_location);
    assert_int_equal(highest_moment(data, 0), peak.live);
    json_decref(data);
    memmodel_report_unref(report);
}

/* The steps have hundreds of thousands of events: the page stays below 2 MB and keeps each step's peak. */
static void
a_long_trace_is_thinned_but_keeps_every_peak(void **state)
{
    memmodel_report *report = report_of_unet(*state, 200, memmodel_estimate);
    size_t bytes;
    json_t *data = data_of_page(report, *state, &bytes);

    assert_true(memmodel_trace_event_count(memmodel_report_trace(report)) > 400000);
    assert_true(bytes < 2000000);
    for (int step = 1; step <= 200; step += 33)
        assert_int_equal(highest_moment(data, step), memmodel_report_step_peak(report, (size_t)step - 1));
    json_decref(data);
    memmodel_report_unref(report);
}

static memmodel_network *
long_chain(memmodel_context *context, int layers, const char *name)
{
    memmodel_network *network;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &network), 0);
    x = memmodel_network_input(network, name, MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){2, 4});
    for (int i = 0; i < layers; i++)
        x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 4));
    return network;
}

static void
a_page_of_many_layers_shows_those_that_hold_most(void **state)
{
    memmodel_network *network = long_chain(*state, 10000, "x");
    memmodel_report *report;
    size_t bytes;
    json_t *data;

    assert_int_equal(memmodel_estimate(network, NULL, NULL, &report), 0);
    data = data_of_page(report, *state, &bytes);
    assert_true(bytes < 2000000);
    assert_int_equal(json_array_size(json_object_get(data, "layers")) + (size_t)number_of(data, "layers_left_out"),
                     10001);
    json_decref(data);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
no_name_can_end_the_data_of_a_page(void **state)
{
    static const char name[] = "</script><b>\"'&\\";
    memmodel_network *network = long_chain(*state, 1, name);
    memmodel_report *report;
    size_t bytes;
    json_t *data, *layer;

    assert_int_equal(memmodel_estimate(network, NULL, NULL, &report), 0);
    data = data_of_page(report, *state, &bytes);
    layer = json_array_get(json_object_get(data, "layers"), 0);
    assert_string_equal(json_string_value(json_array_get(layer, 0)), name);
    json_decref(data);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
a_textbook_page_has_no_timeline(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook"};
    memmodel_network *network = long_chain(*state, 2, "x");
    memmodel_report *report;
    size_t bytes;
    json_t *data;

    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    data = data_of_page(report, *state, &bytes);
    assert_null(json_object_get(data, "points"));
    json_decref(data);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(counters_follow_the_live_bytes),
        WITH_CONTEXT(slices_are_steps_phases_and_layers),
        WITH_CONTEXT(slices_of_a_row_do_not_overlap),
        WITH_CONTEXT(an_empty_trace_is_still_a_trace),
        WITH_CONTEXT(a_page_holds_the_report),
        WITH_CONTEXT(a_page_places_the_last_step_in_one_arena),
        WITH_CONTEXT(a_long_trace_is_thinned_but_keeps_every_peak),
        LONG_WITH_CONTEXT(a_page_of_many_layers_shows_those_that_hold_most),
        WITH_CONTEXT(no_name_can_end_the_data_of_a_page),
        WITH_CONTEXT(a_textbook_page_has_no_timeline),
    };

    return cmocka_run_group_tests_name("report export", tests, NULL, NULL);
}

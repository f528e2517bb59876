/* Traces: written, summarised, read. Expected numbers are sums done by hand. */
#include "allocations.h"
#include "trace/copy_step.h"
#include "trace/trace.h"

/* +100 saved, +40 workspace, -40, then in step 2 +70 workspace. Live: 100, 140, 100, 170. */
static memmodel_trace *
small_trace(memmodel_context *context)
{
    memmodel_trace *trace;
    int32_t layer, scratch;

    assert_int_equal(trace_new(context, &trace), 0);
    layer = trace_add_name(trace, "conv");
    trace_enter(trace, 1, MEMMODEL_PHASE_FORWARD, layer);
    assert_true(trace_allocate(trace, 100, "output", layer, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS) >= 0);
    scratch = trace_allocate(trace, 40, "columns", layer, MEMMODEL_CATEGORY_WORKSPACE);
    assert_int_equal(trace_release(trace, scratch), 0);
    trace_enter(trace, 2, MEMMODEL_PHASE_BACKWARD, -1);
    assert_true(trace_allocate(trace, 70, "gradient", -1, MEMMODEL_CATEGORY_WORKSPACE) >= 0);
    return trace;
}

static void
peak_of_a_step_is_its_first_maximum(void **state)
{
    memmodel_trace *trace = small_trace(*state);

    assert_int_equal(trace_peak_event(trace, 1), 1);
    assert_int_equal(trace_peak_event(trace, 2), 3);
    assert_int_equal(trace_peak_event(trace, 0), 3);
    assert_int_equal(trace_peak_event(trace, 3), -1);
    memmodel_trace_unref(trace);
}

static void
categories_add_up_to_what_is_live(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    int64_t bytes[MEMMODEL_MAX_CATEGORIES];

    trace_categories_at(trace, 1, 0, bytes);
    assert_int_equal(bytes[MEMMODEL_CATEGORY_SAVED_ACTIVATIONS], 100);
    assert_int_equal(bytes[MEMMODEL_CATEGORY_WORKSPACE], 40);
    trace_categories_at(trace, 2, 0, bytes);
    assert_int_equal(bytes[MEMMODEL_CATEGORY_WORKSPACE], 0);
    memmodel_trace_unref(trace);
}

static void
events_tell_their_block_layer_and_phase(void **state)
{
    memmodel_trace *trace = small_trace(*state);
    struct memmodel_trace_event event = {.size = sizeof event};

    assert_int_equal(memmodel_trace_event_count(trace), 4);
    assert_int_equal(memmodel_trace_get_event(trace, 2, &event), 0);
    assert_int_equal(event.bytes, -40);
    assert_int_equal(event.live, 100);
    assert_string_equal(event.role, "columns");
    assert_string_equal(event.layer, "conv");
    assert_int_equal(event.phase, MEMMODEL_PHASE_FORWARD);
    assert_int_equal(memmodel_trace_get_event(trace, 3, &event), 0);
    assert_string_equal(event.layer, "");
    assert_int_equal(event.step, 2);
    assert_int_equal(memmodel_trace_get_event(trace, 4, &event), MEMMODEL_ERROR_INVALID_ARGUMENT);
    event.size = 1;
    assert_int_equal(memmodel_trace_get_event(trace, 0, &event), MEMMODEL_ERROR_STRUCT_SIZE);
    memmodel_trace_unref(trace);
}

static void
live_bytes_beyond_63_bits_are_an_error(void **state)
{
    memmodel_trace *trace = small_trace(*state);

    assert_error(*state, trace_allocate(trace, INT64_MAX, "output", -1, MEMMODEL_CATEGORY_WORKSPACE),
                 MEMMODEL_ERROR_OVERFLOW, "63 bits");
    assert_int_equal(memmodel_trace_event_count(trace), 4);
    memmodel_trace_unref(trace);
}

/* ---- reading ---- */

static const char recording[] =
    "{\"format\": 1, \"names\": [\"aten::empty\", \"Optimizer.step#Adam.step\"], \"setup\": [[64, 0]],\n"
    " \"steps\": [{\"events\": [[32, 0], [32, 0], [-32, 0], [8, 1]]}, {\"events\": [[-64, 0]]}]}\n";

static int
parse(memmodel_context *context, const char *text, memmodel_trace **trace)
{
    return trace_parse(context, "recording", text, strlen(text), trace);
}

static void
a_recording_is_read_step_by_step(void **state)
{
    memmodel_trace *trace;
    struct memmodel_trace_event event = {.size = sizeof event};

    assert_int_equal(parse(*state, recording, &trace), 0);
    assert_int_equal(memmodel_trace_event_count(trace), 6);
    assert_int_equal(memmodel_trace_get_event(trace, 0, &event), 0);
    assert_int_equal(event.step, 0);
    assert_int_equal(event.phase, MEMMODEL_PHASE_SETUP);
    assert_int_equal(trace->events[trace_peak_event(trace, 1)].live, 128);
    assert_int_equal(memmodel_trace_get_event(trace, 4, &event), 0);
    assert_int_equal(event.phase, MEMMODEL_PHASE_OPTIMIZER);
    assert_int_equal(memmodel_trace_get_event(trace, 5, &event), 0);
    assert_int_equal(event.live, 40);
    assert_int_equal(event.block, 0);
    memmodel_trace_unref(trace);
}

static void
a_release_is_that_of_the_youngest_block_of_its_size(void **state)
{
    memmodel_trace *trace;

    assert_int_equal(parse(*state, recording, &trace), 0);
    assert_int_equal(trace->events[3].block, 2);
    memmodel_trace_unref(trace);
}

static void
expect_refused(memmodel_context *context, const char *text, int status, const char *why)
{
    memmodel_trace *trace = NULL;

    assert_error(context, parse(context, text, &trace), status, why);
    assert_null(trace);
}

static void
a_recording_that_cannot_be_is_refused(void **state)
{
#define WITH_EVENT(event) "{\"format\": 1, \"names\": [\"a\"], \"setup\": [" event "], \"steps\": []}"
    expect_refused(*state, WITH_EVENT("[-8, 0]"), MEMMODEL_ERROR_PARSE, "nothing of 8 bytes is live");
    expect_refused(*state, WITH_EVENT("[8, 0], [-8, 0], [-8, 0]"), MEMMODEL_ERROR_PARSE, "nothing of 8 bytes");
    expect_refused(*state, WITH_EVENT("[8, 1]"), MEMMODEL_ERROR_PARSE, "number of a name");
    expect_refused(*state, WITH_EVENT("[0, 0]"), MEMMODEL_ERROR_PARSE, "bytes not 0");
    expect_refused(*state, WITH_EVENT("[8]"), MEMMODEL_ERROR_PARSE, "number of a name");
    expect_refused(*state, WITH_EVENT("[-9223372036854775808, 0]"), MEMMODEL_ERROR_PARSE, "bytes not 0");
    expect_refused(*state, WITH_EVENT("[9223372036854775807, 0], [1, 0]"), MEMMODEL_ERROR_OVERFLOW, "63 bits");
    expect_refused(*state, "{\"format\": 2}", MEMMODEL_ERROR_VERSION, "format 2");
    expect_refused(*state, "{\"format\": 1, \"names\": [3], \"setup\": [], \"steps\": []}", MEMMODEL_ERROR_PARSE,
                   "a name is a text");
    expect_refused(*state, "{\"format\": 1, \"names\": [], \"setup\": [], \"steps\": [7]}", MEMMODEL_ERROR_PARSE, "");
    expect_refused(*state, "[]", MEMMODEL_ERROR_PARSE, "");
}

static void
an_error_says_line_and_column(void **state)
{
    expect_refused(*state, "{\"format\": 1, \"names\": [\"a\"],\n \"setup\": [[8, 0],\n  [-9, 0]], \"steps\": []}",
                   MEMMODEL_ERROR_PARSE, "nothing of 9 bytes");
    assert_int_equal(memmodel_context_error(*state)->line, 3);
    assert_int_equal(memmodel_context_error(*state)->column, 3);
}

static void
a_file_that_is_not_there_is_an_error(void **state)
{
    memmodel_trace *trace;

    assert_int_equal(memmodel_trace_load(*state, "/nonexistent/recording.json", &trace), MEMMODEL_ERROR_IO);
    assert_int_equal(memmodel_trace_load(*state, NULL, &trace), MEMMODEL_ERROR_INVALID_ARGUMENT);
}

static int
read_and_drop(memmodel_context *context)
{
    memmodel_trace *trace;
    int status = parse(context, recording, &trace);

    if (!status)
        memmodel_trace_unref(trace);
    return status;
}

/*
 * Step 1 leaves a loss of 4 bytes. Step 2: +10 output, +`loss` loss, - the loss before, -10. Live: 4, 14, 14 + loss,
 * 10 + loss, loss.
 */
static memmodel_trace *
trace_of_losses(memmodel_context *context, int64_t loss)
{
    memmodel_trace *trace;
    int32_t first, output;

    assert_int_equal(trace_new(context, &trace), 0);
    trace_enter(trace, 1, MEMMODEL_PHASE_FORWARD, -1);
    first = trace_allocate(trace, 4, "loss", -1, MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS);
    trace_enter(trace, 2, MEMMODEL_PHASE_FORWARD, -1);
    output = trace_allocate(trace, 10, "output", -1, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    assert_true(trace_allocate(trace, loss, "loss", -1, MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS) >= 0);
    assert_int_equal(trace_release(trace, first), 0);
    trace_enter(trace, 2, MEMMODEL_PHASE_BACKWARD, -1);
    assert_int_equal(trace_release(trace, output), 0);
    return trace;
}

static void
a_copied_step_releases_what_the_one_before_left(void **state)
{
    /* blocks: 0 loss of step 1, 1 and 2 of step 2, 3 and 4 of step 3, 5 and 6 of step 4 */
    static const int32_t blocks[] = {3, 4, 2, 3, 5, 6, 4, 5};
    static const int64_t live[] = {14, 18, 14, 4, 14, 18, 14, 4};
    memmodel_trace *trace = trace_of_losses(*state, 4);
    bool copied = false;

    for (int step = 3; step <= 4; step++) {
        assert_int_equal(trace_copy_step(trace, &copied), 0);
        assert_true(copied);
    }
    assert_int_equal(trace->event_count, 13);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(trace->events[5 + i].block, blocks[i]);
        assert_int_equal(trace->events[5 + i].live, live[i]);
        assert_int_equal(trace->events[5 + i].step, 3 + i / 4);
        assert_int_equal(trace->events[5 + i].release, i % 4 >= 2);
        assert_int_equal(trace->events[5 + i].phase, i % 4 == 3 ? MEMMODEL_PHASE_BACKWARD : MEMMODEL_PHASE_FORWARD);
    }
    memmodel_trace_unref(trace);
}

static void
a_step_that_leaves_more_than_it_was_left_is_not_copied(void **state)
{
    memmodel_trace *trace = trace_of_losses(*state, 5);
    bool copied = true;

    assert_int_equal(trace_copy_step(trace, &copied), 0);
    assert_false(copied);
    assert_int_equal(trace->event_count, 5);
    memmodel_trace_unref(trace);
}

static void
reading_survives_failing_allocations(void **state)
{
    (void)state;
    assert_survives_failing_allocations(read_and_drop);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(peak_of_a_step_is_its_first_maximum),
        WITH_CONTEXT(categories_add_up_to_what_is_live),
        WITH_CONTEXT(events_tell_their_block_layer_and_phase),
        WITH_CONTEXT(live_bytes_beyond_63_bits_are_an_error),
        WITH_CONTEXT(a_recording_is_read_step_by_step),
        WITH_CONTEXT(a_release_is_that_of_the_youngest_block_of_its_size),
        WITH_CONTEXT(a_recording_that_cannot_be_is_refused),
        WITH_CONTEXT(an_error_says_line_and_column),
        WITH_CONTEXT(a_file_that_is_not_there_is_an_error),
        WITH_CONTEXT(a_copied_step_releases_what_the_one_before_left),
        WITH_CONTEXT(a_step_that_leaves_more_than_it_was_left_is_not_copied),
        WITH_CONTEXT(reading_survives_failing_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Recordings: what a watcher reports becomes a trace, and the trace a report. Expected numbers are sums done by hand. */
#include "allocations.h"

static const struct memmodel_recording_owner weight = {
    .size = sizeof weight, .role = "weight", .layer = "net.linear", .category = MEMMODEL_CATEGORY_PARAMETERS};
static const struct memmodel_recording_owner activation = {.size = sizeof activation,
                                                           .layer = "net.linear",
                                                           .line = "train.py:12",
                                                           .category = MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS};
static const struct memmodel_recording_owner plain = {.size = sizeof plain, .category = MEMMODEL_CATEGORY_INPUTS};

/* 4 floats to 4 floats, by an operator that there is not. */
static const struct memmodel_recording_tensor four = {
    .dims = {4}, .strides = {1}, .rank = 1, .dtype = MEMMODEL_DTYPE_FLOAT32};
static const struct memmodel_recording_operator unknown = {.size = sizeof unknown,
                                                           .name = "aten.no_such_operator.default",
                                                           .inputs = &four,
                                                           .outputs = &four,
                                                           .input_count = 1,
                                                           .output_count = 1};

static memmodel_recording *
recording_of(memmodel_context *context, const struct memmodel_job *job)
{
    memmodel_recording *recording = NULL;

    if (memmodel_recording_new(context, job, &recording))
        fail_msg("%s", memmodel_context_error(context)->message);
    return recording;
}

static memmodel_recording_block
allocated_at(memmodel_recording *recording, int64_t bytes, const char *line)
{
    struct memmodel_recording_owner owner = plain;
    memmodel_recording_block block;

    owner.line = line;
    block = memmodel_recording_allocate(recording, bytes, &owner);
    assert_true(block >= 0);
    return block;
}

static struct memmodel_trace_event
event_at(const memmodel_trace *trace, size_t index)
{
    struct memmodel_trace_event event = {.size = sizeof event};

    assert_int_equal(memmodel_trace_get_event(trace, index, &event), 0);
    return event;
}

/*
 * A weight of 100 bytes; in step 1 an activation of 40, after whose release a gradient of 60 is born; in step 2 another
 * activation of 300. Live: 100, 140, 100, 160, 460.
 */
static int
make_trace(memmodel_context *context, const struct memmodel_job *job, memmodel_trace **trace)
{
    const int64_t sizes[] = {40, 300};
    memmodel_recording_block block;
    memmodel_recording *recording;
    int32_t number = -1;
    int status = memmodel_recording_new(context, job, &recording);

    if (status)
        return status;
    block = memmodel_recording_allocate(recording, 100, &weight);
    status = block < 0 ? block : memmodel_recording_enter(recording, 1, MEMMODEL_PHASE_FORWARD);
    if (!status)
        number = memmodel_recording_add_operator(recording, &unknown);
    if (!status)
        status = number < 0 ? number : memmodel_recording_run(recording, number, &activation, &sizes[0], 1, &block);
    if (!status)
        status = memmodel_recording_enter(recording, 1, MEMMODEL_PHASE_BACKWARD);
    if (!status)
        status = memmodel_recording_release(recording, block);
    if (!status)
        block = memmodel_recording_allocate(recording, 60, &activation);
    if (!status)
        status = block < 0 ? block : memmodel_recording_set_category(recording, block, MEMMODEL_CATEGORY_GRADIENTS);
    if (!status)
        status = memmodel_recording_enter(recording, 2, MEMMODEL_PHASE_FORWARD);
    if (!status)
        status = memmodel_recording_run(recording, number, &activation, &sizes[1], 1, &block);
    if (!status)
        status = memmodel_recording_finish(recording, trace);
    memmodel_recording_unref(recording);
    return status;
}

static memmodel_trace *
trace_of(memmodel_context *context, const struct memmodel_job *job)
{
    memmodel_trace *trace = NULL;

    if (make_trace(context, job, &trace))
        fail_msg("%s", memmodel_context_error(context)->message);
    return trace;
}

static void
events_are_those_that_were_reported(void **state)
{
    static const int64_t live[] = {100, 140, 100, 160, 460};
    memmodel_trace *trace = trace_of(*state, NULL);
    struct memmodel_trace_event event;

    assert_int_equal(memmodel_trace_event_count(trace), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(event_at(trace, i).live, live[i]);
    event = event_at(trace, 0);
    assert_string_equal(event.role, "weight");
    assert_string_equal(event.line, "");
    assert_int_equal(event.step, 0);
    event = event_at(trace, 1);
    assert_string_equal(event.role, "aten.no_such_operator.default");
    assert_string_equal(event.layer, "net.linear");
    assert_string_equal(event.line, "train.py:12");
    assert_int_equal(event.phase, MEMMODEL_PHASE_FORWARD);
    event = event_at(trace, 2);
    assert_int_equal(event.bytes, -40);
    assert_int_equal(event.phase, MEMMODEL_PHASE_BACKWARD);
    assert_int_equal(event_at(trace, 3).category, MEMMODEL_CATEGORY_GRADIENTS);
    memmodel_trace_unref(trace);
}

static void
an_operator_of_the_same_shapes_has_the_same_number(void **state)
{
    memmodel_recording *recording = recording_of(*state, NULL);
    struct memmodel_recording_operator other = unknown;
    struct memmodel_recording_tensor transposed = four;
    int32_t first = memmodel_recording_add_operator(recording, &unknown);

    assert_int_equal(first, 0);
    assert_int_equal(memmodel_recording_add_operator(recording, &other), first);
    other.attributes = "dim=1";
    assert_int_equal(memmodel_recording_add_operator(recording, &other), 1);
    other = unknown;
    other.outputs = &transposed;
    transposed.strides[0] = 2;
    assert_int_equal(memmodel_recording_add_operator(recording, &other), 2);
    transposed.dims[7] = 5; /* beyond its rank */
    assert_int_equal(memmodel_recording_add_operator(recording, &other), 2);
    memmodel_recording_unref(recording);
}

static void
a_view_is_no_storage(void **state)
{
    const int64_t view = MEMMODEL_RECORDING_NONE;
    memmodel_recording *recording = recording_of(*state, NULL);
    memmodel_recording_block block = 7;
    memmodel_trace *trace;

    assert_int_equal(memmodel_recording_add_operator(recording, &unknown), 0);
    assert_int_equal(memmodel_recording_run(recording, 0, &activation, &view, 1, &block), 0);
    assert_int_equal(block, MEMMODEL_RECORDING_NONE);
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    assert_int_equal(memmodel_trace_event_count(trace), 0);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

static void
a_storage_is_released_once(void **state)
{
    memmodel_recording *recording = recording_of(*state, NULL);
    memmodel_recording_block full = memmodel_recording_allocate(recording, 8, &plain);
    memmodel_recording_block empty = memmodel_recording_allocate(recording, 0, &plain);

    for (int i = 0; i < 2; i++) {
        memmodel_recording_block block = i ? full : empty;

        assert_true(block >= 0);
        assert_int_equal(memmodel_recording_release(recording, block), 0);
        assert_error(*state, memmodel_recording_release(recording, block), MEMMODEL_ERROR_INVALID_ARGUMENT, "already");
    }
    assert_int_equal(memmodel_recording_set_category(recording, full, MEMMODEL_CATEGORY_GRADIENTS), 0);
    memmodel_recording_unref(recording);
}

static void
what_is_wrong_is_refused(void **state)
{
    memmodel_recording *recording = recording_of(*state, NULL);
    struct memmodel_recording_owner owner = plain;
    struct memmodel_recording_operator operation = unknown;
    struct memmodel_recording_tensor tensor = four;
    const int64_t negative = -5, bytes = 4;
    memmodel_recording_block block = 3;
    memmodel_trace *trace;

    assert_error(*state, memmodel_recording_allocate(recording, -1, &plain), MEMMODEL_ERROR_INVALID_ARGUMENT, "-1");
    owner.category = 77;
    assert_error(*state, memmodel_recording_allocate(recording, 1, &owner), MEMMODEL_ERROR_INVALID_ARGUMENT, "77");
    owner = plain;
    owner.layer = "\xff";
    assert_error(*state, memmodel_recording_allocate(recording, 1, &owner), MEMMODEL_ERROR_INVALID_ARGUMENT, "UTF-8");
    assert_error(*state, memmodel_recording_enter(recording, 40000, 1), MEMMODEL_ERROR_INVALID_ARGUMENT, "40000");
    assert_error(*state, memmodel_recording_enter(recording, 1, 9), MEMMODEL_ERROR_INVALID_ARGUMENT, "phase is 9");
    assert_error(*state, memmodel_recording_release(recording, 0), MEMMODEL_ERROR_INVALID_ARGUMENT, "storage 0");
    operation.name = "";
    assert_int_equal(memmodel_recording_add_operator(recording, &operation), MEMMODEL_ERROR_INVALID_ARGUMENT);
    operation = unknown;
    operation.inputs = &tensor;
    tensor.rank = 9;
    assert_error(*state, memmodel_recording_add_operator(recording, &operation), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "rank 9");
    tensor = four;
    tensor.dims[0] = -1;
    assert_int_equal(memmodel_recording_add_operator(recording, &operation), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_recording_add_operator(recording, &unknown), 0);
    assert_error(*state, memmodel_recording_run(recording, 1, &plain, &bytes, 1, &block),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "operator 1");
    assert_error(*state, memmodel_recording_run(recording, 0, &plain, &negative, 1, &block),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "-5");
    assert_error(*state, memmodel_recording_run(recording, 0, &plain, &bytes, 0, &block),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "1 outputs");
    assert_int_equal(block, 3);
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    assert_int_equal(memmodel_trace_event_count(trace), 0);
    assert_error(*state, memmodel_recording_enter(recording, 1, 1), MEMMODEL_ERROR_INVALID_ARGUMENT, "finished");
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

static void
other_frameworks_are_refused(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .framework = "tensorflow"};
    memmodel_recording *recording;

    assert_error(*state, memmodel_recording_new(*state, &job, &recording), MEMMODEL_ERROR_UNSUPPORTED, "pytorch");
}

/* ---- the report of a trace ---- */

static memmodel_report *
report_of(memmodel_context *context, const memmodel_trace *trace, const struct memmodel_job *job)
{
    memmodel_report *report = NULL;

    if (memmodel_trace_estimate(trace, job, context, &report))
        fail_msg("%s", memmodel_context_error(context)->message);
    return report;
}

static struct memmodel_report_result
result_of(const memmodel_report *report)
{
    struct memmodel_report_result result = {.size = sizeof result};

    assert_int_equal(memmodel_report_get_result(report, &result), 0);
    return result;
}

/* 512 bytes are made before step 1 and as many in it; step 2 does nothing, step 3 begins with a release. */
static void
a_step_has_what_is_live_when_it_begins(void **state)
{
    const struct memmodel_job jobs[] = {{.size = sizeof jobs[0], .steps = 3},
                                        {.size = sizeof jobs[0], .steps = 3, .gpu = "h100"}};

    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        memmodel_recording *recording = recording_of(*state, &jobs[i]);
        memmodel_recording_block block = memmodel_recording_allocate(recording, 512, &plain);
        memmodel_report *report;
        memmodel_trace *trace;

        assert_int_equal(memmodel_recording_enter(recording, 1, MEMMODEL_PHASE_FORWARD), 0);
        assert_int_equal(memmodel_recording_allocate(recording, 512, &plain), 1);
        assert_int_equal(memmodel_recording_enter(recording, 3, MEMMODEL_PHASE_FORWARD), 0);
        assert_int_equal(memmodel_recording_release(recording, block), 0);
        assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
        report = report_of(*state, trace, &jobs[i]);
        for (size_t step = 0; step < 3; step++)
            assert_int_equal(memmodel_report_step_peak(report, step), 1024);
        memmodel_report_unref(report);
        memmodel_trace_unref(trace);
        memmodel_recording_unref(recording);
    }
}

/* The peaks are 160 in step 1, 460 in step 2: 100 of the weight, 60 of the gradient, 300 of an activation. */
static void
a_report_of_a_trace_has_its_peaks(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .metric = MEMMODEL_METRIC_LIVE, .budget = 400};
    memmodel_trace *trace = trace_of(*state, NULL);
    memmodel_report *report = report_of(*state, trace, &job);
    struct memmodel_report_result result = result_of(report);

    assert_int_equal(result.live, 460);
    assert_int_equal(result.reserved, 460);
    assert_true(result.process > 460);
    assert_int_equal(result.step_count, 2);
    assert_int_equal(memmodel_report_step_peak(report, 0), 160);
    assert_int_equal(memmodel_report_step_peak(report, 1), 460);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_EXCEEDS);
    assert_int_equal(result.headroom, -60);
    assert_string_equal(result.peak_location, "net.linear, train.py:12, forward pass of step 2");
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_PARAMETERS), 100);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_GRADIENTS), 60);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS), 300);
    assert_int_equal(memmodel_report_formula_count(report), 0);
    assert_ptr_equal(memmodel_report_trace(report), trace);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
}

/* The report's JSON and its page have the optimizer that they are to have. */
static void
assert_optimizer(memmodel_context *context, const memmodel_report *report, const char *optimizer)
{
    char in_json[64], in_page[64], *json, *page;

    snprintf(in_json, sizeof in_json, "\"optimizer\": \"%s\"", optimizer);
    snprintf(in_page, sizeof in_page, "\"optimizer\":\"%s\"", optimizer);
    assert_int_equal(memmodel_report_to_json(report, context, &json), 0);
    assert_int_equal(memmodel_report_to_html(report, context, &page), 0);
    assert_non_null(strstr(json, in_json));
    assert_non_null(strstr(page, in_page));
    memmodel_free(page);
    memmodel_free(json);
}

static void
a_report_of_a_trace_names_no_optimizer_of_its_own(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .optimizer = "lion"};
    memmodel_trace *trace = trace_of(*state, NULL);
    memmodel_report *unnamed = report_of(*state, trace, NULL), *named = report_of(*state, trace, &job);

    assert_optimizer(*state, unnamed, "");
    assert_optimizer(*state, named, "lion");
    memmodel_report_unref(named);
    memmodel_report_unref(unnamed);
    memmodel_trace_unref(trace);
}

static void
layers_of_a_trace_are_those_that_own_memory(void **state)
{
    memmodel_trace *trace = trace_of(*state, NULL);
    memmodel_report *report = report_of(*state, trace, NULL);
    struct memmodel_report_layer layer = {.size = sizeof layer}, total = {.size = sizeof total};

    assert_int_equal(memmodel_report_layer_count(report), 1);
    assert_int_equal(memmodel_report_get_layer(report, 0, &layer), 0);
    assert_string_equal(layer.name, "net.linear");
    assert_int_equal(layer.parameter_bytes, 100);
    assert_int_equal(layer.output_bytes, 40);
    assert_int_equal(layer.peak_bytes, 460);
    assert_int_equal(layer.peak_by_category[MEMMODEL_CATEGORY_GRADIENTS], 60);
    assert_int_equal(memmodel_report_get_total(report, &total), 0);
    assert_int_equal(total.peak_bytes, 460);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
}

static void
a_storage_may_get_its_module_later(void **state)
{
    memmodel_recording *recording = recording_of(*state, NULL);
    memmodel_recording_block block = memmodel_recording_allocate(recording, 8, &plain);
    struct memmodel_report_layer layer = {.size = sizeof layer};
    memmodel_trace *trace;
    memmodel_report *report;

    memmodel_recording_enter(recording, 1, MEMMODEL_PHASE_FORWARD);
    assert_int_equal(memmodel_recording_set_layer(recording, block, "net.linear"), 0);
    assert_error(*state, memmodel_recording_set_layer(recording, 7, "net"), MEMMODEL_ERROR_INVALID_ARGUMENT, "7");
    assert_error(*state, memmodel_recording_set_layer(recording, block, "\xff"), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "UTF-8");
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    report = report_of(*state, trace, NULL);
    assert_int_equal(memmodel_report_layer_count(report), 1);
    assert_int_equal(memmodel_report_get_layer(report, 0, &layer), 0);
    assert_string_equal(layer.name, "net.linear");
    assert_int_equal(layer.peak_bytes, 8);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

static void
assert_engine(memmodel_context *context, memmodel_recording *recording, const char *engine)
{
    memmodel_trace *trace;
    memmodel_report *report;

    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    report = report_of(context, trace, NULL);
    assert_string_equal(result_of(report).engine, engine);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

static void
a_report_says_who_watched(void **state)
{
    memmodel_recording *recording = recording_of(*state, NULL);

    assert_int_equal(memmodel_recording_set_engine(recording, "profiler"), 0);
    assert_error(*state, memmodel_recording_set_engine(recording, "\xff"), MEMMODEL_ERROR_INVALID_ARGUMENT, "UTF-8");
    assert_engine(*state, recording, "profiler");
    assert_engine(*state, recording_of(*state, NULL), "recording");
}

/* The numbers and one of them more is what a CPU takes; a GPU sorts, in what is not known. */
static void
a_rule_of_the_cpu_is_named_on_a_gpu(void **state)
{
    static const struct memmodel_recording_tensor numbers = {
        .dims = {1000}, .strides = {1}, .rank = 1, .dtype = MEMMODEL_DTYPE_INT64};
    static const struct memmodel_recording_operator permutation = {.size = sizeof permutation,
                                                                   .name = "aten.randperm.default",
                                                                   .attributes = "n=1000",
                                                                   .outputs = &numbers,
                                                                   .output_count = 1};
    struct memmodel_job jobs[] = {{.size = sizeof jobs[0]}, {.size = sizeof jobs[0], .gpu = "h200"}};
    const int64_t bytes = 8000;

    for (size_t i = 0; i < 2; i++) {
        memmodel_recording *recording = recording_of(*state, &jobs[i]);
        memmodel_recording_block block;
        memmodel_trace *trace;
        memmodel_report *report;
        int32_t number = memmodel_recording_add_operator(recording, &permutation);

        assert_int_equal(memmodel_recording_run(recording, number, &plain, &bytes, 1, &block), 0);
        assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
        report = report_of(*state, trace, &jobs[i]);
        assert_int_equal(memmodel_report_unmodelled_count(report), i);
        memmodel_report_unref(report);
        memmodel_trace_unref(trace);
        memmodel_recording_unref(recording);
    }
}

/* Five steps and what is freed after them. Each adds 4 bytes; another value goes when the next one is there. */
static void
a_line_that_leaves_memory_in_each_step_is_named(void **state)
{
    memmodel_recording *recording = recording_of(*state, NULL);
    struct memmodel_report_line line = {.size = sizeof line};
    memmodel_recording_block kept[6], last = MEMMODEL_RECORDING_NONE, once = MEMMODEL_RECORDING_NONE;
    memmodel_trace *trace;
    memmodel_report *report;

    for (int step = 1; step <= 5; step++) {
        memmodel_recording_enter(recording, step, MEMMODEL_PHASE_FORWARD);
        kept[step] = allocated_at(recording, 4, "train.py:7");
        if (last >= 0)
            memmodel_recording_release(recording, last);
        last = allocated_at(recording, 1000, "train.py:8");
        if (step == 2)
            once = allocated_at(recording, 64, "train.py:9");
    }
    memmodel_recording_enter(recording, 6, MEMMODEL_PHASE_FORWARD);
    for (int step = 1; step <= 5; step++)
        memmodel_recording_release(recording, kept[step]);
    memmodel_recording_release(recording, once);
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    report = report_of(*state, trace, NULL);
    assert_int_equal(memmodel_report_line_count(report), 3);
    assert_int_equal(memmodel_report_get_line(report, 0, &line), 0);
    assert_string_equal(line.line, "train.py:8");
    assert_int_equal(line.peak_bytes, 1000); /* the one before is gone when the last is made */
    assert_int_equal(line.growth_bytes, 0);
    memmodel_report_get_line(report, 1, &line);
    assert_string_equal(line.line, "train.py:9");
    assert_int_equal(line.peak_bytes, 64);
    assert_int_equal(line.growth_bytes, 0);
    memmodel_report_get_line(report, 2, &line);
    assert_string_equal(line.line, "train.py:7");
    assert_int_equal(line.peak_bytes, 5 * 4);
    assert_int_equal(line.growth_bytes, 4);
    assert_int_equal(memmodel_report_get_line(report, 3, &line), MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

/* Of one name in the step that has most of it: 300 bytes. */
static void
operators_without_a_rule_are_named(void **state)
{
    memmodel_trace *trace = trace_of(*state, NULL);
    memmodel_report *report = report_of(*state, trace, NULL);
    struct memmodel_report_unmodelled unmodelled = {.size = sizeof unmodelled};

    assert_int_equal(memmodel_report_unmodelled_count(report), 1);
    assert_int_equal(memmodel_report_get_unmodelled(report, 0, &unmodelled), 0);
    assert_string_equal(unmodelled.op, "aten.no_such_operator.default");
    assert_int_equal(unmodelled.bytes, 300);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
}

/* PyTorch rounds up to 512 bytes, in segments of 2 MiB: CUDACachingAllocator.cpp, kMinBlockSize, kSmallBuffer. */
static void
on_a_gpu_blocks_are_those_of_its_allocator(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .gpu = "h200"};
    memmodel_trace *trace = trace_of(*state, &job);
    memmodel_report *report = report_of(*state, trace, &job);
    struct memmodel_report_result result = result_of(report);

    assert_int_equal(result.live, 3 * 512);
    assert_int_equal(result.reserved, 2 << 20);
    assert_true(result.process > result.reserved);
    assert_int_equal(memmodel_report_step_peak(report, 0), 2 * 512);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
}

static void
a_report_of_a_trace_is_written(void **state)
{
    memmodel_trace *trace = trace_of(*state, NULL);
    memmodel_report *report = report_of(*state, trace, NULL);
    char *json = NULL, *page = NULL;

    assert_int_equal(memmodel_report_to_json(report, *state, &json), 0);
    assert_non_null(strstr(json, "\"step_peaks\""));
    assert_int_equal(memmodel_report_to_html(report, *state, &page), 0);
    assert_non_null(strstr(page, "net.linear"));
    memmodel_free(json);
    memmodel_free(page);
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
}

/* Nothing is live, there is no step, and no peak. */
static void
an_empty_trace_has_a_report(void **state)
{
    struct memmodel_job jobs[] = {{.size = sizeof jobs[0]}, {.size = sizeof jobs[0], .gpu = "h200"}};

    for (int i = 0; i < 2; i++) {
        memmodel_recording *recording = recording_of(*state, &jobs[i]);
        memmodel_trace *trace;
        memmodel_report *report;

        assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
        report = report_of(*state, trace, &jobs[i]);
        assert_int_equal(result_of(report).live, 0);
        assert_int_equal(result_of(report).step_count, 0);
        memmodel_report_unref(report);
        memmodel_trace_unref(trace);
        memmodel_recording_unref(recording);
    }
}

static void
frameworks_whose_process_needs_a_network_are_refused(void **state)
{
    static const char *const names[] = {"textbook", "tensorflow"};
    memmodel_trace *trace = trace_of(*state, NULL);
    memmodel_report *report;

    for (int i = 0; i < 2; i++) {
        struct memmodel_job job = {.size = sizeof job, .framework = names[i]};

        assert_error(*state, memmodel_trace_estimate(trace, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED,
                     "network");
    }
    memmodel_trace_unref(trace);
}

/* The report of a network's own trace has the peaks of the network's report. */
static void
the_trace_of_a_report_gives_the_same_peaks(void **state)
{
    const struct memmodel_job jobs[] = {{.size = sizeof jobs[0]}, {.size = sizeof jobs[0], .gpu = "h200"}};

    for (int i = 0; i < 2; i++) {
        memmodel_network *network;
        memmodel_report *report, *again;
        struct memmodel_report_result first, second;
        memmodel_tensor x;

        assert_int_equal(memmodel_network_new(*state, &network), 0);
        x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (const memmodel_dim[]){64, 1000});
        x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 500));
        memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 10));
        assert_int_equal(memmodel_estimate(network, &jobs[i], NULL, &report), 0);
        again = report_of(*state, memmodel_report_trace(report), &jobs[i]);
        first = result_of(report);
        second = result_of(again);
        assert_same_results(&first, &second);
        for (size_t step = 0; step < 3; step++)
            assert_int_equal(memmodel_report_step_peak(report, step), memmodel_report_step_peak(again, step));
        memmodel_report_unref(again);
        memmodel_report_unref(report);
        memmodel_network_unref(network);
    }
}

/* ---- what operators take inside ---- */

static struct memmodel_recording_tensor
matrix(int64_t rows, int64_t columns)
{
    return (struct memmodel_recording_tensor){
        .dims = {rows, columns}, .strides = {columns, 1}, .rank = 2, .dtype = MEMMODEL_DTYPE_FLOAT32};
}

static int64_t
live_at_end(const memmodel_trace *trace)
{
    return event_at(trace, memmodel_trace_event_count(trace) - 1).live;
}

/*
 * PyTorch 2.13 gives cuBLAS on Hopper 32 MiB for each thread that calls it, once: CublasHandlePool.cpp, parseChosenWorkspaceSize. The
 * results are 64 floats each, three in the forward and two in the backward pass.
 */
static void
a_library_keeps_its_workspace_between_operators(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .gpu = "h200", .framework_version = "2.13"};
    struct memmodel_recording_tensor factors[] = {matrix(8, 8), matrix(8, 8)};
    struct memmodel_recording_operator product = {.size = sizeof product,
                                                  .name = "aten.mm.default",
                                                  .inputs = factors,
                                                  .outputs = factors,
                                                  .input_count = 2,
                                                  .output_count = 1};
    memmodel_recording *recording = recording_of(*state, &job);
    const int64_t bytes = 256;
    memmodel_recording_block block;
    memmodel_trace *trace;

    assert_int_equal(memmodel_recording_add_operator(recording, &product), 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(
            memmodel_recording_enter(recording, 1, i < 3 ? MEMMODEL_PHASE_FORWARD : MEMMODEL_PHASE_BACKWARD), 0);
        assert_int_equal(memmodel_recording_run(recording, 0, &activation, &bytes, 1, &block), 0);
    }
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    assert_int_equal(memmodel_trace_event_count(trace), 5 + 2);
    assert_int_equal(live_at_end(trace), 5 * 256 + 2 * (32 << 20));
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

/* A million runs of a product, of whose results 1,000 are there at a time. */
/*
 * Attention in float32 returns its result, 2 x 4 x 48 x 16 floats; a float of each row, of which there are 32 or 64; and the
 * generator's seed and offset, 8 bytes each, which it makes first: attention.cu, _efficient_attention_forward().
 */
static void
results_have_the_bytes_of_their_shapes_in_whichever_order_they_are_made(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .gpu = "h100", .framework_version = "2.15"};
    struct memmodel_recording_tensor heads = {
        .dims = {2, 4, 48, 16}, .strides = {3072, 768, 16, 1}, .rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32};
    struct memmodel_recording_tensor rows = {
        .dims = {2, 4, 64}, .strides = {256, 64, 1}, .rank = 3, .dtype = MEMMODEL_DTYPE_FLOAT32};
    struct memmodel_recording_tensor number = {.rank = 0, .dtype = MEMMODEL_DTYPE_INT64}, none = {.rank = -1};
    struct memmodel_recording_tensor inputs[] = {heads, heads, heads, none}, outputs[] = {heads, rows, number, number};
    struct memmodel_recording_operator attention = {.size = sizeof attention,
                                                    .name = "aten._scaled_dot_product_efficient_attention.default",
                                                    .attributes = "compute_log_sumexp=True",
                                                    .inputs = inputs,
                                                    .outputs = outputs,
                                                    .input_count = 4,
                                                    .output_count = 4};
    memmodel_recording *recording = recording_of(*state, &job);
    const int64_t bytes[] = {24576, 2048, 8, 8};
    memmodel_recording_block blocks[4];
    memmodel_trace *trace;

    assert_int_equal(memmodel_recording_add_operator(recording, &attention), 0);
    assert_int_equal(memmodel_recording_run(recording, 0, &activation, bytes, 4, blocks), 0);
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    assert_int_equal(live_at_end(trace), 24576 + 2048 + 8 + 8);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

static void
a_million_operators_take_seconds(void **state)
{
    enum { RUNS = 1000000, ALIVE = 1000 };
    static memmodel_recording_block blocks[ALIVE];
    struct memmodel_recording_tensor factors[] = {matrix(8, 8), matrix(8, 8)};
    struct memmodel_recording_operator product = {.size = sizeof product,
                                                  .name = "aten.mm.default",
                                                  .inputs = factors,
                                                  .outputs = factors,
                                                  .input_count = 2,
                                                  .output_count = 1};
    memmodel_recording *recording = recording_of(*state, NULL);
    const int64_t bytes = 256;
    int64_t peak;
    memmodel_trace *trace;

    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(memmodel_recording_add_operator(recording, &product), 0);
        if (i >= ALIVE)
            assert_int_equal(memmodel_recording_release(recording, blocks[i % ALIVE]), 0);
        assert_int_equal(memmodel_recording_run(recording, 0, &activation, &bytes, 1, &blocks[i % ALIVE]), 0);
    }
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    assert_int_equal(memmodel_trace_event_count(trace), 2 * RUNS - ALIVE);
    assert_int_equal(live_at_end(trace), ALIVE * 256);
    memmodel_context_memory(*state, NULL, &peak);
    assert_true(peak < 500 << 20);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

/* Their table is written while other tables are: each module has what it allocated. */
static void
many_modules_have_a_row_each(void **state)
{
    enum { MODULES = 400 };
    memmodel_recording *recording = recording_of(*state, NULL);
    memmodel_report *report;
    memmodel_trace *trace;

    for (int i = 0; i < MODULES; i++) {
        struct memmodel_recording_owner owner = plain;
        char name[16], line[16];

        snprintf(name, sizeof name, "layers.%d", i);
        snprintf(line, sizeof line, "net.py:%d", i);
        owner.layer = name;
        owner.line = line;
        assert_true(memmodel_recording_allocate(recording, 8 * (i + 1), &owner) >= 0);
    }
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    report = report_of(*state, trace, NULL);
    assert_int_equal(memmodel_report_layer_count(report), MODULES);
    for (size_t i = 0; i < MODULES; i++) {
        struct memmodel_report_layer layer = {.size = sizeof layer};
        char name[16];

        snprintf(name, sizeof name, "layers.%zu", i);
        assert_int_equal(memmodel_report_get_layer(report, i, &layer), 0);
        assert_string_equal(layer.name, name);
        assert_int_equal(layer.peak_bytes, 8 * (i + 1));
    }
    memmodel_report_unref(report);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

static int
record_and_report(memmodel_context *context)
{
    memmodel_trace *trace;
    memmodel_report *report;
    int status = make_trace(context, NULL, &trace);

    if (status)
        return status;
    status = memmodel_trace_estimate(trace, NULL, NULL, &report);
    if (!status)
        memmodel_report_unref(report);
    memmodel_trace_unref(trace);
    return status;
}

static void
memory_may_run_out_anywhere(void **state)
{
    (void)state;
    assert_survives_failing_allocations(record_and_report);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(events_are_those_that_were_reported),
        WITH_CONTEXT(an_operator_of_the_same_shapes_has_the_same_number),
        WITH_CONTEXT(a_view_is_no_storage),
        WITH_CONTEXT(a_storage_is_released_once),
        WITH_CONTEXT(a_storage_may_get_its_module_later),
        WITH_CONTEXT(a_report_says_who_watched),
        WITH_CONTEXT(what_is_wrong_is_refused),
        WITH_CONTEXT(other_frameworks_are_refused),
        WITH_CONTEXT(a_report_of_a_trace_has_its_peaks),
        WITH_CONTEXT(a_step_has_what_is_live_when_it_begins),
        WITH_CONTEXT(a_report_of_a_trace_names_no_optimizer_of_its_own),
        WITH_CONTEXT(layers_of_a_trace_are_those_that_own_memory),
        WITH_CONTEXT(a_rule_of_the_cpu_is_named_on_a_gpu),
        WITH_CONTEXT(a_line_that_leaves_memory_in_each_step_is_named),
        WITH_CONTEXT(operators_without_a_rule_are_named),
        WITH_CONTEXT(on_a_gpu_blocks_are_those_of_its_allocator),
        WITH_CONTEXT(a_report_of_a_trace_is_written),
        WITH_CONTEXT(an_empty_trace_has_a_report),
        WITH_CONTEXT(frameworks_whose_process_needs_a_network_are_refused),
        WITH_CONTEXT(the_trace_of_a_report_gives_the_same_peaks),
        WITH_CONTEXT(a_library_keeps_its_workspace_between_operators),
        WITH_CONTEXT(results_have_the_bytes_of_their_shapes_in_whichever_order_they_are_made),
        LONG_WITH_CONTEXT(a_million_operators_take_seconds),
        WITH_CONTEXT(many_modules_have_a_row_each),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Long loops, of which few iterations are run: walked through, the trace is the one in which all of them are, event by
 * event; and so is all that is made of it.
 */
#include "allocators/allocator.h"
#include "base/checked.h"
#include "check.h"
#include "report/report.h"
#include "trace/repeat.h"

#include <stdlib.h>

enum { FEATURES = 3, TRIALS = 40 };

/* A recurrent layer, and how it is run. */
struct evaluated_set {
    int64_t length, batch, hidden;
    int kind, directions, layers, batch_first, projection, sequence; /* sequence: the loss is of all outputs */
    const char *precision, *checkpoint;
    int inference, accumulate;
    double dropout;
};

static memmodel_network *
network_of(memmodel_context *context, const struct evaluated_set *trial)
{
    memmodel_dim dims[] = {trial->length, trial->batch, FEATURES};
    memmodel_network *net;
    memmodel_tensor x;

    if (trial->batch_first) {
        dims[0] = trial->batch;
        dims[1] = trial->length;
    }
    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 3, dims);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = FEATURES, .name = "first"));
    x = memmodel_network_recurrent(net, x,
                                   MEMMODEL_RECURRENT(.kind = trial->kind, .hidden_size = trial->hidden, .name = "cell",
                                                      .layer_count = trial->layers, .dropout = trial->dropout,
                                                      .projection_size = trial->projection,
                                                      .bidirectional = trial->directions == 2,
                                                      .batch_first = trial->batch_first));
    if (!trial->sequence)
        x = memmodel_network_layer_output(net, x, 1);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 2, .name = "last"));
    memmodel_network_mark_output(net, x);
    if (memmodel_network_status(net))
        fail_msg("%s", memmodel_context_error(context)->message);
    return net;
}

static struct memmodel_job
job_of(const struct evaluated_set *trial)
{
    struct memmodel_job job = {
        .size = sizeof job,
        .precision = trial->precision,
        .checkpoint = trial->checkpoint,
        .device = "cpu", /* on a GPU a recurrent layer is one call */
        .mode = trial->inference,
        .gradient_accumulation = trial->accumulate,
    };

    job_complete(&job);
    return job;
}

static struct memmodel_trace *
simulate(memmodel_context *context, const struct evaluated_set *trial, bool unrolled, struct optimizer_cache *updates)
{
    memmodel_network *net = network_of(context, trial);
    struct simulation simulation = {.unrolled = unrolled, .updates = updates};
    struct memmodel_job job = job_of(trial);
    struct binding binding;

    assert_int_equal(binding_new(context, net, NULL, &binding), 0);
    if (pytorch_simulate(context, &binding, &job, &simulation))
        fail_msg("%s", memmodel_context_error(context)->message);
    memory_release(context, simulation.unmodelled);
    binding_release(context, &binding);
    memmodel_network_unref(net);
    return simulation.trace;
}

/* ---- event by event ---- */

/* What of the whole trace each instance of a block is. */
struct twins {
    int32_t **of;
};

static int32_t *
twin_of(const struct memmodel_trace *trace, struct twins *twins, const struct walk_event *event)
{
    int64_t count = trace_instances(trace, &trace->blocks[event->block]);

    assert_in_range(event->instance, 0, count - 1);
    if (!twins->of[event->block]) {
        twins->of[event->block] = malloc((size_t)count * sizeof(int32_t));
        assert_non_null(twins->of[event->block]);
        memset(twins->of[event->block], 0xff, (size_t)count * sizeof(int32_t));
    }
    return &twins->of[event->block][event->instance];
}

static void
assert_same_event(const struct memmodel_trace *trace, const struct memmodel_trace *whole, struct twins *twins,
                  const struct walk_event *event, size_t index)
{
    const struct trace_event *expected = &whole->events[index], *given = &trace->events[event->event];
    const struct trace_block *block = &trace->blocks[event->block], *other = &whole->blocks[expected->block];
    int32_t *twin = twin_of(trace, twins, event);

    assert_int_equal(event->release, expected->release);
    assert_int_equal(block->bytes, other->bytes);
    assert_int_equal(block->category, other->category);
    assert_int_equal(block->layer, other->layer);
    assert_int_equal(given->layer, expected->layer);
    assert_int_equal(given->step, expected->step);
    assert_int_equal(given->phase, expected->phase);
    if (event->release) {
        assert_int_equal(*twin, expected->block);
    } else {
        assert_int_equal(*twin, -1);
        *twin = expected->block;
    }
}

static void
assert_same_events(memmodel_context *context, const struct memmodel_trace *trace, const struct memmodel_trace *whole)
{
    struct twins twins = {calloc(trace->block_count + 1, sizeof(int32_t *))};
    struct trace_walk walk;
    struct walk_event event;
    size_t index = 0;
    int status = 0;

    assert_int_equal(trace_walk_begin(&walk, context, trace), 0);
    while (trace_walk_next(&walk, &event, &status)) {
        assert_true(index < whole->event_count);
        assert_same_event(trace, whole, &twins, &event, index);
        index++;
    }
    assert_int_equal(status, 0);
    assert_int_equal(index, whole->event_count);
    trace_walk_end(&walk);
    for (size_t i = 0; i < trace->block_count; i++)
        free(twins.of[i]);
    free(twins.of);
}

/* ---- what is made of it ---- */

static void
assert_peaks_of_whole(const struct memmodel_trace *trace, const struct memmodel_trace *whole)
{
    for (int step = 0; step <= 3; step++) {
        int64_t given[MEMMODEL_MAX_CATEGORIES], expected[MEMMODEL_MAX_CATEGORIES];
        int32_t peak = trace_peak_event(trace, step), other = trace_peak_event(whole, step);

        assert_int_equal(trace->events[peak].live, whole->events[other].live);
        trace_categories_at(trace, peak, 0, given);
        trace_categories_at(whole, other, 0, expected);
        assert_memory_equal(given, expected, sizeof given);
    }
}

/* Followed event by event, or asked for, live bytes of the categories come to those of the event. */
static void
assert_categories_add_up(const struct memmodel_trace *trace)
{
    int64_t followed[MEMMODEL_MAX_CATEGORIES] = {0}, asked[MEMMODEL_MAX_CATEGORIES];

    for (int32_t i = 0; i < (int32_t)trace->event_count; i++) {
        int64_t sum = 0;

        trace_follow(trace, i, followed);
        for (int k = 0; memmodel_category_name(k); k++)
            sum += followed[k];
        assert_int_equal(sum, trace->events[i].live);
        if (i % 97)
            continue;
        trace_categories_at(trace, i, 0, asked);
        assert_memory_equal(asked, followed, sizeof asked);
    }
}

static void
assert_same_plans(const struct memmodel_trace *trace, const struct memmodel_trace *whole)
{
    const struct memmodel_plan_options options = {.size = sizeof options, .max_nodes = 1};
    struct memmodel_plan_result given = {.size = sizeof given}, expected = given;
    memmodel_plan *plan, *other;

    if (whole->block_count > 3000)
        return;
    assert_int_equal(memmodel_plan_from_trace(trace->context, trace, &plan), 0);
    assert_int_equal(memmodel_plan_from_trace(whole->context, whole, &other), 0);
    assert_int_equal(memmodel_plan_buffer_count(plan), memmodel_plan_buffer_count(other));
    assert_int_equal(memmodel_plan_solve(plan, &options), 0);
    assert_int_equal(memmodel_plan_solve(other, &options), 0);
    memmodel_plan_get_result(plan, &given);
    memmodel_plan_get_result(other, &expected);
    assert_int_equal(given.lower_bound, expected.lower_bound);
    memmodel_plan_unref(plan);
    memmodel_plan_unref(other);
}

static void
assert_same_replays(memmodel_context *context, const struct memmodel_trace *trace, const struct memmodel_trace *whole)
{
    static const struct {
        const struct allocator *allocator;
        const char *settings;
    } kinds[] = {{&allocator_cuda_caching, NULL},
                 {&allocator_bfc, NULL},
                 {&allocator_onnxruntime, NULL},
                 {&allocator_glibc, "alignment:64"},
                 {&allocator_exact, NULL}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct replay given, expected;

        assert_int_equal(allocator_replay(context, kinds[i].allocator, kinds[i].settings, trace, &given), 0);
        assert_int_equal(allocator_replay(context, kinds[i].allocator, kinds[i].settings, whole, &expected), 0);
        assert_int_equal(given.reserved_peak, expected.reserved_peak);
        assert_int_equal(given.resident_peak, expected.resident_peak);
        assert_int_equal(given.out_of_memory, expected.out_of_memory);
    }
}

static void
assert_same(memmodel_context *context, const struct evaluated_set *trial)
{
    struct optimizer_cache updates = {.steps[0].parameters = NULL};
    struct memmodel_trace *trace = simulate(context, trial, false, NULL), *whole = simulate(context, trial, true, NULL);
    struct memmodel_trace *peak = simulate(context, trial, false, &updates);

    assert_true(trace->repeat_count > 0);
    assert_same_events(context, trace, whole);
    assert_peaks_of_whole(trace, whole);
    assert_int_equal(peak->peak, whole->events[trace_peak_event(whole, 0)].live);
    assert_same_replays(context, trace, whole);
    assert_categories_add_up(trace);
    assert_same_plans(trace, whole);
    memmodel_trace_unref(trace);
    memmodel_trace_unref(whole);
    memmodel_trace_unref(peak);
    optimizer_cache_release(context, &updates);
}

/* ---- trials ---- */

static void
all_kinds_and_shapes_of_layers(void **state)
{
    static const int64_t lengths[] = {65, 66, 200, 801};

    for (int kind = MEMMODEL_RECURRENT_LSTM; kind <= MEMMODEL_RECURRENT_RNN_RELU; kind++)
        for (int form = 0; form < 16; form++) {
            struct evaluated_set trial = {
                .length = lengths[(form + kind) % 4],
                .batch = 1 + form % 3,
                .hidden = 5 + 20 * (form % 5),
                .kind = kind,
                .directions = 1 + form % 2,
                .layers = 1 + form / 2 % 2,
                .batch_first = form / 4 % 2,
                .sequence = form / 8,
                .projection = kind == MEMMODEL_RECURRENT_LSTM ? 2 : 0,
                .dropout = form % 3 ? 0 : 0.5,
            };

            assert_same(*state, &trial);
        }
}

static void
all_ways_to_run_a_job(void **state)
{
    static const struct evaluated_set jobs[] = {
        {.inference = 1},          {.inference = 2},       {.accumulate = 3},
        {.precision = "bfloat16"}, {.checkpoint = "cell"}, {.checkpoint = "cell,last"},
    };

    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        for (int kind = MEMMODEL_RECURRENT_GRU; kind <= MEMMODEL_RECURRENT_RNN_TANH; kind++) {
            struct evaluated_set trial = jobs[i];

            trial.kind = kind;
            trial.length = 150;
            trial.batch = 2;
            trial.hidden = 33;
            trial.layers = trial.directions = 2;
            trial.sequence = kind == MEMMODEL_RECURRENT_GRU;
            assert_same(*state, &trial);
        }
}

/* ---- iterations that are left out of replays ---- */

/* Greatest counters, and when the most was allocated for the first time. */
struct max {
    struct allocator_counters counters;
    int64_t event, copy, runs;
};

static void
max_begin(void *user)
{
    *(struct max *)user = (struct max){.event = -1};
}

static void
max_count(void *user, const struct allocator_run *run, const struct allocator_counters *now)
{
    struct max *max = user;

    max->runs++;
    max->counters.reserved = max_i64(max->counters.reserved, now->reserved);
    max->counters.requested = max_i64(max->counters.requested, now->requested);
    if (now->allocated <= max->counters.allocated)
        return;
    max->counters.allocated = now->allocated;
    max->event = run->at.event;
    max->copy = run->at.copy;
}

/* Every iteration of every loop is run. */
static void
walk_all(memmodel_context *context, const struct memmodel_trace *trace, struct max *max)
{
    struct allocator_options options = {.settings = NULL};
    struct allocator_run run;

    max_begin(max);
    assert_int_equal(allocator_run_new(&run, context, &allocator_cuda_caching, &options, trace), 0);
    while (allocator_run_goes_on(&run)) {
        assert_int_equal(allocator_run_step(&run), 0);
        max_count(max, &run, allocator_cuda_caching.counters(run.self));
    }
    allocator_run_release(&run);
}

/* How many events were run of how many there are. */
static double
compare_replays(memmodel_context *context, const struct evaluated_set *trial)
{
    struct memmodel_trace *trace = simulate(context, trial, false, NULL);
    struct max walked, given;
    struct allocator_visitor visitor = {max_begin, max_count, &given};
    struct allocator_options options = {.settings = NULL};
    bool out_of_memory = false;

    walk_all(context, trace, &walked);
    assert_int_equal(allocator_run_all(context, &allocator_cuda_caching, &options, trace, &visitor, &out_of_memory), 0);
    assert_int_equal(given.counters.reserved, walked.counters.reserved);
    assert_int_equal(given.counters.allocated, walked.counters.allocated);
    assert_int_equal(given.counters.requested, walked.counters.requested);
    assert_int_equal(given.event, walked.event);
    assert_int_equal(given.copy, walked.copy);
    memmodel_trace_unref(trace);
    return (double)given.runs / (double)walked.runs;
}

static uint32_t
draw(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % limit;
}

static struct evaluated_set
random_trial(uint32_t *state)
{
    struct evaluated_set trial = {
        .length = 1000 + draw(state, 6000),
        .batch = INT64_C(16) << draw(state, 3),
        .hidden = draw(state, 4) ? INT64_C(64) << draw(state, 3) : 16 + draw(state, 300),
        .kind = MEMMODEL_RECURRENT_LSTM + (int)draw(state, 4),
        .directions = 1 + (int)draw(state, 2),
        .layers = 1 + (int)draw(state, 2),
        .sequence = (int)draw(state, 2),
        .inference = (int)draw(state, 3),
    };

    return trial;
}

static void
iterations_left_out_of_replays_change_nothing(void **state)
{
    uint32_t seed = 1;
    int shortened = 0;

    for (int i = 0; i < TRIALS; i++) {
        struct evaluated_set trial = random_trial(&seed);

        shortened += compare_replays(*state, &trial) < 1;
    }
    assert_true(shortened >= TRIALS / 4);
}

/* The events that are run of 20 times as many steps are not more. */
static void
what_is_run_of_a_long_loop_does_not_grow(void **state)
{
    struct evaluated_set trial = {
        .length = 4000, .batch = 64, .hidden = 256, .kind = MEMMODEL_RECURRENT_GRU, .inference = 1};
    double few = compare_replays(*state, &trial), many;

    trial.length *= 20;
    many = compare_replays(*state, &trial);
    assert_true(many * 20 < 1.2 * few);
}

/* ---- reports of loops of any length ---- */

enum { STEPS = 3, LAYERS = 4 }; /* of a job unless told; of network_of() */

/* The bytes that a report tells. */
struct figures {
    int64_t step_peaks[STEPS];
    int64_t layers[LAYERS][MEMMODEL_MAX_CATEGORIES]; /* at the peak of all steps */
};

enum { FIGURES = sizeof(struct figures) / sizeof(int64_t) };

static struct figures
figures_of_whole(memmodel_context *context, const struct evaluated_set *trial)
{
    struct memmodel_trace *whole = simulate(context, trial, true, NULL);
    int32_t peak = trace_peak_event(whole, 0);
    struct figures figures = {.step_peaks = {0}};

    for (int step = 0; step < STEPS; step++)
        figures.step_peaks[step] = whole->events[trace_peak_event(whole, step + 1)].live;
    for (size_t i = 0; i < whole->block_count; i++) {
        const struct trace_block *block = &whole->blocks[i];

        if (block->allocated <= peak && (block->released < 0 || block->released > peak))
            figures.layers[block->layer][block->category] += block->bytes;
    }
    memmodel_trace_unref(whole);
    return figures;
}

static int
estimate_of(memmodel_context *context, const struct evaluated_set *trial, int metric, memmodel_report **report)
{
    memmodel_network *net = network_of(context, trial);
    struct memmodel_job job = job_of(trial);
    int status;

    job.metric = metric;
    status = memmodel_estimate(net, &job, NULL, report);
    memmodel_network_unref(net);
    return status;
}

static struct figures
figures_of_report(const memmodel_report *report)
{
    struct memmodel_report_result result = {.size = sizeof result};
    struct figures figures = {.step_peaks = {0}};
    int64_t most = 0;

    assert_int_equal(memmodel_report_get_result(report, &result), 0);
    for (size_t step = 0; step < STEPS; step++) {
        figures.step_peaks[step] = memmodel_report_step_peak(report, step);
        most = max_i64(most, figures.step_peaks[step]);
    }
    assert_int_equal(result.live, most);
    assert_int_equal(result.reserved, most);
    for (size_t i = 0; i < LAYERS; i++) {
        struct memmodel_report_layer layer = {.size = sizeof layer};

        assert_int_equal(memmodel_report_get_layer(report, i, &layer), 0);
        memcpy(figures.layers[i], layer.peak_by_category, sizeof figures.layers[i]);
    }
    return figures;
}

/* Few enough that no time step of a long loop can be among them one by one. */
static struct figures
figures_within_limits(memmodel_context *context, const struct evaluated_set *trial)
{
    const struct memmodel_limits limits = {.size = sizeof limits, .nodes = 1000000, .memory_bytes = INT64_C(64) << 20};
    struct figures figures;
    memmodel_report *report;

    assert_int_equal(memmodel_context_set_limits(context, &limits), 0);
    if (estimate_of(context, trial, MEMMODEL_METRIC_LIVE, &report))
        fail_msg("%s", memmodel_context_error(context)->message);
    assert_int_equal(memmodel_context_set_limits(context, NULL), 0);
    figures = figures_of_report(report);
    memmodel_report_unref(report);
    return figures;
}

static struct evaluated_set
shape_of_layer(int kind, int form)
{
    return (struct evaluated_set){
        .batch = 1 + form % 3,
        .hidden = 4 + 3 * form,
        .kind = kind,
        .directions = 1 + form % 2,
        .layers = 1 + form / 2 % 2,
        .sequence = form / 4,
        .projection = kind == MEMMODEL_RECURRENT_LSTM ? 2 : 0,
        .inference = (form + kind) % 3,
    };
}

static void
reports_of_short_loops_are_those_of_all_time_steps(void **state)
{
    for (int64_t length = 1; length <= 75; length++)
        for (int kind = MEMMODEL_RECURRENT_LSTM; kind <= MEMMODEL_RECURRENT_RNN_RELU; kind++) {
            struct evaluated_set trial = shape_of_layer(kind, (int)(length + kind) % 8);
            struct figures given, expected;

            trial.length = length;
            given = figures_within_limits(*state, &trial);
            expected = figures_of_whole(*state, &trial);
            assert_memory_equal(&given, &expected, sizeof given);
        }
}

/*
 * Every tensor has a fixed size or so many bytes a time step: from two lengths of which all time steps are run each
 * figure of others is known.
 */
static void
reports_of_long_loops_go_on_from_all_time_steps(void **state)
{
    static const int64_t lengths[] = {1001, 100000, 1000000, 100000001};
    enum { FEW = 301, MORE = 701 };

    for (int kind = MEMMODEL_RECURRENT_LSTM; kind <= MEMMODEL_RECURRENT_RNN_RELU; kind++)
        for (int form = 0; form < 8; form++) {
            struct evaluated_set trial = shape_of_layer(kind, form);
            struct figures few, more, given;
            const int64_t *a = (int64_t *)&few, *b = (int64_t *)&more, *c = (int64_t *)&given;

            trial.length = FEW;
            few = figures_of_whole(*state, &trial);
            trial.length = MORE;
            more = figures_of_whole(*state, &trial);
            for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
                trial.length = lengths[i];
                given = figures_within_limits(*state, &trial);
                for (int k = 0; k < FIGURES; k++)
                    assert_int_equal(c[k], a[k] + (b[k] - a[k]) / (MORE - FEW) * (lengths[i] - FEW));
            }
        }
}

/* What is refused in the end is refused at once: nothing that grows has been made by then. */
static void
the_process_of_a_long_loop_is_measured_within_limits_or_refused(void **state)
{
    struct evaluated_set trial = {.length = 200, .batch = 2, .hidden = 5, .kind = MEMMODEL_RECURRENT_GRU};
    struct memmodel_limits limits = {.size = sizeof limits};
    struct memmodel_report_result result = {.size = sizeof result};
    memmodel_report *report;
    int64_t peak = 0;

    assert_int_equal(estimate_of(*state, &trial, MEMMODEL_METRIC_LIVE, &report), 0);
    memmodel_report_get_result(report, &result);
    assert_true(result.process > result.live); /* short enough to be measured for nobody */
    memmodel_report_unref(report);
    trial.length = 1000000000;
    assert_int_equal(estimate_of(*state, &trial, MEMMODEL_METRIC_LIVE, &report), 0);
    memmodel_report_get_result(report, &result);
    assert_int_equal(result.process, -1);
    memmodel_report_unref(report);
    assert_error(*state, estimate_of(*state, &trial, MEMMODEL_METRIC_PROCESS, &report), MEMMODEL_ERROR_LIMIT, "nodes");
    limits.nodes = INT64_MAX;
    assert_int_equal(memmodel_context_set_limits(*state, &limits), 0);
    assert_error(*state, estimate_of(*state, &trial, MEMMODEL_METRIC_PROCESS, &report), MEMMODEL_ERROR_LIMIT,
                 "memory_bytes");
    memmodel_context_memory(*state, NULL, &peak);
    assert_true(peak < INT64_C(64) << 20);
}

/* ---- an allocator that cannot be opened again ---- */

struct openings {
    int opened, closed;
};

static struct openings openings;

static int
open_once(memmodel_context *context, const struct allocator_options *options, void **self)
{
    (void)context;
    (void)options;
    if (openings.opened++ > 0)
        return MEMMODEL_ERROR_NO_MEMORY;
    *self = &openings;
    return 0;
}

static void
count_closing(void *self)
{
    ((struct openings *)self)->closed++;
}

/* It is opened for a replay of periods first; since it cannot go by order, a second time for all iterations. */
static void
an_allocator_that_fails_to_open_again_is_closed_once(void **state)
{
    static const struct allocator allocator = {.name = "once", .open = open_once, .close = count_closing};
    struct evaluated_set trial = {.length = 200, .batch = 2, .hidden = 5, .kind = MEMMODEL_RECURRENT_GRU};
    struct memmodel_trace *trace = simulate(*state, &trial, false, NULL);
    struct allocator_options options = {.patience = 8};
    struct allocator_run run;

    openings = (struct openings){.opened = 0};
    assert_true(trace->repeat_count > 0);
    assert_int_equal(allocator_run_new(&run, *state, &allocator, &options, trace), MEMMODEL_ERROR_NO_MEMORY);
    assert_int_equal(openings.opened, 2);
    assert_int_equal(openings.closed, 1);
    memmodel_trace_unref(trace);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_WITH_CONTEXT(reports_of_short_loops_are_those_of_all_time_steps),
        LONG_WITH_CONTEXT(reports_of_long_loops_go_on_from_all_time_steps),
        WITH_CONTEXT(the_process_of_a_long_loop_is_measured_within_limits_or_refused),
        LONG_WITH_CONTEXT(iterations_left_out_of_replays_change_nothing),
        WITH_CONTEXT(what_is_run_of_a_long_loop_does_not_grow),
        WITH_CONTEXT(an_allocator_that_fails_to_open_again_is_closed_once),
        LONG_WITH_CONTEXT(all_ways_to_run_a_job),
        LONG_WITH_CONTEXT(all_kinds_and_shapes_of_layers),
    };

    return cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
}

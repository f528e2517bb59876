/*
 * Lines up a simulated trace with a recorded one and says where they part.
 *
 * Releases that follow one another without an allocation in between have no order that matters (they come from dropping
 * one name, or one node), so each such run is compared as a set.
 */
#ifndef TEST_DIFFER_H
#define TEST_DIFFER_H

#include "check.h"
#include "frameworks/framework.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Events of one step of one trace. */
struct events {
    const memmodel_trace *trace;
    size_t first, end;
    int64_t *bytes; /* in order, runs of releases sorted */
};

static inline int64_t
event_bytes(const memmodel_trace *trace, size_t index)
{
    const struct trace_event *event = &trace->events[index];
    int64_t bytes = trace->blocks[event->block].bytes;

    return event->release ? -bytes : bytes;
}

static inline int
compare_bytes(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts each run of releases of `bytes`. */
static inline void
sort_releases(int64_t *bytes, size_t count)
{
    for (size_t i = 0, end; i<count; i = end> i ? end : i + 1) {
        for (end = i; end < count && bytes[end] < 0; end++)
            continue;
        if (end > i)
            qsort(bytes + i, end - i, sizeof *bytes, compare_bytes);
    }
}

static inline struct events
events_of_step(const memmodel_trace *trace, int step)
{
    struct events events = {.trace = trace, .end = trace->event_count};

    while (events.first < trace->event_count && trace->events[events.first].step < step)
        events.first++;
    while (events.end > events.first && trace->events[events.end - 1].step > step)
        events.end--;
    events.bytes = malloc((events.end - events.first + 1) * sizeof *events.bytes);
    assert_non_null(events.bytes);
    for (size_t i = events.first; i < events.end; i++)
        events.bytes[i - events.first] = event_bytes(trace, i);
    return events;
}

static inline size_t
events_count(const struct events *events)
{
    return events->end - events->first;
}

static inline const char *
event_name(const memmodel_trace *trace, size_t index)
{
    const struct trace_event *event = &trace->events[index];

    return event->layer < 0 ? "" : trace->names[event->layer];
}

static inline void
print_around(const struct events *events, const char *title, size_t at)
{
    enum { BEFORE = 6, AFTER = 6 };
    size_t first = at > BEFORE ? at - BEFORE : 0;

    print_message("%s:\n", title);
    for (size_t i = first; i < at + AFTER && i < events_count(events); i++) {
        const struct trace_event *event = &events->trace->events[events->first + i];

        print_message("  %s%zu  %+" PRId64 "  %s  %s\n", i == at ? "> " : "  ", i,
                      event_bytes(events->trace, events->first + i), events->trace->blocks[event->block].what,
                      event_name(events->trace, events->first + i));
    }
}

/* Fails, with what stands around the first difference, unless the first `count` events are the same. */
static inline void
assert_same_events(struct events *simulated, struct events *recorded, size_t count, const char *title)
{
    size_t shorter = count;

    shorter = shorter < events_count(simulated) ? shorter : events_count(simulated);
    shorter = shorter < events_count(recorded) ? shorter : events_count(recorded);
    sort_releases(simulated->bytes, shorter);
    sort_releases(recorded->bytes, shorter);
    for (size_t i = 0; i < shorter; i++) {
        if (simulated->bytes[i] == recorded->bytes[i])
            continue;
        print_around(simulated, "simulated", i);
        print_around(recorded, "recorded", i);
        fail_msg("%s: event %zu of %zu is %+" PRId64 " simulated, %+" PRId64 " recorded", title, i,
                 events_count(recorded), simulated->bytes[i], recorded->bytes[i]);
    }
    if (shorter < count)
        fail_msg("%s: %zu events simulated, %zu recorded", title, events_count(simulated), events_count(recorded));
}

/* The events from `first` on, whatever their order: optimizers follow the order in which modules were registered. */
static inline void
assert_same_set(struct events *simulated, struct events *recorded, size_t first, const char *title)
{
    size_t count = events_count(simulated) - first;

    if (events_count(simulated) != events_count(recorded))
        fail_msg("%s: %zu events simulated, %zu recorded", title, events_count(simulated), events_count(recorded));
    qsort(simulated->bytes + first, count, sizeof(int64_t), compare_bytes);
    qsort(recorded->bytes + first, count, sizeof(int64_t), compare_bytes);
    for (size_t i = first; i < first + count; i++)
        if (simulated->bytes[i] != recorded->bytes[i])
            fail_msg("%s: the optimizer's events are not the same", title);
}

/* Events of a step before the optimizer begins. */
static inline size_t
events_before_optimizer(const struct events *events)
{
    size_t count = 0;

    while (count < events_count(events) &&
           events->trace->events[events->first + count].phase != MEMMODEL_PHASE_OPTIMIZER)
        count++;
    return count;
}

static inline int64_t
live_before_step(const memmodel_trace *trace, int step)
{
    size_t i = 0;

    while (i < trace->event_count && trace->events[i].step < step)
        i++;
    return i > 0 ? trace->events[i - 1].live : 0;
}

/*
 * Reads TEST_DATA/NAME.json.gz. gzip unpacks it to a temporary file, because the library reads plain files.
 */
static inline memmodel_trace *
read_recording(memmodel_context *context, const char *name)
{
    char path[] = "/tmp/memmodel-recording-XXXXXX", command[1024];
    memmodel_trace *trace = NULL;
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    snprintf(command, sizeof command, "gzip -dc '%s/%s.json.gz' > %s", TEST_DATA, name, path);
    assert_int_equal(system(command), 0);
    if (memmodel_trace_load(context, path, &trace) != 0)
        fail_msg("%s: %s", name, memmodel_context_error(context)->message);
    remove(path);
    return trace;
}

/* The trace of a job; what it leaves out has its default. */
static inline memmodel_trace *
simulated_trace(memmodel_context *context, const memmodel_network *network, const int64_t *symbols,
                const struct memmodel_job *job)
{
    struct memmodel_job complete = *job;
    struct simulation simulation = {0};
    struct binding binding;

    job_complete(&complete);
    if (binding_new(context, network, symbols, &binding) != 0)
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    if (pytorch_simulate(context, &binding, &complete, &simulation) != 0)
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    binding_release(context, &binding);
    memory_release(context, simulation.unmodelled);
    return simulation.trace;
}

/* Step by step: what is live before, each event of the passes, the optimizer's events, and the peak to the byte. */
static inline void
assert_same_steps(const memmodel_trace *simulated, const memmodel_trace *recorded, bool registered_in_order,
                  const char *name)
{
    for (int step = 1; step <= 3; step++) {
        struct events s = events_of_step(simulated, step), r = events_of_step(recorded, step);
        size_t passes = registered_in_order ? events_count(&r) : events_before_optimizer(&s);
        char title[256];

        snprintf(title, sizeof title, "%s, step %d", name, step);
        assert_same_events(&s, &r, passes, title);
        assert_same_set(&s, &r, passes < events_count(&s) ? passes : events_count(&s), title);
        assert_int_equal(live_before_step(simulated, step), live_before_step(recorded, step));
        assert_int_equal(simulated->events[trace_peak_event(simulated, step)].live,
                         recorded->events[trace_peak_event(recorded, step)].live);
        free(s.bytes);
        free(r.bytes);
    }
}

/* ---- tables of networks, each recorded in three steps ---- */

/*
 * Builds the network of a row and compares its steps with the recording TEST_DATA/FOLDER/NAME. `job` has what the row
 * leaves open: the ISA and the optimizer.
 */
static inline void
assert_recorded_alike(const char *folder, const char *name, const struct memmodel_job *job,
                      void (*build)(memmodel_network *net, const void *row), const void *row)
{
    memmodel_context *context;
    memmodel_network *net;
    memmodel_trace *simulated, *recorded;
    char path[256];

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    assert_int_equal(memmodel_network_new(context, &net), 0);
    build(net, row);
    if (memmodel_network_status(net) != 0)
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    simulated = simulated_trace(context, net, NULL, job);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    recorded = read_recording(context, path);
    assert_same_steps(simulated, recorded, false, name);
    memmodel_trace_unref(simulated);
    memmodel_trace_unref(recorded);
    memmodel_network_unref(net);
    memmodel_context_unref(context);
}

/* Three training steps on two threads of a processor. */
static inline struct memmodel_job
recorded_job(const char *isa, const char *optimizer)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job),
        .framework = "pytorch",
        .device = "cpu",
        .isa = isa,
        .optimizer = optimizer,
        .steps = 3,
        .intra_op_threads = 2,
    };
}

/* One test a row of `size` bytes, whose first member is its name; the row is the test's state. */
static inline int
run_table(const void *rows, size_t count, size_t size, CMUnitTestFunction test)
{
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    int failed;

    assert_non_null(tests);
    for (size_t i = 0; i < count; i++) {
        const void *row = (const char *)rows + i * size;

        tests[i].test_func = test;
        tests[i].initial_state = (void *)(uintptr_t)row;
        memcpy(&tests[i].name, row, sizeof tests[i].name);
    }
    failed = _cmocka_run_group_tests("recorded", tests, count, NULL, NULL);
    free(tests);
    return failed;
}

#endif

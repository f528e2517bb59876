/* A step of PyTorch's engine in the test's own hands: rules are run one by one, and their events compared. */
#ifndef TEST_STEPPING_H
#define TEST_STEPPING_H

#include "check.h"
#include "frameworks/pytorch/optimizers.h"
#include "frameworks/framework.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/step.h"
#include "report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct stepping {
    memmodel_context *context;
    memmodel_network *network;
    struct memmodel_job job;
    struct binding binding;
    struct step step;
};

/* `stepping` has its context and network; its step starts with no value made. */
static inline void
stepping_start(struct stepping *stepping, int threads, bool grad_mode)
{
    struct step *step = &stepping->step;

    stepping->job = (struct memmodel_job){
        .size = sizeof stepping->job, .optimizer = "none", .steps = 1, .intra_op_threads = threads};
    job_complete(&stepping->job);
    assert_int_equal(binding_new(stepping->context, stepping->network, NULL, &stepping->binding), 0);
    *step = (struct step){
        .context = stepping->context,
        .network = stepping->binding.network,
        .binding = &stepping->binding,
        .job = &stepping->job,
        .version = VERSION(2, 13), /* whose runs are recorded */
        .pool = OBJECT_POOL_INIT(stepping->context),
        .layer = -1,
        .number = 1,
        .grad_mode = grad_mode,
        .training = true,
        .what = "test",
        .no_storage = {.block = -1},
    };
    step->nothing = (struct value){.storage = &step->no_storage};
    step->values = calloc(step->network->tensor_count + 1, sizeof *step->values);
    step->variables = calloc(step->network->parameter_count + 1, sizeof *step->variables);
    assert_true(step->values && step->variables);
    assert_int_equal(trace_new(stepping->context, &step->trace), 0);
    assert_int_equal(target_cpu_find(stepping->context, "avx512", threads, &step->machine), 0);
    assert_int_equal(device_find(stepping->context, "cpu", &step->device), 0);
}

/* Tensors that live on go with the pool. */
static inline void
stepping_end(struct stepping *stepping)
{
    struct step *step = &stepping->step;

    free(step->values);
    free(step->variables);
    memory_release(stepping->context, step->unmodelled);
    memory_release(stepping->context, step->queue.heap);
    memory_release(stepping->context, step->queue.stack);
    memory_release(stepping->context, step->autocast.sources);
    object_pool_release(&step->pool);
    memmodel_trace_unref(step->trace);
    binding_release(stepping->context, &stepping->binding);
    memmodel_network_unref(stepping->network);
}

/* ---- sequences: bytes of an allocation, or -1 - number of the buffer that is released ---- */

struct sequence {
    int64_t *events;
    size_t count;
};

static inline struct sequence
sequence_recorded(const json_t *list)
{
    struct sequence sequence = {calloc(json_array_size(list) + 1, sizeof(int64_t)), json_array_size(list)};

    assert_non_null(sequence.events);
    for (size_t i = 0; i < sequence.count; i++)
        sequence.events[i] = json_integer_value(json_array_get(list, i));
    return sequence;
}

static inline int
compare_releases(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Releases in a row have no order that matters: they come from one name, or one node. */
static inline void
sequence_sort(struct sequence *sequence)
{
    int64_t *events = sequence->events;

    for (size_t i = 0, end; i<sequence->count; i = end> i ? end : i + 1) {
        for (end = i; end < sequence->count && events[end] < 0; end++)
            continue;
        if (end > i)
            qsort(events + i, end - i, sizeof *events, compare_releases);
    }
}

/* Sorts both. */
static inline bool
sequence_equal(struct sequence *a, struct sequence *b)
{
    sequence_sort(a);
    sequence_sort(b);
    return a->count == b->count && memcmp(a->events, b->events, a->count * sizeof *a->events) == 0;
}

static inline void
sequence_print(const char *title, const struct sequence *sequence)
{
    print_message("    %s", title);
    for (size_t i = 0; i < sequence->count; i++) {
        int64_t event = sequence->events[i];

        print_message(event < 0 ? " (%" PRId64 ")" : " %" PRId64, event < 0 ? -1 - event : event);
    }
    print_message("\n");
}

/* ---- lines of a gzipped file, each handed to `take` ---- */

static inline void
for_each_line_of(const char *path, void (*take)(const json_t *line, void *user), void *user)
{
    enum { LONGEST_LINE = 1 << 17 };
    char command[1200], *text = malloc(LONGEST_LINE);
    FILE *file;

    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    file = popen(command, "r");
    assert_true(file && text);
    while (fgets(text, LONGEST_LINE, file)) {
        json_t *line = json_loads(text, 0, NULL);

        assert_non_null(line);
        take(line, user);
        json_decref(line);
    }
    assert_int_equal(pclose(file), 0);
    free(text);
}

/* Of TEST_DATA/NAME.gz */
static inline void
for_each_line(const char *name, void (*take)(const json_t *line, void *user), void *user)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.gz", TEST_DATA, name);
    for_each_line_of(path, take, user);
}

#endif

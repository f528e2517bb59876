/*
 * What a simulated step costs, network already built: ResNet-50, BERT-base and GPT-2. JSON lines: milliseconds of an
 * estimate of one step and of three, of each step more, of the peak of three alone (of live bytes, and of the
 * process's), of a network and its JSON both ways, each the fastest of many; of scans over 1,000 batch sizes, and of
 * the largest batch that fits; and what the same allocations and releases take in malloc itself and in its replay.
 */
#define _POSIX_C_SOURCE 200809L
#include "memmodel.h"
#include "networks.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 41, BATCHES = 1000 };

/* ---- BERT-base: transformers.models.bert ---- */

enum { BLOCKS = 12, WIDTH = 768, HEADS = 12, LENGTH = 128, VOCABULARY = 30522, POSITIONS = 512 };

static memmodel_tensor
dense(memmodel_network *net, memmodel_tensor x, int64_t units)
{
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = units));
}

static memmodel_tensor
head_of(memmodel_network *net, memmodel_tensor x)
{
    memmodel_dim batch = memmodel_network_symbol(net, "batch");

    x = memmodel_network_reshape(net, dense(net, x, WIDTH), 4, (memmodel_dim[]){batch, LENGTH, HEADS, WIDTH / HEADS});
    return memmodel_network_permute(net, x, 4, (int[]){0, 2, 1, 3});
}

/* What comes out of a part, dropped out, is added to what went in. */
static memmodel_tensor
joined(memmodel_network *net, memmodel_tensor x, memmodel_tensor y)
{
    y = memmodel_network_dropout(net, y, MEMMODEL_DROPOUT(.rate = 0.1));
    return memmodel_network_layer_norm(net, memmodel_network_binary(net, x, y, NULL), NULL);
}

static memmodel_tensor
block(memmodel_network *net, memmodel_tensor x)
{
    memmodel_tensor y =
        memmodel_network_attention(net, head_of(net, x), head_of(net, x), head_of(net, x), MEMMODEL_TENSOR_NONE, NULL);

    y = memmodel_network_flatten(net, memmodel_network_permute(net, y, 4, (int[]){0, 2, 1, 3}), 2, 3);
    x = joined(net, x, dense(net, y, WIDTH));
    y = memmodel_network_activation(net, dense(net, x, 4 * WIDTH),
                                    MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
    return joined(net, x, dense(net, y, WIDTH));
}

static int
bert_base(memmodel_context *context, memmodel_network **network)
{
    memmodel_network *net;
    memmodel_dim batch;
    memmodel_tensor x, places;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    batch = memmodel_network_symbol(net, "batch");
    x = memmodel_network_input(net, "tokens", MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){batch, LENGTH});
    places = memmodel_network_input(net, "positions", MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){1, LENGTH});
    x = memmodel_network_embedding(net, x, MEMMODEL_EMBEDDING(.num_embeddings = VOCABULARY, .embedding_dim = WIDTH));
    places = memmodel_network_embedding(net, places,
                                        MEMMODEL_EMBEDDING(.num_embeddings = POSITIONS, .embedding_dim = WIDTH));
    x = joined(net, x, places);
    for (int i = 0; i < BLOCKS; i++)
        x = block(net, x);
    memmodel_network_mark_output(net, dense(net, x, 2));
    *network = net;
    return memmodel_network_status(net);
}

static int
gpt2(memmodel_context *context, memmodel_network **network)
{
    return network_gpt2(context, &(struct gpt2){0}, network);
}

/* ---- times ---- */

/* Of the symbols that are not scanned; the network has some of them. */
static size_t
symbols_of(const memmodel_network *network, struct memmodel_symbol_value values[])
{
    static const struct memmodel_symbol_value all[] = {{"dim", 224}, {"length", LENGTH}};
    size_t count = 0;

    for (size_t i = 0; i < memmodel_network_symbol_count(network); i++)
        for (size_t j = 0; j < sizeof all / sizeof all[0]; j++)
            if (strcmp(memmodel_network_symbol_name(network, i), all[j].name) == 0)
                values[count++] = all[j];
    return count;
}

static int
report_of(const memmodel_network *network, int steps, memmodel_report **report)
{
    struct memmodel_symbol_value values[3];
    struct memmodel_job job = {.size = sizeof job, .symbols = values, .steps = steps};

    job.symbol_count = symbols_of(network, values);
    values[job.symbol_count++] = (struct memmodel_symbol_value){"batch", 32};
    return memmodel_estimate(network, &job, NULL, report);
}

static int
estimate(const memmodel_network *network, int steps)
{
    memmodel_report *report;
    int status = report_of(network, steps, &report);

    if (!status)
        memmodel_report_unref(report);
    return status;
}

/* Of three steps. */
static int
peak_alone(const memmodel_network *network, int metric)
{
    struct memmodel_symbol_value values[3];
    struct memmodel_job job = {.size = sizeof job, .symbols = values, .metric = metric, .peak_only = 1};
    memmodel_report *report;
    int status;

    job.symbol_count = symbols_of(network, values);
    values[job.symbol_count++] = (struct memmodel_symbol_value){"batch", 32};
    status = memmodel_estimate(network, &job, NULL, &report);
    if (!status)
        memmodel_report_unref(report);
    return status;
}

/* As JSON, and from it. */
static int
write_and_read(const memmodel_network *network, int unused)
{
    memmodel_context *context;
    memmodel_network *read;
    char *text;
    int status = memmodel_context_new(NULL, &context);

    (void)unused;
    if (status)
        return status;
    status = memmodel_network_to_json(network, context, &text);
    if (!status) {
        status = memmodel_network_from_json(context, "network", text, strlen(text), &read);
        memmodel_free(text);
    }
    if (!status)
        memmodel_network_unref(read);
    memmodel_context_unref(context);
    return status;
}

static int
fastest(int (*call)(const memmodel_network *network, int number), const memmodel_network *network, int number,
        double *time)
{
    *time = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double start = milliseconds(), took;
        int status = call(network, number);

        if (status)
            return status;
        took = milliseconds() - start;
        *time = took < *time ? took : *time;
    }
    return 0;
}

static int
scan(const memmodel_network *network, int metric, double *time)
{
    struct memmodel_symbol_value values[2];
    struct memmodel_job job = {.size = sizeof job, .symbols = values, .metric = metric};
    int64_t batches[BATCHES];
    struct memmodel_estimate_row rows[BATCHES];
    double start = milliseconds();
    int status;

    job.symbol_count = symbols_of(network, values);
    for (int i = 0; i < BATCHES; i++)
        batches[i] = i + 1;
    status = memmodel_estimate_many(network, &job, "batch", batches, BATCHES, NULL, rows);
    *time = milliseconds() - start;
    return status;
}

static int
solve(const memmodel_network *network, int metric, double *time)
{
    struct memmodel_symbol_value values[2];
    struct memmodel_job job = {.size = sizeof job, .symbols = values, .metric = metric};
    double start = milliseconds();
    int64_t batch;
    int status;

    job.symbol_count = symbols_of(network, values);
    job.budget = INT64_C(16) << 30;
    status = memmodel_estimate_max(network, &job, "batch", NULL, &batch);
    *time = milliseconds() - start;
    return status;
}

/* ---- malloc ---- */

struct call {
    int64_t bytes; /* below 0: the block is released */
    int32_t block;
};

struct calls {
    const memmodel_trace *trace;
    struct call *items;
    void **blocks;
    size_t count;
};

/* As PyTorch takes tensors: c10/core/impl/alloc_cpu.cpp */
static int
call_malloc(const struct calls *calls)
{
    enum { ALIGNMENT = 64 };

    for (size_t i = 0; i < calls->count; i++) {
        void **block = &calls->blocks[calls->items[i].block];

        if (calls->items[i].bytes > 0 && posix_memalign(block, ALIGNMENT, (size_t)calls->items[i].bytes))
            return MEMMODEL_ERROR_NO_MEMORY;
        if (calls->items[i].bytes > 0)
            continue;
        free(*block);
        *block = NULL;
    }
    for (size_t i = 0; i < calls->count; i++) { /* what the last step leaves */
        free(calls->blocks[i]);
        calls->blocks[i] = NULL;
    }
    return 0;
}

static int
replay_malloc(const struct calls *calls)
{
    struct memmodel_replay_options options = {
        .size = sizeof options, .allocator = "glibc", .allocator_settings = "alignment:64"};
    memmodel_replay *replay;
    int status = memmodel_trace_replay(calls->trace, &options, NULL, &replay);

    if (!status)
        memmodel_replay_unref(replay);
    return status;
}

static int
fastest_calls(int (*run)(const struct calls *calls), const struct calls *calls, double *time)
{
    int status = 0;

    *time = 1e9;
    for (int i = 0; i < REPEATS && !status; i++) {
        double start = milliseconds(), took;

        status = run(calls);
        took = milliseconds() - start;
        *time = took < *time ? took : *time;
    }
    return status;
}

static int
compare_with_malloc(const memmodel_network *network, double *malloc_time, double *replay_time)
{
    struct memmodel_trace_event event = {.size = sizeof event};
    struct calls calls = {NULL};
    memmodel_report *report;
    int status = report_of(network, 3, &report);

    if (status)
        return status;
    calls.trace = memmodel_report_trace(report);
    calls.count = memmodel_trace_event_count(calls.trace);
    calls.items = calloc(calls.count + 1, sizeof *calls.items);
    calls.blocks = calloc(calls.count + 1, sizeof *calls.blocks);
    status = calls.items && calls.blocks ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < calls.count && !status; i++) {
        memmodel_trace_get_event(calls.trace, i, &event);
        calls.items[i] = (struct call){event.bytes, event.block};
    }
    if (!status)
        status = fastest_calls(call_malloc, &calls, malloc_time);
    if (!status)
        status = fastest_calls(replay_malloc, &calls, replay_time);
    free(calls.items);
    free(calls.blocks);
    memmodel_report_unref(report);
    return status;
}

struct times {
    double one, three, nine, peak, peak_process, json, scan, scan_process, solve, solve_process, malloc, replay;
};

static int
measure(const memmodel_network *network, struct times *times)
{
    int status = fastest(estimate, network, 1, &times->one);

    if (!status)
        status = fastest(estimate, network, 3, &times->three);
    if (!status)
        status = fastest(estimate, network, 9, &times->nine);
    if (!status)
        status = fastest(peak_alone, network, MEMMODEL_METRIC_LIVE, &times->peak);
    if (!status)
        status = fastest(peak_alone, network, MEMMODEL_METRIC_PROCESS, &times->peak_process);
    if (!status)
        status = fastest(write_and_read, network, 0, &times->json);
    if (!status)
        status = scan(network, MEMMODEL_METRIC_LIVE, &times->scan);
    if (!status)
        status = scan(network, MEMMODEL_METRIC_PROCESS, &times->scan_process);
    if (!status)
        status = solve(network, MEMMODEL_METRIC_LIVE, &times->solve);
    if (!status)
        status = solve(network, MEMMODEL_METRIC_PROCESS, &times->solve_process);
    return status ? status : compare_with_malloc(network, &times->malloc, &times->replay);
}

static int
bench(memmodel_context *context, const char *name, int (*build)(memmodel_context *, memmodel_network **))
{
    struct times times = {0};
    memmodel_network *network;
    int status = build(context, &network);

    if (!status)
        status = measure(network, &times);
    printf(
        "{\"bench\": \"step\", \"network\": \"%s\", \"layers\": %zu, \"one_step_ms\": %.3f, \"three_steps_ms\": %.3f, "
        "\"step_more_ms\": %.3f, \"peak_ms\": %.3f, \"peak_process_ms\": %.3f, \"json_ms\": %.3f, \"scan_1000_ms\": %.1f, \"scan_1000_process_ms\": %.1f, "
        "\"solve_ms\": %.2f, \"solve_process_ms\": %.2f, \"malloc_ms\": %.2f, \"replay_ms\": %.2f}\n",
        name, memmodel_network_layer_count(network), times.one, times.three, (times.nine - times.three) / 6, times.peak,
        times.peak_process, times.json, times.scan, times.scan_process, times.solve, times.solve_process, times.malloc,
        times.replay);
    memmodel_network_unref(network);
    return status;
}

int
main(void)
{
    memmodel_context *context;
    int status = memmodel_context_new(NULL, &context);

    if (status)
        return 1;
    status = bench(context, "resnet50", network_resnet50);
    if (!status)
        status = bench(context, "bert-base", bert_base);
    if (!status)
        status = bench(context, "gpt2", gpt2);
    if (status)
        fprintf(stderr, "bench_step: %s\n", memmodel_context_error(context)->message);
    memmodel_context_unref(context);
    return status ? 1 : 0;
}

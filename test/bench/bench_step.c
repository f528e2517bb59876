/*
 * What a simulated step costs, network already built: ResNet-50 and BERT-base. JSON lines: milliseconds of an estimate
 * of one step, of each step more, of a scan over 1,000 batch sizes, and of the largest batch that fits.
 */
#define _POSIX_C_SOURCE 200809L
#include "memmodel.h"
#include "networks.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 21, BATCHES = 1000 };

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

/* ---- times ---- */

static int
estimate(const memmodel_network *network, int64_t batch, int steps, double *time)
{
    const struct memmodel_symbol_value values[] = {{"batch", batch}, {"dim", 224}};
    struct memmodel_job job = {.size = sizeof job, .symbols = values, .steps = steps};
    memmodel_report *report;
    double start = milliseconds();
    int status;

    job.symbol_count = memmodel_network_symbol_count(network);
    status = memmodel_estimate(network, &job, NULL, &report);
    *time = milliseconds() - start;
    if (!status)
        memmodel_report_unref(report);
    return status;
}

static int
median_of(const memmodel_network *network, int steps, double *median)
{
    double times[REPEATS];

    for (int i = 0; i < REPEATS; i++) {
        int status = estimate(network, 32, steps, &times[i]);

        if (status)
            return status;
    }
    qsort(times, REPEATS, sizeof *times, compare_times);
    *median = times[REPEATS / 2];
    return 0;
}

static int
scan(const memmodel_network *network, double *time)
{
    const struct memmodel_symbol_value values[] = {{"dim", 224}};
    struct memmodel_job job = {.size = sizeof job, .symbols = values, .metric = MEMMODEL_METRIC_LIVE};
    int64_t batches[BATCHES], bytes[BATCHES];
    double start = milliseconds();
    int status;

    job.symbol_count = memmodel_network_symbol_count(network) - 1;
    for (int i = 0; i < BATCHES; i++)
        batches[i] = i + 1;
    status = memmodel_estimate_many(network, &job, "batch", batches, BATCHES, NULL, bytes);
    *time = milliseconds() - start;
    return status;
}

static int
solve(const memmodel_network *network, int measure, double *time)
{
    const struct memmodel_symbol_value values[] = {{"dim", 224}};
    struct memmodel_job job = {.size = sizeof job, .symbols = values, .metric = measure};
    double start = milliseconds();
    int64_t batch;
    int status;

    job.symbol_count = memmodel_network_symbol_count(network) - 1;
    job.budget = INT64_C(16) << 30;
    status = memmodel_estimate_max(network, &job, "batch", NULL, &batch);
    *time = milliseconds() - start;
    return status;
}

static int
bench(memmodel_context *context, const char *name, int (*build)(memmodel_context *, memmodel_network **))
{
    double one = 0, nine = 0, scanned = 0, solved = 0, solved_process = 0;
    memmodel_network *network;
    int status = build(context, &network);

    if (!status)
        status = median_of(network, 1, &one);
    if (!status)
        status = median_of(network, 9, &nine);
    if (!status)
        status = scan(network, &scanned);
    if (!status)
        status = solve(network, MEMMODEL_METRIC_LIVE, &solved);
    if (!status)
        status = solve(network, MEMMODEL_METRIC_PROCESS, &solved_process);
    printf("{\"bench\": \"step\", \"network\": \"%s\", \"layers\": %zu, \"one_step_ms\": %.3f, \"step_more_ms\": %.3f, "
           "\"scan_1000_ms\": %.1f, \"solve_ms\": %.2f, \"solve_process_ms\": %.2f}\n",
           name, memmodel_network_layer_count(network), one, (nine - one) / 8, scanned, solved, solved_process);
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
    if (status)
        fprintf(stderr, "bench_step: %s\n", memmodel_context_error(context)->message);
    memmodel_context_unref(context);
    return status ? 1 : 0;
}

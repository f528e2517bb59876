/*
 * What an estimate costs: three simulated PyTorch steps of networks of some depths, each estimated again and again.
 * JSON lines: layers, events of the trace, milliseconds of the fastest and of the median estimate.
 */
#define _POSIX_C_SOURCE 200809L
#include "memmodel.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

enum { ESTIMATES = 21 };

static memmodel_tensor
relu(memmodel_network *network, memmodel_tensor x)
{
    return memmodel_network_activation(network, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
}

/* Pairs of a linear layer and a ReLU. */
static void
perceptron(memmodel_network *network, int layers)
{
    memmodel_tensor x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){64, 512});

    for (int i = 0; i < layers; i += 2)
        x = relu(network, memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 512)));
}

/* Triples of a convolution, a batch norm and a ReLU. */
static void
convolutional(memmodel_network *network, int layers)
{
    memmodel_tensor x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 4, (int64_t[]){8, 16, 32, 32});

    for (int i = 0; i < layers; i += 3) {
        x = memmodel_network_conv(network, x,
                                  MEMMODEL_CONV(.filters = 16, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
        x = relu(network, memmodel_network_batch_norm(network, x, NULL));
    }
}

static int
measure(const memmodel_network *network, const char *name)
{
    struct memmodel_job job = {.size = sizeof job};
    double times[ESTIMATES];
    size_t events = 0;

    for (int i = 0; i < ESTIMATES; i++) {
        memmodel_report *report;
        double start = milliseconds();

        if (memmodel_estimate(network, &job, NULL, &report))
            return 1;
        times[i] = milliseconds() - start;
        events = memmodel_trace_event_count(memmodel_report_trace(report));
        memmodel_report_unref(report);
    }
    qsort(times, ESTIMATES, sizeof *times, compare_times);
    printf("{\"bench\": \"simulate\", \"network\": \"%s\", \"layers\": %zu, \"events\": %zu, \"fastest_ms\": %.3f, "
           "\"median_ms\": %.3f}\n",
           name, memmodel_network_layer_count(network), events, times[0], times[ESTIMATES / 2]);
    return 0;
}

static int
bench(memmodel_context *context, const char *name, void (*build)(memmodel_network *network, int layers), int layers)
{
    memmodel_network *network;
    int status = memmodel_network_new(context, &network);

    if (status)
        return status;
    build(network, layers);
    status = memmodel_network_status(network);
    if (!status)
        status = measure(network, name);
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
    for (int layers = 10; !status && layers <= 10000; layers *= 10) {
        status = bench(context, "perceptron", perceptron, layers);
        if (!status)
            status = bench(context, "convolutional", convolutional, layers);
    }
    if (status)
        fprintf(stderr, "bench_simulate: %s\n", memmodel_context_error(context)->message);
    memmodel_context_unref(context);
    return status ? 1 : 0;
}

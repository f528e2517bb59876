/*
 * How long it takes to build 10,000 layers: convolution, batch norm, ReLU, ... of a symbolic batch and size.
 * Processor time, so that other programs on the machine do not count.
 */
#include "memmodel.h"

#include <stdio.h>
#include <time.h>

enum { LAYERS = 10000, REPETITIONS = 21 };

static double
milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int
build(memmodel_network *network)
{
    memmodel_dim batch = memmodel_network_symbol(network, "batch"), dim = memmodel_network_symbol(network, "dim");
    memmodel_tensor x =
        memmodel_network_input(network, "image", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){batch, 16, dim, dim});

    while (memmodel_network_layer_count(network) < LAYERS) {
        x = memmodel_network_conv(network, x,
                                  MEMMODEL_CONV(.filters = 16, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
        x = memmodel_network_batch_norm(network, x, NULL);
        x = memmodel_network_activation(network, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    }
    return memmodel_network_status(network);
}

/* Milliseconds of one building, without the release; negative on error. */
static double
time_building(memmodel_context *context)
{
    double start = milliseconds(), end;
    memmodel_network *network;
    int status = memmodel_network_new(context, &network);

    if (status)
        return -1;
    status = build(network);
    end = milliseconds();
    memmodel_network_unref(network);
    return status ? -1 : end - start;
}

int
main(void)
{
    double min = 1e9, sum = 0;
    memmodel_context *context;

    if (memmodel_context_new(NULL, &context))
        return 1;
    for (int i = 0; i < REPETITIONS; i++) {
        double time = time_building(context);

        if (time < 0)
            return 1;
        sum += time;
        min = time < min ? time : min;
    }
    memmodel_context_unref(context);
    printf("{\"name\": \"build_10000_layers\", \"milliseconds\": %.3f, \"min\": %.3f, \"repetitions\": %d}\n",
           sum / REPETITIONS, min, REPETITIONS);
    return 0;
}

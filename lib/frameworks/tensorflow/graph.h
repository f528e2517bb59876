/*
 * One training step as TensorFlow's executor sees it: operations, each with one output and the outputs that it reads.
 * They stand in program order, the forward pass first; which of those that are ready runs next is schedule.c's.
 */
#ifndef TENSORFLOW_GRAPH_H
#define TENSORFLOW_GRAPH_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the output of an operation gets its memory. */
enum placement {
    PLACE_NEW,       /* memory of its own */
    PLACE_FORWARD,   /* that of an input of as many bytes that nobody else will read, if there is one */
    PLACE_VIEW,      /* that of its first input */
    PLACE_SLOT,      /* made in the first step, and kept */
    PLACE_TEMPORARY, /* memory of its own, and there is a constant of zeros that it began with */
    PLACE_VARIABLE,  /* a parameter is written: in place, or to fresh memory while `reader` still reads the old */
};

struct operation {
    const char *what;    /* static */
    int64_t bytes;       /* of its output; 0: none worth counting */
    int64_t heap;        /* that its kernel takes from the C library while it runs. @unit bytes */
    double duration;     /* in the time that a byte takes to move */
    int32_t layer;       /* of the network */
    int32_t variable;    /* parameter that it writes, -1: none */
    int32_t reader;      /* operation that reads that parameter, -1: none */
    int32_t first_input; /* into graph->inputs */
    int32_t input_count;
    uint8_t place; /* enum placement */
    bool hidden;   /* output that only oneDNN's kernel has: the graph optimiser does not know of it */
    uint8_t phase; /* enum memmodel_phase */
    uint8_t category;
};

struct graph {
    memmodel_context *context;
    struct operation *operations;
    int32_t *inputs;
    size_t count, capacity, input_count, input_capacity;
};

/* A copy of `operation`, reading `inputs` (each >= 0, or left out). Its index, or a negative status. */
int32_t
graph_add(struct graph *graph, const struct operation *operation, const int32_t *inputs, int32_t count);

void
graph_release(struct graph *graph);

#endif

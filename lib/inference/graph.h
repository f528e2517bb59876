/*
 * A network as it runs without a backward pass: operators and the tensors between them, all sizes in numbers.
 *
 * Layers that run as one are one operator. What only looks at another tensor's bytes is known as a view; whether it is
 * one in the end is for aliasing.h to say.
 */
#ifndef INFERENCE_GRAPH_H
#define INFERENCE_GRAPH_H

#include "base/arena.h"
#include "memmodel/schedule.h"
#include "network/network.h"

enum operator_kind {
    KERNEL, /* computes its output */
    VIEW,   /* its outputs lie in its input, or are copied from it */
    CONCAT, /* its inputs lie in its output, or are copied to it */
};

struct operator_input {
    int32_t tensor;
    bool pointwise; /* read element by element, each before that of the output is written: may be overwritten */
};

struct operator
{
    enum operator_kind kind;
    bool optional;       /* aliasing may cost more than it saves: memory of another size is live longer for it */
    int32_t first, last; /* layers that it runs: from where it stands, to the one whose outputs it makes */
    struct operator_input *inputs;
    int32_t input_count;
    int64_t workspace; /* bytes while it runs */
};

struct graph_tensor {
    int64_t bytes;        /* 0: it takes none: a parameter, or within an operator of several layers */
    int32_t maker;        /* operator; -1: there before the run */
    bool input;           /* of the network */
    bool output;          /* the same: stays to the end */
    int32_t base;         /* of a view: the tensor it lies in; -1: it is none */
    int64_t displacement; /* in bytes, into `base` */
};

struct graph {
    memmodel_context *context;
    const struct binding *binding;
    struct arena arena;
    struct graph_tensor *tensors; /* by the network's handles */
    struct operator* operators;   /* in the order of the layers, which is one in which they can run */
    int32_t tensor_count, operator_count;
    int64_t every_tensor; /* bytes of all tensors as the network has them, each for itself, but not of views */
    int64_t parameters;   /* bytes */
};

/* `without`: a sum of enum memmodel_schedule_pass. */
int
operator_graph_new(memmodel_context *context, const struct binding *binding, uint64_t without, struct graph *graph);

void
operator_graph_release(struct graph *graph);

static inline const struct layer *
operator_layer(const struct graph *graph, int32_t operator)
{
    return &graph->binding->network->layers[graph->operators[operator].last];
}

/* ---- views.c ---- */

/*
 * Whether an output of the layer has the bytes of its first input, or a run of them that begins `displacement` bytes
 * into it.
 */
bool
view_of_input(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement);

/* Whether all axes before it have one element only. */
bool
axis_is_outermost(const struct binding *binding, const struct tensor *tensor, int32_t axis);

/* ---- fusion.c ---- */

/*
 * The operator, of those there are, that runs the layer as its last step; -1: none. `uses`: how many inputs of layers
 * each tensor is.
 */
int32_t
fusion_target(const struct graph *graph, const struct layer *layer, const int32_t *uses, uint64_t without);

/* Whether the layer may overwrite its input `i` with its output, if their sizes agree. */
bool
input_is_pointwise(const struct graph *graph, const struct layer *layer, int32_t i);

#endif

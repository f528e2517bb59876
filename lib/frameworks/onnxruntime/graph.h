/*
 * The graph that onnxruntime runs: nodes over tensors whose dimensions are numbers. It is made of a network's layers,
 * and rewritten before the buffers are planned.
 */
#ifndef FRAMEWORKS_ONNXRUNTIME_GRAPH_H
#define FRAMEWORKS_ONNXRUNTIME_GRAPH_H

#include "network/network.h"

#include <string.h>

struct ort_tensor {
    int64_t dims[MEMMODEL_MAX_RANK];
    int32_t rank, dtype;
    int32_t maker;     /* node; -1: none, it is there before the run */
    int32_t uses;      /* by nodes; one that uses it twice counts twice */
    int64_t users;     /* sum of the indices of those nodes: of the only one, if it has one use */
    bool constant;     /* stored, or computed from what is stored */
    bool output;       /* of the graph */
    uint32_t symbolic; /* axes, as bits, whose size depends on a symbol */
    uint32_t unknown;  /* axes, as bits, whose size nobody knows before the run */
    int32_t kept;      /* 1 + the tensor that stands for all that are computed as this one is; 0: none yet */
};

/* Nodes have their names in onnxruntime: "Conv", "FusedConv", "nchwc.Conv". */
struct ort_node {
    const char *op;                        /* NULL: it is gone */
    const char *activation;                /* that was fused into it; NULL: none */
    const struct permute_options *permute; /* of a Transpose; NULL: it is none */
    const struct layer *layer;             /* whose options and weights it has */
    const struct size_node *sizes;         /* what it computes, if it is none of a layer; NULL: it is one */
    int32_t index;                         /* of the layer */
    int32_t *inputs, *outputs;             /* tensors; -1 where an input is left out */
    int32_t input_count, output_count;
    bool bias; /* the weights have one */
};

struct ort_graph {
    memmodel_context *context;
    const struct binding *binding;
    struct arena arena;
    struct ort_tensor *tensors; /* those of the network first, by their handles */
    struct ort_node *nodes;     /* in the order of the layers, then as rewrites add them */
    int32_t *order;             /* of execution */
    size_t tensor_count, tensor_capacity, node_count, node_capacity, order_count;
    int status; /* MEMMODEL_ERROR_NO_MEMORY once memory has run out: the graph is no use any more */
};

int
ort_graph_new(memmodel_context *context, const struct binding *binding, struct ort_graph *graph);

void
ort_graph_release(struct ort_graph *graph);

/* Finds the order of execution anew; a negative status. */
int
ort_graph_sort(struct ort_graph *graph);

/* Rewrites it as a session of that level does, for vectors of `block` floats. MEMMODEL_ERROR_UNSUPPORTED: no such level. */
int
ort_graph_optimize(struct ort_graph *graph, const char *level, int block);

/* Convolutions and what is near them on blocked copies: channels in groups of `block`. */
void
ort_graph_block(struct ort_graph *graph, int block);

/* Of the network's tensors and size nodes the one of that number: see struct size_node. */
static inline int32_t
ort_tensor_of_number(const struct ort_graph *graph, int32_t number)
{
    return number >= 0 ? number : (int32_t)graph->binding->network->tensor_count + ~number;
}

/* ---- looking ---- */

static inline struct ort_tensor *
ort_tensor_of(const struct ort_graph *graph, int32_t tensor)
{
    return &graph->tensors[tensor];
}

static inline bool
ort_node_is(const struct ort_node *node, const char *op)
{
    return node->op && strcmp(node->op, op) == 0;
}

/* The node that makes input `i`, if it is of that operator and nobody else uses what it makes; -1: no. */
int32_t
ort_feeder(const struct ort_graph *graph, const struct ort_node *node, int i, const char *op);

/* The only user of a tensor that is no output of the graph, if it is of that operator; -1: no. */
int32_t
ort_follower(const struct ort_graph *graph, int32_t tensor, const char *op);

/* false: more than 63 bits can say */
bool
ort_elements(const int64_t *dims, int rank, int64_t *elements);

bool
ort_tensor_bytes(const struct ort_tensor *tensor, int64_t *bytes);

bool
ort_same_shape(const struct ort_tensor *a, const struct ort_tensor *b);

/* A single number that is stored. */
bool
ort_is_scalar(const struct ort_graph *graph, int32_t tensor);

/* ---- rewriting ---- */

/* A new tensor like another, made by nothing yet. -1: no memory. */
int32_t
ort_add_tensor(struct ort_graph *graph, const struct ort_tensor *like);

/* A new node like another, under a name of its own, with these inputs; it makes nothing yet. -1: no memory. */
int32_t
ort_add_node(struct ort_graph *graph, const char *op, int32_t like, const int32_t *inputs, int32_t count);

/* The node makes this tensor, and the one that made it before does not. */
void
ort_make(struct ort_graph *graph, int32_t node, int32_t tensor);

/* Makes several tensors. */
void
ort_make_all(struct ort_graph *graph, int32_t node, const int32_t *tensors, int32_t count);

/* It uses its inputs no more. */
void
ort_remove_node(struct ort_graph *graph, int32_t node);

void
ort_set_input(struct ort_graph *graph, int32_t node, int32_t i, int32_t tensor);

/* One input more. */
void
ort_add_input(struct ort_graph *graph, int32_t node, int32_t tensor);

/* Before all nodes are looked at: they count as work, and graph->status says if that is beyond a limit. */
void
ort_spend_on_nodes(struct ort_graph *graph);

/* Another tensor for all who use this one. */
void
ort_replace_uses(struct ort_graph *graph, int32_t from, int32_t to);

/* Removes a node that does nothing: its users use its input. false: input and output of the graph meet. */
bool
ort_bypass(struct ort_graph *graph, int32_t node);

#endif

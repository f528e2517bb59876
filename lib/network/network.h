/*
 * A network from the inside: what the builder calls made, as the frameworks read it.
 *
 * Layers stand in the order of the calls, which is the order of the forward pass. A binding gives every symbol a value
 * and so every dimension a number; it is made per query, and the network is only read.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include "base/arena.h"
#include "base/context.h"
#include "expression/expression.h"
#include "memmodel/builder.h"

#include <stdbool.h>

enum op {
    OP_INPUT,
    OP_PARAMETER,
    OP_CONV,
    OP_CONV_TRANSPOSE,
    OP_LINEAR,
    OP_POOL,
    OP_ADAPTIVE_POOL,
    OP_GLOBAL_POOL,
    OP_BATCH_NORM,
    OP_LAYER_NORM,
    OP_GROUP_NORM,
    OP_INSTANCE_NORM,
    OP_RMS_NORM,
    OP_ACTIVATION,
    OP_SOFTMAX,
    OP_DROPOUT,
    OP_EMBEDDING,
    OP_UPSAMPLE,
    OP_PAD,
    OP_CROP,
    OP_CONCAT,
    OP_SPLIT,
    OP_SLICE,
    OP_RESHAPE,
    OP_FLATTEN,
    OP_PERMUTE,
    OP_EXPAND,
    OP_BINARY,
    OP_MATMUL,
    OP_REDUCE,
    OP_ATTENTION,
    OP_RECURRENT,
    OP_LOSS,
    OP_CUSTOM,
    OP_COUNT
};

/* A tensor: constant dims are >= 0, others are -(expression + 1), see dim_of_expression(). */
struct tensor {
    memmodel_dim dims[MEMMODEL_MAX_RANK];
    int32_t rank;
    int32_t dtype;
    int32_t layer;      /* that made it */
    int32_t output;     /* which of its outputs */
    int32_t held_until; /* number of layers there were at memmodel_network_end_lifetime(); 0 if it was not called */
    int32_t consumers;  /* layers that use it */
    uint32_t unknown;   /* axes, as bits, whose size a run-time cannot know before it runs */
    int32_t twin;       /* 1 + a tensor that the same operator makes of the same inputs; 0: none */
};

/*
 * What a file computes from sizes on its way to a layer. Who runs the nodes of the file runs it; for all others it is
 * part of the shapes.
 */
struct size_node {
    const char *op;        /* of the file */
    const int32_t *inputs; /* tensors, and ~index of a size node; what is stored is left out */
    int32_t input_count;
    int32_t layer; /* the first one behind it */
    struct memmodel_shape output;
    bool fixed;   /* its elements are numbers that can be known before a run */
    int32_t twin; /* 1 + a size node before it that computes the same; 0: none */
};

/* A layer's node in the file uses what the layer leaves out, or has as a parameter: a tensor, or ~index of a size node. */
struct size_use {
    int32_t layer, value;
    memmodel_tensor parameter; /* MEMMODEL_TENSOR_NONE: left out */
};

/* A parameter or buffer; shared ones stand once and are named by several layers. */
struct parameter {
    const char *role; /* "weight", "bias", "running_mean", ... */
    memmodel_dim dims[MEMMODEL_MAX_RANK];
    int32_t rank;
    int32_t dtype;
    int32_t layer; /* that owns it */
    bool trainable;
};

/* A scope: layers first <= i < end; parent -1 for the outermost. An open one ends with the last layer. */
struct scope {
    const char *name; /* full, with its parents': "encoder.0" */
    int32_t parent, first, end;
    int32_t checkpoint; /* enum memmodel_checkpoint */
};

struct layer {
    enum op op;
    const char *name;    /* full, with its scopes': "encoder.0.conv" */
    int32_t scope;       /* -1: none */
    const void *options; /* struct memmodel_conv, ... of the op with all defaults filled in, or one of those below */
    const memmodel_tensor *inputs; /* MEMMODEL_TENSOR_NONE where an optional one is missing */
    int32_t input_count;
    int32_t first_output, output_count; /* its outputs are tensors first_output, first_output + 1, ... */
    const int32_t *parameters;          /* indices into network->parameters */
    const char *const *roles;           /* of each in this layer: "weight", "bias", "running_mean", ... */
    int32_t parameter_count;
    bool fused; /* the activation of the layer before it: counted with that layer */
};

/* Options of the calls that take plain arguments: inputs and parameters, reshape and expand, permute, flatten. */
struct tensor_options {
    size_t size;
    const char *name;
    memmodel_dim dims[MEMMODEL_MAX_RANK];
    int32_t rank;
    int32_t dtype;
    int32_t trainable;                       /* parameters only */
    int32_t stride_count;                    /* 0: row-major, else the rank */
    memmodel_dim strides[MEMMODEL_MAX_RANK]; /* in elements */
    const char *storage;                     /* layer whose tensor it lies in; NULL: one of its own */
};

struct reshape_options {
    size_t size;
    const char *name;
    memmodel_dim dims[MEMMODEL_MAX_RANK]; /* MEMMODEL_DIM_INFER as it was given */
    int32_t rank;
    int32_t reserved;
};

struct permute_options {
    size_t size;
    const char *name;
    int32_t axes[MEMMODEL_MAX_RANK]; /* from 0 */
    int32_t rank;
    int32_t reserved;
};

struct flatten_options {
    size_t size;
    const char *name;
    int32_t first, last; /* from 0 */
};

/*
 * Two dimensions that must be equal once symbols have values. With a `divisor`, `given` must be a multiple of it, and
 * `needed` is the multiple below.
 */
struct constraint {
    memmodel_dim given, needed;
    int64_t divisor;                             /* 0: none */
    memmodel_tensor given_tensor, needed_tensor; /* for the message; MEMMODEL_TENSOR_NONE if none */
    int32_t layer;
    int32_t axis;
    bool at_most; /* given <= needed will do */
};

struct binding;

struct memmodel_network {
    memmodel_context *context;
    struct arena arena;
    struct expression_pool *pool;
    struct tensor *tensors;
    struct layer *layers;
    struct parameter *parameters;
    struct scope *scopes;
    struct constraint *constraints;
    memmodel_tensor *outputs; /* named by memmodel_network_mark_output() */
    struct size_node *size_nodes;
    struct size_use *size_uses; /* in the order of the layers */
    size_t size_node_count, size_use_count;
    size_t tensor_count, layer_count, parameter_count, scope_count, constraint_count, output_count;
    /* what only building needs stands in struct builder (builder.h), which begins with this struct */
};

/* Copies what the node points to. Index of the size node; a negative status. */
int32_t
network_add_size_node(memmodel_network *network, const struct size_node *node);

int
network_add_size_use(memmodel_network *network, struct size_use use);

/* ---- dims ---- */

static inline memmodel_dim
dim_of_expression(expression e)
{
    return -(memmodel_dim)e - 1;
}

static inline expression
expression_of_dim(memmodel_dim dim)
{
    return (expression)(-dim - 1);
}

/* Index of the layer's parameter of that role into network->parameters, or -1. */
int32_t
layer_parameter(const struct layer *layer, const char *role);

/* An input or a parameter: it is there before the network runs. */
static inline bool
layer_is_given(const struct layer *layer)
{
    return layer->op == OP_INPUT || layer->op == OP_PARAMETER;
}

/*
 * Elements of its storage that a given tensor reaches over, by the strides that it was declared with; false where they
 * have no value that fits.
 */
bool
binding_extent(const struct binding *binding, const struct layer *layer, int64_t *elements);

/* Layer whose tensor a given one lies in, or NULL. */
const struct layer *
layer_of_storage(const struct memmodel_network *network, const struct layer *layer);

/* The layer that makes a tensor. */
static inline const struct layer *
layer_of_tensor(const struct memmodel_network *network, memmodel_tensor tensor)
{
    return &network->layers[network->tensors[tensor].layer];
}

/* The dimension as an expression of the network's pool (a constant becomes one). For formulas. */
expression
dim_expression(struct expression_pool *pool, memmodel_dim dim);

/* Bytes of one element; 1 for bool. */
int64_t
dtype_bytes(int dtype);

/* Integers of any size; not truth values. */
static inline bool
dtype_is_whole(int dtype)
{
    return dtype >= MEMMODEL_DTYPE_INT64 && dtype <= MEMMODEL_DTYPE_UINT8;
}

/* Two float32; no network declares it, rules of PyTorch find out. */
enum { DTYPE_COMPLEX64 = MEMMODEL_DTYPE_BOOL + 1 };

/* "conv", "conv_transpose", ... as in JSON and in tables. */
const char *
op_name(enum op op);

/* Of enum memmodel_activation_kind: the length of every table that has a row for each. */
enum { ACTIVATION_KINDS = MEMMODEL_ACTIVATION_NEGATE + 1 };

/* "relu", ... of enum memmodel_activation_kind */
const char *
activation_name(int kind);

/* 0, or the status of the first builder call that failed, with its text put on `context`. */
int
network_check(const memmodel_network *network, memmodel_context *context);

/* ---- symbols ---- */

/* Index of a symbol; MEMMODEL_ERROR_NOT_FOUND says which there are. */
int
symbols_find(memmodel_context *context, const memmodel_network *network, const char *name, size_t *symbol);

/* Enters a value that was given by name into `values`, one per symbol of the pool, 0: none yet. */
int
symbols_set(memmodel_context *context, const memmodel_network *network, const char *name, int64_t value,
            int64_t *values);

/* 0, or MEMMODEL_ERROR_UNBOUND for a symbol without a value that is not called `free` (NULL: none is). */
int
symbols_complete(memmodel_context *context, const memmodel_network *network, const int64_t *values, const char *free);

/* ---- binding ---- */

/* Values of a network's symbols in one query. */
struct binding {
    const memmodel_network *network;
    int64_t *values; /* one per expression of the pool */
    struct memmodel_custom_requirements
        *customs; /* one per layer, filled for custom operators; NULL if there are none */
};

/*
 * `symbols`: one value per symbol of the pool. Checks that every symbolic dimension is whole and positive and that each
 * constraint holds: MEMMODEL_ERROR_SHAPE names the layer, the axis, what was given and what is needed. No tensor has
 * more bytes than an int64_t can say: MEMMODEL_ERROR_OVERFLOW names the layer. Errors and memory come from `context`,
 * which may be another than the network's. Rules of custom operators are asked last: MEMMODEL_ERROR_CALLBACK.
 */
int
binding_new(memmodel_context *context, const memmodel_network *network, const int64_t *symbols,
            struct binding *binding);

void
binding_release(memmodel_context *context, struct binding *binding);

/* Value of a dimension that binding_new() has checked. */
static inline int64_t
binding_dim(const struct binding *binding, memmodel_dim dim)
{
    return dim >= 0 ? dim : binding->values[expression_of_dim(dim)];
}

/* What a custom operator needs. */
static inline const struct memmodel_custom_requirements *
binding_custom(const struct binding *binding, const struct layer *layer)
{
    return &binding->customs[layer - binding->network->layers];
}

/* Product of dims and bytes; false on overflow. */
bool
binding_elements(const struct binding *binding, const memmodel_dim *dims, int rank, int64_t *elements);

/* In numbers. */
struct memmodel_shape
binding_shape(const struct binding *binding, memmodel_tensor tensor);

bool
binding_tensor_bytes(const struct binding *binding, memmodel_tensor tensor, int64_t *bytes);

bool
binding_parameter_bytes(const struct binding *binding, int32_t parameter, int64_t *bytes);

/* Multiplications with addition of a layer's forward pass, exactly; false on overflow. */
bool
binding_multiply_adds(const struct binding *binding, const struct layer *layer, int64_t *count);

#endif

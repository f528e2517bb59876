/*
 * From nodes to layers. What is known of each tensor of the graph stands in a struct value: its shape, and of what
 * exporters compute from shapes also its elements, as expressions. A family of operators is a file of builders; the
 * table is in onnx_ops.c. Source of the operators: onnx/docs/Operators.md.
 *
 * The first error of a node is remembered, and everything after it does nothing that matters, so that a builder is
 * checked once, when it is done.
 */
#ifndef IMPORT_ONNX_IMPORT_H
#define IMPORT_ONNX_IMPORT_H

#include "expression/expression.h"
#include "import/onnx_model.h"
#include "memmodel/onnx.h"
#include "network/network.h"

struct value {
    const char *name;
    struct memmodel_shape shape;
    memmodel_tensor tensor;             /* MEMMODEL_TENSOR_NONE: in no layer yet */
    const struct onnx_tensor *stored;   /* NULL: computed */
    const struct onnx_value_info *info; /* what the file says of it; NULL: nothing */
    const expression *elements;         /* of the import's pool; NULL: unknown */
    size_t count;                       /* of elements */
    uint32_t lost, symbolic;            /* elements, as bits, that nobody can follow before a run; that may yet be */
    uint32_t unknown;                   /* axes, as bits, whose size nobody knows before a run */
    int32_t uses;                       /* inputs of nodes, and outputs of the graph */
    int32_t size_node;                  /* 1 + that of the network that computes it; 0: none */
    const struct value *twin;           /* the first that the same operator makes of the same inputs; NULL: none */
    bool defined;
};

struct value_slot {
    uint32_t hash;
    struct value *value;
};

enum { ONNX_MAX_USED = 8, ONNX_BUCKETS = 1024 };

/* A parameter for the next layer. */
struct used {
    const char *role;
    memmodel_tensor tensor;
};

struct import {
    memmodel_context *context;
    const struct memmodel_onnx_options *options;
    memmodel_network *network;
    struct arena *arena;
    struct expression_pool *pool; /* of elements; the network's holds dimensions alone */
    const struct onnx_model *model;
    struct value_slot *slots;
    size_t slot_capacity, value_count; /* capacity is a power of 2 */
    const struct onnx_node *node;      /* being built */
    const char *label;                 /* its name in errors */
    int64_t opset;
    struct used used[ONNX_MAX_USED];
    size_t used_count;
    struct value nothing;                 /* in place of what is missing */
    struct seen_node *seen[ONNX_BUCKETS]; /* nodes by what they compute */
    int status;                           /* of the node */
    char message[512];
};

/* Remembers the first error of the node. */
void
import_error(struct import *import, int status, const char *format, ...) BASE_PRINTF(3, 4);

/* The same for a status whose text is on the context. */
void
import_failed(struct import *import, int status);

/* ---- onnx_value.c ---- */

/* New or known; NULL if there is no memory. */
struct value *
value_find(struct import *import, const char *name);

/* The i-th input of the node; NULL if it is left out. */
struct value *
node_optional(struct import *import, size_t i);

/* The same for one that must be there: `nothing` with an error if it is not. */
struct value *
node_value(struct import *import, size_t i);

/* The value as a tensor of the network: what is stored becomes a parameter. */
memmodel_tensor
value_tensor(struct import *import, struct value *value);

/* The i-th input as a tensor. */
memmodel_tensor
node_tensor(struct import *import, size_t i);

/* The node's layer will use input i as a parameter: one that stands in the network for several, or one of its own. */
void
node_use(struct import *import, const char *role, size_t i);

/* Right before the layer is built: hands over what node_use() named. false on an error. */
bool
node_ready(struct import *import);

/* The i-th output of the node is a tensor of the network. */
void
node_output(struct import *import, size_t i, memmodel_tensor tensor);

/* The first output is another name of a value. */
void
node_alias(struct import *import, struct value *value);

/* The i-th output has known elements, in the arena. */
void
node_elements(struct import *import, size_t i, const struct memmodel_shape *shape, const expression *elements,
              size_t count);

size_t
node_input_count(const struct import *import);

/* Outputs that have a name. */
size_t
node_output_count(const struct import *import);

/* Name for the layer; NULL if the node has none that is free. */
const char *
node_name(const struct import *import);

/* ---- attributes ---- */

const struct onnx_attribute *
node_attribute(const struct import *import, const char *name);

int64_t
node_integer(const struct import *import, const char *name, int64_t otherwise);

double
node_real(const struct import *import, const char *name, double otherwise);

const char *
node_text(const struct import *import, const char *name, const char *otherwise);

/* Up to `max` integers; returns how many there are, and fails if these are more. */
size_t
node_integers(struct import *import, const char *name, int64_t *integers, size_t max);

/* `axis` of `rank`, from the end if negative, as a number from 0. */
int
import_axis(struct import *import, int64_t axis, int rank);

/*
 * Axes from an attribute, or from input `input` (where it is one since some opset); returns how many, -1 if neither is
 * given.
 */
int
node_axes(struct import *import, size_t input, int rank, int axes[MEMMODEL_MAX_RANK]);

/* ---- onnx_dims.c ---- */

/* A dimension as an element, and back. An element that is negative is an error. */
expression
element_of_dim(struct import *import, memmodel_dim dim);

memmodel_dim
dim_of_element(struct import *import, expression element);

/* true, and its value, if the element is a constant integer */
bool
element_integer(const struct import *import, expression element, int64_t *integer);

/* -1, 0 or 1 if a - b is known to be negative, zero or positive for every value of the symbols; 2 if it is not. */
int
element_compare(struct import *import, expression a, expression b);

/* e if it is an expression, with the error remembered if not. */
expression
import_expression(struct import *import, expression e);

memmodel_dim
import_product(struct import *import, const memmodel_dim *dims, int count);

/* a + b * c */
memmodel_dim
import_linear(struct import *import, memmodel_dim a, int64_t b, memmodel_dim c);

/* NumPy's broadcasting; dimensions that are both unknown are taken for equal. */
void
import_broadcast(struct import *import, struct memmodel_shape *shape, const struct memmodel_shape *other);

/* Shape of what the file says of a tensor; unknown dimensions become symbols. false: it says none. */
bool
import_shape(struct import *import, const struct onnx_value_info *info, struct memmodel_shape *shape);

/* What the file says of a tensor of that name; NULL: nothing. */
const struct onnx_value_info *
import_value_info(const struct import *import, const char *name);

/* ---- onnx_known.c ---- */

/* Which of the node's known elements can be followed. */
void
import_note_elements(struct import *import, struct value *value);

/* Axes of an output of the node, as bits, whose size is not known before a run. */
uint32_t
import_unknown_axes(struct import *import, const struct value *y);

/* ---- onnx_fold.c ---- */

/* Computes the node from known elements, if it can: its outputs are known then, and no layer is made. */
bool
import_fold(struct import *import);

/* ---- onnx_sizes.c: what the file's nodes make and use that is no layer ---- */

/* The node's known elements are computed by a node of the network's that is no layer. */
void
import_size_node(struct import *import);

/* Inputs of the node that its layers, from `first` on, leave out. */
void
import_size_uses(struct import *import, size_t first);

/* Finds a node that has computed the same. */
void
import_twins(struct import *import);

/* ---- builders ---- */

/* A layer without a builder call, with the node's inputs, by its outputs. */
void
build_custom(struct import *import, const struct memmodel_shape *outputs, size_t count);

/* One output, of the first output's type and the node's name. */
void
build_custom_one(struct import *import, const struct memmodel_shape *output);

/* By the shapes that the file says; an error if it says none. */
void
build_unknown(struct import *import);

/* The node whose builder is not `unknown` is built from the table; `argument` is of the row. */
struct onnx_rule {
    const char *op;
    void (*build)(struct import *import, int64_t argument);
    int64_t argument;
};

/* Ended by a row without a name; onnx_ops.c lists the tables. */
extern const struct onnx_rule onnx_elementwise_rules[], onnx_window_rules[], onnx_matrix_rules[], onnx_movement_rules[],
    onnx_selection_rules[];

#endif

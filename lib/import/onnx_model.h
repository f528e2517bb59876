/*
 * What a file says about a model, without its weights. Source: onnx/onnx.proto, by its field numbers.
 */
#ifndef IMPORT_ONNX_MODEL_H
#define IMPORT_ONNX_MODEL_H

#include "import/onnx_wire.h"
#include "memmodel/network.h"

#include <stdbool.h>

/* A growing array in the arena. */
struct onnx_list {
    void *items;
    size_t count, capacity;
};

/* Room for one more element, zeroed; NULL if there is no memory. */
void *
onnx_list_add(struct arena *arena, struct onnx_list *list, size_t size);

#define ONNX_ITEM(list, type, index) (&((type *)(list).items)[index])

/* An integer, or a float as the fraction that it is. */
struct onnx_number {
    int64_t numerator, denominator;
};

/* A stored tensor: initializer, or value of a Constant. */
struct onnx_tensor {
    const char *name; /* "" if none */
    int64_t at;       /* byte where it begins */
    struct memmodel_shape shape;
    int32_t onnx_type;                 /* enum TensorProto.DataType */
    const struct onnx_number *numbers; /* NULL: not read, since it is large, elsewhere, or no numbers */
    size_t count;
};

struct onnx_dim {
    int64_t value;    /* -1: unknown */
    const char *name; /* of an unknown one; NULL: none */
};

/* Name and type of an input, an output or a tensor between. */
struct onnx_value_info {
    const char *name;
    int64_t at;
    int32_t onnx_type; /* 0: not said */
    bool has_shape, is_tensor;
    struct onnx_list dims; /* struct onnx_dim */
};

struct onnx_attribute {
    const char *name;
    int64_t integer;
    double real;
    const char *text;        /* NULL: none */
    struct onnx_list ints;   /* int64_t */
    struct onnx_list floats; /* double */
    struct onnx_tensor *tensor;
    bool has_integer, has_real, has_graph;
};

struct onnx_node {
    const char *name, *op, *domain; /* "" if not said */
    int64_t at;
    struct onnx_list inputs, outputs; /* const char *; "" where an optional one is missing */
    struct onnx_list attributes;      /* struct onnx_attribute */
};

struct onnx_opset {
    const char *domain;
    int64_t version;
};

struct onnx_function {
    const char *name, *domain;
};

struct onnx_model {
    struct onnx_list nodes, initializers, inputs, outputs, value_infos, opsets, functions;
    bool has_graph;
};

/* Numbers of more elements or bytes than these are not read. */
enum { ONNX_MAX_NUMBERS = 1024, ONNX_MAX_NUMBER_BYTES = 4096 };

/* enum memmodel_dtype of a TensorProto.DataType; 0: there is none. */
int32_t
onnx_dtype(int64_t onnx_type);

/* As in onnx.proto: "FLOAT", ... */
const char *
onnx_type_name(int64_t onnx_type);

/* Reads a ModelProto; all that it holds is in the arena. */
int
onnx_model_read(struct wire_source *source, struct arena *arena, struct onnx_model *model);

/* ---- between the files that read it ---- */

struct onnx_reader {
    struct wire_source *source;
    struct arena *arena;
};

int
onnx_tensor_read(struct onnx_reader *reader, struct wire_message message, struct onnx_tensor *tensor);

#endif

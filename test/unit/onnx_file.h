/* ONNX files made in a test, field by field: protobuf's wire format of onnx.proto. */
#ifndef TEST_ONNX_FILE_H
#define TEST_ONNX_FILE_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ONNX_FLOAT = 1, ONNX_INT64 = 7 };

struct onnx_file {
    char *bytes; /* the graph while it is made, then the model */
    size_t length;
    size_t hole; /* where bytes that are not in memory belong */
    int64_t hole_length;
};

/* ---- the wire ---- */

static inline void
onnx_add(struct onnx_file *file, const void *bytes, size_t length)
{
    file->bytes = realloc(file->bytes, file->length + length + 1);
    if (!file->bytes)
        abort();
    memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
}

static inline void
onnx_varint(struct onnx_file *file, uint64_t value)
{
    do {
        unsigned char byte = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

        onnx_add(file, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

static inline void
onnx_number(struct onnx_file *file, unsigned field, int64_t value)
{
    onnx_varint(file, field << 3);
    onnx_varint(file, (uint64_t)value);
}

static inline void
onnx_bytes(struct onnx_file *file, unsigned field, const void *bytes, size_t length)
{
    onnx_varint(file, field << 3 | 2);
    onnx_varint(file, length);
    onnx_add(file, bytes, length);
}

/* The message is in the field then, and gone. */
static inline void
onnx_message(struct onnx_file *file, unsigned field, struct onnx_file *message)
{
    if (message->hole_length) {
        onnx_varint(file, field << 3 | 2);
        onnx_varint(file, message->length + (uint64_t)message->hole_length);
        file->hole = file->length + message->hole;
        file->hole_length = message->hole_length;
        onnx_add(file, message->bytes, message->length);
    } else {
        onnx_bytes(file, field, message->bytes ? message->bytes : "", message->length);
    }
    free(message->bytes);
}

/* Calls `each` for the parts of "a,b,c". */
static inline void
onnx_parts(struct onnx_file *file, const char *list, void (*each)(struct onnx_file *file, const char *part))
{
    char part[64];

    while (*list) {
        size_t length = strcspn(list, ",");

        snprintf(part, sizeof part, "%.*s", (int)length, list);
        each(file, part);
        list += length + (list[length] == ',');
    }
}

/* ---- tensors and their types ---- */

static inline void
onnx_shape_dim(struct onnx_file *shape, const char *part)
{
    struct onnx_file dim = {0};

    if (*part >= '0' && *part <= '9')
        onnx_number(&dim, 1, strtoll(part, NULL, 10));
    else
        onnx_bytes(&dim, 2, part, strlen(part));
    onnx_message(shape, 1, &dim);
}

static inline void
onnx_info(struct onnx_file *file, unsigned field, const char *name, int type, const char *dims)
{
    struct onnx_file info = {0}, of = {0}, tensor = {0}, shape = {0};

    onnx_bytes(&info, 1, name, strlen(name));
    if (dims) {
        onnx_parts(&shape, dims, onnx_shape_dim);
        onnx_number(&tensor, 1, type);
        onnx_message(&tensor, 2, &shape);
        onnx_message(&of, 1, &tensor);
        onnx_message(&info, 2, &of);
    }
    onnx_message(file, field, &info);
}

static inline void
onnx_tensor_dim(struct onnx_file *tensor, const char *part)
{
    onnx_number(tensor, 1, strtoll(part, NULL, 10));
}

static inline void
onnx_tensor(struct onnx_file *tensor, const char *name, int type, const char *dims)
{
    onnx_parts(tensor, dims, onnx_tensor_dim);
    onnx_number(tensor, 2, type);
    onnx_bytes(tensor, 8, name, strlen(name));
}

/* ---- the graph ---- */

static inline void
onnx_begin(struct onnx_file *file)
{
    *file = (struct onnx_file){0};
}

static inline void
onnx_input(struct onnx_file *file, const char *name, int type, const char *dims)
{
    onnx_info(file, 11, name, type, dims);
}

static inline void
onnx_output(struct onnx_file *file, const char *name)
{
    onnx_info(file, 12, name, 0, NULL);
}

static inline void
onnx_value(struct onnx_file *file, const char *name, int type, const char *dims)
{
    onnx_info(file, 13, name, type, dims);
}

/* An initializer with these numbers; NULL: its data lies in another file. */
static inline void
onnx_stored(struct onnx_file *file, const char *name, int type, const char *dims, const int64_t *numbers, size_t count)
{
    struct onnx_file tensor = {0};

    onnx_tensor(&tensor, name, type, dims);
    if (numbers)
        onnx_bytes(&tensor, 9, numbers, count * sizeof *numbers);
    else
        onnx_number(&tensor, 14, 1);
    onnx_message(file, 5, &tensor);
}

/* An initializer of floats with `length` bytes of raw data that are left out: see `hole`. */
static inline void
onnx_stored_elsewhere(struct onnx_file *file, const char *name, const char *dims, int64_t length)
{
    struct onnx_file tensor = {0};

    onnx_tensor(&tensor, name, ONNX_FLOAT, dims);
    onnx_varint(&tensor, 9 << 3 | 2);
    onnx_varint(&tensor, (uint64_t)length);
    tensor.hole = tensor.length;
    tensor.hole_length = length;
    onnx_message(file, 5, &tensor);
}

/* ---- nodes ---- */

static inline void
onnx_node_input(struct onnx_file *node, const char *part)
{
    onnx_bytes(node, 1, part, strlen(part));
}

static inline void
onnx_node_output(struct onnx_file *node, const char *part)
{
    onnx_bytes(node, 2, part, strlen(part));
}

/* "axis=0", "strides=2,2", "mode=linear", or "graph" for a graph of its own. */
static inline void
onnx_node_attribute(struct onnx_file *node, const char *text)
{
    struct onnx_file attribute = {0};
    size_t length = strcspn(text, "=");

    onnx_bytes(&attribute, 1, text, length);
    if (strcmp(text, "graph") == 0)
        onnx_bytes(&attribute, 6, "", 0);
    else if (text[length] && isalpha((unsigned char)text[length + 1]))
        onnx_bytes(&attribute, 4, text + length + 1, strlen(text + length + 1));
    else if (strchr(text, ','))
        for (const char *at = text + length; *at; at += strcspn(at + 1, ",") + 1)
            onnx_number(&attribute, 8, strtoll(at + 1, NULL, 10));
    else
        onnx_number(&attribute, 3, strtoll(text + length + 1, NULL, 10));
    onnx_message(node, 5, &attribute);
}

/* A node that is named by its operator and its first output: "Relu_y". */
static inline void
onnx_node(struct onnx_file *file, const char *op, const char *inputs, const char *outputs, const char *attribute)
{
    struct onnx_file node = {0};
    char name[64];

    snprintf(name, sizeof name, "%s_%.*s", op, (int)strcspn(outputs, ","), outputs);
    onnx_parts(&node, inputs, onnx_node_input);
    onnx_parts(&node, outputs, onnx_node_output);
    onnx_bytes(&node, 3, name, strlen(name));
    onnx_bytes(&node, 4, op, strlen(op));
    if (*attribute)
        onnx_node_attribute(&node, attribute);
    onnx_message(file, 1, &node);
}

/* The graph becomes a model of that opset. */
static inline void
onnx_end(struct onnx_file *file, int64_t opset)
{
    struct onnx_file model = {0}, version = {0};

    onnx_message(&model, 7, file);
    onnx_bytes(&version, 1, "", 0);
    onnx_number(&version, 2, opset);
    onnx_message(&model, 8, &version);
    *file = model;
}

static inline void
onnx_release(struct onnx_file *file)
{
    free(file->bytes);
}

#endif

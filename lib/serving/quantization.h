/*
 * Types of elements, and how weights of linear layers are packed: what `quantization_config` of a checkpoint or an option
 * says.
 */
#ifndef SERVING_QUANTIZATION_H
#define SERVING_QUANTIZATION_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

enum element { ELEMENT_FLOAT32, ELEMENT_FLOAT16, ELEMENT_BFLOAT16 };

/* Bytes of one. */
static inline int64_t
element_bytes(enum element element)
{
    return element == ELEMENT_FLOAT32 ? 4 : 2;
}

/* Such as "bfloat16". */
const char *
element_name(enum element element);

/* Also "half", "bf16", "fp32" and names after "torch."; false if it is none. */
bool
element_of_name(const char *name, enum element *element);

enum packing {
    PACKING_NONE,
    PACKING_FP8,      /* a byte an element; scales a tensor, channel or square of elements */
    PACKING_INT8,     /* the same with a scale a channel */
    PACKING_NF4,      /* bitsandbytes: two elements a byte, a float32 for each 64 */
    PACKING_INTEGERS, /* AWQ, GPTQ, compressed-tensors: integers of `bits`, a scale and perhaps a zero for each group */
    PACKING_NVFP4,    /* two elements a byte, a byte for each 16 */
    PACKING_MXFP4,    /* two elements a byte, a byte for each 32; experts alone */
    PACKING_GGML,     /* llama.cpp: blocks of `group` elements in `block_bytes` */
};

/* Parts of a model whose weights a checkpoint may leave as they are. */
enum part { PART_ATTENTION, PART_MLP, PART_EXPERTS, PART_SHARED_EXPERTS, PART_RECURRENT, PART_HEAD, PARTS };

struct quantization {
    enum packing packing;
    const char *name; /* static, such as "awq" */
    int64_t bits;     /* of PACKING_INTEGERS */
    int64_t group;    /* elements of a scale, along a row; 0: the row */
    int64_t block_bytes;
    int64_t square;   /* of PACKING_FP8: a scale for each square of so many elements; 0: none */
    bool per_channel; /* of PACKING_FP8 */
    bool has_zeros;   /* of PACKING_INTEGERS */
    bool has_order;   /* of GPTQ: the order of a row's elements */
    bool keeps[PARTS];
};

/* Bytes of the parts of a linear layer's weight. */
struct packed {
    int64_t weight, scales, zeros, order;
};

/* Of `count` matrices of rows x columns. False where the product does not fit. */
bool
quantization_bytes(const struct quantization *quantization, enum element element, int64_t count, int64_t rows,
                   int64_t columns, struct packed *packed);

/* That of a name, as options have it; MEMMODEL_ERROR_INVALID_ARGUMENT with the names there are. */
int
quantization_find(memmodel_context *context, const char *name, struct quantization *quantization);

#endif

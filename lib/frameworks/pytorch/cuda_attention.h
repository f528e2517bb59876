/* Kernels of attention on a GPU, each a call forward and one backward, of all of a sequence or of a part of it. */
#ifndef PYTORCH_CUDA_ATTENTION_H
#define PYTORCH_CUDA_ATTENTION_H

#include "frameworks/pytorch/operators.h"

/* Axes of queries, keys and values. */
enum { BATCH, HEADS, LENGTH, WIDTH };

/* What backward passes need, in this order; seed and offset of the generator where they are on the device. */
enum {
    SAVED_QUERY,
    SAVED_KEY,
    SAVED_VALUE,
    SAVED_MASK,
    SAVED_RESULT,
    SAVED_ROWS,
    SAVED_SEED,
    SAVED_OFFSET,
    SAVED_COUNT
};

/* What a call makes; NULL: this kernel has none. */
struct attention_made {
    bool wants_rows;    /* for a backward pass; flash attention makes them anyway */
    struct value *mask; /* seen for each head of each sequence */
    struct value *result, *rows, *seed, *offset;
};

struct attention_kernel {
    struct derivative derivative; /* of a call of all of a sequence */
    void (*forward)(struct step *step, struct value *const operands[4], const struct memmodel_attention *options,
                    struct attention_made *made);
    /* Gradients of query, key and value, and of the mask if that is wanted. */
    void (*backward)(struct step *step, struct value *const saved[], const struct value *incoming,
                     struct value **gradients, bool mask);
};

/* The result, with a node that has saved all; takes what was made. The node's options are the kernel. */
struct value *
attention_record(struct step *step, const struct derivative *derivative, const struct attention_kernel *kernel,
                 struct value *const operands[4], struct attention_made *made);

/* ---- ring_attention.c ---- */

/* Of a part of a sequence, by a kernel that is called for the keys and values of each rank. NULL kernel: refused. */
struct value *
ring_attention(struct step *step, const struct attention_kernel *kernel, struct value *const operands[4],
               const struct memmodel_attention *options);

#endif

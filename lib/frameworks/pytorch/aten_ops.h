/*
 * Rules of operators that are no layer family, by PyTorch's own name, such as "aten.pow.Tensor_Scalar". Their layers
 * are custom operators with an `operation`; inputs are the tensors among the operator's arguments, in its own order,
 * lists of tensors laid out one after the other.
 *
 * They are in C where a formula does not reach (formula.h): they have kernels, layouts, lists or workspaces of their own.
 * To add one: write its forward function in the file of its family, and give it a row in that file's table.
 */
#ifndef PYTORCH_ATEN_OPS_H
#define PYTORCH_ATEN_OPS_H

#include "frameworks/pytorch/operators.h"

struct aten_op_rule {
    const char *name;
    void (*forward)(struct step *step, const struct layer *layer, int detail);
    int detail; /* in which rows of one function differ */
    /* Inputs that the rule cannot do without: a digit for each of the first, its least rank; "*": all there are. */
    const char *operands;
};

/* True if the layer has them. */
bool
aten_op_rule_fits(struct step *step, const struct layer *layer, const struct aten_op_rule *rule);

/* Rows of one file, sorted by name. */
struct aten_ops {
    const struct aten_op_rule *rules;
    size_t count;
};

#define ATEN_OPS(rules_)                                                                                               \
    {                                                                                                                  \
        rules_, sizeof rules_ / sizeof rules_[0]                                                                       \
    }

extern const struct aten_ops aten_op_functions, aten_op_fourier, aten_op_cells, aten_op_convolution, aten_op_dropout,
    aten_op_scopes, aten_op_backward, aten_op_foreach, aten_op_views, aten_op_joining, aten_op_indexing,
    aten_op_products, aten_op_normalization, aten_op_pooling, aten_op_resampling, aten_op_attention, aten_op_recurrent,
    aten_op_cudnn, aten_op_tensor, aten_op_pipeline, aten_op_quantized;

/* Row `index` of all tables, or NULL after the last. */
const struct aten_op_rule *
aten_op_rule_at(size_t index);

/* NULL if there is no rule of that name. */
const struct aten_op_rule *
aten_op_rule_find(const char *operation);

/*
 * The first name of an operator that has two, "aten.mul.Tensor" for "aten.multiply.Tensor"; false if it has no other.
 */
bool
aten_op_alias(const char *operation, char *name, size_t max);

/* True if the call wants its result in this memory format and `x` can have it. */
bool
attribute_channels_last(const struct layer *layer, const struct value *x);

/*
 * What a gather or scatter kernel needs beside the tensor that it writes. PyTorch: ScatterGatherKernel.cpp,
 * create_acc_buffer
 */
void
aten_op_scatter_scratch(struct step *step, const struct value *written);

/* For a form of an operator that its rule does not cover: as if it had none. */
void
aten_op_estimate(struct step *step, const struct layer *layer);

#endif

/*
 * Rules of operators that are no layer family, by PyTorch's own name, such as "aten.pow.Tensor_Scalar". Their layers are
 * custom operators with an `operation`; inputs are the tensors among the operator's arguments, in its own order, lists
 * of tensors laid out one after the other.
 *
 * To add an operator: write its forward function in the file of its family, and give it a row in that file's table.
 */
#ifndef PYTORCH_NAMED_H
#define PYTORCH_NAMED_H

#include "frameworks/pytorch/operators.h"

struct named_rule {
    const char *name;
    void (*forward)(struct step *step, const struct layer *layer, int detail);
    int detail; /* in which rows of one function differ */
    /* Inputs that the rule cannot do without: a digit for each of the first, its least rank; "*": all there are. */
    const char *operands;
};

/* True if the layer has them. */
bool
named_rule_fits(struct step *step, const struct layer *layer, const struct named_rule *rule);

/* Rows of one file, sorted by name. */
struct named_table {
    const struct named_rule *rules;
    size_t count;
};

#define NAMED_TABLE(rules_)                                                                                            \
    {                                                                                                                  \
        rules_, sizeof rules_ / sizeof rules_[0]                                                                       \
    }

extern const struct named_table named_functions, named_fourier, named_cells, named_convolution, named_elementwise,
    named_arithmetic, named_makers, named_views, named_joining, named_indexing, named_reductions, named_products,
    named_normalization, named_pooling, named_scattering, named_resampling, named_losses, named_attention,
    named_recurrent;

/* Row `index` of all tables, or NULL after the last. */
const struct named_rule *
named_rule_at(size_t index);

/* NULL if there is no rule of that name. */
const struct named_rule *
named_rule_find(const char *operation);

/* The first name of an operator that has two, "aten.mul.Tensor" for "aten.multiply.Tensor"; false if it has no other. */
bool
named_alias(const char *operation, char *name, size_t most);

/* True if the call wants its result in this memory format and `x` can have it. */
bool
attribute_channels_last(const struct layer *layer, const struct value *x);

/* ---- named.c: rules that are one call ---- */

/* Makes its outputs of nothing: zeros, arange, comparisons. No gradient. */
void
named_maker(struct step *step, const struct layer *layer, int detail);

/* What a gather or scatter kernel needs beside the tensor that it writes. PyTorch: ScatterGatherKernel.cpp, create_acc_buffer */
void
named_scatter_scratch(struct step *step, const struct value *written);

/* For a form of an operator that its rule does not cover: as if it had none. */
void
named_estimate(struct step *step, const struct layer *layer);

/* Its input is its output. */
void
named_identity(struct step *step, const struct layer *layer, int detail);

#endif

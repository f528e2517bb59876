/*
 * Rules of operators that are no layer family, by PyTorch's own name, such as "aten.pow.Tensor_Scalar". Their layers are
 * custom operators with an `operation`; inputs are the tensors among the operator's arguments, in its own order, lists
 * of tensors laid out one after the other.
 *
 * To add an operator: write its forward function in the file of its family, and give it a row in named.c.
 */
#ifndef PYTORCH_NAMED_H
#define PYTORCH_NAMED_H

#include "frameworks/pytorch/operators.h"

struct named_rule {
    const char *name;
    void (*forward)(struct step *step, const struct layer *layer, int detail);
    int detail; /* in which rows of one function differ */
};

/* NULL if there is no rule of that name. */
const struct named_rule *
named_rule_find(const char *operation);

/* ---- attributes: the arguments that are no tensors, "dim=1 size=2,3 mode=reflect"; those at their default are absent */

bool
attribute_present(const struct layer *layer, const char *name);

int64_t
attribute_integer(const struct layer *layer, const char *name, int64_t otherwise);

double
attribute_number(const struct layer *layer, const char *name, double otherwise);

/* True unless it is written with a decimal point or an exponent. */
bool
attribute_is_whole(const struct layer *layer, const char *name);

/* True if it is that word. */
bool
attribute_is(const struct layer *layer, const char *name, const char *word);

/* Up to `most` numbers of a list; how many there are, 0 if it is absent or empty. */
int
attribute_list(const struct layer *layer, const char *name, int64_t *numbers, int most);

/* ---- what rows of named.c name ---- */

void
named_pointwise(struct step *step, const struct layer *layer, int kind);

void
named_pointwise_in_place(struct step *step, const struct layer *layer, int kind);

void
named_binary(struct step *step, const struct layer *layer, int kind);

void
named_binary_in_place(struct step *step, const struct layer *layer, int kind);

void
named_clone(struct step *step, const struct layer *layer, int detail);

void
named_contiguous(struct step *step, const struct layer *layer, int detail);

void
named_detach(struct step *step, const struct layer *layer, int detail);

/* Makes its outputs of nothing: zeros, arange, comparisons. No gradient. */
void
named_maker(struct step *step, const struct layer *layer, int detail);

#endif

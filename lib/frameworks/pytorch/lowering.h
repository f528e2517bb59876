/*
 * Operators below autograd whose rule is another operator's: of the forward pass those that return what a backward pass
 * needs, and those of the backward pass. native_functions.yaml and derivatives.yaml say what belongs to what.
 */
#ifndef PYTORCH_LOWERING_H
#define PYTORCH_LOWERING_H

#include <stddef.h>

/*
 * Places are counted '0' to '9', then 'A' to 'F'. As an operand, 'p' to 'w' is a tensor of the shape of an output, '-'
 * none.
 */
struct lowering {
    const char *name;
    const char *operation; /* whose rule it is */
    const char *operands;  /* of that: places among the operator's own inputs; NULL: all of them */
    const char *incoming;  /* of a backward operator, inputs: gradients of the outputs of `operation`; else NULL */
    const char *gradients; /* and operands of `operation` whose gradients its outputs are */
    const char *attribute; /* "own=its": a name that an attribute has in `operation`; NULL: all are called alike */
};

/* Row `index`, or NULL after the last. */
const struct lowering *
lowering_at(size_t index);

/* NULL: its rule, if it has one, goes by its own name. */
const struct lowering *
lowering_find(const char *operation);

#endif

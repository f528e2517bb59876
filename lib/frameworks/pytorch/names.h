/* What the caller of a step holds: y and loss, each until its name is bound anew. */
#ifndef PYTORCH_NAMES_H
#define PYTORCH_NAMES_H

#include "frameworks/pytorch/state.h"

/* A tensor that the caller has a name for, such as y or loss. */
struct name {
    memmodel_tensor tensor;
    int32_t bound; /* layer after which the name is bound anew */
    struct value *held;
    bool returned; /* by the model: it lives until its name is bound */
    bool beside;   /* returned, and not what the caller named last: no loss of its own */
};

struct names {
    struct name *items;
    struct value **roots; /* room for as many */
    size_t count;
};

int
names_new(memmodel_context *context, const struct memmodel_network *network, struct names *names);

/* The last layer of the model; those after it are its caller's, such as the loss. */
int32_t
names_model_end(const struct names *names, const struct memmodel_network *network);

void
names_release(memmodel_context *context, struct names *names);

/* Binds the names that are due after this layer; what they held goes. */
void
names_bind(struct step *step, struct names *names, int32_t layer);

/*
 * Number of values in names->roots that a backward pass starts from: the losses; for a network without one, each
 * output, as if its gradient was given.
 */
int
names_roots(const struct names *names);

#endif

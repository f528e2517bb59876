/* What the rule of a layer reads and makes; what is returned stays the step's unless stated. */
#ifndef PYTORCH_OPERANDS_H
#define PYTORCH_OPERANDS_H

#include "frameworks/pytorch/state.h"

/* NULL where an optional input is missing. */
struct value *
step_input(struct step *step, const struct layer *layer, int input);

/* Parameter or buffer of a role such as "weight"; NULL if the layer has none. */
struct value *
step_parameter(struct step *step, const struct layer *layer, const char *role);

struct shape
step_output_shape(struct step *step, const struct layer *layer, int output);

struct shape
step_bound_shape(const struct step *step, const memmodel_dim *dims, int rank, int dtype);

/* The layer's output; takes the reference. */
void
step_output(struct step *step, const struct layer *layer, int output, struct value *value);

int64_t
step_dim(const struct step *step, memmodel_dim dim);

/* Names an operator that was estimated by its outputs alone. */
void
step_unmodelled(struct step *step, const char *op, int64_t bytes);

/* How an operator of the network is run. */
struct rule {
    enum op op;
    void (*forward)(struct step *step, const struct layer *layer);
};

/* The rule of an operator; never NULL. */
const struct rule *
rule_of(enum op op);

#endif

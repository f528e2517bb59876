/*
 * A network's counts as closed formulas: a pool of its own in which the network's constraints are taken for granted, so
 * that 16 floor(dim / 16) reads dim. Expressions of the space are negative on error, with the context's error set.
 */
#ifndef NETWORK_FORMULA_H
#define NETWORK_FORMULA_H

#include "network/network.h"

struct formula_space;

int
formula_space_new(memmodel_context *context, const memmodel_network *network, struct formula_space **space);

void
formula_space_free(struct formula_space *space);

struct expression_pool *
formula_pool(const struct formula_space *space);

/* A dimension of the network, a tensor's and a parameter's elements. */
expression
formula_dim(struct formula_space *space, memmodel_dim dim);

expression
formula_tensor_elements(struct formula_space *space, memmodel_tensor tensor);

expression
formula_parameter_elements(struct formula_space *space, int32_t parameter);

/*
 * An expression of the space where the network's symbols have these values, in the order of the network's pool.
 * Returns 0, MEMMODEL_ERROR_NO_MEMORY.
 */
int
formula_evaluate(const struct formula_space *space, expression e, const int64_t *symbols, double *value);

/* What the space takes for granted: "symbol is a multiple of". */
size_t
formula_assumption_count(const struct formula_space *space);

const char *
formula_assumption(const struct formula_space *space, size_t index, int64_t *multiple);

#endif

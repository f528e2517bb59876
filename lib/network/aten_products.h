/* What PyTorch's operators multiply, by their names. */
#ifndef NETWORK_ATEN_PRODUCTS_H
#define NETWORK_ATEN_PRODUCTS_H

#include "network/network.h"

/*
 * Multiplications with addition of a custom operator with an `operation`: those of the matrix products and convolutions
 * that it is made of, as torch.utils.flop_counter counts them (two operations each). 0 for one that has none, or whose
 * operands are none of the operator's. False on overflow.
 */
bool
aten_multiply_adds(const struct binding *binding, const struct layer *layer, int64_t *count);

#endif

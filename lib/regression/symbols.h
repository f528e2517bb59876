/* Names of columns as symbols of formulas. */
#ifndef REGRESSION_SYMBOLS_H
#define REGRESSION_SYMBOLS_H

#include "expression/expression.h"

/*
 * Makes symbol i of an empty pool for names[i]: the name itself where it is one, else with each character that a symbol
 * cannot have replaced by '_', and "_2", "_3", ... after it where that is taken already. 0, or the pool's error.
 */
int
symbols_define(struct expression_pool *pool, memmodel_context *context, const char *const *names, size_t count);

#endif

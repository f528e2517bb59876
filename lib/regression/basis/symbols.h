/* Names of columns as symbols of formulas. */
#ifndef REGRESSION_SYMBOLS_H
#define REGRESSION_SYMBOLS_H

#include "expression/expression.h"

/*
 * Makes symbol i of an empty pool for names[i]: the name with '_' for each character that identifiers of C and Python
 * do not have, and "_2", "_3", ... after it where the result is taken, or means something else in a language that
 * formulas are printed in. 0, or the pool's error.
 */
int
symbols_define(struct expression_pool *pool, memmodel_context *context, const char *const *names, size_t count);

#endif

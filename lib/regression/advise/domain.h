/* Configurations that may be measured: texts such as "batch=1,2,4" and "dim=32:144:16", all combinations. */
#ifndef REGRESSION_DOMAIN_H
#define REGRESSION_DOMAIN_H

#include "base/context.h"
#include "memmodel/samples.h"

enum { DOMAIN_MAX = 10000 }; /* configurations */

/*
 * A table with a column for each input, in their order, the last one changing fastest. 0, MEMMODEL_ERROR_NO_MEMORY, or
 * MEMMODEL_ERROR_INVALID_ARGUMENT with what is wrong.
 */
int
domain_list(memmodel_context *context, const char *const *texts, size_t count, memmodel_samples **configurations);

#endif

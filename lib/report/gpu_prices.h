/* What an hour of a GPU costs, by a table: lines "h100,2.49". */
#ifndef REPORT_GPU_PRICES_H
#define REPORT_GPU_PRICES_H

#include "memmodel/context.h"

#include <stddef.h>

/*
 * The price of a GPU, which goes by its word in jobs; 0 where the table has none, or `gpu` is NULL. All lines are read. `name`
 * is the table's, for errors. 0, MEMMODEL_ERROR_PARSE for a line that is wrong, MEMMODEL_ERROR_NO_MEMORY or _LIMIT.
 */
int
gpu_price_parse(memmodel_context *context, const char *name, const char *text, size_t length, const char *gpu,
                double *price);

/* The same of a file; MEMMODEL_ERROR_IO, too. */
int
gpu_price_load(memmodel_context *context, const char *path, const char *gpu, double *price);

#endif

/* Rows of all GPUs, as `memmodel gpus` orders and writes them; the page of bindings/web does the same. */
#ifndef CLI_GPU_ROWS_H
#define CLI_GPU_ROWS_H

#include <memmodel.h>

#include <stddef.h>

/* `given`, or without it "batch" where the network has it, else NULL. */
const char *
gpu_rows_symbol(const memmodel_network *network, const char *given);

/* What an hour of as many as are needed costs; 0: not known. */
double
gpu_rows_cost(const struct memmodel_gpu_estimate *row);

/* What runs the job and has a price comes first, the cheapest of these first; then by memory, and by name. */
void
gpu_rows_sort(struct memmodel_gpu_estimate *rows, size_t count);

enum { GPU_ROW_BYTES = 512 };

/* The row as an object of JSON; to `text`, which it returns. */
const char *
gpu_rows_json(const struct memmodel_gpu_estimate *row, char text[GPU_ROW_BYTES]);

#endif

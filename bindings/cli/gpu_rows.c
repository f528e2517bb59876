/* The order of GPUs in a table, and a row as JSON. */
#include "gpu_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
gpu_rows_symbol(const memmodel_network *network, const char *given)
{
    const char *name;

    for (size_t i = 0; !given && (name = memmodel_network_symbol_name(network, i)) != NULL; i++)
        if (strcmp(name, "batch") == 0)
            return "batch";
    return given;
}

double
gpu_rows_cost(const struct memmodel_gpu_estimate *row)
{
    return row->price * row->gpu_count;
}

static int
compare(const void *a, const void *b)
{
    const struct memmodel_gpu_estimate *one = a, *other = b;
    double x = gpu_rows_cost(one), y = gpu_rows_cost(other);

    if ((x > 0) != (y > 0))
        return x > 0 ? -1 : 1;
    if (x > 0 && x != y)
        return x < y ? -1 : 1;
    if (one->memory != other->memory)
        return one->memory < other->memory ? -1 : 1;
    return strcmp(one->gpu, other->gpu);
}

void
gpu_rows_sort(struct memmodel_gpu_estimate *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, compare);
}

const char *
gpu_rows_json(const struct memmodel_gpu_estimate *row, char text[GPU_ROW_BYTES])
{
    snprintf(text, GPU_ROW_BYTES,
             "{\"gpu\": \"%s\", \"memory\": %" PRId64 ", \"peak\": %" PRId64 ", \"peak_low\": %" PRId64
             ", \"peak_high\": %" PRId64 ", \"verdict\": \"%s\", \"max\": %" PRId64
             ", \"gpu_count\": %d, \"price\": %.6g, \"validated\": %s}",
             row->gpu, row->memory, row->peak, row->peak_low, row->peak_high, memmodel_verdict_name(row->verdict),
             row->max, row->gpu_count, row->price, row->validated ? "true" : "false");
    return text;
}

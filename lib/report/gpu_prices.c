/* A table of prices, of which one GPU's is looked up. */
#include "report/gpu_prices.h"
#include "base/csv.h"
#include "base/file.h"
#include "frameworks/cuda/gpu.h"

#include <string.h>

struct lookup {
    const struct gpu *gpu;
    double found; /* 0: the table has none */
};

static int
read_price(const struct csv *csv, struct lookup *lookup)
{
    const char *name = csv_text(csv, 0), *text = csv->count > 1 ? csv_text(csv, 1) : "";
    const struct gpu *gpu = gpu_of_name(name);
    double dollars;

    if (!gpu)
        return csv_error(csv, 0, "'%s' is no GPU that has a profile; lines are such as h100,2.49", name);
    if (csv->count > 2)
        return csv_error(csv, 2, "there are %zu fields; lines are such as h100,2.49", csv->count);
    if (!parse_double(text, &dollars) || !(dollars > 0))
        return csv_error(csv, csv->count > 1, "the price of %s is '%s', which is no number above 0", name, text);
    if (gpu == lookup->gpu)
        lookup->found = dollars;
    return 0;
}

/* The first row may have the names of the columns. */
static int
parse_prices(memmodel_context *context, const char *path, const char *text, size_t length, void *made)
{
    struct csv csv;
    int status;

    csv_open(&csv, context, path, text, length);
    while ((status = csv_read_row(&csv)) > 0) {
        status = strcmp(csv_text(&csv, 0), "gpu") == 0 ? 0 : read_price(&csv, made);
        if (status)
            break;
    }
    csv_close(&csv);
    return status;
}

int
gpu_price_parse(memmodel_context *context, const char *name, const char *text, size_t length, const char *gpu,
                double *price)
{
    struct lookup lookup = {.gpu = gpu ? gpu_of_name(gpu) : NULL};
    int status = parse_prices(context, name, text, length, &lookup);

    if (!status)
        *price = lookup.found;
    return status;
}

int
gpu_price_load(memmodel_context *context, const char *path, const char *gpu, double *price)
{
    struct lookup lookup = {.gpu = gpu ? gpu_of_name(gpu) : NULL};
    int status = file_parse(context, path, parse_prices, &lookup);

    if (!status)
        *price = lookup.found;
    return status;
}

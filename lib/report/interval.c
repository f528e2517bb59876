/* How sure a peak is: what recorded trainings of its kind took, beside what was predicted of them. */
#include "base/checked.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

struct error_row {
    const char *framework, *device;
    int32_t metric;
    const char *kind;
    int32_t runs;
    double low, high; /* measured over predicted */
    const char *source;
};

#include "report/error_table.h"

enum { ERROR_ROWS = sizeof error_rows / sizeof error_rows[0] };

static bool
is_of_job(const struct error_row *row, const struct memmodel_job *job, const char *kind)
{
    return row->metric == job->metric && strcmp(row->device, job->device) == 0 &&
           strcmp(row->framework, job->framework) == 0 && (!*kind || strcmp(row->kind, kind) == 0);
}

/* Of networks of no kind, and of traces, the widest of all kinds. */
static struct error_row
row_of(const struct memmodel_job *job, const char *kind)
{
    struct error_row found = {.runs = 0};

    for (size_t i = 0; i < ERROR_ROWS; i++) {
        const struct error_row *row = &error_rows[i];

        if (!is_of_job(row, job, kind))
            continue;
        if (found.runs == 0)
            found = *row;
        found.low = fmin(found.low, row->low);
        found.high = fmax(found.high, row->high);
        found.runs = row->runs < found.runs ? row->runs : found.runs;
        if (!*kind)
            found.kind = "";
    }
    return found;
}

/* Trainings alone were recorded, of one process, and of rules that are known. */
static bool
is_known(const struct memmodel_job *job)
{
    return job->mode == MEMMODEL_MODE_TRAINING && !job->parallel;
}

static int64_t
scaled(int64_t bytes, double factor)
{
    double product = (double)bytes * factor;

    return product >= 0x1p63 ? INT64_MAX : (int64_t)product;
}

struct interval
interval_of(const struct memmodel_job *job, const char *kind, int64_t bytes)
{
    struct error_row row = row_of(job, kind);

    if (!is_known(job) || row.runs == 0 || bytes < 0)
        return (struct interval){.runs = 0};
    /* a prediction lies in its own interval, wherever the recorded ones lay */
    return (struct interval){
        .low = row.low < 1 ? scaled(bytes, row.low) : bytes,
        .high = row.high > 1 ? scaled(bytes, row.high) : bytes,
        .runs = row.runs,
    };
}

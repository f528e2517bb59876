/* Noise of measurements, from rows that were measured at one point. */
#include "regression/noise.h"
#include "regression/leave_one_out.h"

#include <math.h>

enum { LEAST_FREEDOM = 3 }; /* below, a standard deviation is a third of the true one by chance too often */

static const double suspicious = 3; /* times the noise */

/* Sum of the point's weighted squared distances from its mean. */
static double
spread(const struct training *training, const size_t *rows, size_t count, bool relative)
{
    double weight = 0, mean = 0, squares = 0;

    for (size_t k = 0; k < count; k++) {
        weight += training->weights[rows[k]];
        mean += training->weights[rows[k]] / weight * (training->measured[rows[k]] - mean);
    }
    for (size_t k = 0; k < count; k++) {
        double distance = (training->measured[rows[k]] - mean) / (relative ? mean : 1);

        squares += training->weights[rows[k]] * distance * distance;
    }
    return squares;
}

int
noise_measure(const struct training *training, bool relative, struct model_noise *noise)
{
    size_t rows = training->columns.rows, repeats = rows - training->point_count;
    struct row_groups groups;
    double squares = 0;
    int status;

    *noise = (struct model_noise){.deviation = (double)NAN};
    if (repeats == 0)
        return 0;
    status = row_groups_new(training->context, training->points, rows, training->point_count, &groups);
    for (size_t g = 0; !status && g < groups.count; g++)
        squares += spread(training, groups.rows + groups.starts[g], groups.starts[g + 1] - groups.starts[g], relative);
    row_groups_release(training->context, &groups);
    if (!status)
        *noise = (struct model_noise){.deviation = sqrt(squares / (double)repeats), .freedom = (int64_t)repeats};
    return status;
}

void
noise_compare(const struct training *training, bool relative, const struct model_noise *noise, double left_out_error)
{
    double unit = relative ? 100 : 1;

    if (noise->freedom < LEAST_FREEDOM || !(left_out_error > suspicious * noise->deviation))
        return;
    context_log(
        training->context,
        "the error on rows left out, %.3g%s, is more than %g times the noise of repeated measurements, %.3g%s: a "
        "term is missing, or a mode switched",
        unit * left_out_error, relative ? " %" : "", suspicious, unit * noise->deviation, relative ? " %" : "");
}

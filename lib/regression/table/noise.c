/* Noise of measurements, from rows that were measured at one point. */
#include "regression/table/noise.h"

#include <math.h>

enum { MIN_DOF = 3 }; /* below, a standard deviation is a third of the true one by chance too often */

static const double suspicious = 3; /* times the noise */

/* Sum of the weighted squared distances of rows `first` to `end` - 1, which are of one point, from their mean. */
static double
squares_within(const struct training *table, size_t first, size_t end, bool relative)
{
    double weight = 0, mean = 0, squares = 0;

    for (size_t i = first; i < end; i++) {
        weight += table->weights[i];
        mean += table->weights[i] / weight * (table->measured[i] - mean);
    }
    for (size_t i = first; i < end; i++) {
        double distance = (table->measured[i] - mean) / (relative ? mean : 1);

        squares += table->weights[i] * distance * distance;
    }
    return squares;
}

void
noise_measure(const struct training *table, bool relative, struct memmodel_model_scores *scores)
{
    size_t rows = table->columns.rows, repeats = rows - table->point_count, end;
    double squares = 0;

    if (repeats == 0)
        return;
    for (size_t first = 0; first < rows; first = end) { /* rows of one point stand next to each other */
        for (end = first + 1; end < rows && table->points[end] == table->points[first];)
            end++;
        squares += squares_within(table, first, end, relative);
    }
    scores->noise = sqrt(squares / (double)repeats);
    scores->noise_dof = (int64_t)repeats;
}

void
noise_compare(const struct training *table, bool relative, const struct memmodel_model_scores *scores,
              double left_out_error)
{
    double unit = relative ? 100 : 1;

    if (scores->noise_dof < MIN_DOF || !(left_out_error > suspicious * scores->noise))
        return;
    context_log(
        table->context,
        "the error on rows left out, %.3g%s, is more than %g times the noise of repeated measurements, %.3g%s: a "
        "term is missing, or a mode switched",
        unit * left_out_error, relative ? " %" : "", suspicious, unit * scores->noise, relative ? " %" : "");
}

/* What an error counts. */
#include "regression/table/loss.h"

#include "base/numbers.h"
#include "regression/linear/logarithm.h"

#include <math.h>

static const double max_ratio = 1000; /* of prediction and measurement, either way: what lies beyond counts as this */
static const double exact_error = 1e-9;
static const double huber_bound = 1.345 * 1.4826; /* of the median of the sizes of errors */
static const double near_one = 1e-6;              /* ratios nearer to 1 than this have the weight of 1 */

bool
loss_is_square(const struct loss *loss)
{
    return loss->kind == MEMMODEL_FIT_LOSS_RELATIVE || loss->kind == MEMMODEL_FIT_LOSS_SQUARED;
}

bool
loss_is_relative(int32_t kind)
{
    return kind == MEMMODEL_FIT_LOSS_RELATIVE || kind == MEMMODEL_FIT_LOSS_MAPE || kind == MEMMODEL_FIT_LOSS_LOG_RATIO;
}

bool
loss_is_linear(const struct loss *loss)
{
    return !loss_is_square(loss) && loss->kind != MEMMODEL_FIT_LOSS_LOG_RATIO;
}

static double
limited_ratio(double measured, double predicted)
{
    double ratio = predicted / measured;

    return !(ratio > 1 / max_ratio) ? 1 / max_ratio : ratio > max_ratio ? max_ratio : ratio;
}

double
loss_scale(const struct loss *loss, double measured)
{
    return loss_is_relative(loss->kind) ? measured : loss->unit;
}

double
loss_of(const struct loss *loss, double measured, double predicted)
{
    double error = (measured - predicted) / loss_scale(loss, measured), ratio;

    switch (loss->kind) {
    case MEMMODEL_FIT_LOSS_LOG_RATIO:
        ratio = logarithm(limited_ratio(measured, predicted));
        return ratio * ratio;
    case MEMMODEL_FIT_LOSS_MAPE:
    case MEMMODEL_FIT_LOSS_ABSOLUTE:
        return fabs(error);
    case MEMMODEL_FIT_LOSS_PINBALL:
        return error > 0 ? loss->quantile * error : (loss->quantile - 1) * error;
    default:
        return error * error;
    }
}

double
loss_floor(const struct loss *loss)
{
    return loss_is_linear(loss) ? exact_error : exact_error * exact_error;
}

double
loss_wild_beyond(const struct loss *loss, const double *measured, double *values, size_t count)
{
    double *sorted = values + count;

    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i] = fabs(measured[i] - values[i]) / loss_scale(loss, measured[i]);
    numbers_sort(sorted, count);
    return fmax(huber_bound * sorted[count / 2], loss_floor(loss));
}

double
loss_reported(const struct loss *loss, double mean)
{
    double reported = loss_is_linear(loss) ? mean : sqrt(mean);

    return loss_is_relative(loss->kind) ? reported : reported * loss->unit;
}

/* d/dr ln(r)^2 = 2 ln(r) / r, which is 2 (r - 1) times this */
double
loss_weight(double measured, double predicted)
{
    double ratio = limited_ratio(measured, predicted),
           weight = fabs(ratio - 1) < near_one ? 1 : logarithm(ratio) / (ratio * (ratio - 1));

    return weight / (measured * measured);
}

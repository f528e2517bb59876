/* What an error counts. */
#ifndef REGRESSION_LOSS_H
#define REGRESSION_LOSS_H

#include "memmodel/model.h"

#include <stdbool.h>

struct loss {
    int32_t kind; /* enum memmodel_fit_loss, not the default */
    double quantile;
    double unit; /* what absolute errors are divided by, so that losses are near 1 whatever the target's unit */
};

/* Squared errors, or squared relative ones: least squares make them small without more ado. */
bool
loss_is_square(const struct loss *loss);

/* Whether errors are relative to what was measured: the target must be above 0. */
bool
loss_is_relative(int32_t kind);

/* Whether its sum grows as errors, not as their squares. */
bool
loss_is_linear(const struct loss *loss);

/* What predicting `predicted` counts. */
double
loss_of(const struct loss *loss, double measured, double predicted);

/* What counts as no loss. */
double
loss_floor(const struct loss *loss);

/*
 * Size beyond which an error says that its row is wild: Huber's bound, 1.345 standard deviations, estimated from the
 * median (Holland and Welsch 1977). `values` are predictions, and become the sizes of their errors divided by
 * loss_scale(); behind them is as much room.
 */
double
loss_wild_beyond(const struct loss *loss, const double *measured, double *values, size_t count);

/* A mean of losses as people read it: of squares the root, of absolute errors in the target's unit. */
double
loss_reported(const struct loss *loss, double mean);

/*
 * Weight of the squared error (measured - predicted)^2 in least squares whose gradient is that of squared logarithms of
 * their ratio, but for a common factor.
 */
double
loss_weight(double measured, double predicted);

/* What errors of that measurement are compared with: itself under relative losses, else the unit. */
double
loss_scale(const struct loss *loss, double measured);

enum { LOSS_MAX_RATIO = 1000 }; /* a prediction further below the measurement, or below 0, counts as this */

/* Measurement / prediction of a row that was held out. */
static inline double
loss_ratio(double measured, double predicted)
{
    return predicted * LOSS_MAX_RATIO > measured ? measured / predicted : LOSS_MAX_RATIO;
}

#endif

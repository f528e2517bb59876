/* How the variance of errors grows with the leverage. */
#include "regression/bound/variance_function.h"
#include "regression/linear/logarithm.h"

#include <math.h>

static const double min_slope = 0x1p-4, max_slope = 0x1p12, step = 4;
static const double refused = 3.841458820694124; /* chi-squared of one degree of freedom, at 95 % */
static const double exact = 1e-9;                /* mean error that is rounding */

double
variance_function(double slope, double leverage)
{
    return sqrt(1 + slope * leverage);
}

/* Its logarithm, but for what is the same for all slopes. */
static double
likelihood(const double *errors, const double *leverages, const double *shares, size_t rows, double slope)
{
    double sizes = 0, scales = 0, total = 0;

    for (size_t i = 0; i < rows; i++) {
        double scale = variance_function(slope, leverages[i]);

        sizes += shares[i] * fabs(errors[i]) / scale;
        scales += shares[i] * logarithm(scale);
        total += shares[i];
    }
    return -scales - total * logarithm(fmax(sizes / total, exact));
}

double
variance_function_slope(const double *errors, const double *leverages, const double *shares, size_t rows)
{
    double best = 0, most = likelihood(errors, leverages, shares, rows, 0) + refused / 2;

    for (double slope = min_slope; slope <= max_slope; slope *= step) {
        double reached = likelihood(errors, leverages, shares, rows, slope);

        if (reached > most) {
            most = reached;
            best = slope;
        }
    }
    return best;
}

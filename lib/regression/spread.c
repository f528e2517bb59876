/* Whether formulas are further off where the samples leave more open. */
#include "regression/spread.h"
#include "regression/logarithm.h"

#include <math.h>

static const double least_growth = 0x1p-4, most_growth = 0x1p12, step = 4;
static const double refused = 3.841458820694124; /* chi-squared of one degree of freedom, at 95 % */
static const double exact = 1e-9;                /* mean error that is rounding */

double
spread_scale(double growth, double open)
{
    return sqrt(1 + growth * open);
}

/* Its logarithm, but for what is the same for all growths. */
static double
likelihood(const double *errors, const double *open, const double *shares, size_t rows, double growth)
{
    double sizes = 0, scales = 0, total = 0;

    for (size_t i = 0; i < rows; i++) {
        double scale = spread_scale(growth, open[i]);

        sizes += shares[i] * fabs(errors[i]) / scale;
        scales += shares[i] * logarithm(scale);
        total += shares[i];
    }
    return -scales - total * logarithm(fmax(sizes / total, exact));
}

double
spread_find(const double *errors, const double *open, const double *shares, size_t rows)
{
    double best = 0, most = likelihood(errors, open, shares, rows, 0) + refused / 2;

    for (double growth = least_growth; growth <= most_growth; growth *= step) {
        double reached = likelihood(errors, open, shares, rows, growth);

        if (reached > most) {
            most = reached;
            best = growth;
        }
    }
    return best;
}

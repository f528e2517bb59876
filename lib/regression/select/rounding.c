/* Coefficients that people can read. */
#include "regression/select/rounding.h"
#include "regression/linear/decimal.h"

#include <math.h>

enum { ALL_DIGITS = 17 };

static const double exact = 1e-24; /* share of the target's square that counts as no error */

/* The number of fewest digits within the tolerance. */
static double
shortest_near(double number, double tolerance)
{
    for (int digits = 1; digits < ALL_DIGITS; digits++) {
        double rounded = decimal_rounded(number, digits);

        if (fabs(rounded - number) <= tolerance)
            return rounded;
    }
    return number;
}

/* What the columns leave of the right side, squared. */
static double
squares_left(const struct qr *qr, const double *response, const double *aligned)
{
    double sum = 0;

    for (size_t i = 0; i < qr->q.rows; i++) {
        double left = response[i];

        for (size_t k = 0; k < qr->count; k++)
            left -= aligned[k] * matrix_column(&qr->q, k)[i];
        sum += left * left;
    }
    return sum;
}

/* By how much the sum of squares may grow for a number's sake. */
static double
affordable_growth(const struct qr *qr, const double *response, const double *aligned, double share)
{
    double rows = (double)qr->q.rows, none = exact * vector_dot(qr->q.rows, response, response);
    double left = squares_left(qr, response, aligned);

    if (left > none && share == 0)
        return 0;
    return fmax(left * share * sqrt(2 / rows), none) / (double)qr->count;
}

void
rounding_solve(const struct qr *qr, const struct rounding_columns *columns, const double *response,
               double *coefficients)
{
    double growth;

    qr_align(qr, response, coefficients);
    growth = affordable_growth(qr, response, coefficients, columns->share);
    if (growth == 0) {
        qr_back_substitute(qr, coefficients);
        return;
    }
    for (size_t k = qr->count; k-- > 0;) {
        int exponent = columns->exponents[k];
        double own = matrix_column(&qr->r, k)[k], number = coefficients[k] / own, tolerance = sqrt(growth) / fabs(own);

        for (size_t j = k + 1; j < qr->count; j++)
            number -= matrix_column(&qr->r, j)[k] * coefficients[j] / own;
        if (columns->constant && k == qr->count - 1 && fabs(number) <= tolerance)
            number = 0;
        coefficients[k] = ldexp(shortest_near(ldexp(number, -exponent), ldexp(tolerance, -exponent)), exponent);
    }
}

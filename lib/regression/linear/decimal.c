/* Numbers of formulas: few digits, and exact. */
#include "regression/linear/decimal.h"

#include <float.h>
#include <math.h>

/* The decimal with the fewest places that divides to the same double; false if there is none of at most 15 digits. */
bool
decimal_exact(double number, struct rational *exact)
{
    const double most = 1e15;
    int64_t power = 1;

    for (; fabs(number) * (double)power < most && power < (int64_t)most; power *= 10) {
        double digits = nearbyint(number * (double)power);

        if (digits / (double)power == number) {
            *exact = (struct rational){(int64_t)digits, power};
            return true;
        }
    }
    return false;
}

double
decimal_rounded(double number, int digits)
{
    double places = 1, zeros = 1, least = 1;

    if (number == 0)
        return 0;
    for (; digits > 1; digits--)
        least *= 10;
    while (fabs(number) * places < least)
        places *= 10;
    while (fabs(number) / zeros >= least * 10)
        zeros *= 10;
    return nearbyint(number * places / zeros) * zeros / places;
}

bool
decimal_near(double number, int digits, struct rational *exact)
{
    for (; digits > 0; digits--)
        if (decimal_exact(decimal_rounded(number, digits), exact))
            return true;
    return false;
}

/* whole * 2^exponent; false without room. */
static bool
binary_exact(double whole, int exponent, struct rational *exact)
{
    const int most = 62;

    while (exponent < 0 && fmod(whole, 2) == 0 && whole != 0) {
        whole /= 2;
        exponent++;
    }
    if (exponent < -most || exponent > most || fabs(ldexp(whole, exponent > 0 ? exponent : 0)) > 0x1p62)
        return false;
    *exact = (struct rational){(int64_t)ldexp(whole, exponent > 0 ? exponent : 0),
                               (int64_t)1 << (exponent < 0 ? -exponent : 0)};
    return true;
}

bool
binary_near(double number, double tolerance, double least, struct rational *exact)
{
    int exponent;
    double fraction = frexp(number, &exponent);

    for (int last = exponent - 1; ldexp(1, last) > least && exponent - last <= DBL_MANT_DIG; last--) {
        double whole = nearbyint(ldexp(fraction, exponent - last));

        if (fabs(ldexp(whole, last) - number) <= tolerance)
            return binary_exact(whole, last, exact);
    }
    return false;
}

/* Numbers of formulas: few digits, and exact. */
#include "regression/decimal.h"

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
decimal_shortened(double number)
{
    double places = 1, zeros = 1;

    while (fabs(number) * places < 1e8 && places < 1e22)
        places *= 10;
    while (fabs(number) / zeros >= 1e9 && zeros < 1e22)
        zeros *= 10;
    if (places == 1e22 || zeros == 1e22)
        return number;
    return nearbyint(number * places / zeros) * zeros / places;
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

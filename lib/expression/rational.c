/* Exact fractions of 64-bit integers. */
#include "expression/rational.h"

#include <math.h>

static uint64_t
divisor_of_magnitudes(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static bool
with_sign(uint64_t value, bool negative, int64_t *result)
{
    if (value > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    if (!negative)
        *result = (int64_t)value;
    else
        *result = value ? -(int64_t)(value - 1) - 1 : 0;
    return true;
}

/* |INT64_MIN| fits nowhere: its divisor is given as 2^62, which is a common divisor too unless both are INT64_MIN. */
int64_t
greatest_common_divisor(int64_t a, int64_t b)
{
    uint64_t divisor = divisor_of_magnitudes(magnitude(a), magnitude(b));

    return divisor > INT64_MAX ? (int64_t)1 << 62 : (int64_t)divisor;
}

bool
checked_common_multiple(int64_t a, int64_t b, int64_t *result)
{
    return checked_multiply(a / greatest_common_divisor(a, b), b, result);
}

/* base ^ exponent */
static bool
checked_power(int64_t base, int64_t exponent, int64_t *result)
{
    int64_t power = 1;

    while (exponent > 0) {
        if (exponent % 2 && !checked_multiply(power, base, &power))
            return false;
        exponent /= 2;
        if (exponent && !checked_multiply(base, base, &base))
            return false;
    }
    *result = power;
    return true;
}

bool
rational_make(int64_t numerator, int64_t denominator, struct rational *result)
{
    uint64_t above = magnitude(numerator), below = magnitude(denominator),
             divisor = divisor_of_magnitudes(above, below);
    struct rational made;

    if (!with_sign(above / divisor, (numerator < 0) != (denominator < 0), &made.numerator) ||
        !with_sign(below / divisor, false, &made.denominator))
        return false;
    *result = made;
    return true;
}

bool
rational_add(struct rational a, struct rational b, struct rational *result)
{
    int64_t divisor, left, right, sum, denominator;

    if (a.denominator == 1 && b.denominator == 1) {
        result->denominator = 1;
        return checked_add(a.numerator, b.numerator, &result->numerator);
    }
    divisor = greatest_common_divisor(a.denominator, b.denominator);
    return checked_multiply(a.numerator, b.denominator / divisor, &left) &&
           checked_multiply(b.numerator, a.denominator / divisor, &right) && checked_add(left, right, &sum) &&
           checked_multiply(a.denominator / divisor, b.denominator, &denominator) &&
           rational_make(sum, denominator, result);
}

bool
rational_multiply(struct rational a, struct rational b, struct rational *result)
{
    struct rational left, right, product;

    if (a.denominator == 1 && b.denominator == 1) {
        result->denominator = 1;
        return checked_multiply(a.numerator, b.numerator, &result->numerator);
    }
    if (!rational_make(a.numerator, b.denominator, &left) || !rational_make(b.numerator, a.denominator, &right) ||
        !checked_multiply(left.numerator, right.numerator, &product.numerator) ||
        !checked_multiply(left.denominator, right.denominator, &product.denominator))
        return false;
    *result = product;
    return true;
}

bool
rational_power(struct rational a, int64_t exponent, struct rational *result)
{
    struct rational power;

    if (!checked_power(a.numerator, exponent < 0 ? -exponent : exponent, &power.numerator) ||
        !checked_power(a.denominator, exponent < 0 ? -exponent : exponent, &power.denominator))
        return false;
    return exponent < 0 ? rational_make(power.denominator, power.numerator, result)
                        : rational_make(power.numerator, power.denominator, result);
}

static bool
integer_root(int64_t a, int64_t degree, int64_t *root)
{
    int64_t guess = (int64_t)llround(pow((double)a, 1.0 / (double)degree)), back;

    if (!checked_power(guess, degree, &back) || back != a)
        return false;
    *root = guess;
    return true;
}

bool
rational_root(struct rational a, int64_t degree, struct rational *result)
{
    struct rational root;

    if (a.numerator <= 0 || !integer_root(a.numerator, degree, &root.numerator) ||
        !integer_root(a.denominator, degree, &root.denominator))
        return false;
    *result = root;
    return true;
}

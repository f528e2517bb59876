/* Exact fractions of 64-bit integers, in lowest terms with a positive denominator. */
#ifndef EXPRESSION_RATIONAL_H
#define EXPRESSION_RATIONAL_H

#include "base/checked.h"

struct rational {
    int64_t numerator, denominator;
};

static inline struct rational
rational_integer(int64_t value)
{
    return (struct rational){value, 1};
}

static inline bool
rational_is(struct rational a, int64_t value)
{
    return a.numerator == value && a.denominator == 1;
}

/* |value|, which INT64_MIN has too */
static inline uint64_t
magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static inline double
rational_double(struct rational a)
{
    return (double)a.numerator / (double)a.denominator;
}

int64_t
greatest_common_divisor(int64_t a, int64_t b);

/* Of two positive numbers. */
bool
checked_common_multiple(int64_t a, int64_t b, int64_t *result);

/* Each returns false, and leaves *result alone, when the exact result does not fit. */

/* denominator != 0 */
bool
rational_make(int64_t numerator, int64_t denominator, struct rational *result);

bool
rational_add(struct rational a, struct rational b, struct rational *result);

bool
rational_multiply(struct rational a, struct rational b, struct rational *result);

/* a != 0 when the exponent is negative */
bool
rational_power(struct rational a, int64_t exponent, struct rational *result);

/* The positive r with r ^ degree = a; false too if there is none. */
bool
rational_root(struct rational a, int64_t degree, struct rational *result);

#endif

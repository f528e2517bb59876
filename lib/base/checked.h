/* Sums and products that say when they do not fit. Portable C11: no compiler builtins. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns false, and leaves *result alone, when the exact result does not fit. */

static inline bool
checked_add(int64_t a, int64_t b, int64_t *result)
{
    if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b))
        return false;
    *result = a + b;
    return true;
}

static inline bool
checked_subtract(int64_t a, int64_t b, int64_t *result)
{
    if ((b < 0 && a > INT64_MAX + b) || (b > 0 && a < INT64_MIN + b))
        return false;
    *result = a - b;
    return true;
}

/* True for what 32 bits hold. */
static inline bool
is_short(int64_t a)
{
    return (uint64_t)a + ((uint64_t)1 << 31) < (uint64_t)1 << 32;
}

static inline bool
checked_multiply(int64_t a, int64_t b, int64_t *result)
{
    double about;

    if (is_short(a) && is_short(b)) {
        *result = a * b;
        return true;
    }
    about = (double)a * (double)b; /* to one part in 2^51: what is far from the limit needs no division */
    if (about > -0x1p62 && about < 0x1p62) {
        *result = a * b;
        return true;
    }
    if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN))
        return false;
    if ((a > 0) == (b > 0)) {
        if (a > 0 ? a > INT64_MAX / b : a < INT64_MAX / b)
            return false;
    } else if (a > 0 ? b < INT64_MIN / a : a < INT64_MIN / b) {
        return false;
    }
    *result = a * b;
    return true;
}

/* Sum of two that are not negative, INT64_MAX where it does not fit. */
static inline int64_t
add_saturating(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* The product of numbers that are not negative; INT64_MAX where it does not fit. */
static inline int64_t
multiply_saturating(int64_t a, int64_t b)
{
    int64_t product = INT64_MAX;

    checked_multiply(a, b, &product);
    return product;
}

/* The greatest; 0 of two zeros. */
static inline int64_t
common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* *total += value */
static inline bool
checked_accumulate(int64_t *total, int64_t value)
{
    return checked_add(*total, value, total);
}

static inline bool
checked_size(size_t count, size_t size, size_t *bytes)
{
    if (size != 0 && count > SIZE_MAX / size)
        return false;
    *bytes = count * size;
    return true;
}

/*
 * ---- narrower integers ----
 *
 * An int64_t becomes narrower here, where it is checked, or by a plain cast of what a comment, a check beside it or its
 * own definition keeps small: a rank, an axis, an index of what is there.
 */

/* False, and *result left alone, where an int does not hold it. */
static inline bool
checked_int(int64_t a, int *result)
{
    if (a < INT_MIN || a > INT_MAX)
        return false;
    *result = (int)a;
    return true;
}

static inline int64_t
min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t
max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Quotient rounded towards minus infinity; `b` > 0. */
static inline int64_t
floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

/* Quotient rounded up; `b` > 0. */
static inline int64_t
ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b > 0 ? 1 : 0);
}

/* The least multiple of `b` that is not less; `b` > 0. */
static inline int64_t
round_up(int64_t a, int64_t b)
{
    return ceil_divide(a, b) * b;
}

#endif

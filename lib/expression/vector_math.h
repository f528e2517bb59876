/*
 * Functions on vectors: floor, maximum, minimum, exp, log, power, cube root, sine, cosine, tanh, from additions,
 * multiplications, divisions and the bits of numbers alone. doc/internals/evaluator.md says how they work and how
 * far they may be off; prelude_c.c and prelude_python.c write the same steps for one number, and
 * test_evaluator_functions.c measures them.
 */
#ifndef EXPRESSION_VECTOR_MATH_H
#define EXPRESSION_VECTOR_MATH_H

#include "expression/function_terms.h"
#include "expression/vector.h"

#define POLYNOMIAL(terms, x) vector_polynomial(terms, (int)(sizeof(terms) / sizeof(terms)[0]), x)

VECTOR_INLINE vector
vector_polynomial(const double *terms, int count, vector x)
{
    vector sum = vector_all(terms[count - 1]);

    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + terms[i];
    return sum;
}

/* ---- floor, maximum, minimum ---- */

VECTOR_INLINE vector
vector_floor(vector x)
{
    vector whole = vector_with_sign((vector_absolute(x) + 0x1p52) - 0x1p52, x);

    whole = vector_select(whole > x, whole - 1, whole);
    return vector_select(vector_absolute(x) < 0x1p52, whole, x); /* NaN is not below either */
}

/* As fmax(): what is not a number does not count. Of zeros with different signs the left one. */
VECTOR_INLINE vector
vector_maximum(vector a, vector b)
{
    return vector_select((a >= b) | (b != b), a, b);
}

VECTOR_INLINE vector
vector_minimum(vector a, vector b)
{
    return vector_select((a <= b) | (b != b), a, b);
}

/* ---- exp ---- */

/* 2 ^ k for whole k from -1022 to 1023, given k + WHOLE_SHIFT */
VECTOR_INLINE vector
vector_power_of_two(vector shifted)
{
    return (vector)(((vector_bits)shifted << 52) + (UINT64_C(1023) << 52));
}

/*
 * e ^ (x + rest), `rest` being less than half a unit of x's last place: 2 ^ k e ^ r with |r| <= ln(2) / 2, where e ^ r
 * = 1 + r + r ^ 2 P(r). In two steps 2 ^ k reaches the numbers below the normal ones.
 */
VECTOR_INLINE vector
vector_exp_of_sum(vector x, vector rest)
{
    vector_mask small = x<-746, large = x> 710;
    vector shifted, whole, r, one, low, half;

    rest = vector_select(small | large, vector_all(0), rest);
    x = vector_select(small, vector_all(-746), vector_select(large, vector_all(710), x));
    shifted = x * LOG2_E + WHOLE_SHIFT;
    whole = shifted - WHOLE_SHIFT;
    r = x - whole * LN2_HIGH;
    rest = rest - whole * LN2_LOW;
    one = 1 + r;
    low = r - (one - 1);
    r = r + rest;
    half = whole * 0.5 + WHOLE_SHIFT;
    whole = (whole - (half - WHOLE_SHIFT)) + WHOLE_SHIFT;
    return (one + (low + (rest + r * r * POLYNOMIAL(exp_terms, r)))) * vector_power_of_two(half) *
           vector_power_of_two(whole);
}

VECTOR_INLINE vector
vector_exp(vector x)
{
    return vector_exp_of_sum(x, vector_all(0));
}

/* ---- log ---- */

/* x = fraction * 2 ^ exponent with sqrt(1/2) <= fraction < sqrt(2), for x > 0 */
VECTOR_INLINE vector
vector_split(vector x, vector *exponent)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    vector_mask tiny = x < 0x1p-1022;
    vector_bits bits = (vector_bits)vector_select(tiny, x * 0x1p54, x) + (one - root);
    vector biased = (vector)((bits >> 52) | UINT64_C(0x4330000000000000)) - 0x1p52; /* 2 ^ 52 + the bits */

    *exponent = biased - vector_select(tiny, vector_all(1023 + 54), vector_all(1023));
    return (vector)((bits & (UINT64_MAX >> 12)) + root);
}

/* NaN below 0, -infinity at 0, infinity there. */
VECTOR_INLINE vector
vector_log_limits(vector x, vector result)
{
    result = vector_select(x == HUGE_VAL, x, result);
    result = vector_select(x == 0, vector_all(-HUGE_VAL), result);
    return vector_select(x >= 0, result, vector_all(NAN));
}

/*
 * log(1 + f) = f - f ^ 2 / 2 + s (f ^ 2 / 2 + z P(z)) with s = f / (2 + f), z = s ^ 2; f and the exponent's part exact.
 */
VECTOR_INLINE vector
vector_log(vector x)
{
    vector k, f = vector_split(x, &k) - 1;
    vector s = f / (2 + f), z = s * s, square = 0.5 * f * f;
    vector tail = s * (square + z * POLYNOMIAL(log_terms, z)) + k * LN2_LOW;
    vector high = k * LN2_HIGH + f, low = (k * LN2_HIGH - high) + f;

    return vector_log_limits(x, high + (low - (square - tail)));
}

/* ---- power ---- */

/*
 * log(x) to about 2 ^ -65 of it, as the sum of the result and `rest`, for 0 < x < infinity: 2 s + s (2/3 z + z ^ 2
 * P(z)), s and the first term in two numbers each.
 */
VECTOR_INLINE vector
vector_log_in_two(vector x, vector *rest)
{
    vector k, m = vector_split(x, &k), f = m - 1;
    vector d = 1 + m, d_low = m - (d - 1);
    vector s = f / d, back_low, back = vector_product(s, d, &back_low);
    vector s_low = (((f - back) - back_low) - s * d_low) / d;
    vector z_low, z = vector_product(s, s, &z_low);
    vector t, t_low, u, u_low, high, low, sum;

    z_low = z_low + 2 * s * s_low;
    t = vector_product(z, vector_all(TWO_THIRDS_HIGH), &t_low);
    t_low = t_low + (z * TWO_THIRDS_LOW + z_low * TWO_THIRDS_HIGH);
    u = z * z * POLYNOMIAL(power_terms, z);
    high = t + u;
    t_low = t_low + ((t - high) + u);
    u = vector_product(s, high, &u_low);
    u_low = u_low + (s * t_low + s_low * high);
    high = 2 * s + u;
    low = ((2 * s - high) + u) + (u_low + 2 * s_low);
    sum = k * LN2_HIGH + high;
    low = low + (((k * LN2_HIGH - sum) + high) + k * LN2_LOW);
    high = sum + low;
    *rest = (sum - high) + low;
    return high;
}

/* What pow() is at the ends, by C11, F.10.4.4. `size`: |x| ^ y where |x| is neither 0 nor infinite. */
VECTOR_INLINE vector
vector_power_limits(vector x, vector y, vector size)
{
    vector magnitude = vector_absolute(x);
    vector_mask whole = vector_floor(y) == y, odd = whole & (vector_floor(y * 0.5) != y * 0.5);
    vector_mask vanishes = ((magnitude == 0) & (y > 0)) | ((magnitude == HUGE_VAL) & (y < 0));
    vector_mask explodes = ((magnitude == 0) & (y < 0)) | ((magnitude == HUGE_VAL) & (y > 0));

    size = vector_select(vanishes, vector_all(0), vector_select(explodes, vector_all(HUGE_VAL), size));
    size = vector_select(odd, vector_with_sign(size, x), size);
    size = vector_select((x < 0) & ~whole & (magnitude != HUGE_VAL), vector_all(NAN), size);
    size = vector_select((x != x) | (y != y), vector_all(NAN), size);
    return vector_select((y == 0) | (x == 1), vector_all(1), size);
}

/* e ^ (y log |x|). An exponent outside of 2 ^ -70 to 2 ^ 70 gives what these give. */
VECTOR_INLINE vector
vector_power(vector x, vector y)
{
    vector size = vector_absolute(y), log_low, low;
    vector log_high = vector_log_in_two(vector_absolute(x), &log_low), high;

    size = vector_select(size > 0x1p70, vector_all(0x1p70), vector_select(size < 0x1p-70, vector_all(0x1p-70), size));
    size = vector_with_sign(size, y);
    high = vector_product(size, log_high, &low);
    return vector_power_limits(x, y, vector_exp_of_sum(high, low + size * log_low));
}

/* ---- cube root ---- */

/* The same number in 26 bits, so that its square is exact. */
VECTOR_INLINE vector
vector_shorten(vector x)
{
    vector scaled = x * (0x1p27 + 1);

    return scaled - (scaled - x);
}

/*
 * x ^ (1/3) for x >= 0, NaN below: that of the fraction by a polynomial and one step of Halley's, which makes 19 bits
 * 57; that of the exponent's remainder by 3 from a table.
 */
VECTOR_INLINE vector
vector_cube_root(vector x)
{
    vector_mask tiny = x < 0x1p-1022;
    vector_bits bits = (vector_bits)vector_select(tiny, x * 0x1p54, x);
    vector exponent = (vector)((bits >> 52) | UINT64_C(0x4330000000000000)) -
                      vector_select(tiny, vector_all(0x1p52 + 1023 + 54), vector_all(0x1p52 + 1023));
    vector third = vector_floor((exponent + 0.5) * (1.0 / 3)), remainder = exponent - 3 * third;
    vector m = (vector)((bits & (UINT64_MAX >> 12)) | UINT64_C(0x3ff0000000000000));
    vector y = POLYNOMIAL(cube_root_terms, m), quotient;

    y = vector_select(remainder == 0, y,
                      y * vector_select(remainder == 1, vector_all(CUBE_ROOT_OF_2), vector_all(CUBE_ROOT_OF_4)));
    m = vector_select(remainder == 0, m, m * vector_select(remainder == 1, vector_all(2), vector_all(4)));
    y = vector_shorten(y);
    quotient = m / (y * y);
    y = (y + y * ((quotient - y) / (2 * y + quotient))) * vector_power_of_two(third + WHOLE_SHIFT);
    y = vector_select((x == 0) | (x == HUGE_VAL), x, y);
    return vector_select(x >= 0, y, vector_all(NAN));
}

/* ---- sine, cosine, hyperbolic tangent ---- */

/* x - k pi / 2 for the nearest k, as the sum of the result and `rest`; the last bits of k are those of `quadrant`. */
VECTOR_INLINE vector
vector_reduce_angle(vector x, vector *rest, vector_bits *quadrant)
{
    vector shifted = x * TWO_OVER_PI + WHOLE_SHIFT, k = shifted - WHOLE_SHIFT;
    vector p_low, p = vector_product(k, vector_all(HALF_PI_HIGH), &p_low);
    vector q_low, q = vector_product(k, vector_all(HALF_PI_MIDDLE), &q_low);
    vector a = x - p; /* exact */
    vector s = p_low + q, s_part = s - p_low, s_low = (p_low - (s - s_part)) + (q - s_part);
    vector t = a - s, t_part = t - a, t_low = (a - (t - t_part)) - (s + t_part);
    vector low = ((t_low - s_low) - q_low) - k * HALF_PI_LOW, r = t + low;

    *rest = (t - r) + low;
    *quadrant = (vector_bits)shifted;
    return r;
}

/* sin(x + quarters pi / 2); NaN for |x| > 2 ^ 30 */
VECTOR_INLINE vector
vector_sine_of_quarters(vector x, uint64_t quarters)
{
    vector_bits quadrant;
    vector rest, r = vector_reduce_angle(x, &rest, &quadrant), z = r * r, half = 0.5 * z, one = 1 - half;
    vector sine = r + (r * z * POLYNOMIAL(sine_terms, z) + rest * one);
    vector cosine = one + (((1 - one) - half) + (z * z * POLYNOMIAL(cosine_terms, z) - r * rest)), value;

    quadrant = quadrant + quarters;
    value = vector_select(-(vector_mask)(quadrant & 1), cosine, sine);
    value = (vector)((vector_bits)value ^ ((quadrant & 2) << 62));
    return vector_select(vector_absolute(x) <= MAX_ANGLE, value, vector_all(NAN));
}

VECTOR_INLINE vector
vector_sine(vector x)
{
    return vector_select(vector_absolute(x) < SMALL_ANGLE, x, vector_sine_of_quarters(x, 0));
}

VECTOR_INLINE vector
vector_cosine(vector x)
{
    return vector_sine_of_quarters(x, 1);
}

/* Near 0 a polynomial, else 1 - 2 / (e ^ 2|x| + 1) */
VECTOR_INLINE vector
vector_tanh(vector x)
{
    vector size = vector_absolute(x), z = size * size;
    vector near = vector_with_sign(x + x * (z * POLYNOMIAL(tanh_terms, z)), x);
    vector far = vector_with_sign(1 - 2 / (vector_exp(2 * size) + 1), x);

    return vector_select(size < TANH_SWITCH, near, far);
}

#endif

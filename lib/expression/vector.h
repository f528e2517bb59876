/*
 * Vectors of VECTOR_BITS bits of doubles, by the vector extensions of gcc and clang: they turn into the instructions that
 * the file is compiled for, and into several where it has no vectors as wide. Every operation rounds as IEEE 754 says, so
 * that the bits are the same for every width and on every processor.
 */
#ifndef EXPRESSION_VECTOR_H
#define EXPRESSION_VECTOR_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

enum { VECTOR_BYTES = VECTOR_BITS / 8, LANES = VECTOR_BYTES / 8 };

typedef double vector __attribute__((vector_size(VECTOR_BITS / 8)));
typedef uint64_t vector_bits __attribute__((vector_size(VECTOR_BITS / 8)));
typedef int64_t vector_mask __attribute__((vector_size(VECTOR_BITS / 8))); /* what comparisons give: all bits or none */

#define VECTOR_INLINE static inline __attribute__((always_inline))

/* Rarely needed: an operation of a vector and a number applies the number to every lane. */
VECTOR_INLINE vector
vector_all(double number)
{
    vector all;

    for (int i = 0; i < LANES; i++)
        all[i] = number;
    return all;
}

VECTOR_INLINE vector
vector_load(const double *from)
{
    vector value;

    memcpy(&value, from, sizeof value);
    return value;
}

VECTOR_INLINE void
vector_store(double *to, vector value)
{
    memcpy(to, &value, sizeof value);
}

VECTOR_INLINE vector
vector_select(vector_mask mask, vector yes, vector no)
{
    return (vector)(((vector_mask)yes & mask) | ((vector_mask)no & ~mask));
}

VECTOR_INLINE vector
vector_absolute(vector x)
{
    return (vector)((vector_bits)x & (UINT64_MAX >> 1));
}

/* the size of `x` with the sign of `sign` */
VECTOR_INLINE vector
vector_with_sign(vector x, vector sign)
{
    return (vector)(((vector_bits)x & (UINT64_MAX >> 1)) | ((vector_bits)sign & ~(UINT64_MAX >> 1)));
}

VECTOR_INLINE vector
vector_root(vector x)
{
#if VECTOR_BITS == 512 && defined(__AVX512F__)
    return (vector)_mm512_sqrt_pd((__m512d)x);
#elif VECTOR_BITS == 256 && defined(__AVX__)
    return (vector)_mm256_sqrt_pd((__m256d)x);
#elif VECTOR_BITS == 128 && defined(__SSE2__)
    return (vector)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < LANES; i++)
        x[i] = sqrt(x[i]);
    return x;
#endif
}

/*
 * a * b without error as the sum of the result and `rest`, where neither overflows or falls below the normal numbers: by a
 * fused operation, or in halves of 26 bits (T. J. Dekker: A floating-point technique for extending the available
 * precision, 1971). Both are exact, and so the same.
 */
VECTOR_INLINE vector
vector_product(vector a, vector b, vector *rest)
{
    vector product = a * b;
#if VECTOR_BITS == 512 && defined(__AVX512F__)
    *rest = (vector)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)product);
#elif VECTOR_BITS == 256 && defined(__FMA__)
    *rest = (vector)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)product);
#else
    const double half = 0x1p27 + 1;
    vector a_scaled = a * half, b_scaled = b * half;
    vector a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
    vector a_low = a - a_high, b_low = b - b_high;

    *rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
#endif
    return product;
}

#endif

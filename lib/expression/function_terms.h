/*
 * The numbers of the library's own functions, for vectors (vector_math.h) and for the functions that exported files
 * carry (prelude.c). Polynomials are best approximations (E. Ya. Remez, 1934) found in 200 bits, over the interval that
 * the reduction leaves; the lowest power comes first.
 */
#ifndef EXPRESSION_FUNCTION_TERMS_H
#define EXPRESSION_FUNCTION_TERMS_H

#define LOG2_E 0x1.71547652b82fep+0
#define LN2_HIGH 0x1.62e42fefa38p-1 /* 42 bits: a product with an exponent is exact */
#define LN2_LOW 0x1.ef35793c7673p-45
#define TWO_THIRDS_HIGH 0x1.5555555555555p-1
#define TWO_THIRDS_LOW 0x1.5555555555555p-55
#define CUBE_ROOT_OF_2 0x1.428a2f98d728bp+0
#define CUBE_ROOT_OF_4 0x1.965fea53d6e3dp+0
#define ROOT_OF_HALF 0x1.6a09e667f3bcdp-1

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_HIGH 0x1.921fb54442d18p+0 /* pi / 2 in three parts of 53 bits */
#define HALF_PI_MIDDLE 0x1.1a62633145c07p-54
#define HALF_PI_LOW (-0x1.f1976b7ed8fbcp-110)
#define MAX_ANGLE 0x1p30    /* beyond it sine and cosine say nothing */
#define SMALL_ANGLE 0x1p-27 /* below it x ^ 3 / 6 is less than half a unit of the last place of x */
#define TANH_SWITCH 0.55

/* Adding it rounds to a whole number, which then are the lowest bits. */
#define WHOLE_SHIFT 0x1.8p52

/* (e ^ r - 1 - r) / r ^ 2 for |r| <= ln(2) / 2 */
static const double exp_terms[] = {
    0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.555555555087cp-5,  0x1.1111111127beap-7,  0x1.6c16c1842a18fp-10,
    0x1.a01a012a559b1p-13, 0x1.a0199a0c5affdp-16, 0x1.71df255761396p-19, 0x1.28ad72d3fa16fp-22, 0x1.ad7f6655530e7p-26};

/* (log((1 + s) / (1 - s)) - 2 s) / s ^ 3 by s ^ 2, |s| <= 3 - 2 sqrt(2) */
static const double log_terms[] = {0x1.5555555555592p-1, 0x1.999999997fd78p-2, 0x1.24924941f4efbp-2,
                                   0x1.c71c52060f6e7p-3, 0x1.74663fa0cfef4p-3, 0x1.39a1a715d925fp-3,
                                   0x1.2f063379f4f7bp-3};

/* (log((1 + s) / (1 - s)) - 2 s - 2/3 s ^ 3) / s ^ 5 by s ^ 2 */
static const double power_terms[] = {0x1.9999999999996p-2, 0x1.2492492493036p-2, 0x1.c71c71c58046bp-3,
                                     0x1.745d183262f48p-3, 0x1.3b1362b1beb36p-3, 0x1.1120b6455a3e9p-3,
                                     0x1.de3356f71943ap-4, 0x1.eb11f55252915p-4};

/* m ^ (1/3) for 1 <= m < 2 */
static const double cube_root_terms[] = {0x1.e4b0cebfd52c4p-2, 0x1.ad234aff22969p-1,  -0x1.e07d6fef4c0cbp-2,
                                         0x1.9f4995f64912ep-3, -0x1.9cc41cbea296cp-5, 0x1.5e859a37af48bp-8};

/* (sin(x) - x) / x ^ 3 by x ^ 2, |x| <= pi / 4 */
static const double sine_terms[] = {-0x1.5555555555555p-3, 0x1.1111111110bb3p-7,   -0x1.a01a019e83e1fp-13,
                                    0x1.71de3796c87a1p-19, -0x1.ae600b3c70f2ap-26, 0x1.5e0b2ca7dd4a3p-33};

/* (cos(x) - 1 + x ^ 2 / 2) / x ^ 4 by x ^ 2, |x| <= pi / 4 */
static const double cosine_terms[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4ec87p-16,
                                      -0x1.27e4fa17f5b7dp-22, 0x1.1eeb6902d4497p-29,  -0x1.907db3f868fd8p-37};

/* (tanh(x) - x) / x ^ 3 by x ^ 2, |x| <= 0.55 */
static const double tanh_terms[] = {-0x1.5555555555555p-2,  0x1.111111111103cp-3,  -0x1.ba1ba1b9ffc7ap-5,
                                    0x1.664f487766e02p-6,   -0x1.226e32fdf8943p-7, 0x1.d6d33bdc7d57cp-9,
                                    -0x1.7d97f7760f995p-10, 0x1.34c7163636b58p-11, -0x1.ec207b404d1f8p-13,
                                    0x1.652ea1ec3a80dp-14,  -0x1.5a28f5d0e32dbp-16};

#endif

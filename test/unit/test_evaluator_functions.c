/*
 * How far the evaluator's own functions are off, against those of long double (64 bits, where that has them), and that
 * all widths of vectors compute the same bits at hard numbers.
 */
#include "check.h"

#include "expression/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { RANDOM_NUMBERS = 200000 };

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
static uint64_t
random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double
random_in(uint64_t *state, double min, double max)
{
    return min + (max - min) * ((double)(random_next(state) >> 11) * 0x1p-53);
}

/* Any number that is not NaN. */
static double
random_bits(uint64_t *state)
{
    double number;

    do {
        uint64_t bits = random_next(state);

        memcpy(&number, &bits, sizeof number);
    } while (isnan(number));
    return number;
}

/* ---- errors ---- */

/* |value - exact| in units of the last place of a double of that size */
static double
units_off(double value, long double exact)
{
    int exponent;
    long double unit;

    if (isnan(value) || isinf(value) || exact == 0)
        return (isnan(value) && isnan(exact)) || (long double)value == exact || value == (double)exact ? 0 : 1e9;
    frexpl(exact, &exponent);
    unit = ldexpl(1, exponent - DBL_MANT_DIG < DBL_MIN_EXP - DBL_MANT_DIG ? DBL_MIN_EXP - DBL_MANT_DIG
                                                                          : exponent - DBL_MANT_DIG);
    return (double)(fabsl((long double)value - exact) / unit);
}

static long double
exact(enum opcode opcode, double left, double right)
{
    switch (opcode) {
    case OPCODE_EXP:
        return expl(left);
    case OPCODE_LOG:
        return logl(left);
    case OPCODE_CUBE_ROOT:
        return left < 0 ? (long double)NAN : cbrtl(left);
    case OPCODE_SIN:
        return sinl(left);
    case OPCODE_COS:
        return cosl(left);
    case OPCODE_TANH:
        return tanhl(left);
    default:
        return powl(left, right);
    }
}

/* Where the number is drawn from: evenly from the range, or in the logarithm. */
struct range {
    enum opcode opcode;
    double min, max, min_right, max_right;
    bool logarithmic;
    double units; /* the promise of doc/internals/evaluator.md */
};

static const struct range ranges[] = {
    {OPCODE_EXP, -1, 1, 0, 0, false, 0.7},
    {OPCODE_EXP, -708, 709, 0, 0, false, 0.7},
    {OPCODE_EXP, -745.13, -708, 0, 0, false, 0.8},
    {OPCODE_EXP, 1e-300, 700, 0, 0, true, 0.7},
    {OPCODE_LOG, 0x1p-1074, DBL_MAX, 0, 0, true, 0.8},
    {OPCODE_LOG, 0.5, 2, 0, 0, false, 0.8},
    {OPCODE_LOG, 1 - 1e-4, 1 + 1e-4, 0, 0, false, 0.8},
    {OPCODE_LOG, 0x1p-1074, 0x1p-1022, 0, 0, false, 0.8},
    {OPCODE_CUBE_ROOT, 0x1p-1074, DBL_MAX, 0, 0, true, 0.7},
    {OPCODE_CUBE_ROOT, 0, 64, 0, 0, false, 0.7},
    {OPCODE_SIN, -0.8, 0.8, 0, 0, false, 0.9},
    {OPCODE_SIN, -100, 100, 0, 0, false, 0.9},
    {OPCODE_SIN, 1e-300, 0x1p30, 0, 0, true, 0.9},
    {OPCODE_SIN, 3.1415, 3.1417, 0, 0, false, 0.9},
    {OPCODE_COS, -100, 100, 0, 0, false, 0.9},
    {OPCODE_COS, 1e-300, 0x1p30, 0, 0, true, 0.9},
    {OPCODE_COS, 1.5707, 1.5709, 0, 0, false, 0.9},
    {OPCODE_TANH, -0.55, 0.55, 0, 0, false, 0.9},
    {OPCODE_TANH, -20, 20, 0, 0, false, 1.6},
    {OPCODE_TANH, 1e-300, 1e300, 0, 0, true, 1.6},
    {OPCODE_POWER, 0x1p-1074, DBL_MAX, -2, 2, true, 0.8},
    {OPCODE_POWER, 0.5, 2, -700, 700, false, 0.8},
    {OPCODE_POWER, 1 - 1e-3, 1 + 1e-3, -7e5, 7e5, false, 0.8},
    {OPCODE_POWER, 1e-5, 1e5, -60, 60, true, 0.8},
    {OPCODE_POWER, 1, 4096, 0.125, 12, false, 0.8},
};

/* musl's powl() is off by more than a tenth of a double's unit where the exponent is large. */
static bool
can_be_judged(enum opcode opcode)
{
#if defined(__GLIBC__)
    (void)opcode;
    return true;
#else
    return opcode != OPCODE_POWER;
#endif
}

static double
worst_of(const struct range *range, uint64_t *seed, double *at)
{
    double worst = 0;

    for (int n = 0; n < RANDOM_NUMBERS; n++) {
        double left = range->logarithmic ? exp(random_in(seed, log(range->min), log(range->max)))
                                         : random_in(seed, range->min, range->max);
        double right = random_in(seed, range->min_right, range->max_right);
        double off = units_off(kernel_point(range->opcode, left, right), exact(range->opcode, left, right));

        *at = off > worst ? left : *at;
        worst = off > worst ? off : worst;
    }
    return worst;
}

static void
functions_are_as_exact_as_promised(void **state)
{
    uint64_t seed = 1;

    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const struct range *range = &ranges[i];
        double at = 0, worst;

        if (!can_be_judged(range->opcode))
            continue;
        worst = worst_of(range, &seed, &at);
        print_message("%s, %g to %g: %.3f units of the last place, at %a\n",
                      range->opcode == OPCODE_EXP         ? "exp"
                      : range->opcode == OPCODE_LOG       ? "log"
                      : range->opcode == OPCODE_CUBE_ROOT ? "cube root"
                      : range->opcode == OPCODE_SIN       ? "sin"
                      : range->opcode == OPCODE_COS       ? "cos"
                      : range->opcode == OPCODE_TANH      ? "tanh"
                                                          : "power",
                      range->min, range->max, worst, at);
        assert_true(worst <= range->units);
    }
}

/* ---- the ends ---- */

static const double hard[] = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    2,
    -2,
    3,
    -3,
    1.0 / 3,
    2.0 / 3,
    0.25,
    INFINITY,
    -INFINITY,
    NAN,
    DBL_MAX,
    -DBL_MAX,
    DBL_MIN,
    -DBL_MIN,
    0x1p-1074,
    -0x1p-1074,
    0x1.8p-1050,
    1e300,
    -1e300,
    1e-300,
    0x1p52,
    -0x1p52,
    0x1p53,
    0x1p53 - 1,
    0x1p52 - 0.5,
    0x1p51 + 0.5,
    -0x1p51 - 0.5,
    709.78271289338397,
    709.782712893384,
    -745.13321910194110,
    -745.13321910194122,
    710,
    -746,
    1e5,
    -1e5,
    0x1.fffffffffffffp-1,
    0x1.0000000000001p0,
    0x1.6a09e667f3bccp-1,
    0x1.6a09e667f3bcdp-1,
    4,
    8,
    27,
    9,
    -9,
    1024,
    1e17,
    0x1p70,
    0x1p-70,
    7,
    -7,
    0x1.921fb54442d18p+0, /* pi / 2, pi, and 11 pi */
    0x1.921fb54442d18p+1,
    -0x1.1475cc9eedf01p+5,
    0x1p30,
    -0x1p30,
    0x1.0000000000001p30,
    0x1p-27,
    0.55,
    -0.55,
    0.1,
    1e-5,
};

enum { HARD = sizeof hard / sizeof hard[0] };

static bool
same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static double
by_the_standard(enum opcode opcode, double left, double right)
{
    switch (opcode) {
    case OPCODE_FLOOR:
        return floor(left);
    case OPCODE_ROOT:
        return sqrt(left);
    case OPCODE_EXP:
        return exp(left);
    case OPCODE_LOG:
        return log(left);
    case OPCODE_CUBE_ROOT:
        return left < 0 ? (double)NAN : cbrt(left);
    case OPCODE_SIN:
        return fabs(left) > 0x1p30 ? (double)NAN : sin(left);
    case OPCODE_COS:
        return fabs(left) > 0x1p30 ? (double)NAN : cos(left);
    case OPCODE_TANH:
        return tanh(left);
    default:
        return pow(left, right);
    }
}

/*
 * Floors and square roots are exact; of the others what is 0, infinite or NaN is. The C library's own may be off, too.
 */
static void
assert_by_the_standard(enum opcode opcode, double left, double right)
{
    double value = kernel_point(opcode, left, right), standard = by_the_standard(opcode, left, right);
    bool exact_one = opcode == OPCODE_FLOOR || opcode == OPCODE_ROOT || standard == 0 || !isfinite(standard);

    if (exact_one ? !same(value, standard) : !(fabs(value - standard) <= 0x1p-51 * fabs(standard) + 0x1p-1074))
        fail_msg("opcode %d of %a and %a is %a, not %a", opcode, left, right, value, standard);
}

static void
the_ends_are_those_of_the_c_standard(void **state)
{
    static const enum opcode of_one[] = {OPCODE_FLOOR,     OPCODE_ROOT, OPCODE_EXP, OPCODE_LOG,
                                         OPCODE_CUBE_ROOT, OPCODE_SIN,  OPCODE_COS, OPCODE_TANH};

    (void)state;
    for (size_t i = 0; i < HARD; i++) {
        for (size_t k = 0; k < sizeof of_one / sizeof of_one[0]; k++)
            assert_by_the_standard(of_one[k], hard[i], hard[i]);
        for (size_t j = 0; j < HARD; j++)
            assert_by_the_standard(OPCODE_POWER, hard[i], hard[j]);
    }
}

static void
max_and_min_skip_nan(void **state)
{
    (void)state;
    for (size_t i = 0; i < HARD; i++)
        for (size_t j = 0; j < HARD; j++) {
            double a = hard[i], b = hard[j], max = kernel_point(OPCODE_MAX, a, b);

            assert_true(isnan(a) ? same(max, b) : isnan(b) || a >= b ? same(max, a) : same(max, b));
            assert_true(same(kernel_point(OPCODE_MIN, a, b), isnan(a) ? b : isnan(b) || a <= b ? a : b));
        }
}

/* ---- widths ---- */

enum { BLOCK = 203, ROOM = BLOCK + 1 };

/* Half of them hard, half any bits. */
static void
fill(double *column, uint64_t *seed)
{
    for (int i = 0; i < BLOCK; i++)
        column[i] = random_next(seed) % 2 ? hard[random_next(seed) % HARD] : random_bits(seed);
}

/* One operand of each kind in turn; columns begin at odd addresses. */
static void
assert_same_on_vectors(kernel run, enum opcode opcode, uint64_t *seed)
{
    static _Alignas(64) double left[ROOM], right[ROOM], target[ROOM];
    size_t lanes = 1 + (size_t)(random_next(seed) % BLOCK), kind = (size_t)(random_next(seed) % 4);
    struct kernel_work work = {opcode, {left + 1, kind & 1}, {right + 1, kind & 2}, target + 1, lanes};

    fill(left + 1, seed);
    fill(right + 1, seed);
    run(&work);
    for (size_t i = 0; i < lanes; i++) {
        double a = left[1 + (kind & 1 ? 0 : i)], b = right[1 + (kind & 2 ? 0 : i)];

        if (!same(target[1 + i], kernel_point(opcode, a, b)))
            fail_msg("opcode %d of %a and %a is %a in vectors, else %a", opcode, a, b, target[1 + i],
                     kernel_point(opcode, a, b));
    }
}

static void
every_width_has_the_same_bits(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (enum cpu_vectors width = CPU_VECTORS_128; width <= cpu_vectors(); width++)
        for (enum opcode opcode = OPCODE_ADD; opcode < OPCODE_OPERATIONS; opcode++)
            for (int round = 0; round < 200; round++)
                assert_same_on_vectors(kernel_for(width), opcode, &seed);
    print_message("vectors of up to %d bits\n", 128 << cpu_vectors());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_UNIT_TEST(functions_are_as_exact_as_promised),
        cmocka_unit_test(the_ends_are_those_of_the_c_standard),
        cmocka_unit_test(max_and_min_skip_nan),
        cmocka_unit_test(every_width_has_the_same_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

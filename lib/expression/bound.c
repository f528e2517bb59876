/*
 * Bounds by interval arithmetic. A result that is not exact is moved outward by the next double, so an interval holds
 * the real values, not only the rounded ones.
 */
#include "expression/pool.h"

#include <float.h>
#include <math.h>

struct interval {
    double min, max;
};

static const struct interval everything = {-INFINITY, INFINITY};

enum { LIBRARY_ERROR = 4 }; /* units in the last place that log() and pow() may be off; glibc documents 1 to 2 */

static double
below(double value, int steps)
{
    for (int i = 0; i < steps; i++)
        value = nextafter(value, -INFINITY);
    return value;
}

static double
above(double value, int steps)
{
    for (int i = 0; i < steps; i++)
        value = nextafter(value, INFINITY);
    return value;
}

static struct interval
widen(double min, double max, int steps)
{
    if (isnan(min) || isnan(max))
        return everything;
    return (struct interval){below(min, steps), above(max, steps)};
}

/* ---- exact where the doubles are ---- */

static bool
sum_is_exact(double a, double b, double sum)
{
    double part = sum - a;

    return isinf(a) || isinf(b) || (isfinite(sum) && (a - (sum - part)) + (b - part) == 0);
}

static bool
product_is_exact(double a, double b, double product)
{
    if (a == 0 || b == 0 || isinf(a) || isinf(b))
        return true;
    return isfinite(product) && fabs(product) > DBL_MIN / DBL_EPSILON && fma(a, b, -product) == 0;
}

static struct interval
add(struct interval a, struct interval b)
{
    double min = a.min + b.min, max = a.max + b.max;
    bool min_exact = sum_is_exact(a.min, b.min, min);

    return (struct interval){min_exact ? min : below(min, 1), sum_is_exact(a.max, b.max, max) ? max : above(max, 1)};
}

/* 0 times infinity is 0: infinity only says that there is no bound. */
static double
product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static struct interval
multiply(struct interval a, struct interval b)
{
    const double lefts[] = {a.min, a.min, a.max, a.max};
    const double rights[] = {b.min, b.max, b.min, b.max};
    struct interval result = {INFINITY, -INFINITY};

    for (int i = 0; i < 4; i++) {
        double value = product(lefts[i], rights[i]);
        bool exact = product_is_exact(lefts[i], rights[i], value);

        result.min = fmin(result.min, exact ? value : below(value, 1));
        result.max = fmax(result.max, exact ? value : above(value, 1));
    }
    return result;
}

/* ---- powers ---- */

static struct interval
inverse(struct interval a)
{
    if (a.min <= 0 && a.max >= 0) {
        if (a.min == 0 && a.max > 0)
            return (struct interval){below(1 / a.max, 1), INFINITY};
        return everything;
    }
    return widen(1 / a.max, 1 / a.min, 1);
}

/* Of an interval that is not negative. */
static struct interval
positive_power(struct interval a, int32_t exponent)
{
    struct interval power = {1, 1};

    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2)
            power = multiply(power, a);
        a = multiply(a, a);
    }
    return power;
}

static struct interval
integer_power(struct interval a, int32_t exponent)
{
    struct interval size;

    if (a.min >= 0)
        return positive_power(a, exponent);
    if (a.max <= 0) {
        size = positive_power((struct interval){-a.max, -a.min}, exponent);
        return exponent % 2 ? (struct interval){-size.max, -size.min} : size;
    }
    size = positive_power((struct interval){0, fmax(-a.min, a.max)}, exponent);
    if (exponent % 2 == 0)
        return size;
    return (struct interval){-positive_power((struct interval){0, -a.min}, exponent).max,
                             positive_power((struct interval){0, a.max}, exponent).max};
}

/* Where the base is negative there is no value, so nothing has to be held. */
static struct interval
fractional_power(struct interval a, double exponent)
{
    if (a.max < 0)
        return everything;
    a = widen(pow(fmax(a.min, 0), exponent), pow(a.max, exponent), LIBRARY_ERROR);
    return (struct interval){fmax(a.min, 0), a.max};
}

static struct interval
factor_bound(struct interval base, const struct factor *factor)
{
    int32_t size = factor->numerator < 0 ? -factor->numerator : factor->numerator;
    struct interval power = factor->denominator == 1
                                ? integer_power(base, size)
                                : fractional_power(base, (double)size / (double)factor->denominator);

    return factor->numerator < 0 ? inverse(power) : power;
}

/* ---- expressions ---- */

struct bounding {
    const struct expression_pool *pool;
    const double *lower, *upper;
    struct interval *bounds;
    unsigned char *marks;
};

static struct interval
number_bound(struct rational value)
{
    double number = rational_double(value);
    bool exact = (value.denominator & (value.denominator - 1)) == 0 && fabs(number) < 0x1p53 &&
                 fabs((double)value.numerator) < 0x1p53;

    return widen(number, number, exact ? 0 : 2);
}

static struct interval
sum_bound(const struct bounding *bounding, expression a)
{
    const struct expression_pool *pool = bounding->pool;
    struct interval sum = {0, 0};

    for (uint32_t i = 0; i < pool->nodes[a].count; i++) {
        const struct term *term = &node_terms(pool, a)[i];
        struct interval value = number_bound(term->coefficient);

        for (uint32_t j = 0; j < pool->monomials[term->monomial].count; j++) {
            const struct factor *factor = &monomial_factors(pool, term->monomial)[j];

            value = multiply(value, factor_bound(bounding->bounds[pool->atoms[factor->atom].self], factor));
        }
        sum = add(sum, value);
    }
    return sum;
}

static struct interval
floor_bound(struct interval a, int64_t divisor)
{
    struct interval quotient = {a.min / (double)divisor, a.max / (double)divisor};

    /* a quotient that was rounded up to a whole number may have been just below it */
    if (!product_is_exact(quotient.min, (double)divisor, a.min) || quotient.min * (double)divisor != a.min)
        quotient.min = below(quotient.min, 1);
    return (struct interval){floor(quotient.min), floor(quotient.max)};
}

static struct interval
log_bound(struct interval a)
{
    if (a.max < 0)
        return everything;
    return widen(a.min <= 0 ? -INFINITY : log(a.min), log(a.max), LIBRARY_ERROR);
}

/* Of e ^ x and tanh(x), which rise. */
static struct interval
rising_bound(struct interval a, double (*function)(double), double min, double max)
{
    struct interval bound = widen(function(a.min), function(a.max), LIBRARY_ERROR);

    return (struct interval){fmax(bound.min, min), fmin(bound.max, max)};
}

static struct interval
atom_bound(const struct bounding *bounding, const struct atom *atom)
{
    struct interval first, second;

    if (atom->kind == ATOM_SYMBOL)
        return (struct interval){bounding->lower[atom->arguments[0]], bounding->upper[atom->arguments[0]]};
    first = bounding->bounds[atom->arguments[0]];
    second = bounding->bounds[atom->arguments[1]];
    switch (atom->kind) {
    case ATOM_FLOOR:
        return floor_bound(first, atom->divisor);
    case ATOM_MAX:
        return (struct interval){fmax(first.min, second.min), fmax(first.max, second.max)};
    case ATOM_MIN:
        return (struct interval){fmin(first.min, second.min), fmin(first.max, second.max)};
    case ATOM_EQUAL:
        return (struct interval){0, 1};
    case ATOM_LOG:
        return log_bound(first);
    case ATOM_EXP:
        return rising_bound(first, exp, 0, INFINITY);
    case ATOM_TANH:
        return rising_bound(first, tanh, -1, 1);
    case ATOM_SIN:
    case ATOM_COS:
        return (struct interval){-1, 1};
    default:
        return first;
    }
}

static struct interval
bound_all(const struct bounding *bounding, expression a)
{
    const struct expression_pool *pool = bounding->pool;

    bounding->marks[a] = 1;
    expression_mark(pool, a, bounding->marks);
    for (expression e = 0; e <= a; e++) {
        int32_t atom = pool->nodes[e].atom;

        if (bounding->marks[e])
            bounding->bounds[e] = atom >= 0 ? atom_bound(bounding, &pool->atoms[atom]) : sum_bound(bounding, e);
    }
    return bounding->bounds[a];
}

int
expression_bound(const struct expression_pool *pool, expression a, const double *lower, const double *upper,
                 double *min, double *max)
{
    struct bounding bounding = {.pool = pool, .lower = lower, .upper = upper};
    struct interval bound = everything;
    int status;

    if (a < 0)
        return a;
    bounding.bounds = memory_allocate_zeroed(pool->context, (size_t)a + 1, sizeof *bounding.bounds);
    bounding.marks = memory_allocate_zeroed(pool->context, (size_t)a + 1, 1);
    status = bounding.bounds && bounding.marks ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    if (!status)
        bound = bound_all(&bounding, a);
    memory_release(pool->context, bounding.bounds);
    memory_release(pool->context, bounding.marks);
    *min = isnan(bound.min) ? -INFINITY : bound.min;
    *max = isnan(bound.max) ? INFINITY : bound.max;
    return status;
}

/*
 * Random expressions, each built together with its value by definition, so that the two can be compared.
 * Deterministic: a generator of its own from a fixed seed.
 */
#ifndef TEST_RANDOM_EXPRESSION_H
#define TEST_RANDOM_EXPRESSION_H

#include "../unit/check.h"

#include "base/checked.h"
#include "expression/expression.h"

#include <math.h>

enum { SYMBOLS = 3, POINTS = 4 };

static const char *const symbol_names[SYMBOLS] = {"batch", "dim", "channels"};

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
static inline uint64_t
random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* from least to greatest, both possible */
static inline int64_t
random_between(uint64_t *state, int64_t min, int64_t max)
{
    return min + (int64_t)(random_next(state) % (uint64_t)(max - min + 1));
}

/* ---- whole numbers: sums, products, powers, floors, ceilings, max, min, equal ---- */

/* An expression and its exact values at the points; `usable` is lost where one does not fit well into 64 bits. */
struct whole {
    expression handle;
    int64_t values[POINTS];
    bool usable;
};

enum whole_operation { ADD, SUBTRACT, MULTIPLY, SQUARE, FLOOR, CEIL, MAX, MIN, EQUAL, WHOLE_OPERATIONS };

static inline int64_t
whole_value(enum whole_operation operation, int64_t a, int64_t b, int64_t divisor, bool *usable)
{
    const int64_t limit = INT64_C(1) << 30;

    if (a > limit || a < -limit || b > limit || b < -limit) {
        *usable = false;
        return 0;
    }
    switch (operation) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case SQUARE:
        return a * a;
    case FLOOR:
        return floor_divide(a, divisor);
    case CEIL:
        return ceil_divide(a, divisor);
    case MAX:
        return max_i64(a, b);
    case EQUAL:
        return a == b;
    default:
        return min_i64(a, b);
    }
}

static inline expression
whole_build(struct expression_pool *pool, enum whole_operation operation, expression a, expression b, int64_t divisor)
{
    switch (operation) {
    case ADD:
        return expression_add(pool, a, b);
    case SUBTRACT:
        return expression_subtract(pool, a, b);
    case MULTIPLY:
        return expression_multiply(pool, a, b);
    case SQUARE:
        return expression_power(pool, a, 2, 1);
    case FLOOR:
        return expression_floor_divide(pool, a, divisor);
    case CEIL:
        return expression_ceil_divide(pool, a, divisor);
    case MAX:
        return expression_max(pool, a, b);
    case EQUAL:
        return expression_equal(pool, a, b);
    default:
        return expression_min(pool, a, b);
    }
}

static inline struct whole
random_leaf(struct expression_pool *pool, uint64_t *state, const int64_t points[POINTS][SYMBOLS])
{
    int64_t symbol = random_between(state, -1, SYMBOLS - 1), constant = random_between(state, -9, 9);
    struct whole leaf = {.usable = true};

    leaf.handle = symbol < 0 ? expression_integer(pool, constant) : expression_symbol(pool, symbol_names[symbol]);
    for (int p = 0; p < POINTS; p++)
        leaf.values[p] = symbol < 0 ? constant : points[p][symbol];
    return leaf;
}

static inline struct whole
random_whole(struct expression_pool *pool, uint64_t *state, const int64_t points[POINTS][SYMBOLS], int depth)
{
    enum whole_operation operation = (enum whole_operation)random_between(state, 0, WHOLE_OPERATIONS - 1);
    int64_t divisor = random_between(state, 1, 6);
    struct whole a, b, result;

    if (depth == 0)
        return random_leaf(pool, state, points);
    a = random_whole(pool, state, points, depth - 1 - (int)random_between(state, 0, depth > 1));
    b = random_whole(pool, state, points, depth - 1 - (int)random_between(state, 0, depth > 1));
    result.handle = whole_build(pool, operation, a.handle, b.handle, divisor);
    result.usable = a.usable && b.usable && result.handle >= 0;
    for (int p = 0; p < POINTS; p++)
        result.values[p] = whole_value(operation, a.values[p], b.values[p], divisor, &result.usable);
    return result;
}

static inline void
random_points(uint64_t *state, int64_t points[POINTS][SYMBOLS], int64_t max)
{
    for (int p = 0; p < POINTS; p++)
        for (int s = 0; s < SYMBOLS; s++)
            points[p][s] = random_between(state, 1, max);
}

/* ---- real numbers: fractions, quotients, roots and logarithms too ---- */

/*
 * An expression and its value at one point. `size` is about the largest number that rounding errors of the value come
 * from; where the value is much smaller, or undefined, `usable` is lost.
 */
struct real {
    expression handle;
    double value, size;
    bool usable;
};

struct real_recipe {
    struct expression_pool *pool;
    uint64_t *state;
    const double *point;
};

static inline struct real
real_result(expression handle, double value, double size)
{
    return (struct real){handle, value, size,
                         handle >= 0 && isfinite(value) && size < 1e12 && fabs(value) > 1e-3 * size};
}

static inline struct real
real_leaf(const struct real_recipe *recipe)
{
    int64_t symbol = random_between(recipe->state, -1, SYMBOLS - 1);
    int64_t numerator = random_between(recipe->state, 1, 30), denominator = random_between(recipe->state, 1, 12);
    double value = symbol < 0 ? (double)numerator / (double)denominator : recipe->point[symbol];

    return real_result(symbol < 0 ? expression_rational(recipe->pool, numerator, denominator)
                                  : expression_symbol(recipe->pool, symbol_names[symbol]),
                       value, fabs(value));
}

static inline struct real
real_power(const struct real_recipe *recipe, struct real a)
{
    static const int64_t powers[][2] = {{1, 2}, {-1, 2}, {1, 3},  {3, 2},  {2, 1},
                                        {3, 1}, {5, 1},  {-1, 1}, {-2, 1}, {9, 1}};
    const int64_t *power = powers[random_between(recipe->state, 0, 9)];
    double exponent = (double)power[0] / (double)power[1], value = pow(a.value, exponent);

    return real_result(expression_power(recipe->pool, a.handle, power[0], power[1]), value,
                       power[0] > 0 && power[1] == 1 ? pow(a.size, exponent) : fabs(value));
}

static inline struct real
real_function(const struct real_recipe *recipe, struct real a, struct real b)
{
    int64_t divisor = random_between(recipe->state, 1, 5);
    double quotient = a.value / (double)divisor;

    switch (random_between(recipe->state, 0, 3)) {
    case 0:
        return real_result(expression_log(recipe->pool, a.handle), log(a.value), fabs(log(a.value)));
    case 1: /* next to a whole number rounding decides */
        return real_result(expression_floor_divide(recipe->pool, a.handle, divisor),
                           fabs(quotient - round(quotient)) < 1e-6 ? NAN : floor(quotient), fabs(floor(quotient)));
    case 2:
        return real_result(expression_max(recipe->pool, a.handle, b.handle), fmax(a.value, b.value), a.size + b.size);
    default:
        return real_result(expression_min(recipe->pool, a.handle, b.handle), fmin(a.value, b.value), a.size + b.size);
    }
}

static inline struct real
random_real(const struct real_recipe *recipe, int depth)
{
    struct real a, b, result;

    if (depth == 0)
        return real_leaf(recipe);
    a = random_real(recipe, depth - 1 - (int)random_between(recipe->state, 0, depth > 1));
    b = random_real(recipe, depth - 1 - (int)random_between(recipe->state, 0, depth > 1));
    switch (random_between(recipe->state, 0, 6)) {
    case 0:
        result = real_result(expression_add(recipe->pool, a.handle, b.handle), a.value + b.value, a.size + b.size);
        break;
    case 1:
        result = real_result(expression_subtract(recipe->pool, a.handle, b.handle), a.value - b.value, a.size + b.size);
        break;
    case 2:
    case 3:
        result = real_result(expression_multiply(recipe->pool, a.handle, b.handle), a.value * b.value, a.size * b.size);
        break;
    case 4:
        result =
            real_result(expression_divide(recipe->pool, a.handle, b.handle), a.value / b.value, a.size / fabs(b.value));
        break;
    case 5:
        result = real_power(recipe, a);
        break;
    default:
        result = real_function(recipe, a, b);
        break;
    }
    result.usable = result.usable && a.usable && b.usable;
    return result;
}

#endif

/* Products of powers of atoms: their order and their product. */
#include "expression/pool.h"

/* Order of factors in a monomial: symbols, then functions, each in the order in which they were made. */
static bool
atom_before(const struct expression_pool *pool, int32_t a, int32_t b)
{
    bool a_is_symbol = pool->atoms[a].kind == ATOM_SYMBOL, b_is_symbol = pool->atoms[b].kind == ATOM_SYMBOL;

    return a_is_symbol == b_is_symbol ? a < b : a_is_symbol;
}

static int
compare_exponents(const struct factor *a, const struct factor *b)
{
    int64_t left = (int64_t)a->numerator * b->denominator, right = (int64_t)b->numerator * a->denominator;

    return left > right ? -1 : left < right;
}

/* Of two different monomials of the same degree: the one with the greater power of the first atom that differs. */
static int
compare_factors(const struct expression_pool *pool, int32_t a, int32_t b)
{
    const struct factor *x = monomial_factors(pool, a), *y = monomial_factors(pool, b);
    const struct factor *x_end = x + pool->monomials[a].count, *y_end = y + pool->monomials[b].count;
    const struct factor none = {.denominator = 1};

    for (; x < x_end && y < y_end && x->atom == y->atom; x++, y++)
        if (compare_exponents(x, y))
            return compare_exponents(x, y);
    if (y == y_end || (x < x_end && atom_before(pool, x->atom, y->atom)))
        return compare_exponents(x, &none);
    return compare_exponents(&none, y);
}

int
monomial_compare(const struct expression_pool *pool, int32_t a, int32_t b)
{
    double a_degree = pool->monomials[a].degree, b_degree = pool->monomials[b].degree;

    if (a == b)
        return 0;
    if (a_degree != b_degree)
        return a_degree > b_degree ? -1 : 1;
    return compare_factors(pool, a, b);
}

int
factor_set_exponent(struct expression_pool *pool, struct factor *factor, int64_t numerator, int64_t denominator)
{
    struct rational exponent;

    if (!rational_make(numerator, denominator, &exponent) || exponent.numerator > EXPONENT_LIMIT ||
        exponent.numerator < -EXPONENT_LIMIT || exponent.denominator > EXPONENT_LIMIT)
        return context_error(pool->context, MEMMODEL_ERROR_OVERFLOW, NULL, "an exponent is beyond %d", EXPONENT_LIMIT);
    factor->numerator = (int32_t)exponent.numerator;
    factor->denominator = (int32_t)exponent.denominator;
    return 0;
}

/* A group's power is worked out again where expression_power() would not leave it as it is. */
static bool
is_worked_out_again(const struct expression_pool *pool, const struct factor *x, const struct factor *y,
                    const struct factor *both)
{
    if (pool->atoms[both->atom].kind != ATOM_GROUP)
        return false;
    return x->denominator != 1 || y->denominator != 1 || (both->numerator > 0 && both->numerator <= EXPANDED_POWER);
}

static int
join(struct expression_pool *pool, const struct factor *x, const struct factor *y, struct product *product)
{
    struct factor both = {.atom = x->atom};
    int status = factor_set_exponent(pool, &both,
                                     (int64_t)x->numerator * y->denominator + (int64_t)y->numerator * x->denominator,
                                     (int64_t)x->denominator * y->denominator);

    if (status || both.numerator == 0)
        return status;
    if (is_worked_out_again(pool, x, y, &both))
        product->again[product->again_count++] = both;
    else
        product->factors[product->count++] = both;
    return 0;
}

/* The next factor of the two lists into the product; both have fewer than FACTOR_LIMIT, so `again` has room. */
static int
take(struct expression_pool *pool, const struct factor **x, const struct factor *x_end, const struct factor **y,
     const struct factor *y_end, struct product *product)
{
    bool only_x = *y == y_end || (*x < x_end && atom_before(pool, (*x)->atom, (*y)->atom));
    bool only_y = *x == x_end || (*y < y_end && atom_before(pool, (*y)->atom, (*x)->atom));

    if (product->count == FACTOR_LIMIT)
        return context_error(pool->context, MEMMODEL_ERROR_OVERFLOW, NULL, "more than %d different factors in a term",
                             FACTOR_LIMIT);
    if (!only_x && !only_y)
        return join(pool, (*x)++, (*y)++, product);
    product->factors[product->count++] = only_x ? *(*x)++ : *(*y)++;
    return 0;
}

int
monomial_multiply(struct expression_pool *pool, int32_t a, int32_t b, struct product *product)
{
    const struct factor *x = monomial_factors(pool, a), *y = monomial_factors(pool, b);
    const struct factor *x_end = x + pool->monomials[a].count, *y_end = y + pool->monomials[b].count;
    int status = 0;

    product->count = product->again_count = 0;
    while (!status && (x < x_end || y < y_end))
        status = take(pool, &x, x_end, &y, y_end, product);
    return status;
}

/* ---- how a power is computed ---- */

enum { MULTIPLIED_POWER = 8, ROOT_DENOMINATOR = 4 };

static void
add_part(struct power_part parts[POWER_PARTS], size_t *count, enum power_kind kind, int32_t repeat)
{
    if (repeat > 0)
        parts[(*count)++] = (struct power_part){kind, repeat};
}

size_t
factor_parts(const struct factor *factor, struct power_part parts[POWER_PARTS])
{
    int32_t size = factor->numerator < 0 ? -factor->numerator : factor->numerator;
    int32_t denominator = factor->denominator, rest;
    size_t count = 0;

    if (denominator > ROOT_DENOMINATOR || size > MULTIPLIED_POWER * denominator) {
        add_part(parts, &count, POWER_GENERAL, 1);
        return count;
    }
    rest = size % denominator;
    add_part(parts, &count, POWER_WHOLE, size / denominator);
    add_part(parts, &count, POWER_CUBE_ROOT, denominator == 3 ? rest : 0);
    add_part(parts, &count, POWER_ROOT, denominator == 2 ? rest : denominator == 4 ? rest / 2 : 0);
    add_part(parts, &count, POWER_FOURTH_ROOT, denominator == 4 ? rest % 2 : 0);
    return count;
}

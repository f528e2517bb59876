/* What an expression is made of, and what equations say. */
#include "expression/pool.h"

bool
expression_is_constant(const struct expression_pool *pool, expression a, struct rational *value)
{
    const struct node *node = &pool->nodes[a];

    if (node->count > 1 || (node->count == 1 && node_terms(pool, a)->monomial != 0))
        return false;
    *value = node->count ? node_terms(pool, a)->coefficient : rational_integer(0);
    return true;
}

bool
expression_is_sum(const struct expression_pool *pool, expression a)
{
    return pool->nodes[a].count > 1;
}

bool
expression_is_integer(const struct expression_pool *pool, expression a, int64_t *value)
{
    struct rational constant;

    if (a < 0 || !expression_is_constant(pool, a, &constant) || constant.denominator != 1)
        return false;
    *value = constant.numerator;
    return true;
}

bool
expression_denominator(const struct expression_pool *pool, expression a, int64_t *denominator)
{
    int64_t common = 1;

    for (uint32_t i = 0; i < pool->nodes[a].count; i++)
        if (!checked_common_multiple(common, node_terms(pool, a)[i].coefficient.denominator, &common))
            return false;
    *denominator = common;
    return true;
}

/* That of the first term, if the others differ in sign only; else 1. */
static struct rational
common_coefficient(const struct expression_pool *pool, expression a)
{
    const struct term *terms = node_terms(pool, a);
    struct rational first = pool->nodes[a].count ? terms[0].coefficient : rational_integer(1);

    for (uint32_t i = 1; i < pool->nodes[a].count; i++)
        if (terms[i].coefficient.denominator != first.denominator ||
            magnitude(terms[i].coefficient.numerator) != magnitude(first.numerator))
            return rational_integer(1);
    return first;
}

expression
expression_without_coefficient(struct expression_pool *pool, expression a, double *coefficient)
{
    struct rational common = a < 0 ? rational_integer(1) : common_coefficient(pool, a);

    *coefficient = rational_double(common);
    return expression_divide(pool, a, expression_rational(pool, common.numerator, common.denominator));
}

bool
expression_depends_on(const struct expression_pool *pool, expression a, size_t symbol)
{
    if (a < 0 || symbol >= pool->name_count)
        return false;
    return pool->depends[(size_t)a * pool->depends_words + symbol / 64] >> (symbol % 64) & 1;
}

size_t
expression_count(const struct expression_pool *pool)
{
    return pool->node_count;
}

/* ---- what is evaluated before what ---- */

static void
mark_atom(const struct expression_pool *pool, int32_t atom, unsigned char *marks)
{
    const struct atom *used = &pool->atoms[atom];

    marks[used->self] |= 1;
    if (used->kind == ATOM_SYMBOL)
        return;
    marks[used->arguments[0]] |= 1;
    marks[used->arguments[1]] |= 1;
}

void
expression_mark(const struct expression_pool *pool, expression last, unsigned char *marks)
{
    for (expression e = last; e >= 0; e--) {
        const struct term *terms = node_terms(pool, e);

        for (uint32_t i = 0; marks[e] && i < pool->nodes[e].count; i++)
            for (uint32_t j = 0; j < pool->monomials[terms[i].monomial].count; j++)
                mark_atom(pool, monomial_factors(pool, terms[i].monomial)[j].atom, marks);
    }
}

/* ---- equations ---- */

/* a - b, term by term, without building it */
struct difference {
    const struct expression_pool *pool;
    expression a, b;
    uint32_t i, j;
};

/* The next term that is not zero; false at the end, or (with *failed) if it does not fit. */
static bool
next_difference(struct difference *walk, struct term *term, bool *failed)
{
    const struct expression_pool *pool = walk->pool;
    const struct term *x = node_terms(pool, walk->a), *y = node_terms(pool, walk->b);
    uint32_t x_count = pool->nodes[walk->a].count, y_count = pool->nodes[walk->b].count;

    while (walk->i < x_count || walk->j < y_count) {
        struct rational left = {0, 1}, right = {0, 1};
        int order = walk->i == x_count   ? 1
                    : walk->j == y_count ? -1
                                         : monomial_compare(pool, x[walk->i].monomial, y[walk->j].monomial);

        term->monomial = order <= 0 ? x[walk->i].monomial : y[walk->j].monomial;
        if (order <= 0)
            left = x[walk->i++].coefficient;
        if (order >= 0)
            right = y[walk->j++].coefficient;
        *failed =
            !rational_multiply(right, rational_integer(-1), &right) || !rational_add(left, right, &term->coefficient);
        if (*failed || term->coefficient.numerator)
            return !*failed;
    }
    return false;
}

/*
 * In c * unknown + other terms = 0: the greatest divisor of all the others' coefficients over c, 0 if they are not
 * whole.
 */
static int64_t
divisor_of_others(const struct expression_pool *pool, expression a, expression b, struct term unknown)
{
    struct difference walk = {.pool = pool, .a = a, .b = b};
    struct rational ratio, inverse;
    struct term term;
    int64_t divisor = 0;
    bool failed = false;

    if (!rational_power(unknown.coefficient, -1, &inverse))
        return 0;
    while (next_difference(&walk, &term, &failed)) {
        if (term.monomial == unknown.monomial)
            continue;
        if (!pool->monomials[term.monomial].whole || !rational_multiply(term.coefficient, inverse, &ratio) ||
            ratio.denominator != 1)
            return 0;
        divisor = greatest_common_divisor(divisor, ratio.numerator);
    }
    return failed ? 0 : divisor;
}

static bool
is_plain_symbol(const struct expression_pool *pool, int32_t monomial)
{
    const struct factor *factor = monomial_factors(pool, monomial);

    return pool->monomials[monomial].count == 1 && factor->numerator == 1 && factor->denominator == 1 &&
           pool->atoms[factor->atom].kind == ATOM_SYMBOL;
}

bool
expression_implies_multiple(const struct expression_pool *pool, expression a, expression b, size_t *symbol,
                            int64_t *multiple)
{
    struct difference walk = {.pool = pool, .a = a, .b = b};
    struct term term;
    int64_t best = 1;
    bool failed;

    if (a < 0 || b < 0)
        return false;
    while (next_difference(&walk, &term, &failed)) {
        int64_t divisor = is_plain_symbol(pool, term.monomial) ? divisor_of_others(pool, a, b, term) : 0;

        if (divisor > best) {
            best = divisor;
            *symbol = (size_t)pool->atoms[monomial_factors(pool, term.monomial)->atom].arguments[0];
            *multiple = divisor;
        }
    }
    return best > 1;
}

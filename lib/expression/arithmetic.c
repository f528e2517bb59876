/* Constants, sums, products and quotients. */
#include "expression/pool.h"

static const struct rational one = {1, 1}, minus_one = {-1, 1};

expression
expression_rational(struct expression_pool *pool, int64_t numerator, int64_t denominator)
{
    struct rational value;

    if (denominator <= 0)
        return context_error(pool->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "a denominator is not positive");
    if (!rational_make(numerator, denominator, &value))
        return POOL_OVERFLOW(pool);
    return term_expression(pool, value, 0);
}

expression
expression_integer(struct expression_pool *pool, int64_t value)
{
    return term_expression(pool, rational_integer(value), 0);
}

static expression
add_scaled(struct expression_pool *pool, expression a, struct rational scale, expression b)
{
    struct sum sum;

    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    sum_start(&sum, pool);
    sum_add(&sum, one, a);
    sum_add(&sum, scale, b);
    return sum_finish(&sum);
}

expression
expression_add(struct expression_pool *pool, expression a, expression b)
{
    return add_scaled(pool, a, one, b);
}

expression
expression_subtract(struct expression_pool *pool, expression a, expression b)
{
    return add_scaled(pool, a, minus_one, b);
}

expression
expression_scale(struct expression_pool *pool, expression a, struct rational coefficient)
{
    struct sum sum;

    if (a < 0 || rational_is(coefficient, 1))
        return a;
    if (coefficient.numerator == 0)
        return expression_integer(pool, 0);
    sum_start(&sum, pool);
    sum_add(&sum, coefficient, a);
    return sum_finish(&sum);
}

/* ---- products ---- */

/* coefficient * (the product, with the groups that are worked out again) */
static expression
multiply_again(struct expression_pool *pool, struct rational coefficient, const struct product *product)
{
    int32_t monomial = monomial_intern(pool, product->factors, product->count);
    expression result = term_expression(pool, coefficient, monomial);

    for (size_t i = 0; i < product->again_count; i++) {
        const struct factor *factor = &product->again[i];
        expression sum = pool->atoms[factor->atom].arguments[0];

        result = expression_multiply(pool, result, expression_power(pool, sum, factor->numerator, factor->denominator));
    }
    return result;
}

static void
add_product(struct sum *sum, struct term x, struct term y)
{
    struct expression_pool *pool = sum->pool;
    struct product product;
    struct rational coefficient;

    if (!rational_multiply(x.coefficient, y.coefficient, &coefficient)) {
        sum->status = POOL_OVERFLOW(pool);
        return;
    }
    if (x.monomial == 0 || y.monomial == 0) {
        sum_add_term(sum, coefficient, x.monomial + y.monomial);
        return;
    }
    sum->status = monomial_multiply(pool, x.monomial, y.monomial, &product);
    if (sum->status)
        return;
    if (product.again_count)
        sum_add(sum, one, multiply_again(pool, coefficient, &product));
    else
        sum_add_term(sum, coefficient, monomial_intern(pool, product.factors, product.count));
}

static expression
multiply_out(struct expression_pool *pool, expression a, expression b)
{
    uint32_t a_count = pool->nodes[a].count, b_count = pool->nodes[b].count;
    struct sum sum;

    if ((uint64_t)a_count * b_count > PRODUCT_LIMIT && a_count > 1 && b_count > 1)
        return context_error(pool->context, MEMMODEL_ERROR_OVERFLOW, NULL, "a product of sums has more than %d terms",
                             PRODUCT_LIMIT);
    sum_start(&sum, pool);
    sum.status = context_check(pool->context, 1 + (int64_t)((uint64_t)a_count * b_count / 16));
    for (uint32_t i = 0; i < a_count && !sum.status; i++)
        for (uint32_t j = 0; j < b_count && !sum.status; j++)
            add_product(&sum, node_terms(pool, a)[i], node_terms(pool, b)[j]);
    return sum_finish(&sum);
}

expression
expression_multiply(struct expression_pool *pool, expression a, expression b)
{
    struct rational value;

    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    if (expression_is_constant(pool, a, &value))
        return expression_scale(pool, b, value);
    if (expression_is_constant(pool, b, &value))
        return expression_scale(pool, a, value);
    return multiply_out(pool, a, b);
}

expression
expression_divide(struct expression_pool *pool, expression a, expression b)
{
    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    return expression_multiply(pool, a, expression_power(pool, b, -1, 1));
}

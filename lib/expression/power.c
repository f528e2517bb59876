/* Powers: of terms factor by factor, of sums multiplied out or as a group. */
#include "expression/pool.h"

static const struct rational one = {1, 1};

/* sum ^ (numerator / denominator) with the sum as a group */
static expression
group_power(struct expression_pool *pool, expression sum, int64_t numerator, int64_t denominator)
{
    struct factor factor = {.atom = atom_intern_group(pool, sum)};
    int status = factor.atom < 0 ? factor.atom : factor_set_exponent(pool, &factor, numerator, denominator);

    return status ? status : term_expression(pool, one, monomial_intern(pool, &factor, 1));
}

/* ---- powers of one term ---- */

/* Every factor to that power; groups one by one, since theirs may have to be worked out again. */
static expression
integer_power_of_term(struct expression_pool *pool, struct term term, int64_t exponent)
{
    struct factor factors[FACTOR_LIMIT];
    size_t count = 0;
    expression groups = expression_integer(pool, 1);
    struct rational coefficient;

    if (!rational_power(term.coefficient, exponent, &coefficient))
        return POOL_OVERFLOW(pool);
    for (uint32_t i = 0; i < pool->monomials[term.monomial].count; i++) {
        struct factor factor = monomial_factors(pool, term.monomial)[i];
        const struct atom *atom = &pool->atoms[factor.atom];
        int status = factor_set_exponent(pool, &factor, factor.numerator * exponent, factor.denominator);

        if (status)
            return status;
        if (atom->kind == ATOM_GROUP)
            groups = expression_multiply(
                pool, groups, expression_power(pool, atom->arguments[0], factor.numerator, factor.denominator));
        else
            factors[count++] = factor;
    }
    return expression_multiply(pool, groups, term_expression(pool, coefficient, monomial_intern(pool, factors, count)));
}

static bool
has_only_symbols(const struct expression_pool *pool, int32_t monomial)
{
    for (uint32_t i = 0; i < pool->monomials[monomial].count; i++)
        if (pool->atoms[monomial_factors(pool, monomial)[i].atom].kind != ATOM_SYMBOL)
            return false;
    return true;
}

/* Symbols are not negative, so (c a b) ^ r = c ^ r a ^ r b ^ r; what may be negative stays together. */
static bool
root_is_distributed(const struct expression_pool *pool, expression a, const struct term *term)
{
    return pool->nodes[a].atom >= 0 || has_only_symbols(pool, term->monomial);
}

static expression
root_of_term(struct expression_pool *pool, expression a, int64_t numerator, int64_t denominator)
{
    struct term term = node_terms(pool, a)[0];
    struct factor factors[FACTOR_LIMIT];
    struct rational coefficient;
    uint32_t count = pool->monomials[term.monomial].count;

    if (!root_is_distributed(pool, a, &term) || !rational_root(term.coefficient, denominator, &coefficient))
        return group_power(pool, a, numerator, denominator);
    if (!rational_power(coefficient, numerator, &coefficient))
        return POOL_OVERFLOW(pool);
    for (uint32_t i = 0; i < count; i++) {
        int status;

        factors[i] = monomial_factors(pool, term.monomial)[i];
        status = factor_set_exponent(pool, &factors[i], factors[i].numerator * numerator,
                                     factors[i].denominator * denominator);
        if (status)
            return status;
    }
    return term_expression(pool, coefficient, monomial_intern(pool, factors, count));
}

/* ---- powers of sums ---- */

/* The coefficient c for which sum / c has whole coefficients without a common divisor, the first one positive. */
static bool
common_content(const struct expression_pool *pool, expression sum, struct rational *content)
{
    const struct term *terms = node_terms(pool, sum);
    int64_t numerator = 0, denominator = 1;

    for (uint32_t i = 0; i < pool->nodes[sum].count; i++) {
        numerator = greatest_common_divisor(numerator, terms[i].coefficient.numerator);
        if (!checked_common_multiple(denominator, terms[i].coefficient.denominator, &denominator))
            return false;
    }
    return rational_make(terms[0].coefficient.numerator < 0 ? -numerator : numerator, denominator, content);
}

static expression
integer_power_of_sum(struct expression_pool *pool, expression sum, int64_t exponent)
{
    struct rational content, inverse, factor;

    if (exponent > 0 && exponent <= EXPANDED_POWER) {
        expression power = sum;

        for (int64_t i = 1; i < exponent; i++)
            power = expression_multiply(pool, power, sum);
        return power;
    }
    if (!common_content(pool, sum, &content) || !rational_power(content, -1, &inverse) ||
        !rational_power(content, exponent, &factor))
        return POOL_OVERFLOW(pool);
    sum = expression_scale(pool, sum, inverse);
    return sum < 0 ? sum : expression_scale(pool, group_power(pool, sum, exponent, 1), factor);
}

static expression
power_of_zero(struct expression_pool *pool, int64_t numerator)
{
    if (numerator < 0)
        return context_error(pool->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "division by zero");
    return expression_integer(pool, 0);
}

expression
expression_power(struct expression_pool *pool, expression a, int64_t numerator, int64_t denominator)
{
    struct factor exponent = {0};
    int status;

    if (a < 0)
        return a;
    if (denominator <= 0)
        return context_error(pool->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "a denominator is not positive");
    status = factor_set_exponent(pool, &exponent, numerator, denominator);
    if (status)
        return status;
    if (exponent.numerator == 0)
        return expression_integer(pool, 1);
    if (exponent.numerator == 1 && exponent.denominator == 1)
        return a;
    if (pool->nodes[a].count == 0)
        return power_of_zero(pool, exponent.numerator);
    if (exponent.denominator == 1)
        return pool->nodes[a].count == 1 ? integer_power_of_term(pool, node_terms(pool, a)[0], exponent.numerator)
                                         : integer_power_of_sum(pool, a, exponent.numerator);
    return pool->nodes[a].count == 1 ? root_of_term(pool, a, exponent.numerator, exponent.denominator)
                                     : group_power(pool, a, exponent.numerator, exponent.denominator);
}

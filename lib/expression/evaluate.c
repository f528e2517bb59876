/* Exact evaluation of the whole pool in integers. */
#include "expression/pool.h"

/* values[] so far, of all that the next expression is built from */
struct evaluation {
    const struct expression_pool *pool;
    const int64_t *symbols;
    const int64_t *values;
};

/* value ^ exponent, exact; false if it is undefined or does not fit */
static bool
power_value(int64_t value, const struct factor *factor, struct rational *result)
{
    if (value == EXPRESSION_UNDEFINED || factor->denominator != 1 || (value == 0 && factor->numerator < 0))
        return false;
    return rational_power(rational_integer(value), factor->numerator, result);
}

static bool
term_value(const struct evaluation *evaluation, const struct term *term, struct rational *result)
{
    const struct expression_pool *pool = evaluation->pool;
    struct rational product = term->coefficient, power;

    for (uint32_t i = 0; i < pool->monomials[term->monomial].count; i++) {
        const struct factor *factor = &monomial_factors(pool, term->monomial)[i];

        if (!power_value(evaluation->values[pool->atoms[factor->atom].self], factor, &power) ||
            !rational_multiply(product, power, &product))
            return false;
    }
    *result = product;
    return true;
}

static bool
sum_value(const struct evaluation *evaluation, expression a, struct rational *result)
{
    const struct expression_pool *pool = evaluation->pool;
    struct rational sum = {0, 1}, term;

    for (uint32_t i = 0; i < pool->nodes[a].count; i++)
        if (!term_value(evaluation, &node_terms(pool, a)[i], &term) || !rational_add(sum, term, &sum))
            return false;
    *result = sum;
    return true;
}

static int64_t
whole_value(const struct evaluation *evaluation, expression a)
{
    struct rational value;

    return sum_value(evaluation, a, &value) && value.denominator == 1 ? value.numerator : EXPRESSION_UNDEFINED;
}

/* floor of a sum of fractions is defined although the sum itself is no integer */
static int64_t
floor_value(const struct evaluation *evaluation, const struct atom *atom)
{
    int64_t whole = evaluation->values[atom->arguments[0]];
    struct rational value = {whole, 1};

    if (whole == EXPRESSION_UNDEFINED && !sum_value(evaluation, atom->arguments[0], &value))
        return EXPRESSION_UNDEFINED;
    if (!rational_multiply(value, (struct rational){1, atom->divisor}, &value))
        return EXPRESSION_UNDEFINED;
    return floor_divide(value.numerator, value.denominator);
}

/* Fractions may be equal too. */
static int64_t
equal_value(const struct evaluation *evaluation, const struct atom *atom)
{
    struct rational sides[2];

    for (size_t i = 0; i < 2; i++) {
        sides[i] = rational_integer(evaluation->values[atom->arguments[i]]);
        if (sides[i].numerator == EXPRESSION_UNDEFINED && !sum_value(evaluation, atom->arguments[i], &sides[i]))
            return EXPRESSION_UNDEFINED;
    }
    return sides[0].numerator == sides[1].numerator && sides[0].denominator == sides[1].denominator;
}

static int64_t
atom_value(const struct evaluation *evaluation, const struct atom *atom)
{
    int64_t first, second;

    if (atom->kind == ATOM_SYMBOL)
        return evaluation->symbols[atom->arguments[0]];
    if (atom->kind == ATOM_FLOOR)
        return floor_value(evaluation, atom);
    first = evaluation->values[atom->arguments[0]];
    second = evaluation->values[atom->arguments[1]];
    if (atom->kind == ATOM_EQUAL)
        return equal_value(evaluation, atom);
    if (atom_is_transcendental(atom->kind) || first == EXPRESSION_UNDEFINED || second == EXPRESSION_UNDEFINED)
        return EXPRESSION_UNDEFINED;
    return atom->kind == ATOM_MAX ? max_i64(first, second) : min_i64(first, second);
}

void
expression_evaluate_integers(const struct expression_pool *pool, const int64_t *symbols, int64_t *values)
{
    struct evaluation evaluation = {.pool = pool, .symbols = symbols, .values = values};

    for (size_t e = 0; e < pool->node_count; e++) {
        int32_t atom = pool->nodes[e].atom;

        values[e] = atom >= 0 && pool->atoms[atom].kind != ATOM_GROUP ? atom_value(&evaluation, &pool->atoms[atom])
                                                                      : whole_value(&evaluation, (expression)e);
    }
}

/* Derivatives, in the order of the handles, each expression once. */
#include "expression/pool.h"

static const struct rational one = {1, 1};

/* derivatives[e] of every expression before the next one */
struct derivation {
    struct expression_pool *pool;
    expression *derivatives;
    size_t symbol;
};

/* coefficient * (the term's factors but the one) */
static expression
other_factors(struct expression_pool *pool, struct rational coefficient, int32_t monomial, uint32_t left_out)
{
    struct factor factors[FACTOR_LIMIT];
    size_t count = 0;

    for (uint32_t i = 0; i < pool->monomials[monomial].count; i++)
        if (i != left_out)
            factors[count++] = monomial_factors(pool, monomial)[i];
    return term_expression(pool, coefficient, monomial_intern(pool, factors, count));
}

/* c (e f ^ (e - 1) f') others, for the factor f ^ e of a term */
static expression
differentiate_factor(const struct derivation *derivation, struct term term, uint32_t index)
{
    struct expression_pool *pool = derivation->pool;
    struct factor factor = monomial_factors(pool, term.monomial)[index];
    expression base = pool->atoms[factor.atom].self, result;

    if (!expression_depends_on(pool, base, derivation->symbol))
        return expression_integer(pool, 0);
    if (!rational_multiply(term.coefficient, (struct rational){factor.numerator, factor.denominator},
                           &term.coefficient))
        return POOL_OVERFLOW(pool);
    result = other_factors(pool, term.coefficient, term.monomial, index);
    result = expression_multiply(pool, result, derivation->derivatives[base]);
    return expression_multiply(
        pool, result, expression_power(pool, base, (int64_t)factor.numerator - factor.denominator, factor.denominator));
}

static expression
differentiate_sum(const struct derivation *derivation, expression a)
{
    struct expression_pool *pool = derivation->pool;
    struct sum sum;

    sum_start(&sum, pool);
    for (uint32_t i = 0; i < pool->nodes[a].count && !sum.status; i++) {
        struct term term = node_terms(pool, a)[i];

        for (uint32_t j = 0; j < pool->monomials[term.monomial].count && !sum.status; j++)
            sum_add(&sum, one, differentiate_factor(derivation, term, j));
    }
    return sum_finish(&sum);
}

/* Of max or min of x and y: y' + (x' - y') (extreme - y) / (x - y); the last quotient is 1 if x was taken, else 0. */
static expression
differentiate_extreme(const struct derivation *derivation, struct atom atom)
{
    struct expression_pool *pool = derivation->pool;
    expression x = atom.arguments[0], y = atom.arguments[1];
    expression x_derivative = derivation->derivatives[x], y_derivative = derivation->derivatives[y], taken;

    if (x_derivative == y_derivative)
        return x_derivative;
    taken = expression_divide(pool, expression_subtract(pool, atom.self, y), expression_subtract(pool, x, y));
    taken = expression_multiply(pool, expression_subtract(pool, x_derivative, y_derivative), taken);
    return expression_add(pool, y_derivative, taken);
}

/* of a function of one number, by that number */
static expression
slope_of(struct expression_pool *pool, struct atom atom)
{
    expression x = atom.arguments[0];

    switch (atom.kind) {
    case ATOM_EXP:
        return atom.self;
    case ATOM_SIN:
        return expression_apply(pool, OPCODE_COS, x);
    case ATOM_COS:
        return expression_scale(pool, expression_apply(pool, OPCODE_SIN, x), (struct rational){-1, 1});
    case ATOM_TANH:
        return expression_subtract(pool, expression_integer(pool, 1), expression_power(pool, atom.self, 2, 1));
    default: /* log */
        return expression_power(pool, x, -1, 1);
    }
}

static expression
differentiate_atom(const struct derivation *derivation, struct atom atom)
{
    struct expression_pool *pool = derivation->pool;
    expression inner = atom.kind == ATOM_SYMBOL ? 0 : derivation->derivatives[atom.arguments[0]];

    switch (atom.kind) {
    case ATOM_SYMBOL:
        return expression_integer(pool, (size_t)atom.arguments[0] == derivation->symbol);
    case ATOM_FLOOR:
        return expression_scale(pool, inner, (struct rational){1, atom.divisor});
    case ATOM_EQUAL:
        return expression_integer(pool, 0);
    case ATOM_LOG:
    case ATOM_EXP:
    case ATOM_SIN:
    case ATOM_COS:
    case ATOM_TANH:
        return expression_multiply(pool, inner, slope_of(pool, atom));
    case ATOM_MAX:
    case ATOM_MIN:
        return differentiate_extreme(derivation, atom);
    case ATOM_GROUP:
        return inner;
    }
    return inner;
}

static expression
differentiate_one(const struct derivation *derivation, expression a)
{
    int32_t atom = derivation->pool->nodes[a].atom;

    if (!expression_depends_on(derivation->pool, a, derivation->symbol))
        return expression_integer(derivation->pool, 0);
    return atom >= 0 ? differentiate_atom(derivation, derivation->pool->atoms[atom]) : differentiate_sum(derivation, a);
}

static expression
differentiate_all(const struct derivation *derivation, expression a, unsigned char *marks)
{
    marks[a] = 1;
    expression_mark(derivation->pool, a, marks);
    for (expression e = 0; e <= a; e++) {
        if (!marks[e])
            continue;
        derivation->derivatives[e] = differentiate_one(derivation, e);
        if (derivation->derivatives[e] < 0)
            return derivation->derivatives[e];
    }
    return derivation->derivatives[a];
}

expression
expression_differentiate(struct expression_pool *pool, expression a, size_t symbol)
{
    struct derivation derivation = {.pool = pool, .symbol = symbol};
    expression result = MEMMODEL_ERROR_NO_MEMORY;
    unsigned char *marks;

    if (a < 0)
        return a;
    marks = memory_allocate_zeroed(pool->context, (size_t)a + 1, 1);
    derivation.derivatives = memory_allocate_zeroed(pool->context, (size_t)a + 1, sizeof *derivation.derivatives);
    if (marks && derivation.derivatives)
        result = differentiate_all(&derivation, a, marks);
    memory_release(pool->context, marks);
    memory_release(pool->context, derivation.derivatives);
    return result;
}

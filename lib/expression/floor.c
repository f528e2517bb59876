/*
 * Floors in one form: floor(N / d), where N is a sum whose whole parts were taken out. With N of integers
 *
 *   floor(x + k) = floor(x) + k                     for an integer k, also the whole part of a coefficient
 *   floor(N / d + c) = floor((N + floor(d c)) / d)  for any constant c
 *   floor((floor(x) + k) / d) = floor((x + k) / d)
 */
#include "expression/pool.h"

static const struct rational one = {1, 1}, minus_one = {-1, 1};

enum { NESTED_DIVISOR_LIMIT = 1 << 30 }; /* floors whose joint divisor is beyond it stay nested */

/* a sum that is taken apart: floor(a) = outside + floor(inside) */
struct split {
    struct sum outside, inside;
    struct rational constant;
    int64_t divisor; /* common denominator of `inside` without the constant, as far as it is an integer then */
    bool whole;      /* divisor * inside is an integer */
};

static int64_t
known_multiple(const struct assumption *assumption, int32_t symbol)
{
    return assumption && (size_t)symbol < assumption->count ? assumption->multiples[symbol] : 1;
}

/* The denominator that is left when what is known of the symbols is divided out. */
static int64_t
effective_denominator(const struct expression_pool *pool, const struct term *term, const struct assumption *assumption)
{
    int64_t denominator = term->coefficient.denominator;

    for (uint32_t i = 0; i < pool->monomials[term->monomial].count && denominator > 1; i++) {
        const struct factor *factor = &monomial_factors(pool, term->monomial)[i];
        const struct atom *atom = &pool->atoms[factor->atom];
        int64_t multiple = atom->kind == ATOM_SYMBOL ? known_multiple(assumption, atom->arguments[0]) : 1;

        for (int32_t power = 0; multiple > 1 && power < factor->numerator && denominator > 1; power++) {
            int64_t divisor = greatest_common_divisor(denominator, multiple);

            if (divisor == 1)
                break;
            denominator /= divisor;
        }
    }
    return denominator;
}

/* numerator - denominator * floor(numerator / denominator) */
static int64_t
remainder_of(struct rational a)
{
    int64_t rest = a.numerator % a.denominator;

    return rest < 0 ? rest + a.denominator : rest;
}

static void
split_term(struct split *split, struct term term, const struct assumption *assumption)
{
    const struct expression_pool *pool = split->inside.pool;
    int64_t denominator = effective_denominator(pool, &term, assumption);
    int64_t quotient = floor_divide(term.coefficient.numerator, term.coefficient.denominator);

    if (term.monomial == 0) {
        split->constant = term.coefficient;
    } else if (!pool->monomials[term.monomial].whole) {
        split->whole = false;
        sum_add_term(&split->inside, term.coefficient, term.monomial);
    } else if (denominator == 1) {
        sum_add_term(&split->outside, term.coefficient, term.monomial);
    } else {
        sum_add_term(&split->outside, rational_integer(quotient), term.monomial);
        term.coefficient.numerator = remainder_of(term.coefficient);
        sum_add_term(&split->inside, term.coefficient, term.monomial);
        if (!checked_common_multiple(split->divisor, denominator, &split->divisor))
            split->inside.status = POOL_OVERFLOW(pool);
    }
}

/* The constant's whole part goes outside; what is left is rounded down to the steps in which the others move. */
static void
split_constant(struct split *split)
{
    struct rational rest = split->constant;
    int64_t quotient = floor_divide(rest.numerator, rest.denominator);

    rest.numerator = remainder_of(rest);
    sum_add_term(&split->outside, rational_integer(quotient), 0);
    if (split->whole) {
        if (!rational_multiply(rest, rational_integer(split->divisor), &rest) ||
            !rational_make(rest.numerator / rest.denominator, split->divisor, &rest))
            split->inside.status = POOL_OVERFLOW(split->inside.pool);
    }
    sum_add_term(&split->inside, rest, 0);
}

/* ---- floor(floor(x) / d) ---- */

/* The one term floor(x) / d of `a`, or NULL. */
static const struct term *
inner_floor(const struct expression_pool *pool, expression a, int64_t divisor)
{
    const struct term *terms = node_terms(pool, a), *found = NULL;

    for (uint32_t i = 0; i < pool->nodes[a].count; i++) {
        const struct monomial *monomial = &pool->monomials[terms[i].monomial];
        const struct factor *factor = monomial_factors(pool, terms[i].monomial);

        if (terms[i].coefficient.numerator != 1 || terms[i].coefficient.denominator != divisor ||
            monomial->count != 1 || factor->numerator != 1 || pool->atoms[factor->atom].kind != ATOM_FLOOR ||
            pool->atoms[factor->atom].divisor > NESTED_DIVISOR_LIMIT / divisor)
            continue;
        if (found)
            return NULL;
        found = &terms[i];
    }
    return found;
}

/* `a` without the floor around x, true; or false if there is none to go. */
static bool
open_inner_floor(struct expression_pool *pool, expression a, int64_t divisor, expression *opened)
{
    const struct term *found = divisor <= NESTED_DIVISOR_LIMIT ? inner_floor(pool, a, divisor) : NULL;
    const struct atom *atom;
    struct sum sum;

    if (!found)
        return false;
    atom = &pool->atoms[monomial_factors(pool, found->monomial)->atom];
    sum_start(&sum, pool);
    sum_add(&sum, one, a);
    sum_add_term(&sum, (struct rational){-1, divisor}, found->monomial);
    sum_add(&sum, (struct rational){1, atom->divisor * divisor}, atom->arguments[0]);
    *opened = sum_finish(&sum);
    return true;
}

/* ---- floor ---- */

/* Takes `a` apart; *rest is what stays inside. */
static int
take_apart(struct sum *outside, expression a, const struct assumption *assumption, bool *whole, expression *rest)
{
    struct expression_pool *pool = outside->pool;
    struct split split = {.divisor = 1, .whole = true, .constant = {0, 1}};
    expression out;

    sum_start(&split.outside, pool);
    sum_start(&split.inside, pool);
    for (uint32_t i = 0; i < pool->nodes[a].count; i++)
        split_term(&split, node_terms(pool, a)[i], assumption);
    split_constant(&split);
    *whole = split.whole;
    out = sum_finish(&split.outside);
    *rest = sum_finish(&split.inside);
    sum_add(outside, one, out);
    return *rest < 0 ? *rest : outside->status;
}

static expression
floor_atom(struct expression_pool *pool, expression inside, int64_t divisor)
{
    expression numerator = expression_scale(pool, inside, rational_integer(divisor));

    return numerator < 0 ? numerator : atom_intern(pool, ATOM_FLOOR, numerator, numerator, divisor);
}

/* Adds floor(a) to `outside`. Each round opens one inner floor or ends. */
static void
add_floor(struct sum *outside, expression a, const struct assumption *assumption)
{
    struct expression_pool *pool = outside->pool;

    while (a >= 0 && !outside->status) {
        int64_t divisor;
        bool whole;

        outside->status = take_apart(outside, a, assumption, &whole, &a);
        if (outside->status || pool->nodes[a].count == 0)
            return;
        if (!expression_denominator(pool, a, &divisor))
            outside->status = POOL_OVERFLOW(pool);
        else if (!whole || !open_inner_floor(pool, a, divisor, &a)) {
            sum_add(outside, one, floor_atom(pool, a, divisor));
            return;
        }
    }
    sum_add(outside, one, a);
}

expression
expression_floor_assuming(struct expression_pool *pool, expression a, const struct assumption *assumption)
{
    struct sum outside;

    if (a < 0 || pool->nodes[a].whole)
        return a;
    sum_start(&outside, pool);
    add_floor(&outside, a, assumption);
    return sum_finish(&outside);
}

static expression
divide_by(struct expression_pool *pool, expression a, int64_t b)
{
    if (a >= 0 && b <= 0)
        return context_error(pool->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "the divisor is not positive");
    return expression_scale(pool, a, (struct rational){1, b});
}

expression
expression_floor_divide(struct expression_pool *pool, expression a, int64_t b)
{
    return expression_floor_assuming(pool, divide_by(pool, a, b), NULL);
}

/* ---- ceil ---- */

static bool
has_whole_monomials(const struct expression_pool *pool, expression a)
{
    for (uint32_t i = 0; i < pool->nodes[a].count; i++)
        if (!pool->monomials[node_terms(pool, a)[i].monomial].whole)
            return false;
    return true;
}

/* ceil(N / d) = floor((N + d - 1) / d) for an integer N, else - floor(-a) */
expression
expression_ceil_divide(struct expression_pool *pool, expression a, int64_t b)
{
    int64_t divisor;

    a = divide_by(pool, a, b);
    if (a < 0)
        return a;
    if (!has_whole_monomials(pool, a)) {
        expression floor = expression_floor_assuming(pool, expression_scale(pool, a, minus_one), NULL);

        return expression_scale(pool, floor, minus_one);
    }
    if (!expression_denominator(pool, a, &divisor))
        return POOL_OVERFLOW(pool);
    a = expression_add(pool, a, expression_rational(pool, divisor - 1, divisor));
    return expression_floor_assuming(pool, a, NULL);
}

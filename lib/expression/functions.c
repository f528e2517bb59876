/* Maximum, minimum, equality, and functions of one number. */
#include "expression/pool.h"

/* The next term from *at on that is no constant, or the end; a constant goes into *constant. */
static const struct term *
next_term(const struct expression_pool *pool, expression a, uint32_t *at, struct rational *constant)
{
    const struct term *terms = node_terms(pool, a);

    if (*at < pool->nodes[a].count && terms[*at].monomial == 0)
        *constant = terms[(*at)++].coefficient;
    return *at < pool->nodes[a].count ? &terms[(*at)++] : NULL;
}

/* Whether a - b is a constant; then the constants of both. */
static bool
differ_by_constant(const struct expression_pool *pool, expression a, expression b, struct rational *a_constant,
                   struct rational *b_constant)
{
    uint32_t i = 0, j = 0;
    const struct term *x, *y;

    *a_constant = *b_constant = rational_integer(0);
    do {
        x = next_term(pool, a, &i, a_constant);
        y = next_term(pool, b, &j, b_constant);
        if (!x != !y || (x && (x->monomial != y->monomial || x->coefficient.numerator != y->coefficient.numerator ||
                               x->coefficient.denominator != y->coefficient.denominator)))
            return false;
    } while (x);
    return true;
}

/* max or min of two in one order; of two that differ by a constant, the one. */
static expression
extreme(struct expression_pool *pool, enum atom_kind kind, expression a, expression b)
{
    struct rational x, y, difference;

    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    if (differ_by_constant(pool, a, b, &x, &y) && y.numerator != INT64_MIN) {
        y.numerator = -y.numerator;
        if (rational_add(x, y, &difference))
            return (difference.numerator >= 0) == (kind == ATOM_MAX) ? a : b;
    }
    return a < b ? atom_intern(pool, kind, a, b, 1) : atom_intern(pool, kind, b, a, 1);
}

expression
expression_max(struct expression_pool *pool, expression a, expression b)
{
    return extreme(pool, ATOM_MAX, a, b);
}

expression
expression_min(struct expression_pool *pool, expression a, expression b)
{
    return extreme(pool, ATOM_MIN, a, b);
}

expression
expression_equal(struct expression_pool *pool, expression a, expression b)
{
    struct rational x, y;

    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    if (differ_by_constant(pool, a, b, &x, &y))
        return expression_integer(pool, a == b);
    return a < b ? atom_intern(pool, ATOM_EQUAL, a, b, 1) : atom_intern(pool, ATOM_EQUAL, b, a, 1);
}

static const struct {
    enum opcode opcode;
    enum atom_kind kind;
    int64_t at, value; /* where it is known exactly */
} transcendental[] = {{OPCODE_LOG, ATOM_LOG, 1, 0},
                      {OPCODE_EXP, ATOM_EXP, 0, 1},
                      {OPCODE_SIN, ATOM_SIN, 0, 0},
                      {OPCODE_COS, ATOM_COS, 0, 1},
                      {OPCODE_TANH, ATOM_TANH, 0, 0}};

expression
expression_apply(struct expression_pool *pool, enum opcode function, expression a)
{
    struct rational value;
    size_t i = 0;

    if (a < 0)
        return a;
    while (transcendental[i].opcode != function)
        i++;
    if (expression_is_constant(pool, a, &value) && rational_is(value, transcendental[i].at))
        return expression_integer(pool, transcendental[i].value);
    return atom_intern(pool, transcendental[i].kind, a, a, 1);
}

expression
expression_log(struct expression_pool *pool, expression a)
{
    return expression_apply(pool, OPCODE_LOG, a);
}

enum opcode
atom_opcode(enum atom_kind kind)
{
    size_t i = 0;

    while (transcendental[i].kind != kind)
        i++;
    return transcendental[i].opcode;
}

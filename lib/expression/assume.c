/* Copies from pool to pool, with floors that become exact by what is assumed of symbols. */
#include "expression/pool.h"

static const struct rational one = {1, 1};

/* copies[e] of every expression before the next one */
struct copying {
    const struct expression_pool *from;
    struct expression_pool *to;
    expression *copies;
    unsigned char *marks;
    struct assumption assumption;
    int64_t *multiples;
};

static expression
copy_term(const struct copying *copying, const struct term *term)
{
    uint32_t count = copying->from->monomials[term->monomial].count;
    int32_t monomial = term->monomial;
    expression product = expression_rational(copying->to, term->coefficient.numerator, term->coefficient.denominator);

    for (uint32_t i = 0; i < count; i++) {
        struct factor factor = monomial_factors(copying->from, monomial)[i];
        expression base = copying->copies[copying->from->atoms[factor.atom].self];

        product = expression_multiply(copying->to, product,
                                      expression_power(copying->to, base, factor.numerator, factor.denominator));
    }
    return product;
}

static expression
copy_sum(const struct copying *copying, expression a)
{
    struct sum sum;

    sum_start(&sum, copying->to);
    for (uint32_t i = 0; i < copying->from->nodes[a].count && !sum.status; i++) {
        struct term term = node_terms(copying->from, a)[i];

        sum_add(&sum, one, copy_term(copying, &term));
    }
    return sum_finish(&sum);
}

static expression
copy_atom(const struct copying *copying, struct atom atom)
{
    struct expression_pool *to = copying->to;
    expression first, second;

    if (atom.kind == ATOM_SYMBOL)
        return expression_symbol(to, copying->from->names[atom.arguments[0]]);
    first = copying->copies[atom.arguments[0]];
    second = copying->copies[atom.arguments[1]];
    switch (atom.kind) {
    case ATOM_FLOOR:
        return expression_floor_assuming(to, expression_scale(to, first, (struct rational){1, atom.divisor}),
                                         &copying->assumption);
    case ATOM_MAX:
        return expression_max(to, first, second);
    case ATOM_MIN:
        return expression_min(to, first, second);
    case ATOM_EQUAL:
        return expression_equal(to, first, second);
    case ATOM_LOG:
    case ATOM_EXP:
    case ATOM_SIN:
    case ATOM_COS:
    case ATOM_TANH:
        return expression_apply(to, atom_opcode(atom.kind), first);
    default:
        return first;
    }
}

static expression
copy_one(const struct copying *copying, expression a)
{
    int32_t atom = copying->from->nodes[a].atom;

    return atom >= 0 ? copy_atom(copying, copying->from->atoms[atom]) : copy_sum(copying, a);
}

/* ---- symbols first, so that the assumption knows them ---- */

static int
copy_symbols(const struct copying *copying, expression a)
{
    for (expression e = 0; e <= a; e++) {
        int32_t atom = copying->from->nodes[e].atom;

        if (atom < 0 || copying->from->atoms[atom].kind != ATOM_SYMBOL ||
            !expression_depends_on(copying->from, a, (size_t)copying->from->atoms[atom].arguments[0]))
            continue;
        copying->copies[e] = copy_one(copying, e);
        if (copying->copies[e] < 0)
            return copying->copies[e];
    }
    return 0;
}

static int
set_assumption(struct copying *copying, const char *const *names, const int64_t *multiples, size_t count)
{
    struct expression_pool *to = copying->to;

    copying->multiples = memory_allocate(to->context, to->name_count * sizeof *copying->multiples);
    if (!copying->multiples)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < to->name_count; i++)
        copying->multiples[i] = 1;
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t symbol = expression_find_symbol(to, names[i]);

        if (multiples[i] <= 0)
            return context_error(to->context, MEMMODEL_ERROR_INVALID_ARGUMENT, names[i],
                                 "the number of which it is a multiple is not positive");
        if (symbol >= 0 &&
            !checked_common_multiple(copying->multiples[symbol], multiples[i], &copying->multiples[symbol]))
            return POOL_OVERFLOW(to);
    }
    copying->assumption = (struct assumption){copying->multiples, to->name_count};
    return 0;
}

/* ---- copy ---- */

static expression
copy_marked(const struct copying *copying, expression a)
{
    copying->marks[a] = 1;
    expression_mark(copying->from, a, copying->marks);
    for (expression e = 0; e <= a; e++) {
        if (copying->marks[e])
            copying->copies[e] = copy_one(copying, e);
        if (copying->copies[e] < 0)
            return copying->copies[e];
    }
    return copying->copies[a];
}

expression
expression_copy_assuming(const struct expression_pool *from, expression a, struct expression_pool *to,
                         const char *const *names, const int64_t *multiples, size_t count)
{
    struct copying copying = {.from = from, .to = to};
    expression result = MEMMODEL_ERROR_NO_MEMORY;

    if (a < 0)
        return a;
    copying.marks = memory_allocate_zeroed(to->context, (size_t)a + 1, 1);
    copying.copies = memory_allocate_zeroed(to->context, (size_t)a + 1, sizeof *copying.copies);
    if (copying.marks && copying.copies) {
        result = copy_symbols(&copying, a);
        if (result == 0)
            result = set_assumption(&copying, names, multiples, count);
        if (result == 0)
            result = copy_marked(&copying, a);
    }
    memory_release(to->context, copying.marks);
    memory_release(to->context, copying.copies);
    memory_release(to->context, copying.multiples);
    return result;
}

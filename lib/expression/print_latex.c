/* Expressions as a paper prints them. */
#include "expression/print.h"

#include <inttypes.h>

struct printer {
    const struct expression_pool *pool;
    struct text *out;
    struct expression_factor left_out; /* left out of every term; none of sums within terms */
};

static void
print_sum(const struct printer *printer, expression a);

/* One letter is a variable, a longer name a word. */
static void
print_name(const struct printer *printer, const char *name)
{
    if (!name[1]) {
        text_append(printer->out, name);
        return;
    }
    text_append(printer->out, "\\mathrm{");
    for (; *name; name++) {
        text_append(printer->out, *name == '_' ? "\\" : "");
        text_append_bytes(printer->out, name, 1);
    }
    text_append(printer->out, "}");
}

static void
print_call(const struct printer *printer, const struct atom *atom)
{
    static const char *const functions[] = {
        [ATOM_MAX] = "\\max", [ATOM_MIN] = "\\min", [ATOM_LOG] = "\\ln",    [ATOM_EXP] = "\\exp",
        [ATOM_SIN] = "\\sin", [ATOM_COS] = "\\cos", [ATOM_TANH] = "\\tanh", [ATOM_GROUP] = "",
    };

    text_printf(printer->out, "%s\\left(", functions[atom->kind]);
    print_sum(printer, atom->arguments[0]);
    if (atom->arguments[1] != atom->arguments[0]) {
        text_append(printer->out, ", ");
        print_sum(printer, atom->arguments[1]);
    }
    text_append(printer->out, "\\right)");
}

static void
print_floor(const struct printer *printer, const struct atom *atom)
{
    text_append(printer->out, "\\left\\lfloor ");
    if (atom->divisor != 1)
        text_append(printer->out, "\\frac{");
    print_sum(printer, atom->arguments[0]);
    if (atom->divisor != 1)
        text_printf(printer->out, "}{%" PRId64 "}", atom->divisor);
    text_append(printer->out, " \\right\\rfloor");
}

/* Iverson's bracket */
static void
print_equal(const struct printer *printer, const struct atom *atom)
{
    text_append(printer->out, "\\left[");
    print_sum(printer, atom->arguments[0]);
    text_append(printer->out, " = ");
    print_sum(printer, atom->arguments[1]);
    text_append(printer->out, "\\right]");
}

static void
print_atom(const struct printer *printer, const struct atom *atom)
{
    switch (atom->kind) {
    case ATOM_SYMBOL:
        print_name(printer, printer->pool->names[atom->arguments[0]]);
        break;
    case ATOM_EQUAL:
        print_equal(printer, atom);
        break;
    case ATOM_FLOOR:
        print_floor(printer, atom);
        break;
    default:
        print_call(printer, atom);
        break;
    }
}

/* What an exponent may follow: a function of a name and its parentheses is put into more of them. */
static void
print_base(const struct printer *printer, const struct atom *atom)
{
    bool wrapped = atom->kind == ATOM_MAX || atom->kind == ATOM_MIN || atom_is_transcendental(atom->kind);

    text_append(printer->out, wrapped ? "\\left(" : "");
    print_atom(printer, atom);
    text_append(printer->out, wrapped ? "\\right)" : "");
}

/* The factor's power without its sign. */
static void
print_power(const struct printer *printer, const struct factor *factor)
{
    const struct atom *atom = &printer->pool->atoms[factor->atom];
    int32_t size = factor->numerator < 0 ? -factor->numerator : factor->numerator;

    if (size == 1 && factor->denominator == 2) {
        text_append(printer->out, "\\sqrt{");
        if (atom->kind == ATOM_GROUP)
            print_sum(printer, atom->arguments[0]);
        else
            print_atom(printer, atom);
        text_append(printer->out, "}");
    } else if (size == 1 && factor->denominator == 1) {
        print_atom(printer, atom);
    } else {
        print_base(printer, atom);
        text_printf(printer->out, factor->denominator == 1 ? "^{%" PRId32 "}" : "^{%" PRId32 "/%" PRId32 "}", size,
                    factor->denominator);
    }
}

/* The factors with exponents of that sign; returns how many. */
static int
print_factors(const struct printer *printer, int32_t monomial, bool negative, bool first)
{
    int printed = 0;

    for (uint32_t i = 0; i < printer->pool->monomials[monomial].count; i++) {
        const struct factor *factor = &monomial_factors(printer->pool, monomial)[i];

        if ((factor->numerator < 0) != negative || factor_is(factor, printer->left_out) || !print_fits(printer->out))
            continue;
        text_append(printer->out, first && !printed ? "" : "\\, ");
        print_power(printer, factor);
        printed++;
    }
    return printed;
}

/* Without its sign; false if it is 1 and need not be written. */
static bool
print_coefficient(const struct printer *printer, struct rational value, bool needed)
{
    bool unit = value.denominator == 1 && (value.numerator == 1 || value.numerator == -1);

    if (unit && !needed)
        return false;
    if (!print_decimal_number(printer->out, value))
        text_printf(printer->out, "\\frac{%" PRIu64 "}{%" PRId64 "}", magnitude(value.numerator), value.denominator);
    return true;
}

static bool
has_power(const struct printer *printer, int32_t monomial, bool negative)
{
    for (uint32_t i = 0; i < printer->pool->monomials[monomial].count; i++) {
        const struct factor *factor = &monomial_factors(printer->pool, monomial)[i];

        if ((factor->numerator < 0) == negative && !factor_is(factor, printer->left_out))
            return true;
    }
    return false;
}

/* A sum alone below the line needs no parentheses. */
static void
print_below(const struct printer *printer, int32_t monomial)
{
    const struct factor *alone = NULL;
    int below = 0;

    for (uint32_t i = 0; i < printer->pool->monomials[monomial].count; i++) {
        const struct factor *factor = &monomial_factors(printer->pool, monomial)[i];

        if (factor->numerator > 0 || factor_is(factor, printer->left_out))
            continue;
        below++;
        alone = factor;
    }
    if (below == 1 && alone->numerator == -1 && alone->denominator == 1)
        print_sum(printer, printer->pool->atoms[alone->atom].self);
    else
        print_factors(printer, monomial, true, true);
}

static void
print_inverse(const struct printer *printer, const struct term *term)
{
    text_append(printer->out, "\\frac{");
    if (print_decimal_number(printer->out, term->coefficient)) {
        text_append(printer->out, "}{");
        print_below(printer, term->monomial);
    } else {
        text_printf(printer->out, "%" PRIu64 "}{%" PRId64, magnitude(term->coefficient.numerator),
                    term->coefficient.denominator);
        print_factors(printer, term->monomial, true, false);
    }
    text_append(printer->out, "}");
}

static void
print_fraction(const struct printer *printer, const struct term *term)
{
    if (print_coefficient(printer, term->coefficient, false))
        text_append(printer->out, "\\, ");
    text_append(printer->out, "\\frac{");
    print_factors(printer, term->monomial, false, true);
    text_append(printer->out, "}{");
    print_below(printer, term->monomial);
    text_append(printer->out, "}");
}

static void
print_term(const void *given, const struct term *term)
{
    const struct printer *printer = given;

    if (!has_power(printer, term->monomial, true))
        print_factors(printer, term->monomial, false,
                      !print_coefficient(printer, term->coefficient, !has_power(printer, term->monomial, false)));
    else if (has_power(printer, term->monomial, false))
        print_fraction(printer, term);
    else
        print_inverse(printer, term);
}

static void
print_terms(const struct printer *printer, expression a)
{
    if (printer->pool->nodes[a].count == 0)
        text_append(printer->out, "0");
    print_each(printer->pool, a, print_term, printer, printer->out);
}

static void
print_sum(const struct printer *printer, expression a)
{
    print_terms(&(struct printer){printer->pool, printer->out, no_factor}, a);
}

void
print_latex(const struct expression_pool *pool, expression a, struct expression_factor left_out, struct text *out)
{
    print_terms(&(struct printer){pool, out, left_out}, a);
}

void
print_latex_factor(const struct expression_pool *pool, struct expression_factor factor, struct text *out)
{
    const struct printer printer = {pool, out, no_factor};

    if (factor.numerator == -1 && factor.denominator == 1)
        print_sum(&printer, pool->atoms[factor.atom].self);
    else
        print_power(&printer, &(struct factor){factor.atom, factor.numerator, factor.denominator});
}

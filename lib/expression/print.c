/*
 * Expressions as text, C and Python. C and Python compute in the order of program.c, in doubles, so they give the
 * same bits. LaTeX is in print_latex.c.
 */
#include "expression/print.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

/* What differs between the languages; numbers end in ".0" where whole ones would be divided as integers. */
static const struct dialect {
    bool has_power_operator;
    const char *point, *floor, *max, *min, *equal, *equals, *root, *power;
    const char *cube_root; /* NULL: a power */
    bool is_sql;           /* names in quotes, every number with an exponent, choices written out */
    const char *functions[ATOM_TANH - ATOM_LOG + 1];
} dialects[] = {
    [EXPRESSION_TEXT] =
        {true, "", "floor", "max", "min", "equal", ", ", "sqrt", "", NULL, false, {"log", "exp", "sin", "cos", "tanh"}},
    [EXPRESSION_C] = {false,
                      ".0",
                      "floor",
                      "fmax",
                      "fmin",
                      "(double)",
                      " == ",
                      "sqrt",
                      "pow",
                      "cbrt",
                      false,
                      {"log", "exp", "sin", "cos", "tanh"}},
    [EXPRESSION_PYTHON] = {false,
                           ".0",
                           "math.floor",
                           "max",
                           "min",
                           "float",
                           " == ",
                           "math.sqrt",
                           "math.pow",
                           NULL,
                           false,
                           {"math.log", "math.exp", "math.sin", "math.cos", "math.tanh"}},
    [EXPRESSION_SQL] = {.point = "e0",
                        .floor = "floor",
                        .max = " >= ",
                        .min = " <= ",
                        .root = "sqrt",
                        .power = "power",
                        .is_sql = true,
                        .functions = {"ln", "exp", "sin", "cos", "tanh"}},
};

struct printer {
    const struct expression_pool *pool;
    const struct dialect *dialect;
    struct text *out;
    const double *lower, *upper;       /* limits of each symbol in SQL; NULL: none */
    struct expression_factor left_out; /* left out of every term; none of sums within terms */
};

static void
print_sum(const struct printer *printer, expression a);

bool
print_fits(struct text *out)
{
    if (out->failed || out->length <= PRINT_LIMIT)
        return !out->failed;
    context_error(out->context, MEMMODEL_ERROR_OVERFLOW, NULL, "an expression is longer than %d characters",
                  PRINT_LIMIT);
    out->failed = true;
    return false;
}

/* ---- numbers ---- */

/* Ten to the power of the decimals that 1 / denominator has; false if they do not end, or are too many to be exact. */
static bool
decimal_scale(int64_t denominator, int64_t *scale)
{
    int64_t rest = denominator, power = 1;

    while (rest % 10 == 0 || rest % 5 == 0 || rest % 2 == 0) {
        rest /= rest % 10 == 0 ? 10 : rest % 5 == 0 ? 5 : 2;
        if (!checked_multiply(power, 10, &power))
            return false;
    }
    *scale = power;
    return rest == 1;
}

/* numerator / denominator in decimals, if they are read back exactly, as a fraction and as a double */
static bool
print_decimals(struct text *out, uint64_t numerator, int64_t denominator)
{
    bool is_double = numerator <= (uint64_t)1 << DBL_MANT_DIG || (denominator & (denominator - 1)) == 0;
    int64_t scale, digits;

    if (!is_double || numerator > INT64_MAX || !decimal_scale(denominator, &scale) ||
        !checked_multiply((int64_t)numerator, scale / denominator, &digits))
        return false;
    text_append_unsigned(out, (uint64_t)(digits / scale));
    text_append(out, ".");
    for (digits %= scale; scale > 1; digits %= scale) {
        scale /= 10;
        text_append_unsigned(out, (uint64_t)(digits / scale));
    }
    return true;
}

bool
print_decimal_number(struct text *out, struct rational value)
{
    uint64_t size = magnitude(value.numerator);

    if (value.denominator == 1) {
        text_append_unsigned(out, size);
        return true;
    }
    return print_decimals(out, size, value.denominator);
}

/* As an approximate number of SQL, such as 3e0. */
static void
print_approximate(struct text *out, double number)
{
    size_t start = out->length;

    text_append_double(out, number);
    if (!out->failed && !strchr(out->bytes + start, 'e'))
        text_append(out, "e0");
}

/* Without its sign. */
static void
print_number(const struct printer *printer, struct rational value)
{
    uint64_t size = magnitude(value.numerator);

    if (!print_decimal_number(printer->out, value))
        text_printf(printer->out, "%" PRIu64 "%s/%" PRId64 "%s", size, printer->dialect->point, value.denominator,
                    printer->dialect->point);
    else if (value.denominator == 1 || printer->dialect->is_sql)
        text_append(printer->out, printer->dialect->point);
}

/* ---- atoms ---- */

/* "name" moved into its limits */
static void
print_limited(const struct printer *printer, size_t symbol)
{
    const char *name = printer->pool->names[symbol];

    text_printf(printer->out, "(CASE WHEN \"%s\" < ", name);
    print_approximate(printer->out, printer->lower[symbol]);
    text_append(printer->out, " THEN ");
    print_approximate(printer->out, printer->lower[symbol]);
    text_printf(printer->out, " WHEN \"%s\" > ", name);
    print_approximate(printer->out, printer->upper[symbol]);
    text_append(printer->out, " THEN ");
    print_approximate(printer->out, printer->upper[symbol]);
    text_printf(printer->out, " ELSE \"%s\" END)", name);
}

/* In C and Python a name has no '.'. */
static void
print_name(const struct printer *printer, const char *name)
{
    const char *dot = printer->dialect->has_power_operator ? NULL : strchr(name, '.');

    text_append(printer->out, printer->dialect->is_sql ? "\"" : "");
    for (; dot; name = dot + 1, dot = strchr(name, '.')) {
        text_append_bytes(printer->out, name, (size_t)(dot - name));
        text_append(printer->out, "_");
    }
    text_append(printer->out, name);
    text_append(printer->out, printer->dialect->is_sql ? "\"" : "");
}

static void
print_call(const struct printer *printer, const char *function, expression first, const char *between,
           expression second)
{
    text_printf(printer->out, "%s(", function);
    print_sum(printer, first);
    if (second >= 0) {
        text_append(printer->out, between);
        print_sum(printer, second);
    }
    text_append(printer->out, ")");
}

/* In parentheses, unless it is one term: as such it can stand before a division. */
static void
print_operand(const struct printer *printer, expression a)
{
    bool one_term = printer->pool->nodes[a].count == 1;

    text_append(printer->out, one_term ? "" : "(");
    print_sum(printer, a);
    text_append(printer->out, one_term ? "" : ")");
}

static void
print_floor(const struct printer *printer, const struct atom *atom)
{
    text_printf(printer->out, "%s(", printer->dialect->floor);
    if (atom->divisor == 1) {
        print_sum(printer, atom->arguments[0]);
    } else {
        print_operand(printer, atom->arguments[0]);
        text_append(printer->out, "/");
        print_number(printer, rational_integer(atom->divisor));
    }
    text_append(printer->out, ")");
}

/* SQL has no function for it that all its dialects know. */
static void
print_choice(const struct printer *printer, const char *comparison, const struct atom *atom)
{
    bool equal = atom->kind == ATOM_EQUAL;

    print_call(printer, "(CASE WHEN ", atom->arguments[0], equal ? " = " : comparison, atom->arguments[1]);
    text_append(printer->out, " THEN ");
    if (equal) {
        text_append(printer->out, "1e0 ELSE 0e0 END)");
        return;
    }
    print_call(printer, "", atom->arguments[0], "", -1);
    text_append(printer->out, " ELSE ");
    print_call(printer, "", atom->arguments[1], "", -1);
    text_append(printer->out, " END)");
}

static void
print_atom(const struct printer *printer, const struct atom *atom)
{
    const struct dialect *dialect = printer->dialect;
    bool choice = atom->kind == ATOM_MAX || atom->kind == ATOM_MIN || atom->kind == ATOM_EQUAL;

    if (dialect->is_sql && choice) {
        print_choice(printer, atom->kind == ATOM_MAX ? dialect->max : dialect->min, atom);
        return;
    }
    switch (atom->kind) {
    case ATOM_SYMBOL:
        if (printer->lower)
            print_limited(printer, (size_t)atom->arguments[0]);
        else
            print_name(printer, printer->pool->names[atom->arguments[0]]);
        break;
    case ATOM_FLOOR:
        print_floor(printer, atom);
        break;
    case ATOM_MAX:
        print_call(printer, dialect->max, atom->arguments[0], ", ", atom->arguments[1]);
        break;
    case ATOM_MIN:
        print_call(printer, dialect->min, atom->arguments[0], ", ", atom->arguments[1]);
        break;
    case ATOM_EQUAL:
        print_call(printer, dialect->equal, atom->arguments[0], dialect->equals, atom->arguments[1]);
        break;
    case ATOM_LOG:
    case ATOM_EXP:
    case ATOM_SIN:
    case ATOM_COS:
    case ATOM_TANH:
        print_call(printer, dialect->functions[atom->kind - ATOM_LOG], atom->arguments[0], "", -1);
        break;
    case ATOM_GROUP:
        print_call(printer, "", atom->arguments[0], "", -1);
        break;
    }
}

/* ---- powers ---- */

static void
print_exponent(const struct printer *printer, int32_t size, int32_t denominator)
{
    text_printf(printer->out, denominator == 1 ? "^%" PRId32 : "^(%" PRId32 "/%" PRId32 ")", size, denominator);
}

static void
print_root(const struct printer *printer, const char *root, const struct atom *atom)
{
    text_printf(printer->out, "%s(", root);
    if (atom->kind == ATOM_GROUP)
        print_sum(printer, atom->arguments[0]);
    else
        print_atom(printer, atom);
    text_append(printer->out, ")");
}

/* pow(atom, size / denominator): the quotient is computed where the program computes it */
static void
print_power_call(const struct printer *printer, const struct atom *atom, int32_t size, int32_t denominator)
{
    text_printf(printer->out, "%s(", printer->dialect->power);
    print_atom(printer, atom);
    text_append(printer->out, ", ");
    print_number(printer, (struct rational){size, denominator});
    text_append(printer->out, ")");
}

static void
print_part(const struct printer *printer, enum power_kind kind, const struct factor *factor)
{
    const struct atom *atom = &printer->pool->atoms[factor->atom];
    int32_t size = factor->numerator < 0 ? -factor->numerator : factor->numerator;

    switch (kind) {
    case POWER_WHOLE:
        print_atom(printer, atom);
        break;
    case POWER_ROOT:
        print_root(printer, printer->dialect->root, atom);
        break;
    case POWER_CUBE_ROOT:
        if (printer->dialect->cube_root)
            print_root(printer, printer->dialect->cube_root, atom);
        else
            print_power_call(printer, atom, 1, 3);
        break;
    case POWER_FOURTH_ROOT:
        text_printf(printer->out, "%s(", printer->dialect->root);
        print_root(printer, printer->dialect->root, atom);
        text_append(printer->out, ")");
        break;
    case POWER_GENERAL:
        print_power_call(printer, atom, size, factor->denominator);
        break;
    }
}

/* The factor's power without its sign, as it is computed; `between` joins what is multiplied. */
static void
print_parts(const struct printer *printer, const struct factor *factor, const char *between)
{
    struct power_part parts[POWER_PARTS];
    size_t count = factor_parts(factor, parts);

    for (size_t i = 0; i < count; i++)
        for (int32_t repeat = 0; repeat < parts[i].count && print_fits(printer->out); repeat++) {
            text_append(printer->out, i || repeat ? between : "");
            print_part(printer, parts[i].kind, factor);
        }
}

/* The same as a person writes it, where the language has an operator for powers. */
static void
print_power(const struct printer *printer, const struct factor *factor, const char *between)
{
    const struct atom *atom = &printer->pool->atoms[factor->atom];
    int32_t size = factor->numerator < 0 ? -factor->numerator : factor->numerator;

    if (!printer->dialect->has_power_operator) {
        print_parts(printer, factor, between);
    } else if (size == 1 && factor->denominator == 2) {
        print_root(printer, printer->dialect->root, atom);
    } else {
        print_atom(printer, atom);
        if (size != 1 || factor->denominator != 1)
            print_exponent(printer, size, factor->denominator);
    }
}

/* ---- sums ---- */

/* Without the coefficient's sign. */
static void
print_term(const void *given, const struct term *term)
{
    const struct printer *printer = given;
    const struct monomial *monomial = &printer->pool->monomials[term->monomial];
    const struct factor *factors = monomial_factors(printer->pool, term->monomial);
    bool unit =
        term->coefficient.denominator == 1 && (term->coefficient.numerator == 1 || term->coefficient.numerator == -1);
    uint32_t first = monomial->count && factor_is(&factors[0], printer->left_out);
    bool bare = unit && first < monomial->count && factors[first].numerator > 0;

    if (!bare)
        print_number(printer, term->coefficient);
    for (uint32_t i = 0; i < monomial->count; i++) {
        const char *between = factors[i].numerator < 0 ? "/" : "*";

        if (factor_is(&factors[i], printer->left_out))
            continue;
        text_append(printer->out, bare && i == first ? "" : between);
        print_power(printer, &factors[i], between);
    }
}

void
print_each(const struct expression_pool *pool, expression a, print_one print, const void *printer, struct text *out)
{
    const struct term *terms = node_terms(pool, a);

    for (uint32_t i = 0; i < pool->nodes[a].count && print_fits(out); i++) {
        bool negative = terms[i].coefficient.numerator < 0;

        if (i)
            text_append(out, negative ? " - " : " + ");
        else if (negative)
            text_append(out, "-");
        print(printer, &terms[i]);
    }
}

static void
print_terms(const struct printer *printer, expression a)
{
    if (printer->pool->nodes[a].count == 0)
        print_number(printer, rational_integer(0));
    print_each(printer->pool, a, print_term, printer, printer->out);
}

static void
print_sum(const struct printer *printer, expression a)
{
    struct printer within = *printer;

    within.left_out = no_factor;
    print_terms(&within, a);
}

void
expression_print_without(const struct expression_pool *pool, expression a, struct expression_factor left_out,
                         enum expression_language language, struct text *out)
{
    if (a < 0) {
        out->failed = true;
        return;
    }
    if (language == EXPRESSION_LATEX)
        print_latex(pool, a, left_out, out);
    else
        print_terms(&(struct printer){.pool = pool, .dialect = &dialects[language], .out = out, .left_out = left_out},
                    a);
}

void
expression_print(const struct expression_pool *pool, expression a, enum expression_language language, struct text *out)
{
    expression_print_without(pool, a, no_factor, language, out);
}

void
expression_print_factor(const struct expression_pool *pool, struct expression_factor factor,
                        enum expression_language language, struct text *out)
{
    if (language == EXPRESSION_LATEX)
        print_latex_factor(pool, factor, out);
    else
        print_power(&(struct printer){.pool = pool, .dialect = &dialects[language], .out = out, .left_out = no_factor},
                    &(struct factor){factor.atom, factor.numerator, factor.denominator}, "*");
}

static bool
all_have(const struct expression_pool *pool, expression a, struct expression_factor factor)
{
    for (uint32_t i = 0; i < pool->nodes[a].count; i++) {
        int32_t monomial = node_terms(pool, a)[i].monomial;
        bool has = false;

        for (uint32_t j = 0; j < pool->monomials[monomial].count; j++)
            has |= factor_is(&monomial_factors(pool, monomial)[j], factor);
        if (!has)
            return false;
    }
    return true;
}

struct expression_factor
expression_find_factor(const struct expression_pool *pool, expression a)
{
    int32_t first = pool->nodes[a].count > 0 ? node_terms(pool, a)[0].monomial : 0;

    for (uint32_t i = 0; i < pool->monomials[first].count; i++) {
        const struct factor *at = &monomial_factors(pool, first)[i];
        struct expression_factor factor = {at->atom, at->numerator, at->denominator};

        if (pool->atoms[at->atom].kind != ATOM_SYMBOL && all_have(pool, a, factor))
            return factor;
    }
    return no_factor;
}

void
expression_print_limited(const struct expression_pool *pool, expression a, const double *lower, const double *upper,
                         struct text *out)
{
    print_sum(&(struct printer){pool, &dialects[EXPRESSION_SQL], out, lower, upper, no_factor}, a);
}

/* Units: read from texts, and carried through expressions. */
#include "regression/prove/dimension.h"
#include "expression/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POWER = 12 };

static const double same_power = 1e-9;

bool
dimension_is_number(const struct dimension *dimension)
{
    static const struct dimension number;

    return dimension_equal(dimension, &number);
}

bool
dimension_equal(const struct dimension *a, const struct dimension *b)
{
    for (size_t i = 0; i < DIMENSION_MAX; i++)
        if (fabs(a->powers[i] - b->powers[i]) > same_power)
            return false;
    return true;
}

/* ---- reading ---- */

static size_t
find_unit(struct base_units *units, const char *name, size_t length)
{
    for (size_t i = 0; i < units->count; i++)
        if (strncmp(units->names[i], name, length) == 0 && units->names[i][length] == 0)
            return i;
    if (units->count == DIMENSION_MAX || length >= DIMENSION_NAME)
        return DIMENSION_MAX;
    memcpy(units->names[units->count], name, length);
    return units->count++;
}

/* Reads "^2" or nothing; false if there is no number from -12 to 12 behind the "^". */
static bool
read_power(const char **text, double *power)
{
    char *end;

    *power = 1;
    if (**text != '^')
        return true;
    *power = strtod(*text + 1, &end);
    if (end == *text + 1 || !(fabs(*power) <= MAX_POWER))
        return false;
    *text = end;
    return true;
}

static const char *
read_factor(struct base_units *units, const char **text, double sign, struct dimension *dimension)
{
    size_t length = strcspn(*text, "*/^ ()"), unit;
    bool is_one = length == 1 && **text == '1';
    const char *name = *text;
    double power;

    if (length == 0 || (!is_one && (**text >= '0' && **text <= '9')))
        return "a unit is a product such as B, m/s^2 or 1/s";
    *text += length;
    if (!read_power(text, &power))
        return "a power in a unit is a number from -12 to 12, such as m^2";
    if (is_one)
        return NULL;
    unit = find_unit(units, name, length);
    if (unit == DIMENSION_MAX)
        return "there are at most 16 base units, with names of at most 15 letters";
    dimension->powers[unit] += sign * power;
    return NULL;
}

bool
dimension_parse(struct base_units *units, const char *text, struct dimension *dimension, const char **wrong)
{
    double sign = 1;

    *dimension = (struct dimension){.powers = {0}};
    for (;; text++) {
        *wrong = read_factor(units, &text, sign, dimension);
        if (*wrong)
            return false;
        if (*text == 0)
            return true;
        *wrong = "a unit's factors stand between * and /";
        if (*text != '*' && *text != '/')
            return false;
        sign = *text == '*' ? 1 : -1;
    }
}

/* ---- expressions ---- */

void
measure_multiply(struct measure *measure, const struct measure *other, double power)
{
    for (size_t i = 0; i < DIMENSION_MAX; i++)
        measure->dimension.powers[i] += power * other->dimension.powers[i];
    measure->any &= other->any;
}

bool
measure_unite(struct measure *a, const struct measure *b)
{
    if (b->any)
        return true;
    if (a->any)
        *a = *b;
    return dimension_equal(&a->dimension, &b->dimension);
}

struct measuring {
    const struct expression_pool *pool;
    const struct dimension *symbols;
};

static bool
measure(const struct measuring *measuring, expression a, struct measure *result);

static bool
measure_atom(const struct measuring *measuring, const struct atom *atom, struct measure *result)
{
    static const struct dimension number;
    struct measure other;

    if (atom->kind == ATOM_SYMBOL) {
        *result = (struct measure){false, measuring->symbols[atom->arguments[0]]};
        return true;
    }
    if (!measure(measuring, atom->arguments[0], result))
        return false;
    switch (atom->kind) {
    case ATOM_LOG:
    case ATOM_EXP:
    case ATOM_SIN:
    case ATOM_COS:
    case ATOM_TANH:
        if (!result->any && !dimension_is_number(&result->dimension))
            return false;
        break;
    case ATOM_MAX:
    case ATOM_MIN:
    case ATOM_EQUAL:
        if (!measure(measuring, atom->arguments[1], &other) || !measure_unite(result, &other))
            return false;
        break;
    default:
        return true;
    }
    if (atom_is_transcendental(atom->kind) || atom->kind == ATOM_EQUAL)
        *result = (struct measure){false, number};
    return true;
}

static bool
measure_term(const struct measuring *measuring, const struct term *term, struct measure *result)
{
    const struct expression_pool *pool = measuring->pool;

    *result = (struct measure){.any = true};
    for (uint32_t j = 0; j < pool->monomials[term->monomial].count; j++) {
        const struct factor *factor = &monomial_factors(pool, term->monomial)[j];
        struct measure of;

        if (!measure_atom(measuring, &pool->atoms[factor->atom], &of))
            return false;
        measure_multiply(result, &of, (double)factor->numerator / (double)factor->denominator);
    }
    return true;
}

static bool
measure(const struct measuring *measuring, expression a, struct measure *result)
{
    const struct expression_pool *pool = measuring->pool;

    if (pool->nodes[a].atom >= 0 && pool->atoms[pool->nodes[a].atom].kind != ATOM_GROUP)
        return measure_atom(measuring, &pool->atoms[pool->nodes[a].atom], result);
    *result = (struct measure){.any = true};
    for (uint32_t i = 0; i < pool->nodes[a].count; i++) {
        struct measure term;

        if (!measure_term(measuring, &node_terms(pool, a)[i], &term) || !measure_unite(result, &term))
            return false;
    }
    return true;
}

bool
dimension_of(const struct expression_pool *pool, expression a, const struct dimension *symbols,
             struct dimension *dimension)
{
    const struct measuring measuring = {pool, symbols};
    struct measure result;

    if (!measure(&measuring, a, &result))
        return false;
    *dimension = result.dimension;
    return true;
}

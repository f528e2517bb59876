/* Formulas as people write them. */
#include "regression/search/simplify.h"
#include "regression/linear/decimal.h"

#include <math.h>
#include <string.h>

enum { STEPS = 12, EXACT_STEPS = 40 };

static const double exact = 1e-25;         /* share of the target's square that rounding may leave */
static const double same_fraction = 1e-10; /* relative difference of a number and a fraction that it may be */

struct plain {
    struct fitter *fitter;
    struct formula *formula;
    double most; /* error */
};

/* ---- what can be done without ---- */

/* The node of two operands becomes the first or the second of them; what is divided by becomes its inverse. */
static void
keep_operand(struct tree *tree, size_t node, bool second)
{
    size_t sizes[TREE_MAX_NODES], middle;
    struct tree_gene genes[TREE_MAX_NODES];
    size_t begin, count;

    tree_measure(tree, sizes);
    middle = tree_first_operand(sizes, node) + 1;
    begin = second ? middle : node + 1 - sizes[node];
    count = (second ? node : middle) - begin;
    memcpy(genes, tree->genes + begin, count * sizeof *genes);
    if (second && tree->genes[node].operation == TREE_DIVIDE)
        genes[count++] = (struct tree_gene){.operation = TREE_INVERSE};
    tree_replace(tree, node + 1 - sizes[node], node + 1, genes, count);
}

/* Takes the formula, with numbers fitted, if its error is small enough. */
static bool
take(const struct plain *plain, struct formula *formula)
{
    if (!formula_fit(plain->fitter, formula, STEPS) || formula->error > plain->most)
        return false;
    *plain->formula = *formula;
    return true;
}

/* Sine and cosine differ by a number that is added to what they are of. */
static bool
take_other_wave(const struct plain *plain, struct formula *formula, size_t k, size_t node)
{
    struct tree_gene *gene = &formula->trees[k].genes[node];

    if (node >= formula->trees[k].count || (gene->operation != TREE_SIN && gene->operation != TREE_COS))
        return false;
    gene->operation = gene->operation == TREE_SIN ? TREE_COS : TREE_SIN;
    return take(plain, formula);
}

/* Without a factor of one term the others, and the coefficient, are that much less. */
static bool
take_divided(const struct plain *plain, struct formula *formula, size_t k, double factor)
{
    for (size_t i = 0; i < formula->trees[k].count; i++)
        if (formula->trees[k].genes[i].operation == TREE_NUMBER)
            formula->trees[k].genes[i].number /= factor;
    return factor != 0 && take(plain, formula);
}

/* The number that goes if the other operand stays; 0 if it is none, or no factor. */
static double
factor_of(const struct tree *tree, size_t node, bool second)
{
    size_t sizes[TREE_MAX_NODES], gone;

    tree_measure(tree, sizes);
    gone = second ? tree_first_operand(sizes, node) : node - 1;
    if (tree->genes[node].operation != TREE_MULTIPLY || tree->genes[gone].operation != TREE_NUMBER)
        return 0;
    return tree->genes[gone].number;
}

static bool
simplify_node(const struct plain *plain, size_t k, size_t node)
{
    for (int second = 0; second < 2; second++) {
        struct formula less = *plain->formula, other;
        size_t before = less.trees[k].count;
        double factor = factor_of(&less.trees[k], node, second);

        keep_operand(&less.trees[k], node, second);
        other = less;
        if (take(plain, &less) || take_divided(plain, &other, k, factor) ||
            take_other_wave(plain, &less, k, node + 1 + less.trees[k].count - before))
            return true;
    }
    return false;
}

static bool
simplify_sum(const struct plain *plain, size_t k)
{
    struct formula less = *plain->formula;

    memmove(&less.trees[k], &less.trees[k + 1], (--less.count - k) * sizeof *less.trees);
    return less.count > 0 && take(plain, &less);
}

/* One term or one node less; false if all are needed. The largest parts come first. */
static bool
simplify(const struct plain *plain)
{
    for (size_t k = plain->formula->count; k-- > 0;)
        if (simplify_sum(plain, k))
            return true;
    for (size_t k = 0; k < plain->formula->count; k++)
        for (size_t node = plain->formula->trees[k].count; node-- > 0;)
            if (tree_operands(plain->formula->trees[k].genes[node].operation) == 2 && simplify_node(plain, k, node))
                return true;
    return false;
}

/* ---- digits ---- */

/* Whether the number may be that; those that were not held follow, this one is. */
static bool
take_number(const struct plain *plain, size_t k, size_t node, double number)
{
    struct formula formula = *plain->formula;

    formula.trees[k].genes[node].number = number;
    formula.trees[k].genes[node].held = true;
    return take(plain, &formula);
}

static bool
take_fraction(const struct plain *plain, size_t k, size_t node)
{
    double number = plain->formula->trees[k].genes[node].number;

    for (int64_t below = 2; below <= TREE_FRACTION && fabs(number) * (double)below < TREE_FRACTION + 1; below++) {
        double fraction = nearbyint(number * (double)below) / (double)below;

        if (fabs(fraction - number) <= same_fraction * fabs(number))
            return take_number(plain, k, node, fraction);
    }
    return false;
}

static bool
take_digits(const struct plain *plain, size_t k, size_t node, int first, int end)
{
    double number = plain->formula->trees[k].genes[node].number;

    for (int digits = first; digits < end; digits++)
        if (take_number(plain, k, node, digits == 0 ? 0 : decimal_rounded(number, digits)))
            return true;
    return false;
}

/* Makes that number as it wants it, and holds it, if it can. */
typedef bool (*taker)(const struct plain *plain, size_t k, size_t node);

static bool
take_short(const struct plain *plain, size_t k, size_t node)
{
    return take_digits(plain, k, node, 0, TREE_DIGITS);
}

static bool
take_long(const struct plain *plain, size_t k, size_t node)
{
    return take_digits(plain, k, node, TREE_DIGITS, TREE_MAX_DIGITS);
}

static void
take_all(const struct plain *plain, taker take_it)
{
    for (size_t k = 0; k < plain->formula->count; k++)
        for (size_t i = 0; i < plain->formula->trees[k].count; i++) {
            const struct tree_gene *gene = &plain->formula->trees[k].genes[i];

            if (gene->operation == TREE_NUMBER && !gene->held)
                take_it(plain, k, i);
        }
}

static void
release_all(struct formula *formula)
{
    for (size_t k = 0; k < formula->count; k++)
        for (size_t i = 0; i < formula->trees[k].count; i++)
            formula->trees[k].genes[i].held = false;
}

/* ---- the whole ---- */

/* Whether its numbers can be fitted until nothing but rounding is left; the error, if so, is the aim's floor. */
static bool
meets_all_rows(struct fitter *fitter, struct formula *formula, struct aim *strict)
{
    double squares = 0;

    for (size_t i = 0; i < fitter->machine.rows; i++)
        squares += (strict->target[i] * strict->sqrt_weights[i]) * (strict->target[i] * strict->sqrt_weights[i]);
    strict->floor = exact * squares;
    fitter->aim = strict;
    return formula_fit(fitter, formula, EXACT_STEPS) && !(formula->error > strict->floor);
}

static bool
round_all(struct formula *formula, int digits)
{
    for (size_t k = 0; k < formula->count; k++)
        if (!tree_round_numbers(&formula->trees[k], digits))
            return false;
    return true;
}

/*
 * What can be short is before the others are held: of numbers that nearly do the same it is the one that people
 * wrote.
 */
static bool
make_plain(struct plain *plain, bool precise)
{
    while (simplify(plain))
        continue;
    take_all(plain, take_short);
    if (precise) {
        take_all(plain, take_fraction);
        take_all(plain, take_long);
    }
    release_all(plain->formula);
    return round_all(plain->formula, precise ? TREE_MAX_DIGITS : TREE_DIGITS) &&
           formula_fit_linear(plain->fitter, plain->formula);
}

bool
formula_simplify(struct fitter *fitter, double share, bool *precise, struct formula *formula)
{
    struct plain plain = {fitter, formula, 0};
    const struct aim *aim = fitter->aim;
    struct aim strict = *aim;
    struct formula fitted = *formula;
    bool made;

    if (!formula_fit_linear(fitter, formula))
        return false;
    plain.most = formula->error * (1 + share);
    *precise = *precise && meets_all_rows(fitter, &fitted, &strict);
    if (*precise) {
        *formula = fitted;
        plain.most = strict.floor;
    } else {
        fitter->aim = aim;
    }
    made = make_plain(&plain, *precise);
    fitter->aim = aim;
    return made && formula_fit_linear(fitter, formula);
}

/* Which trees a search may try. */
#include "regression/prove/structure.h"
#include "regression/search/tree.h"

/* ---- operations ---- */

static bool
is_wave(unsigned operation)
{
    return operation >= TREE_EXP && operation <= TREE_TANH;
}

bool
tree_has_operation(const struct structure *structure, unsigned operation)
{
    return !structure || !structure->integer_exponents ||
           !(operation == TREE_ROOT || operation == TREE_LOG || is_wave(operation));
}

static bool
has_waves_of_waves(const struct tree *tree)
{
    size_t sizes[TREE_MAX_NODES];

    tree_measure(tree, sizes);
    for (size_t i = 0; i < tree->count; i++)
        for (size_t j = i + 1 - sizes[i]; is_wave(tree->genes[i].operation) && j < i; j++)
            if (is_wave(tree->genes[j].operation))
                return true;
    return false;
}

/* ---- units, as dimension.c has them of expressions: numbers are pure where they multiply, of any where they add ---- */

struct measure {
    bool any;
    struct dimension dimension;
};

static struct measure
measure_leaf(const struct structure *structure, const struct tree_gene *gene)
{
    if (gene->operation == TREE_INPUT)
        return (struct measure){false, structure->inputs[gene->input]};
    return (struct measure){.any = true};
}

static void
add_powers(struct measure *to, const struct measure *of, double times)
{
    for (size_t i = 0; i < DIMENSION_MAX; i++)
        to->dimension.powers[i] += times * of->dimension.powers[i];
    to->any &= of->any;
}

static struct measure
power_of(const struct measure *of, double exponent)
{
    struct measure power = {.any = true};

    add_powers(&power, of, exponent);
    return power;
}

/* What the operation makes of measures; false if it joins unlike things. */
static bool
join(unsigned operation, const struct measure *first, const struct measure *second, struct measure *joined)
{
    struct measure a = *first, b = *second;

    switch (operation) {
    case TREE_MULTIPLY:
    case TREE_DIVIDE:
        add_powers(&a, &b, operation == TREE_MULTIPLY ? 1 : -1);
        *joined = a;
        return true;
    case TREE_SQUARE:
        *joined = power_of(&b, 2);
        return true;
    case TREE_ROOT:
        *joined = power_of(&b, 0.5);
        return true;
    case TREE_INVERSE:
        *joined = power_of(&b, -1);
        return true;
    default:
        break;
    }
    if (operation >= TREE_UNARY) {
        *joined = (struct measure){.any = false};
        return b.any || dimension_is_number(&b.dimension);
    }
    *joined = a.any ? b : a;
    return a.any || b.any || dimension_equal(&a.dimension, &b.dimension);
}

static bool
unit_fits(const struct structure *structure, const struct tree *tree)
{
    struct measure stack[TREE_MAX_NODES];
    size_t height = 0;

    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];
        size_t operands = tree_operands(gene->operation);

        if (operands == 0) {
            stack[height++] = measure_leaf(structure, gene);
            continue;
        }
        height -= operands - 1;
        if (!join(gene->operation, &stack[height - 1], &stack[height + operands - 2], &stack[height - 1]))
            return false;
    }
    return dimension_is_number(&stack[0].dimension) || dimension_equal(&stack[0].dimension, &structure->target);
}

bool
tree_is_allowed(const struct structure *structure, const struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        if (!tree_has_operation(structure, tree->genes[i].operation))
            return false;
    return !has_waves_of_waves(tree) && (!structure || !structure->has_units || unit_fits(structure, tree));
}

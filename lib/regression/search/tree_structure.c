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

static struct measure
measure_leaf(const struct structure *structure, const struct tree_gene *gene)
{
    if (gene->operation == TREE_INPUT)
        return (struct measure){false, structure->inputs[gene->input]};
    return (struct measure){.any = true};
}

/* What the operation makes of measures; false if it joins unlike things. */
static bool
join(unsigned operation, const struct measure *first, const struct measure *second, struct measure *joined)
{
    static const double powers[] = {
        [TREE_SQUARE - TREE_UNARY] = 2, [TREE_ROOT - TREE_UNARY] = 0.5, [TREE_INVERSE - TREE_UNARY] = -1};
    struct measure a = *first, b = *second;
    bool fits = true;

    if (operation == TREE_MULTIPLY || operation == TREE_DIVIDE) {
        measure_multiply(&a, &b, operation == TREE_MULTIPLY ? 1 : -1);
    } else if (operation < TREE_UNARY) {
        fits = measure_unite(&a, &b);
    } else if (operation <= TREE_INVERSE) {
        a = (struct measure){.any = true};
        measure_multiply(&a, &b, powers[operation - TREE_UNARY]);
    } else {
        a = (struct measure){.any = false};
        fits = b.any || dimension_is_number(&b.dimension);
    }
    *joined = a;
    return fits;
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

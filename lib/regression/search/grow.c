/* One number more in a formula. */
#include "regression/search/archive.h"

#include <math.h>
#include <string.h>

enum { STEPS = 12, POLISH_STEPS = 40, ROWS_PER_NUMBER = 3 };

/* What may become of a node u: u + number, or number * u, as a tree of its own at its place. */
static bool
put_number(struct tree *tree, size_t node, unsigned operation, double number)
{
    size_t sizes[TREE_MAX_NODES], first;
    struct tree_gene genes[TREE_MAX_NODES];

    if (tree->count + 2 > TREE_MAX_NODES)
        return false;
    tree_measure(tree, sizes);
    first = node + 1 - sizes[node];
    memcpy(genes, tree->genes + first, sizes[node] * sizeof *genes);
    genes[sizes[node]] = (struct tree_gene){.operation = TREE_NUMBER, .number = number};
    genes[sizes[node] + 1] = (struct tree_gene){.operation = (uint8_t)operation};
    return tree_replace(tree, first, node + 1, genes, sizes[node] + 2);
}

/* A number's usual size at that node: the mean size of the node's values. */
static double
usual_size(struct fitter *fitter, const struct tree *tree, size_t node)
{
    double sum = 0;

    tree_run(&fitter->machine, tree);
    for (size_t i = 0; i < fitter->machine.rows; i++)
        sum += fabs(fitter->machine.columns[node][i]);
    return sum / (double)fitter->machine.rows;
}

static void
try_number(struct fitter *fitter, const struct formula *formula, size_t k, size_t node, unsigned operation,
           double number, struct formula *best, struct archive *archive)
{
    struct formula grown = *formula;

    if (!put_number(&grown.trees[k], node, operation, number) || !formula_fit(fitter, &grown, STEPS))
        return;
    archive_offer(archive, &grown);
    if (grown.error < best->error)
        *best = grown;
}

/* The operation that a node is an operand of; TREE_LEAF for the root. */
static unsigned
parent_of(const struct tree *tree, const size_t *sizes, size_t node)
{
    for (size_t i = node + 1; i < tree->count; i++)
        if (tree_operands(tree->genes[i].operation) > 0 &&
            (i == node + 1 || (tree_operands(tree->genes[i].operation) > 1 && tree_first_operand(sizes, i) == node)))
            return tree->genes[i].operation;
    return TREE_LEAF;
}

static void
try_node(struct fitter *fitter, const struct formula *formula, size_t k, size_t node, struct formula *best,
         struct archive *archive)
{
    const struct tree *tree = &formula->trees[k];
    size_t sizes[TREE_MAX_NODES];
    unsigned parent, own = tree->genes[node].operation;
    double size;

    tree_measure(tree, sizes);
    parent = parent_of(tree, sizes, node);
    if (own == TREE_NUMBER || parent == TREE_LEAF)
        return;
    if (parent != TREE_ADD && parent != TREE_SUBTRACT && own != TREE_MULTIPLY) {
        size = usual_size(fitter, tree, node);
        try_number(fitter, formula, k, node, TREE_ADD, 0.1 * size, best, archive);
        try_number(fitter, formula, k, node, TREE_ADD, size, best, archive);
    }
    if (parent == TREE_ADD || parent == TREE_SUBTRACT || parent == TREE_MIN || parent == TREE_MAX)
        try_number(fitter, formula, k, node, TREE_MULTIPLY, 1, best, archive);
}

/* Tries a number at each place of the formula; the best of these becomes it. false if none is better. */
static bool
grow(struct fitter *fitter, struct formula *formula, struct archive *archive)
{
    struct formula best = *formula;

    if ((formula_count_numbers(formula) + formula->count + 2) * ROWS_PER_NUMBER > fitter->aim->used ||
        formula_count_numbers(formula) == FORMULA_MAX_NUMBERS)
        return false;
    for (size_t k = 0; k < formula->count; k++)
        for (size_t node = 0; node < formula->trees[k].count && fitter_may_go_on(fitter); node++)
            try_node(fitter, formula, k, node, &best, archive);
    if (!(best.error < formula->error))
        return false;
    *formula = best;
    return true;
}

void
archive_polish(struct fitter *fitter, size_t numbers, struct archive *archive)
{
    for (size_t i = 0; i <= ARCHIVE_MAX_NODES && fitter_may_go_on(fitter); i++) {
        struct formula formula = archive->formulas[i];

        if (formula.count == 0)
            continue;
        if (formula_count_numbers(&formula) > 0 && formula_fit(fitter, &formula, POLISH_STEPS))
            archive_offer(archive, &formula);
        for (size_t k = 0; k < numbers && grow(fitter, &formula, archive); k++)
            continue;
    }
}

/* Trees in postfix order. */
#include "regression/search/tree.h"
#include "regression/linear/decimal.h"

#include <math.h>
#include <string.h>

void
tree_measure(const struct tree *tree, size_t *sizes)
{
    for (size_t i = 0; i < tree->count; i++) {
        size_t operands = tree_operands(tree->genes[i].operation);

        sizes[i] = 1;
        if (operands > 0)
            sizes[i] += sizes[i - 1];
        if (operands > 1)
            sizes[i] += sizes[tree_first_operand(sizes, i)];
    }
}

struct tree
tree_input(size_t input)
{
    return (struct tree){.count = 1, .genes = {{.operation = TREE_INPUT, .input = (uint8_t)input}}};
}

struct tree
tree_number(double number)
{
    return (struct tree){.count = 1, .genes = {{.operation = TREE_NUMBER, .number = number}}};
}

bool
tree_join(struct tree *joined, unsigned operation, const struct tree *first, const struct tree *second)
{
    size_t count = first->count + (second ? second->count : 0) + 1;
    struct tree made;

    if (count > TREE_MAX_NODES)
        return false;
    made.count = count;
    memcpy(made.genes, first->genes, first->count * sizeof *made.genes);
    if (second)
        memcpy(made.genes + first->count, second->genes, second->count * sizeof *made.genes);
    made.genes[count - 1] = (struct tree_gene){.operation = (uint8_t)operation};
    *joined = made;
    return true;
}

bool
tree_replace(struct tree *tree, size_t first, size_t end, const struct tree_gene *other, size_t count)
{
    struct tree_gene copy[TREE_MAX_NODES];

    if (tree->count - (end - first) + count > TREE_MAX_NODES)
        return false;
    memcpy(copy, other, count * sizeof *copy);
    memmove(tree->genes + first + count, tree->genes + end, (tree->count - end) * sizeof *tree->genes);
    memcpy(tree->genes + first, copy, count * sizeof *copy);
    tree->count += count - (end - first);
    return true;
}

size_t
tree_count_numbers(const struct tree *tree)
{
    size_t count = 0;

    for (size_t i = 0; i < tree->count; i++)
        count += tree->genes[i].operation == TREE_NUMBER;
    return count;
}

/* ---- into formulas ---- */

static const double max_number = 1e15, smallest_number = 1e-9;

/* Whether it is a fraction of small whole numbers. */
static bool
split_fraction(double number, int64_t *above, int64_t *below)
{
    for (*below = 1; *below <= TREE_FRACTION; ++*below) {
        double whole = nearbyint(number * (double)*below);

        if (fabs(whole) > TREE_FRACTION)
            return false;
        *above = (int64_t)whole;
        if (whole / (double)*below == number)
            return true;
    }
    return false;
}

bool
tree_round_numbers(struct tree *tree, int digits)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_gene *gene = &tree->genes[i];
        int64_t above, below;
        struct rational exact;

        if (gene->operation != TREE_NUMBER || split_fraction(gene->number, &above, &below))
            continue;
        if (!(fabs(gene->number) < max_number && fabs(gene->number) > smallest_number) ||
            !decimal_near(gene->number, digits, &exact))
            return false;
        gene->number = (double)exact.numerator / (double)exact.denominator;
    }
    return true;
}

static expression
express_number(struct expression_pool *pool, double number)
{
    struct rational exact;

    if (!split_fraction(number, &exact.numerator, &exact.denominator) && !decimal_exact(number, &exact))
        return MEMMODEL_ERROR_OVERFLOW;
    return expression_rational(pool, exact.numerator, exact.denominator);
}

static expression
express_operation(struct expression_pool *pool, unsigned operation, expression a, expression b)
{
    switch (operation) {
    case TREE_ADD:
        return expression_add(pool, a, b);
    case TREE_SUBTRACT:
        return expression_subtract(pool, a, b);
    case TREE_MULTIPLY:
        return expression_multiply(pool, a, b);
    case TREE_DIVIDE:
        return expression_divide(pool, a, b);
    case TREE_MIN:
        return expression_min(pool, a, b);
    case TREE_MAX:
        return expression_max(pool, a, b);
    case TREE_SQUARE:
        return expression_power(pool, b, 2, 1);
    case TREE_ROOT:
        return expression_power(pool, b, 1, 2);
    case TREE_INVERSE:
        return expression_power(pool, b, -1, 1);
    default:
        return expression_apply(pool, tree_opcode(operation), b);
    }
}

static expression
express_leaf(struct expression_pool *pool, const struct tree_gene *gene)
{
    if (gene->operation == TREE_NUMBER)
        return express_number(pool, gene->number);
    return expression_symbol(pool, expression_symbol_name(pool, gene->input));
}

expression
tree_express(const struct tree *tree, struct expression_pool *pool)
{
    expression stack[TREE_MAX_NODES];
    size_t height = 0;

    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];
        size_t operands = tree_operands(gene->operation);

        if (operands == 0) {
            stack[height++] = express_leaf(pool, gene);
            continue;
        }
        height -= operands - 1;
        stack[height - 1] = express_operation(pool, gene->operation, stack[height - 1], stack[height + operands - 2]);
    }
    return stack[0];
}

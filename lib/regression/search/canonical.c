/* The canonical form of a tree: bottom up, every operation on operands that have theirs. */
#include "regression/search/tree.h"

#include "base/splitmix.h"

#include <string.h>

static unsigned
root_of(const struct tree *tree)
{
    return tree->genes[tree->count - 1].operation;
}

static struct tree
operand_of(const struct tree *tree, bool second)
{
    size_t sizes[TREE_MAX_NODES], root = tree->count - 1, middle;
    struct tree operand;

    tree_measure(tree, sizes);
    middle = root - sizes[root - 1];
    operand.count = second ? root - middle : middle;
    memcpy(operand.genes, tree->genes + (second ? middle : 0), operand.count * sizeof *operand.genes);
    return operand;
}

static bool
is_alike(const struct tree *a, const struct tree *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++)
        if (a->genes[i].operation != b->genes[i].operation || a->genes[i].input != b->genes[i].input ||
            a->genes[i].operation == TREE_NUMBER)
            return false;
    return a->count == b->count;
}

/* Short ones first. */
static uint64_t
order_of(const struct tree *tree)
{
    uint64_t order = 1;

    for (size_t i = 0; i < tree->count; i++)
        order = splitmix(order * 31 + (uint64_t)(tree->genes[i].operation * 256 + tree->genes[i].input));
    return order >> 8 | (uint64_t)tree->count << 56;
}

/* What undoes it; TREE_LEAF: nothing. */
static unsigned
inverse_of(unsigned operation)
{
    static const uint8_t inverses[] = {TREE_SUBTRACT, TREE_ADD, TREE_DIVIDE, TREE_MULTIPLY};

    return operation < sizeof inverses ? inverses[operation] : TREE_LEAF;
}

static bool
is_commutative(unsigned operation)
{
    return operation != TREE_SUBTRACT && operation != TREE_DIVIDE;
}

/* What the operation makes of two that are alike. */
static bool
join_alike(unsigned operation, const struct tree *of, struct tree *joined)
{
    const struct tree two = tree_number(2);

    *joined = operation == TREE_SUBTRACT ? tree_number(0) : operation == TREE_DIVIDE ? tree_number(1) : *of;
    return operation == TREE_ADD        ? tree_join(joined, TREE_MULTIPLY, of, &two)
           : operation == TREE_MULTIPLY ? tree_join(joined, TREE_SQUARE, of, NULL)
                                        : true;
}

static double
calculate(unsigned operation, double a, double b)
{
    return operation == TREE_ADD        ? a + b
           : operation == TREE_SUBTRACT ? a - b
           : operation == TREE_MULTIPLY ? a * b
           : operation == TREE_DIVIDE   ? a / b
                                        : a;
}

/* (x - 2) + 3 is x - (2 - 3), and (2 - x) + 3 is (2 + 3) - x. */
static bool
join_numbers(unsigned operation, const struct tree *first, double number, struct tree *joined)
{
    unsigned root = root_of(first);
    size_t right = first->count - 2;
    bool same = root == operation;

    if (inverse_of(operation) == TREE_LEAF || (!same && root != inverse_of(operation)))
        return false;
    *joined = *first;
    if (first->genes[right].operation == TREE_NUMBER)
        joined->genes[right].number = calculate(operation < TREE_MULTIPLY ? (same ? TREE_ADD : TREE_SUBTRACT)
                                                                          : (same ? TREE_MULTIPLY : TREE_DIVIDE),
                                                first->genes[right].number, number);
    else if (first->genes[0].operation == TREE_NUMBER && first->count == 2 + operand_of(first, true).count)
        joined->genes[0].number = calculate(operation, first->genes[0].number, number);
    else
        return false;
    return true;
}

/* x - y + y, x * y / y and so on are x. */
static bool
join_undone(unsigned operation, const struct tree *first, const struct tree *second, struct tree *joined)
{
    struct tree left, right;

    if (tree_operands(root_of(first)) < 2)
        return false;
    if (root_of(second) == TREE_NUMBER)
        return join_numbers(operation, first, second->genes[0].number, joined);
    if (root_of(first) != inverse_of(operation))
        return false;
    left = operand_of(first, false);
    right = operand_of(first, true);
    if (is_alike(&right, second))
        *joined = left;
    else if (is_commutative(root_of(first)) && is_alike(&left, second))
        *joined = right;
    else
        return false;
    return true;
}

/* x * y * y is x * y ^ 2, and so with what is divided by. */
static bool
join_powers(unsigned operation, const struct tree *first, const struct tree *second, struct tree *joined)
{
    struct tree left, right, square;

    if (root_of(first) != operation || (operation != TREE_MULTIPLY && operation != TREE_DIVIDE) ||
        !tree_join(&square, TREE_SQUARE, second, NULL))
        return false;
    left = operand_of(first, false);
    right = operand_of(first, true);
    if (is_alike(&right, second))
        return tree_join(joined, operation, &left, &square);
    return operation == TREE_MULTIPLY && is_alike(&left, second) && tree_join(joined, operation, &right, &square);
}

/* Two operands in their form, the number or the shorter one first where they may change places. */
static bool
join_two(unsigned operation, const struct tree *first, const struct tree *second, struct tree *joined)
{
    bool sorted = !is_commutative(operation) || order_of(first) <= order_of(second);

    if (root_of(first) == TREE_NUMBER && root_of(second) == TREE_NUMBER) {
        *joined = tree_number(calculate(operation, first->genes[0].number, second->genes[0].number));
        return true;
    }
    if (is_alike(first, second))
        return join_alike(operation, first, joined);
    if (join_undone(operation, first, second, joined) || join_powers(operation, first, second, joined) ||
        (is_commutative(operation) &&
         (join_undone(operation, second, first, joined) || join_powers(operation, second, first, joined))))
        return true;
    return tree_join(joined, operation, sorted ? first : second, sorted ? second : first);
}

/* Without what a coefficient and a constant do. */
static void
leave_out_numbers(struct tree *tree)
{
    while (root_of(tree) < TREE_MIN) {
        struct tree first = operand_of(tree, false), second = operand_of(tree, true);
        bool inverse = root_of(tree) == TREE_DIVIDE && root_of(&first) == TREE_NUMBER;

        if (root_of(&first) != TREE_NUMBER && root_of(&second) != TREE_NUMBER)
            return;
        *tree = root_of(&first) == TREE_NUMBER ? second : first;
        if (inverse)
            tree_join(tree, TREE_INVERSE, tree, NULL);
    }
}

void
tree_simplify(struct tree *tree)
{
    struct tree operands[TREE_MAX_NODES / 2 + 1];
    size_t height = 0;

    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];
        size_t count = tree_operands(gene->operation);
        struct tree *first, joined;

        if (count == 0) {
            operands[height++] = (struct tree){.count = 1, .genes = {*gene}};
            continue;
        }
        height -= count - 1;
        first = &operands[height - 1];
        if (count == 1 && root_of(first) == TREE_NUMBER)
            continue;
        if (count == 1 ? !tree_join(&joined, gene->operation, first, NULL)
                       : !join_two(gene->operation, first, first + 1, &joined))
            return;
        *first = joined;
    }
    leave_out_numbers(&operands[0]);
    *tree = operands[0];
}

/* Crossover and mutations. */
#include "regression/search/variation.h"

#include <math.h>
#include <string.h>

enum { FEW_NODES = 5 };

static const double crossover_share = 0.5;

/* ---- random trees ---- */

static const uint8_t usual_operations[] = {
    TREE_ADD,    TREE_ADD,    TREE_SUBTRACT, TREE_MULTIPLY, TREE_MULTIPLY, TREE_MULTIPLY, TREE_DIVIDE,
    TREE_DIVIDE, TREE_SQUARE, TREE_SQUARE,   TREE_ROOT,     TREE_INVERSE,  TREE_LOG,      TREE_MIN,
    TREE_MAX,    TREE_ADD,    TREE_ADD,      TREE_SUBTRACT, TREE_MULTIPLY, TREE_MULTIPLY, TREE_MULTIPLY,
    TREE_DIVIDE, TREE_DIVIDE, TREE_SQUARE,   TREE_SQUARE,   TREE_ROOT,     TREE_INVERSE,  TREE_LOG,
    TREE_MIN,    TREE_MAX,    TREE_EXP,      TREE_SIN,      TREE_COS,      TREE_TANH,
};

static unsigned
random_operation(struct random *random)
{
    return usual_operations[random_below(random, sizeof usual_operations)];
}

static struct tree_gene
random_leaf(const struct variation *variation, struct random *random)
{
    if (random_below(random, 6) == 0)
        return (struct tree_gene){.operation = TREE_NUMBER, .number = 2 * random_unit(random) - 0.5};
    return (struct tree_gene){.operation = TREE_INPUT, .input = (uint8_t)random_below(random, variation->inputs)};
}

/* At most so many nodes. */
static struct tree
random_tree(const struct variation *variation, struct random *random, size_t nodes)
{
    struct tree tree = {.count = 1, .genes = {random_leaf(variation, random)}};

    while (tree.count < nodes) {
        unsigned operation = random_operation(random);
        struct tree leaf = {.count = 1, .genes = {random_leaf(variation, random)}};

        if (tree_operands(operation) == 1 ? !tree_join(&tree, operation, &tree, NULL)
            : random_below(random, 2)     ? !tree_join(&tree, operation, &tree, &leaf)
                                          : !tree_join(&tree, operation, &leaf, &tree))
            break;
    }
    return tree;
}

void
variation_random(const struct variation *variation, struct random *random, struct formula *child)
{
    child->count = 1;
    child->trees[0] = random_tree(variation, random, 1 + random_below(random, FEW_NODES));
    tree_simplify(&child->trees[0]);
}

/* ---- changes of a tree; each may leave it as it is ---- */

struct change {
    const struct variation *variation;
    struct random *random;
    struct tree *tree;
    size_t sizes[TREE_MAX_NODES];
    size_t node; /* which is changed */
};

static void
replace_node(struct change *change, const struct tree *other)
{
    tree_replace(change->tree, change->node + 1 - change->sizes[change->node], change->node + 1, other->genes,
                 other->count);
}

static struct tree
subtree(const struct tree *tree, const size_t *sizes, size_t node)
{
    struct tree copy = {.count = sizes[node]};

    memcpy(copy.genes, tree->genes + node + 1 - sizes[node], sizes[node] * sizeof *copy.genes);
    return copy;
}

static void
change_point(struct change *change)
{
    struct tree_gene *gene = &change->tree->genes[change->node];
    size_t operands = tree_operands(gene->operation);

    if (gene->operation == TREE_NUMBER)
        gene->number *= random_below(change->random, 8) == 0 ? -1 : 0.5 + random_unit(change->random);
    else if (operands == 0)
        *gene = random_leaf(change->variation, change->random);
    else if (operands == 1)
        gene->operation = (uint8_t)(TREE_UNARY + random_below(change->random, TREE_LEAF - TREE_UNARY));
    else
        gene->operation = (uint8_t)random_below(change->random, TREE_UNARY);
}

static void
insert_operation(struct change *change)
{
    struct tree old = subtree(change->tree, change->sizes, change->node), new;
    struct tree leaf = {.count = 1, .genes = {random_leaf(change->variation, change->random)}};
    unsigned operation = random_operation(change->random);
    bool swapped = random_below(change->random, 2);
    bool made = tree_operands(operation) == 1
                    ? tree_join(&new, operation, &old, NULL)
                    : tree_join(&new, operation, swapped ? &leaf : &old, swapped ? &old : &leaf);

    if (made)
        replace_node(change, &new);
}

static void
insert_number(struct change *change)
{
    struct tree old = subtree(change->tree, change->sizes, change->node), new;
    bool product = random_below(change->random, 2);
    const struct tree number = tree_number(product ? 1 : 2 * random_unit(change->random) - 0.5);

    if (tree_join(&new, product ? TREE_MULTIPLY : TREE_ADD, &old, &number))
        replace_node(change, &new);
}

static void
remove_operation(struct change *change)
{
    size_t operands = tree_operands(change->tree->genes[change->node].operation), kept = change->node - 1;
    struct tree operand;

    if (operands == 0)
        return;
    if (operands == 2 && random_below(change->random, 2))
        kept = tree_first_operand(change->sizes, change->node);
    operand = subtree(change->tree, change->sizes, kept);
    replace_node(change, &operand);
}

static void
replace_subtree(struct change *change)
{
    struct tree new = random_tree(change->variation, change->random, 1 + random_below(change->random, FEW_NODES));

    replace_node(change, &new);
}

static void (*const changes[])(struct change *) = {change_point, insert_operation, insert_number, remove_operation,
                                                   replace_subtree};

static void
mutate_tree(const struct variation *variation, struct random *random, struct tree *tree)
{
    struct change change = {.variation = variation, .random = random, .tree = tree};

    tree_measure(tree, change.sizes);
    change.node = random_below(random, tree->count);
    changes[random_below(random, sizeof changes / sizeof *changes)](&change);
}

static void
cross_trees(struct random *random, struct tree *tree, const struct tree *other)
{
    struct change change = {.random = random, .tree = tree};
    size_t sizes[TREE_MAX_NODES];
    struct tree part;

    tree_measure(tree, change.sizes);
    tree_measure(other, sizes);
    change.node = random_below(random, tree->count);
    part = subtree(other, sizes, random_below(random, other->count));
    replace_node(&change, &part);
}

/* ---- formulas ---- */

static void
add_tree(const struct variation *variation, struct formula *child, const struct tree *tree)
{
    if (child->count < variation->max_trees)
        child->trees[child->count++] = *tree;
}

static void
remove_tree(struct formula *child, size_t k)
{
    for (child->count--; k < child->count; k++)
        child->trees[k] = child->trees[k + 1];
}

static void
cross(const struct variation *variation, struct random *random, const struct formula *father, struct formula *child)
{
    const struct tree *other = &father->trees[random_below(random, father->count)];
    size_t k = random_below(random, child->count);

    switch (random_below(random, 6)) {
    case 0:
        add_tree(variation, child, other);
        break;
    case 1:
        child->trees[k] = *other;
        break;
    default:
        cross_trees(random, &child->trees[k], other);
    }
}

static void
mutate(const struct variation *variation, struct random *random, struct formula *child)
{
    size_t k = random_below(random, child->count);
    struct tree tree;

    switch (random_below(random, 12)) {
    case 0:
        tree = random_tree(variation, random, 1 + random_below(random, FEW_NODES));
        add_tree(variation, child, &tree);
        break;
    case 1:
    case 2:
        if (child->count > 1)
            remove_tree(child, k);
        break;
    default:
        mutate_tree(variation, random, &child->trees[k]);
    }
}

static bool
tidy(const struct variation *variation, struct formula *child)
{
    for (size_t k = child->count; k-- > 0;) {
        tree_simplify(&child->trees[k]);
        if (child->trees[k].count == 1 && child->trees[k].genes[0].operation == TREE_NUMBER)
            remove_tree(child, k);
    }
    child->nodes = formula_count_nodes(child);
    return child->count > 0 && child->nodes <= variation->max_nodes &&
           formula_count_numbers(child) <= FORMULA_MAX_NUMBERS;
}

bool
variation_child(const struct variation *variation, struct random *random, const struct formula *mother,
                const struct formula *father, struct formula *child)
{
    *child = *mother;
    if (random_unit(random) < crossover_share)
        cross(variation, random, father, child);
    else
        mutate(variation, random, child);
    return tidy(variation, child);
}

uint64_t
formula_key(const struct formula *formula)
{
    uint64_t sum = 1;

    for (size_t k = 0; k < formula->count; k++) {
        const struct tree *tree = &formula->trees[k];
        uint64_t key = 1;

        for (size_t i = 0; i < tree->count; i++)
            key = splitmix(key + (uint64_t)(tree->genes[i].operation * 256 + tree->genes[i].input));
        sum += splitmix(key);
    }
    return sum ? sum : 1;
}

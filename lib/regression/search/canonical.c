/* The canonical form of a tree: bottom up, every operation on operands that have theirs. */
#include "regression/search/canonical.h"
#include "regression/search/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = TREE_MAX_NODES };

/* A term of a sum, or a factor of a product: the nodes first to end - 1 of a tree, so many times. */
struct part {
    size_t first, end;
    int times; /* of a sum 1 or -1 or more; of a product the exponent */
    uint64_t order;
};

/* A sum or product that is being taken apart. */
struct parts {
    const struct tree *tree;
    const size_t *sizes;
    bool product;
    struct part parts[MAX_PARTS];
    size_t count;
    double number; /* value of the numbers in it */
    bool numbered; /* whether there were any */
};

static bool
is_alike(const struct tree *tree, const struct part *a, const struct part *b)
{
    size_t count = a->end - a->first;

    if (count != b->end - b->first)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct tree_gene *x = &tree->genes[a->first + i], *y = &tree->genes[b->first + i];

        if (x->operation != y->operation || x->input != y->input || x->operation == TREE_NUMBER)
            return false;
    }
    return true;
}

static uint64_t
order_of(const struct tree *tree, size_t first, size_t end)
{
    uint64_t order = 1;

    for (size_t i = first; i < end; i++)
        order = splitmix(order * 31 + (uint64_t)(tree->genes[i].operation * 256 + tree->genes[i].input));
    return order >> 8 | (uint64_t)(end - first) << 56; /* short ones first */
}

static void
add_part(struct parts *parts, size_t end, int times)
{
    struct part part = {end + 1 - parts->sizes[end], end + 1, times, 0};

    for (size_t i = 0; i < parts->count; i++)
        if (is_alike(parts->tree, &parts->parts[i], &part)) {
            parts->parts[i].times += times;
            return;
        }
    part.order = order_of(parts->tree, part.first, part.end);
    parts->parts[parts->count++] = part;
}

static void
add_number(struct parts *parts, double number, int times)
{
    parts->numbered = true;
    if (!parts->product)
        parts->number += number * times;
    for (; parts->product && times > 0; times--)
        parts->number *= number;
    for (; parts->product && times < 0; times++)
        parts->number /= number;
}

static void
take_apart(struct parts *parts, size_t node, int times)
{
    unsigned operation = parts->tree->genes[node].operation;
    size_t first = tree_operands(operation) > 1 ? tree_first_operand(parts->sizes, node) : 0;

    if (operation == TREE_NUMBER) {
        add_number(parts, parts->tree->genes[node].number, times);
    } else if (operation == (parts->product ? TREE_MULTIPLY : TREE_ADD)) {
        take_apart(parts, first, times);
        take_apart(parts, node - 1, times);
    } else if (operation == (parts->product ? TREE_DIVIDE : TREE_SUBTRACT)) {
        take_apart(parts, first, times);
        take_apart(parts, node - 1, -times);
    } else if (parts->product && operation == TREE_SQUARE) {
        take_apart(parts, node - 1, 2 * times);
    } else if (parts->product && operation == TREE_INVERSE) {
        take_apart(parts, node - 1, -times);
    } else {
        add_part(parts, node, times);
    }
}

static void
sort_parts(struct parts *parts)
{
    for (size_t i = 1; i < parts->count; i++) {
        struct part part = parts->parts[i];
        size_t place = i;

        for (; place > 0 && parts->parts[place - 1].order > part.order; place--)
            parts->parts[place] = parts->parts[place - 1];
        parts->parts[place] = part;
    }
}

/* ---- putting together ---- */

/* A tree under construction; `full`: it has no room. */
struct maker {
    struct tree tree;
    bool full;
};

static void
put_genes(struct maker *out, const struct tree_gene *genes, size_t count)
{
    out->full |= out->tree.count + count > TREE_MAX_NODES;
    if (out->full)
        return;
    memcpy(out->tree.genes + out->tree.count, genes, count * sizeof *genes);
    out->tree.count += count;
}

static void
put(struct maker *out, unsigned operation, double number)
{
    put_genes(out, &(struct tree_gene){.operation = (uint8_t)operation, .number = number}, 1);
}

static void
put_part(struct maker *out, const struct tree *tree, const struct part *part)
{
    put_genes(out, tree->genes + part->first, part->end - part->first);
}

/* x, x ^ 2, x ^ 2 x and so on */
static void
put_power(struct maker *out, const struct tree *tree, const struct part *part, int exponent)
{
    put_part(out, tree, part);
    if (exponent > 1)
        put(out, TREE_SQUARE, 0);
    if (exponent >= 4) {
        put(out, TREE_SQUARE, 0);
        for (int i = 4; i < exponent; i++) {
            put_part(out, tree, part);
            put(out, TREE_MULTIPLY, 0);
        }
    } else if (exponent == 3) {
        put_part(out, tree, part);
        put(out, TREE_MULTIPLY, 0);
    }
}

static bool
put_factors(struct maker *out, const struct parts *parts, int sign)
{
    bool any = false;

    for (size_t i = 0; i < parts->count; i++) {
        if (parts->parts[i].times * sign <= 0)
            continue;
        put_power(out, parts->tree, &parts->parts[i], parts->parts[i].times * sign);
        if (any)
            put(out, TREE_MULTIPLY, 0);
        any = true;
    }
    return any;
}

static void
put_product(struct maker *out, const struct parts *parts)
{
    bool above = put_factors(out, parts, 1), numbered = parts->numbered && parts->number != 1;

    if (numbered) {
        put(out, TREE_NUMBER, parts->number);
        if (above)
            put(out, TREE_MULTIPLY, 0);
        above = true;
    }
    if (put_factors(out, parts, -1))
        put(out, above ? TREE_DIVIDE : TREE_INVERSE, 0);
    else if (!above)
        put(out, TREE_NUMBER, 1);
}

/* Terms that are there more than once have their number as a factor. */
static void
put_term(struct maker *out, const struct parts *parts, const struct part *part, int times, bool first)
{
    put_part(out, parts->tree, part);
    if (abs(times) > 1 || (first && times < 0)) {
        put(out, TREE_NUMBER, first ? times : abs(times));
        put(out, TREE_MULTIPLY, 0);
    }
    if (!first)
        put(out, times < 0 ? (unsigned)TREE_SUBTRACT : TREE_ADD, 0);
}

static void
put_sum(struct maker *out, const struct parts *parts)
{
    bool any = false;

    for (int sign = 1; sign >= -1; sign -= 2) {
        for (size_t i = 0; i < parts->count; i++)
            if (parts->parts[i].times * sign > 0) {
                put_term(out, parts, &parts->parts[i], parts->parts[i].times, !any);
                any = true;
            }
        if (sign > 0 && parts->numbered && parts->number != 0) {
            put(out, TREE_NUMBER, parts->number);
            if (any)
                put(out, TREE_ADD, 0);
            any = true;
        }
    }
    if (!any)
        put(out, TREE_NUMBER, 0);
}

/* ---- the whole ---- */

/* Operations that are neither sum nor product: sorted, folded. */
static void
simplify_other(struct tree *tree)
{
    size_t sizes[TREE_MAX_NODES], root = tree->count - 1, first;
    unsigned operation = tree->genes[root].operation;

    tree_measure(tree, sizes);
    if (tree->count == tree_operands(operation) + 1 && tree_count_numbers(tree) == tree->count - 1) {
        tree->count = 1; /* of numbers alone it is a number, which is fitted */
        return;
    }
    if (tree_operands(operation) == 1)
        return;
    first = tree_first_operand(sizes, root);
    if (order_of(tree, 0, first + 1) == order_of(tree, first + 1, root)) {
        if (is_alike(tree, &(struct part){0, first + 1, 1, 0}, &(struct part){first + 1, root, 1, 0}))
            tree->count = first + 1;
    } else if (order_of(tree, 0, first + 1) > order_of(tree, first + 1, root)) {
        struct tree swapped = *tree;

        memcpy(swapped.genes, tree->genes + first + 1, (root - first - 1) * sizeof *tree->genes);
        memcpy(swapped.genes + (root - first - 1), tree->genes, (first + 1) * sizeof *tree->genes);
        *tree = swapped;
    }
}

static bool
is_product(unsigned operation)
{
    return operation == TREE_MULTIPLY || operation == TREE_DIVIDE || operation == TREE_SQUARE ||
           operation == TREE_INVERSE;
}

/* The tree's root, its operands having their form. What has no room in that form stays as it is. */
static void
simplify_root(struct tree *tree, bool whole)
{
    size_t sizes[TREE_MAX_NODES], root = tree->count - 1;
    unsigned operation = tree->genes[root].operation;
    struct parts parts = {.tree = tree, .sizes = sizes, .product = is_product(operation)};
    struct maker out = {.full = false};

    if (tree_operands(operation) == 0)
        return;
    if (!parts.product && operation != TREE_ADD && operation != TREE_SUBTRACT) {
        simplify_other(tree);
        return;
    }
    tree_measure(tree, sizes);
    parts.number = parts.product;
    take_apart(&parts, root, 1);
    if (!isfinite(parts.number) || (parts.product && parts.number == 0))
        parts.number = 1;
    parts.numbered &= !whole;
    sort_parts(&parts);
    (parts.product ? put_product : put_sum)(&out, &parts);
    if (!out.full)
        *tree = out.tree;
}

void
tree_simplify(struct tree *tree)
{
    struct tree operands[TREE_MAX_NODES / 2 + 1], joined;
    size_t height = 0;

    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];
        size_t count = tree_operands(gene->operation);

        if (count == 0) {
            operands[height++] = (struct tree){.count = 1, .genes = {*gene}};
            continue;
        }
        height -= count - 1;
        if (!tree_join(&joined, gene->operation, &operands[height - 1], count > 1 ? &operands[height] : NULL))
            return;
        simplify_root(&joined, false);
        operands[height - 1] = joined;
    }
    simplify_root(&operands[0], true);
    *tree = operands[0];
}

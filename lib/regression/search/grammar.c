/* Nestings that are not wanted. */
#include "regression/search/enumerate.h"

#include <string.h>

/* Names of operations, as in formulas. */
static const struct {
    const char *name;
    unsigned first, second; /* operations that it means */
} names[] = {
    {"+", TREE_ADD, TREE_ADD},
    {"-", TREE_SUBTRACT, TREE_SUBTRACT},
    {"*", TREE_MULTIPLY, TREE_MULTIPLY},
    {"/", TREE_DIVIDE, TREE_INVERSE},
    {"min", TREE_MIN, TREE_MIN},
    {"max", TREE_MAX, TREE_MAX},
    {"square", TREE_SQUARE, TREE_SQUARE},
    {"sqrt", TREE_ROOT, TREE_ROOT},
    {"log", TREE_LOG, TREE_LOG},
    {"exp", TREE_EXP, TREE_EXP},
    {"sin", TREE_SIN, TREE_SIN},
    {"cos", TREE_COS, TREE_COS},
    {"tanh", TREE_TANH, TREE_TANH},
};

static size_t
find_name(const char *text, size_t length)
{
    size_t i = 0;

    while (i < sizeof names / sizeof *names &&
           (strlen(names[i].name) != length || memcmp(names[i].name, text, length) != 0))
        i++;
    return i;
}

static bool
exclude(struct grammar *grammar, const char *name)
{
    size_t index = find_name(name, strlen(name));

    if (index == sizeof names / sizeof *names)
        return false;
    grammar->excluded[names[index].first] = grammar->excluded[names[index].second] = true;
    return true;
}

bool
grammar_forbid(struct grammar *grammar, const char *nesting)
{
    const char *open = nesting ? strchr(nesting, '(') : NULL;
    size_t length = open ? strlen(open) : 0, outer, inner;

    if (nesting && !open)
        return exclude(grammar, nesting);
    if (length < 3 || open[length - 1] != ')')
        return false;
    outer = find_name(nesting, (size_t)(open - nesting));
    inner = find_name(open + 1, length - 2);
    if (outer == sizeof names / sizeof *names || inner == sizeof names / sizeof *names)
        return false;
    for (int i = 0; i < 4; i++)
        grammar->forbidden[i & 1 ? names[outer].first : names[outer].second]
                          [i & 2 ? names[inner].first : names[inner].second] = true;
    return true;
}

static bool
allows_tree(const struct grammar *grammar, const struct tree *tree)
{
    size_t sizes[TREE_MAX_NODES];

    tree_measure(tree, sizes);
    for (size_t i = 0; i < tree->count; i++)
        if (grammar->excluded[tree->genes[i].operation])
            return false;
    for (size_t i = 0; i < tree->count; i++)
        for (size_t j = i + 1 - sizes[i]; j < i; j++)
            if (tree->genes[i].operation < TREE_LEAF && tree->genes[j].operation < TREE_LEAF &&
                grammar->forbidden[tree->genes[i].operation][tree->genes[j].operation])
                return false;
    return true;
}

bool
grammar_allows(const struct grammar *grammar, const struct formula *formula)
{
    for (size_t k = 0; k < formula->count; k++)
        if (!allows_tree(grammar, &formula->trees[k]))
            return false;
    return true;
}

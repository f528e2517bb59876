/* A treap: a search tree by order, a heap by priority. C. R. Aragon, R. Seidel: Randomized Search Trees, 1989. */
#include "base/ordered.h"
#include "base/splitmix.h"

/* The link that leads to `node`. */
static struct ordered_node **
link_to(struct ordered_set *set, const struct ordered_node *node)
{
    struct ordered_node *parent = node->parent;

    if (!parent)
        return &set->root;
    return parent->left == node ? &parent->left : &parent->right;
}

/* `node` takes the place of its parent, which becomes its child. */
static void
rotate_up(struct ordered_set *set, struct ordered_node *node)
{
    struct ordered_node *parent = node->parent, *moved;

    *link_to(set, parent) = node;
    node->parent = parent->parent;
    if (parent->left == node) {
        moved = node->right;
        node->right = parent;
        parent->left = moved;
    } else {
        moved = node->left;
        node->left = parent;
        parent->right = moved;
    }
    parent->parent = node;
    if (moved)
        moved->parent = parent;
}

void
ordered_insert(struct ordered_set *set, struct ordered_node *node)
{
    struct ordered_node **place = &set->root, *parent = NULL;

    while (*place) {
        parent = *place;
        place = set->compare(node, parent) < 0 ? &parent->left : &parent->right;
    }
    *node = (struct ordered_node){.parent = parent, .priority = splitmix(set->inserted++ + SPLITMIX_STEP)};
    *place = node;
    while (node->parent && node->parent->priority < node->priority)
        rotate_up(set, node);
}

void
ordered_remove(struct ordered_set *set, struct ordered_node *node)
{
    struct ordered_node *child;

    while (node->left && node->right)
        rotate_up(set, node->left->priority > node->right->priority ? node->left : node->right);
    child = node->left ? node->left : node->right;
    *link_to(set, node) = child;
    if (child)
        child->parent = node->parent;
}

struct ordered_node *
ordered_lower_bound(const struct ordered_set *set, const struct ordered_node *key)
{
    struct ordered_node *node = set->root, *found = NULL;

    while (node) {
        if (set->compare(node, key) < 0) {
            node = node->right;
        } else {
            found = node;
            node = node->left;
        }
    }
    return found;
}

static struct ordered_node *
leftmost(struct ordered_node *node)
{
    while (node && node->left)
        node = node->left;
    return node;
}

static struct ordered_node *
rightmost(struct ordered_node *node)
{
    while (node && node->right)
        node = node->right;
    return node;
}

struct ordered_node *
ordered_first(const struct ordered_set *set)
{
    return leftmost(set->root);
}

struct ordered_node *
ordered_last(const struct ordered_set *set)
{
    return rightmost(set->root);
}

struct ordered_node *
ordered_next(const struct ordered_node *node)
{
    if (node->right)
        return leftmost(node->right);
    while (node->parent && node->parent->right == node)
        node = node->parent;
    return node->parent;
}

struct ordered_node *
ordered_previous(const struct ordered_node *node)
{
    if (node->left)
        return rightmost(node->left);
    while (node->parent && node->parent->left == node)
        node = node->parent;
    return node->parent;
}

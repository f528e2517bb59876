/*
 * An ordered set of objects that carry their node with them: it needs no memory of its own. A treap whose priorities
 * come from a counter, so that the same calls give the same tree.
 */
#ifndef BASE_ORDERED_H
#define BASE_ORDERED_H

#include <stddef.h>
#include <stdint.h>

struct ordered_node {
    struct ordered_node *left, *right, *parent;
    uint64_t priority;
};

struct ordered_set {
    struct ordered_node *root;
    uint64_t inserted;
    int (*compare)(const struct ordered_node *a, const struct ordered_node *b); /* < 0: a comes first */
};

/* The object of type `type` whose member `member` is the node. */
#define ORDERED_OBJECT(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* No equal one may be in the set. */
void
ordered_insert(struct ordered_set *set, struct ordered_node *node);

void
ordered_remove(struct ordered_set *set, struct ordered_node *node);

/* The first that does not come before `key`, NULL if all do. */
struct ordered_node *
ordered_lower_bound(const struct ordered_set *set, const struct ordered_node *key);

/* NULL at the ends. */
struct ordered_node *
ordered_first(const struct ordered_set *set);

struct ordered_node *
ordered_last(const struct ordered_set *set);

struct ordered_node *
ordered_next(const struct ordered_node *node);

struct ordered_node *
ordered_previous(const struct ordered_node *node);

#endif

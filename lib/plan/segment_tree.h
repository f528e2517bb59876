/*
 * A binary tree over sections. Node 1 is the root, 2 n and 2 n + 1 are below n, and the leaves come last, one a
 * section.
 *
 * Who keeps at each node what holds throughout its sections, and what holds anywhere in them, learns what holds
 * anywhere in a interval from few nodes: those that make it up, "anywhere", and those above these, "throughout".
 */
#ifndef PLAN_SEGMENT_TREE_H
#define PLAN_SEGMENT_TREE_H

#include "plan/problem.h"

enum { TREE_LEVELS = 32 }; /* sections are numbered by int32_t */

struct segment_tree_nodes {
    size_t whole[2 * TREE_LEVELS]; /* the largest that lie within an interval: they make it up */
    size_t above[2 * TREE_LEVELS]; /* all above these */
    int whole_count, above_count;
};

/* A power of two, at least `sections`. */
size_t
segment_tree_leaves(int32_t sections);

void
segment_tree_find(size_t leaves, struct interval interval, struct segment_tree_nodes *nodes);

#endif

/* Nodes of a tree over sections. */
#include "plan/segment_tree.h"

size_t
segment_tree_leaves(int32_t sections)
{
    size_t leaves = 1;

    while (leaves < (size_t)sections)
        leaves *= 2;
    return leaves;
}

static void
add_above(struct segment_tree_nodes *nodes, size_t left, size_t right)
{
    if (left)
        nodes->above[nodes->above_count++] = left;
    if (right && right != left)
        nodes->above[nodes->above_count++] = right;
}

/*
 * From the leaves up, from both ends inwards. What lies beside the rest of the interval is above a whole node if there
 * is one.
 */
void
segment_tree_find(size_t leaves, struct interval interval, struct segment_tree_nodes *nodes)
{
    size_t left = leaves + (size_t)interval.begin, right = leaves + (size_t)interval.end;
    bool has_left = false, has_right = false;

    nodes->whole_count = nodes->above_count = 0;
    for (; left < right; left /= 2, right /= 2) {
        add_above(nodes, has_left ? left - 1 : 0, has_right ? right : 0);
        if (left % 2) {
            nodes->whole[nodes->whole_count++] = left++;
            has_left = true;
        }
        if (right % 2) {
            nodes->whole[nodes->whole_count++] = --right;
            has_right = true;
        }
    }
    left = has_left ? left - 1 : 0;
    for (right = has_right ? right : 0; left || right; left /= 2, right /= 2)
        add_above(nodes, left, right);
}

/*
 * What processes of a tree share, counted once.
 *
 * PSS divides a page among all who have it, so it shows what is counted elsewhere only while these are the same. When
 * they have changed, what a process had in common with anyone when it came is taken to be counted by those who were
 * there before it: so it is after a fork.
 */
#include "measure/tree.h"
#include "base/checked.h"

enum { SHRUNK = 32 }; /* who gave back more than this part during a look */

/* ---- what is known ---- */

/* One that has less than it shared runs another program now, or is just ending. */
static void
assign_shared(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct member *member = &tree->members[i];

        member->inherited = min_i64(member->inherited, member->now.rss);
        member->shared = tree->changed ? member->inherited : min_i64(member->by_pss, member->now.rss);
    }
}

/* What was shared at one of two readings may have been so at any time in between. */
void
tree_charge(struct tree *tree, struct tree_size *size)
{
    int64_t before = 0;

    size->shared = 0;
    assign_shared(tree);
    for (size_t i = 0; size->count > 1 && i < tree->count; i++) {
        if (!member_counts(&tree->members[i]))
            continue;
        size->shared += tree->members[i].shared;
        before += tree->members[i].shared_before;
    }
    size->charge = size->rss - size->shared;
    size->charge_high = max_i64(size->high_water - max_i64(size->shared, before), max_i64(size->charge, size->max));
}

/* ---- looks ---- */

/* One that is about to end gives its memory back before anything else. */
static bool
has_gone(const struct member *member)
{
    struct process_size size;

    return !process_read_mark(&member->files, &size) || size.rss == 0;
}

/* One that went before it could be looked at may have shared all it had: it counts nothing more. */
void
tree_look_at_newcomers(struct tree *tree, struct tree_size *size)
{
    struct process_share share;

    for (size_t i = 0; i < tree->count; i++) {
        struct member *member = &tree->members[i];

        if (member->looked_at || !member_counts(member))
            continue;
        member->looked_at = process_read_pss(member->files.pid, &share);
        if (member->looked_at)
            member->inherited = max_i64(0, member->now.rss - (share.rss - share.shared));
        else if (has_gone(member))
            member->inherited = member->now.rss;
    }
    tree_charge(tree, size);
}

static bool
has_kept(const struct member *member)
{
    struct process_size size;

    return process_read_size(&member->files, &size) && size.rss >= member->now.rss - member->now.rss / SHRUNK;
}

/* Whether those that were looked at are still there with what they had, and nobody has come. */
static bool
is_complete(struct tree *tree)
{
    size_t count = tree->count;

    for (size_t i = 0; i < count; i++)
        if (member_counts(&tree->members[i]) && !has_kept(&tree->members[i]))
            return false;
    return tree_adopt(tree) == 0 && tree->count == count;
}

/* What may not be read, as of a program of another user, is taken to be shared with nobody. */
static void
take_look(struct tree *tree, struct tree_size *size)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct member *member = &tree->members[i];

        if (!member_counts(member))
            continue;
        member->looked_at = true;
        member->by_pss = max_i64(0, member->look.rss - member->look.pss);
        size->pss = max_i64(size->pss, 0) + member->look.pss;
    }
    tree->changed = false;
}

bool
tree_look(struct tree *tree, struct tree_size *size)
{
    bool complete;

    for (size_t i = 0; i < tree->count; i++) {
        struct member *member = &tree->members[i];

        if (member_counts(member) && !process_read_pss(member->files.pid, &member->look))
            member->look = (struct process_share){.rss = member->now.rss, .pss = member->now.rss};
    }
    complete = is_complete(tree);
    if (complete)
        take_look(tree, size);
    tree_charge(tree, size);
    return complete;
}

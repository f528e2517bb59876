/*
 * The scopes of a network that a checkpoint may be put around, and what each is worth: what it keeps less, and what it
 * costs to compute its inside again.
 */
#ifndef RECOMPUTE_SCOPES_H
#define RECOMPUTE_SCOPES_H

#include "base/arena.h"
#include "report/report.h"

/* A scope by its name, which several calls of a module may share. */
struct candidate {
    const char *name; /* the network's */
    int32_t first, end;
    int32_t layers; /* of all its calls */
    size_t next;    /* the first candidate after it that does not lie in it */
    size_t kind;    /* the first candidate like it: such as another block of a transformer */
    double cost;    /* of running its inside once */
    int64_t kept;   /* bytes that are live less when the backward pass begins, if it alone is wrapped */
};

/* Candidates before those that lie in them, in the order of the forward pass. */
struct scopes {
    struct candidate *items;
    size_t count;
    double cost; /* of the whole forward pass */
};

/* What a layer or a scope costs, said by the caller. */
struct given_cost {
    const char *name;
    double cost;
    struct given_cost *next;
};

/*
 * All scopes of the bound query that a job can name, with their costs: by the numbers that were given, or without any
 * by operations: a multiplication with addition, or an element that is made. `kept` is 0.
 */
int
scopes_find(struct query *query, const struct given_cost *given, struct arena *arena, struct scopes *scopes);

/* Leaves out those that keep nothing less. */
void
scopes_drop_useless(struct scopes *scopes);

/* True if candidate `b` lies in candidate `a`. */
static inline bool
scopes_is_within(const struct scopes *scopes, size_t a, size_t b)
{
    return b > a && b < scopes->items[a].next;
}

#endif

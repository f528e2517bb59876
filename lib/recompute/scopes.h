/*
 * The scopes of a network that a checkpoint may be put around, alone or several that follow one another, and what each
 * is worth: the bytes that it saves, and what it costs to recompute its inside.
 */
#ifndef RECOMPUTE_SCOPES_H
#define RECOMPUTE_SCOPES_H

#include "memmodel/recompute.h"
#include "base/arena.h"
#include "report/report.h"

/*
 * A scope by its name, which several calls of a module may share; or a group of several that follow one another, of
 * which each reads what the one before it made, or what the first reads, too.
 */
struct candidate {
    const char *name;     /* "h.0"; of a group "h.0..3" */
    const char **modules; /* of a group, in the order of their calls; NULL: it is no group */
    size_t module_count;
    int32_t first, end; /* of its first call */
    int32_t layers;     /* of all its calls */
    size_t next;        /* the first candidate that begins behind it */
    size_t kind;        /* the first candidate like it: such as another block of a transformer */
    double cost;        /* of running its inside once; once it is profiled, of what is recomputed */
    int64_t saved;      /* bytes that it alone saves: not live when the backward pass begins */
};

/* In the order of the forward pass, candidates before those that lie in them. */
struct scopes {
    struct candidate *items;
    size_t count, capacity;
    double *costs; /* of the layers */
    double cost;   /* of the whole forward pass */
};

/*
 * All scopes of the bound query that a job can name, with their costs: by the numbers of the options, or without any
 * by operations: a multiplication with addition, or an element that is made. `saved` is 0. Names that are not the
 * network's lie in `names`.
 */
int
scopes_find(struct query *query, const struct memmodel_recompute_options *options, struct arena *arena,
            struct arena *names, struct scopes *scopes);

/* Whether a job's checkpoint could say this name. */
bool
scopes_can_name(const char *name);

/* A candidate that costs what these layers do, or one more call of one that has its name. */
void
scopes_add(struct scopes *scopes, const struct candidate *item, int32_t first, int32_t end);

/* Leaves out those that save nothing. 0, or what ends the call. */
int
scopes_drop_redundant(memmodel_context *context, struct scopes *scopes);

/* True if two candidates have a layer in common. */
static inline bool
scopes_touch(const struct scopes *scopes, size_t a, size_t b)
{
    return scopes->items[a].first < scopes->items[b].end && scopes->items[b].first < scopes->items[a].end;
}

static inline bool
scopes_is_within(const struct scopes *scopes, size_t outer, size_t inner)
{
    return scopes->items[outer].first <= scopes->items[inner].first &&
           scopes->items[inner].end <= scopes->items[outer].end;
}

/* ---- groups.c ---- */

/* Adds the groups of the network's scopes and layers, the short ones first, as long as `scopes` has room. */
int
groups_find(const struct query *query, struct arena *arena, struct arena *names, struct scopes *scopes);

#endif

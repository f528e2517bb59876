/* A process and its descendants: who belongs to it, and how much memory they have together. */
#ifndef MEASURE_TREE_H
#define MEASURE_TREE_H

#include "measure/cgroup.h"
#include "measure/process.h"

#include <stddef.h>

/* One process of the tree. */
struct member {
    struct process_files files;
    int parent;
    int sightings;                /* readings that saw it; it counts from the second on */
    int calm, left_out;           /* readings that found nothing new, and those since it was read */
    bool gone, marked, rose;      /* of the last reading: not there; mark was read; mark was higher than before */
    bool looked_at;               /* `shared` is known */
    struct process_size previous; /* of the reading before */
    struct process_size now;
    struct process_share look; /* of a look at all that goes on */
    int64_t by_pss;            /* of its memory, what others count, when all were looked at */
    int64_t inherited;         /* what others had too when it came, and it did not give back since */
    int64_t shared;            /* of its memory, what others count, as far as is known */
    int64_t shared_before;     /* at the reading before */
};

struct tree {
    memmodel_context *context;
    struct member *members;
    size_t count, capacity;
    int group;                    /* processes of this process group belong to the tree too; 0 for none */
    int reaper;                   /* as do children of this process; 0 for none */
    const struct cgroup *cgroup;  /* and who is in this group, if it was made for the tree */
    int newest_file;              /* says which process is the newest */
    int newest, newest_before;    /* as it was at the last two readings */
    double next_scan;             /* where it does not say: when to look through all processes again */
    size_t turn;                  /* whose mark is read next */
    struct process_identity *all; /* room for a look through all processes */
    size_t all_capacity;
    int ever;     /* processes that ever counted */
    bool changed; /* processes began to count, or ended, since all were looked at */
};

/* What all processes together have. */
struct tree_size {
    int64_t rss, high_water;
    int64_t shared;          /* what `rss` counts more than once, as far as is known */
    int64_t charge;          /* `rss` without that */
    int64_t charge_high;     /* and `high_water`; neither is less than a single one has */
    int64_t pss;             /* -1 until tree_look() */
    int64_t high_water_mark; /* greatest of any single one, ever */
    int64_t max;             /* of any single one, since the reading before */
    int count;
    bool changed; /* other processes than when all were looked at */
    bool growing; /* processes were seen that do not count yet */
};

/*
 * Starts with the process `pid` and the descendants it has. With `from_start` all memory it ever had counts, and
 * whoever is in its own process group belongs to it, also after its parent has gone. So does who is in `cgroup`, if it
 * was made. 0, MEMMODEL_ERROR_PROCESS, MEMMODEL_ERROR_UNSUPPORTED, MEMMODEL_ERROR_NO_MEMORY.
 */
int
tree_open(struct tree *tree, memmodel_context *context, int pid, bool from_start, const struct cgroup *cgroup);

void
tree_close(struct tree *tree);

/* One reading of all. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
tree_read(struct tree *tree, struct tree_size *size);

/* Finds new members. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
tree_adopt(struct tree *tree);

bool
member_counts(const struct member *member);

bool
tree_has(const struct tree *tree, int pid);

/* ---- tree_look.c ---- */

/* Sets what is shared, and the size without it, by what is known. */
void
tree_charge(struct tree *tree, struct tree_size *size);

/*
 * Reads PSS of those that counted at that reading, and what they share by it. Slow: the kernel walks all pages. False
 * if one of them went or shrank meanwhile, or another one came: what was read does not belong together, and is not
 * used.
 */
bool
tree_look(struct tree *tree, struct tree_size *size);

/* Looks only at those that no look has seen. */
void
tree_look_at_newcomers(struct tree *tree, struct tree_size *size);

#endif

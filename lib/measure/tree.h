/* A process and its descendants: who belongs to it, and how much memory they have together. */
#ifndef MEASURE_TREE_H
#define MEASURE_TREE_H

#include "measure/process.h"

#include <stddef.h>

/* One process of the tree. */
struct member {
    struct process_files files;
    int parent;
    int sightings;                /* readings that saw it; it counts from the second on */
    int calm, left_out;           /* readings that found nothing new, and those since it was read */
    bool gone, marked, rose;      /* of the last reading: not there; mark was read; mark was higher than before */
    struct process_size previous; /* of the reading before */
    struct process_size now;
};

struct tree {
    memmodel_context *context;
    struct member *members;
    size_t count, capacity;
    int group;                    /* processes of this process group belong to the tree too; 0 for none */
    int newest_file;              /* says which process is the newest */
    int newest, newest_before;    /* as it was at the last two readings */
    double next_scan;             /* where it does not say: when to look through all processes again */
    size_t turn;                  /* whose mark is read next */
    struct process_identity *all; /* room for a look through all processes */
    size_t all_capacity;
    int ever; /* processes that ever counted */
};

/* What all processes together have. */
struct tree_size {
    int64_t rss, high, pss;
    int64_t mark; /* greatest of any single one */
    int count;
};

/*
 * Starts with the process `pid` and the descendants it has. With `from_start` all memory it ever had counts, and
 * whoever is in its own process group belongs to it, also after its parent has gone. 0, MEMMODEL_ERROR_PROCESS,
 * MEMMODEL_ERROR_UNSUPPORTED, MEMMODEL_ERROR_NOMEM.
 */
int
tree_open(struct tree *tree, memmodel_context *context, int pid, bool from_start);

void
tree_close(struct tree *tree);

/* One reading of all. 0 or MEMMODEL_ERROR_NOMEM. */
int
tree_read(struct tree *tree, bool with_pss, struct tree_size *size);

bool
tree_has(const struct tree *tree, int pid);

#endif

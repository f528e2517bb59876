/* A recomputation from the inside: the curve that was found. */
#ifndef RECOMPUTE_RECOMPUTATION_H
#define RECOMPUTE_RECOMPUTATION_H

#include "recompute/search.h"

#include <stdatomic.h>

struct point {
    int64_t peak;
    double overhead;
    const char *checkpoint;
    struct candidate *checkpointed;
    size_t count;
};

/* Points, and what they lie in. */
struct curve {
    struct arena arena;
    struct point *points;
    size_t count;
    int64_t budget; /* 0: none was given */
};

struct memmodel_recomputation {
    memmodel_context *context;
    atomic_int references;
    memmodel_network *network; /* whose names the curve has */
    struct curve curve;
    struct memmodel_recomputation_result result;
    /* What a report of the job says: */
    bool validated;
    struct memmodel_report_unmodelled *unmodelled;
    size_t unmodelled_count;
};

#endif

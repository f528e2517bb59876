/* How a job's processes share its work, read from what the job says: struct memmodel_parallel. */
#ifndef FRAMEWORKS_PARALLEL_H
#define FRAMEWORKS_PARALLEL_H

#include "base/call.h"
#include "base/mesh.h"
#include "memmodel/job.h"

#include <stdbool.h>

enum data_kind { DATA_NONE, DATA_DDP, DATA_KINDS };

/* Options of data strategies, named as Python has them; each strategy has some. */
struct data_options {
    int64_t bucket_bytes; /* bucket_cap_mb; 0: not given */
    bool gradient_as_bucket_view, find_unused_parameters, static_graph, broadcast_buffers, no_sync;
};

struct parallel {
    struct mesh mesh;
    int64_t rank;
    bool gloo;
    enum data_kind data;   /* DATA_NONE: one rank, or nothing is shared */
    struct call_text call; /* of the data strategy, whose text is the job's */
    int64_t world;         /* ranks that the strategy has */
    int64_t place;         /* of this rank among them */
    struct data_options options;
};

/* 0, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED. */
int
parallel_read(memmodel_context *context, const struct memmodel_job *job, struct parallel *parallel);

#endif

/* How a job's processes share its work, read from what the job says: struct memmodel_parallel. */
#ifndef FRAMEWORKS_PARALLEL_H
#define FRAMEWORKS_PARALLEL_H

#include "base/call.h"
#include "base/mesh.h"
#include "frameworks/pipeline.h"
#include "frameworks/ring.h"
#include "memmodel/job.h"

#include <stdbool.h>

enum data_kind { DATA_NONE, DATA_DDP, DATA_ZERO1, DATA_FSDP, DATA_DEEPSPEED, DATA_KINDS };

/* What becomes of gathered parameters after a unit's forward pass; a number: they are kept in so many parts. */
enum reshard { RESHARD_BLOCKS, RESHARD_ALL, RESHARD_NONE, RESHARD_PARTS };

enum { NO_DTYPE = -1 };

/* Options of DeepSpeed's ZeRO, named as zero_optimization has them; sizes are in elements. */
struct zero_options {
    int64_t stage;
    int64_t reduce_bucket_size, allgather_bucket_size, sub_group_size;
    int64_t prefetch_bucket_size, param_persistence_threshold, max_live_parameters, max_reuse_distance; /* stage3_... */
    bool overlap_comm, contiguous_gradients, reduce_scatter, bf16, fp16;
    bool offload_optimizer, offload_param; /* to the host */
    int grad_accum_dtype;                  /* enum memmodel_dtype; NO_DTYPE: that of the network */
};

/* Options of data strategies, named as Python has them; each strategy has some. */
struct data_options {
    int64_t bucket_bytes; /* bucket_cap_mb; 0: not given */
    bool gradient_as_bucket_view, find_unused_parameters, static_graph, broadcast_buffers, no_sync;
    bool parameters_as_bucket_view, offload;
    struct reshard_option {
        enum reshard kind;
        int64_t parts; /* of RESHARD_PARTS */
    } reshard_after_forward;
    int param_dtype, reduce_dtype; /* enum memmodel_dtype, of MixedPrecisionPolicy; NO_DTYPE: not given */
    struct zero_options zero;
};

struct parallel {
    struct mesh mesh;
    int64_t rank;
    bool gloo;
    bool meta_device;
    enum data_kind data;   /* DATA_NONE: one rank, or nothing is shared */
    struct call_text call; /* of the data strategy, whose text is the job's */
    int64_t world;         /* ranks that the strategy has; of fsdp those that parameters are sharded over */
    int64_t place;         /* of this rank among them */
    int64_t replicas;      /* groups of such ranks, which have the same shards */
    const char *beside;    /* the axis that the strategy's ranks are along as well, cp or ep */
    int64_t beside_ranks;  /* of that axis */
    int64_t beside_place;  /* of this rank along it */
    struct ring_plan ring;
    int64_t context_ranks; /* of the axis cp */
    int64_t expert_ranks;  /* of the axis ep */
    bool balanced_experts; /* each gets as many rows as it sends, else all that there are */
    struct pipeline_plan pipeline;
    int64_t pipeline_ranks; /* of the axis pp */
    int64_t pipeline_place; /* of this rank along it */
    const char *tensor;     /* plan of the axis tp, the job's */
    int64_t tensor_ranks;   /* of that axis */
    int64_t tensor_place;   /* of this rank along it */
    struct data_options options;
};

/* 0, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED. */
int
parallel_read(memmodel_context *context, const struct memmodel_job *job, struct parallel *parallel);

/* The axis that the strategy's ranks are along, besides cp or ep. */
const char *
parallel_axis(const struct parallel *parallel);

/* Of the strategy's ranks the one that is so far along that axis and the one beside it. */
int64_t
parallel_place(const struct parallel *parallel, int64_t place, int64_t beside_place);

#endif

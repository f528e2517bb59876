/* Which tensors share a buffer in a run of onnxruntime, and from which node to which each buffer lives. */
#ifndef FRAMEWORKS_ONNXRUNTIME_PLAN_H
#define FRAMEWORKS_ONNXRUNTIME_PLAN_H

#include "frameworks/onnxruntime/graph.h"

struct ort_buffer {
    int32_t tensor;      /* the first that is in it */
    int32_t first, last; /* nodes, by their places in the order */
    int32_t uses;        /* still to come, while the plan is made; of the graph's outputs one is left */
    bool given;          /* there before the run: inputs, parameters, what was computed from them */
};

struct ort_plan {
    const struct ort_graph *graph;
    struct ort_buffer *buffers; /* as many as there are tensors would be enough */
    int32_t *buffer_of;         /* of each tensor; -1: it has none */
    int32_t *idle;              /* buffers that nothing uses any more, the latest last */
    size_t buffer_count, idle_count;
};

int
ort_plan_new(memmodel_context *context, const struct ort_graph *graph, struct ort_plan *plan);

void
ort_plan_release(memmodel_context *context, struct ort_plan *plan);

/* The buffer is in the block of later runs: it is neither there before nor given out. */
bool
ort_is_of_block(const struct ort_plan *plan, int32_t buffer);

/* Bytes of that block. 0, MEMMODEL_ERROR_OVERFLOW or MEMMODEL_ERROR_NO_MEMORY */
int
ort_block_bytes(memmodel_context *context, const struct ort_plan *plan, int64_t *bytes);

enum { ORT_MAX_SCRATCH = 32 };

/* What a node's kernel asks for while it runs, besides its outputs, one after the other. */
struct ort_scratch {
    int64_t bytes[ORT_MAX_SCRATCH];
    int count;
};

/* false on overflow */
bool
ort_scratch_of(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch);

#endif

/* Which tensors share a buffer in a run of onnxruntime, and from which layer to which each buffer lives. */
#ifndef FRAMEWORKS_ONNXRUNTIME_PLAN_H
#define FRAMEWORKS_ONNXRUNTIME_PLAN_H

#include "network/network.h"

struct ort_buffer {
    memmodel_tensor tensor; /* the first that is in it */
    int32_t first, last;    /* layers */
    int32_t uses;           /* still to come, while the plan is made */
    bool given;             /* inputs and parameters: not the run's own */
};

struct ort_plan {
    const struct binding *binding;
    struct ort_buffer *buffers; /* as many as there are tensors would be enough */
    int32_t *buffer_of;         /* of each tensor */
    int32_t *idle;              /* buffers that nothing uses any more, the latest last */
    size_t buffer_count, idle_count;
};

int
ort_plan_new(memmodel_context *context, const struct binding *binding, struct ort_plan *plan);

void
ort_plan_release(memmodel_context *context, struct ort_plan *plan);

/* Bytes that a layer's kernel takes while it runs, besides its outputs; false on overflow. */
bool
ort_scratch_bytes(const struct binding *binding, const struct layer *layer, int threads, int64_t *bytes);

#endif

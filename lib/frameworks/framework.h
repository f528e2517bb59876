/* What a framework is to the rest of the library: it turns a bound network and a job into a trace. */
#ifndef FRAMEWORK_H
#define FRAMEWORK_H

#include "memmodel/job.h"
#include "network/network.h"
#include "trace/trace.h"

struct optimizer_cache;

/* An operator without a rule, estimated by its outputs alone. */
struct unmodelled {
    const char *op; /* static, or the network's */
    int64_t bytes;  /* of the outputs of all layers of that name in one step */
};

/* What a simulation gives. Block and event layers are indices of network layers: name i of the trace is layer i's. */
struct simulation {
    struct memmodel_trace *trace;
    struct unmodelled *unmodelled; /* memory_release() it */
    size_t unmodelled_count;
    int32_t draw;                 /* set by the caller: which of the orders that chance may give, where there is any */
    struct memmodel_trace *spare; /* set by the caller: an empty trace that may be written instead of a new one */
    struct optimizer_cache *updates; /* set by the caller who asks for the peak alone: what was found before; or NULL */
    bool unrolled;                   /* set by the caller: no iteration of a loop stands for others in the trace */
    bool *recomputed;                /* set by the caller: of each layer, to become true if it is recomputed; or NULL */
    int64_t *heap;         /* per event, bytes that kernels hold from the C library; NULL: none. memory_release() it */
    int64_t outside_bytes; /* that training adds to the process besides what its allocators hold */
    int64_t built_bytes;   /* the same of what is there before training: the model's objects, the arrays */
    int64_t pool_from;     /* tensors of this many bytes come from the framework's pool, smaller ones from malloc */
    size_t events_before;  /* events of the trace before training begins */
};

/*
 * Every allocation and release of job->steps training (or inference) steps. `job` has its defaults filled in.
 * MEMMODEL_ERROR_UNSUPPORTED names an optimizer, device or ISA that the framework does not know.
 */
typedef int (*framework_simulate)(memmodel_context *context, const struct binding *binding,
                                  const struct memmodel_job *job, struct simulation *simulation);

/* The first step that all later ones repeat, to the byte. */
int
pytorch_settled_step(const struct memmodel_job *job);

int
pytorch_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                 struct simulation *simulation);

int
onnxruntime_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                     struct simulation *simulation);

int
tensorflow_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                    struct simulation *simulation);

#endif

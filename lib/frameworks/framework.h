/* What a framework is to the rest of the library: it turns a bound network and a job into a trace. */
#ifndef FRAMEWORK_H
#define FRAMEWORK_H

#include "memmodel/job.h"
#include "memmodel/recording.h"
#include "network/network.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct operator_events;
struct optimizer_cache;

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

/*
 * What one operator takes inside, where it runs alone: of each operator and shape once. `job` has its defaults. The list
 * lies in the arena.
 */
typedef int (*framework_run_operator)(memmodel_context *context, const struct memmodel_job *job,
                                      const struct memmodel_recording_operator *operation, struct arena *arena,
                                      struct operator_events *events);

/* Allocators, by their names, that serve a framework's tensors on a device. */
struct framework_memory {
    const char *device, *allocator;
    const char *process;  /* what serves that one from the process's memory; NULL: nobody knows */
    const char *settings; /* of `process` */
};

/* What a job may ask of some frameworks and not of others. */
enum framework_option {
    FRAMEWORK_PRECISION = 1 << 0,
    FRAMEWORK_CHECKPOINT = 1 << 1,
    FRAMEWORK_ACCUMULATION = 1 << 2,
    FRAMEWORK_KEPT_GRADIENTS = 1 << 3,
    FRAMEWORK_GPU = 1 << 4,
    FRAMEWORK_GRAPH_OPTIMIZATION = 1 << 5,
    FRAMEWORK_BASE_BYTES = 1 << 6,
    FRAMEWORK_VERSION = 1 << 7,
    FRAMEWORK_PARALLEL = 1 << 8,
};

/* Versions whose rules are known, such as "2.15"; all NULL: they make no difference. */
struct framework_versions {
    const char *oldest, *newest;
};

enum { FRAMEWORK_MAX_DRAWS = 45, FRAMEWORK_DEVICES = 2 };

struct framework {
    const char *name;
    framework_simulate simulate;                         /* NULL: the textbook, which knows no time */
    int (*settled_step)(const struct memmodel_job *job); /* NULL: each step may differ from all others */
    int draws;                                           /* orders of execution that the mean is taken of */
    uint32_t options;                                    /* enum framework_option: what it knows of them */
    int64_t process_bytes;  /* of its process besides its tensors: interpreter, libraries, what is made on first use */
    bool process_simulated; /* what its process holds besides is in the simulation */
    framework_run_operator run_operator; /* NULL: it has no rules for single ones */
    bool grows_in_jumps;                 /* its allocator does: a larger job may take less */
    struct framework_versions versions;
    struct framework_memory memory[FRAMEWORK_DEVICES];
};

/* Row of a framework, or NULL. */
const struct framework *
framework_named(const char *name);

/* The same; MEMMODEL_ERROR_UNSUPPORTED names those that are known. */
int
framework_find(memmodel_context *context, const char *name, const struct framework **framework);

/* The first framework that knows of an option; never NULL. */
const struct framework *
framework_with(enum framework_option option);

/* A version as a number that grows with it. */
#define VERSION(major, minor) (1000 * (major) + (minor))

/* "2.15.0+cu132" as VERSION(2, 15); -1 of what is no version. */
int
version_number(const char *text);

/* MEMMODEL_ERROR_INVALID_ARGUMENT of what is no version, MEMMODEL_ERROR_UNSUPPORTED of one that is too old. */
int
framework_check_version(memmodel_context *context, const struct framework *framework, const char *version);

/* Newer than the newest whose rules are known. */
bool
framework_is_newer(const struct framework *framework, const char *version);

/* NULL: it is not simulated on that device. */
const struct framework_memory *
framework_memory_on(const struct framework *framework, const char *device);

/* The first step that all later ones repeat, to the byte. */
int
pytorch_settled_step(const struct memmodel_job *job);

int
pytorch_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                 struct simulation *simulation);

/*
 * How many rows the parameters have that fully_shard() cuts on the job's rank, of its stage and its part of a tensor
 * plan. memory_release(*rows).
 */
int
pytorch_sharded_rows(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                     int64_t **rows, size_t *count);

int
pytorch_run_operator(memmodel_context *context, const struct memmodel_job *job,
                     const struct memmodel_recording_operator *operation, struct arena *arena,
                     struct operator_events *events);

int
onnxruntime_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                     struct simulation *simulation);

int
tensorflow_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                    struct simulation *simulation);

#endif

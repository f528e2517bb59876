/*
 * An allocator is a machine that is asked for memory and given it back, event by event, and that counts what it
 * reserves. One file or folder an allocator, one row in the table; replay.c runs a trace through any of them.
 */
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include "trace/repeat.h"

/* Bytes at a time. */
struct allocator_counters {
    int64_t requested; /* asked for, of the blocks that are not free */
    int64_t allocated; /* of the blocks in the caller's hands, rounding included */
    int64_t active;    /* the same, with those that other streams may still use */
    int64_t reserved;  /* from the system */
    int64_t resident;  /* of that, pages ever written and still held; -1 where nobody counts pages */
    int64_t retries;   /* times that unused memory had to be given back first */
};

enum allocator_action {
    ALLOCATOR_ALLOC,
    ALLOCATOR_FREE_REQUESTED,
    ALLOCATOR_FREE_COMPLETED,
    ALLOCATOR_SEGMENT_ALLOC,
    ALLOCATOR_SEGMENT_FREE,
    ALLOCATOR_SEGMENT_MAP,
    ALLOCATOR_SEGMENT_UNMAP,
    ALLOCATOR_OUT_OF_MEMORY,
};

/* Called for each thing an allocator does, in order. */
struct allocator_observer {
    void (*observe)(void *user, enum allocator_action action, int64_t address, int64_t bytes, int64_t stream);
    void *user;
};

struct allocator_options {
    const char *settings; /* in the framework's own words; NULL: its defaults */
    int64_t capacity;     /* bytes of the device; 0: no limit */
    int64_t patience;     /* of periods.h; 0: each iteration of a loop is run */
    struct allocator_observer observer;
};

/* A piece of a segment: a block, or free. */
struct allocator_block {
    const void *memory; /* what allocate() gave, of a block */
    int64_t segment, address, bytes, requested, stream;
    int64_t changed; /* number of the call of allocate() or release() that was the last to change it; from 1 */
    int32_t owner;   /* block of the trace, -1: free */
    bool active;     /* not in the caller's hands, but not free yet */
    bool large, expandable;
};

struct allocator {
    const char *name;
    bool settings;      /* has any */
    size_t block_bytes; /* of the context that a block takes, at least */
    int (*open)(memmodel_context *context, const struct allocator_options *options, void **self);
    void (*close)(void *self);

    /* 0 with *block, which is NULL if the system has no memory left; or a negative status. bytes > 0. */
    int (*allocate)(void *self, int64_t bytes, int64_t stream, int32_t owner, void **block);

    /* `shared`: others may use it until finish(); NULL finish: nothing waits. */
    int (*release)(void *self, void *block, bool shared);
    void (*finish)(void *self, int32_t owner);

    const struct allocator_counters *(*counters)(const void *self);

    /* Calls `visit` for each piece of each segment, in no order, until it returns not 0. NULL: has no segments. */
    int (*walk)(const void *self, int (*visit)(void *user, const struct allocator_block *block), void *user);

    /*
     * Whether all that it decides follows from the pieces' streams, sizes and order, and of several that are alike in a
     * row it takes the first: what periods.h needs. NULL: no.
     */
    bool (*goes_by_order)(const void *self);
};

/* Takes exactly what is asked for and gives it back at once: PyTorch's CPU allocator, as its own counters see it. */
extern const struct allocator allocator_exact;

extern const struct allocator allocator_cuda_caching;

extern const struct allocator allocator_bfc;

extern const struct allocator allocator_onnxruntime;

extern const struct allocator allocator_glibc;

#define ALLOCATOR_NAMES "exact, cuda_caching, bfc, onnxruntime and glibc"

/* The allocator of that name, or NULL. */
const struct allocator *
allocator_find(const char *name);

/* ---- a trace through an allocator ---- */

struct replay {
    int64_t reserved_peak; /* maximum of reserved */
    int64_t resident_peak; /* most of them resident; -1 where nobody counts pages */
    int32_t peak_event;    /* first event at which `reserved_peak` is taken, -1 if none */
    bool out_of_memory;    /* the trace could not be run to its end */
};

/* Runs the whole trace; settings NULL: the allocator's defaults. */
int
allocator_replay(memmodel_context *context, const struct allocator *allocator, const char *settings,
                 const struct memmodel_trace *trace, struct replay *replay);

/* Memory of a block that stands for several: of those that are kept one each, of those that pass by two in all. */
struct allocator_instances {
    void **blocks; /* NULL where none is live */
    int64_t live;
    int64_t last; /* instance that was allocated last */
    size_t room;
    bool kept;
};

/* The instance whose memory is the one at `slot`. */
int64_t
allocator_instance_at(const struct allocator_instances *instances, size_t slot);

struct periods;

/* The same one event at a time; those that stand for several as often as they do. */
struct allocator_run {
    memmodel_context *context;
    const struct allocator *allocator;
    const struct memmodel_trace *trace;
    struct trace_walk walk;
    void *self;
    void **blocks;                         /* by block of the trace */
    struct allocator_instances *instances; /* the same of those that stand for several; NULL: no block does */
    int32_t *waiting;                      /* blocks of the trace that others still use */
    size_t waiting_count, waiting_capacity;
    struct periods *periods; /* NULL: each iteration is run */
    struct walk_event at;    /* what is run, or was last */
    int64_t count;           /* of what was run */
    size_t event;            /* of the trace: the next one */
    bool out_of_memory;      /* the last event could not be served; nothing goes on from there */
};

int
allocator_run_new(struct allocator_run *run, memmodel_context *context, const struct allocator *allocator,
                  const struct allocator_options *options, const struct memmodel_trace *trace);

/* Whether there is a next event. */
bool
allocator_run_goes_on(const struct allocator_run *run);

int
allocator_run_step(struct allocator_run *run);

/*
 * Called for each event after it was run, once begun: what is left out of loops would bring no new maximum of a
 * counter.
 */
struct allocator_visitor {
    void (*begin)(void *user);
    void (*visit)(void *user, const struct allocator_run *run, const struct allocator_counters *counters);
    void *user;
};

/*
 * Runs the whole trace, with as few iterations of its loops as are proven to suffice. It begins anew where a proof
 * fails. *out_of_memory: it could not be run to its end.
 */
int
allocator_run_all(memmodel_context *context, const struct allocator *allocator, const struct allocator_options *options,
                  const struct memmodel_trace *trace, const struct allocator_visitor *visitor, bool *out_of_memory);

void
allocator_run_release(struct allocator_run *run);

#endif

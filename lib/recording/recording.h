/* A recording from the inside: a trace that grows, the storages that its watcher knows, and operators by their shapes. */
#ifndef RECORDING_RECORDING_H
#define RECORDING_RECORDING_H

#include "expression/table.h"
#include "frameworks/framework.h"
#include "frameworks/operator.h"
#include "memmodel/recording.h"
#include "trace/trace.h"

#include <stdatomic.h>

/* Storages of 0 bytes, which are no blocks of the trace. */
enum { STORAGE_EMPTY = -1, STORAGE_EMPTY_DEAD = -2 };

struct recorded_operator {
    struct memmodel_recording_operator signature; /* its texts and tensors lie in the arena */
    struct operator_events events;
    int32_t name;       /* of the trace */
    int32_t unmodelled; /* index; -1: there is a rule */
};

/* Bytes of the outputs of all operators of a name: in one step so far, and the most in a step. */
struct recorded_unmodelled {
    int32_t name, step;
    int64_t now, most;
};

struct memmodel_recording {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    struct memmodel_job job; /* with its defaults; its texts are copied */
    const struct framework *framework;
    struct memmodel_trace *trace; /* NULL: finished */
    int32_t step;
    enum memmodel_phase phase;
    struct table texts; /* the trace's names */
    int32_t *storages;  /* by their numbers: block of the trace, or enum */
    size_t storage_count, storage_capacity;
    struct recorded_operator *operators;
    size_t operator_count, operator_capacity;
    struct table signatures; /* of operators */
    struct recorded_unmodelled *unmodelled;
    size_t unmodelled_count, unmodelled_capacity;
    int32_t *scratch; /* storages that the operator that runs makes, then blocks that it takes inside */
    size_t scratch_capacity;
    int32_t kept[OPERATOR_KEPT_COUNT][2]; /* in the thread of the forward and of the backward pass: made already */
};

/* An owner's texts as names of the trace, -1 where there is none. */
struct recorded_owner {
    int64_t stream;
    int32_t role, layer, line;
    enum memmodel_category category;
};

/* 0, or MEMMODEL_ERROR_INVALID_ARGUMENT for one that is finished. */
int
recording_check(const memmodel_recording *recording);

/* The number of a text among the trace's names, -1 for none; or another negative status in `status`. */
int
recording_text(memmodel_recording *recording, const char *what, const char *text, int32_t *number);

int
recording_owner(memmodel_recording *recording, const struct memmodel_recording_owner *given,
                struct recorded_owner *owner);

/* A block of the trace; `role` is a name of the trace. A negative status on error. */
int32_t
recording_block(memmodel_recording *recording, int64_t bytes, int32_t role, const struct recorded_owner *owner);

/* Makes `count` more storages fit. */
int
recording_reserve(memmodel_recording *recording, size_t count);

/* A storage that is this block, or STORAGE_EMPTY: its number. There must be room. */
memmodel_recording_block
recording_storage(memmodel_recording *recording, int32_t block);

#endif

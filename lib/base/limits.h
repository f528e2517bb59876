/*
 * What the calls of one context may use, and what they have used: the memory of all its objects, and the work and time
 * of the call that runs. Part of the context (base/context.h), through which the rest of the library reaches it.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "memmodel/context.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Of memmodel_context_cancel(): what was asked for ends one call, that which sees it. */
enum cancel { CANCEL_NONE, CANCEL_ASKED, CANCEL_SEEN };

struct limits {
    /* The call that runs: written by the thread that the context belongs to. */
    int64_t left, granted; /* nodes until the next look at the clock and the flag, of those granted by the last one */
    int64_t nodes;         /* spent until the last look */
    double deadline;       /* by seconds_now() */
    int depth;             /* of bounded calls, each made by the one before */
    int stopped;           /* MEMMODEL_ERROR_LIMIT or MEMMODEL_ERROR_CANCELLED once it has to end */
    bool refused;          /* memory beyond the limit */
    bool answered;         /* the call has its answer, and only writes it */

    double began, next_report; /* by seconds_now() */

    struct memmodel_limits max; /* every field filled in */
    memmodel_progress_callback progress;
    void *progress_user;

    /* Any thread: the flag by memmodel_context_cancel(), the bytes by objects that are released anywhere. */
    atomic_int cancelled;     /* enum cancel */
    atomic_size_t used, peak; /* the headers of blocks included */
};

/* Defaults, nothing used. */
void
limits_start(struct limits *limits);

/* Puts `bytes` on the account; false if they are beyond the limit, and then they are not on it. */
bool
limits_take(struct limits *limits, size_t bytes);

static inline void
limits_give_back(struct limits *limits, size_t bytes)
{
    atomic_fetch_sub_explicit(&limits->used, bytes, memory_order_relaxed);
}

#endif

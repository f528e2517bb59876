/* Every report of progress that a call makes, though callers hear of them only now and then. */
#ifndef TEST_WATCHED_H
#define TEST_WATCHED_H

#include "base/context.h"

struct watch {
    memmodel_context *context;
    int stop_at, calls; /* the call to stop at; 0: none */
    int64_t done;       /* what the last one said */
};

static inline int
note_progress(void *user, const struct memmodel_progress *progress)
{
    struct watch *watch = user;

    context_limits(watch->context)->next_report = 0;
    watch->done = progress->done;
    return ++watch->calls == watch->stop_at;
}

/* A fit, watched. The context that the samples have is watched no more afterwards. */
static inline int
watched_fit(memmodel_context *context, const memmodel_samples *samples, const struct memmodel_fit_options *options,
            struct watch *watch, memmodel_model **model)
{
    int status;

    watch->context = context;
    memmodel_context_set_progress(context, note_progress, watch);
    status = memmodel_fit(samples, options, context, model);
    memmodel_context_set_progress(context, NULL, NULL);
    return status;
}

#endif

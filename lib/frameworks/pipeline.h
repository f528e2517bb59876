/* How stages of a pipeline take turns, read from a call such as "1f1b(microbatches=8, cut=layers.4)". */
#ifndef FRAMEWORKS_PIPELINE_H
#define FRAMEWORKS_PIPELINE_H

#include "base/call.h"
#include "base/context.h"

enum pipeline_kind { PIPELINE_NONE, PIPELINE_GPIPE, PIPELINE_1F1B, PIPELINE_INTERLEAVED, PIPELINE_KINDS };

struct pipeline_plan {
    enum pipeline_kind kind;
    int64_t microbatches, stages;
    struct call_text call; /* its arguments, in the job's text */
    bool return_outputs, scale_grads;
};

/* NULL and "" are none. 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED. */
int
pipeline_read(memmodel_context *context, const char *text, int64_t ranks, struct pipeline_plan *plan);

/* The next module that a stage begins with; false after the last. Begin with a copy of plan->call. */
bool
pipeline_next_cut(struct call_text *call, struct text_part *cut);

#endif

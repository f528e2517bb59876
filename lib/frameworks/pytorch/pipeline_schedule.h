/* What schedules of a pipeline are made of. */
#ifndef PYTORCH_PIPELINE_SCHEDULE_H
#define PYTORCH_PIPELINE_SCHEDULE_H

#include "frameworks/pytorch/pipeline.h"

/* Variables of _step_microbatches(). */
struct schedule {
    struct step *step;
    struct names *names;
    int64_t chunks;
    struct value *output;         /* of the forward pass that was the last */
    struct value *forward_sends;  /* the same, while it waits to be sent */
    struct value *backward_sends; /* the gradient of an input */
    struct value *send_work;      /* what is on its way */
    struct value **sent;          /* all of it, where a schedule waits for it at its end */
    size_t sent_count;
};

/* A forward pass, whose output the schedule holds until the next. */
void
schedule_forward(struct schedule *schedule, struct pipeline_stage *stage, int64_t chunk);

/* What a stage hands on, or NULL. */
struct value *
schedule_output(const struct pipeline_stage *stage, int64_t chunk);

/* Takes the reference, or NULL, until the schedule's end. */
void
schedule_keep(struct schedule *schedule, struct value *value);

/* ---- pipeline_interleaved.c ---- */

void
schedule_interleaved(struct schedule *schedule);

#endif

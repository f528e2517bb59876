/* One operator below autograd, as a recording of a program has it. */
#include "frameworks/operator.h"
#include "frameworks/framework.h"

int
pytorch_run_operator(memmodel_context *context, const struct memmodel_job *job,
                     const struct memmodel_recording_operator *operation, struct arena *arena,
                     struct operator_events *events)
{
    (void)context;
    (void)job;
    return operator_estimate(operation, arena, events);
}

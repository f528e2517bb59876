/* What schedules and tilings share: a caller's struct memmodel_inference, checked, and the network bound to its sizes. */
#ifndef INFERENCE_H
#define INFERENCE_H

#include "memmodel/schedule.h"
#include "network/network.h"

/*
 * `own` is `how` with its defaults. Errors and memory come from `context`, that of `how` or of the network. Begins a
 * bounded call of it, which inference_end() ends if this succeeds.
 */
int
inference_bind(const memmodel_network *network, const struct memmodel_inference *how, struct memmodel_inference *own,
               memmodel_context **context, struct binding *binding);

/* Releases the binding; returns what the call then returns. */
int
inference_end(memmodel_context *context, struct binding *binding, int status);

/* As memmodel_schedule_new(), of a network that is bound; `how` was checked. */
int
schedule_of_binding(memmodel_context *context, const struct binding *binding, const struct memmodel_inference *how,
                    memmodel_schedule **schedule);

#endif

/* What schedules and tilings share: a caller's struct memmodel_schedule_options, checked, and the network bound to its sizes. */
#ifndef INFERENCE_H
#define INFERENCE_H

#include "memmodel/schedule.h"
#include "network/network.h"

/* `own` is `options` with its defaults. Begins a bounded call of the context, which inference_end() ends if this succeeds. */
int
inference_bind(memmodel_context *context, const memmodel_network *network,
               const struct memmodel_schedule_options *options, struct memmodel_schedule_options *own,
               struct binding *binding);

/* Releases the binding; returns what the call then returns. */
int
inference_end(memmodel_context *context, struct binding *binding, int status);

/* As memmodel_network_schedule(), of a network that is bound; `how` was checked. */
int
schedule_of_binding(memmodel_context *context, const struct binding *binding,
                    const struct memmodel_schedule_options *how, memmodel_schedule **schedule);

#endif

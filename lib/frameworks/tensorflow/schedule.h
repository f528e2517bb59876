/* Runs the operations of a step on the executor's threads, and says what memory is taken and given back when. */
#ifndef TENSORFLOW_SCHEDULE_H
#define TENSORFLOW_SCHEDULE_H

#include "frameworks/tensorflow/graph.h"

/* Who counts the memory. */
struct ledger {
    void *self;
    int32_t (*take)(void *self, const struct operation *operation, int64_t bytes); /* a block, or a negative status */
    int (*give)(void *self, int32_t block);
    void (*reuse)(void *self, int32_t block, const struct operation *operation); /* an output in another's memory */
    void (*heap)(void *self, int64_t bytes);                                     /* taken; negative: given back */
    bool forwards; /* false: every output gets memory of its own, as TensorFlow's own estimate has it */
};

struct schedule {
    const struct graph *graph;
    const struct ledger *ledger;
    int32_t *variables; /* block of each parameter of the network */
    int workers;
    bool first;       /* step of the run */
    bool first_ready; /* what was ready first runs next, not what stands first */
    uint64_t random;  /* state of the draws of durations; 0: as they stand */
};

/* 0 or the status of the ledger's first failure. */
int
schedule_run(struct schedule *schedule);

#endif

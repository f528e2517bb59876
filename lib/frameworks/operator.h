/* One operator that runs alone: the memory that it takes and gives back inside, around the storages of its outputs. */
#ifndef FRAMEWORKS_OPERATOR_H
#define FRAMEWORKS_OPERATOR_H

#include "base/arena.h"
#include "memmodel/job.h"
#include "memmodel/recording.h"

#include <stdbool.h>

enum operator_memory {
    OPERATOR_SCRATCH, /* released before it ends */
    OPERATOR_OUTPUT,  /* the storage of an output */
    OPERATOR_KEPT,    /* what a device's library keeps from the first operator on that needs it */
};

/* What a library keeps for each of its threads. */
enum { OPERATOR_KEPT_COUNT = 3 };

struct operator_event {
    int64_t bytes;
    int32_t number; /* of the output or of what is kept; scratch is counted in the order of its allocation */
    uint8_t memory; /* enum operator_memory */
    bool release;
};

struct operator_events {
    struct operator_event *items; /* in the order of time; each output is allocated once */
    size_t count;
    size_t scratch_count;
    bool known; /* the framework has a rule for it; else there are its outputs alone */
};

/* The outputs alone, for an operator that nothing is known of. */
int
operator_estimate(const struct memmodel_recording_operator *operation, struct arena *arena,
                  struct operator_events *events);

#endif

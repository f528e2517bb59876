/* How ranks that share a sequence attend to all of it, read from a call such as "ring(rotate_method=alltoall)". */
#ifndef FRAMEWORKS_RING_H
#define FRAMEWORKS_RING_H

#include "base/context.h"

#include <stdbool.h>

struct ring_plan {
    bool all_to_all;   /* keys and values go from rank to rank, else each gathers all of them */
    bool load_balance; /* each rank has a part of the sequence's first half and the one that mirrors it */
};

/* NULL and "" are PyTorch's defaults. 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED. */
int
ring_read(memmodel_context *context, const char *text, struct ring_plan *plan);

#endif

/* Ways to cut an axis into tiles, and what all tiles together compute then. */
#ifndef INFERENCE_PARTITION_H
#define INFERENCE_PARTITION_H

#include "inference/receptive_field.h"
#include "memmodel/tiling.h"

/* One way to cut an axis: tiles begin at multiples of `step`. */
struct partition {
    int64_t step, count, largest;
    double *work; /* of each layer: extents of all tiles over that of the whole */
};

struct partitions {
    struct partition *partitions;
    size_t count;
};

struct memmodel_tiling_range
partition_range(const struct receptive_field *field, int32_t axis, const struct partition *partition, int64_t index);

/* All ways that differ, from one tile to the most; `work` has one number a layer. */
int
partitions_new(const struct receptive_field *field, int32_t axis, struct partitions *partitions);

void
partitions_release(memmodel_context *context, struct partitions *partitions);

#endif

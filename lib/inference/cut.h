/* Ways to cut an axis into tiles, and what all tiles together compute then. */
#ifndef INFERENCE_CUT_H
#define INFERENCE_CUT_H

#include "inference/reach.h"
#include "memmodel/tiling.h"

/* One way to cut an axis: tiles begin at multiples of `step`. */
struct cut {
    int64_t step, count, largest;
    double *work; /* of each layer: extents of all tiles over that of the whole */
};

struct cuts {
    struct cut *cuts;
    size_t count;
};

struct memmodel_tiling_range
cut_range(const struct reach *reach, int32_t axis, const struct cut *cut, int64_t index);

/* All ways that differ, from one tile to the most; `work` has one number a layer. */
int
cuts_new(const struct reach *reach, int32_t axis, struct cuts *cuts);

void
cuts_release(memmodel_context *context, struct cuts *cuts);

#endif

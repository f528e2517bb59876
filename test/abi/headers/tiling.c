/* memmodel/tiling.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/tiling.h"
#include "memmodel/tiling.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_tiling_axis)
        + (int)sizeof(struct memmodel_tiling_range)
        + (int)sizeof(struct memmodel_tiling_result)
        + (int)sizeof(&memmodel_tiling_new)
        + (int)sizeof(&memmodel_tiling_result)
        + (int)sizeof(&memmodel_tiling_axis_count)
        + (int)sizeof(&memmodel_tiling_axis)
        + (int)sizeof(&memmodel_tiling_range)
        + (int)sizeof(&memmodel_tiling_plan)
        + (int)sizeof(&memmodel_tiling_ref)
        + (int)sizeof(&memmodel_tiling_unref)
};

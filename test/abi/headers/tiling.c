/* memmodel/tiling.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/tiling.h"
#include "memmodel/tiling.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_tiling_axis)
        + (int)sizeof(struct memmodel_tiling_range)
        + (int)sizeof(struct memmodel_tiling_result)
        + (int)sizeof(&memmodel_network_tile)
        + (int)sizeof(&memmodel_tiling_get_result)
        + (int)sizeof(&memmodel_tiling_axis_count)
        + (int)sizeof(&memmodel_tiling_get_axis)
        + (int)sizeof(&memmodel_tiling_get_range)
        + (int)sizeof(&memmodel_tiling_plan)
        + (int)sizeof(&memmodel_tiling_ref)
        + (int)sizeof(&memmodel_tiling_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_tiling_axis of_memmodel_tiling_axis{};
    of_memmodel_tiling_axis.size = sizeof of_memmodel_tiling_axis;
    memmodel_tiling_range of_memmodel_tiling_range{};
    of_memmodel_tiling_range.size = sizeof of_memmodel_tiling_range;
    memmodel_tiling_result of_memmodel_tiling_result{};
    of_memmodel_tiling_result.size = sizeof of_memmodel_tiling_result;
    return of_memmodel_tiling_axis.size + of_memmodel_tiling_range.size + of_memmodel_tiling_result.size;
}
#endif

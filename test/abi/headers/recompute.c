/* memmodel/recompute.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/recompute.h"
#include "memmodel/recompute.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_chain_block)
        + (int)sizeof(struct memmodel_chain_step)
        + (int)sizeof(struct memmodel_chain_result)
        + (int)sizeof(struct memmodel_chain_options)
        + (int)sizeof(struct memmodel_recomputation_result)
        + (int)sizeof(struct memmodel_recomputation_point)
        + (int)sizeof(struct memmodel_layer_cost)
        + (int)sizeof(struct memmodel_recompute_options)
        + (int)sizeof(MEMMODEL_CHAIN_OPERATION_FORWARD)
        + (int)sizeof(&memmodel_chain_operation_name)
        + (int)sizeof(&memmodel_chain_new)
        + (int)sizeof(&memmodel_chain_add_block)
        + (int)sizeof(&memmodel_chain_solve)
        + (int)sizeof(&memmodel_chain_get_result)
        + (int)sizeof(&memmodel_chain_step_count)
        + (int)sizeof(&memmodel_chain_get_step)
        + (int)sizeof(&memmodel_chain_ref)
        + (int)sizeof(&memmodel_chain_unref)
        + (int)sizeof(&memmodel_recompute)
        + (int)sizeof(&memmodel_recomputation_get_result)
        + (int)sizeof(&memmodel_recomputation_point_count)
        + (int)sizeof(&memmodel_recomputation_get_point)
        + (int)sizeof(&memmodel_recomputation_segment)
        + (int)sizeof(&memmodel_recomputation_segment_module)
        + (int)sizeof(&memmodel_recomputation_to_json)
        + (int)sizeof(&memmodel_recomputation_to_svg)
        + (int)sizeof(&memmodel_recomputation_ref)
        + (int)sizeof(&memmodel_recomputation_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_chain_block of_memmodel_chain_block{};
    of_memmodel_chain_block.size = sizeof of_memmodel_chain_block;
    memmodel_chain_step of_memmodel_chain_step{};
    of_memmodel_chain_step.size = sizeof of_memmodel_chain_step;
    memmodel_chain_result of_memmodel_chain_result{};
    of_memmodel_chain_result.size = sizeof of_memmodel_chain_result;
    memmodel_chain_options of_memmodel_chain_options{};
    of_memmodel_chain_options.size = sizeof of_memmodel_chain_options;
    memmodel_recomputation_result of_memmodel_recomputation_result{};
    of_memmodel_recomputation_result.size = sizeof of_memmodel_recomputation_result;
    memmodel_recomputation_point of_memmodel_recomputation_point{};
    of_memmodel_recomputation_point.size = sizeof of_memmodel_recomputation_point;
    memmodel_recompute_options of_memmodel_recompute_options{};
    of_memmodel_recompute_options.size = sizeof of_memmodel_recompute_options;
    return of_memmodel_chain_block.size + of_memmodel_chain_step.size + of_memmodel_chain_result.size + of_memmodel_chain_options.size + of_memmodel_recomputation_result.size + of_memmodel_recomputation_point.size + of_memmodel_recompute_options.size;
}
#endif

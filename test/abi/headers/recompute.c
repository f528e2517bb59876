/* memmodel/recompute.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/recompute.h"
#include "memmodel/recompute.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_chain_block)
        + (int)sizeof(struct memmodel_chain_step)
        + (int)sizeof(struct memmodel_chain_result)
        + (int)sizeof(struct memmodel_recomputation_result)
        + (int)sizeof(struct memmodel_recomputation_point)
        + (int)sizeof(MEMMODEL_CHAIN_FORWARD)
        + (int)sizeof(&memmodel_chain_new)
        + (int)sizeof(&memmodel_chain_add)
        + (int)sizeof(&memmodel_chain_solve)
        + (int)sizeof(&memmodel_chain_result)
        + (int)sizeof(&memmodel_chain_step_count)
        + (int)sizeof(&memmodel_chain_step)
        + (int)sizeof(&memmodel_chain_ref)
        + (int)sizeof(&memmodel_chain_unref)
        + (int)sizeof(&memmodel_recomputation_new)
        + (int)sizeof(&memmodel_recomputation_cost)
        + (int)sizeof(&memmodel_recomputation_observe)
        + (int)sizeof(&memmodel_recomputation_solve)
        + (int)sizeof(&memmodel_recomputation_result)
        + (int)sizeof(&memmodel_recomputation_point_count)
        + (int)sizeof(&memmodel_recomputation_point)
        + (int)sizeof(&memmodel_recomputation_scope)
        + (int)sizeof(&memmodel_recomputation_module)
        + (int)sizeof(&memmodel_recomputation_to_json)
        + (int)sizeof(&memmodel_recomputation_to_svg)
        + (int)sizeof(&memmodel_recomputation_ref)
        + (int)sizeof(&memmodel_recomputation_unref)
};

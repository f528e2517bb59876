/* memmodel/plan.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/plan.h"
#include "memmodel/plan.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_plan_buffer)
        + (int)sizeof(struct memmodel_plan_place)
        + (int)sizeof(struct memmodel_plan_result)
        + (int)sizeof(struct memmodel_plan_options)
        + (int)sizeof(MEMMODEL_PLAN_UNSOLVED)
        + (int)sizeof(MEMMODEL_PLAN_GREEDY)
        + (int)sizeof(&memmodel_plan_status_name)
        + (int)sizeof(&memmodel_plan_new)
        + (int)sizeof(&memmodel_plan_read)
        + (int)sizeof(&memmodel_plan_parse)
        + (int)sizeof(&memmodel_plan_from_trace)
        + (int)sizeof(&memmodel_plan_add)
        + (int)sizeof(&memmodel_plan_gap)
        + (int)sizeof(&memmodel_plan_share)
        + (int)sizeof(&memmodel_plan_solve)
        + (int)sizeof(&memmodel_plan_buffer_count)
        + (int)sizeof(&memmodel_plan_place)
        + (int)sizeof(&memmodel_plan_result)
        + (int)sizeof(&memmodel_plan_write)
        + (int)sizeof(&memmodel_plan_to_svg)
        + (int)sizeof(&memmodel_plan_to_c)
        + (int)sizeof(&memmodel_plan_ref)
        + (int)sizeof(&memmodel_plan_unref)
};

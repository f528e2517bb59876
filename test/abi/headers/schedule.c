/* memmodel/schedule.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/schedule.h"
#include "memmodel/schedule.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_inference)
        + (int)sizeof(struct memmodel_schedule_summary)
        + (int)sizeof(struct memmodel_schedule_operator)
        + (int)sizeof(MEMMODEL_SCHEDULE_FUSION)
        + (int)sizeof(&memmodel_schedule_new)
        + (int)sizeof(&memmodel_schedule_plan)
        + (int)sizeof(&memmodel_schedule_buffer)
        + (int)sizeof(&memmodel_schedule_operator_count)
        + (int)sizeof(&memmodel_schedule_operator)
        + (int)sizeof(&memmodel_schedule_summary)
        + (int)sizeof(&memmodel_schedule_ref)
        + (int)sizeof(&memmodel_schedule_unref)
};

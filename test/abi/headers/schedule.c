/* memmodel/schedule.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/schedule.h"
#include "memmodel/schedule.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_schedule_options)
        + (int)sizeof(struct memmodel_schedule_result)
        + (int)sizeof(struct memmodel_schedule_operator)
        + (int)sizeof(MEMMODEL_SCHEDULE_PASS_FUSION)
        + (int)sizeof(&memmodel_network_schedule)
        + (int)sizeof(&memmodel_schedule_plan)
        + (int)sizeof(&memmodel_schedule_find_buffer)
        + (int)sizeof(&memmodel_schedule_operator_count)
        + (int)sizeof(&memmodel_schedule_get_operator)
        + (int)sizeof(&memmodel_schedule_get_result)
        + (int)sizeof(&memmodel_schedule_ref)
        + (int)sizeof(&memmodel_schedule_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_schedule_options of_memmodel_schedule_options{};
    of_memmodel_schedule_options.size = sizeof of_memmodel_schedule_options;
    memmodel_schedule_result of_memmodel_schedule_result{};
    of_memmodel_schedule_result.size = sizeof of_memmodel_schedule_result;
    memmodel_schedule_operator of_memmodel_schedule_operator{};
    of_memmodel_schedule_operator.size = sizeof of_memmodel_schedule_operator;
    return of_memmodel_schedule_options.size + of_memmodel_schedule_result.size + of_memmodel_schedule_operator.size;
}
#endif

/* memmodel/plan.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/plan.h"
#include "memmodel/plan.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_plan_buffer)
        + (int)sizeof(struct memmodel_plan_result)
        + (int)sizeof(struct memmodel_plan_options)
        + (int)sizeof(&memmodel_plan_new)
        + (int)sizeof(&memmodel_plan_load)
        + (int)sizeof(&memmodel_plan_from_csv)
        + (int)sizeof(&memmodel_plan_from_trace)
        + (int)sizeof(&memmodel_plan_add_buffer)
        + (int)sizeof(&memmodel_plan_add_gap)
        + (int)sizeof(&memmodel_plan_add_alias)
        + (int)sizeof(&memmodel_plan_solve)
        + (int)sizeof(&memmodel_plan_buffer_count)
        + (int)sizeof(&memmodel_plan_get_buffer)
        + (int)sizeof(&memmodel_plan_get_result)
        + (int)sizeof(&memmodel_plan_save)
        + (int)sizeof(&memmodel_plan_to_svg)
        + (int)sizeof(&memmodel_plan_to_c)
        + (int)sizeof(&memmodel_plan_ref)
        + (int)sizeof(&memmodel_plan_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_plan_buffer of_memmodel_plan_buffer{};
    of_memmodel_plan_buffer.size = sizeof of_memmodel_plan_buffer;
    memmodel_plan_result of_memmodel_plan_result{};
    of_memmodel_plan_result.size = sizeof of_memmodel_plan_result;
    memmodel_plan_options of_memmodel_plan_options{};
    of_memmodel_plan_options.size = sizeof of_memmodel_plan_options;
    return of_memmodel_plan_buffer.size + of_memmodel_plan_result.size + of_memmodel_plan_options.size;
}
#endif

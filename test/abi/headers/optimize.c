/* memmodel/optimize.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/optimize.h"
#include "memmodel/optimize.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_optimization_step)
        + (int)sizeof(struct memmodel_optimization_result)
        + (int)sizeof(MEMMODEL_TECHNIQUE_NO_REUSE)
        + (int)sizeof(&memmodel_technique_name)
        + (int)sizeof(&memmodel_optimize)
        + (int)sizeof(&memmodel_optimization_get_result)
        + (int)sizeof(&memmodel_optimization_step_count)
        + (int)sizeof(&memmodel_optimization_get_step)
        + (int)sizeof(&memmodel_optimization_ref)
        + (int)sizeof(&memmodel_optimization_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_optimization_step of_memmodel_optimization_step{};
    of_memmodel_optimization_step.size = sizeof of_memmodel_optimization_step;
    memmodel_optimization_result of_memmodel_optimization_result{};
    of_memmodel_optimization_result.size = sizeof of_memmodel_optimization_result;
    return of_memmodel_optimization_step.size + of_memmodel_optimization_result.size;
}
#endif

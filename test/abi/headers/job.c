/* memmodel/job.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/job.h"
#include "memmodel/job.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_symbol_value)
        + (int)sizeof(struct memmodel_job)
        + (int)sizeof(MEMMODEL_METRIC_DEFAULT)
        + (int)sizeof(MEMMODEL_VERDICT_NONE)
        + (int)sizeof(MEMMODEL_MODE_TRAINING)
        + (int)sizeof(&memmodel_metric_name)
        + (int)sizeof(&memmodel_metric_default)
        + (int)sizeof(&memmodel_verdict_name)
        + (int)sizeof(&memmodel_mode_name)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_job of_memmodel_job{};
    of_memmodel_job.size = sizeof of_memmodel_job;
    return of_memmodel_job.size;
}
#endif

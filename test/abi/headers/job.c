/* memmodel/job.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/job.h"
#include "memmodel/job.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_symbol_value)
        + (int)sizeof(struct memmodel_job)
        + (int)sizeof(MEMMODEL_MEASURE_DEFAULT)
        + (int)sizeof(&memmodel_measure_name)
        + (int)sizeof(&memmodel_measure_default)
};

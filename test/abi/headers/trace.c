/* memmodel/trace.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/trace.h"
#include "memmodel/trace.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_event)
        + (int)sizeof(MEMMODEL_PARAMETERS)
        + (int)sizeof(MEMMODEL_PHASE_SETUP)
        + (int)sizeof(&memmodel_category_name)
        + (int)sizeof(&memmodel_trace_event_count)
        + (int)sizeof(&memmodel_trace_event)
        + (int)sizeof(&memmodel_trace_read)
        + (int)sizeof(&memmodel_trace_to_perfetto)
        + (int)sizeof(&memmodel_trace_ref)
        + (int)sizeof(&memmodel_trace_unref)
};

/* memmodel/trace.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/trace.h"
#include "memmodel/trace.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_trace_event)
        + (int)sizeof(MEMMODEL_CATEGORY_PARAMETERS)
        + (int)sizeof(MEMMODEL_PHASE_SETUP)
        + (int)sizeof(&memmodel_category_name)
        + (int)sizeof(&memmodel_phase_name)
        + (int)sizeof(&memmodel_trace_event_count)
        + (int)sizeof(&memmodel_trace_get_event)
        + (int)sizeof(&memmodel_trace_load)
        + (int)sizeof(&memmodel_trace_from_bytes)
        + (int)sizeof(&memmodel_trace_to_perfetto)
        + (int)sizeof(&memmodel_trace_ref)
        + (int)sizeof(&memmodel_trace_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_trace_event of_memmodel_trace_event{};
    of_memmodel_trace_event.size = sizeof of_memmodel_trace_event;
    return of_memmodel_trace_event.size;
}
#endif

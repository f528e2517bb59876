/* memmodel/context.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/context.h"
#include "memmodel/context.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_allocator)
        + (int)sizeof(struct memmodel_limits)
        + (int)sizeof(struct memmodel_error)
        + (int)sizeof(struct memmodel_progress)
        + (int)sizeof(MEMMODEL_OK)
        + (int)sizeof(MEMMODEL_LANGUAGE_TEXT)
        + (int)sizeof(&memmodel_context_new)
        + (int)sizeof(&memmodel_context_ref)
        + (int)sizeof(&memmodel_context_unref)
        + (int)sizeof(&memmodel_context_error)
        + (int)sizeof(&memmodel_context_set_log)
        + (int)sizeof(&memmodel_context_set_limits)
        + (int)sizeof(&memmodel_context_set_progress)
        + (int)sizeof(&memmodel_context_cancel)
        + (int)sizeof(&memmodel_context_memory)
        + (int)sizeof(&memmodel_free)
        + (int)sizeof(&memmodel_status_name)
        + (int)sizeof(&memmodel_status_message)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_allocator of_memmodel_allocator{};
    of_memmodel_allocator.size = sizeof of_memmodel_allocator;
    memmodel_limits of_memmodel_limits{};
    of_memmodel_limits.size = sizeof of_memmodel_limits;
    memmodel_error of_memmodel_error{};
    of_memmodel_error.size = sizeof of_memmodel_error;
    memmodel_progress of_memmodel_progress{};
    of_memmodel_progress.size = sizeof of_memmodel_progress;
    return of_memmodel_allocator.size + of_memmodel_limits.size + of_memmodel_error.size + of_memmodel_progress.size;
}
#endif
